"""Every generator: ranked lists in, one answer a query out."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pyterrier as pt
import pytest

from legalir.answer.generator import ANSWER_COLUMNS, Generator
from legalir.errors import ComponentError


class Repeat(Generator):
    """Says what it was given."""

    name = "repeat"

    def __init__(self, sign: str = "|") -> None:
        self.sign = sign

    def answer(self, query: str, docnos: Sequence[str]) -> str:
        return self.sign.join([query, *docnos])


LISTS = pd.DataFrame(
    {
        "qid": ["q2", "q1", "q2", "q1"],
        "query": ["둘?", "하나?", "둘?", "하나?"],
        "asked": [2, 1, 2, 1],
        "docno": ["b", "c", "a", "a"],
        "score": [1.0, 3.0, 1.0, 0.5],
        "rank": [0, 0, 1, 1],
        "text": ["나", "다", "가", "가"],
    },
    index=[5, 5, 5, 0],
)


def test_one_answer_a_query_in_order_of_appearance() -> None:
    before = LISTS.copy()
    out = Repeat().transform(LISTS)
    assert out[["qid", "query", "asked", "qanswer", "context_docnos"]].to_dict("records") == [
        {"qid": "q2", "query": "둘?", "asked": 2, "qanswer": "둘?|b|a", "context_docnos": ("b", "a")},
        {"qid": "q1", "query": "하나?", "asked": 1, "qanswer": "하나?|c|a", "context_docnos": ("c", "a")},
    ]
    assert list(out.columns) == ["qid", "query", "asked", *ANSWER_COLUMNS]
    defaults = out[["citations", "quotes", "abstained", "reply_state", "choice"]].iloc[0].tolist()
    assert defaults == [(), (), False, "ok", 0]
    assert out.index.tolist() == [0, 1]
    pd.testing.assert_frame_equal(LISTS, before)


def test_an_answer_that_a_query_brings_is_replaced() -> None:
    assert Repeat().transform(LISTS.assign(qanswer="old"))["qanswer"].tolist() == ["둘?|b|a", "하나?|c|a"]


def test_the_original_question_is_answered_not_the_rewritten_one() -> None:
    rewritten = LISTS.rename(columns={"query": "query_1"}).assign(query_0="once", query="twice")
    assert Repeat().transform(rewritten)["qanswer"].tolist() == ["둘?|b|a", "하나?|c|a"]


def test_a_list_without_ranks_is_refused() -> None:
    with pytest.raises(pt.validate.InputValidationError):
        Repeat().transform(LISTS.drop(columns="rank"))


def test_faults_are_named() -> None:
    with pytest.raises(ComponentError, match=r"^repeat: 'b' .*twice.*'q2'"):
        Repeat().transform(pd.concat([LISTS, LISTS.iloc[:1]]))
    with pytest.raises(ComponentError, match=r"^repeat: .*query 7 of 'q1'"):
        Repeat().transform(LISTS.assign(query=["둘?", 7, "둘?", 7]))


def test_an_answer_that_is_not_a_string_is_named() -> None:
    class Silent(Repeat):
        def answer(self, query: str, docnos: Sequence[str]) -> str:
            return None  # type: ignore[return-value]

    with pytest.raises(ComponentError, match=r"^repeat: .*answer to 'q2' .*NoneType"):
        Silent().transform(LISTS)
