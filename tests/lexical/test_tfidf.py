"""TF-IDF against its formula in plain Python."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import plain_scores
import pytest

from legalir.analysis.analyzer import get_analyzer
from legalir.lexical.sparse import SparseIndex

TEXTS = plain_scores.random_texts(7, 60)


def indexed(path: Path, texts: list[str], analyzer: str = "jamo3") -> SparseIndex:
    documents = [{"docno": f"d{number:04d}", "text": text} for number, text in enumerate(texts)]
    return SparseIndex(path, analyzer=analyzer).index(documents)


@pytest.mark.parametrize("analyzer", ["jamo3", "char2", "whitespace"])
@pytest.mark.parametrize("idf", ["lucene", "sklearn"])
def test_scores_are_those_of_the_formula(tmp_path: Path, analyzer: str, idf: str) -> None:
    index = indexed(tmp_path / "index", TEXTS, analyzer)
    formula = {"lucene": plain_scores.lucene_idf, "sklearn": plain_scores.sklearn_idf}[idf]
    retriever = index.tfidf(idf=idf)  # type: ignore[arg-type]
    for query in [*plain_scores.random_texts(8, 4), f"{TEXTS[1]} {TEXTS[1]} 없는말"]:
        expected = plain_scores.tfidf(TEXTS, query, get_analyzer(analyzer).terms, formula)
        np.testing.assert_allclose(retriever.scores(query), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("min_df", "max_df"), [(1, 1.0), (2, 0.95), (3, 0.3), (1, 0.05), (70, 1.0)])
def test_parity_with_scikit_learn(tmp_path: Path, min_df: int, max_df: float) -> None:
    """Words and pairs as SearchFireSafety's released code weighs them; a term that is left out has no part in norms."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [*TEXTS, "Fire Act 제3조·제4조, the act", "act: (fire) 2 fire 제3조"]
    index = indexed(tmp_path / "index", texts, r"word(pattern=r'\w\w+', pairs=True)")
    retriever = index.tfidf(idf="sklearn", min_df=min_df, max_df=max_df)
    options = {"ngram_range": (1, 2), "sublinear_tf": True, "min_df": min_df, "max_df": max_df}
    if min_df > len(texts):  # scikit-learn refuses a vocabulary without terms.
        assert not retriever.search(texts[-1]).size
        return
    theirs = TfidfVectorizer(**options)
    vectors = theirs.fit_transform(texts)
    for query in [*texts[-2:], *plain_scores.random_texts(8, 6), f"{TEXTS[1]} 없는말"]:
        expected = (vectors @ theirs.transform([query]).T).toarray().ravel()
        np.testing.assert_allclose(retriever.scores(query), expected, rtol=1e-5, atol=1e-6)


def test_a_value_worked_out_by_hand(tmp_path: Path) -> None:
    """3 documents: 법 (df 1) has idf ln 2 + 1 = 1.693147, 령 (df 2) has ln(4/3) + 1 = 1.287682.

    Document a is 법 법 령: its vector is ((1 + ln 2)·1.693147, 1.287682) = (2.866747, 1.287682), of length
    3.142669; the query 법 is (1, 0): 2.866747/3.142667 = 0.912202.
    """
    index = indexed(tmp_path / "index", ["법 법 령", "령 조", "조"], "whitespace")
    np.testing.assert_allclose(index.tfidf(idf="sklearn").scores("법"), [0.912202, 0, 0], rtol=2e-6)


@pytest.mark.parametrize("idf", ["lucene", "sklearn"])
def test_scores_are_cosines(tmp_path: Path, idf: str) -> None:
    """Scores above 1, were it by a rounding, would be refused by SAR; a text is most like itself."""
    index = indexed(tmp_path / "index", TEXTS)
    retriever = index.tfidf(idf=idf)  # type: ignore[arg-type]
    for number, text in enumerate(TEXTS):
        scores = retriever.scores(text)
        assert scores.max(initial=0) <= 1
        assert scores.min(initial=0) >= 0
        if text:
            assert math.isclose(scores[number], 1, rel_tol=1e-6)


def test_repeating_a_whole_query_changes_little_and_its_length_nothing(tmp_path: Path) -> None:
    index = indexed(tmp_path / "index", TEXTS, "whitespace")
    word = TEXTS[0].split()[0]
    once, often = (index.tfidf().scores(query) for query in (word, f"{word} {word} {word}"))
    np.testing.assert_allclose(once, often, rtol=1e-6)
