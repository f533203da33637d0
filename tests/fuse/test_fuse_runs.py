"""Lists as arrays: what is refused, and how the fused list is ordered."""

from __future__ import annotations

import math

import numpy as np
import pytest
from fixed import frame

from legalir.errors import ComponentError
from legalir.fuse.fuser import stack


def test_rows_below_each_other() -> None:
    first, second = frame({"b": [("x", 3.0), ("y", 1.0)], "a": [("y", 2.0)]}), frame({"a": [("x", 5.0)]})
    lists = stack([first, second], ["a", "b"], "rrf")
    assert lists.pipeline.tolist() == [0, 0, 0, 1]
    assert lists.query.tolist() == [1, 1, 0, 0]
    assert lists.docnos[lists.document].tolist() == ["x", "y", "y", "x"]
    assert lists.rank.tolist() == [1, 2, 1, 1], "1-based"
    assert lists.score.tolist() == [3, 1, 2, 5]
    assert len(set(lists.group.tolist())) == 3
    number, pairs = lists.pair
    assert number.tolist() == [0, 1, 2, 3]
    assert np.divmod(pairs, 2)[0].tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("column", "value", "fault"),
    [
        ("score", math.nan, "score .*finite"),
        ("score", math.inf, "score .*finite"),
        ("rank", -1, "rank .*from 0"),
        ("rank", 0.5, "rank .*from 0"),
        ("rank", math.nan, "rank .*from 0"),
        ("docno", "x", "twice"),
        ("qid", "other", "not given"),
    ],
)
def test_what_is_refused(column: str, value: object, fault: str) -> None:
    good = frame({"q1": [("x", 3.0), ("y", 1.0)]})
    bad = good.astype({"rank": float})
    bad.loc[1, column] = value
    with pytest.raises(ComponentError, match=rf"^rrf: .*pipeline 2, '[xy]' of query '.*{fault}"):
        stack([good, bad], ["q1"], "rrf")


@pytest.mark.parametrize("column", ["docno", "score", "rank"])
def test_a_list_without_a_column(column: str) -> None:
    results = frame({"q1": [("x", 3.0)]}).drop(columns=column)
    with pytest.raises(ComponentError, match=f"^rrf: pipeline 1 .*no column '{column}'"):
        stack([results], ["q1"], "rrf")


def test_the_same_document_of_two_queries_or_lists_is_no_duplicate() -> None:
    results = frame({"q1": [("x", 3.0)], "q2": [("x", 3.0)]})
    assert len(stack([results, results], ["q1", "q2"], "rrf").rank) == 4


def test_empty_lists() -> None:
    empty = frame({})
    assert len(stack([empty, empty], ["q1"], "rrf").rank) == 0
    assert len(stack([empty, frame({"q1": [("x", 1.0)]})], ["q1"], "rrf").rank) == 1
