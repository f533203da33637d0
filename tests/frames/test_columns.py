"""Frames: what they must have, what of them is a query, and the one order of results."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.errors import ComponentError
from legalir.frames.columns import drop_results, empty_like, rank_results, require_columns, whole_characters

ROWS = st.lists(
    st.tuples(st.sampled_from("213"), st.sampled_from(["제2조", "제10조", "a", "b", "Z"]), st.integers(-2, 2)),
    unique_by=lambda row: row[:2],
)


def frame_of(rows: list[tuple[str, str, float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["qid", "docno", "score"]).astype({"qid": str, "docno": str, "score": float})


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


def test_ranking_by_score_then_docno() -> None:
    frame = frame_of([("2", "b", 1.0), ("1", "a", 3.0), ("2", "a", 1.0), ("2", "Z", 0.5), ("2", "c", 2.0)])
    ranked = rank_results(frame)
    assert list(ranked[["qid", "docno", "rank"]].itertuples(index=False, name=None)) == [
        ("2", "c", 0),
        ("2", "a", 1),
        ("2", "b", 2),
        ("2", "Z", 3),
        ("1", "a", 0),
    ]


def test_docnos_are_ordered_by_code_point() -> None:
    frame = frame_of([("1", docno, 1.0) for docno in ["제10조", "b", "제2조", "B", "a"]])
    assert list(rank_results(frame)["docno"]) == sorted(frame["docno"])


@given(ROWS, st.randoms(use_true_random=False))
def test_ranking_agrees_with_sorting_plain_tuples(rows: list[tuple[str, str, float]], random: object) -> None:
    frame = frame_of(rows)
    before = frame.copy(deep=True)
    ranked = rank_results(frame)
    pd.testing.assert_frame_equal(frame, before)
    queries = list(dict.fromkeys(row[0] for row in rows))
    expected = []
    for qid in queries:
        of_query = sorted((row for row in rows if row[0] == qid), key=lambda row: (-row[2], row[1]))
        expected += [(*row, rank) for rank, row in enumerate(of_query)]
    assert list(ranked.itertuples(index=False, name=None)) == expected
    assert ranked["rank"].dtype == "int64"


def test_ranking_keeps_other_columns_beside_their_rows_and_replaces_ranks() -> None:
    frame = frame_of([("1", "a", 1.0), ("1", "b", 2.0)]).assign(rank=[7, 7], note=["of a", "of b"])
    ranked = rank_results(frame)
    assert list(ranked["note"]) == ["of b", "of a"]
    assert list(ranked["rank"]) == [0, 1]


@pytest.mark.parametrize(
    ("text", "whole"),
    [("", ""), ("제5조 🔥", "제5조 🔥"), ("\ud83d\udd25", "🔥"), ("a\ud800b", "a�b"), ("\udcff", "�")],
)
def test_halves_of_surrogate_pairs_are_replaced(text: str, whole: str) -> None:
    assert whole_characters(text) == whole
