"""Runs of answers: every column is stored and read back, unanswered questions have a row, judges add columns."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from answering import Answering, answering

from legalir.answer.generator import ANSWER_COLUMNS
from legalir.errors import DefinitionError, ExperimentError, ModelError
from legalir.experiments import Definition, ExperimentResult
from legalir.experiments.execution import checked_run
from legalir.experiments.runs import answers_frame, read_run, write_run

JUDGED = {"judges": ["judges"], "baseline": None}


@pytest.fixture(autouse=True)
def same_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir.pipeline.canonical", lambda text: text)


def test_every_column_is_stored_and_read_back_exactly(tmp_path: Path) -> None:
    first = answering(out=tmp_path, **JUDGED)
    again = ExperimentResult.load(tmp_path)
    for name, frame in first.runs.items():
        pd.testing.assert_frame_equal(again.runs[name], frame)
    frame = first.runs["Answers"]
    judged = ["coverage", "judge_coverage_reason", "judge_coverage_state", "votes"]
    assert list(frame.columns) == ["qid", *ANSWER_COLUMNS, *judged]
    types = {name: frame[name].dtype for name in ("abstained", "choice", "prompt_tokens", "confidence", "coverage")}
    assert types == {"abstained": bool, "choice": int, "prompt_tokens": int, "confidence": float, "coverage": float}
    rows = frame.set_index("qid")
    assert rows.at["q4", "citations"] == ("제5조", "제99조", "제11조")
    assert rows.at["q4", "quotes"][1] == ("제5조", "<b>bold</b> words", "not found")
    assert rows.at["q1", "confidence"] == 1.0
    second = answering(out=tmp_path, **JUDGED)
    assert second.reused == list(second.runs)
    assert list(first.runs["Strong"].columns) == ["qid", "docno", "score", "rank"]


def test_the_same_experiment_writes_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        answering(out=tmp_path / name, **JUDGED)
    for path in (tmp_path / "a" / "runs").glob("*.jsonl"):
        assert path.read_bytes() == (tmp_path / "b" / "runs" / path.name).read_bytes()
        assert "NaN" not in path.read_text(encoding="utf-8")


def test_a_question_without_results_has_a_row_that_judges_see() -> None:
    rows = answering(**JUDGED).runs["Answers"].set_index("qid")
    assert list(rows.index) == ["q1", "q2", "q3", "q4"]
    assert rows.at["q3", "abstained"] and rows.at["q3", "reason"] == "nothing found"
    assert rows.at["q3", "coverage"] == 0 and math.isnan(rows.at["q2", "coverage"])
    assert math.isnan(rows.at["q3", "confidence"])


def test_a_judge_in_an_expression_is_the_same_as_one_of_the_experiment() -> None:
    inside = answering(systems={"A": "gappy >> writes >> judges"}, baseline=None)
    pd.testing.assert_frame_equal(inside.runs["A"], answering(**JUDGED).runs["Answers"])


def test_another_judge_makes_answers_again_and_leaves_ranked_lists(tmp_path: Path) -> None:
    answering(out=tmp_path, baseline=None)
    assert answering(out=tmp_path, **JUDGED).reused == ["약함", "Strong"]


def test_judges_that_fail() -> None:
    collection = Answering()
    with pytest.raises(RuntimeError, match="no"):
        answering(collection, judges=["raises"], baseline=None)
    collection.error = ExperimentError("raises: it has had enough.")
    with pytest.raises(ExperimentError, match=r"'Weak answers': raises: .*had enough"):
        answering(collection, judges=["raises"], baseline=None)
    collection.error = ModelError("No language model is named.")
    result = answering(collection, judges=["raises"], baseline=None)
    assert set(result.absent) == {"Answers", "From memory", "Weak answers"}
    assert set(result.absent.values()) == {"No language model is named."}
    with pytest.raises(ExperimentError, match=r"'judges' .*'Weak answers'"):
        answering(judges=["strong"], baseline=None)


def test_judges_are_written_once_and_may_hold_values() -> None:
    base = {"dataset": "x", "measures": ["R@2"], "systems": {"A": "bm25"}}
    with pytest.raises(DefinitionError, match="'judges' names j twice"):
        Definition.parse({**base, "judges": ["j", "j"]})
    found = Definition.parse({**base, "judges": ["j(llm='${m}')"], "values": {"m": "smollm2"}})
    assert found.judge_expressions() == ["j(llm='smollm2')"]
    assert Definition.parse(found.as_dict()) == found
    with pytest.raises(DefinitionError, match=r"the judge 'j\(\$\{n\}\)' uses \$\{n\}"):
        Definition.parse({**base, "judges": ["j(${n})"]})


def test_a_file_with_answers_alone_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"qid": "a", "qanswer": "b"}\n', encoding="utf-8")
    pd.testing.assert_frame_equal(read_run(path), pd.DataFrame({"qid": ["a"], "qanswer": ["b"]}, dtype=str))


def test_what_a_run_keeps(tmp_path: Path) -> None:
    frame = answers_frame(
        {
            "qid": ["1", "2"],
            "qanswer": ["a", "b"],
            "lists": [[1, [2.5, None]], []],
            "array": [np.array([1, 2]), np.array([3])],
            "shares": [{"1": 0.25}, {"1": math.nan}],
            "number": [np.float64("nan"), np.int64(3)],
            "nothing": [None, None],
            "truth": [True, None],
            "text": ["x", None],
            "mixed": ["x", 1],
            "thing": [object(), object()],
        }
    )
    assert "mixed" not in frame and "thing" not in frame
    assert frame["lists"].tolist() == [(1, (2.5, None)), ()] and frame["array"].tolist() == [(1, 2), (3,)]
    assert frame["text"].tolist() == ["x", ""] and frame["truth"].tolist()[0] == 1.0
    write_run(tmp_path / "x.jsonl", frame, "x")
    pd.testing.assert_frame_equal(read_run(tmp_path / "x.jsonl"), frame)
    assert json.loads((tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()[1])["shares"] == {"1": None}


def test_an_infinite_verdict_is_refused() -> None:
    frame = pd.DataFrame({"qid": ["1"], "qanswer": ["a"], "coverage": [math.inf]})
    with pytest.raises(ExperimentError, match=r"'X' .*infinite number"):
        checked_run("X", frame, 10)
    with pytest.raises(ExperimentError, match=r"'X' .*column 'qid'"):
        checked_run("X", frame.drop(columns="qid"), 10)


def test_columns_of_the_questions_are_not_repeated() -> None:
    frame = pd.DataFrame(
        {"qid": ["1"], "query": ["?"], "query_0": ["?"], "key": [2], "qanswer": ["a"], "coverage": [1]}
    )
    assert list(checked_run("X", frame, 10, ["qid", "query", "key"]).columns) == ["qid", "qanswer", "coverage"]


def test_an_altered_run_is_made_again(tmp_path: Path) -> None:
    answering(out=tmp_path, **JUDGED)
    path = tmp_path / "runs" / "Answers.jsonl"
    before = path.read_bytes()
    path.write_bytes(before.replace(b"verified", b"repaired"))
    with pytest.raises(ExperimentError, match="missing or was altered"):
        ExperimentResult.load(tmp_path)
    assert "Answers" not in answering(out=tmp_path, **JUDGED).reused
    assert path.read_bytes() == before
