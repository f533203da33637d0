"""The command line as a user meets it: real processes, real exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import legalir
from legalir.cli.main import main


def legalir_command(*arguments: str, columns: int = 100) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "legalir.cli.main", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "COLUMNS": str(columns)},
    )


def in_process(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["legalir", *arguments])
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.fixture
def statutes(tmp_path: Path) -> Path:
    folder = tmp_path / "statutes"
    folder.mkdir()
    provisions = [
        {"docno": "a-1", "title": "가나법 제1조(목적)", "text": "이 법은 창고의 안전을 정한다."},
        {
            "docno": "a-2",
            "title": "가나법 제2조(비상구)",
            "text": "비상구의 너비는 90센티미터로 한다.\n창문은 두지 아니한다.",
        },
        {"docno": "a-3", "title": "", "text": "\x1b[31m붉은\x1b[0m 창문 \u202e 규정"},
    ]
    lines = [json.dumps(provision, ensure_ascii=False) for provision in provisions]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert in_process(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"legalir {legalir.__version__}\n"


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "legalir", "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"legalir {legalir.__version__}\n")


def test_help_of_every_command_has_an_example(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = ["search", "explain", "index", "datasets list", "datasets show", "datasets check", "datasets import"]
    commands += ["plugins list", "plugins show", "plugins check", "plugins new", "train static"]
    commands += ["llm cache show", "llm cache export", "llm cache prune"]
    for command in [*commands, "experiment run", "experiment compare"]:
        assert in_process(monkeypatch, *command.split(), "--help") == 0
        assert f"legalir {command}" in capsys.readouterr().out


def test_search_table(statutes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert in_process(monkeypatch, "search", str(statutes), "비상구 너비", "-k", "2") == 0
    out = capsys.readouterr().out
    assert "가나법 제2조(비상구)  a-2" in out
    assert "비상구의 너비는 90센티미터로 한다." in out, "the line that answers, not the first or the last"
    assert max(map(len, out.splitlines())) <= 100


def test_a_provision_without_a_title_shows_its_docno_once(
    statutes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("search", "explain"):
        assert in_process(monkeypatch, command, str(statutes), "붉은 규정", "-k", "1", "-p", "bm25") == 0
        assert capsys.readouterr().out.count("a-3") == 1


def test_search_json_and_trec_agree(
    statutes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert in_process(monkeypatch, "search", str(statutes), "창문", "-p", 'bm25("jamo3")', "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert in_process(monkeypatch, "search", str(statutes), "창문", "-p", 'bm25("jamo3")', "--format", "trec") == 0
    trec = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row["docno"] for row in rows] == [line[2] for line in trec] == ["a-3", "a-2", "a-1"]
    # a-1 shares the syllable 창 of 창문 and so one jamo 3-gram.
    assert [row["rank"] for row in rows] == [int(line[3]) for line in trec] == [1, 2, 3]
    assert set(rows[0]) == {"rank", "score", "docno", "title", "text"}


def test_text_of_a_statute_cannot_steer_the_terminal(
    statutes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert in_process(monkeypatch, "search", str(statutes), "붉은 창문") == 0
    out = capsys.readouterr().out
    assert "붉은" in out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_question_without_terms(
    statutes: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert in_process(monkeypatch, "search", str(statutes), "?!… 😀") == 0
    assert "No provision shares a term" in capsys.readouterr().out
    assert "The question has no letter and no digit" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["legalir/firecde", "문"], "'legalir/firecode'"),
        (["legalir/firecode", "문", "-p", "bm26"], "'bm25'"),
        (["legalir/firecode", "문", "-p", "bm25(k2=1)"], "analyzer='auto'"),
        (["legalir/firecode", "문", "-p", "bm25(k1=-1)"], "k1=-1"),
        (["legalir/firecode", "문", "-p", "links"], "docno, score"),
        (["legalir/firecode", "문", "-p", "bm25(analyzer='jama3')"], "'jamo'"),
        (["legalir/firecode", "문", "-p", "__import__('os').system('true')"], "Expression"),
    ],
)
def test_misuse_is_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert in_process(monkeypatch, "search", *arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert words in error


def test_misuse_of_a_process() -> None:
    ended = legalir_command("search", "legalir/firecode", "문", "-p", "bm26")
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert ended.stderr.startswith("error: ")


def test_a_folder_in_place_of_an_output_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    days = ("--from", "2022-01-01", "--to", "2022-02-01", "--html", str(tmp_path))
    assert in_process(monkeypatch, "impact", "--collection", "legalir/firecode-dated", *days) == 1
    assert capsys.readouterr().err.startswith(f"error: {tmp_path} cannot be")


def test_a_broken_collection_is_exit_code_1(
    statutes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with (statutes / "corpus.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"docno": "a-4", "text": "반쪽')
    assert in_process(monkeypatch, "search", str(statutes), "창문") == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ") and error.count("\n") == 1
    assert "corpus.jsonl, line 4" in error


def test_index_says_what_it_built(
    statutes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert in_process(monkeypatch, "index", str(statutes), "--analyzer", "char2", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["documents"], facts["analyzer"]["name"]) == (3, "char2")
    assert (facts["language"], facts["recognised"], list(facts["scripts"])) == ("ko", True, ["Hangul", "Latin"])
    assert sum(file.stat().st_size for file in Path(facts["path"]).glob("data-*/*")) == facts["bytes"]
    assert in_process(monkeypatch, "index", str(statutes), "-a", "char2") == 0
    shown = capsys.readouterr().out
    assert "3 provisions" in shown
    # Of 64 letters, m of "31m" and of "0m" is Latin.
    assert "Language: ko (recognised); letters: Hangul 97%, Latin 3%: each run of a script is analysed by" in shown


def test_a_closed_pipe_is_silent(statutes: Path) -> None:
    search = subprocess.Popen(
        [sys.executable, "-m", "legalir.cli.main", "search", str(statutes), "창문", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert search.stdout is not None
    assert search.stderr is not None
    search.stdout.close()
    errors = search.stderr.read()
    search.stderr.close()
    search.wait(timeout=60)
    assert b"Traceback" not in errors


def test_a_terminal_without_hangul_shows_numbers(statutes: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "legalir.cli.main", "search", str(statutes), "창문", "--format", "table"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert ended.returncode == 0, ended.stderr
    assert "\\ube44\\uc0c1\\uad6c" in ended.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_meets_a_full_disk_is_one_line(statutes: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "legalir.cli.main", "search", str(statutes), "창문", "--format=table"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: no space is left")


def test_what_is_misuse_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("dataset: legalir/firecode\nmeasures: [R@10]\nsystemes: {a: bm25}\n", encoding="utf-8")
    for arguments, words in (
        (["search", "legalir/firecode", "  "], "question is empty"),
        (["explain", "legalir/firecode", "  "], "question is empty"),
        (["experiment", "run", str(file)], "'systems'"),
    ):
        assert in_process(monkeypatch, *arguments) == 2
        assert words in capsys.readouterr().err
