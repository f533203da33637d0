"""The experiments on HyPA-RAG's tables, with a model whose replies are written here."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from scripted import Scripted

import legalir
from legalir.experiments import ExperimentResult, run

HYPA = Path(__file__).parents[3] / "experiments" / "hypa"
THINGS = ("lamp", "gate", "boiler", "ferry", "fence", "pool")


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HYPA / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def ll144(folder: Path) -> Path:
    """Write a collection in the form of ll144: two kinds of questions, the second with an earlier turn."""
    corpus = [
        {"docno": f"d{n}", "title": thing, "text": f"The owner checks the {thing} each year. A {thing} has a number."}
        for n, thing in enumerate(THINGS)
    ]
    turns = [{"role": "user", "content": "I would like to know about the boiler."}]
    queries = [
        {"qid": "q0", "query": "Who checks the lamp?", "reference_answer": "The owner.", "type": "simple"},
        {"qid": "q1", "query": "Who checks it?", "reference_answer": "The owner.", "type": "conversational"},
    ]
    outside = [
        {"qid": "x0", "query": "Who sells the ferry?", "reference_answer": "It is not said.", "type": "out of scope"}
    ]
    write(folder / "corpus.jsonl", corpus)
    write(folder / "queries.jsonl", queries)
    write(folder / "out_of_scope.jsonl", outside)
    (folder / "qrels.txt").write_text("q0 0 d0 2\nq1 0 d2 1\n", encoding="utf-8")
    released = [
        {"question": row["query"], "conversation_history": turns * (row["qid"] == "q1")} for row in [*queries, *outside]
    ]
    write(folder / "raw" / "LL144_275_New.jsonl", released)
    return folder


def reply(request: Any) -> str:
    asked = request.question
    replies: dict[str, object] = {
        "standalone": "Who checks the boiler?",
        "rewrite": {"queries": [asked, "owner"]},
        "keywords": {"keywords": ["owner"]},
        "judge_correctness": {"score": 4, "reason": "right"},
        "answer": {"can_answer": True, "reason": "", "statements": [{"text": "The owner.", "citations": []}]},
    }
    if request.prompt == "answer" and "sells" in asked:
        replies["answer"] = {"can_answer": False, "reason": "no word of it", "statements": []}
    one = replies[request.prompt]
    return one if isinstance(one, str) else json.dumps(one)


def test_answers_of_pa_and_hypa_by_type(tmp_path: Path) -> None:
    write(tmp_path / "facts.jsonl", [{"docno": "d3", "subject": "owner", "predicate": "checks", "object": "ferry"}])
    chosen = ("quote, k=3", "PA, 2 classes", "HyPA, 3 classes")
    read = legalir.experiments.Definition.load(HYPA / "answers.yaml")
    definition = read.replace(
        systems={
            name: read.systems[name].replace("default", "bm25").replace("by=", "strip_unknown_citations=False, by=")
            for name in chosen
        },
        judges=("judge_correctness",),
        measures=("R@10", "AbsoluteCorrectness", "RefusalR", "WronglyRefused"),
        baseline="PA, 2 classes",
        dataset=str(ll144(tmp_path / "ll144")),
        values={**read.values, **{name: str(HYPA / f"firecode-svm{n}") for name, n in (("two", 2), ("three", 3))}}
        | {"graph": str(tmp_path / "facts.jsonl")},
    )
    client = legalir.Client(Scripted(reply), cache=tmp_path / "llm.sqlite")
    result = run(definition, client=client, latency_queries=0)
    assert isinstance(result, ExperimentResult) and result.by is not None and not result.absent
    table = result.table.set_index("name")
    assert table.loc["HyPA, 3 classes", ["AbsoluteCorrectness", "RefusalR", "WronglyRefused"]].tolist() == [1, 1, 0]
    assert table.loc["quote, k=3", "RefusalR"] == 0
    assert [*result.by.results] == ["simple (1)", "conversational (1)", "out of scope (1)"]
    # The facts of the graph bring a provision that the ranking does not need.
    given = result.runs["HyPA, 3 classes"]["context_docnos"]
    assert all("d3" in docnos for docnos in given)


def test_conversations_are_gathered_and_made_to_stand_alone(tmp_path: Path) -> None:
    loaded("complexity").conversations(ll144(tmp_path / "data"), tmp_path / "ll144")
    read = legalir.experiments.Definition.load(HYPA / "conversation.yaml")
    systems = {name: text.replace("default", "bm25 % 1") for name, text in read.systems.items()}
    definition = read.replace(dataset=str(tmp_path / "ll144"), measures=("R@1",), systems=systems)
    result = run(definition, client=legalir.Client(Scripted(reply), cache=tmp_path / "llm"), latency_queries=0)
    assert isinstance(result, ExperimentResult) and result.by is not None
    rows = result.by.table.set_index("name")["conversational (1)"]
    assert rows.to_dict() == {"last turn": 0, "turns of the user": 1, "standing alone": 1}


def test_prompts_of_the_judge_against_people(tmp_path: Path) -> None:
    judges = loaded("judges")
    rated = pd.DataFrame(
        {
            "qid": ["1", "2", "3", "4"],
            "query": ["a?", "b?", "c?", "d?"],
            "answer": "Yes.",
            "qanswer": ["Yes.", "Yes.", "No.", "No."],
            "person": [1, 0.5, 0, 0],
        }
    )
    lines = [
        {"prompt": "judge_correctness", "question": question, "text": f"{score}\nBecause."}
        for question, score in zip(rated["query"], ("5", "4", "1", "unclear"), strict=True)
    ]
    write(tmp_path / "replies.jsonl", lines)
    table = judges.compared(rated, f"recorded(path={str(tmp_path / 'replies.jsonl')!r})")
    assert table["published"].tolist() == [0.851, 0.854, 0.869]
    # Of three verdicts, the second is correct to the judge and not to the person; the fourth failed.
    assert table[["n", "left_out", "agreement"]].to_numpy().tolist() == pytest.approx(
        [pytest.approx([3, 1, 2 / 3])] * 3
    )
    bundled = pd.read_json(HYPA / "rated.jsonl", lines=True)
    assert bundled["person"].value_counts().to_dict() == {0: 8, 0.5: 8, 1: 8} and bundled["qid"].is_unique
