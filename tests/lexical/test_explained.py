"""Scores of BM25 and TF-IDF taken apart into their terms."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import plain_scores
import pytest

from legalir.analysis.ngrams import readable
from legalir.explanation import explain
from legalir.lexical.retriever import explain_terms
from legalir.lexical.sparse import SparseIndex

TEXTS = plain_scores.random_texts(seed=5, count=60)
QUERIES = [*plain_scores.random_texts(seed=6, count=12, longest=60), "가 " * 40 + "나다라", "무창층 ㆍ zebra"]


@pytest.fixture(name="index", scope="module")
def built_index(tmp_path_factory: pytest.TempPathFactory) -> SparseIndex:
    documents = [{"docno": f"d{number}", "text": text} for number, text in enumerate(TEXTS)]
    return SparseIndex(tmp_path_factory.mktemp("explained") / "index", analyzer="jamo3").index(documents)


def test_parts_of_bm25_are_the_terms_of_the_formula(index: SparseIndex) -> None:
    k1, b = 1.2, 0.6
    terms = index.analyzer.terms
    tf, df = plain_scores.frequencies(TEXTS, terms)
    lengths = [counts.total() for counts in tf]
    mean = sum(lengths) / len(lengths)
    for query in QUERIES:
        wanted = Counter(terms(query))
        for explanation in explain(index.bm25(k1=k1, b=b), query):
            number = int(explanation.docno.removeprefix("d"))
            assert {part.detail["term"] for part in explanation.parts} == wanted.keys() & tf[number].keys()
            for part in explanation.parts:
                term = str(part.detail["term"])
                saturated = tf[number][term] / (tf[number][term] + k1 * (1 - b + b * lengths[number] / mean))
                value = wanted[term] * plain_scores.lucene_idf(len(TEXTS), df[term]) * saturated
                # Scores are sums in single precision.
                assert part.value == pytest.approx(value, rel=1e-5)
                assert part.detail == {
                    "term": term,
                    "in_query": wanted[term],
                    "in_document": tf[number][term],
                    "documents": df[term],
                }
                times = f" ×{wanted[term]}" if wanted[term] > 1 else ""
                assert part.label == readable(term) + times


def test_parts_of_tfidf_by_hand(tmp_path: Path) -> None:
    # idf (sklearn, 2 documents): of 가 ln(3/3) + 1 = 1, of 나 ln(3/2) + 1 = i. d1 is (1 + ln 2, i), the query (1, i),
    # each divided by its length.
    documents = [{"docno": "d1", "text": "가 가 나"}, {"docno": "d2", "text": "가"}]
    index = SparseIndex(tmp_path / "index", analyzer="whitespace").index(documents)
    i, tf = math.log(3 / 2) + 1, 1 + math.log(2)
    length = math.hypot(tf, i) * math.hypot(1, i)
    (found,) = explain(index.tfidf(idf="sklearn"), "가 나", ["d1"])
    assert {part.label: part.value for part in found.parts} == pytest.approx({"가": tf / length, "나": i * i / length})
    assert found.label == "tfidf(whitespace, idf=sklearn)"


def test_only_what_the_retriever_returns_is_explained(index: SparseIndex) -> None:
    results = index.bm25().search(QUERIES[0])
    second = results["docno"].iloc[1]
    assert explain_terms(index.bm25(num_results=1), QUERIES[0], [second]).keys() == {second}
    assert index.bm25(num_results=1).explain(results, [second, "unknown"], lambda _: {}) == {}


def test_a_document_without_any_term_of_the_query_scores_nothing(index: SparseIndex) -> None:
    found = explain_terms(index.bm25(), "zebra", ["d1", "unknown"])
    assert found.keys() == {"d1"}
    assert (found["d1"].score, found["d1"].parts) == (0.0, ())
