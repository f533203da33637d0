"""Postings: the documents that hold each term. Written in bounded memory, and summed to scores.

n documents, V terms, P postings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import TermCounts
from legalir.errors import ArtifactError
from legalir.lexical.weights import Weigher, all_weights, posting_blocks
from legalir.storage.arrays import create_array, load_array, save_array
from legalir.storage.csr import positions

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
            for terms, _ in posting_blocks(indptr, _MERGE):
                block = self._block(batches, terms.start, indptr[terms.start : terms.stop + 1], width)
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


_SOME = 4
"""Weights are computed by term until those of a quarter of all postings are; then all others are computed at once."""


class ScoredPostings:
    """Weighted postings that sum up to scores.

    Args:
        indptr: int64 [V + 1].
        documents: int32 [P].
        weights: float32 [P]; or the function that computes them, which is called for the terms of the queries.
        n: number of documents.
    """

    def __init__(
        self,
        indptr: npt.NDArray[np.int64],
        documents: npt.NDArray[np.int32],
        weights: npt.NDArray[np.float32] | Weigher,
        n: int,
    ) -> None:
        self._indptr = indptr
        self._bounds = indptr.astype(np.int32)  # of the type of the documents, as scipy has it
        self._documents = documents
        self._n = n
        self._weigh = None if isinstance(weights, np.ndarray) else weights
        self._weights = weights if isinstance(weights, np.ndarray) else np.empty(len(documents), dtype=np.float32)
        self._weighted = np.zeros(len(indptr) - 1, dtype=bool)
        self._waiting = len(documents) // _SOME

    @property
    def weights(self) -> npt.NDArray[np.float32]:
        """Weight of each posting; [P]."""
        weigh = self._weigh
        if weigh is not None:
            self._weights, self._weigh = all_weights(self._indptr, weigh), None
        return self._weights

    def weights_of(self, terms: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Return an array in which the weights of the postings of `terms` are right; [P]."""
        weigh, weights = self._weigh, self._weights
        if weigh is None:
            return self._weights
        new = np.unique(terms[~self._weighted[terms]])
        if len(new):
            postings = positions(self._indptr, new)[1]
            self._waiting -= len(postings)
            if self._waiting < 0:
                return self.weights
            weights[postings] = weigh(new, postings)
            self._weighted[new] = True
        return weights

    def scores(self, terms: npt.NDArray[np.int64], query_weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the sum of ``query_weight · weight`` over the terms of one query for each document; [n].

        Args:
            terms: term numbers [q]; one that occurs twice is added twice.
            query_weights: float32 [q].
        """
        from scipy.sparse import csc_array

        # scipy's product of a sparse matrix and a vector runs over columns ``indptr[j]:indptr[j + 1]``. With
        # the terms in descending order, the slices of the postings alternate with gaps that run backwards,
        # which are empty: one call sums all terms and copies none of the postings.
        descending = np.argsort(-terms, kind="stable")
        chosen = terms[descending]
        columns = np.empty(2 * len(chosen), dtype=np.int32)
        columns[0::2], columns[1::2] = self._bounds[chosen], self._bounds[chosen + 1]
        factors = np.zeros(max(0, len(columns) - 1), dtype=np.float32)
        factors[0::2] = query_weights[descending]
        matrix = csc_array((self._n, len(factors)), dtype=np.float32)
        matrix.indptr, matrix.indices, matrix.data = columns, self._documents, self.weights_of(terms)
        scores: npt.NDArray[np.float32] = matrix @ factors
        return scores
