"""Expansion of queries by terms of their first results: RM3 and Bo1.

q terms of a query, k documents that count as relevant, n documents of the index, V terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge, Le

from legalir.contract import factory_of
from legalir.errors import ComponentError
from legalir.explanation import Explanation, Upstream
from legalir.frames.columns import QUERY_TOKS, query_columns
from legalir.frames.component import Component
from legalir.frames.ranking import RankedLists, read_lists
from legalir.lexical.postings import rows_of_postings
from legalir.lexical.retriever import known_terms, queries_of
from legalir.lexical.sparse import SparseIndex

Floats = npt.NDArray[np.float64]
Row = tuple[npt.NDArray[np.int64], Floats]
"""Terms, ascending, and a number of each."""


def relevance_model(rows: Sequence[Row], lengths: Floats, posterior: Floats) -> Row:
    """Return ``p(t|R) = Σ_d p(d|q) · tf/dl`` of the terms of some documents, RM1.

    Args:
        rows: the terms of each document, and their frequencies; k of them.
        lengths: dl of each document; [k].
        posterior: p(d|q), together 1; [k].
    """
    return _summed([(terms, p * tf / dl) for (terms, tf), dl, p in zip(rows, lengths, posterior, strict=True)])


def bose_einstein(tf: Floats, cf: Floats, n: int) -> Floats:
    """Return ``tf · log2((1 + P)/P) + log2(1 + P)`` with ``P = cf/n``, the information of terms under Bo1.

    Args:
        tf: frequency of each term in the documents that count as relevant.
        cf: its frequency in the collection.
        n: number of documents of the collection.
    """
    share = cf / n
    information: Floats = tf * np.log2((1 + share) / share) + np.log2(1 + share)
    return information


def likelihoods(
    index: SparseIndex, query: Row, rows: Sequence[Row], documents: npt.NDArray[np.int64], mu: float
) -> Floats:
    """Return ``ln p(q|d) − ln p(q|C)`` of some documents with Dirichlet smoothing [smoothing]; [k].

    Args:
        index: the index of the documents.
        query: the terms of the query, and the frequency or weight of each.
        rows: terms of each document, ascending, and their frequencies; k of them.
        documents: their numbers; [k].
        mu: μ of the smoothing, in occurrences of terms.
    """
    terms, tf = query
    cf, lengths = index.cf, np.maximum(index.lengths[documents], 1).astype(np.float64)
    likelihood: Floats = -tf.sum() * np.log1p(lengths / mu)
    for number, (held, counts) in enumerate(rows):
        _, own, there = np.intersect1d(terms, held, assume_unique=True, return_indices=True)
        prior = mu * cf[terms[own]] / cf.sum()
        likelihood[number] += tf[own] @ np.log1p(counts[there] / prior)
    return likelihood


def first_model(index: SparseIndex, likelihood: Floats, rows: Sequence[Row], documents: npt.NDArray[np.int64]) -> Row:
    """Return the :func:`relevance_model` of documents whose :func:`likelihoods` are known."""
    posterior = np.exp(likelihood - likelihood.max())
    lengths = np.maximum(index.lengths[documents], 1).astype(np.float64)
    return relevance_model(rows, lengths, posterior / posterior.sum())


def documents_of(
    index: SparseIndex, lists: RankedLists, component: str
) -> list[tuple[list[Row], npt.NDArray[np.int64]]]:
    """Return the documents of each list: the terms of each with their frequencies, and the numbers of the documents.

    Raises:
        ComponentError: a document is not in the index.
    """
    numbers = index.docno_table.numbers(lists.docno)
    if (numbers < 0).any():
        row = int(np.argmin(numbers))
        raise ComponentError(
            f"{component}: the document {lists.docno[row]!r} of query {lists.qid(row)!r} is not in the index: give "
            f"results of the collection that was indexed."
        )
    wanted, place = np.unique(numbers, return_inverse=True)
    found = rows_of_postings(index.indptr, index.documents, index.frequencies, wanted, len(index))
    rows = [(terms, tf.astype(np.float64)) for terms, tf in found]
    return [([rows[one] for one in chosen], wanted[chosen]) for chosen in np.split(place, lists.bounds[1:-1])]


def _summed(rows: Sequence[Row]) -> Row:
    terms, place = np.unique(np.concatenate([terms for terms, _ in rows]), return_inverse=True)
    values = np.concatenate([values for _, values in rows])
    return terms, np.bincount(place, weights=values, minlength=len(terms)).astype(np.float64, copy=False)


def _heaviest(row: Row, k: int) -> Row:
    """Return the `k` terms with the greatest values, the greatest first, equal ones by number."""
    terms, values = row
    best = np.argsort(-values, kind="stable")[:k]
    return terms[best], values[best]


class _Expansion(Component):
    """Adds terms from the first results to a query; subclasses define their weights.

    Columns in: ``qid, query, docno, score``; if there is a column ``query_toks``, its terms are the query. Columns
    out: the query columns, a row a query, and ``query_toks``, a dict of terms of the index and their weights, which a
    retriever over the same analyzer searches for in place of ``query``.
    """

    name = ""
    index: Annotated[SparseIndex, "the sparse index"]
    terms: Annotated[int, Ge(0), "greatest number of terms taken from the results"] = 10
    docs: Annotated[int, Ge(1), "number of results that count as relevant; a shorter list gives all it has"] = 10

    def weigh(self, query: Row, rows: Sequence[Row], documents: npt.NDArray[np.int64]) -> Mapping[int, float]:
        """Return the weight of each term of the new query, by its number.

        Args:
            query: terms of the query, in any order, and the frequency or weight of each.
            rows: terms of each document, and their frequencies; k of them.
            documents: their numbers; [k].
        """
        raise NotImplementedError

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the expanded queries.

        Raises:
            ComponentError: a document is not in the index, a score is not a number, or a query cannot be used.
        """
        pt.validate.columns(inp, includes=["qid", "query", "docno", "score"])
        lists, _ = read_lists(inp, self.name)
        asked = queries_of(self.index, lists.queries, self.name)
        first = lists.head(self.docs)
        documents = documents_of(self.index, first, self.name)
        weighted = []
        for query, (rows, numbers) in zip(asked, documents, strict=True):
            terms, tf = known_terms(self.index, query)
            weights = self.weigh((terms, tf.astype(np.float64)), rows, numbers)
            weighted.append({self.index.terms[term]: weight for term, weight in weights.items() if weight})
        return lists.queries.assign(**{QUERY_TOKS: pd.Series(weighted, index=lists.queries.index, dtype=object)})

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no queries, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query", "docno", "score"])
        return query_columns(inp.iloc[:0]).assign(**{QUERY_TOKS: pd.Series(dtype=object)})

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return nothing: a question has no score."""
        return {}


class RM3(_Expansion):
    """RM3 [rm3]: interpolates a query with the relevance model of its first results [relevance-models].

    ``w(t) = weight · qtf/|q| + (1 − weight) · p(t|R)``. ``p(t|R) = Σ_d p(d|q) · tf/dl`` over the first `docs` results,
    of which the `terms` terms of the greatest probability are kept and scaled to sum to 1. p(d|q) is proportional to
    the likelihood of the query under d with Dirichlet smoothing, whatever retriever made the list.

    Columns in: ``qid, query, docno, score``; if there is a column ``query_toks``, its terms are the query. Columns
    out: the query columns, a row a query, and ``query_toks``, a dict of terms of the index and their weights, which a
    retriever over the same analyzer searches for in place of ``query``.
    """

    name = "rm3"

    weight: Annotated[float, Ge(0), Le(1), "weight of the query; PyTerrier's ``fb_lambda``"] = 0.5
    mu: Annotated[float, Ge(1), "μ of the smoothing"] = 1000

    def weigh(self, query: Row, rows: Sequence[Row], documents: npt.NDArray[np.int64]) -> Mapping[int, float]:
        """Return the interpolated probability of each term."""
        terms, tf = query
        likelihood = likelihoods(self.index, query, rows, documents, self.mu)
        added, share = _heaviest(first_model(self.index, likelihood, rows, documents), self.terms)
        weights = {int(term): self.weight * each for term, each in zip(terms, tf / (tf.sum() or 1.0), strict=True)}
        for term, each in zip(added.tolist(), (1 - self.weight) * share / (share.sum() or 1.0), strict=True):
            weights[term] = weights.get(term, 0.0) + float(each)
        return {term: float(each) for term, each in weights.items()}


class Bo1(_Expansion):
    """Bo1 [bo1]: adds the terms whose frequency in the first results is least likely in the collection.

    The information of a term is ``I(t) = tf · log2((1 + P)/P) + log2(1 + P)`` under Bose–Einstein statistics: tf is its
    frequency in the first `docs` results together, ``P = cf/N`` its mean frequency in the collection. The `terms` terms
    of the greatest information are added: ``w(t) = qtf/max qtf + I(t)/I_max``, where I_max is the greatest I that
    the first of these terms could have, with its tf in place of cf. There is nothing else to choose, as in Terrier,
    which also leaves out terms of a single result.

    Columns in and out: as :class:`RM3`.
    """

    name = "bo1"

    docs: Annotated[int, Ge(1), "number of results that count as relevant; a shorter list gives all it has"] = 3

    def weigh(self, query: Row, rows: Sequence[Row], documents: npt.NDArray[np.int64]) -> Mapping[int, float]:
        """Return the share in the query and of the information of each term."""
        terms, tf = query
        n = len(self.index)
        held, frequency = _summed(rows)
        information = bose_einstein(frequency, self.index.cf[held].astype(np.float64), n)
        added, most = _heaviest((held, information), self.terms)
        weights = {int(term): float(each) for term, each in zip(terms, tf / (tf.max(initial=0) or 1.0), strict=True)}
        if len(added):
            first = frequency[np.searchsorted(held, added[:1])]
            for term, each in zip(added.tolist(), (most / bose_einstein(first, first, n)).tolist(), strict=True):
                weights[term] = weights.get(term, 0.0) + each
        return weights


rm3 = factory_of(
    RM3,
    "Expand questions by the relevance model of their first results: ``bm25 % 10 >> rm3(terms=20) >> bm25``.",
)


bo1 = factory_of(Bo1, "Expand questions by the informative terms of their first results: ``bm25 % 3 >> bo1 >> bm25``.")
