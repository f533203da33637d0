"""Lucene as a retriever of legalir: BM25 and query likelihood over the terms of any analyzer.

Nothing of Java is touched before the first question that has to be answered.
"""

from __future__ import annotations

import re
from typing import Any

from legalir.analysis.analyzer import get_analyzer
from legalir_lucene.index import LuceneIndex
from legalir_lucene.retriever import Lucene, Model

__all__ = ["Lucene", "LuceneIndex", "lucene"]


def lucene(
    collection: Any,
    *,
    model: Model = "bm25",
    analyzer: str = "jamo3",
    k1: float = 0.9,
    b: float = 0.4,
    mu: float = 1000,
    num_results: int = 1000,
) -> Lucene:
    """Lucene's BM25 or query likelihood over the terms of `analyzer`: ``lucene(model="ql", mu=500)``.

    Args:
        collection: whose provisions are indexed, on the first question.
        model: ``bm25`` or ``ql``, query likelihood with Dirichlet smoothing.
        analyzer: the analyzer that makes terms of provisions and questions.
        k1: of BM25: saturation of term frequency, at least 0.
        b: of BM25: length normalisation, from 0 to 1.
        mu: of query likelihood: weight of the collection in the language model of a document, in terms.
        num_results: results a query, at least 1.
    """
    chosen = get_analyzer(analyzer, collection)
    name = re.sub(r"[^\w.-]+", "-", chosen.name)[:40]
    path = collection.cache / f"lucene-{name}-{chosen.fingerprint[:8]}"
    index = LuceneIndex(path, analyzer=chosen, collection=collection)
    return Lucene(index, model=model, k1=k1, b=b, mu=mu, num_results=num_results)
