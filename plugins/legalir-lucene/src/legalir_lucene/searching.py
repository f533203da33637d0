"""Questions to an index of Lucene."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from legalir.extend import Hits
from legalir_lucene.machine import Machine
from legalir_lucene.terms import encode
from legalir_lucene.writing import FIELD, open_directory, whitespace_analyzer

__all__ = ["Model", "Reader", "Searcher"]

Model = Literal["bm25", "ql"]
_CLAUSES = 2**31 - 1


class Reader:
    """An open index of Lucene.

    Args:
        machine: the Java machine.
        directory: with the files of Lucene.
    """

    def __init__(self, machine: Machine, directory: Path) -> None:
        opener = machine.java("org.apache.lucene.index.DirectoryReader")
        self.machine = machine
        self.reader = opener.open(open_directory(machine, directory))

    def __len__(self) -> int:
        return int(self.reader.maxDoc())

    def searcher(self, model: Model, *, k1: float, b: float, mu: float) -> Searcher:
        """Return a searcher that scores by `model`."""
        java = self.machine.java
        if model == "bm25":
            similarity = java("org.apache.lucene.search.similarities.BM25Similarity")(
                float(k1), float(b), signature="(FF)V"
            )
        else:
            similarity = java("org.apache.lucene.search.similarities.LMDirichletSimilarity")(
                float(mu), signature="(F)V"
            )
        kind = java("org.apache.lucene.search.IndexSearcher")
        kind.setMaxClauseCount(_CLAUSES)
        searcher = kind(self.reader, signature="(Lorg/apache/lucene/index/IndexReader;)V")
        searcher.setSimilarity(similarity)
        return Searcher(self.machine, searcher)


class Searcher:
    """Answers questions under one similarity; safe to use from several threads.

    Args:
        machine: the Java machine.
        searcher: an ``IndexSearcher``.
    """

    def __init__(self, machine: Machine, searcher: Any) -> None:
        self._searcher = searcher
        # No query parser: the input is terms, and no term has a special meaning.
        builder = machine.java("org.apache.lucene.util.QueryBuilder")
        self._builder = builder(whitespace_analyzer(machine, frequencies=False))
        # Java writes all hits at once; read one by one, they would cost more than the search.
        self._json = machine.java("com.fasterxml.jackson.databind.ObjectMapper")()

    def query(self, terms: Iterable[str]) -> Any:
        """Return the disjunction of `terms`; one that occurs twice counts twice. None without terms."""
        return self._builder.createBooleanQuery(FIELD, " ".join(map(encode, terms)))

    def best(self, terms: Iterable[str], k: int) -> Hits:
        """Return the best `k` documents and their scores: score descending, then number ascending."""
        query = self.query(terms)
        hits = [] if query is None else self._read(self._searcher.search(query, k))["scoreDocs"]
        documents = np.fromiter((hit["doc"] for hit in hits), dtype=np.int64, count=len(hits))
        # JSON has the shortest decimal that means the same single-precision number.
        scores = np.fromiter((hit["score"] for hit in hits), dtype=np.float32, count=len(hits))
        return documents, scores.astype(np.float64)

    def explain(self, terms: Iterable[str], document: int) -> dict[str, Any]:
        """Return Lucene's explanation of a score: ``match, value, description, details``."""
        return self._read(self._searcher.explain(self.query(terms), document))

    def _read(self, value: Any) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self._json.writeValueAsString(value))
        return read
