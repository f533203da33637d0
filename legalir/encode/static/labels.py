"""What hashed n-grams are called for people: hashes cannot be turned back, but those of a given text are known."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import numpy.typing as npt

from legalir.encode.static.characters import Codes, word_stream
from legalir.encode.static.ngrams import NGrams

__all__ = ["label_shares"]

_LONG = 16
"""Characters from which on a word is shown as its n-grams: scripts without spaces have sentences for words."""


def label_shares(
    ngrams: NGrams, text: str, rows: npt.NDArray[np.int32], values: npt.NDArray[np.float64]
) -> dict[str, float]:
    """Return what the words of `text` have of the values of its rows, in the order of the text.

    A row that occurs more than once, in one word or several, is divided evenly among its occurrences.

    Args:
        ngrams: what is read of a text.
        text: one text.
        rows: its rows, ascending.
        values: a number for each.
    """
    stream, _ = word_stream([ngrams.normalized(text)])
    edge = np.diff((stream != 0).astype(np.int8))
    starts, ends = np.flatnonzero(edge == 1) + 1, np.flatnonzero(edge == -1) + 1
    found = list(ngrams.occurrences(stream))
    first = np.concatenate([one.first for one in found])
    last = np.concatenate([one.last for one in found])
    place = np.searchsorted(rows, np.concatenate([one.rows for one in found]).astype(np.int64))
    share = values[place] / np.bincount(place, minlength=len(rows))[place]
    # With edges an n-gram may begin at the gap before its word.
    word = np.searchsorted(ends, np.where(stream[first] == 0, first + 1, first), side="right")
    shown: defaultdict[str, float] = defaultdict(float)
    for number in np.lexsort((last, first)).tolist():
        own = word[number]
        long = ends[own] - starts[own] > _LONG
        begin, end = (first[number], last[number] + 1) if long else (starts[own], ends[own])
        shown[_text(stream, begin, end)] += float(share[number])
    return dict(shown)


def _text(stream: Codes, begin: int, end: int) -> str:
    return "".join(chr(code) if code else " " for code in stream[begin:end].tolist()).strip()
