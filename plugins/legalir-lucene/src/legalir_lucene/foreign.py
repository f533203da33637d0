"""The base of retrievers over an index that others built: its documents are those of the collection, by docno."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, TypeVar

import numpy as np
import pandas as pd

from legalir.errors import ComponentError
from legalir.extend import EngineRetriever, Hits, LawTable

__all__ = ["ForeignIndex"]

_log = logging.getLogger("legalir")
_LOOKED_AT = 1000
"""Results without any document of the collection that show that an index is of something else."""

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


class ForeignIndex(EngineRetriever):
    """The best documents of an index that Anserini built, which the collection has under the same docno.

    A subclass sets `name`, and writes :attr:`label` and :meth:`ask`; :meth:`map` where it answers several at once.
    """

    index: Annotated[LawTable, "the documents of the collection"]

    def __post_init__(self) -> None:
        self._warned = False

    @property
    def label(self) -> str:
        """The retriever with its index, for messages."""
        raise NotImplementedError

    def ask(self, query: str, k: int) -> tuple[Sequence[str], Sequence[float]]:
        """Return the ids of the best `k` documents and their scores, best first; fewer if no more match."""
        raise NotImplementedError

    def map(self, function: Callable[[_Item], _Made], items: Iterable[_Item]) -> list[_Made]:
        """Return what `function` makes of each item."""
        return [function(item) for item in items]

    def best(self, queries: pd.DataFrame, days: Sequence[int] | None, k: int) -> list[Hits]:
        """Return the best documents of every query that the collection has.

        A warning counts the documents that it does not have, once.

        Raises:
            ComponentError: the collection has none of the first 1000 documents, or the index has a document twice.
        """
        return self.map(lambda query: self._best(query, k), queries["query"])

    def _best(self, query: str, k: int) -> Hits:
        depth = k
        while True:
            docnos, scores = self.ask(query, depth)
            if len(set(docnos)) < len(docnos):
                raise ComponentError(f"{self.label}: a list has a document twice: the index is one of passages.")
            numbers = self.index.numbers(docnos)
            there = numbers >= 0
            self._report(docnos, there.tolist())
            if there.sum() >= k or len(docnos) < depth:
                return numbers[there][:k], np.asarray(scores, dtype=np.float64)[there][:k]
            depth *= 2

    def _report(self, docnos: Sequence[str], there: Sequence[bool]) -> None:
        unknown = [docno for docno, known in zip(docnos, there, strict=True) if not known]
        if len(unknown) == len(docnos) >= _LOOKED_AT:
            raise ComponentError(
                f"{self.label}: the collection has none of the first {len(unknown)} documents, such as {unknown[0]!r}: "
                f"give an index of this collection."
            )
        if unknown and not self._warned:
            self._warned = True
            _log.warning(
                "%s: %d of %d results of a question are not in the collection, such as %r; they are left out.",
                *(self.label, len(unknown), len(docnos), unknown[0]),
            )
