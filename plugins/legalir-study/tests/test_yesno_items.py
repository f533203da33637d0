"""Yes/no items: three questions a provision, their filters and their balance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ferries import opened, write_collection
from typer.testing import CliRunner

import legalir
from legalir.extend import ChatRequest
from legalir_study.split import write_split
from legalir_study.synthesize import app
from legalir_study.yesno import balance, synthesize_yesno


def replying(*drafts: tuple[str, Any]) -> str:
    rows = [{"question": text, "answer": answer, "explanation": "**Because.**"} for text, answer in drafts]
    return json.dumps({"questions": rows}, ensure_ascii=False)


def three(request: ChatRequest) -> str:
    docno = request.question
    return replying((f"Does {docno} apply?", True), (f"Is {docno} free?", False), (f"Can {docno} wait?", "Yes"))


def test_three_questions_a_provision(tmp_path: Path) -> None:
    collection, model = opened(write_collection(tmp_path), three)
    made = synthesize_yesno(collection, 2, seed=4)
    docnos = [request.question for request in model.requests]
    assert len(docnos) == 2
    assert [(row["qid"], row["query"], row["key"], row["documents"]) for row in made.kept] == [
        (f"yn000{number}-{place}", text.format(docno), key, [docno])
        for number, docno in enumerate(docnos, start=1)
        for place, (text, key) in enumerate((("Does {} apply?", 1), ("Is {} free?", 2), ("Can {} wait?", 1)), start=1)
    ]
    assert {tuple(row["options"]) for row in made.kept} == {("Yes", "No")}
    assert {row["explanation"] for row in made.kept} == {"Because."}
    assert not any("abstain" in row for row in made.kept)
    assert made.about["report"] == {
        "balance": {"yes": 4, "no": 2, "majority": 0.6667},
        "replies with fewer questions": 0,
    }


def test_a_deleted_provision_is_not_asked_about(tmp_path: Path) -> None:
    collection, model = opened(write_collection(tmp_path), three)
    synthesize_yesno(collection, 10)
    assert sorted(request.question for request in model.requests) == ["act-1", "act-2", "rule-1", "rule-2"]


def test_what_is_dropped(tmp_path: Path) -> None:
    drafts = [("A ferry needs lamps.", True), ("What does the text say?", False), ("?", True)]
    made = synthesize_yesno(opened(write_collection(tmp_path), lambda request: replying(*drafts))[0], 1)
    assert [(row["qid"], row["reason"]) for row in made.dropped] == [
        ("yn0001-3", "malformed"),
        ("yn0001-2", "about the text"),
        ("yn0001-1", "statement"),
    ]
    same = [("Must a ferry have lamps?", True)]
    made = synthesize_yesno(opened(write_collection(tmp_path), lambda request: replying(*same), "b.sqlite")[0], 2)
    assert [(row["qid"], row["reason"]) for row in made.dropped] == [("yn0002-1", "duplicate")]
    assert made.about["report"]["replies with fewer questions"] == 2


@pytest.mark.parametrize("answer", ["maybe", None, 3])
def test_an_answer_that_is_neither_yes_nor_no_fails(tmp_path: Path, answer: Any) -> None:
    collection, _ = opened(write_collection(tmp_path), lambda request: replying(("Is it?", answer)))
    made = synthesize_yesno(collection, 1)
    assert made.kept == []
    assert [row["reason"] for row in made.dropped] == ["failed reply"]
    assert made.dropped[0]["detail"].startswith("invalid: ")


def test_words_of_the_language(tmp_path: Path) -> None:
    drafts = [("등을 달아야 하나요?", "예"), ("수수료가 있나요?", "아니오."), ("배가 다니나요?", "네")]
    collection, _ = opened(write_collection(tmp_path, lang="ko"), lambda request: replying(*drafts))
    made = synthesize_yesno(collection, 1)
    assert [row["key"] for row in made.kept] == [1, 2, 1]
    assert made.kept[0]["options"] == ["예", "아니요"]


def test_balance() -> None:
    assert balance([]) == {"yes": 0, "no": 0, "majority": 0.0}
    assert balance([{"key": 2}, {"key": 2}, {"key": 1}]) == {"yes": 1, "no": 2, "majority": 0.6667}


def test_the_split_is_answered_by_yesno(tmp_path: Path) -> None:
    collection, _ = opened(write_collection(tmp_path), three)
    write_split(synthesize_yesno(collection, 1), collection, tmp_path / "out", "yesno")
    _, model = opened(tmp_path / "out", lambda request: "Yes")
    split = legalir.Collection(tmp_path / "out" / "yesno", client=legalir.Client(model, cache=tmp_path / "x.sqlite"))
    answers = split.pipeline("golden >> yesno").transform(split.topics())
    assert answers["choice"].tolist() == [1, 1, 1]
    assert (answers["choice"] == answers["key"]).tolist() == [True, False, True]


def test_the_command(tmp_path: Path) -> None:
    folder = write_collection(tmp_path)
    lines = [
        {"prompt": "synthesize_yesno", "question": docno, "text": replying(("Is it new?", False))}
        for docno in ("act-1", "act-2", "rule-1", "rule-2")
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    words = ["yesno", str(folder), "--out", str(tmp_path / "out")]
    planned = CliRunner().invoke(app, [*words, "--dry-run"])
    assert planned.output == "4 requests for 3 questions each; nothing was asked or written.\n"
    done = CliRunner().invoke(app, [*words, "--llm", f"recorded(path={str(tmp_path / 'replies.jsonl')!r})"])
    assert "Balance: yes 0, no 1, majority 1.0" in done.output, done.output
    assert "Dropped: 3 duplicate" in done.output
