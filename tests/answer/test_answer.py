"""One question, its answer, and what the answer was made from."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pyterrier as pt
import pytest

from legalir import Collection
from legalir.collection.results import gives_answers
from legalir.errors import ComponentError

QUERY = "화재보험에 가입하지 않으면 과태료가 얼마인가요?"


@pytest.fixture(name="collection", scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return Collection("legalir/firecode", cache=tmp_path_factory.mktemp("cache"))


def test_an_answer_with_its_sources(collection: Collection) -> None:
    found = collection.answer(QUERY, "bm25 % 5 >> quote(k=2)")
    listed = collection.search(QUERY, "bm25", k=5)
    pd.testing.assert_frame_equal(pd.DataFrame(found.sources), pd.DataFrame(listed))
    assert list(found.citations) == listed["docno"].tolist()[:2] == list(found.context_docnos)
    assert found.query == QUERY
    assert str(found) == found.text
    assert found.text == collection.pipeline("bm25 % 5 >> quote(k=2)").search(QUERY)["qanswer"].iloc[0]
    assert found == replace(found, sources=found.sources.iloc[:0])
    assert {state for _, _, state in found.quotes} == {"verified"}
    assert "vact-24" in collection.answer(QUERY).citations, "the default pipeline finds what imposes the fine"


def test_a_question_that_finds_nothing_is_an_abstention(collection: Collection) -> None:
    found = collection.answer("?!", "bm25 % 5 >> quote")
    assert (found.text, found.citations, found.abstained, found.reason) == ("", (), True, "nothing found")
    assert list(found.sources.columns) == ["rank", "score", "docno", "title", "text"]
    assert len(found.sources) == 0


def test_a_generator_inside_of_another_component(collection: Collection) -> None:
    inner = collection.pipeline("bm25 % 2 >> quote")
    wrapped = pt.apply.generic(inner.transform)
    collection.pipeline = lambda expression: wrapped  # type: ignore[method-assign, assignment]
    try:
        found = collection.answer(QUERY, "wrapped")
    finally:
        del collection.pipeline  # type: ignore[method-assign]
    assert found.text
    assert len(found.sources) == 0


def test_what_gives_answers(collection: Collection) -> None:
    assert gives_answers(collection.pipeline("bm25 >> quote"))
    for expression in ("bm25", "quote", "focus", "bm25 | tfidf"):
        assert not gives_answers(collection.pipeline(expression)), expression


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("bm25", "^answer: 'bm25' .*generator"),
        ("quote", "^answer: 'quote': .* docno, score, rank,"),
        ("(bm25 | tfidf) >> quote", "^answer: .*[^,] score, rank,"),
    ],
)
def test_what_gives_none_is_refused(collection: Collection, expression: str, message: str) -> None:
    with pytest.raises(ComponentError, match=message):
        collection.answer(QUERY, expression)


def test_a_search_refuses_an_answer(collection: Collection) -> None:
    with pytest.raises(ComponentError, match=r"^search: 'bm25 >> quote' .*generator"):
        collection.search(QUERY, "bm25 >> quote")
