"""The end of a long question counts more."""

from __future__ import annotations

import unicodedata

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from legalir.rewrite.focus import Focus


def focused(question: str, over: int, share: float, times: int) -> str:
    frame = pd.DataFrame({"qid": ["1"], "query": [question]})
    return str(Focus(over=over, share=share, times=times).transform(frame)["query"].iloc[0])


def test_a_short_question_stays() -> None:
    assert focused(" 창문 없는 층? ", over=200, share=0.3, times=3) == "창문 없는 층?"
    assert focused("가" * 200, over=200, share=0.3, times=3) == "가" * 200
    assert focused("a" * 600, over=200, share=0.3, times=3) == "a" * 600  # a letter of an alphabet counts as a third


def test_the_end_is_repeated_from_a_white_space() -> None:
    # 30 characters; the cut at int(0.7 · 30) = 21 lies in "fffff" and moves on to the space at 23.
    question = "aaaaa bbbbb ccccc ddddd eeeeee"
    assert len(question) == 30
    assert focused(question, over=10, share=0.3, times=3) == f"{question} eeeeee eeeeee"


def test_without_a_white_space_the_cut_stays() -> None:
    assert focused("ก" * 100, over=10, share=0.25, times=2) == "ก" * 100 + " " + "ก" * 25


@given(st.text(max_size=300), st.integers(0, 300), st.floats(0, 1), st.integers(1, 5))
def test_nothing_is_lost(question: str, over: int, share: float, times: int) -> None:
    found = focused(question, over, share, times)
    composed = unicodedata.normalize("NFC", question).strip()
    assert found.startswith(composed)
    assert len(found) <= times * (len(composed) + 1)
    if times == 1 or len(composed) <= over:
        assert found == composed
    assert focused(unicodedata.normalize("NFD", question), over, share, times) == found


def test_the_question_is_kept_as_pyterrier_keeps_it() -> None:
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["층" * 300, "y"], "court": ["a", "b"]}, index=[7, 7])
    before = topics.copy()
    out = Focus().transform(topics)
    assert list(out["query_0"]) == ["층" * 300, "y"]
    assert len(out["query"].iloc[0]) > 300
    assert list(out["query"])[1] == "y"
    assert list(out["court"]) == ["a", "b"]
    pd.testing.assert_frame_equal(topics, before)
    assert set(Focus().transform(topics.iloc[:0]).columns) == set(out.columns)


def test_vectors_of_the_end_count_more_and_the_text_stays() -> None:
    question = "aaaaa bbbbb ccccc ddddd eeeeee"
    topics = pd.DataFrame({"qid": ["1", "2"], "query": [question, "y"], "query_vec": [[1.0], [2.0]]}, index=[7, 7])
    before = topics.copy()
    out = Focus(over=10, times=3, vectors=True).transform(topics)
    assert out["query_parts"].tolist() == [
        (("query", question), ("query", "eeeeee"), ("query", "eeeeee")),
        (("query", "y"),),
    ]
    assert out.drop(columns="query_parts").equals(before.drop(columns="query_vec"))
    pd.testing.assert_frame_equal(topics, before)
    assert set(Focus(vectors=True).transform(topics.iloc[:0]).columns) == set(out.columns)
