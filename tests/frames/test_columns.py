"""Columns that frames must have, and which of them belong to a query."""

from __future__ import annotations

import copy
from datetime import date

import numpy as np
import pandas as pd
import pytest

from legalir.errors import ComponentError
from legalir.frames.columns import drop_results, empty_like, require_columns, unique_queries, whole_characters
from legalir.frames.ranking import RankedLists


def test_missing_columns_are_named() -> None:
    with pytest.raises(ComponentError, match=r"sar.*docno, score.*qid, query"):
        require_columns(pd.DataFrame(columns=["qid", "query"]), ["qid", "docno", "score"], "sar")
    with pytest.raises(ComponentError, match="was given none"):
        require_columns(pd.DataFrame(), ["qid"], "sar")


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


RESULTS = pd.DataFrame(
    {"qid": ["1", "2", "1", "2"], "query": ["a", "b", "a", "b"], "docno": list("xyzx"), "score": 1.0}
)
_NAN = float("nan")

VALUES = {
    "texts": ["p", "q"],
    "a missing value": ["p", None],
    "numbers": [1, 2],
    "a missing number": [_NAN, 2.0],
    "days": [date(2030, 1, 1), date(2030, 1, 2)],
    "times": [pd.Timestamp("2030-01-01"), pd.NaT],
    "arrays": [np.array([1.0, _NAN]), np.array([1.0, 2.0])],
    "arrays of other lengths": [np.zeros(0), np.zeros(1)],
    "lists of arrays": [[np.arange(2)], [np.arange(3)]],
    "dicts": [{"a": [1, _NAN]}, {"a": [1, 3]}],
    "sets": [{1}, {2}],
    "frames": [pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]})],
}


@pytest.mark.parametrize(
    ("kind", "dtype"), [*((kind, None) for kind in VALUES), ("texts", "category"), ("numbers", "Int64")]
)
def test_values_tell_a_document_column_from_a_question_column(kind: str, dtype: str | None) -> None:
    one, other = VALUES[kind]
    of_question = pd.Series([one, other, copy.deepcopy(one), copy.deepcopy(other)], dtype=dtype)
    # The first question has equal values, and the second one not.
    of_document = pd.Series([one, one, copy.deepcopy(one), other], dtype=dtype)
    frame = RESULTS.assign(**{"of question": of_question, "of document": of_document})
    assert list(drop_results(frame).columns) == ["qid", "query", "of question"]
    assert list(drop_results(frame.iloc[::-1]).columns) == ["qid", "query", "of question"]


def test_fields_of_provisions_never_belong_to_a_question() -> None:
    fields = ("docid", "heading", "article", "effective_from", "features")
    frame = RESULTS.assign(**dict.fromkeys(fields, "the same"), as_of="2030-01-01", query_0="c")
    assert list(drop_results(frame).columns) == ["qid", "query", "as_of", "query_0"]


def test_rows_that_lack_a_query_tell_nothing() -> None:
    """PyTerrier's ``+`` makes them of what only its right side returned."""
    whole = RESULTS.assign(lang=["ko", "th", "ko", "th"], note=list("pqrs"))
    lacking = whole.assign(query=None, lang=None, docno="w", note="t").iloc[:2]
    queries = drop_results(pd.concat([lacking, whole]))
    pd.testing.assert_frame_equal(queries, whole[["qid", "query", "lang"]].head(2), check_dtype=False)


def test_a_column_that_cannot_be_told_stays_with_a_message(caplog: pytest.LogCaptureFixture) -> None:
    single = RESULTS.iloc[:2].assign(note=["p", "q"])
    assert list(drop_results(single).columns) == ["qid", "query", "note"]
    (message,) = caplog.messages
    assert "'note'" in message
    caplog.clear()
    lists = RankedLists(single[["qid", "query", "note"]], np.arange(2), np.array(["x", "y"], dtype=object), np.ones(2))
    assert list(drop_results(lists.frame().head(1)).columns) == ["qid", "query", "note"]  # It came with the questions.
    drop_results(RESULTS.iloc[:2])
    drop_results(single.iloc[:0])
    assert caplog.messages == []


def test_a_qid_given_twice_is_refused() -> None:
    queries = pd.DataFrame({"qid": ["1", "2", "1"], "query": ["a", "b", "c"]})
    with pytest.raises(ComponentError, match=r"^bm25: .*'1' .*twice"):
        unique_queries(queries, "bm25")
    assert len(unique_queries(RESULTS, "bm25")) == 2


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
