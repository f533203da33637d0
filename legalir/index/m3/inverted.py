"""From the tokens of each text to the texts of each token, in memory that does not grow with either.

z postings, V tokens in the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import numpy.typing as npt

from legalir.arrays import create_array, save_array
from legalir.index.row_files import ArrayFile

__all__ = ["write_inverted"]

_POSTINGS = 2_000_000
"""Postings that are held at a time; those of one token are held whole."""
_POSTING = np.dtype([("token", np.int32), ("document", np.int32), ("weight", np.float32)])

Numbers = npt.NDArray[np.int64]


def write_inverted(data: Path, spill: Path, vocabulary: int) -> None:
    """Write the postings of each token, from the rows of the sparse head that stand in `data`.

    Postings are dealt out to files by ranges of tokens; each file is then sorted by itself.

    Files: ``token.bounds.npy`` int64 [V + 1]; ``token.documents.npy`` int32 [z], ascending within a token;
    ``token.weights.npy`` float32 [z].

    Args:
        data: directory of the build, with ``sparse.bounds.npy``, ``sparse.tokens.npy`` and ``sparse.weights.npy``.
        spill: an empty directory for scratch.
        vocabulary: V; every token is below.

    Raises:
        OSError: the files cannot be written.
    """
    frequencies = np.zeros(vocabulary, dtype=np.int64)
    tokens = ArrayFile(data / "sparse.tokens.npy")
    for first in range(0, tokens.length, _POSTINGS):
        block = tokens.between(first, min(first + _POSTINGS, tokens.length))
        frequencies += np.bincount(block, minlength=vocabulary)
    bounds = np.concatenate(([0], np.cumsum(frequencies)))
    save_array(data / "token.bounds.npy", bounds)
    ranges = list(_ranges(bounds))
    for block in _postings(data):
        _deal(block, ranges, spill)
    with (
        create_array(data / "token.documents.npy", np.dtype(np.int32), (tokens.length,)) as documents,
        create_array(data / "token.weights.npy", np.dtype(np.float32), (tokens.length,)) as weights,
    ):
        for number, _ in enumerate(ranges):
            file = spill / str(number)
            if file.exists():
                found = np.fromfile(file, dtype=_POSTING)
                file.unlink()
                found = found[np.argsort(found["token"], kind="stable")]
                documents.write(np.ascontiguousarray(found["document"]).data)
                weights.write(np.ascontiguousarray(found["weight"]).data)


def _ranges(bounds: Numbers) -> Iterator[int]:
    """Yield the ends of ranges of tokens that have about ``_POSTINGS`` postings each."""
    last = 0
    while last < len(bounds) - 1:
        end = int(np.searchsorted(bounds, bounds[last] + _POSTINGS, side="right")) - 1
        last = min(max(end, last + 1), len(bounds) - 1)
        yield last


def _postings(data: Path) -> Iterator[npt.NDArray[np.void]]:
    """Yield the postings by document, so many at a time; within a block and from block to block, documents ascend."""
    tokens, weights = ArrayFile(data / "sparse.tokens.npy"), ArrayFile(data / "sparse.weights.npy")
    rows = ArrayFile(data / "sparse.bounds.npy")
    bounds = rows.between(0, rows.length)
    for first in range(0, tokens.length, _POSTINGS):
        last = min(first + _POSTINGS, tokens.length)
        block = np.empty(last - first, dtype=_POSTING)
        block["token"], block["weight"] = tokens.between(first, last), weights.between(first, last)
        # The documents whose rows this block touches, and how much of each row it holds.
        low, high = np.searchsorted(bounds, (first, last - 1), side="right") - 1
        held = np.diff(np.clip(bounds[low : high + 2], first, last))
        block["document"] = np.repeat(np.arange(low, high + 1), held)
        yield block


def _deal(block: npt.NDArray[np.void], ranges: list[int], spill: Path) -> None:
    """Append each posting of a block to the file of its range of tokens."""
    number = np.searchsorted(ranges, block["token"], side="right").astype(np.uint16)
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=len(ranges)))
    with ExitStack() as stack:
        for range_number, (first, last) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            if last > first:
                stream = stack.enter_context((spill / str(range_number)).open("ab"))
                stream.write(block[order[first:last]].data)
