"""Recorded replies: by prompt and question, from people's lines and from those of a cache."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import legalir
from legalir.errors import ComponentError, ModelError
from legalir.llm.cache import Recorded, StoredReply, recorded
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply


def request(question: str, prompt: str = "hyde", seed: int = 0) -> ChatRequest:
    return ChatRequest((("user", question),), prompt=prompt, question=question, seed=seed)


def written(path: Path, *lines: object) -> Recorded:
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines), encoding="utf-8")
    return Recorded(path)


def test_lines_of_people(tmp_path: Path) -> None:
    model = written(
        tmp_path / "r.jsonl",
        {"prompt": "hyde", "question": "등불은?", "text": "등불은 해가 지면 켠다."},
        "",
        {"prompt": "analytical", "question": "등불은?", "text": "등불 점등 시각", "note": "further keys are ignored"},
        {"prompt": "hyde", "question": "등불은?", "text": "등불은 해가 지면 켠다."},
    )
    assert model.chat(request("등불은?")) == ChatReply("등불은 해가 지면 켠다.", model="recorded")
    assert model.chat(request("등불은?", "analytical")).text == "등불 점등 시각"
    assert (model.host, model.concurrency) == ("", 1)
    first = model.name
    assert first.startswith("recorded:r.jsonl@")
    assert written(tmp_path / "r.jsonl", {"prompt": "hyde", "question": "x", "text": "y"}).name != first


def test_lines_of_a_cache(tmp_path: Path) -> None:
    lines = [
        StoredReply.of("m", request("x"), ChatReply("first", completion_tokens=3)).line(),
        StoredReply.of("m", request("x", seed=1), ChatReply("second")).line(),
        StoredReply.of("m", request("y"), FailedReply("too_long", "9 000 tokens")).line(),
        StoredReply.of("m", ChatRequest((("user", "z"),)), ChatReply("without a prompt")).line(),
    ]
    model = written(tmp_path / "r.jsonl", *lines)
    assert model.chat(request("x")) == ChatReply("first", completion_tokens=3)
    assert model.chat(request("x", seed=1)).text == "second"
    assert model.chat(request("", "")).text == "without a prompt"
    people = [{"prompt": "hyde", "question": "x", "text": text} for text in "ab"]
    for each, asked in ((lines, request("x", seed=2)), (people, request("x"))):
        with pytest.raises(ModelError, match="2 different replies"):
            written(tmp_path / "s.jsonl", *each).chat(asked)
    with pytest.raises(FailedReply, match="9 000 tokens"):
        model.chat(request("y"))


def test_two_requests_of_one_question(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """As the questions of two systems that read other provisions."""
    one, two, other = (ChatRequest((("user", text),), prompt="mcq", question="x") for text in ("[1]", "[2]", "[3]"))
    lines = [StoredReply.of("m", each, ChatReply(text)).line() for each, text in ((one, "5"), (two, "2"))]
    model = written(tmp_path / "r.jsonl", *lines)
    assert (model.chat(one).text, model.chat(two).text) == ("5", "2")
    with pytest.raises(ModelError, match="2 different replies"):
        model.chat(other)
    assert not caplog.messages
    assert written(tmp_path / "s.jsonl", lines[0]).chat(other).text == "5"
    assert "other requests" in caplog.text


def test_a_question_without_a_reply(tmp_path: Path) -> None:
    model = written(tmp_path / "r.jsonl", {"prompt": "hyde", "question": "x", "text": "y"})
    for asked in (request("z"), request("x", "analytical")):
        with pytest.raises(ModelError, match=rf"r\.jsonl .*'{asked.prompt}'"):
            model.chat(asked)


@pytest.mark.parametrize(
    "line",
    [
        *("x", "[]", "1", '{"prompt": "hyde"}', '{"prompt": "hyde", "question": "x", "text": 3}', '"\udc80"'),
        StoredReply.of("m", request("x"), ChatReply("first")).line().replace('"user"', '"system"'),
    ],
)
def test_a_line_that_is_none(tmp_path: Path, line: str) -> None:
    good = json.dumps({"prompt": "hyde", "question": "x", "text": "y"})
    (tmp_path / "r.jsonl").write_bytes(f"{good}\n{line}".encode(errors="surrogateescape"))
    with pytest.raises(ModelError, match=r"r\.jsonl.*2"):
        Recorded(tmp_path / "r.jsonl").chat(request("x"))


def test_where_the_file_is(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere\.jsonl"):
        recorded(None, path=str(tmp_path / "nowhere.jsonl"))
    with pytest.raises(ComponentError, match=r"recorded\(path="):
        recorded(None)
    written(tmp_path / "rewrites.jsonl", {"prompt": "hyde", "question": "x", "text": "y"})
    (tmp_path / "corpus.jsonl").write_text("", encoding="utf-8")
    collection = legalir.Collection(tmp_path)
    assert recorded(collection).chat(request("x")).text == "y"
    assert recorded(None, path=str(tmp_path / "rewrites.jsonl")).chat(request("x")).text == "y"
