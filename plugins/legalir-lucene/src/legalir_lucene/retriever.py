"""Lucene as a transformer: questions in, ranked documents out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
from annotated_types import Ge, Le

from legalir.extend import EngineRetriever, Explanation, Hits, Upstream, drop_results
from legalir_lucene.explained import parts_of
from legalir_lucene.index import LuceneIndex
from legalir_lucene.machine import machine
from legalir_lucene.searching import Model, Searcher

__all__ = ["Lucene", "Model"]

_LARGEST = 1e9
"""Above the largest number of single precision, Lucene would compute with infinity."""


class Lucene(EngineRetriever):
    """Scores documents with Lucene's BM25 or its query likelihood with Dirichlet smoothing.

    ``bm25`` is ``Σ_t qtf · ln(1 + (N − df + ½)/(df + ½)) · tf / (tf + k1·(1 − b + b·dl/avgdl))`` (Robertson et al.
    1994, without the constant factor k1 + 1), ``ql`` is ``Σ_t qtf · max(0, ln(1 + tf/(mu·p_t)) + ln(mu/(dl + mu)))``
    with ``p_t = (cf + 1)/(T + 1)`` (Zhai and Lafferty 2001; cf is how often the collection of T terms holds t), over
    the terms that query and document share. Deviations from the papers, all Lucene's: dl is the length rounded down to
    one of 256 values, exact below 40; documents without terms count neither in N nor in avgdl; a term whose likelihood
    would lower the score of a document adds nothing, and a document pays for its length only with the terms it has.

    Columns in: ``qid, query``; results are refused. Columns out: the query columns, then ``docno, score, rank``.
    Documents that share no term are not returned.
    """

    name = "lucene"
    ties_by_docno = True

    index: Annotated[LuceneIndex, "the index"]
    model: Annotated[Model, "the model"] = "bm25"
    k1: Annotated[float, Ge(0), Le(_LARGEST), "of BM25: saturation of term frequency"] = 0.9
    b: Annotated[float, Ge(0), Le(1), "of BM25: length normalisation"] = 0.4
    mu: Annotated[
        float,
        Ge(1),
        Le(_LARGEST),
        "of query likelihood: weight of the collection in the language model of a document, in terms",
    ] = 1000

    def __post_init__(self) -> None:
        self._searching: tuple[Path, Searcher] | None = None

    @property
    def label(self) -> str:
        """The retriever as in an expression, with what its scores depend on."""
        used = f"k1={self.k1:g}, b={self.b:g}" if self.model == "bm25" else f"mu={self.mu:g}"
        return f"lucene({self.model}, {self.index.analyzer.name}, {used})"

    def _searcher(self) -> Searcher:
        build = self.index.files
        # The index may have been built again since the last query.
        if self._searching is None or self._searching[0] != build:
            searcher = self.index.reader.searcher(self.model, k1=self.k1, b=self.b, mu=self.mu)
            self._searching = build, searcher
        return self._searching[1]

    def best(self, queries: pd.DataFrame, days: Sequence[int] | None, k: int) -> list[Hits]:
        """Return the best documents of every query; several queries are answered at once, in threads of Java.

        Raises:
            ArtifactError: the index is damaged or cannot be built.
            LegalIRError: Java or Lucene is missing, too old, or out of memory.
        """
        analyzer, searcher, number = self.index.analyzer, self._searcher(), self.index.ascending
        hits = machine().map(lambda query: searcher.best(analyzer.terms(query), k), queries["query"])
        return [(number[documents], scores) for documents, scores in hits]

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return what each term of the query adds to the scores of `docnos`, as Lucene explains it."""
        results = self.retrieve_lists(inp)
        scores = dict(zip(results.docno, results.score.tolist(), strict=True))
        terms, searcher = self.index.analyzer.terms(drop_results(inp)["query"].iloc[0]), self._searcher()
        table, explained = self.index.docno_table, {}
        for docno in filter(scores.__contains__, docnos):
            reasons = searcher.explain(terms, int(table.order[table.numbers([docno])[0]]))
            explained[docno] = Explanation(docno, scores[docno], self.label, parts_of(reasons, terms, scores[docno]))
        return explained
