"""Rocchio over weighted terms."""

from __future__ import annotations

from collections.abc import Callable

import feedback_material
import numpy as np
import pandas as pd
import pytest
from feedback_material import QUERIES

from legalir.dense.rocchio import TermRocchio
from legalir.errors import ComponentError
from legalir.explanation import explain
from legalir.frames.scorer import scorer_of
from legalir.lexical.retriever import SparseRetriever
from legalir.lexical.sparse import SparseIndex


@pytest.fixture(name="index", scope="module")
def built_index(tmp_path_factory: pytest.TempPathFactory) -> SparseIndex:
    return feedback_material.sparse(tmp_path_factory.mktemp("terms"))


@pytest.fixture(name="retriever", params=["bm25", "tfidf"])
def made_retriever(request: pytest.FixtureRequest, index: SparseIndex) -> SparseRetriever:
    make: Callable[[SparseIndex], SparseRetriever] = {"bm25": SparseIndex.bm25, "tfidf": SparseIndex.tfidf}[
        request.param
    ]
    return make(index)


def matrix(retriever: SparseRetriever) -> np.ndarray:
    """Return the weights of all documents, [n, V]."""
    index = retriever.index
    dense = np.zeros((len(index), len(index.terms)))
    terms = np.repeat(np.arange(len(index.terms)), np.diff(index.indptr))
    dense[index.documents, terms] = retriever.posting_weights()
    return dense


def query_vector(retriever: SparseRetriever, query: str) -> np.ndarray:
    vector = np.zeros(len(retriever.index.terms))
    np.add.at(vector, *retriever.query_vector(*retriever.known_terms(query)))
    return vector


@pytest.mark.parametrize(("alpha", "beta", "k"), [(0.3, 0.7, 15), (0.8, 0.2, 2), (0, 1, 1)])
def test_with_all_terms_it_is_rocchio_on_vectors(retriever: SparseRetriever, alpha: float, beta: float, k: int) -> None:
    before = retriever(QUERIES)
    found = TermRocchio(retriever, alpha, beta, k, terms=None)(before)
    assert list(found.columns) == ["qid", "query", "year", "query_toks", "docno", "score", "rank"]
    weights = matrix(retriever)
    unit = weights / np.linalg.norm(weights, axis=1, keepdims=True)
    for qid, rows in found.groupby("qid"):
        own = before[before["qid"] == qid]
        first = retriever.index.docno_table.numbers(own["docno"])[:k]
        query = query_vector(retriever, own["query"].iloc[0])
        moved = alpha * query + beta * np.linalg.norm(query) * unit[first].mean(axis=0)
        expected = weights @ moved * np.linalg.norm(query) / np.linalg.norm(moved)
        scores = rows.set_index("docno")["score"]
        numbers = retriever.index.docno_table.numbers(scores.index)
        np.testing.assert_allclose(scores, expected[numbers], rtol=1e-5)
        assert (np.delete(expected, numbers) == 0).all()


def test_without_feedback_the_scores_stay(retriever: SparseRetriever) -> None:
    before = retriever(QUERIES)
    found = TermRocchio(retriever, alpha=1, beta=0)(before).drop(columns="query_toks")
    pd.testing.assert_frame_equal(found, before, rtol=1e-6)


def test_cosines_stay_cosines(index: SparseIndex) -> None:
    found = TermRocchio(index.tfidf(), terms=5)(index.tfidf()(QUERIES))
    assert found["score"].between(0, 1 + 1e-6).all()


def test_only_so_many_terms_are_added(retriever: SparseRetriever) -> None:
    before = retriever(QUERIES)
    for terms in (0, 1, 3):
        for row in TermRocchio(retriever, terms=terms)(before).drop_duplicates("qid").itertuples():
            assert len(set(row.query_toks) - set(row.query.split())) == terms


def test_candidates_have_the_scores_of_a_full_search(retriever: SparseRetriever) -> None:
    before = retriever(QUERIES).query("rank < 8")
    chain = TermRocchio(retriever, k=4, terms=6)
    full = chain(before).set_index(["qid", "docno"])["score"]
    found = TermRocchio(retriever, k=4, terms=6, mode="candidate")(before)
    assert len(found) == len(before)
    assert all(row.score == full[row.qid, row.docno] for row in found.itertuples())


def test_the_moved_query_is_used_by_the_scorer(retriever: SparseRetriever) -> None:
    chain = retriever >> TermRocchio(retriever, k=3)
    found = chain(QUERIES)
    scorer = scorer_of(chain % 5)
    assert scorer == retriever.scorer()
    assert scorer is not None
    scored = scorer(found.drop(columns=["score", "rank"]))
    assert scored["score"].tolist() == found["score"].tolist()
    assert len(scorer(found.iloc[:0])) == 0
    unknown = scorer(pd.DataFrame({"qid": ["1"], "docno": ["d01"], "query_toks": [{"zebra": 1.0}]}))
    assert unknown["score"].tolist() == [0]


def test_its_terms_explain_the_scores(retriever: SparseRetriever) -> None:
    chain = retriever >> TermRocchio(retriever, k=3, terms=4)
    for found in explain(chain, "가 나 법"):
        assert found.is_whole()
        assert found.parts
        assert all(part.label.endswith(("(of the query)", "(added)")) for part in found.parts)
    assert TermRocchio(retriever).explain(retriever(QUERIES.iloc[:1]), ["nowhere"], lambda docnos: {}) == {}


def test_a_document_that_is_not_there_is_named(index: SparseIndex) -> None:
    with pytest.raises(ComponentError, match=r"TermRocchio.*'x9'.*'b'"):
        TermRocchio(index.bm25())(index.bm25(num_results=1)(QUERIES.iloc[:1]).assign(docno="x9"))
