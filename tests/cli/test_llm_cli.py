"""``legalir llm cache``: what is stored, exported and deleted."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from legalir.cli.main import main
from legalir.llm.cache import ReplyCache, StoredReply, default_cache
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply
from legalir.llm.client import Client
from legalir.llm.prompts import load_prompt


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["legalir", "llm", "cache", *arguments])
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def request(question: str, prompt: str = "hyde") -> ChatRequest:
    return ChatRequest((("user", f"About {question}"),), prompt=prompt, question=question)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def cache(home: Path) -> ReplyCache:
    """Replies of two models, one failed, and one from the first day of 2024."""
    replies = ReplyCache(default_cache())
    for number in range(120):
        reply = ChatReply(f"At dusk {number}.", prompt_tokens=7, completion_tokens=5)
        replies.put(StoredReply.of("qwen3", request(f"Lamp {number}?"), reply))
    replies.put(StoredReply.of("qwen3", request("Long?", "rewrite"), FailedReply("too_long", "9 000 tokens")))
    replies.put(StoredReply.of("old\x1b[31m", request("Lamp 3?"), ChatReply("At dawn.", prompt_tokens=1)))
    with closing(sqlite3.connect(replies.path, isolation_level=None)) as database:
        database.execute("UPDATE replies SET time = 1704110400 WHERE model LIKE 'old%'")
    return replies


def test_what_is_stored_at_a_look(
    cache: ReplyCache, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "show") == 0
    out = capsys.readouterr().out
    lines = [line.split() for line in out.splitlines()]
    assert " ".join(lines[0]) == "prompt replies failed tokens in tokens out first last"
    assert lines[1] == ["old", "[31m"]
    assert lines[2] == ["hyde", "1", "0", "1", "0", "2024-01-01", "2024-01-01"]
    assert lines[3] == ["qwen3"]
    assert lines[4][:5] == ["hyde", "120", "0", "840", "600"]
    assert lines[5][:5] == ["rewrite", "1", "1", "0", "0"]
    assert lines[6][:6] == ["all", "122", "1", "841", "600", "2024-01-01"]
    assert max(map(len, out.splitlines()[:7])) <= 80
    assert lines[-1][0] == f"{cache.path}:"
    assert "Lamp" not in out, "a question is never printed"
    assert "\x1b" not in out
    assert run(monkeypatch, "show", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["file"], shown["bytes"] > 10_000) == (str(cache.path), True)
    assert shown["replies"][0] == {
        "model": "old\x1b[31m",
        "prompt": "hyde",
        "replies": 1,
        "failed": 0,
        "prompt_tokens": 1,
        "completion_tokens": 0,
        "size": shown["replies"][0]["size"],
        "first": "2024-01-01T12:00:00+00:00",
        "last": "2024-01-01T12:00:00+00:00",
    }


def test_nothing_is_stored(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "show") == 0
    assert capsys.readouterr().out == f"No replies are stored in {default_cache()}.\n"
    assert run(monkeypatch, "show", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(default_cache()), "bytes": 0, "replies": []}
    for arguments in (["export", str(home / "x.jsonl")], ["prune", "--all"]):
        assert run(monkeypatch, *arguments) == 1
        sentence = f"error: No replies are cached at {default_cache()}: ask a model first, or set LEGALIR_HOME.\n"
        assert capsys.readouterr().err == sentence
    assert not home.exists(), "looking makes no file"


def test_what_is_exported_is_replayed(
    cache: ReplyCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out" / "replies.jsonl"
    assert run(monkeypatch, "export", str(file)) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{file}: 1 replies of old [31m, 121 replies of qwen3\n"
    assert captured.err.startswith("recorded takes one reply to each question, of any of these models")
    assert len(file.read_text(encoding="utf-8").splitlines()) == 122
    assert run(monkeypatch, "export", str(file), "--model", "qwen3") == 2
    boxed = capsys.readouterr().err.replace("│", " ")  # It breaks lines where the path ends.
    assert "exists: give another name, or --replace." in " ".join(boxed.split())
    assert run(monkeypatch, "export", str(file), "--model", "qwen3", "--replace") == 0
    assert capsys.readouterr() == (f"{file}: 121 replies of qwen3\n", "")
    client = Client(f"recorded(path={str(file)!r})", cache=tmp_path / "other.sqlite")
    answers = client.ask(load_prompt("hyde", "en"), [{"question": f"Lamp {number}?"} for number in (3, 7)])
    assert [answer.value for answer in answers] == ["At dusk 3.", "At dusk 7."]
    (answer,) = client.ask(load_prompt("rewrite", "en"), [{"question": "Long?", "n": 2}])
    assert (answer.state, answer.reason) == ("too_long", "9 000 tokens")


def test_an_export_that_cannot_be(
    cache: ReplyCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "replies.jsonl"
    assert run(monkeypatch, "export", str(file), "--model", "nobody") == 1
    assert capsys.readouterr().err == "error: No replies of nobody are stored: nothing is written.\n"
    assert list(tmp_path.iterdir()) == [tmp_path / "home"]
    assert run(monkeypatch, "export", str(cache.path), "--replace") == 2, "the cache itself is not replaced"
    assert run(monkeypatch, "export", str(tmp_path / "home" / "llm.sqlite" / "x")) == 1
    assert "cannot be written (File exists): give another place." in capsys.readouterr().err
    (tmp_path / "folder").mkdir()
    assert run(monkeypatch, "export", str(tmp_path / "folder"), "--replace") == 1
    assert "cannot be written (Is a directory)" in capsys.readouterr().err
    assert len(list(cache.rows())) == 122


def test_pruning_says_first_what_it_would_do(
    cache: ReplyCache, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "prune", "--older-than", "30") == 0
    out = capsys.readouterr().out
    assert "2024-01-01" in out
    assert "qwen3" not in out
    assert out.endswith("\nWould delete 1 replies: add --yes to delete them.\n")
    assert run(monkeypatch, "prune", "--older-than", "30", "--model", "qwen3") == 0
    assert capsys.readouterr().out == "No replies to delete.\n"
    assert len(list(cache.rows())) == 122
    for number, arguments in [(1, ["--older-than", "30"]), (121, ["--model", "qwen3"]), (0, ["--all"])]:
        assert run(monkeypatch, "prune", *arguments, "--yes") == 0
        assert capsys.readouterr().out.endswith(f"Deleted {number} replies.\n")
    assert cache.get(request("Lamp 3?").key("qwen3")) is None
    cache.put(StoredReply.of("qwen3", request("Lamp 3?"), ChatReply("At dusk.")))
    assert run(monkeypatch, "prune", "--all", "--yes") == 0
    assert capsys.readouterr().out.endswith("Deleted 1 replies.\n")


def test_what_is_stored_meanwhile_stays(cache: ReplyCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process stores a reply while the table is printed."""
    late = StoredReply.of("qwen3", request("Late?"), ChatReply("At dusk."))

    def print_slowly(rows: object) -> None:
        time.sleep(0.01)
        cache.put(late)

    monkeypatch.setattr("legalir.cli.llm._print_table", print_slowly)
    assert run(monkeypatch, "prune", "--all", "--yes") == 0
    assert [stored.key for stored in cache.rows()] == [late.key]


@pytest.mark.parametrize("wrong", [[], ["--all", "--model", "qwen3"], ["--older-than", "-1"]], ids=str)
def test_which_replies_must_be_said(cache: ReplyCache, monkeypatch: pytest.MonkeyPatch, wrong: list[str]) -> None:
    assert run(monkeypatch, "prune", *wrong, "--yes") == 2
    assert len(list(cache.rows())) == 122
