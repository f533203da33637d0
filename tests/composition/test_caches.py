"""The caches of pyterrier-caching around our components: the same frames, and nothing computed twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pyterrier_caching
import pytest
from composition_material import PIPELINES, QUERIES, scores_of

from legalir.collection.collection import Collection
from legalir.frames.scorer import PairScorer, scorer_of
from legalir.graph.sar import SAR

QUESTIONS = QUERIES[["qid", "query"]]


@pytest.fixture(name="scorer", params=["bm25", "lsa"])
def scorer_of_a_retriever(request: pytest.FixtureRequest, collection: Collection) -> PairScorer:
    found = scorer_of(collection.pipeline(request.param))
    assert isinstance(found, PairScorer)
    return found


@pytest.fixture(name="score_cache", params=["SparseScorerCache", "DenseScorerCache"])
def cache_of_scores(
    request: pytest.FixtureRequest, collection: Collection, scorer: PairScorer, tmp_path: Path
) -> Iterator[pt.Transformer]:
    with closing(getattr(pyterrier_caching, request.param)(str(tmp_path / "scores"), scorer)) as cache:
        if request.param == "DenseScorerCache":
            cache.build({"docno": provision.doc_id} for provision in collection.docs())
        yield cache


@pytest.mark.parametrize("expression", [text for text in PIPELINES if "focus" not in text])
def test_retriever_cache(collection: Collection, expression: str, tmp_path: Path, calls: list[str]) -> None:
    system = collection.pipeline(expression)
    expected = system(QUERIES)
    with closing(pyterrier_caching.RetrieverCache(str(tmp_path / "runs"), system)) as cache:
        pd.testing.assert_frame_equal(cache(QUERIES), expected)
        calls.clear()
        pd.testing.assert_frame_equal(cache(QUERIES), expected)
        assert calls == []
        turned = cache(QUERIES.iloc[::-1])
        assert scores_of(turned) == scores_of(expected)
        assert turned["qid"].unique().tolist() == ["q3", "q2", "q1"]
        new = pd.concat([QUERIES.iloc[:1], QUERIES.iloc[:1].assign(qid="q9", query="자동화재탐지설비")])
        pd.testing.assert_frame_equal(cache(new), system(new))
        assert len(calls) > 0
    calls.clear()
    # Another process finds it again by its path, and needs no retriever for what is there.
    with closing(pyterrier_caching.RetrieverCache(str(tmp_path / "runs"), system)) as again:
        pd.testing.assert_frame_equal(again(QUERIES), expected)
        assert calls == []


REWRITING = ("focus(over=5) >> bm25", "focus(over=5) >> bm25 % 30 >> family")


@pytest.mark.parametrize("expression", REWRITING)
def test_what_rewrites_queries_is_cached_by_qid(
    collection: Collection, expression: str, tmp_path: Path, calls: list[str]
) -> None:
    """Results are stored under the columns that come out, and a rewritten query is not the one that is looked up.

    That is so for every rewriting of PyTerrier: name what stays, or put the cache behind the rewriting.
    """
    system = collection.pipeline(expression)
    expected = system(QUERIES)
    with closing(pyterrier_caching.RetrieverCache(str(tmp_path / "by-qid"), system, on="qid")) as cache:
        pd.testing.assert_frame_equal(cache(QUERIES), expected)
        calls.clear()
        pd.testing.assert_frame_equal(cache(QUERIES), expected)
        assert calls == []
    behind = pt.Compose(*list(system)[1:])
    with closing(pyterrier_caching.RetrieverCache(str(tmp_path / "behind"), behind)) as cache:
        for _ in range(2):
            calls.clear()
            found = (system[0] >> cache)(QUERIES)
        assert calls == ["Focus"]
        assert scores_of(found) == scores_of((system[0] >> behind)(QUERIES))


def test_score_cache(collection: Collection, score_cache: pt.Transformer, scorer: PairScorer, calls: list[str]) -> None:
    given = collection.pipeline("rrf(bm25, lsa) % 40")(QUESTIONS)
    expected = scores_of(scorer(given))
    assert scores_of(score_cache(given.head(60))) == {
        pair: expected[pair] for pair in zip(given["qid"][:60], given["docno"][:60], strict=True)
    }
    calls.clear()
    assert scores_of(score_cache(given.head(60))).items() <= expected.items()
    assert calls == []
    assert scores_of(score_cache(given)) == expected
    assert len(calls) == 1, "only what was not there is scored"
    calls.clear()
    assert scores_of(score_cache(given)) == expected
    assert calls == []


def test_sar_scores_what_lists_lack_through_a_cache(
    collection: Collection, score_cache: pt.Transformer, scorer: PairScorer, calls: list[str]
) -> None:
    """A cache holds its scorer as `scorer`, and scores given documents itself."""
    assert scorer_of(score_cache) is None
    first = collection.pipeline("bm25 % 20")
    plain, cached = (first >> SAR(collection.graph, scorer=one, normalize="minmax") for one in (scorer, score_cache))
    expected = plain(QUERIES)
    for _ in range(2):
        calls.clear()
        pd.testing.assert_frame_equal(cached(QUERIES), expected)
    assert calls == ["BM25", "SAR"]


def test_vectors_of_queries_are_kept(collection: Collection, tmp_path: Path, calls: list[str]) -> None:
    index = collection.dense()
    cache = pyterrier_caching.KeyValueCache(
        str(tmp_path / "vectors"), index.query_encoder(), key="query", value="query_vec"
    )
    system = index.query_encoder() >> index.retriever(10) >> collection.pipeline("rocchio(index=lsa)")
    with closing(cache):
        cached = cache >> system[1] >> system[2]
        for _ in range(2):
            calls.clear()
            pd.testing.assert_frame_equal(cached(QUERIES), system(QUERIES))
    assert calls.count("QueryEncoder") == 1, "that of the pipeline that is not cached"


def test_documents_are_indexed_from_a_cache(collection: Collection, tmp_path: Path) -> None:
    """Provisions that another pipeline prepared come out of a cache as they went in."""
    from legalir.lexical.sparse import SparseIndex

    documents = [
        {"docno": provision.doc_id, "title": provision.title, "text": provision.text} for provision in collection.docs()
    ]
    cache = pyterrier_caching.IndexerCache(str(tmp_path / "documents"))
    with closing(cache):
        cache.index(documents)
        index = SparseIndex(tmp_path / "index")
        index.index(cache.get_corpus_iter(verbose=False))
    assert index.manifest.files == collection.sparse().manifest.files
