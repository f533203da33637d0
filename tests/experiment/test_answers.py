"""Runs of the second kind: answers are stored, read back, reused, shown and left out of ranking measures."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from fake_collection import DEFINITION, FakeCollection, page_of
from rich.console import Console

from legalir.answer.generator import ANSWER_COLUMNS
from legalir.errors import ExperimentError
from legalir.experiments import ExperimentResult, read_expected, run, write_expected
from legalir.experiments.execution import checked_run
from legalir.experiments.html import headline, legend
from legalir.experiments.result import compare
from legalir.experiments.runs import read_run, write_run
from legalir.experiments.terminal import print_result
from legalir.pipeline import canonical


class Answering(FakeCollection):
    """A collection with a generator, which answers with the first docno; it does not answer q3."""

    def pipeline(self, expression: str) -> pt.Transformer:
        name, _, rest = expression.partition(" >> ")
        lists = super().pipeline(name)
        return lists >> FirstDocno() if rest == "quote" else lists


class FirstDocno(pt.Transformer):
    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        first = inp[(inp["rank"] == 0) & (inp["qid"] != "q3")]
        return first[["qid", "query"]].assign(qanswer=[f"<b>{docno}</b>\n[{docno}]" for docno in first["docno"]])


SYSTEMS = {"약함": "weak", "Answers": "strong >> quote", "Strong": "strong"}
RANKED = {"약함": "weak", "Strong": "strong"}


def result(out: Path | None = None, **changes: object) -> ExperimentResult:
    definition = {**DEFINITION, "systems": SYSTEMS, **changes}
    return run(definition, out, collection=Answering())  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def same_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir.pipeline.canonical", lambda text: text)


def test_answers_are_kept_beside_ranked_lists_and_read_back(tmp_path: Path) -> None:
    first = result(tmp_path)
    files = {path.name for path in (tmp_path / "runs").iterdir() if path.suffix != ".yml"}
    assert files == {"약함.trec", "약함.json", "Answers.jsonl", "Answers.json", "Strong.trec", "Strong.json"}
    lines = (tmp_path / "runs" / "Answers.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["qid"] for line in lines] == ["q1", "q2", "q3", "q4"]
    told = {"abstained": False, "reason": "", "reply_state": "ok"}
    assert json.loads(lines[0]) == {"qid": "q1", "qanswer": "<b>제1조</b>\n[제1조]", **told}
    assert json.loads(lines[2])["reason"] == "nothing found"
    again = ExperimentResult.load(tmp_path)
    pd.testing.assert_frame_equal(again.table, first.table)
    for name, frame in first.runs.items():
        pd.testing.assert_frame_equal(again.runs[name], frame)
    assert again.latencies == first.latencies and again.latencies["Answers"] is not None
    assert result(tmp_path).reused == list(SYSTEMS)
    again.save(tmp_path / "copy")
    assert ExperimentResult.load(tmp_path / "copy").runs["Answers"].equals(first.runs["Answers"])


def test_ranking_measures_leave_answers_out() -> None:
    found, alone = result(), result(systems=RANKED)
    row = found.table.set_index("name").loc["Answers"]
    assert all(math.isnan(row[measure]) for measure in found.definition.measures)
    assert row["ms median"] > 0 and not row["R@2 reject"] and pd.isna(row["R@2 +"])
    untimed = [column for column in alone.table if not column.startswith("ms ")]
    others = found.table[found.table["name"] != "Answers"].reset_index(drop=True)
    pd.testing.assert_frame_equal(others[untimed], alone.table[untimed])
    pd.testing.assert_frame_equal(found.per_query, alone.per_query)


def test_answers_are_shown() -> None:
    found = result()
    assert [row.answers for row in found.scores.rows] == [False, True, False, False]
    page = page_of(found)
    assert (
        "&lt;b&gt;제1조&lt;/b&gt;\n[제1조]" in page
        and "No answer: nothing found." in page
        and "nan" not in page.lower()
    )
    stream = io.StringIO()
    print_result(found, Console(file=stream, width=140))
    assert "failed: replies of the model" in stream.getvalue()
    assert "The ranking of an answer is that of the provisions" in legend(found.scores)
    assert "Strong is best by R@2" in headline(found.scores, 4)


def test_a_baseline_that_answers_is_not_compared() -> None:
    found = result(baseline="Answers")
    assert found.baseline is None and "R@2 p-value" not in found.table
    assert headline(found.scores, 4) == "Strong has the highest R@2: 87.50."
    page_of(found)


def test_expected_scores_are_those_of_ranked_lists(tmp_path: Path) -> None:
    path = write_expected(result(), tmp_path / "expected.tsv")
    assert {system for system, _ in read_expected(path).scores} == set(RANKED)
    assert compare(result(), path).ok


def test_a_system_that_becomes_a_generator_leaves_no_old_run(tmp_path: Path) -> None:
    result(tmp_path, systems={"A": "weak"}, baseline=None)
    result(tmp_path, systems={"A": "weak >> quote"}, baseline=None)
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"A.jsonl", "A.json", "A.ir-metadata.yml"}
    result(tmp_path, systems={"A": "weak"}, baseline=None)
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"A.trec", "A.json", "A.ir-metadata.yml"}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("q1", "a"), ("q1", "b")], "returned two answers for the query q1"),
        ([("q1", "a"), ("q2", None)], "must return text as qanswer, got NoneType for the query q2"),
    ],
)
def test_wrong_answers(rows: list[tuple[str, str | None]], words: str) -> None:
    frame = pd.DataFrame(rows, columns=["qid", "qanswer"], dtype=object)
    with pytest.raises(ExperimentError, match=f"'X' {words}"):
        checked_run("X", frame, 10)


def test_a_file_that_is_not_a_run_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    frame = pd.DataFrame({"qid": ["q\u2028", "NaN"], "qanswer": ["", 'a\n"b"\u2028c']}, dtype=str)
    write_run(path, frame, "x")
    pd.testing.assert_frame_equal(read_run(path), frame)
    for text in ('{"qid": "a"}\n', "x\n", "[]\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ExperimentError, match="is not a run file"):
            read_run(path)


def test_the_bundled_quote_generator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir.pipeline.canonical", canonical)
    definition = {
        "dataset": "legalir/firecode/dev",
        "measures": ["R@10"],
        "systems": {"BM25": "bm25 % 5", "Quote": "bm25 % 5 >> quote(k=2)"},
        "baseline": "BM25",
    }
    found = run(definition, tmp_path, latency_queries=2)
    answers = found.runs["Quote"]
    assert list(answers.columns) == ["qid", *ANSWER_COLUMNS] and list(answers["qid"]) == list(found.context.queries)
    first = found.runs["BM25"].query("rank == 0").set_index("qid")["docno"]
    assert all(f"[{first[qid]}]" in text for qid, text in zip(answers["qid"], answers["qanswer"], strict=True))
    best = found.runs["BM25"].query("rank == 0").set_index("qid")["score"]
    assert answers.set_index("qid")["confidence"].to_dict() == pytest.approx(best.to_dict())
    pd.testing.assert_frame_equal(ExperimentResult.load(tmp_path).runs["Quote"], answers)
    assert "Quote" in page_of(found)
