"""BM25 over several weighted fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ComponentError, suggestion
from legalir.frames.component import check_number
from legalir.lexical.fields import FIELDS, FieldIndex
from legalir.lexical.retriever import SparseRetriever
from legalir.lexical.weights import Weigher, bm25f_weigher
from legalir.plugins import parameters_of

__all__ = ["BM25F", "DEFAULT_B", "DEFAULT_FIELDS", "bm25f"]

DEFAULT_FIELDS = {"title": 2.0, "text": 1.0, "path": 1.0, "citing": 1.0}
DEFAULT_B = {"title": 0.5, "text": 0.75, "path": 0.5, "citing": 0.5}


class BM25F(SparseRetriever):
    """BM25 over weighted fields (Robertson, Zaragoza and Taylor, *Simple BM25 extension to multiple weighted fields*).

    ::

        tf′ = Σ_f w_f · tf_f / (1 − b_f + b_f · l_f/avg_f)
        score(q, d) = Σ_t qtf^x · idf(t) · tf′ / (tf′ + k1)

    Frequencies are added up over the fields before they are saturated, so that a term in two fields is not counted as
    two terms. avg_f is the mean length of field f in the documents that have it; idf is Lucene's, over the documents
    that hold the term in title or text. `k1`, the weights and `b` are free at search time.

    Beyond the paper: lengths are normalised by field (as in its authors' TREC 2004 experiments), and `query_exponent`.

    Args:
        index: the field index.
        k1: saturation of term frequency, at least 0.
        fields: weight of each field that counts, at least 0 and not all 0; a field that is not named counts nothing.
            The default is title 2, text 1, path 1, citing 1.
        b: length normalisation of each field, from 0 to 1; a number for all of them, or a dict whose omitted fields
            have the default: 0.75 of the text, else 0.5.
        query_exponent: x, at least 0: with 1 a term counts as often as the query holds it, with 0.5 the root of that,
            which suits long questions, and with 0 once.
        num_results: results a query, at least 1.

    Raises:
        ComponentError: a parameter is out of range, or there is no such field.
    """

    index: FieldIndex

    def __init__(
        self,
        index: FieldIndex,
        k1: float = 2.0,
        fields: Mapping[str, float] | None = None,
        b: Mapping[str, float] | float | None = None,
        query_exponent: float = 0.5,
        num_results: int = 1000,
    ) -> None:
        check_number("bm25f", "k1", k1, low=0)
        check_number("bm25f", "query_exponent", query_exponent, low=0)
        check_number("bm25f", "num_results", num_results, low=1, integer=True)
        self.index = index
        self.k1 = k1
        self.fields = _by_field("fields", DEFAULT_FIELDS if fields is None else fields)
        if not any(self.fields.values()):
            raise ComponentError("bm25f: no field has a weight above 0, so that nothing would be found.")
        given = dict.fromkeys(FIELDS, b) if b is not None and not isinstance(b, Mapping) else b
        self.b = _by_field("b", {**DEFAULT_B, **_by_field("b", given or {}, high=1)})
        self.query_exponent = query_exponent
        self.num_results = num_results

    @property
    def label(self) -> str:
        """The retriever as in an expression, with what its scores depend on."""
        weights = ", ".join(f"{field} {weight:g}" for field, weight in self.fields.items() if weight)
        return f"bm25f({self.index.analyzer.name}, k1={self.k1:g}, {weights})"

    def weighting(self) -> Weigher:
        """Return the function to idf times saturated frequency."""
        index = self.index
        return bm25f_weigher(
            index.indptr,
            index.documents,
            [index.frequencies(field) for field in FIELDS],
            index.lengths,
            index.df,
            weights=[self.fields.get(field, 0.0) for field in FIELDS],
            b=[self.b[field] for field in FIELDS],
            k1=self.k1,
        )

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return each term once, with qtf^x."""
        return terms, (tf.astype(np.float64) ** self.query_exponent).astype(np.float32)

    def occurrences(self, term: int, posting: int) -> dict[str, object]:
        """Return how often each field that counts holds a term, and in how many documents title or text hold it."""
        counting = [field for field, weight in self.fields.items() if weight]
        return self.index.occurrences(term, posting, counting)


def _by_field(name: str, given: object, high: float = float("inf")) -> dict[str, float]:
    """Return what was given for each field, in the order of the fields, once it was checked."""
    if not isinstance(given, Mapping):
        raise ComponentError(f"bm25f: {name}={given!r} is not a dict such as {{'title': 2, 'text': 1}}.")
    for field, value in given.items():
        if field not in FIELDS:
            hint = suggestion(field, FIELDS) if isinstance(field, str) else ""
            raise ComponentError(f"bm25f: {name} names {field!r}, which is not one of {', '.join(FIELDS)}.{hint}")
        check_number("bm25f", f"{name}[{field!r}]", value, low=0, high=high)
    return {field: given[field] for field in FIELDS if field in given}


@parameters_of(BM25F, without=["index"])
def bm25f(collection: Any, *, analyzer: str = "char2", **params: Any) -> BM25F:
    """BM25 over title, text, path and the headings of what cites: ``bm25f(fields={"title": 3, "text": 1})``.

    Args:
        analyzer: the terms: ``jamo3``, ``char2``, ``word``, or any analyzer of a plugin, also with parameters.
    """
    return BM25F(collection.indexes.fields(analyzer), **params)
