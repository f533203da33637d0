"""The measures through ir_measures and through pt.Experiment."""

from __future__ import annotations

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RR, R, nDCG
from worked_values import CASES, MEANS, MEANS_OF, Case, run_of

from legalir.frames.ranking import rank_results
from legalir.measure import MicroR, MultiHitRate, MultiMRR
from legalir.measure.measures import Share

OURS = {"MultiHitRate": MultiHitRate, "MultiMRR": MultiMRR, "MicroR": MicroR}
ALL = [MultiHitRate @ 5, MultiMRR @ 5, MicroR @ 5, R @ 5, RR, nDCG @ 5]

QRELS = {f"q{i}": dict.fromkeys(CASES[i].relevant, 1) for i in MEANS_OF}
RUN = {f"q{i}": run_of(CASES[i].ranking) for i in MEANS_OF}


def frame(nested: dict[str, dict[str, float]], value: str) -> pd.DataFrame:
    rows = [(qid, docno, number) for qid, docs in nested.items() for docno, number in docs.items()]
    return pd.DataFrame(rows, columns=["qid", "docno", value])


def topics(qids: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"qid": qids, "query": ["q"] * len(qids)})


def experiment(
    runs: dict[str, dict[str, dict[str, float]]], qrels: dict[str, dict[str, int]] = QRELS, **options: object
) -> pd.DataFrame:
    systems = {name: pt.Transformer.from_df(rank_results(frame(run, "score"))) for name, run in runs.items()}
    return pt.Experiment(systems, topics(list(qrels)), frame(qrels, "label"), ALL, **options)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["MultiHitRate", "MultiMRR", "MicroR", "R", "RR"])
def test_worked_values(case: Case, name: str) -> None:
    measure = ir_measures.parse_measure(f"{name}@{case.k}")
    qrels, run = {"q": dict.fromkeys(case.relevant, 1)}, {"q": run_of(case.ranking)}
    expected = pytest.approx(float(case.values[name]), abs=1e-12)
    assert ir_measures.calc_aggregate([measure], qrels, run) == {measure: expected}
    assert [metric.value for metric in ir_measures.iter_calc([measure], qrels, run)] == [expected]


def test_worked_means_in_every_way_to_get_them() -> None:
    expected = {
        MultiHitRate @ 5: 1 / 3,
        MultiMRR @ 5: pytest.approx(31 / 108),
        MicroR @ 5: 2 / 3,
        R @ 5: pytest.approx(5 / 9),
    }
    measures = list(expected)
    assert {str(m): float(MEANS[m.NAME]) for m in measures} == {str(m): value for m, value in expected.items()}
    assert ir_measures.calc_aggregate(measures, QRELS, RUN) == expected
    assert ir_measures.calc(measures, QRELS, RUN).aggregated == expected
    evaluator = ir_measures.evaluator(measures, QRELS)
    assert evaluator.calc_aggregate(RUN) == expected
    assert evaluator.calc(RUN).aggregated == expected
    assert evaluator.calc_aggregate(RUN) == expected  # An evaluator serves several runs.
    assert (MicroR @ 5).calc_aggregate(QRELS, RUN) == 2 / 3
    assert ir_measures.calc_aggregate([MicroR @ 5], QRELS, RUN) == {MicroR @ 5: 2 / 3}


@pytest.mark.parametrize("options", [{}, {"batch_size": 1}, {"batch_size": 2}, {"plan": "tree"}])
def test_pyterrier_averages(options: dict[str, object]) -> None:
    row = experiment({"s": RUN}, **options).iloc[0]
    assert row["MicroR@5"] == 2 / 3
    assert row["MultiMRR@5"] == pytest.approx(31 / 108)
    assert row["MultiHitRate@5"] == 1 / 3
    assert row["R@5"] == pytest.approx(5 / 9)


def test_pyterrier_per_query() -> None:
    table = experiment({"s": RUN}, perquery=True)
    assert table["value"].dtype == "float64"
    values = table.pivot(index="qid", columns="measure", values="value")
    for i in MEANS_OF:
        for name in OURS:
            assert values.loc[f"q{i}", f"{name}@5"] == pytest.approx(float(CASES[i].values[name]))


def test_pyterrier_baseline_tests_the_recall_of_queries() -> None:
    worse = {**RUN, "q0": run_of("xyzab")}  # b falls out of the top 5? No: a at 4, b at 5, both still found.
    worse["q1"] = run_of("xyzwab")  # a at 5 is found, b at 6 is not: 1 of 3.
    table = experiment({"s": RUN, "t": worse}, baseline=0, correction="holm")
    row = table.iloc[1]
    assert row["MicroR@5"] == 3 / 6
    assert (row["MicroR@5 +"], row["MicroR@5 -"]) == (0, 1)
    assert 0 < row["MicroR@5 p-value"] <= 1
    assert row["MicroR@5 p-value"] == pytest.approx(row["R@5 p-value"])


def test_judged_queries_without_results_score_zero_and_count() -> None:
    run = {"q0": RUN["q0"]}
    aggregated, per_query = ir_measures.calc([m @ 5 for m in OURS.values()], QRELS, run)
    assert aggregated[MultiHitRate @ 5] == 1 / 3
    assert aggregated[MultiMRR @ 5] == pytest.approx(5 / 36)
    assert aggregated[MicroR @ 5] == 2 / 6
    assert len(per_query) == 9
    assert experiment({"s": run}).iloc[0]["MicroR@5"] == 2 / 6


def test_queries_without_judgements_do_not_count() -> None:
    run = {**RUN, "unjudged": {"a": 1.0}}
    _, per_query = ir_measures.calc([MicroR @ 5], QRELS, run)
    assert sorted(metric.query_id for metric in per_query) == ["q0", "q1", "q5"]


def test_a_query_with_nothing_relevant_scores_zero_and_counts_in_means() -> None:
    qrels = {**QRELS, "none": {"a": 0}}
    run = {**RUN, "none": {"a": 1.0}}
    found = ir_measures.calc_aggregate([MultiHitRate @ 5, MultiMRR @ 5, MicroR @ 5], qrels, run)
    assert found[MultiHitRate @ 5] == 1 / 4
    assert found[MultiMRR @ 5] == pytest.approx(31 / 144)
    assert found[MicroR @ 5] == 2 / 3


@settings(deadline=None)
@given(
    st.dictionaries(
        st.text(min_size=1, max_size=3).filter(lambda docno: "\0" not in docno and docno.isprintable()),
        # Equal scores, and scores that are equal in single precision only.
        st.sampled_from([1.0, 1 + 1e-9, 0.5, -2.0, 0.03252247488101534, 0.032522474881015335, 3e4 + 1e-4, 3e4, 1e39]),
        min_size=1,
        max_size=8,
    ),
    st.integers(1, 8),
)
def test_ties_are_ordered_as_trec_eval_orders_them(scores: dict[str, float], k: int) -> None:
    for relevant in scores:
        found = ir_measures.calc_aggregate([MicroR @ k, R @ k, MultiMRR, RR], {"q": {relevant: 1}}, {"q": scores})
        assert (found[MicroR @ k], found[MultiMRR]) == pytest.approx((found[R @ k], found[RR]))


def test_rel_sets_what_is_relevant() -> None:
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": run_of("xab")}
    assert MicroR(rel=2, cutoff=2).calc_aggregate(qrels, run) == 0.0
    assert MicroR(rel=1, cutoff=2).calc_aggregate(qrels, run) == 0.5
    assert MultiMRR(rel=2).calc_aggregate(qrels, run) == 1 / 3
    assert MultiHitRate(rel=2, cutoff=3).calc_aggregate(qrels, run) == 1.0
    found = ir_measures.calc_aggregate([MicroR(rel=2) @ 2, MicroR @ 2, MicroR @ 1], qrels, run)
    assert list(found.values()) == [0.0, 0.5, 0.0] or set(found.values()) == {0.0, 0.5}


def test_every_form_of_run_and_judgements() -> None:
    qrel_rows = [ir_measures.Qrel(q, d, r) for q, docs in QRELS.items() for d, r in docs.items()]
    run_rows = [ir_measures.ScoredDoc(q, d, s) for q, docs in RUN.items() for d, s in docs.items()]
    for qrels in (QRELS, qrel_rows, pd.DataFrame(qrel_rows)):
        for run in (RUN, run_rows, iter(run_rows), pd.DataFrame(run_rows)):
            assert (MicroR @ 5).calc_aggregate(qrels, run) == 2 / 3


@pytest.mark.parametrize("measure", [MicroR, MultiHitRate, MultiMRR @ 0, MultiMRR @ 2.5])
def test_wrong_parameters_are_refused(measure: ir_measures.Measure) -> None:
    with pytest.raises(AssertionError):
        measure.calc_aggregate(QRELS, RUN)


SCORES = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.0, 1.0, 1.5, 2.0]))
LABELS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2), min_size=1)
QUERIES = st.dictionaries(st.sampled_from(["1", "2", "3"]), st.tuples(LABELS, SCORES), min_size=1)


@settings(deadline=None)
@given(QUERIES, st.integers(1, 7), st.integers(1, 2))
def test_a_plain_second_implementation(
    queries: dict[str, tuple[dict[str, int], dict[str, float]]], k: int, rel: int
) -> None:
    hits = relevant = hit_rates = mrrs = 0.0
    for labels, scores in queries.values():
        wanted = [docno for docno in labels if labels[docno] >= rel]
        top = sorted(sorted(scores, reverse=True), key=lambda docno: scores[docno], reverse=True)[:k]
        places = [place for place in range(len(top)) if top[place] in wanted]
        hits += len(places)
        relevant += len(wanted)
        if wanted:
            hit_rates += all(docno in top for docno in wanted)
            mrrs += sum(1 / (place + 1 - earlier) for earlier, place in enumerate(places)) / len(wanted)
    qrels = {qid: labels for qid, (labels, _) in queries.items()}
    run = {qid: scores for qid, (_, scores) in queries.items()}
    measures = [measure(cutoff=k, rel=rel) for measure in (MultiHitRate, MultiMRR, MicroR)]
    found = ir_measures.calc_aggregate(measures, qrels, run)
    assert found[measures[0]] == pytest.approx(hit_rates / len(queries))
    assert found[measures[1]] == pytest.approx(mrrs / len(queries))
    assert found[measures[2]] == (hits / relevant if relevant else 0.0)


@settings(deadline=None, max_examples=25)
@given(QUERIES.filter(lambda queries: any(scores for _, scores in queries.values())))
def test_pyterrier_and_ir_measures_agree(queries: dict[str, tuple[dict[str, int], dict[str, float]]]) -> None:
    qrels = {qid: labels for qid, (labels, _) in queries.items()}
    run = {qid: scores for qid, (_, scores) in queries.items() if scores}
    measures = [MultiHitRate @ 3, MultiMRR @ 3, MicroR @ 3]
    results = rank_results(frame(run, "score"))
    table = pt.Experiment({"s": pt.Transformer.from_df(results)}, topics(list(qrels)), frame(qrels, "label"), measures)
    for measure, value in ir_measures.calc_aggregate(measures, qrels, run).items():
        assert table.iloc[0][str(measure)] == pytest.approx(value, abs=1e-12)


def test_a_share_passes_through_the_evaluator() -> None:
    (metric,) = ir_measures.iter_calc([MicroR @ 5], {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0}})
    assert isinstance(metric.value, Share)
    assert (metric.value.hits, metric.value.relevant) == (1, 2)
