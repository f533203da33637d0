"""Retrievers over an index of terms: queries in, ranked documents out, scores of given documents, explanations.

n documents, V terms, P postings; q terms of a query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.analysis.ngrams import readable
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.as_of import masks
from legalir.frames.columns import drop_results, empty_like, require_texts
from legalir.frames.component import Cuttable, hashable
from legalir.frames.ranking import RankedLists, hit_lists, top_k
from legalir.frames.scorer import PairScorer
from legalir.lexical.postings import ScoredSegments
from legalir.lexical.segments import Segment
from legalir.lexical.term_index import TermIndex
from legalir.lexical.weights import Weigher, all_weights
from legalir.storage.strings import Docnos
from legalir.storage.validity import Mask


class SparseRetriever(Cuttable):
    """Scores the documents of an index by the terms they share with a query.

    Columns in: ``qid, query``; of result rows only their queries are used. Columns out: the query columns,
    then ``docno, score, rank``. Documents that share no term are not returned; a query without terms returns
    no rows.
    """

    index: TermIndex
    num_results: int

    def weighting(self, segment: Segment) -> npt.NDArray[np.float32] | Weigher:
        """Return the weight of each posting of a segment, [p], or the function that computes those of some terms."""
        raise NotImplementedError

    def posting_weights(self) -> npt.NDArray[np.float32]:
        """Return the weight of each posting of the index, as :attr:`TermIndex.documents` has them; [P]."""
        segment = self.index.one_segment
        weights = self.weighting(segment)
        return weights if isinstance(weights, np.ndarray) else all_weights(segment.indptr, weights)

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the terms to add up, repeated as often as they are added, and their weights; [q], float32 [q].

        Args:
            terms: distinct term numbers.
            tf: frequency of each in the query.
        """
        raise NotImplementedError

    _weighted: tuple[object, ScoredSegments] | None = None

    def postings(self) -> ScoredSegments:
        """Return the weighted postings, made on first use."""
        index = self.index
        weighing = {name: value for name, value in self._given().items() if name not in ("index", "num_results")}
        # Since the last query, the index may have been built anew, and a dict of weights may have been written into.
        key = index.manifest.data, hashable(weighing)
        if self._weighted is None or self._weighted[0] != key:
            self._weighted = key, ScoredSegments(index.segments, self.weighting)
        return self._weighted[1]

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """Return the score of every document for one query; [n]."""
        return self.postings().scores(*self.query_vector(*self.known_terms(query)))

    def known_terms(self, query: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the terms of a query that the index has, and the frequency of each in the query; [q], [q]."""
        counts = Counter(self.index.analyzer.terms(query))
        found = {self.index.terms.find(term): tf for term, tf in counts.items()}
        found.pop(-1, None)
        terms = np.fromiter(found, dtype=np.int64, count=len(found))
        return terms, np.fromiter(found.values(), dtype=np.int64, count=len(found))

    def best(self, query: str, in_force: Mask | None = None) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the numbers of the best documents, best first, and their scores.

        Args:
            query: the query.
            in_force: which documents may be results, [n]; None for all.
        """
        scores = self.scores(query)
        if in_force is not None:
            scores = scores * in_force  # Only scores above 0 are results.
        best = top_k(scores, self.index.order, self.num_results)
        return best, scores[best]

    def scorer(self) -> SparseScorer:
        """Return the transformer that scores given documents as this retriever does."""
        return SparseScorer(self)

    def occurrences(self, term: int, segment: Segment, posting: int) -> dict[str, object]:
        """Return the details of a posting for explanations: ``in_document``, ``documents`` with the term, and more."""
        return self.index.occurrences(term, segment, posting)

    @property
    def label(self) -> str:
        """The retriever as in an expression, with the parameters of its scores."""
        raise NotImplementedError

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the part of each term of the query in the scores of `docnos`."""
        queries = drop_results(inp)
        query, (in_force,) = queries["query"].iloc[0], masks(queries, self.index.validity)
        found = set(self.index.docnos[self.best(query, in_force)[0]])
        return explain_terms(self, query, [docno for docno in docnos if docno in found])

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the best documents of each query.

        Raises:
            ComponentError: a query is not a string.
        """
        return self.retrieve_lists(inp).frame()

    def retrieve_lists(self, inp: pd.DataFrame) -> RankedLists:
        """Return the best documents of each query as lists; errors as :meth:`apply`."""
        pt.validate.columns(inp, includes=["qid", "query"])
        queries = drop_results(inp)
        require_texts(queries, type(self).__name__)
        asked = zip(queries["query"], masks(queries, self.index.validity), strict=True)
        return hit_lists(queries, [self.best(*one) for one in asked], self.index.docno_table)


def explain_terms(retriever: SparseRetriever, query: str, docnos: Sequence[str]) -> dict[str, Explanation]:
    """Return the part of each term of `query` in the scores of `docnos`; documents that the index lacks are left out.

    A part is a term that query and document share, the largest first. Its detail has the ``term`` as indexed, how
    often it is ``in_query`` and ``in_document``, and the number of ``documents`` with it; over fields, of each field.
    """
    index = retriever.index
    numbers = index.docno_table.numbers(docnos)
    scores = retriever.scores(query)
    terms, tf = retriever.known_terms(query)
    parts: dict[int, list[Part]] = {int(number): [] for number in numbers if number >= 0}
    wanted = np.array(sorted(parts), dtype=np.int64)
    factor = dict.fromkeys(terms.tolist(), 0.0)
    for term, weight in zip(*retriever.query_vector(terms, tf), strict=True):
        factor[int(term)] += float(weight)
    for segment, scored in retriever.postings().parts:
        which, documents = segment.own_documents(wanted)
        own = segment.own_terms(terms)
        weights = scored.weights_of(own[own >= 0])
        for term, own_term, in_query in zip(terms.tolist(), own.tolist(), tf.tolist(), strict=True):
            if own_term < 0:
                continue
            first, last = segment.indptr[own_term : own_term + 2].tolist()
            holders = segment.documents[first:last]
            place = np.minimum(np.searchsorted(holders, documents), len(holders) - 1)
            text = index.terms[term]
            label = readable(text) + (f" ×{in_query}" if in_query > 1 else "")
            found = holders[place] == documents
            for number, posting in zip(wanted[which[found]].tolist(), (first + place[found]).tolist(), strict=True):
                if value := factor[term] * float(weights[posting]):
                    detail = {"term": text, "in_query": in_query, **retriever.occurrences(term, segment, posting)}
                    parts[number].append(Part(label, value, detail=detail))
    return {
        docno: Explanation(docno, score := float(scores[number]), retriever.label, _scaled(parts[int(number)], score))
        for docno, number in zip(docnos, numbers, strict=True)
        if number >= 0
    }


def _scaled(parts: list[Part], score: float) -> tuple[Part, ...]:
    """Return the parts, the largest first, such that they add up to the score.

    Scores are sums in single precision; their rounding error is spread over the parts.
    """
    total = sum(part.value for part in parts)
    factor = score / total if total else 1.0
    scaled = [Part(part.label, part.value * factor, detail=part.detail) for part in parts]
    return tuple(sorted(scaled, key=lambda part: (-part.value, part.label)))


class SparseScorer(PairScorer):
    """Scores given documents as a sparse retriever scores them; one that shares no term with the query gets 0.

    Columns in: ``qid, query, docno``. Columns out: the same, ``score`` and ``rank``.

    Args:
        retriever: the retriever; its number of results does not matter.
    """

    def __init__(self, retriever: SparseRetriever) -> None:
        self.retriever = retriever

    def docno_table(self) -> Docnos:
        """Return the docnos of the index."""
        return self.retriever.index.docno_table

    def pair_scores(
        self, queries: pd.DataFrame, query: npt.NDArray[np.int64], documents: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.floating]:
        """Return the retriever's score of each pair."""
        require_texts(queries, type(self).__name__)
        scores = np.empty(len(documents), dtype=np.float32)
        bounds = np.searchsorted(query, np.arange(len(queries) + 1))
        for text, first, last in zip(queries["query"], bounds, bounds[1:], strict=False):
            scores[first:last] = self.retriever.scores(text)[documents[first:last]]
        return scores
