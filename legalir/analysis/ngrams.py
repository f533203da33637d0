"""Character and jamo n-grams inside words.

Jamo n-grams are the terms of SearchFireSafety (Chae et al.): each precomposed Hangul syllable
U+AC00..U+D7A3 becomes its lead, vowel and (if any) tail jamo, in Unicode's conjoining forms, so that a lead
never equals a tail; characters of other scripts stay whole. N-grams do not cross words; a word shorter than n
is a term by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import Analyzer, TermCounts, fingerprint
from legalir.analysis.packing import count_packed, pack_ngrams
from legalir.analysis.text import is_word_character, normalize, words
from legalir.errors import AnalyzerError

__all__ = ["MAX_N", "NGrams", "char_analyzer", "decompose", "jamo_analyzer"]

MAX_N = 12
"""The longest n-gram: longer ones than this are words and sentences."""


def decompose(text: str) -> str:
    """Return `text` (NFC) with each Hangul syllable as its two or three jamo, all else unchanged."""
    return "".join(map(_jamo, text))


def _jamo(character: str) -> str:
    syllable = ord(character) - 0xAC00
    if not 0 <= syllable < 11172:
        return character
    lead, rest = divmod(syllable, 588)
    vowel, tail = divmod(rest, 28)
    return chr(0x1100 + lead) + chr(0x1161 + vowel) + (chr(0x11A7 + tail) if tail else "")


def _itself(character: str) -> str:
    return character


@dataclass(frozen=True, slots=True)
class NGrams:
    """N-grams of `unit` (``jamo`` or ``char``) inside words.

    Raises:
        AnalyzerError: `n` is not an integer from 1 to 12.
    """

    unit: Literal["jamo", "char"]
    n: int

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, int) or not 1 <= self.n <= MAX_N:
            raise AnalyzerError(f"{self.unit}{self.n}: n must be an integer from 1 to {MAX_N}.")

    @property
    def name(self) -> str:
        """The name in expressions, such as ``jamo3``."""
        return f"{self.unit}{self.n}"

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text could give other terms."""
        return fingerprint("ngrams/1", {"unit": self.unit, "n": self.n})

    @property
    def _expand(self) -> Callable[[str], str]:
        return _jamo if self.unit == "jamo" else _itself

    def terms(self, text: str) -> list[str]:
        """Return the n-grams of `text` in order; the definition that :meth:`count` must agree with."""
        n = self.n
        found: list[str] = []
        for word in words(text):
            symbols = decompose(word) if self.unit == "jamo" else word
            if len(symbols) <= n:
                found.append(symbols)
            else:
                found += [symbols[i : i + n] for i in range(len(symbols) - n + 1)]
        return found

    def count(self, texts: Sequence[str]) -> TermCounts:
        """Count the n-grams of `texts` with array operations only; memory is proportional to their length."""
        # An empty stream has no last position to pad; one empty text stands in for no text at all.
        normalized = [normalize(text) for text in texts] or [""]
        stream, ends, alphabet = _symbols(normalized, self._expand)
        return count_packed(pack_ngrams(stream, self.n, len(alphabet)), ends, len(texts), alphabet)


def _symbols(
    texts: Sequence[str], expand: Callable[[str], str]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64], list[str]]:
    """Turn texts into one stream of symbol numbers, 0 for a gap, with a gap after each text.

    Returns:
        The stream [m]; the end of each text in the stream [n]; the alphabet, ascending, whose symbol i
        has number i + 1.
    """
    joined = "\n".join(texts) + "\n"
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    present = np.flatnonzero(np.bincount(codes))
    number_of = np.zeros(int(present[-1]) + 1, dtype=np.uint32)
    number_of[present] = np.arange(len(present))
    characters = [chr(code) for code in present]
    expansions = [expand(c) if is_word_character(c) else "" for c in characters]

    alphabet = sorted(set("".join(expansions)))
    symbol = {s: i for i, s in enumerate(alphabet, start=1)}
    absent = len(alphabet) + 1
    width = max(1, *map(len, expansions))
    # One row a character: its symbols, then padding that is cut away; a gap is one zero.
    table = np.full((len(characters), width), absent, dtype=np.uint32)
    for row, expansion in enumerate(expansions):
        table[row, : max(1, len(expansion))] = [symbol[s] for s in expansion] or [0]
    numbers = number_of[codes]
    stream = table[numbers]
    sizes = (table != absent).sum(axis=1)[numbers]
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1
    ends = np.cumsum(sizes)[np.cumsum(lengths) - 1]
    return stream[stream != absent], ends, alphabet


def char_analyzer(collection: object, n: int = 2) -> Analyzer:
    """N-grams of characters inside words: ``bm25(analyzer="char2")``.

    Args:
        n: length of an n-gram, from 1 to 12; ``char2`` is ``char(n=2)``.
    """
    return NGrams("char", n)


def jamo_analyzer(collection: object, n: int = 3) -> Analyzer:
    """N-grams of jamo, the letters of Hangul, inside words: ``bm25(analyzer="jamo3")``.

    Args:
        n: length of an n-gram, from 1 to 12; ``jamo3`` is ``jamo(n=3)``.
    """
    return NGrams("jamo", n)
