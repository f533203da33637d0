from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.measure.answers import CitationCounts, CitationScores, citation_counts, recall_gap, ungrounded

WORKED = [({"A", "C", "D", "E"}, {"A", "B"}), (set(), {"E"}), ({"F"}, {"F"})]
"""Cited and gold of three answers [nitibench]: 2 of 5 citations are right, 2 of 4 gold provisions are cited."""

NOTHING = CitationCounts(0, 0, 0)

DOCNOS = st.sets(st.sampled_from("abcdefgh"), max_size=6)


def pooled(counts: Sequence[CitationCounts]) -> CitationScores:
    """Return the scores of several answers together, as [nitibench] publishes them."""
    return sum(counts, NOTHING).scores


def test_worked_values() -> None:
    counts = [citation_counts(*pair) for pair in WORKED]
    assert sum(counts, NOTHING) == CitationCounts(correct=2, cited=5, gold=4)
    assert pooled(counts) == pytest.approx((2 / 5, 2 / 4, 4 / 9))


def test_precision_and_recall_are_not_exchanged() -> None:
    """The released code of [nitibench] would print P .500 and R .400 here."""
    precision, recall, _ = pooled([citation_counts(*pair) for pair in WORKED])
    assert (precision, recall) == (0.4, 0.5)


@given(st.lists(st.tuples(DOCNOS, DOCNOS), min_size=1, max_size=6))
def test_a_plain_second_implementation(pairs: list[tuple[set[str], set[str]]]) -> None:
    right = cited = gold = 0
    precisions, recalls, f1s = [], [], []
    for cites, should in pairs:
        common = [docno for docno in cites if docno in should]
        precision = Fraction(len(common), len(cites)) if cites else Fraction(0)
        recall = Fraction(len(common), len(should)) if should else Fraction(0)
        f1s.append(2 * precision * recall / (precision + recall) if common else Fraction(0))
        precisions.append(precision)
        recalls.append(recall)
        right, cited, gold = right + len(common), cited + len(cites), gold + len(should)
    counts = [citation_counts(*pair) for pair in pairs]
    singles = zip(precisions, recalls, f1s, strict=True)
    for count, values in zip(counts, singles, strict=True):
        assert count.scores == pytest.approx([float(value) for value in values], abs=1e-12)
    pooled_p = Fraction(right, cited) if cited else Fraction(0)
    pooled_r = Fraction(right, gold) if gold else Fraction(0)
    pooled_f1 = 2 * pooled_p * pooled_r / (pooled_p + pooled_r) if right else Fraction(0)
    assert pooled(counts) == pytest.approx([float(v) for v in (pooled_p, pooled_r, pooled_f1)], abs=1e-12)


def test_nothing_cited_and_nothing_to_cite() -> None:
    assert citation_counts([], ["a"]).scores == (0, 0, 0)
    assert citation_counts(["a"], []).scores == (0, 0, 0)
    assert citation_counts([], []).scores == (0, 0, 0)
    assert pooled([]) == (0, 0, 0)


def test_two_hundred_citations_count_each_once() -> None:
    many = [f"p{number % 100}" for number in range(200)]
    assert citation_counts(many, ["p3", "x"]) == CitationCounts(correct=1, cited=100, gold=2)


def test_citations_of_what_was_not_given() -> None:
    # Counts of the paper for Tax: 105 citations from memory, 58 not retrieved; 101 with retrieval, 5 not retrieved.
    memory = ungrounded([f"p{n}" for n in range(105)], [f"p{n}" for n in range(47)])
    retrieval = ungrounded([f"p{n}" for n in range(101)], [f"p{n}" for n in range(5, 200)])
    assert (memory, retrieval) == ((58, 105), (5, 101))
    assert ungrounded([], ["a"]) == (0, 0)


def test_the_recall_gap_is_recall_of_the_retriever_without_recall_of_the_citations() -> None:
    assert recall_gap(gold="abcd", context="abcx", cited="ay") == (2, 4)
    assert recall_gap(gold="ab", context="", cited="a") == (-1, 2)  # cited from memory
    assert recall_gap(gold="", context="a", cited="a") == (0, 0)
