"""Rocchio on a dense index, against the formula in plain numpy."""

from __future__ import annotations

from typing import Any

import feedback_material
import numpy as np
import pandas as pd
import pytest
from feedback_material import QUERIES
from refusals import refused

from legalir import pipeline
from legalir.dense.index import DenseIndex
from legalir.dense.rocchio import Rocchio, TermRocchio
from legalir.errors import ComponentError, ExpressionError
from legalir.explanation import explain
from legalir.frames.scorer import scorer_of
from legalir.lexical.sparse import SparseIndex


@pytest.fixture(name="index", scope="module")
def built_index(tmp_path_factory: pytest.TempPathFactory) -> DenseIndex:
    return feedback_material.dense(tmp_path_factory.mktemp("rocchio"))


def formula(index: DenseIndex, first: list[str], query: str, alpha: float, beta: float) -> np.ndarray:
    """Return the cosines of all documents with q'."""
    assert index.encoder is not None
    numbers = [index.docnos.tolist().index(docno) for docno in first]
    moved = alpha * index.encoder.encode_queries([query])[0] + beta * index.vectors[numbers].mean(axis=0)
    return np.asarray(index.vectors @ (moved / np.linalg.norm(moved)))


@pytest.mark.parametrize(("alpha", "beta", "k"), [(0.3, 0.7, 15), (1, 0, 3), (0, 1, 1), (0.5, 0.5, 100)])
def test_scores_are_those_of_the_formula(index: DenseIndex, alpha: float, beta: float, k: int) -> None:
    before = index.retriever(20)(QUERIES)
    found = Rocchio(index, alpha, beta, k)(before)
    assert list(found.columns) == ["qid", "query", "year", "query_vec", "docno", "score", "rank"]
    assert found["qid"].drop_duplicates().tolist() == ["b", "a"]
    for qid, rows in found.groupby("qid"):
        own = before[before["qid"] == qid]
        expected = formula(index, own["docno"].tolist()[:k], own["query"].iloc[0], alpha, beta)
        scores = rows.set_index("docno")["score"]
        assert len(rows) == 40
        np.testing.assert_allclose(scores[index.docnos], expected, atol=1e-5)
        assert rows["rank"].tolist() == list(range(40))


def test_candidates_have_the_scores_of_a_full_search(index: DenseIndex) -> None:
    before = index.retriever(12)(QUERIES).assign(text="kept")
    full = Rocchio(index, k=4)(before).set_index(["qid", "docno"])["score"]
    found = Rocchio(index, k=4, mode="candidate")(before.sample(frac=1, random_state=1))
    assert sorted(found.columns) == sorted([*before.columns, "query_vec"])
    assert set(zip(found["qid"], found["docno"], strict=True)) == set(zip(before["qid"], before["docno"], strict=True))
    assert all(row.score == full[row.qid, row.docno] for row in found.itertuples())
    for _, rows in found.groupby("qid"):
        assert rows["rank"].tolist() == list(range(12))
        assert rows["score"].is_monotonic_decreasing


def test_equal_scores_are_taken_by_docno(index: DenseIndex) -> None:
    """Ranks that came in do not matter, and ties are ordered as everywhere."""
    before = index.retriever(6)(QUERIES.iloc[:1]).assign(score=1.0)
    first = sorted(before["docno"])[:2]
    found = Rocchio(index, k=2)(before).set_index("docno")["score"]
    np.testing.assert_allclose(found[index.docnos], formula(index, first, QUERIES["query"][0], 0.3, 0.7), atol=1e-5)


def test_the_moved_query_is_used_by_what_follows(index: DenseIndex) -> None:
    chain = index.retriever(10) >> Rocchio(index, k=3)
    found = chain(QUERIES)
    pd.testing.assert_frame_equal((chain >> index.retriever())(QUERIES), found)
    scorer = scorer_of(chain % 5)
    assert scorer == index.scorer()
    assert scorer is not None
    scored = scorer(found.drop(columns=["score", "rank"]))
    # The scorer scales q' to length 1 again, which may round its numbers.
    assert scored["score"].tolist() == pytest.approx(found["score"].tolist(), abs=1e-6)


def test_a_query_that_says_nothing_follows_the_feedback(index: DenseIndex) -> None:
    given = pd.DataFrame({"qid": ["1"], "query": ["zebra"], "docno": ["d07"], "score": [1.0]})
    found = Rocchio(index)(given)
    number = index.docnos.tolist().index("d07")
    scores = found.set_index("docno")["score"]
    np.testing.assert_allclose(scores[index.docnos], index.vectors @ index.vectors[number], atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"docno": "x9"}, "document 'x9' of query 'b'"),
        ({"score": float("nan")}, "score .*NaN or an infinity"),
        ({"score": float("inf")}, "score .*NaN or an infinity"),
        ({"query": None}, "query None of 'b'"),
    ],
)
def test_faulty_rows_are_named(index: DenseIndex, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ComponentError, match=message):
        Rocchio(index)(index.retriever(1)(QUERIES.iloc[:1]).astype({"query": object}).assign(**changes))


def test_alpha_and_beta_are_not_both_0(index: DenseIndex) -> None:
    with pytest.raises(ComponentError, match=r"alpha.*beta"):
        Rocchio(index, alpha=0, beta=0)


def test_another_kind_of_index_is_refused(index: DenseIndex) -> None:
    other = SparseIndex("nowhere")
    with refused("rocchio", "index", other):
        Rocchio(other)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["full", "candidate"])
def test_the_query_and_each_first_result_explain_the_scores(index: DenseIndex, mode: Any) -> None:
    chain = index.retriever(10) >> Rocchio(index, k=3, mode=mode)
    found = explain(chain, "가 나 법")
    assert len(found) == (40 if mode == "full" else 10)
    for explanation in found:
        assert explanation.is_whole()
        labels = [part.label for part in explanation.parts]
        assert len(labels) == 4
        assert "not explained" not in labels
        source = explanation.parts[0].source
        assert source is not None
        assert source.is_whole()


def test_in_an_expression_it_takes_the_index_on_its_left(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    dense, sparse = feedback_material.dense(tmp_path), feedback_material.sparse(tmp_path)
    monkeypatch.setattr(DenseIndex, "of", lambda *asked, **options: dense)
    monkeypatch.setattr(SparseIndex, "of", lambda *asked, **options: sparse)

    def last(expression: str) -> Any:
        return pipeline.build(expression, None)[-1]  # type: ignore[index]

    assert last("lsa >> rocchio") == Rocchio(dense)
    assert last("lsa % 100 >> rocchio(k=3, mode='candidate')") == Rocchio(dense, k=3, mode="candidate")
    assert last("lsa >> rocchio >> rocchio") == Rocchio(dense)
    assert last("bm25 >> rocchio(index=lsa, num_results=5)") == Rocchio(dense, num_results=5)
    assert last("bm25(k1=2) >> rocchio(terms=7)") == TermRocchio(sparse.bm25(k1=2), terms=7)
    assert last("lsa >> rocchio(index=tfidf % 3)") == TermRocchio(sparse.tfidf())
    for expression in ("rocchio", "(bm25 + lsa) >> rocchio"):
        with pytest.raises(ExpressionError, match=r"rocchio\(index=lsa"):
            pipeline.build(expression, None)
    with pytest.raises(ExpressionError, match=r"terms .*bm25 and tfidf"):
        pipeline.build("lsa >> rocchio(terms=3)", None)
