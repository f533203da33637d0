"""Building the postings of a collection in bounded memory: batches are counted, spilled, and merged by term."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from numpy.lib.format import open_memmap

from legalir.analysis import TermCounts
from legalir.errors import ArtifactError
from legalir.index.artifact import load_array

__all__ = ["PostingsWriter"]

_MERGE = 8_000_000
"""Postings that are merged in memory at a time."""


class PostingsWriter:
    """Collects batches of :class:`TermCounts` and writes the postings of all of them, ordered by term.

    A batch is kept on disk until :meth:`finish`; in memory stay the vocabulary and one batch.
    """

    def __init__(self, spill: Path) -> None:
        self._spill = spill
        self._ids: dict[str, int] = {}
        self._batches: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]] = []
        self._lengths: list[npt.NDArray[np.int64]] = []
        self._documents = 0
        self._highest = 0

    def add(self, counts: TermCounts) -> None:
        """Add the counts of the next documents."""
        ids = self._ids
        terms = np.fromiter(
            (ids.setdefault(term, len(ids)) for term in counts.terms), dtype=np.int64, count=len(counts.terms)
        )
        number = len(self._batches)
        np.save(self._spill / f"{number}.documents.npy", counts.documents)
        if len(counts.frequencies):
            self._highest = max(self._highest, int(counts.frequencies.max()))
        frequencies = counts.frequencies.astype(np.min_scalar_type(int(counts.frequencies.max(initial=0))))
        np.save(self._spill / f"{number}.frequencies.npy", frequencies)
        self._batches.append((terms, counts.indptr, self._documents))
        self._lengths.append(counts.lengths)
        self._documents += len(counts.lengths)

    def finish(self, directory: Path) -> list[str]:
        """Write the arrays of the index into `directory` and return its vocabulary in ascending order.

        Files: ``indptr.npy`` int64 [V + 1]; ``documents.npy`` int32 [P], ascending within a term;
        ``frequencies.npy`` unsigned [P]; ``lengths.npy`` int32 [n].

        Raises:
            ArtifactError: there are 2³¹ postings or more.
        """
        vocabulary = sorted(self._ids)
        place = np.empty(len(vocabulary), dtype=np.int64)
        place[[self._ids[term] for term in vocabulary]] = np.arange(len(vocabulary))
        self._ids.clear()
        batches = [(place[terms], indptr, first) for terms, indptr, first in self._batches]
        df = np.zeros(len(vocabulary), dtype=np.int64)
        for terms, indptr, _ in batches:
            df[terms] += np.diff(indptr)
        indptr = np.concatenate(([0], np.cumsum(df)))
        if indptr[-1] >= 2**31:
            raise ArtifactError(f"{indptr[-1]} postings are more than one index holds: split the collection.")
        np.save(directory / "indptr.npy", indptr)
        lengths = np.concatenate([np.zeros(0, dtype=np.int64), *self._lengths])
        np.save(directory / "lengths.npy", lengths.astype(np.int32))
        self._merge(directory, batches, indptr)
        return vocabulary

    def _merge(
        self,
        directory: Path,
        batches: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]],
        indptr: npt.NDArray[np.int64],
    ) -> None:
        total = (int(indptr[-1]),)
        width = np.min_scalar_type(self._highest)
        documents = open_memmap(directory / "documents.npy", mode="w+", dtype=np.int32, shape=total)
        frequencies = open_memmap(directory / "frequencies.npy", mode="w+", dtype=width, shape=total)
        spilled = [
            (load_array(self._spill / f"{i}.documents.npy"), load_array(self._spill / f"{i}.frequencies.npy"))
            for i in range(len(batches))
        ]
        for first, last in _blocks(indptr):
            base = indptr[first]
            filled = indptr[first:last] - base
            block_documents = np.empty(indptr[last] - base, dtype=np.int32)
            block_frequencies = np.empty(indptr[last] - base, dtype=width)
            for (terms, offsets, offset), (batch_documents, batch_frequencies) in zip(
                batches, spilled, strict=True
            ):
                a, b = np.searchsorted(terms, (first, last))
                sizes = np.diff(offsets[a : b + 1])
                local = terms[a:b] - first
                source = slice(offsets[a], offsets[b])
                shift = filled[local] - (offsets[a:b] - offsets[a])
                target = np.repeat(shift, sizes) + np.arange(offsets[b] - offsets[a])
                block_documents[target] = batch_documents[source] + np.int32(offset)
                block_frequencies[target] = batch_frequencies[source]
                filled[local] += sizes
            documents[base : indptr[last]] = block_documents
            frequencies[base : indptr[last]] = block_frequencies
        documents.flush()
        frequencies.flush()


def _blocks(indptr: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of terms with about ``_MERGE`` postings each."""
    first, terms = 0, len(indptr) - 1
    while first < terms:
        last = int(np.searchsorted(indptr, indptr[first] + _MERGE, side="right")) - 1
        last = min(max(last, first + 1), terms)
        yield first, last
        first = last
