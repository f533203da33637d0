"""BM25 against its formula in plain Python, and against bm25s."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import get_args

import numpy as np
import plain_scores
import pytest

from legalir.analysis.analyzer import get_analyzer
from legalir.errors import ComponentError
from legalir.lexical.sparse import BM25, Method, SparseIndex

PARAMETERS = [(0.9, 0.4), (1.5, 0.75), (1.2, 0.0), (2.0, 1.0), (0.0, 0.4), (100.0, 0.5)]


def indexed(path: Path, texts: Sequence[str], analyzer: str) -> SparseIndex:
    documents = [{"docno": f"d{number:04d}", "text": text} for number, text in enumerate(texts)]
    return SparseIndex(path, analyzer=analyzer).index(documents)


def test_a_value_worked_out_by_hand(tmp_path: Path) -> None:
    """Of 3 documents, 1 holds 법 (idf ln(1 + 2.5/1.5) = 0.980829) and 2 hold 령 (ln(1 + 1.5/2.5) = 0.470004).

    The mean length is 2. Document a is 법 법 령 (length 3): at k1 = 1.2 and b = 0.75 its norm is
    1.2·(0.25 + 0.75·1.5) = 1.65. The query 법 령 령 gives 0.980829·2/3.65 + 2·0.470004·1/2.65 = 0.892161.
    Document b is 령 조 (length 2, norm 1.2): 2·0.470004/2.2 = 0.427276.
    """
    index = indexed(tmp_path / "index", ["법 법 령", "령 조", "조"], "whitespace")
    scores = index.bm25(k1=1.2, b=0.75).scores("법 령 령")
    np.testing.assert_allclose(scores, [0.892161, 0.427276, 0], rtol=2e-6)


@pytest.mark.parametrize("analyzer", ["jamo3", "jamo5", "char2", "whitespace"])
def test_scores_are_those_of_the_formula(tmp_path: Path, analyzer: str) -> None:
    texts = plain_scores.random_texts(1, 70)
    index = indexed(tmp_path / "index", texts, analyzer)
    terms = get_analyzer(analyzer).terms
    # Queries that repeat terms, and terms that no document holds.
    queries = [*plain_scores.random_texts(11, 3), f"{texts[3]} {texts[3]} 없는말 {texts[5]}"]
    for k1, b in PARAMETERS:
        retriever = index.bm25(k1=k1, b=b)
        for query in queries:
            expected = plain_scores.bm25(texts, query, terms, k1, b)
            np.testing.assert_allclose(retriever.scores(query), expected, rtol=1e-5, atol=1e-7)


def test_a_query_term_counts_as_often_as_it_occurs(tmp_path: Path) -> None:
    index = indexed(tmp_path / "index", plain_scores.random_texts(3, 30), "char2")
    once, thrice = (index.bm25().scores(query) for query in ("법령 제조", "법령 제조 법령 제조 제조 법령"))
    np.testing.assert_allclose(thrice, 3 * once, rtol=1e-6)


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.5, 0.75)])
def test_parity_with_bm25s(tmp_path: Path, k1: float, b: float) -> None:
    import bm25s

    texts = [f"{a} {b}" for a, b in pairwise(plain_scores.random_texts(4, 220))]
    analyzer = get_analyzer("jamo3")
    theirs = bm25s.BM25(method="lucene", k1=k1, b=b, backend="numpy")
    theirs.index([analyzer.terms(text) for text in texts], show_progress=False)
    ours = indexed(tmp_path / "index", texts, "jamo3").bm25(k1=k1, b=b, num_results=50)
    compared = 0
    for query in plain_scores.random_texts(5, 20, longest=8):
        terms = [term for term in analyzer.terms(query) if term in theirs.vocab_dict]
        if not terms:
            continue
        numbers, scores = theirs.retrieve([terms], k=50, show_progress=False)
        documents, own = ours.best(query)
        np.testing.assert_allclose(own, scores[0][: len(own)], atol=1e-4)
        assert not scores[0][len(own) :].any()
        # Where scores are equal but for a rounding, each has an order of its own.
        if np.abs(np.diff(own)).min(initial=1) > 1e-5:
            assert documents.tolist() == numbers[0][: len(own)].tolist()
            compared += 1
    assert compared >= 10


@pytest.mark.parametrize(("k1", "b", "delta"), [(0.9, 0.4, None), (1.5, 0.75, 0.3)])
@pytest.mark.parametrize("method", get_args(Method))
def test_each_document_scores_as_in_bm25s(
    tmp_path: Path, method: Method, k1: float, b: float, delta: float | None
) -> None:
    """bm25s adds the score of tf = 0 for terms that a document lacks; the papers of BM25L and BM25+ add nothing."""
    import bm25s

    texts = [text for text in plain_scores.random_texts(8, 90) if text]
    analyzer = get_analyzer("whitespace")
    theirs = bm25s.BM25(method=method, k1=k1, b=b, delta={None: 1.0 if method == "bm25+" else 0.5}.get(delta, delta))
    theirs.index([analyzer.terms(text) for text in texts], show_progress=False)
    lacking = theirs.nonoccurrence_array
    own_delta = delta if method in ("bm25l", "bm25+") else None
    ours = indexed(tmp_path / "index", texts, "whitespace").bm25(k1=k1, b=b, method=method, delta=own_delta)
    for query in plain_scores.random_texts(9, 12, longest=9):
        terms = [term for term in analyzer.terms(query) if term in theirs.vocab_dict]
        if not terms:
            continue
        expected = theirs.get_scores(terms).astype(np.float64)
        for number, text in enumerate(texts if lacking is not None else []):
            held = set(analyzer.terms(text))
            expected[number] -= sum(float(lacking[theirs.vocab_dict[term]]) for term in terms if term not in held)
        np.testing.assert_allclose(ours.scores(query), expected, rtol=3e-6, atol=3e-6)
        documents, _ = ours.best(query)
        assert set(documents) == set(np.flatnonzero(ours.scores(query) > 0))


def test_delta_belongs_to_two_methods(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match=r"delta=1.*'lucene'"):
        BM25(SparseIndex(tmp_path / "index"), delta=1)
