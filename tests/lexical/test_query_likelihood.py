"""Query likelihood against smoothed probabilities in plain Python."""

from __future__ import annotations

import logging
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import plain_scores
import pytest

from legalir.errors import ComponentError
from legalir.explanation import explain
from legalir.lexical.sparse import SparseIndex

TEXTS = [*plain_scores.random_texts(seed=15, count=60), "", "가 " * 300]
QUERIES = [*plain_scores.random_texts(seed=16, count=8, longest=20), "가 가 나다라", "zebra", ""]


@pytest.fixture(name="index", scope="module")
def built_index(tmp_path_factory: pytest.TempPathFactory) -> SparseIndex:
    index = SparseIndex(tmp_path_factory.mktemp("likelihood") / "index", analyzer="char2")
    return index.index({"docno": f"d{number:03}", "text": text} for number, text in enumerate(TEXTS))


def test_a_value_worked_out_by_hand(tmp_path: Path) -> None:
    """Of 6 words, 법 is 2 and 령 3. With μ = 6, document a (법 법 령) has ln(1 + 2/2) + ln(1 + 1/3) + 2·ln(6/9).

    That is 0.693147 + 0.287682 − 0.810930 = 0.169899; b (령 령) has ln(1 + 2/3) + 2·ln(6/8) = −0.064539, and c (조)
    2·ln(6/7) = −0.308301: it shares no word, and is not a result.
    """
    documents = [{"docno": d, "text": text} for d, text in (("a", "법 법 령"), ("b", "령 령"), ("c", "조"))]
    retriever = SparseIndex(tmp_path / "index", analyzer="whitespace").index(documents).ql(mu=6)
    np.testing.assert_allclose(retriever.scores("법 령 없는말"), [0.169899, -0.064539, -0.308301], rtol=1e-5)
    found = retriever.search("법 령 없는말")
    assert found["docno"].tolist() == ["a", "b"]
    scored = retriever.scorer()(pd.DataFrame({"qid": "1", "query": "법 령 없는말", "docno": ["c", "b", "a"]}))
    assert scored["docno"].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("mu", [1, 50, 1000, 1e6])
def test_scores_are_those_of_the_formula(index: SparseIndex, mu: float) -> None:
    terms = index.analyzer.terms
    for query in QUERIES:
        expected = np.array(plain_scores.log_likelihoods(TEXTS, Counter(terms(query)), terms, mu))
        retriever = index.ql(mu=mu)
        np.testing.assert_allclose(retriever.scores(query), expected, rtol=1e-4, atol=1e-5)
        sharing = [bool(set(terms(query)) & set(terms(text))) for text in TEXTS]
        assert sorted(retriever.best(query)[0]) == np.flatnonzero(sharing).tolist()
        best, scores = index.ql(mu=mu, num_results=3).best(query, np.arange(len(TEXTS)) % 2 == 0)
        own = retriever.scores(query)
        allowed = [n for n in np.flatnonzero(sharing).tolist() if n % 2 == 0]
        assert best.tolist() == sorted(allowed, key=lambda n: (-own[n], n))[:3]
        assert scores.tolist() == own[best].tolist()


def test_occurrences_of_each_term_in_all_documents(index: SparseIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir.lexical.weights._BLOCK", 7)
    counts = Counter(term for text in TEXTS for term in index.analyzer.terms(text))
    assert SparseIndex(index.path).cf.tolist() == [counts[term] for term in index.terms]


WEIGHTED = [{"가나": 0.5, "법령": 2.0, "없는": 1.0}, {}, {"가나": 1e-3}]


@pytest.mark.parametrize("kind", ["bm25", "tfidf", "ql"])
def test_weighted_terms_are_searched_for_in_place_of_the_text(index: SparseIndex, kind: str) -> None:
    retriever = getattr(index, kind)()
    frame = pd.DataFrame({"qid": list("123"), "query": "다라", "query_toks": WEIGHTED})
    found = retriever(frame)
    pd.testing.assert_frame_equal(found, retriever(found))
    pd.testing.assert_frame_equal(found.drop(columns="query"), retriever(frame.drop(columns="query")))
    assert list(found) == ["qid", "query", "query_toks", "docno", "score", "rank"]
    assert set(found["qid"]) == {"1", "3"}
    once = {term: retriever.scores({term: 1.0}) for term in ("가나", "법령")}
    summed = 0.5 * once["가나"] + 2 * once["법령"]
    np.testing.assert_allclose(retriever.scores(WEIGHTED[0]), summed, rtol=1e-5, atol=1e-6)
    for one in explain(retriever, frame.iloc[[0]]):
        assert one.is_whole()
        assert one.score == found.set_index(["qid", "docno"])["score"]["1", one.docno]
    scored = retriever.scorer()(found.drop(columns=["query", "score", "rank"]))
    assert scored["score"].tolist() == found["score"].tolist()


@pytest.mark.parametrize("toks", [None, "법", {"법": float("nan")}, {1: 1.0}, {"법": "1"}])
def test_weights_that_cannot_be_used(index: SparseIndex, toks: object) -> None:
    frame = pd.DataFrame({"qid": ["7"], "query": ["법"], "query_toks": [toks]})
    with pytest.raises(ComponentError, match="query_toks of '7'"):
        index.bm25()(frame)


def test_terms_of_another_analyzer_are_noticed(index: SparseIndex, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="legalir"):
        index.bm25()(pd.DataFrame({"qid": ["1"], "query": ["법"], "query_toks": [{"가나": 1.0}]}))
        assert caplog.text == ""
        index.bm25()(pd.DataFrame({"qid": ["1"], "query": ["법"], "query_toks": [{"소방시설법": 1.0}]}))
    assert "소방시설법" in caplog.text
