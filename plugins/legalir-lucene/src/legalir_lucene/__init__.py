"""Lucene as a retriever of legalir: BM25 and query likelihood over the terms of any analyzer; indexes of Anserini.

Nothing of Java is touched before the first question that has to be answered.
"""

from __future__ import annotations

import re
from typing import Any

from legalir.extend import Collection, get_analyzer, parameters_of
from legalir_lucene.anserini import Anserini, anserini
from legalir_lucene.index import LuceneIndex
from legalir_lucene.rest import AnseriniServer, anserini_server
from legalir_lucene.retriever import Lucene, Model

__all__ = ["Anserini", "AnseriniServer", "Lucene", "LuceneIndex", "anserini", "anserini_server", "lucene"]


@parameters_of(Lucene, without=["index"])
def lucene(
    collection: Collection,
    *,
    model: Model = "bm25",
    analyzer: str = "auto",
    **params: Any,
) -> Lucene:
    """Lucene's BM25 or query likelihood over the terms of `analyzer`: ``lucene(model="ql", mu=500)``.

    Args:
        collection: whose provisions are indexed, on the first question.
        model: ``bm25`` or ``ql``, query likelihood with Dirichlet smoothing.
        analyzer: the analyzer that makes terms of provisions and questions.
    """
    chosen = get_analyzer(analyzer, collection)
    name = re.sub(r"[^\w.-]+", "-", chosen.name)[:40]
    path = collection.cache / f"lucene-{LuceneIndex.version}-{name}-{chosen.fingerprint[:8]}"
    index = LuceneIndex(path, analyzer=chosen, collection=collection)
    return Lucene(index, model=model, **params)
