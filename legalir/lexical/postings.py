"""Building the postings of a collection in bounded memory: batches are counted, spilled, merged by term."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import TermCounts
from legalir.errors import ArtifactError
from legalir.storage.arrays import create_array, load_array, save_array

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
        save_array(self._spill / f"{number}.documents.npy", counts.documents)
        if len(counts.frequencies):
            self._highest = max(self._highest, int(counts.frequencies.max()))
        frequencies = counts.frequencies.astype(np.min_scalar_type(int(counts.frequencies.max(initial=0))))
        save_array(self._spill / f"{number}.frequencies.npy", frequencies)
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
        save_array(directory / "indptr.npy", indptr)
        lengths = np.concatenate([np.zeros(0, dtype=np.int64), *self._lengths])
        save_array(directory / "lengths.npy", lengths.astype(np.int32))
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
        # Written, not mapped: a full disk is then an error and not a bus error, which would end the process.
        with (
            create_array(directory / "documents.npy", np.dtype(np.int32), total) as documents,
            create_array(directory / "frequencies.npy", width, total) as frequencies,
        ):
            for first, last in _blocks(indptr):
                block = self._block(batches, first, indptr[first : last + 1], width)
                documents.write(block[0].data)
                frequencies.write(block[1].data)

    def _block(
        self,
        batches: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]],
        first: int,
        indptr: npt.NDArray[np.int64],
        width: np.dtype[Any],
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
        last = first + len(indptr) - 1
        filled = indptr[:-1] - indptr[0]
        documents = np.empty(indptr[-1] - indptr[0], dtype=np.int32)
        frequencies = np.empty(indptr[-1] - indptr[0], dtype=width)
        for number, (terms, offsets, offset) in enumerate(batches):
            a, b = np.searchsorted(terms, (first, last))
            sizes = np.diff(offsets[a : b + 1])
            local = terms[a:b] - first
            source = slice(offsets[a], offsets[b])
            # Mapped one at a time: a map holds a file open, and there may be more batches than files.
            shift = filled[local] - (offsets[a:b] - offsets[a])
            target = np.repeat(shift, sizes) + np.arange(offsets[b] - offsets[a])
            documents[target] = self._spilled(number, "documents")[source] + np.int32(offset)
            frequencies[target] = self._spilled(number, "frequencies")[source]
            filled[local] += sizes
        return documents, frequencies

    def _spilled(self, number: int, name: str) -> npt.NDArray[Any]:
        return load_array(self._spill / f"{number}.{name}.npy")


def _blocks(indptr: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of terms with about ``_MERGE`` postings each."""
    first, terms = 0, len(indptr) - 1
    while first < terms:
        last = int(np.searchsorted(indptr, indptr[first] + _MERGE, side="right")) - 1
        last = min(max(last, first + 1), terms)
        yield first, last
        first = last
