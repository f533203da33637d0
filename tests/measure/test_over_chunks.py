"""Measures over rankings of chunks: worked values, each rule, and chunks that are provisions."""

from __future__ import annotations

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.measure import over_chunks, parse_measures

COVERS = {"c1": ("a", "b"), "c2": (), "c3": ("c",), "c4": ("b", "d")}
NAMES = ["R@1", "R@2", "R@3", "MicroR@3", "MultiHitRate@3", "Success@1", "RR@3", "P@3", "MultiMRR@3", "nDCG@2", "AP"]


def values(names, qrels, run, covers=COVERS) -> dict[str, float]:
    measures = over_chunks(parse_measures(names), covers)
    return {str(measure): value for measure, value in ir_measures.calc_aggregate(measures, qrels, run).items()}


def ranked(*docnos: str) -> dict[str, float]:
    return {docno: -float(rank) for rank, docno in enumerate(docnos)}


def test_the_worked_example() -> None:
    found = values(["MultiMRR@5", "R@5"], {"q": {"a": 1, "b": 1, "c": 1}}, {"q": ranked("c1", "x", "c3")})
    assert found == {"MultiMRR@5": 0.75, "R@5": 1.0}


def test_what_is_not_found_lowers_multi_mrr() -> None:
    # One of two relevant provisions, at rank 1: (1/1) · 1/2, as for provisions.
    found = values(["MultiMRR@5"], {"q": {"a": 1, "c": 1}}, {"q": ranked("c1")})
    assert found == {"MultiMRR@5": 0.5}


def test_ranks_count_chunks_and_a_provision_counts_once() -> None:
    # c4 adds nothing: b stands in c1, and d is not relevant.
    run = {"q": ranked("c2", "c1", "c4", "c3")}
    found = values(["RR", "Success@1", "Success@2", "P@4"], {"q": {"a": 1, "b": 1, "c": 1}}, run)
    assert found == {"RR": 0.5, "Success@1": 0.0, "Success@2": 1.0, "P@4": 0.5}


def test_other_measures_read_provisions_in_order() -> None:
    # a, b, c: nDCG@2 of (no, yes) is (1/log2 3) / 1.
    found = values(["nDCG@2", "AP"], {"q": {"b": 1}}, {"q": ranked("c2", "c1", "c3")})
    assert found == {"nDCG@2": pytest.approx(0.63093, abs=1e-5), "AP": 0.5}


def test_parts_of_provisions_earn_nothing() -> None:
    found = values(["R@5", "RR"], {"q": {"a": 1}}, {"q": ranked("c2")})
    assert found == {"R@5": 0.0, "RR": 0.0}


@pytest.mark.parametrize("run", [{}, {"other": {"c1": 1.0}}, {"q": {"c2": 1.0}}])
def test_a_judged_query_without_hits_counts(run) -> None:
    found = values(NAMES, {"q": {"a": 1}, "p": {"b": 1}}, run)
    assert len(found) == len(NAMES)
    assert set(found.values()) == {0.0}


RUNS = st.dictionaries(st.sampled_from("pq"), st.lists(st.sampled_from("abcdxy"), unique=True, max_size=6))
QRELS = st.dictionaries(
    st.sampled_from("pq"), st.dictionaries(st.sampled_from("abcd"), st.integers(0, 2), min_size=1), min_size=1
)


@given(run=RUNS, qrels=QRELS)
def test_chunks_of_one_provision_are_provisions(run, qrels) -> None:
    lists = {qid: ranked(*docnos) for qid, docnos in run.items() if docnos}
    measures = parse_measures([*NAMES, "RR(rel=2)@3", "R(rel=2)@2"])
    plain = ir_measures.calc_aggregate(measures, qrels, lists or {"p": {" ": 0.0}})
    chunks = {qid: {docno.upper(): score for docno, score in of.items()} for qid, of in lists.items()}
    covers = {docno.upper(): (docno,) for docno in "abcdxy"}
    assert values(list(map(str, measures)), qrels, chunks, covers) == pytest.approx(
        {str(measure): value for measure, value in plain.items()}
    )


def test_they_go_into_pyterrier() -> None:
    run = pd.DataFrame({"qid": "q", "docno": ["c1", "x", "c3"], "score": [3.0, 2.0, 1.0], "rank": [0, 1, 2]})
    topics = pd.DataFrame({"qid": ["q"], "query": ["?"]})
    qrels = pd.DataFrame({"qid": "q", "docno": list("abc"), "label": 1})
    measures = over_chunks(parse_measures(["MultiMRR@5", "R@1"]), COVERS)
    table = pt.Experiment([pt.Transformer.from_df(run)], topics, qrels, measures)
    assert table[["MultiMRR@5", "R@1"]].iloc[0].tolist() == pytest.approx([0.75, 2 / 3])
