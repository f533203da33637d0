"""A dataset and what is built for it: indexes made on first use, kept in a cache, reused while they fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from legalir import datasets
from legalir.analysis import Analyzer, get_analyzer
from legalir.columns import RESULT_COLUMNS
from legalir.errors import ComponentError
from legalir.files import cache_home, locked
from legalir.progress import progress

if TYPE_CHECKING:
    import pyterrier as pt
    from ir_datasets.datasets.base import Dataset

    from legalir.datasets import Provision, StatuteDataset
    from legalir.retrieve.sparse import SparseIndex

__all__ = ["Collection"]


class Collection:
    """A statute collection with its indexes.

    Args:
        id_or_path: an id such as ``legalir/firecode/test``, or the path of a folder in the folder format.
        cache: directory for what is built; by default ``$LEGALIR_HOME``, else the platform's cache. Indexes
            are kept under the sha256 of the corpus, so a changed corpus never meets an old index. Safe to
            delete.

    Raises:
        DatasetNotFound: nothing has this id, or there is no such folder.
    """

    def __init__(self, id_or_path: str | PathLike[str], cache: str | PathLike[str] | None = None) -> None:
        self.source: StatuteDataset = datasets.load(id_or_path)
        self._cache = None if cache is None else Path(cache).expanduser().absolute()
        self._sparse: dict[str, SparseIndex] = {}

    def __repr__(self) -> str:
        return f"Collection({self.id!r})"

    @property
    def id(self) -> str:
        """The id or path that the collection was opened by."""
        return self.source.id

    @cached_property
    def dataset(self) -> Dataset:
        """The collection as an ``ir_datasets`` dataset."""
        return self.source.irds()

    def docs(self) -> Iterator[Provision]:
        """Yield every provision."""
        return self.source.docs()

    def topics(self) -> pd.DataFrame:
        """Return the questions: ``qid, query`` and any other column of the query file."""
        return self.source.topics()

    def qrels(self) -> pd.DataFrame:
        """Return the judgements: ``qid, docno, label``."""
        return self.source.qrels()

    def provisions(self, docnos: Iterable[str]) -> dict[str, Provision]:
        """Return the provisions with these docnos; an unknown docno is left out."""
        return self.source.provisions(docnos)

    def fingerprint(self) -> str:
        """Return the sha256 of the corpus."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        return self.source.fingerprint()

    @property
    def cache(self) -> Path:
        """Directory of everything that is built for this corpus."""
        base = self._cache if self._cache is not None else cache_home()
        name = re.sub(r"[^\w.-]+", "-", self.source.base_id.rstrip("/").rsplit("/", 1)[-1]) or "collection"
        # 40 characters of any script fit into the 255 bytes that a file name may have.
        return base / "collections" / f"{name[:40]}-{self._fingerprint[:16]}"

    def sparse(self, analyzer: str | Analyzer = "jamo3") -> SparseIndex:
        """Return the sparse index under `analyzer`, built on first use.

        Raises:
            AnalyzerError: there is no such analyzer.
            ArtifactError: the index is damaged or cannot be written.
        """
        from legalir.retrieve.sparse import SparseIndex

        chosen = get_analyzer(analyzer, self)
        if chosen.fingerprint not in self._sparse:
            path = self.cache / f"sparse-{chosen.name}-{chosen.fingerprint[:8]}"
            index = SparseIndex(path, analyzer=chosen)
            if not index.built():
                self._build(index)
            self._sparse[chosen.fingerprint] = index
        return self._sparse[chosen.fingerprint]

    def _build(self, index: SparseIndex) -> None:
        path = index.directory
        # The index locks itself while it writes; this second lock lets whoever waited find the work done.
        with locked(path.with_name(f"{path.name}.first")):
            if index.built():
                return
            label = f"Indexing {self.id} ({index.analyzer.name})"
            with progress(label, self.source.docs_count()) as advance:
                index.index(_counted(self.source.docs(), advance), corpus=self._fingerprint)

    def pipeline(self, expression: str) -> pt.Transformer:
        """Return the pipeline that an expression describes, such as ``bm25(k1=1.5) % 10``.

        Raises:
            ExpressionError: the expression cannot be read, or names something unknown.
        """
        from legalir import pipeline

        return pipeline.build(expression, self)

    def search(self, query: str, expression: str = "bm25", k: int = 10) -> pd.DataFrame:
        """Return the best `k` provisions for one question.

        Returns:
            Columns ``rank`` (from 0), ``score, docno, title, text``.

        Raises:
            ComponentError: `k` is no positive integer.
        """
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise ComponentError(f"search: k={k!r} is not a positive integer.")
        results = self.pipeline(expression).search(query)
        results = results.sort_values("rank", kind="stable").head(k).reset_index(drop=True)
        found = self.provisions(results["docno"])
        results["title"] = [found[docno].title for docno in results["docno"]]
        results["text"] = [found[docno].text for docno in results["docno"]]
        return results[[*reversed(RESULT_COLUMNS), "title", "text"]]


def _counted(docs: Iterator[Provision], advance: Any) -> Iterator[dict[str, Any]]:
    for number, provision in enumerate(docs, start=1):
        if number % 500 == 0:
            advance(500)
        yield provision._asdict()
