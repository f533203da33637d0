"""Scores of groups of questions, and questions that the collection does not answer."""

from __future__ import annotations

import io
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fake_collection import DEFINITION, TOPICS, FakeCollection, page_of
from rich.console import Console

from legalir.answer.judges import NOT_JUDGED, CorrectnessJudge
from legalir.errors import DataError, ExperimentError
from legalir.experiments import ExperimentResult, run
from legalir.experiments.terminal import print_result

SYSTEMS = {"weak": "weak", "strong": "strong"}
KINDS = TOPICS.assign(kind=["plain", "vague", None, "plain"])


def grouped(**changes: Any) -> ExperimentResult:
    definition = {**DEFINITION, "systems": SYSTEMS, "baseline": "weak", "by": "kind", **changes}
    found = run(definition, topics=KINDS, collection=FakeCollection(), latency_queries=0)  # type: ignore[arg-type]
    assert isinstance(found, ExperimentResult)
    return found


def test_each_group_has_its_scores_and_weighs_the_same_in_the_mean(tmp_path: Path) -> None:
    found = grouped()
    assert found.by is not None and list(found.by.results) == ["plain (2)", "vague (1)", "– (1)"]
    rows = found.by.table.set_index(["measure", "name"])
    # R@2 of "weak": 0, .5, 1, 0; "strong": 1, 1, 1, .5.
    assert rows.loc["R@2", "weak"][[*found.by.results, "mean"]].tolist() == pytest.approx([0, 0.5, 1, 0.5])
    assert rows.loc["R@2", "strong"][["plain (2)", "mean", "+"]].tolist() == pytest.approx([0.75, 11 / 12, 2])
    again = ExperimentResult.load(found.save(tmp_path))
    assert again.by is not None
    pd.testing.assert_frame_equal(found.by.table, again.by.table)
    assert (tmp_path / "by.tsv").is_file()


def test_clusters_are_whole_across_groups() -> None:
    # R@2, strong minus weak: 1, .5, 0, .5; each group holds a question of each case.
    topics = TOPICS.assign(kind=["x", "y", "x", "y"], case=["a", "a", "b", "b"])
    definition = {**DEFINITION, "systems": SYSTEMS, "baseline": "weak", "by": "kind", "cluster": "case"}
    found = run(definition, topics=topics, collection=FakeCollection(), latency_queries=0)  # type: ignore[arg-type]
    assert isinstance(found, ExperimentResult) and found.by is not None
    sums = np.array([1 + 0.5, 0 + 0.5])
    patterns = np.array(list(itertools.product((-1, 1), repeat=2))) @ sums
    by_enumeration = float((abs(patterns) >= sums.sum()).mean())
    table = found.by.table.set_index(["measure", "name"])
    assert by_enumeration == 0.5 and table.loc[("R@2", "strong"), "p-value"] == pytest.approx(0.5, abs=0.02)
    assert "cluster of case" in found.by.legend() and "each question" not in found.by.legend()


def test_groups_of_numbers_and_of_nothing() -> None:
    topics = TOPICS.assign(year=[2019, None, 2021, 2019])
    frame = run(
        {**DEFINITION, "systems": SYSTEMS, "baseline": None, "by": "year"},
        topics=topics,
        collection=FakeCollection(),  # type: ignore[arg-type]
        latency_queries=0,
    )
    assert isinstance(frame, ExperimentResult) and frame.by is not None
    assert list(frame.by.results) == ["2019 (2)", "– (1)", "2021 (1)"]


def test_groups_are_shown() -> None:
    found = grouped()
    console = Console(file=io.StringIO(), width=60)
    print_result(found, console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "R@2 by kind" in text and "plain (2)" in text and "each group with the same weight" in text
    assert "By kind" in page_of(found) and "By kind" not in page_of(grouped(by=""))


def test_a_column_that_makes_no_groups() -> None:
    with pytest.raises(ExperimentError, match="by: the questions have no column 'type'"):
        grouped(by="type")
    with pytest.raises(ExperimentError, match="by: the column 'qid' has 60 values"):
        many = pd.DataFrame({"qid": [f"q{n}" for n in range(60)], "query": "x"})
        qrels = many[["qid"]].assign(docno="제1조", label=1)
        run(
            {**DEFINITION, "systems": SYSTEMS, "baseline": None, "by": "qid"},
            topics=many,
            qrels=qrels,
            collection=FakeCollection(),  # type: ignore[arg-type]
        )


def folder_of(path: Path, outside: bool = True) -> Path:
    """Write a collection of two provisions with two questions, and one question that they do not answer."""
    rows = {
        "corpus.jsonl": [
            {"docno": "a", "title": "Lamps", "text": "A lamp must be lit at dusk. The owner lights the lamp."},
            {"docno": "b", "title": "Gates", "text": "A gate must be closed at night. The guard closes the gate."},
        ],
        "queries.jsonl": [
            {"qid": "q1", "query": "When must the lamp be lit?", "answer": "At dusk.", "type": "simple"},
            {"qid": "q2", "query": "Who closes the gate?", "answer": "The guard.", "type": "simple"},
        ],
        "out_of_scope.jsonl": [{"qid": "x1", "query": "What does a lamp cost?", "type": "outside"}] * outside,
    }
    for name, lines in rows.items():
        if lines:
            (path / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n", encoding="utf-8")
    return path


def test_questions_out_of_scope_are_for_refusing_alone(tmp_path: Path) -> None:
    definition = {
        "dataset": str(folder_of(tmp_path)),
        "measures": ["R@1", "NumRet", "CitationF1", "Abstained", "RefusalR", "RefusalP", "WronglyRefused"],
        "systems": {
            "answers all": "bm25 % 1 >> quote",
            "refuses all": "bm25 % 1 >> refuse(threshold=1) >> quote",
        },
        "baseline": "answers all",
        "by": "type",
        "out_of_scope": True,
    }
    found = run(definition, latency_queries=0)
    assert isinstance(found, ExperimentResult) and found.by is not None and list(found.context.queries)[-1] == "x1"
    table = found.table.set_index("name")[definition["measures"]]
    # Measures that compare with gold provisions leave the question out: each is right on both others.
    assert table.loc["answers all"].tolist()[:5] == [1, 2, 1, 0, 0] and math.isnan(table.loc["answers all", "RefusalP"])
    assert table.loc["refuses all"].tolist()[2:] == pytest.approx([0, 1, 1, 1 / 3, 1])
    rows = found.by.table.set_index(["measure", "name"])
    assert math.isnan(rows.loc[("R@1", "answers all"), "outside (1)"])
    assert rows.loc[("R@1", "answers all"), "mean"] == 1
    assert ExperimentResult.load(found.save(tmp_path / "result")).definition.out_of_scope


def test_a_collection_without_such_questions_says_so(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, outside=False)
    with pytest.raises(DataError, match=r"no questions out of its scope: add .*out_of_scope\.jsonl"):
        run({"dataset": str(folder), "measures": ["R@1"], "systems": {"A": "bm25"}, "out_of_scope": True})


class Four(CorrectnessJudge):
    """A judge that asks nobody."""

    def __init__(self) -> None:
        pass

    def verdicts(self, answers: Any) -> Any:
        return [self.read(self.reply(score=4)) for _ in answers]


def test_to_refuse_a_question_out_of_scope_is_right() -> None:
    rows = [(True, True, "ok"), (True, False, "ok"), (False, True, "ok"), (True, True, "cut")]
    answers = pd.DataFrame(rows, columns=["out_of_scope", "abstained", "reply_state"])
    answers = answers.assign(qid=["a", "b", "c", "d"], query="?", answer="It is not said.", qanswer=["", "x", "", ""])
    assert Four().transform(answers.assign(answer=None))["correctness"].isna().all()
    verdicts = Four().transform(answers)
    assert verdicts["correctness"].tolist()[:3] == [5, 4, 1] and math.isnan(verdicts["correctness"][3])
    assert verdicts["judge_correctness_state"].tolist() == [NOT_JUDGED, "ok", NOT_JUDGED, NOT_JUDGED]
