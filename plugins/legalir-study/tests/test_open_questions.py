"""Open questions of eleven types with answers and the provisions that these rest on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ferries import opened, write_collection
from typer.testing import CliRunner

import legalir
from legalir.errors import ComponentError
from legalir.extend import ChatRequest
from legalir_study.questions import TYPES, malformed_answers, planned_questions, synthesize_questions
from legalir_study.split import write_split
from legalir_study.synthesize import app


def reply_of(question: str, provisions: Any, answer: str = "Three lamps.") -> str:
    return json.dumps({"question": question, "answer": answer, "provisions": provisions})


def by_type(request: ChatRequest) -> str:
    kind = request.question.partition(" ")[0]
    return reply_of(f"Which lamps, in the {kind} case of {request.question}?", [] if kind == "out_of_scope" else [1])


def test_a_type_that_combines_gets_the_cited_provisions_too(tmp_path: Path) -> None:
    collection, _ = opened(write_collection(tmp_path), by_type)
    plan = planned_questions(collection, 4, ["simple", "complex", "double"], 0)
    of = {(kind, docnos[0]): docnos for kind, docnos in plan}
    assert len(plan) == 12
    assert of["simple", "act-2"] == ("act-2",)
    assert set(of["complex", "act-2"]) == {"act-2", "rule-2", "act-1"}
    assert len(of["double", "act-2"]) == 2
    assert of["complex", "act-1"] == ("act-1", "rule-1")  # act-3 is deleted


def test_items_have_answers_and_citations(tmp_path: Path) -> None:
    collection, model = opened(write_collection(tmp_path), by_type)
    made = synthesize_questions(collection, 1, seed=2)
    assert made.dropped == []
    assert [row["type"] for row in made.kept] == list(TYPES)
    assert made.about["report"] == {"types": dict.fromkeys(TYPES, 1), "changes": {}}
    for row, request in zip(made.kept, model.requests, strict=True):
        given = request.question.split()[1:]
        assert row["citations"] == row["documents"] == ([] if row["type"] == "out_of_scope" else given[:1])
    write_split(made, collection, tmp_path / "out", "q")
    topics = legalir.Collection(tmp_path / "out" / "q").topics()
    assert len(topics) == 10  # a question that is out of scope has no judgement
    rows = (tmp_path / "out" / "queries.q.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 11


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"query": "?"}, "empty"),
        ({"answer": " "}, "empty"),
        ({"documents": []}, "rests on no provision"),
        ({"type": "out_of_scope"}, "rests on a provision"),
        ({"type": "out_of_scope", "documents": []}, None),
        ({}, None),
    ],
)
def test_malformed(row: dict[str, Any], fault: str | None) -> None:
    item = {"qid": "q", "query": "Why?", "answer": "So.", "documents": ["a"], "type": "simple", **row}
    faults = malformed_answers([item])
    assert fault is None if not faults else fault is not None and fault in faults["q"]


@pytest.mark.parametrize(("numbers", "kept"), [([1], 1), ("[1]", 1), (1, 1), ([1, 1, 9], 1), ([7], 0), (None, 0)])
def test_numbers_of_provisions(tmp_path: Path, numbers: Any, kept: int) -> None:
    collection, _ = opened(write_collection(tmp_path), lambda request: reply_of("Which lamp?", numbers))
    assert len(synthesize_questions(collection, 1, types=["simple"]).kept) == kept


def test_questions_are_changed(tmp_path: Path) -> None:
    def reply(request: ChatRequest) -> str:
        return "So which lamps?" if request.prompt == "synthesize_rewording" else by_type(request)

    collection, _ = opened(write_collection(tmp_path), reply)
    made = synthesize_questions(collection, 4, types=["simple"], shares={"vaguer": 0.5}, alike=100)
    changed = [row for row in made.kept if "change" in row]
    assert [row["query"] for row in changed] == ["So which lamps?"] * 2
    assert all(row["original"].startswith("Which lamps") for row in changed)
    assert made.about["report"]["changes"] == {"vaguer": 2}
    assert [prompt.name for prompt in made.about["prompts"]] == ["synthesize_question", "synthesize_rewording"]


def test_an_unknown_type(tmp_path: Path) -> None:
    collection, _ = opened(write_collection(tmp_path), by_type)
    with pytest.raises(ComponentError, match=r"'simpel'.*'simple'"):
        synthesize_questions(collection, 1, types=["simpel"])
    with pytest.raises(ComponentError, match="No type of question"):
        synthesize_questions(collection, 1, types=[])


def test_the_command_plans(tmp_path: Path) -> None:
    words = ["questions", str(write_collection(tmp_path)), "--out", str(tmp_path / "out"), "--dry-run"]
    shown = CliRunner().invoke(app, [*words, "--types", "simple, vague", "--count", "3", "--change", "hypa"]).output
    assert shown == "6 requests for questions, and at most 6 for changes; nothing was asked or written.\n"
    repeated = ["--types", "simple", "--types", "vague,complex", "--change", "vaguer=0.1", "--change", "spelling=0.1"]
    shown = CliRunner().invoke(app, [*words, *repeated, "--count", "3"]).output
    assert shown.startswith("9 requests for questions, and at most 9 for changes")
    assert isinstance(CliRunner().invoke(app, [*words, "--change", "louder=1"]).exception, ComponentError)
