"""The chunks between white space in many texts: each distinct chunk once, and its places.

``str.split`` and a dictionary would take most of the time in which words are counted. Here both are operations on
arrays: eight bytes of a chunk are one integer, and pandas numbers integers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

_Ints = npt.NDArray[np.int64]

_WORD, _WORDS = 8, 4
"""Bytes per integer, and number of integers that fit most chunks. Longer chunks are numbered by a dictionary."""

_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
"""White space outside ASCII, as ``str.split`` has it."""

_IS_SPACE = np.zeros(256, dtype=bool)
_IS_SPACE[[*range(9, 14), *range(28, 33)]] = True

_BEYOND = np.array([2**64 - (1 << 8 * size) for size in range(_WORD)] + [0], dtype=np.uint64)
"""Mask that sets the unused high bytes of a word of n bytes to 0xFF, which never occurs in UTF-8."""


class Chunks(NamedTuple):
    """The chunks of n texts.

    Attributes:
        distinct: the distinct chunks.
        numbers: int64 [m]; each chunk in the order of the texts, by its place in `distinct`.
        documents: int64 [m]; the text of each chunk, ascending.
    """

    distinct: list[str]
    numbers: _Ints
    documents: _Ints


def split_texts(texts: Sequence[str]) -> Chunks:
    """Split texts as ``str.split`` does."""
    encoded = [(text if text.isascii() else _SPACES.sub(" ", text)).encode("utf-8", "surrogatepass") for text in texts]
    # A space separates two texts, and an integer can be read wherever a chunk begins.
    joined = b" ".join((b"", *encoded, bytes(_WORD)))
    bounds = np.cumsum([1, *(len(text) + 1 for text in encoded)])
    space = _IS_SPACE[np.frombuffer(joined, dtype=np.uint8)]
    edges = np.flatnonzero(space[1:] != space[:-1]) + 1
    # The zeros at the end look like a chunk, but are not one.
    starts, ends = edges[:-1:2], edges[1::2]
    numbers, distinct = pd.factorize(_number(joined, starts, ends - starts))
    first = np.empty(len(distinct), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    chunks = [
        joined[start:end].decode("utf-8", "surrogatepass")
        for start, end in zip(starts[first].tolist(), ends[first].tolist(), strict=True)
    ]
    documents = np.repeat(np.arange(len(texts)), np.diff(np.searchsorted(starts, bounds)))
    return Chunks(chunks, numbers, documents)


def _number(joined: bytes, starts: _Ints, sizes: _Ints) -> _Ints:
    """Return a number for each slice of `joined`, the same for equal slices alone; [m]."""
    integers = np.ndarray((len(joined) - _WORD + 1,), dtype="<u8", buffer=joined, strides=(1,))
    numbers = np.zeros(len(starts), dtype=np.int64)
    count = 0
    rest = np.arange(len(starts))
    for place in range(0, _WORD * _WORDS, _WORD):
        # Chunks with this beginning and that continuation.
        left = sizes[rest] - place
        part, found = pd.factorize(integers[starts[rest] + place] | _BEYOND[np.minimum(left, _WORD)])
        joint, distinct = pd.factorize(numbers[rest] << 32 | part) if place else (part, found)
        numbers[rest] = count + joint
        count += len(distinct)
        rest = rest[left > _WORD]
    slices = [
        joined[start : start + size] for start, size in zip(starts[rest].tolist(), sizes[rest].tolist(), strict=True)
    ]
    known: dict[bytes, int] = {}
    numbers[rest] = [known.setdefault(long, count + len(known)) for long in slices]
    return numbers
