"""Scores of answers beside those of rankings: means without undefined values, pooled counts, tests, what applies."""

from __future__ import annotations

import math
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from answering import SYSTEMS, Answering, answering
from fake_collection import QRELS, TOPICS

from legalir.errors import DefinitionError, ExperimentError, MeasureError, ModelError
from legalir.experiments import ExperimentResult, compare, write_expected
from legalir.experiments.rows import direction
from legalir.experiments.scores import given_provisions, is_ranking_measure, means_and_intervals, resampling_counts

MEASURES = ["R@2", "CitationF1", "MicroCitationP", "Verified", "Coverage", "Failed"]


def scored(out: object = None, **changes: object) -> ExperimentResult:
    return answering(out=out, **{"measures": MEASURES, "judges": ["judges"], "baseline": "Weak answers", **changes})


@pytest.fixture(autouse=True)
def same_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir.pipeline.canonical", lambda text: text)


def test_one_table_has_rankings_and_answers_by_hand() -> None:
    table = scored().table.set_index("name")
    assert list(table.index) == list(SYSTEMS)
    # The ranking of an answer is what it was made from: 1 of 1, 2 of 2, nothing found, 1 of 2.
    assert table.loc["Answers", "R@2"] == pytest.approx((1 + 1 + 0 + 0.5) / 4)
    assert math.isnan(table.loc["From memory", "R@2"])
    # q1 cites 제1조, its gold; q2 fails; q3 abstains; q4 cites 제5조 and two that are wrong, of gold 제5조 and 제6조.
    f1 = 2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2)
    assert table.loc["Answers", "CitationF1"] == pytest.approx((1 + 0 + 0 + f1) / 4)
    assert table.loc["Answers", "MicroCitationP"] == pytest.approx(2 / 4)
    assert table.loc["Answers", "Verified"] == pytest.approx(1 / 3)
    # q2 has no verdict; q3 abstains.
    assert table.loc["Answers", "Coverage"] == pytest.approx(2 / 3)
    assert table.loc["Strong", ["CitationF1", "Verified", "Failed"]].isna().all()
    counts = ["answers failed", "answers abstained", "tokens in", "tokens out"]
    assert table.loc["Answers", counts].tolist() == [1, 1, 60, 15]
    assert table.loc["From memory", counts].tolist() == [1, 1, 80, 20]
    assert table.loc["Strong", counts].isna().all()


def test_rankings_are_scored_as_without_answers() -> None:
    ranked = {name: text for name, text in SYSTEMS.items() if ">>" not in text and text != "writes"}
    alone = answering(systems=ranked, baseline=None).table.set_index("name")
    beside = answering(baseline=None).table.set_index("name").loc[list(ranked)]
    columns = [name for name in alone.columns if not name.startswith("ms ")]
    pd.testing.assert_frame_equal(alone[columns], beside[columns])


def test_means_equal_those_of_the_measures() -> None:
    result = scored()
    qrels = pt.model.to_ir_measures(QRELS)
    for name in ("Answers", "From memory", "Weak answers"):
        run = result.runs[name].rename(columns={"qid": "query_id"})
        measures = [ir_measures.parse_measure(measure) for measure in MEASURES[1:]]
        theirs = ir_measures.calc_aggregate(measures, qrels, run)
        ours = result.table.set_index("name").loc[name]
        assert {str(m): ours[str(m)] for m in measures} == pytest.approx({str(m): v for m, v in theirs.items()})


def test_intervals_leave_out_what_is_undefined_and_pool_counts() -> None:
    table = scored().table.set_index("name")
    counts = resampling_counts(4)
    hits, cited = np.array([1, 0, 0, 1]), np.array([1, 0, 0, 3])
    drawn = counts[counts @ cited > 0]
    pooled = np.quantile((drawn @ hits) / (drawn @ cited), [0.025, 0.975])
    assert table.loc["Answers", ["MicroCitationP low", "MicroCitationP high"]].tolist() == pytest.approx(pooled)
    covered, defined = np.array([1, 0, 0, 1]), np.array([1, 0, 1, 1])
    drawn = counts[counts @ defined > 0]
    means = np.quantile((drawn @ covered) / (drawn @ defined), [0.025, 0.975])
    assert table.loc["Answers", ["Coverage low", "Coverage high"]].tolist() == pytest.approx(means)


def test_a_comparison_is_over_the_questions_defined_for_both() -> None:
    result = scored(systems={"Answers": "gappy >> writes", "Weak answers": "weak >> writes"}, test="wilcoxon")
    values = result.per_query.query("measure == 'Verified'").pivot(index="qid", columns="name", values="value")
    # q2 fails in both; q3 is an abstention without quotations in one and has one in the other.
    assert values.isna().sum().to_dict() == {"Answers": 2, "Weak answers": 1}
    row = result.table.set_index("name").loc["Answers"]
    assert (row["Verified +"], row["Verified -"]) == (0, 0) and row["Verified p-value"] == 1
    assert (row["CitationF1 +"], row["CitationF1 -"]) == (2, 1)


def test_a_baseline_that_only_ranks_is_compared_by_rankings_alone() -> None:
    result = scored(baseline="약함")
    table = result.table.set_index("name")
    assert result.baseline == "약함" and result.scores.compares("R@2")
    assert "CitationF1 p-value" not in table and not result.scores.compares("CitationF1")
    assert not math.isnan(table.loc["Answers", "R@2 p-value"]) and math.isnan(table.loc["From memory", "R@2 p-value"])
    # Three systems are compared, and Holm counts no more.
    p = table["R@2 p-value"].dropna()
    assert len(p) == 3
    smallest = p.idxmin()
    assert table.loc[smallest, "R@2 p-value corrected"] == pytest.approx(min(1.0, 3 * p.min()))


def test_replies_that_all_fail() -> None:
    table = scored(systems={"Fails": "gappy >> fails", "Weak answers": "weak >> writes"}).table.set_index("name")
    assert table.loc["Fails", ["CitationF1", "MicroCitationP"]].tolist() == [0, 0]
    assert table.loc["Fails", ["answers failed", "answers abstained"]].tolist() == [3, 1]
    assert math.isnan(table.loc["Fails", "Verified"]) and math.isnan(table.loc["Fails", "Verified low"])
    assert math.isnan(table.loc["Fails", "Verified p-value"]) if "Verified p-value" in table else True
    # The only verdict is that of the question without results.
    assert table.loc["Fails", "Coverage"] == 0


def test_an_undefined_measure_everywhere_is_a_column_of_dashes() -> None:
    result = scored(systems={"Fails": "gappy >> fails", "again": "gappy >> fails"}, baseline="again")
    assert result.table["Verified"].isna().all() and "Verified p-value" not in result.table
    assert [row.cells[3].text for row in result.scores.rows] == ["–", "–"]


def test_a_measure_without_its_judge_names_the_cure() -> None:
    with pytest.raises(
        MeasureError, match=r"The measure Coverage needs 'coverage', which neither .* judge to 'judges'"
    ):
        scored(judges=[])
    with pytest.raises(MeasureError, match="The measure Correct needs 'key'"):
        scored(measures=["Correct"])
    # No system answers here: the measure applies to none, as where all that answer lack their model.
    found = answering(systems={"A": "weak"}, measures=["R@2", "Coverage"], baseline=None)
    assert found.table["Coverage"].isna().all()


def test_items_are_scored_with_the_columns_of_their_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    items = TOPICS.assign(key=1, abstain=2, options=[["a", "b"]] * 4)
    monkeypatch.setattr(Answering, "topics", lambda self: items.copy())
    table = scored(measures=["Correct", "Invalid", "Failed"], baseline=None).table.set_index("name")
    # No reply names an option; to have found nothing is an abstention, which is not right without provisions.
    assert table.loc["Answers", ["Correct", "Invalid"]].tolist() == [0, 0.75]
    assert "key" not in scored(measures=["Correct"], baseline=None).runs["Answers"]


def test_a_result_is_read_back_and_compared(tmp_path: Path) -> None:
    first = scored(tmp_path / "r")
    again = ExperimentResult.load(tmp_path / "r")
    pd.testing.assert_frame_equal(again.table, first.table)
    pd.testing.assert_frame_equal(again.per_query, first.per_query)
    path = write_expected(first, tmp_path / "expected.tsv")
    assert compare(again, path).ok and "Answers\tCitationF1" in path.read_text(encoding="utf-8")
    assert compare(again.table, path).ok


def test_no_questions_and_no_weight() -> None:
    assert all(np.isnan(ends).all() for ends in means_and_intervals(np.empty((2, 0)), np.empty((2, 0))))
    mean, low, high = means_and_intervals(np.array([[0.0, np.nan], [np.nan, np.nan]]), np.zeros((2, 2)))
    assert mean[0] == low[0] == high[0] == 0 and np.isnan([mean[1], low[1], high[1]]).all()


def test_what_an_answer_was_made_from() -> None:
    frame = pd.DataFrame({"qid": ["a", "b"], "context_docnos": [("x", "y"), ()], "reason": ["", ""]})
    found = given_provisions(frame)
    assert found is not None and found.to_dict("records") == [
        {"qid": "a", "docno": "x", "rank": 0},
        {"qid": "a", "docno": "y", "rank": 1},
    ]
    nothing = frame.assign(context_docnos=[(), ()])
    assert given_provisions(nothing) is None and given_provisions(frame.drop(columns="context_docnos")) is None
    searched = given_provisions(nothing.assign(reason=["nothing found", ""]))
    assert searched is not None and searched.empty


def test_kinds_and_directions_of_measures() -> None:
    assert is_ranking_measure("nDCG@10") and is_ranking_measure("MicroR@5") and not is_ranking_measure("CitationF1")
    assert [direction(name) for name in ("R@5", "CitationF1", "Wrong", "Abstained")] == [1, 1, -1, 0]


def test_less_is_better_where_it_is() -> None:
    scores = scored(measures=["Failed", "R@2"], alpha=0.99).scores
    rows = {row.name: row for row in scores.rows}
    assert rows["Answers"].cells[0].best and rows["Weak answers"].cells[0].best
    worse = answering(
        systems={"Weak answers": "weak >> writes", "Fails": "weak >> fails"},
        measures=["Failed"],
        baseline="Weak answers",
        alpha=0.99,
    ).scores
    cell = worse.rows[1].cells[0]
    assert cell.mark == "▼" and not cell.best and "0 queries better, 3 worse" in cell.explanation


def test_questions_of_one_case_are_one_cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    topics = Answering().topics().assign(case=["a", "a", "b", None])
    monkeypatch.setattr(Answering, "topics", lambda self: topics.copy())
    result = scored(out=tmp_path, cluster="case", measures=["Failed", "CitationF1"])
    alone = scored(measures=["Failed", "CitationF1"])
    assert result.clusters == {"q1": "a", "q2": "a", "q3": "b", "q4": "=q4"}
    assert result.table["CitationF1"].equals(alone.table["CitationF1"])
    assert not result.table["CitationF1 p-value"].equals(alone.table["CitationF1 p-value"])
    assert ExperimentResult.load(tmp_path).compare(alone)["p-value"].notna().all()
    with pytest.raises(ExperimentError, match="no column 'nope'"):
        scored(cluster="nope")
    with pytest.raises(DefinitionError, match="wilcoxon"):
        scored(cluster="case", test="wilcoxon")


def test_a_judge_whose_model_is_missing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = Answering.pipeline

    def without_model(self: Answering, expression: str) -> pt.Transformer:
        if expression == "judges":
            raise ModelError("No language model is named.")
        return pipeline(self, expression)

    monkeypatch.setattr(Answering, "pipeline", without_model)
    result = scored()
    assert list(result.unmeasured) == ["Coverage"]
    assert result.table["Coverage"].isna().all()
    assert result.table.set_index("name").loc["Answers", "CitationF1"] > 0
