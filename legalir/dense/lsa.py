"""Latent semantic analysis [lsa]: TF-IDF vectors, projected on their main directions.

n documents, V terms, d dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import Analyzer, count_terms, fingerprint, get_analyzer
from legalir.collections import Collection
from legalir.declared import check_number
from legalir.dense.contract import Vectors
from legalir.errors import ArtifactError
from legalir.executors import processor_count, run_in_threads
from legalir.lexical.sparse import SparseIndex
from legalir.lexical.weights import lucene_idf, tfidf_weights
from legalir.plugins import parameters_of
from legalir.storage.arrays import save_array, unit_rows
from legalir.storage.strings import Strings, write_strings

if TYPE_CHECKING:
    from scipy.sparse import csc_array

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

_ITERATIONS = 5
_OVERSAMPLING = 10
_SEED = 0

_LEAST_VALUE = 1e-3
"""A direction needs a singular value above this share of the first: rounding errors of float32 hide smaller ones."""

_BLOCK_COLUMNS = 32
"""Number of columns multiplied at a time, small enough for the processor's cache."""
_BLOCK_ROWS = 8_192
"""Number of rows that are converted to float64 at a time."""

_LEAST_LENGTH = 1e-4
"""A text has no direction if no more than this share of it lies in the dimensions: only rounding errors do."""


def postings_matrix(
    indptr: npt.NDArray[np.int64], documents: npt.NDArray[np.int32], weights: npt.NDArray[np.float32], n: int
) -> csc_array:
    """Return weighted postings as a matrix [n, V] that shares their memory."""
    from scipy.sparse import csc_array

    matrix = csc_array((n, len(indptr) - 1), dtype=np.float32)
    # Set one by one: the constructor would copy a memory map.
    matrix.indptr, matrix.indices, matrix.data = indptr.astype(np.int32), documents, weights
    return matrix


def right_singular_vectors(matrix: csc_array, dimensions: int) -> Floats:
    """Return the right singular vectors of the greatest singular values; [V, d], columns of length 1.

    Randomised subspace iteration [randomized-svd] with a fixed seed. Random start and number of iterations are those of
    scikit-learn's TruncatedSVD, so it finds the same directions. Here every iteration stays among the documents; the
    terms, often ten times as many, are visited once, at the end. A vector's sign is free: here its component of
    greatest magnitude is positive.

    Args:
        matrix: float32 [n, V].
        dimensions: at least 1; d is smaller if the matrix has a lower rank.
    """
    n, terms = matrix.shape
    if not matrix.nnz:
        return np.zeros((terms, 0), dtype=np.float32)

    def step(columns: Floats) -> Floats:
        return _by_columns(lambda block: matrix @ (matrix.T @ block), columns, n)

    span = _start(matrix, dimensions + _OVERSAMPLING)
    for _ in range(_ITERATIONS):
        image = step(span)
        span = image @ _orthonormal(_products(image), _LEAST_VALUE**4)
    image = step(span)
    turned = _orthonormal(span.T.astype(np.float64) @ image, _LEAST_VALUE**2)
    if n < terms:  # Then TruncatedSVD makes its choice among the terms, half an iteration later.
        turned = turned @ np.linalg.eigh(_products(image @ turned))[1][:, ::-1].astype(np.float32)
    return _by_columns(lambda block: _with_signs(matrix.T @ block), span @ turned[:, :dimensions], terms)


def _start(matrix: csc_array, size: int) -> Floats:
    """Return columns that span almost the same directions as all documents, [n, size], or fewer if they span all."""
    n, terms = matrix.shape
    least = min(n, terms)
    random = np.random.RandomState(_SEED)
    start: Floats = (np.eye(least) if least <= size else random.normal(size=(least, size))).astype(np.float32)
    return start if n < terms else _by_columns(lambda block: matrix @ block, start, n)


def _by_columns(step: Callable[[Floats], Floats], columns: Floats, rows: int) -> Floats:
    """Return ``step(columns)``, [rows, k], where `step` treats each column alone; in blocks, by all processors."""
    result = np.empty((rows, columns.shape[1]), dtype=np.float32)

    def fill(first: int) -> None:
        block = slice(first, first + _BLOCK_COLUMNS)
        result[:, block] = step(np.ascontiguousarray(columns[:, block]))

    run_in_threads(fill, range(0, columns.shape[1], _BLOCK_COLUMNS), processor_count())
    return result


def _products(columns: Floats) -> Doubles:
    """Return the inner products of columns; [k, k]."""
    products = np.zeros((columns.shape[1], columns.shape[1]))
    for first in range(0, len(columns), _BLOCK_ROWS):
        rows = columns[first : first + _BLOCK_ROWS].astype(np.float64)
        products += rows.T @ rows
    return products


def _orthonormal(products: Doubles, least: float) -> Floats:
    """Return W, [k, k'], that makes an orthonormal basis C·W from columns C with these inner products, greatest first.

    This costs less than a QR decomposition, much less where other processes use the processors, too.

    Args:
        products: inner products of the columns, [k, k].
        least: directions whose share in the products, relative to the first direction, is below this are dropped.
    """
    values, vectors = np.linalg.eigh(products)
    kept = np.flatnonzero(values > least * values[-1])[::-1]
    weights: Floats = (vectors[:, kept] / np.sqrt(values[kept])).astype(np.float32)
    return weights


def _with_signs(columns: Floats) -> Floats:
    """Return columns whose component of greatest magnitude is positive."""
    signs: Floats = np.sign(columns[np.abs(columns).argmax(axis=0), np.arange(columns.shape[1])])
    return columns * signs


class LSA:
    """LSA over the terms of an analyzer, to be fitted on a collection [lsa].

    A document is its TF-IDF vector with weights ``(1 + ln tf)·idf`` and length 1, as in the retriever ``tfidf``. The
    right singular vectors V of the greatest singular values of all documents are the dimensions; documents and queries
    alike are projected, ``x·V``, and scaled to length 1. Terms that the collection lacks have no weight; a text that
    has nothing in common with the dimensions is a vector of zeros.

    Args:
        analyzer: the terms: ``auto``, ``word``, ``char2``, ``jamo3``, or an analyzer of a plugin, also with parameters.
        dimensions: length of a vector, at least 1; shorter if the collection has fewer directions.

    Raises:
        AnalyzerError: there is no such analyzer.
        ComponentError: `dimensions` is not an integer of at least 1.
    """

    name = "lsa"

    def __init__(self, analyzer: str | Analyzer = "auto", dimensions: int = 256) -> None:
        check_number("lsa", "dimensions", dimensions, low=1, integer=True)
        self._analyzer = get_analyzer(analyzer)
        self.dimensions = dimensions

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LSA) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"LSA(analyzer={self.analyzer!r}, dimensions={self.dimensions})"

    @property
    def analyzer(self) -> str:
        """The name of the analyzer."""
        return self._analyzer.name

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters with which :func:`lsa_encoder` makes this encoder."""
        return {"analyzer": self.analyzer, "dimensions": self.dimensions}

    @property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever the same collection could give other vectors."""
        return fingerprint("lsa/2", {"analyzer": self._analyzer.fingerprint, "dimensions": self.dimensions})

    def fit(self, postings: SparseIndex) -> tuple[FittedLSA, Vectors]:
        """Find the main directions of a collection.

        Returns:
            The encoder, and the vectors of the documents, [n, d].

        Raises:
            ArtifactError: the postings were made by another analyzer.
        """
        if postings.analyzer.fingerprint != self._analyzer.fingerprint:
            raise ArtifactError(
                f"{postings.path} has the terms of {postings.analyzer.name}, and {self} needs those of "
                f"{self.analyzer}: give postings that this analyzer made."
            )
        df = np.diff(postings.indptr)
        idf = lucene_idf(len(postings), df)
        weights = tfidf_weights(postings.indptr, postings.documents, postings.frequencies, postings.lengths, idf)
        matrix = postings_matrix(postings.indptr, postings.documents, weights, len(postings))
        components = right_singular_vectors(matrix, self.dimensions)
        vectors = _by_columns(lambda block: matrix @ block, components, len(postings))
        return FittedLSA(self, postings.terms, idf, components), unit_rows(vectors, _LEAST_LENGTH)

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> FittedLSA:
        """Return the encoder that :meth:`FittedLSA.save` wrote."""
        terms = Strings(arrays, "encoder.terms")
        return FittedLSA(self, terms, arrays["encoder.idf"], arrays["encoder.components"])


class FittedLSA:
    """LSA fitted on a collection.

    Args:
        lsa: the encoder before it was fitted.
        terms: the collection's terms, ascending; V of them.
        idf: float64 [V].
        components: the right singular vectors, float32 [V, d].
    """

    def __init__(
        self, lsa: LSA, terms: Strings, idf: npt.NDArray[np.float64], components: npt.NDArray[np.float32]
    ) -> None:
        self.lsa = lsa
        self.terms = terms
        self.idf = idf
        self.components = components

    @property
    def name(self) -> str:
        """The name in expressions: ``lsa``."""
        return self.lsa.name

    @property
    def fingerprint(self) -> str:
        """Fingerprint of `lsa`; the collection belongs to the index."""
        return self.lsa.fingerprint

    def save(self, directory: Path) -> None:
        """Write ``encoder.terms``, ``encoder.idf.npy`` and ``encoder.components.npy``."""
        write_strings(directory, "encoder.terms", self.terms.array())
        save_array(directory / "encoder.idf.npy", self.idf)
        save_array(directory / "encoder.components.npy", self.components)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, [n, d]; zeros for a text without a term of the collection."""
        matrix, terms = self._weighted(texts)
        return unit_rows(matrix @ self.components[terms], _LEAST_LENGTH)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, which LSA treats as documents."""
        return self.encode(texts)

    def contributions(self, query: str, vector: Vectors) -> dict[str, float]:
        """Return the share of each term of a query in its cosine with a document of this vector, [d]."""
        matrix, terms = self._weighted([query])
        rows = self.components[terms].astype(np.float64) * matrix.toarray().T
        length = float(np.linalg.norm(rows.sum(axis=0)))
        values = rows @ vector / length if length > _LEAST_LENGTH else np.zeros(len(terms))
        return {self.terms[term]: float(value) for term, value in zip(terms, values, strict=True)}

    def _weighted(self, texts: Sequence[str]) -> tuple[Any, npt.NDArray[np.int64]]:
        """Return TF-IDF vectors of texts as a matrix [n, t], and the numbers of its t terms."""
        counts = count_terms(self.lsa._analyzer, texts)
        numbers = np.fromiter(map(self.terms.find, counts.terms), dtype=np.int64, count=len(counts.terms))
        sizes = np.diff(counts.indptr)
        known = np.repeat(numbers >= 0, sizes)
        documents = counts.documents[known]
        terms = numbers[numbers >= 0]
        indptr = np.concatenate(([0], np.cumsum(sizes[numbers >= 0]))).astype(np.int64)
        frequencies = counts.frequencies[known].astype(np.uint32)
        lengths = counts.lengths.astype(np.int32)
        weights = tfidf_weights(indptr, documents, frequencies, lengths, self.idf[terms])
        return postings_matrix(indptr, documents, weights, len(texts)), terms


@parameters_of(LSA)
def lsa_encoder(collection: Collection | None, **params: Any) -> LSA:
    """Latent semantic analysis, fitted on the collection: ``dense(encoder="lsa(dimensions=64)")``."""
    analyzer = get_analyzer(params.pop("analyzer", "auto"), collection)
    return LSA(analyzer, **params)
