"""Nuggets by a model: what is left out, people's edits, and the judge that reads the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from ferries import opened, write_collection
from test_review import data_of
from typer.testing import CliRunner

import legalir
from legalir.errors import DataError
from legalir.extend import ChatRequest
from legalir_study.nuggets import NO_NUGGET, NOTHING, nugget_lines, nuggets_of, synthesize_nuggets
from legalir_study.review import apply_decisions, review_page
from legalir_study.split import write_split
from legalir_study.synthesize import app

ASKED = [
    {"qid": "n1", "query": "What does a pier cost?", "answer": "40 crowns a month, and 1,200 crowns in all."},
    {"qid": "n2", "query": "How many lamps?"},
    {"qid": "n3", "query": "Who sings?", "answer": " "},
    {"qid": "n4", "query": "Is it green?", "answer": "It is."},
]


def facts(*given: tuple[str, Any]) -> str:
    return json.dumps({"facts": [{"text": text, "importance": importance} for text, importance in given]})


def proposed(request: ChatRequest) -> str:
    if "pier" in request.question:
        return facts(
            ("A month costs 40 crowns.", "Vital"),
            ("- A month costs 40 crowns", "okay"),  # The first one again.
            ("A month costs 60 crowns.", "vital"),  # 60 is in the provision.
            ("A week costs 12 crowns.", "vital"),  # 12 is nowhere.
            ("In all it is 1200 crowns.", "okay"),
            ("…", "okay"),
        )
    return facts(("There are 7 lamps.", "vital")) if "green" in request.question else facts(("Three lamps.", "vital"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = write_collection(tmp_path)
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, ASKED)), encoding="utf-8")
    (folder / "qrels.txt").write_text("n1 0 act-2 1\nn1 0 rule-2 2\nn2 0 rule-1 1\nn3 0 rule-1 0\nn4 0 act-1 1\n")
    return folder


def test_facts_of_the_reference_or_of_the_provisions(folder: Path) -> None:
    collection, model = opened(folder, proposed)
    made = synthesize_nuggets(collection)
    assert [(row["qid"], row["documents"]) for row in made.kept] == [("n1", ["rule-2", "act-2"]), ("n2", ["rule-1"])]
    assert made.kept[0]["nuggets"] == [
        {"text": "A month costs 40 crowns.", "importance": "vital"},
        {"text": "A month costs 60 crowns.", "importance": "vital"},
        {"text": "In all it is 1200 crowns.", "importance": "okay"},
    ]
    assert [(row["qid"], row["reason"]) for row in made.dropped] == [("n3", NOTHING), ("n4", NO_NUGGET)]
    assert made.about["report"] == {
        "nuggets": {"vital": 3, "okay": 1},
        "left out": {"repeated": 1, "number of no source": 2},
    }
    first, second = (request.messages[1][1] for request in model.requests[:2])
    assert "40 crowns a month" in first.partition("<reference>")[2]
    assert "<reference>\n-\n" in second
    assert "three green lamps" in second


@pytest.mark.parametrize(
    ("text", "source", "kept"),
    [
        ("๓ วัน", "ภายใน 3 วัน", True), ("1.000 Euro", "1000 Euro", True), ("12 000 zł", "12000 zł", True),
        ("0,5 m", "0.5 m", True), ("30 days", "300 days", False), ("2.5 m", "25 m", False),
    ],
)  # fmt: skip
def test_numbers_in_any_form(tmp_path: Path, text: str, source: str, kept: bool) -> None:
    folder = write_collection(tmp_path)
    (folder / "queries.jsonl").write_text(json.dumps({"qid": "q", "query": "How much?", "answer": source}))
    made = synthesize_nuggets(opened(folder, lambda request: facts((text, "okay")))[0])
    assert len(made.kept) == kept


def test_people_edit_lines_and_the_judge_reads_the_file(folder: Path, tmp_path: Path) -> None:
    collection, _ = opened(folder, proposed)
    files = write_split(synthesize_nuggets(collection), collection, tmp_path / "out", "nuggets")
    shown = data_of(review_page(tmp_path / "out", "nuggets"))
    lines = shown["items"][0]["nuggets"]
    assert lines.splitlines()[1:] == ["* A month costs 60 crowns.", "In all it is 1200 crowns."]
    assert nugget_lines(nuggets_of(lines)) == lines

    def decided(nuggets: str) -> Path:
        given = {"n1": {"decision": "edit", "item": {"nuggets": nuggets}}}
        values = {"kind": "legalir decisions", "sheet": shown["sheet"], "split": "nuggets", "decisions": given}
        (tmp_path / "decisions.json").write_text(json.dumps(values), encoding="utf-8")
        return tmp_path / "decisions.json"

    with pytest.raises(DataError, match="n1"):
        apply_decisions(tmp_path / "out", decided(" \n* \n"))
    apply_decisions(tmp_path / "out", decided("*  A month costs\t40 crowns.\n\n- It is 1,200 in all."))
    judge = f"judge_nuggets(nuggets={str(files.queries)!r})"
    judged, model = opened(folder, lambda request: '{"facts": ["support", "not"]}', "b.sqlite")
    answers = pd.DataFrame({"qid": ["n1"], "query": ["What does a pier cost?"], "qanswer": ["40 crowns."]})
    verdict = judged.pipeline(judge).transform(answers).iloc[0]
    assert (verdict["nugget_recall"], verdict["vital_recall"]) == (0.5, 1)
    assert "1. A month costs 40 crowns.\n2. It is 1,200 in all." in model.requests[0].messages[1][1]


def test_the_command(folder: Path, tmp_path: Path) -> None:
    words = ["nuggets", str(folder), "--out", str(tmp_path / "out")]
    planned = CliRunner().invoke(app, [*words, "--dry-run"])
    assert planned.output == "at most 4 requests, one a question; nothing was asked or written.\n"
    lines = [
        {
            "prompt": "synthesize_nuggets",
            "question": row["query"],
            "text": proposed(ChatRequest((), question=row["query"])),
        }
        for row in ASKED
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = CliRunner().invoke(app, [*words, "--llm", f"recorded(path={str(tmp_path / 'replies.jsonl')!r})"])
    assert "Left out: repeated 1, number of no source 2" in done.output, done.output
    assert legalir.Collection(tmp_path / "out" / "nuggets").topics()["qid"].tolist() == ["n1", "n2"]
