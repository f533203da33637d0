"""Tables of scores by hand: means, wins, corrected p-values, pooled recall."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Never

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from fake_collection import DEFINITION, QRELS, TOPICS, FakeCollection, page_of
from rich.console import Console

from legalir.experiments import Definition, ExperimentResult, run
from legalir.experiments.scores import paired_test, per_query_scores, resampling_counts, scorable
from legalir.experiments.terminal import print_result


def table(**changes: object) -> pd.DataFrame:
    result = run({**DEFINITION, **changes}, collection=FakeCollection())  # type: ignore[arg-type]
    return result.table.set_index("name")


def test_means_by_hand() -> None:
    found = table()
    # See fake_collection: R@2 is 0, ½, 1, 0 for the weak system and 1, 1, 1, ½ for the strong one.
    assert found.loc["약함", "R@2"] == pytest.approx(1.5 / 4)
    assert found.loc["Strong", "R@2"] == pytest.approx(3.5 / 4)
    assert found.loc["약함", "RR@10"] == pytest.approx((1 / 3 + 1 + 1 + 0) / 4)
    # nDCG of q2 for "weak": one of two relevant, at rank 1: 1 / (1 + 1/log2 3).
    gain = 1 / (1 + 1 / math.log2(3))
    assert found.loc["약함", "nDCG@10"] == pytest.approx((0.5 + gain + 1 + 0) / 4)


def test_wins_losses_and_the_t_test() -> None:
    found = table()
    assert found.loc["Strong", ["R@2 +", "R@2 -"]].tolist() == [3, 0]
    assert pd.isna(found.loc["약함", "R@2 +"]) and math.isnan(found.loc["약함", "R@2 p-value"])
    # Differences 1, ½, 0, ½: mean ½, variance 1/6, t = ½ / √(1/24) = √6, 3 degrees of freedom.
    t = 6**0.5
    cumulative = 0.5 + (t / 3**0.5 / (1 + t * t / 3) + math.atan(t / 3**0.5)) / math.pi
    assert found.loc["Strong", "R@2 p-value"] == pytest.approx(2 * (1 - cumulative))


def test_holm_is_over_the_systems_of_one_measure() -> None:
    found = table()
    p = found.loc[["Strong", "Strong, first only"], "R@2 p-value"].to_numpy()
    smaller = min(2 * p.min(), 1.0)
    expected = [smaller, max(p.max(), smaller)]
    assert found.loc[["Strong", "Strong, first only"], "R@2 p-value corrected"].tolist() == pytest.approx(expected)


def test_without_correction_alpha_meets_the_plain_p() -> None:
    found = table(correction=None, alpha=0.1)
    assert found.loc["Strong", "R@2 p-value corrected"] == found.loc["Strong", "R@2 p-value"] < 0.1
    assert found["R@2 reject"].tolist() == [False, True, False]


@pytest.mark.parametrize("changes", [{"baseline": None}, {"systems": {"약함": "weak"}}])
def test_without_a_comparison_there_are_no_tests(changes: dict[str, object]) -> None:
    columns = table(**changes).columns
    assert not [column for column in columns if "p-value" in column or column.endswith("reject")]
    assert "R@2 low" in columns


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh"])
def test_means_and_tests_equal_those_of_pyterrier(correction: str) -> None:
    result = run({**DEFINITION, "correction": correction}, collection=FakeCollection())  # type: ignore[arg-type]
    systems = {name: scorable(frame, TOPICS) for name, frame in result.runs.items()}
    measures = result.definition.measure_objects()
    options = {"baseline": "약함", "test": paired_test("t"), "correction": correction, "validate": "ignore"}
    theirs = pt.Experiment(systems, TOPICS, QRELS, measures, **options)
    wins = [column for column in theirs.columns if column.endswith((" +", " -"))]
    ours = result.table[theirs.columns].astype(dict.fromkeys(wins, float))
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=False, check_exact=False, rtol=1e-12)


@pytest.mark.parametrize("test", ["wilcoxon", "randomisation"])
def test_other_tests_run(test: str) -> None:
    assert table(test=test)["R@2 p-value"].drop("약함").between(0, 1).all()


def test_pooled_recall_is_pooled_and_so_is_its_interval() -> None:
    found = table(measures=["MicroR@2", "R@2"])
    # Of 6 relevant provisions the weak system has 2 in its first two, the strong one 5.
    assert found.loc["약함", "MicroR@2"] == pytest.approx(2 / 6)
    assert found.loc["Strong", "MicroR@2"] == pytest.approx(5 / 6)
    hits, relevant = np.array([1, 2, 1, 1]), np.array([1, 2, 1, 2])
    shares = [(drawn @ hits) / (drawn @ relevant) for drawn in resampling_counts(4)]
    expected = np.quantile(shares, [0.025, 0.975])
    assert found.loc["Strong", ["MicroR@2 low", "MicroR@2 high"]].tolist() == pytest.approx(expected)


def test_scoring_follows_ranks_where_single_precision_would_not() -> None:
    # 1 and 1 + 1e-9 are one number to an evaluator that keeps 32 bits; the ranks say which comes first.
    frame = pd.DataFrame(
        {"qid": "q1", "docno": ["제1조", "제9조"], "score": [1 + 1e-9, 1.0], "rank": [0, 1], "query": ""}
    )
    for run_frame in (frame, frame.assign(docno=["제9조", "제1조"])):
        form = scorable(run_frame, TOPICS).rename(columns={"qid": "query_id", "docno": "doc_id"})
        qrels = QRELS.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
        value = ir_measures.calc_aggregate([ir_measures.RR @ 10], qrels[qrels["query_id"] == "q1"], form)
        assert value[ir_measures.RR @ 10] == (1.0 if run_frame["docno"].iloc[0] == "제1조" else 0.5)


def test_a_measure_that_fails_is_a_dash_and_the_others_have_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(self: object, run: object) -> Never:
        raise RuntimeError("no luck\nat all")

    monkeypatch.setattr("ir_measures.providers.gdeval_provider.GdevalEvaluator._iter_calc", fails)
    run({**DEFINITION, "measures": ["ERR@10", "R@2"]}, tmp_path, collection=FakeCollection())  # type: ignore[arg-type]
    found = ExperimentResult.load(tmp_path)
    assert found.table["ERR@10"].isna().all() and found.table["R@2"].notna().all()
    assert list(found.unmeasured) == ["ERR@10"] and "no luck" in found.unmeasured["ERR@10"]
    print_result(found, Console(width=200))
    for text in (capsys.readouterr().out, page_of(found)):
        assert "no luck" in text and "at all" not in text


def test_evaluators_that_know_numbers_alone() -> None:
    # ERR by hand, of one relevant document at rank r with grade 1 of 4: 1/r · 1/16.
    spaced = QRELS.assign(docno=QRELS["docno"] + " (가)", label=1)
    runs = {"s": pd.DataFrame({"qid": "q1", "docno": ["x y", "제1조 (가)"], "score": [2.0, 1.0], "rank": [0, 1]})}
    definition = Definition.parse({**DEFINITION, "baseline": None, "references": [], "measures": ["ERR@5", "R@5"]})
    failed: dict[str, str] = {}
    values = per_query_scores(definition, runs, TOPICS, spaced, failed=failed)
    found = values.set_index(["measure", "qid"])["value"]
    assert found["ERR@5", "q1"] == pytest.approx(1 / 32, abs=1e-5) and found["R@5", "q1"] == 1
    assert not failed
