"""Sparse retrievers as PyTerrier transformers: frames in, frames out."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from legalir.errors import ComponentError
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


def test_columns_of_queries_survive_beside_their_rows(retriever: SparseRetriever) -> None:
    found = retriever(QUERIES)
    expected = QUERIES.set_index("qid").loc[found["qid"], ["query", "lang", "year"]].reset_index()
    pd.testing.assert_frame_equal(found[["qid", "query", "lang", "year"]], expected)


def test_the_input_stays_as_it_is(retriever: SparseRetriever) -> None:
    given = QUERIES.copy(deep=True)
    retriever(given)
    pd.testing.assert_frame_equal(given, QUERIES)


@pytest.mark.parametrize("labels", [[5, 5, 5, 5], list("abcd"), [3, 1, 2, 0]])
def test_the_labels_of_the_input_do_not_matter(retriever: SparseRetriever, labels: list[object]) -> None:
    """A frame put together from several has labels that repeat."""
    relabelled = QUERIES.set_axis(pd.Index(labels), axis=0)
    pd.testing.assert_frame_equal(retriever(relabelled), retriever(QUERIES))


def test_batches_and_their_order_do_not_matter(retriever: SparseRetriever) -> None:
    whole = retriever(QUERIES)
    alone = [retriever(QUERIES.iloc[[i]]) for i in range(len(QUERIES))]
    pd.testing.assert_frame_equal(pd.concat(alone, ignore_index=True), whole)
    backwards = retriever(QUERIES.iloc[::-1])
    for qid, rows in whole.groupby("qid"):
        other = backwards[backwards["qid"] == qid].reset_index(drop=True)
        pd.testing.assert_frame_equal(other, rows.reset_index(drop=True))


def test_an_empty_frame_has_all_columns_and_opens_no_index(tmp_path: Path) -> None:
    for make in MAKERS.values():
        retriever = make(SparseIndex(tmp_path / "nowhere"))
        for frame in (QUERIES.iloc[:0], pd.DataFrame(columns=COLUMNS)):
            found = retriever(frame)
            assert list(found.columns) == COLUMNS
            assert len(found) == 0


@pytest.mark.parametrize(
    "query",
    ["", "   ", "?!…「」", "\x00\x01\x1b[31m\x7f", "\ud800\udfff", "🔥", "\u200b\ufeff", "zebra", "\n\t\u3000"],
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


def test_normal_forms_of_a_query_find_the_same(retriever: SparseRetriever) -> None:
    decomposed = unicodedata.normalize("NFD", "무창층의 기준은?")
    expected = retriever.search("무창층의 기준은?")
    pd.testing.assert_frame_equal(retriever.search(decomposed).drop(columns="query"), expected.drop(columns="query"))


def test_a_query_of_a_megabyte(retriever: SparseRetriever) -> None:
    started = time.process_time()
    query = "".join(chr(0xAC00 + i * 7919 % 11172) + " " * (i % 5 == 0) for i in range(400_000)) + " 무창층"
    assert len(query.encode()) > 1_000_000
    found = retriever.search(query)
    assert set(found["docno"]) >= {"d2", "c2"}
    assert np.isfinite(found["score"]).all()
    assert time.process_time() - started < 20


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


def test_missing_columns_are_pyterriers_error(retriever: SparseRetriever) -> None:
    for frame in (pd.DataFrame({"qid": ["1"]}), pd.DataFrame({"query": ["법"]}), pd.DataFrame(columns=["qid"])):
        with pytest.raises(pt.validate.InputValidationError):
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


def test_operators(index: SparseIndex) -> None:
    bm25, tfidf = index.bm25(), index.tfidf()
    whole = bm25(QUERIES)
    pd.testing.assert_frame_equal((bm25 % 2)(QUERIES), whole[whole["rank"] < 2].reset_index(drop=True))
    pd.testing.assert_frame_equal((tfidf >> bm25)(QUERIES), bm25(QUERIES[QUERIES["qid"] != "q2"]))
    both = (bm25 + tfidf)(QUERIES).set_index(["qid", "docno"])["score"]
    parts = [retriever(QUERIES).set_index(["qid", "docno"])["score"] for retriever in (bm25, tfidf)]
    pd.testing.assert_series_equal(both.sort_index(), (parts[0] + parts[1]).sort_index())
    twice = (2 * bm25)(QUERIES).set_index(["qid", "docno"])["score"]
    pd.testing.assert_series_equal(twice.sort_index(), (2 * parts[0]).sort_index())


def test_identity(index: SparseIndex, tmp_path: Path) -> None:
    assert index.bm25() == index.bm25(k1=0.9, b=0.4)
    assert hash(index.bm25()) == hash(index.bm25(k1=0.9, b=0.4))
    assert index.bm25() != index.bm25(k1=1.0)
    assert index.bm25() != index.tfidf()
    assert index.tfidf() != index.tfidf(idf="sklearn")
    assert index.bm25() != SparseIndex(tmp_path / "other", analyzer="jamo3").bm25()
    assert (index.bm25() % 10) == (index.bm25() % 10)
    other = SparseIndex("my.index", analyzer="jamo3")
    assert repr(other.bm25(b=0.5)) == (
        "BM25(index=SparseIndex('my.index', analyzer='jamo3'), k1=0.9, b=0.5, num_results=1000, "
        "method='lucene', delta=None)"
    )
    assert repr(other.tfidf()) == (
        "TFIDF(index=SparseIndex('my.index', analyzer='jamo3'), idf='lucene', num_results=1000, min_df=1, max_df=1.0)"
    )


def test_one_index_many_parameters(index: SparseIndex) -> None:
    """`k1` and `b` belong to the search: retrievers over one index do not disturb each other."""
    retrievers = [index.bm25(k1=k1, b=b) for k1 in (0.5, 2.0) for b in (0.0, 1.0)]
    first = [retriever.search("무창층의 층") for retriever in retrievers]
    again = [retriever.search("무창층의 층") for retriever in reversed(retrievers)][::-1]
    for one, two in zip(first, again, strict=True):
        pd.testing.assert_frame_equal(one, two)
    assert len({tuple(frame["score"]) for frame in first}) == len(retrievers)


def test_a_retriever_that_says_nothing_about_weights_is_abstract(index: SparseIndex) -> None:
    class Nothing(SparseRetriever):
        def __init__(self, index: SparseIndex) -> None:
            self.index = index
            self.num_results = 10

    with pytest.raises(NotImplementedError):
        Nothing(index).search("무창층")
    with pytest.raises(NotImplementedError):
        Nothing(index).query_vector(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def test_a_rank_cutoff_is_fused_exactly(index: SparseIndex) -> None:
    retriever = index.bm25(num_results=50)
    cut = (retriever % 3).compile()
    assert isinstance(cut, SparseRetriever)
    assert cut == index.bm25(num_results=3)
    pd.testing.assert_frame_equal(
        cut.search("무창층의 층"), (retriever % 3).search("무창층의 층").reset_index(drop=True)
    )
    assert retriever.fuse_rank_cutoff(60) is retriever
    assert retriever.num_results == 50
