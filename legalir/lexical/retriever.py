"""Retrievers over an index of terms: queries in, ranked documents out, scores of given documents, explanations.

n documents, V terms, P postings; q terms of a query.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Annotated, Any, TypeGuard

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.analysis.ngrams import readable
from legalir.declared import hashable
from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.columns import QUERY_TOKS, check_queries, drop_results, require_texts
from legalir.frames.ranking import RankedLists, hit_lists, top_k
from legalir.frames.retriever import Retriever
from legalir.frames.scorer import PairScorer
from legalir.frames.where import masks
from legalir.lexical.postings import ScoredPostings
from legalir.lexical.term_index import TermIndex
from legalir.lexical.weights import Weigher
from legalir.storage.strings import Docnos
from legalir.storage.validity import Mask

_log = logging.getLogger("legalir")

_LARGEST = float(np.finfo(np.float32).max)

Query = str | Mapping[str, float]
"""A text, or terms of the index with their weights."""


class SparseRetriever(Retriever):
    """Scores the documents of an index by the terms that they share with a query.

    Columns in: ``qid`` and ``query_toks``, a dict of terms of the index's analyzer and their weights, or else
    ``query``. Columns out: the query columns, then ``docno, score, rank``. Documents that share no term are not
    returned; a query without terms returns no rows. Given results, it scores their documents; one that shares no term
    has 0.

    The weights of ``query_toks`` are used as they are: a document scores the sum, over the terms, of the weight times
    what the term weighs in the document.
    """

    index: TermIndex
    num_results = 1000

    def __post_init__(self) -> None:
        self._weighted: tuple[object, ScoredPostings] | None = None

    def weighting(self) -> npt.NDArray[np.float32] | Weigher:
        """Return the weight of each posting, [P], or the function that computes the weights of some terms."""
        raise NotImplementedError

    def posting_weights(self) -> npt.NDArray[np.float32]:
        """Return the weight of each posting of the index, as :attr:`TermIndex.documents` has them; [P]."""
        return self.postings().weights

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the terms to add up, each repeated as often as it counts, and their weights; [q], float32 [q].

        Args:
            terms: distinct term numbers.
            tf: frequency of each in the query.
        """
        raise NotImplementedError

    def postings(self) -> ScoredPostings:
        """Return the weighted postings, made on first use."""
        index = self.index
        weighing = {name: value for name, value in self._given().items() if name not in ("index", "num_results")}
        # Since the last query, the index may have been rebuilt, and a dict of weights may have been modified.
        key = index.manifest.data, hashable(weighing)
        if self._weighted is None or self._weighted[0] != key:
            self._weighted = key, ScoredPostings(index.indptr, index.documents, self.weighting(), len(index))
        return self._weighted[1]

    def scores(self, query: Query) -> npt.NDArray[np.float32]:
        """Return the score of every document for one query; [n]."""
        terms, weights = self.query_terms(query)
        return self.final(self.postings().scores(terms, weights), weights)

    def final(self, matched: npt.NDArray[np.float32], weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the score of every document; [n].

        Args:
            matched: sum over the terms that query and document share; [n].
            weights: of the terms of the query; [q].
        """
        return matched

    def query_terms(self, query: Query) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the terms of a query to add up, and their weights; [q], float32 [q]."""
        terms, tf = self.known_terms(query)
        return self.query_vector(terms, tf) if isinstance(query, str) else (terms, tf.astype(np.float32))

    def known_terms(self, query: Query) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
        """Return the terms of a query that the index has, and the frequency or weight of each; [q], [q]."""
        return known_terms(self.index, query)

    def best(
        self, query: Query, in_force: Mask | None = None, k: int | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the numbers of the best documents, best first, and their scores.

        Only documents whose sum over the shared terms is above 0 are results.

        Args:
            query: the query.
            in_force: which documents may be results, [n]; None for all.
            k: number of documents; None for `num_results`.
        """
        terms, weights = self.query_terms(query)
        scores = matched = self.postings().scores(terms, weights)
        above = 0.0
        if (final := self.final(matched, weights)) is not matched:
            scores, above = np.where(scores > 0, final, np.float32(-np.inf)), -np.inf
        best = top_k(scores, self.index.order, self.num_results if k is None else k, above, in_force)
        return best, scores[best]

    def scorer(self) -> SparseScorer:
        """Return a transformer that scores given documents like this retriever."""
        return SparseScorer(self)

    def occurrences(self, term: int, posting: int) -> dict[str, object]:
        """Return the details of a posting for explanations: ``in_document``, ``documents`` with the term, and more."""
        return self.index.occurrences(term, posting)

    @property
    def label(self) -> str:
        """The retriever as in an expression, with the parameters of its scores."""
        raise NotImplementedError

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the part of each term of the query in the scores of `docnos`."""
        queries = drop_results(inp)
        (query,), (in_force,) = queries_of(self.index, queries, self._name), masks(queries, self.index)
        given = "docno" in inp.columns
        found = set(self.apply(inp)["docno"] if given else self.index.docnos[self.best(query, in_force)[0]])
        return explain_terms(self, query, [docno for docno in docnos if docno in found])

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of the questions."""
        check_queries(inp, alternative=QUERY_TOKS)

    def ranked(self, queries: pd.DataFrame) -> RankedLists:
        """Return the best documents of each query.

        Raises:
            ComponentError: a query is not a string, or `query_toks` does not have terms and weights.
        """
        asked = zip(queries_of(self.index, queries, self._name), masks(queries, self.index), strict=True)
        return hit_lists(queries, [self.best(*one) for one in asked], self.index.docno_table)


def known_terms(index: TermIndex, query: Query) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return the terms of a query that `index` has, and the frequency or weight of each; [q], [q]."""
    counts = Counter(index.analyzer.terms(query)) if isinstance(query, str) else query
    found = {index.terms.find(term): tf for term, tf in counts.items()}
    found.pop(-1, None)
    terms = np.fromiter(found, dtype=np.int64, count=len(found))
    kind = np.int64 if isinstance(query, str) else np.float64
    return terms, np.fromiter(found.values(), dtype=kind, count=len(found))


def queries_of(index: TermIndex, queries: pd.DataFrame, component: str) -> list[Query]:
    """Return the weighted terms of each query where ``query_toks`` has them, else its text.

    If `index` has no term of any query, a warning is logged: they may be terms of another analyzer.

    Args:
        index: the index that is searched.
        queries: one row per query.
        component: name of the component that reads, for errors.

    Raises:
        ComponentError: a query is not a string, or its weighted terms are not a dict of strings and finite numbers.
    """
    if QUERY_TOKS not in queries.columns:
        require_texts(queries, component)
        texts: list[Query] = queries["query"].tolist()
        return texts
    asked: list[Query] = queries[QUERY_TOKS].tolist()
    for qid, toks in zip(queries["qid"], asked, strict=True):
        if not weighted_terms(toks):
            raise ComponentError(
                f"{component}: the query_toks of {qid!r} is {toks!r}: give a dict of terms and finite weights, "
                f"or drop the column."
            )
    terms = [term for toks in asked for term in toks]
    if terms and not any(index.terms.find(term) >= 0 for term in terms):
        _log.warning(
            f"{component}: {index.directory} has none of the {len(terms)} terms in query_toks, such as {terms[0]!r}: "
            f"are they terms of {index.origin}?"
        )
    return asked


def weighted_terms(toks: object) -> TypeGuard[Mapping[str, float]]:
    """Return True for a mapping of strings to numbers that are finite in single precision."""
    return isinstance(toks, Mapping) and all(
        isinstance(term, str) and isinstance(weight, Real) and abs(weight) <= _LARGEST  # type: ignore[operator]
        for term, weight in toks.items()
    )


def explain_terms(retriever: SparseRetriever, query: Query, docnos: Sequence[str]) -> dict[str, Explanation]:
    """Return the part of each term of `query` in the scores of `docnos`; documents that the index lacks are left out.

    A part is a term that query and document share, the largest first. Its detail has the ``term`` as indexed, how
    often it is ``in_query`` (or its weight there) and ``in_document``, and the number of ``documents`` with it; over
    fields, of each field. If the length of a document also counts, it is the last part.
    """
    index = retriever.index
    numbers = index.docno_table.numbers(docnos)
    scores = retriever.scores(query)
    terms, tf = retriever.known_terms(query)
    parts: dict[int, list[Part]] = {int(number): [] for number in numbers if number >= 0}
    wanted = np.array(sorted(parts), dtype=np.int64)
    factor = dict.fromkeys(terms.tolist(), 0.0)
    added, weights_in_query = retriever.query_terms(query)
    for term, weight in zip(added.tolist(), weights_in_query.tolist(), strict=True):
        factor[term] += weight
    beside = retriever.final(np.zeros(len(scores), dtype=np.float32), weights_in_query)
    weights = retriever.postings().weights_of(terms)
    for term, in_query in zip(terms.tolist(), tf.tolist(), strict=True):
        first, last = index.indptr[term : term + 2].tolist()
        holders = index.documents[first:last]
        place = np.minimum(np.searchsorted(holders, wanted), len(holders) - 1)
        text = index.terms[term]
        label = readable(text) + (f" ×{in_query:g}" if in_query != 1 else "")
        there = holders[place] == wanted
        for number, posting in zip(wanted[there].tolist(), (first + place[there]).tolist(), strict=True):
            if value := factor[term] * float(weights[posting]):
                detail = {"term": text, "in_query": in_query, **retriever.occurrences(term, posting)}
                parts[number].append(Part(label, value, detail=detail))
    found = {}
    for docno, number in zip(docnos, numbers.tolist(), strict=True):
        if number < 0:
            continue
        score, length = float(scores[number]), float(beside[number])
        shares = _scaled(parts[number], score - length)
        if length:
            detail = {"length": int(index.lengths[number])}
            shares = (*shares, Part("length of the document", length, detail=detail))
        found[docno] = Explanation(docno, score, retriever.label, shares)
    return found


def _scaled(parts: list[Part], score: float) -> tuple[Part, ...]:
    """Return the parts, the largest first, such that they add up to the score.

    Scores are sums in single precision; their rounding error is spread over the parts.
    """
    total = sum(part.value for part in parts)
    factor = score / total if total else 1.0
    scaled = [Part(part.label, part.value * factor, detail=part.detail) for part in parts]
    return tuple(sorted(scaled, key=lambda part: (-part.value, part.label)))


class SparseScorer(PairScorer):
    """Scores given documents like a sparse retriever, including documents that share no term with the query.

    Columns in: ``qid, docno``, and ``query_toks`` or ``query`` as the retriever reads them. Columns out: the same,
    ``score`` and ``rank``.
    """

    retriever: Annotated[SparseRetriever, "the retriever; its number of results does not matter"]

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of a frame."""
        check_queries(inp, "docno", alternative=QUERY_TOKS)

    def docno_table(self) -> Docnos:
        """Return the docnos of the index."""
        return self.retriever.index.docno_table

    def pair_scores(
        self, queries: pd.DataFrame, query: npt.NDArray[np.int64], documents: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.floating]:
        """Return the retriever's score of each pair."""
        scores = np.empty(len(documents), dtype=np.float32)
        bounds = np.searchsorted(query, np.arange(len(queries) + 1))
        for asked, first, last in zip(
            queries_of(self.retriever.index, queries, type(self).__name__), bounds, bounds[1:], strict=False
        ):
            scores[first:last] = self.retriever.scores(asked)[documents[first:last]]
        return scores
