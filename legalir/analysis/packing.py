"""Counting n-grams as integers: a window of symbols packed into 64 bits, sorted, and run-length encoded.

Symbols are numbered from 1 in ascending code-point order and 0 pads a window that ends with its word, so the
order of the packed integers is the order of the terms as strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import TermCounts

__all__ = ["PackedNGrams", "count_packed", "pack_ngrams"]

_BITS = 63
"""Bits that a packed key may use; the sign bit stays clear."""


@dataclass(frozen=True, slots=True)
class PackedNGrams:
    """The n-grams that start at each position of a stream.

    Attributes:
        keys: uint64 [m]; packed n-gram at each position.
        valid: bool [m]; whether a term starts there.
        bits: bits a symbol takes.
        key_bits: bits that a key takes.
        symbols: symbols that the low part of a key holds.
        prefixes: ascending packed prefixes, outermost last, that replaced the high part of a key with its
            rank when it outgrew 63 bits, each with the number of symbols below it.
    """

    keys: npt.NDArray[np.uint64]
    valid: npt.NDArray[np.bool_]
    bits: int
    key_bits: int
    symbols: int
    prefixes: list[tuple[npt.NDArray[np.uint64], int]]


def pack_ngrams(stream: npt.NDArray[np.uint32], n: int, alphabet: int) -> PackedNGrams:
    """Pack the windows of `n` symbols of `stream` that lie inside words.

    Args:
        stream: uint32 [m], 0 for a gap, with a gap at the end.
        n: symbols in a window.
        alphabet: number of symbols.
    """
    bits = max(1, int(alphabet).bit_length())
    inside = stream != 0
    starts = inside.copy()
    starts[1:] &= ~inside[:-1]
    keys = stream.astype(np.uint64)
    used, symbols = bits, 1
    prefixes: list[tuple[npt.NDArray[np.uint64], int]] = []
    alive = inside.copy()
    following = np.zeros_like(stream)
    for j in range(1, n):
        following[:-j] = stream[j:]
        following[-j:] = 0
        alive &= following != 0
        if used + bits > _BITS:
            unique, keys = _rank(keys)
            prefixes.append((unique, symbols))
            used, symbols = max(1, len(unique).bit_length()), 0
        keys = (keys << np.uint64(bits)) | np.where(alive, following, np.uint32(0)).astype(np.uint64)
        used, symbols = used + bits, symbols + 1
    return PackedNGrams(keys, alive | starts, bits, used, symbols, prefixes)


def _rank(keys: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    unique, inverse = np.unique(keys, return_inverse=True)
    return unique, inverse.astype(np.uint64)


def count_packed(packed: PackedNGrams, ends: npt.NDArray[np.int64], texts: int, alphabet: Sequence[str]) -> TermCounts:
    """Count packed n-grams by term and text.

    Args:
        packed: n-grams of a stream [m].
        ends: int64 [n]; end of each text in the stream.
        texts: how many texts are counted; any after them are empty.
        alphabet: symbol i + 1 is ``alphabet[i]``.
    """
    documents = np.repeat(np.arange(len(ends), dtype=np.uint64), np.diff(ends, prepend=np.int64(0)))[packed.valid]
    keys = packed.keys[packed.valid]
    lengths = np.bincount(documents.astype(np.int64), minlength=texts)[:texts]
    shift = max(1, len(ends).bit_length())
    unique: npt.NDArray[np.uint64] | None = None
    if packed.key_bits + shift > _BITS:
        unique, keys = _rank(keys)
    joined = np.sort((keys << np.uint64(shift)) | documents)
    first = np.flatnonzero(np.diff(joined, prepend=~joined[:1]))
    frequencies = np.diff(first, append=len(joined))
    joined = joined[first]
    documents = joined & np.uint64((1 << shift) - 1)
    keys = joined >> np.uint64(shift)
    starts = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
    keys = keys[starts]
    return TermCounts(
        terms=_decode(keys if unique is None else unique[keys], packed, alphabet),
        indptr=np.append(starts, len(joined)).astype(np.int64),
        documents=documents.astype(np.int32),
        frequencies=frequencies.astype(np.int32),
        lengths=lengths.astype(np.int64),
    )


def _decode(keys: npt.NDArray[np.uint64], packed: PackedNGrams, alphabet: Sequence[str]) -> list[str]:
    """Turn packed keys back into strings, from their last symbol to their first."""
    codes = np.array([0, *map(ord, alphabet)], dtype=np.uint32)
    mask = np.uint64((1 << packed.bits) - 1)
    columns: list[npt.NDArray[np.uint32]] = []
    prefixes = list(packed.prefixes)
    symbols = packed.symbols
    while True:
        for _ in range(symbols):
            columns.append(codes[keys & mask])
            keys = keys >> np.uint64(packed.bits)
        if not prefixes:
            break
        unique, symbols = prefixes.pop()
        keys = unique[keys]
    matrix = np.ascontiguousarray(np.stack(columns[::-1], axis=1))
    width = matrix.shape[1]
    # Trailing zeros are the padding of short words; numpy's fixed-width strings drop exactly those.
    terms: list[str] = matrix.view(f"<U{width}").ravel().tolist()
    return terms
