"""What is stored of a provision and asked for a question: a vector, a sparse vector, or a vector for each token.

The vectors come from legalir's own indexes, which encode each text once. n provisions, d dimensions, P postings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

__all__ = ["Dense", "Multi", "Sparse", "SparseVector", "Vector", "Vectors"]


class SparseVector(NamedTuple):
    """A sparse vector: ascending numbers of terms, and their weights."""

    indices: list[int]
    values: list[float]


Vector = list[float] | list[list[float]] | SparseVector
"""A dense vector, a vector for each token, or a sparse vector."""


class Vectors(Protocol):
    """Vectors of provisions and of questions."""

    name: str
    """``dense``, ``sparse`` or ``multi``: also the name of the vectors in Qdrant."""

    @property
    def index(self) -> Any:
        """The index of legalir that the vectors come from."""

    @property
    def settings(self) -> dict[str, Any]:
        """What the vectors depend on beside the provisions."""

    @property
    def dimensions(self) -> int:
        """Length of a dense vector; 0 for sparse ones."""

    def facts(self) -> dict[str, Any]:
        """Return what else must be the same where the vectors are searched: ``dimensions`` and more."""

    def documents(self, numbers: npt.NDArray[np.int64]) -> Iterator[Vector | None]:
        """Yield the vector of each document of the index; None for one without content."""

    def questions(self, queries: pd.DataFrame) -> list[tuple[Vector, float] | None]:
        """Return the vector of each question, and by what its scores are multiplied; None without content."""

    def scorer(self) -> pt.Transformer:
        """Return legalir's transformer that gives given documents the same scores."""


class Dense:
    """A vector of length 1 for each provision, of any encoder; scores are cosines.

    Args:
        index: a ``DenseIndex``.
    """

    name = "dense"

    def __init__(self, index: Any) -> None:
        self.index = index

    @property
    def settings(self) -> dict[str, Any]:
        """The encoder."""
        made_by = self.index.manifest.facts["encoder"]
        return {"vectors": self.name, "encoder": {name: made_by[name] for name in ("name", "fingerprint")}}

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.index.dimensions)

    def facts(self) -> dict[str, Any]:
        """Return the number of dimensions."""
        return {"dimensions": self.dimensions}

    def documents(self, numbers: npt.NDArray[np.int64]) -> Iterator[Vector | None]:
        """Yield the vector of each document."""
        yield from self.index.vectors[numbers].astype(np.float32).tolist()

    def questions(self, queries: pd.DataFrame) -> list[tuple[Vector, float] | None]:
        """Return the vector of each question."""
        vectors = self.index.query_vectors(queries, "qdrant_dense")
        return [(row.tolist(), 1.0) if row.any() else None for row in vectors]

    def scorer(self) -> pt.Transformer:
        """Return the scorer of cosines."""
        scorer: pt.Transformer = self.index.scorer()
        return scorer


class Sparse:
    """The BM25 weight of each term of a provision, under the number of the term; scores are those of ``bm25``.

    The weight of a posting is ``idf · tf / (tf + k1·(1 − b + b·dl/avgdl))``, as legalir computes it over the whole
    collection; that of a question's term is how often it occurs. Statistics of the engine are not used, so shards,
    tenants and days do not change a score. A collection that changes has other weights, and is stored again.

    Args:
        retriever: a ``BM25``.
    """

    name = "sparse"
    dimensions = 0

    def __init__(self, retriever: Any) -> None:
        self.retriever = retriever
        self.index = retriever.index

    @property
    def settings(self) -> dict[str, Any]:
        """The analyzer and the parameters of BM25."""
        analyzer = self.index.analyzer
        made_by = {"name": analyzer.name, "fingerprint": analyzer.fingerprint}
        return {"vectors": self.name, "analyzer": made_by, "k1": self.retriever.k1, "b": self.retriever.b}

    def facts(self) -> dict[str, Any]:
        """Return a digest of the vocabulary, by which terms have their numbers."""
        digest = hashlib.sha256()
        for name in ("terms.bytes", "terms.offsets"):
            digest.update(self.index.arrays[name].tobytes())
        return {"dimensions": 0, "vocabulary": digest.hexdigest()}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_by_document"}

    @cached_property
    def _by_document(self) -> Any:
        """The weights as a matrix of documents by terms, float32 [n, V]."""
        from scipy.sparse import csc_array

        index, weights = self.index, self.retriever.posting_weights()
        shape = len(index), len(index.indptr) - 1
        return csc_array((weights, index.documents, index.indptr), shape=shape).tocsr()

    def documents(self, numbers: npt.NDArray[np.int64]) -> Iterator[Vector | None]:
        """Yield the vector of each document."""
        matrix = self._by_document
        for number in numbers.tolist():
            row = slice(matrix.indptr[number], matrix.indptr[number + 1])
            terms, weights = matrix.indices[row], matrix.data[row]
            there = weights > 0  # With k1 = 0 or a term of all documents a weight can round to 0.
            yield SparseVector(terms[there].tolist(), weights[there].tolist()) if there.any() else None

    def questions(self, queries: pd.DataFrame) -> list[tuple[Vector, float] | None]:
        """Return the terms of each question that the collection has."""
        found: list[tuple[Vector, float] | None] = []
        for query in queries["query"]:
            terms, counts = self.retriever.known_terms(query)
            order = np.argsort(terms)
            vector = SparseVector(terms[order].tolist(), counts[order].astype(float).tolist())
            found.append((vector, 1.0) if len(terms) else None)
        return found

    def scorer(self) -> pt.Transformer:
        """Return the scorer of BM25."""
        scorer: pt.Transformer = self.retriever.scorer()
        return scorer


class Multi:
    """A vector of length 1 for each token of a provision; scores are the mean, over the tokens of a question, of the
    greatest cosine with a token of the provision, as in ``m3_multi``.

    Args:
        index: an ``M3Index`` with multi-vectors.
    """

    name = "multi"

    def __init__(self, index: Any) -> None:
        self.index = index

    @property
    def settings(self) -> dict[str, Any]:
        """The encoder."""
        encoder = self.index.encoder
        return {"vectors": self.name, "encoder": {"name": Path(encoder.model).name, "fingerprint": encoder.fingerprint}}

    @property
    def dimensions(self) -> int:
        """Length of the vector of a token."""
        return int(self._vectors.shape[1])

    @property
    def _arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        arrays: Mapping[str, npt.NDArray[Any]] = self.index.arrays
        return arrays

    @property
    def _vectors(self) -> npt.NDArray[Any]:
        return self._arrays["multi.vectors"]

    def facts(self) -> dict[str, Any]:
        """Return the number of dimensions."""
        return {"dimensions": self.dimensions}

    def documents(self, numbers: npt.NDArray[np.int64]) -> Iterator[Vector | None]:
        """Yield the vectors of each document."""
        bounds = self._arrays["multi.bounds"]
        for number in numbers.tolist():
            rows = self._vectors[bounds[number] : bounds[number + 1]].astype(np.float32)
            yield rows.tolist() or None

    def questions(self, queries: pd.DataFrame) -> list[tuple[Vector, float] | None]:
        """Return the vectors of each question; Qdrant adds up what is a mean here."""
        representations = self.index.represent_queries(queries["query"].tolist(), {"multi": 1.0})
        rows = [representations.multi_row(number) for number in range(len(queries))]
        return [(row.astype(np.float32).tolist(), 1 / len(row)) if len(row) else None for row in rows]

    def scorer(self) -> pt.Transformer:
        """Return the scorer of the head ``multi``."""
        scorer: pt.Transformer = self.index.scorer({"multi": 1.0})
        return scorer
