"""Lucene as a transformer: questions in, ranked documents out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.extend import (
    Cuttable,
    Explanation,
    Upstream,
    check_choice,
    check_number,
    drop_results,
    empty_like,
    rank_results,
    require_texts,
)
from legalir_lucene.explained import parts_of
from legalir_lucene.index import LuceneIndex
from legalir_lucene.machine import machine
from legalir_lucene.searching import Hits, Model, Searcher

__all__ = ["Lucene", "Model"]

_LARGEST = 1e9
"""Above the largest number of single precision, Lucene would compute with infinity."""


class Lucene(Cuttable):
    """Scores documents with Lucene's BM25 or its query likelihood with Dirichlet smoothing.

    ``bm25`` is ``Σ_t qtf · ln(1 + (N − df + ½)/(df + ½)) · tf / (tf + k1·(1 − b + b·dl/avgdl))`` (Robertson et al.
    1994, without the constant factor k1 + 1), ``ql`` is ``Σ_t qtf · max(0, ln(1 + tf/(mu·p_t)) + ln(mu/(dl + mu)))``
    with ``p_t = (cf + 1)/(T + 1)`` (Zhai and Lafferty 2001; cf is how often the collection of T terms holds t), over
    the terms that query and document share. Deviations from the papers, all Lucene's: dl is the length rounded down to
    one of 256 values, exact below 40; documents without terms count neither in N nor in avgdl; a term whose likelihood
    would lower the score of a document adds nothing, and a document pays for its length only with the terms it has.

    Columns in: ``qid, query``; of result rows only their queries are used. Columns out: the query columns, then
    ``docno, score, rank``. Documents that share no term are not returned.

    Args:
        index: the index.
        model: ``bm25`` or ``ql``.
        k1: of BM25: saturation of term frequency, at least 0.
        b: of BM25: length normalisation, from 0 to 1.
        mu: of query likelihood: weight of the collection in the language model of a document, in terms, at least 1.
        num_results: results a query, at least 1.

    Raises:
        ComponentError: a parameter is out of range.
    """

    num_results: int

    def __init__(
        self,
        index: LuceneIndex,
        model: Model = "bm25",
        k1: float = 0.9,
        b: float = 0.4,
        mu: float = 1000,
        num_results: int = 1000,
    ) -> None:
        check_choice("lucene", "model", model, get_args(Model))
        check_number("lucene", "k1", k1, low=0, high=_LARGEST)
        check_number("lucene", "b", b, low=0, high=1)
        check_number("lucene", "mu", mu, low=1, high=_LARGEST)
        check_number("lucene", "num_results", num_results, low=1, integer=True)
        self.index = index
        self.model = model
        self.k1 = k1
        self.b = b
        self.mu = mu
        self.num_results = num_results

    _searching: tuple[str, Searcher] | None = None

    @property
    def label(self) -> str:
        """The retriever as in an expression, with what its scores depend on."""
        used = f"k1={self.k1:g}, b={self.b:g}" if self.model == "bm25" else f"mu={self.mu:g}"
        return f"lucene({self.model}, {self.index.analyzer.name}, {used})"

    def _searcher(self) -> Searcher:
        build = self.index.manifest.data
        # The index may have been built anew since the last query.
        if self._searching is None or self._searching[0] != build:
            searcher = self.index.reader.searcher(self.model, k1=self.k1, b=self.b, mu=self.mu)
            self._searching = build, searcher
        return self._searching[1]

    @property
    def _depth(self) -> int:
        # Java's integers end at 2**31 - 1, and Lucene wants at least 1.
        return min(self.num_results, max(1, len(self.index)))

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the best documents of every query; several queries are answered at once, in threads of Java.

        Raises:
            ComponentError: a query is not a string.
            ArtifactError: the index is damaged or cannot be built.
            LegalIRError: Java or Lucene is missing, too old, or out of memory.
        """
        pt.validate.columns(inp, includes=["qid", "query"])
        queries = drop_results(inp)
        require_texts(queries, "lucene")
        analyzer, searcher, k = self.index.analyzer, self._searcher(), self._depth
        hits = machine().map(lambda query: searcher.best(analyzer.terms(query), k), queries["query"])
        return self._frame(queries, hits)

    def _frame(self, queries: pd.DataFrame, hits: Sequence[Hits]) -> pd.DataFrame:
        sizes = [len(one.documents) for one in hits]
        # By position: the index of a frame put together from several repeats its labels.
        out = queries.iloc[np.repeat(np.arange(len(queries)), sizes)].reset_index(drop=True)
        out["docno"] = pd.Series(self.index.docnos[np.concatenate([one.documents for one in hits])], dtype=str)
        out["score"] = np.concatenate([one.scores for one in hits])
        return rank_results(out)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return what each term of the query adds to the scores of `docnos`, as Lucene explains it."""
        query = drop_results(inp)["query"].iloc[0]
        terms, searcher = self.index.analyzer.terms(query), self._searcher()
        best = searcher.best(terms, self._depth)
        places = {docno: place for place, docno in enumerate(self.index.docnos[best.documents])}
        explained = {}
        for docno in docnos:
            if (place := places.get(docno)) is not None:
                score = float(best.scores[place])
                reasons = searcher.explain(terms, int(best.documents[place]))
                explained[docno] = Explanation(docno, score, self.label, parts_of(reasons, terms, score))
        return explained
