"""Columns that frames must have, and which of them belong to a query."""

from __future__ import annotations

import pandas as pd
import pytest

from legalir.errors import ComponentError
from legalir.frames.columns import drop_results, empty_like, require_columns, whole_characters


def test_columns_that_are_there_are_fine() -> None:
    require_columns(pd.DataFrame(columns=["qid", "query", "more"]), ["query", "qid"], "bm25")


def test_missing_columns_are_named() -> None:
    with pytest.raises(ComponentError, match=r"^sar needs the column\(s\) docno, score, but was given qid, query\.$"):
        require_columns(pd.DataFrame(columns=["qid", "query"]), ["qid", "docno", "score"], "sar")
    with pytest.raises(ComponentError, match="was given none"):
        require_columns(pd.DataFrame(), ["qid"], "sar")


def test_queries_of_a_query_frame_are_itself() -> None:
    queries = pd.DataFrame({"qid": ["2", "1"], "query": ["a", "b"], "text": ["kept", "kept"]})
    pd.testing.assert_frame_equal(drop_results(queries), queries)


def test_queries_of_a_query_frame_are_a_frame_of_their_own() -> None:
    queries = pd.DataFrame({"qid": ["1"], "query": ["a"]})
    own = drop_results(queries)
    own["more"] = 1
    assert list(queries.columns) == ["qid", "query"]


def test_queries_of_a_result_frame_are_one_row_each_in_order_of_appearance() -> None:
    results = pd.DataFrame(
        {
            "qid": ["2", "1", "2"],
            "query": ["a", "b", "a"],
            "lang": ["ko", "th", "ko"],
            "docno": ["d1", "d1", "d2"],
            "docid": [1, 1, 2],
            "title": ["t1", "t1", "t2"],
            "text": ["x1", "x1", "x2"],
            "score": [2.0, 1.0, 1.0],
            "rank": [0, 0, 1],
        },
        index=[7, 7, 9],
    )
    # The text of one document must not end up beside another one that is found later.
    expected = pd.DataFrame({"qid": ["2", "1"], "query": ["a", "b"], "lang": ["ko", "th"]})
    pd.testing.assert_frame_equal(drop_results(results), expected)


@pytest.mark.parametrize("columns", [["qid", "query", "lang"], ["qid", "query", "lang", "docno", "score", "rank"]])
def test_an_empty_result_has_all_columns_and_their_types(columns: list[str]) -> None:
    empty = empty_like(pd.DataFrame({column: ["1"] for column in columns}))
    assert list(empty.columns) == ["qid", "query", "lang", "docno", "score", "rank"]
    assert len(empty) == 0
    assert (empty["score"].dtype, empty["rank"].dtype) == ("float64", "int64")


@pytest.mark.parametrize(
    ("text", "whole"),
    [("", ""), ("제5조 🔥", "제5조 🔥"), ("\ud83d\udd25", "🔥"), ("a\ud800b", "a�b"), ("\udcff", "�")],
)
def test_halves_of_surrogate_pairs_are_replaced(text: str, whole: str) -> None:
    assert whole_characters(text) == whole
