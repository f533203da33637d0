"""Sparse retrievers as PyTerrier transformers: frames in, frames out."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from legalir import Collection
from legalir.errors import ComponentError
from legalir.lexical.postings import ScoredPostings
from legalir.lexical.retriever import SparseRetriever
from legalir.lexical.sparse import SparseIndex

DOCUMENTS = [
    {"docno": "d1", "title": "소방시설법 제2조(정의)", "text": "무창층이란 개구부의 면적이 30분의 1 이하인 층"},
    {"docno": "d2", "text": "무창층"},
    {"docno": "c2", "text": "무창층"},
    {"docno": "d10", "text": "스프링클러설비는 지하층 또는 무창층에 설치ㆍ유지한다"},
    {"docno": "d9", "text": "ผู้ใดฆ่าผู้อื่น"},
]
QUERIES = pd.DataFrame(
    {
        "qid": ["q3", "q1", "q2", "q4"],
        "query": ["무창층의 기준은?", "설치·유지", "zebra xx", "ฆ่าผู้อื่น"],
        "lang": ["ko", "ko", "ko", "th"],
        "year": [2020, 2021, 2022, 2023],
    }
)
COLUMNS = ["qid", "query", "lang", "year", "docno", "score", "rank"]
MAKERS: dict[str, Callable[[SparseIndex], SparseRetriever]] = {
    "bm25": SparseIndex.bm25,
    "tfidf": SparseIndex.tfidf,
    "ql": SparseIndex.ql,
}


@pytest.fixture(name="index", scope="module")
def built_index(tmp_path_factory: pytest.TempPathFactory) -> SparseIndex:
    return SparseIndex(tmp_path_factory.mktemp("retriever") / "index", analyzer="jamo3").index(DOCUMENTS)


@pytest.fixture(name="retriever", params=list(MAKERS))
def made_retriever(request: pytest.FixtureRequest, index: SparseIndex) -> SparseRetriever:
    return MAKERS[request.param](index)


def test_results_are_ranked_frames(retriever: SparseRetriever) -> None:
    found = retriever(QUERIES)
    assert list(found.columns) == COLUMNS
    assert found["qid"].drop_duplicates().tolist() == ["q3", "q1", "q4"]
    assert found["score"].dtype == np.float64
    assert found["rank"].dtype == np.int64
    assert found["docno"].dtype == QUERIES["qid"].dtype
    assert found.index.tolist() == list(range(len(found)))
    for _, rows in found.groupby("qid"):
        assert rows["rank"].tolist() == list(range(len(rows)))
        ordered = sorted(zip(-rows["score"], rows["docno"], strict=True))
        assert rows["docno"].tolist() == [docno for _, docno in ordered]
        assert (rows["score"] > 0).all() or "mu" in vars(retriever), "a logarithm may be below 0"
        assert rows["docno"].is_unique


def test_equal_scores_come_by_docno(index: SparseIndex) -> None:
    assert index.bm25().search("무창층")["docno"].tolist()[:2] == ["c2", "d2"]
    assert index.bm25(num_results=1).search("무창층")["docno"].tolist() == ["c2"]


@pytest.mark.parametrize(
    "query", ["", "   ", "?!…「」", "\x00\x01\x1b[31m\x7f", "\ud800\udfff", "🔥", "\u200b\ufeff", "zebra", "\n\t\u3000"]
)
def test_queries_without_a_known_term_find_nothing(retriever: SparseRetriever, query: str) -> None:
    found = retriever(pd.DataFrame({"qid": ["1"], "query": [query]}, dtype=object))
    assert list(found.columns) == ["qid", "query", "docno", "score", "rank"]
    assert len(found) == 0
    assert found["score"].dtype == np.float64
    assert found["rank"].dtype == np.int64


def test_control_characters_are_gaps(retriever: SparseRetriever) -> None:
    expected = retriever.search("무창층 설치")[["docno", "score"]]
    for query in ("무창층\x00설치", "\x1b무창층\x07\r\n설치\ud800", "「무창층」…설치!"):
        found = retriever(pd.DataFrame({"qid": ["1"], "query": [query]}, dtype=object))
        pd.testing.assert_frame_equal(found[["docno", "score"]], expected)


def test_documents_of_a_result_frame_are_scored(retriever: SparseRetriever) -> None:
    first = retriever(QUERIES)
    given = first.assign(text=[f"text of {docno}" for docno in first["docno"]])
    pd.testing.assert_frame_equal(retriever(given.assign(score=0.0)), given)
    worst = given[given["rank"] > 0]
    assert retriever(worst)[["docno", "score"]].to_dict() == worst.reset_index(drop=True)[["docno", "score"]].to_dict()
    assert list(retriever(first.iloc[:0]).columns) == COLUMNS


def test_no_more_results_than_asked_for_and_no_less_than_there_are(index: SparseIndex) -> None:
    everything = index.bm25(num_results=1_000_000).search("무창층")
    assert everything["docno"].tolist()[:2] == ["c2", "d2"]
    assert len(everything) == 4
    for k in range(1, 6):
        pd.testing.assert_frame_equal(index.bm25(num_results=k).search("무창층"), everything.head(k))


@pytest.mark.parametrize("query", [None, float("nan"), 3, b"abc"])
def test_a_query_that_is_no_string_is_named(retriever: SparseRetriever, query: object) -> None:
    frame = pd.DataFrame({"qid": ["q7"], "query": pd.Series([query], dtype=object)})
    with pytest.raises(ComponentError, match="'q7'"):
        retriever(frame)


def test_pyterrier_can_inspect_it(tmp_path: Path) -> None:
    for make in MAKERS.values():
        retriever = make(SparseIndex(tmp_path / "nowhere"))
        assert pt.inspect.transformer_inputs(retriever) == [["qid", "query"], ["qid", "query_toks"]]
        assert pt.inspect.transformer_outputs(retriever, ["qid", "query"]) == ["qid", "query", "docno", "score", "rank"]
        assert pt.inspect.transformer_outputs(retriever, COLUMNS) == COLUMNS
        for pipeline in (retriever % 10, retriever >> retriever, retriever + retriever):
            outputs = pt.inspect.transformer_outputs(pipeline, ["qid", "query"])
            assert {"qid", "query", "docno", "score", "rank"} <= set(outputs)


def test_a_retriever_that_says_nothing_about_weights_is_abstract(index: SparseIndex) -> None:
    class Nothing(SparseRetriever):
        def __init__(self, index: SparseIndex) -> None:
            self.index = index
            self.num_results = 10

    with pytest.raises(NotImplementedError):
        Nothing(index).search("무창층")
    with pytest.raises(NotImplementedError):
        Nothing(index).query_vector(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


@pytest.mark.parametrize(
    "expression",
    [
        "bm25(k1=1.5)",
        "bm25(method='bm25l')",
        "bm25f(k1=1.1)",
        "ql(mu=77)",
        "tfidf",
        "bm25 >> rm3",
        "rrf(bm25(b=0.5), lsa)",
    ],
)
def test_weights_are_freed_with_the_pipeline_that_holds_them(expression: str) -> None:
    # A server makes such pipelines for requests: what waits for the collector of cycles grows by their weights.
    pipeline = Collection("legalir/firecode").pipeline(expression)
    pipeline.search("smoke")
    gc.collect()
    gc.disable()
    try:
        held = [weakref.ref(one) for one in gc.get_objects() if isinstance(one, ScoredPostings)]
        del pipeline
        assert held
        assert [one() for one in held] == [None] * len(held)
    finally:
        gc.enable()
