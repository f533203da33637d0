from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worked_values import CASES, Case

from legalir.measure.measures import chunk_hits, chunk_multi_mrr, hit_ranks, multi_hit_rate, multi_mrr

DOCNOS = st.sampled_from("abcdefgh")
RANKINGS = st.lists(DOCNOS, unique=True)
RELEVANT = st.sets(DOCNOS)


@pytest.mark.parametrize("case", CASES)
def test_worked_values(case: Case) -> None:
    ranks = hit_ranks(case.ranking[: case.k], set(case.relevant))
    size = len(case.relevant)
    assert multi_hit_rate(ranks, size) == case.values["MultiHitRate"]
    assert multi_mrr(ranks, size) == pytest.approx(float(case.values["MultiMRR"]), abs=1e-15)


def multi_mrr_by_the_formula(ranking: list[str], relevant: set[str]) -> Fraction:
    total, j = Fraction(0), 0
    for r in range(1, len(ranking) + 1):
        if ranking[r - 1] in relevant:
            j += 1
            total += Fraction(1, r - j + 1)
    return total / len(relevant)


@given(RANKINGS, RELEVANT.filter(bool))
def test_multi_mrr_is_its_formula(ranking: list[str], relevant: set[str]) -> None:
    expected = multi_mrr_by_the_formula(ranking, relevant)
    assert multi_mrr(hit_ranks(ranking, relevant), len(relevant)) == pytest.approx(float(expected), abs=1e-12)


@given(RANKINGS, RELEVANT.filter(bool))
def test_bounds(ranking: list[str], relevant: set[str]) -> None:
    ranks, size = hit_ranks(ranking, relevant), len(relevant)
    recall = len(ranks) / size
    assert 0.0 <= multi_mrr(ranks, size) <= recall + 1e-12 <= 1.0 + 1e-12
    assert multi_hit_rate(ranks, size) == (1.0 if relevant <= set(ranking) else 0.0)
    assert (multi_hit_rate(ranks, size) == 1.0) == (recall == 1.0)


@given(RELEVANT.filter(bool), RANKINGS)
def test_a_ranking_that_begins_with_all_of_them_scores_one(relevant: set[str], rest: list[str]) -> None:
    ranking = [*sorted(relevant), *(docno for docno in rest if docno not in relevant)]
    assert multi_mrr(hit_ranks(ranking, relevant), len(relevant)) == pytest.approx(1.0)


# --- naive chunks -----------------------------------------------------------------------------------------


def test_worked_value_of_naive_chunks() -> None:
    # c1 covers a and b, c3 covers c: hit chunks at ranks 1 and 3, (1 + 1/(3-1)) / 2 = 3/4; all of T is found.
    ranks, found = chunk_hits(["c1", "x", "c3"], {"c1": ["a", "b"], "c3": ["c"]}, {"a", "b", "c"})
    assert ranks.tolist() == [1, 3]
    assert found == 3
    assert chunk_multi_mrr(ranks, found, 3) == 0.75
    # Without c the mean of the hit chunks is 1, and recall 2/3.
    assert chunk_multi_mrr(ranks[:1], 2, 3) == 2 / 3


def test_no_chunk_hit() -> None:
    ranks, found = chunk_hits(["x"], {"x": ["q"]}, {"a"})
    assert found == 0
    assert chunk_multi_mrr(ranks, found, 1) == 0.0
    assert chunk_multi_mrr(ranks, 0, 0) == 0.0
    assert chunk_hits([], {}, {"a"})[0].dtype == np.int64


@given(RANKINGS, RELEVANT.filter(bool))
def test_chunks_of_one_provision_are_provisions(ranking: list[str], relevant: set[str]) -> None:
    covers = {docno.upper(): [docno] for docno in "abcdefgh"}
    ranks, found = chunk_hits([docno.upper() for docno in ranking], covers, relevant)
    assert ranks.tolist() == hit_ranks(ranking, relevant).tolist()
    assert found == len(ranks)
    assert chunk_multi_mrr(ranks, found, len(relevant)) == pytest.approx(multi_mrr(ranks, len(relevant)))
