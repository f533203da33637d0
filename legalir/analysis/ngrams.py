"""Character and jamo n-grams inside words, and their counts in many texts by array operations.

Jamo n-grams are the terms of [searchfiresafety]: each precomposed Hangul syllable U+AC00..U+D7A3 becomes its lead,
vowel and (if any) tail jamo, in Unicode's conjoining forms, so that a lead never equals a tail; characters of other
scripts stay whole. N-grams do not cross words; a word shorter than n is a term by itself.

To count n-grams, each window of symbols is packed into 64 bits. Symbols are numbered from 1 in ascending code-point
order and 0 pads a window that ends with its word, so the order of the packed integers is the order of the terms as
strings.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import Analyzer, TermCounts, fingerprint
from legalir.analysis.text import is_word_character, normalize, words
from legalir.collections import Collection
from legalir.errors import AnalyzerError

_LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_TAILS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"

# Conjoining jamo, which are the terms, have no shape of their own in many fonts; compatibility letters do.
_LETTERS = {
    **{0x1100 + place: letter for place, letter in enumerate(_LEADS)},
    **{0x1161 + place: chr(0x314F + place) for place in range(21)},
    **{0x11A8 + place: letter for place, letter in enumerate(_TAILS)},
}


def readable(term: str) -> str:
    """Return a term as people read it: of the word 무창층, the jamo 3-grams are 무ㅊ, ㅜ차, 창, ㅏㅇㅊ, ㅇ츠 and 층.

    Syllables are put together where the term holds all of one, or its lead and vowel; other jamo become compatibility
    letters. A tail and a lead look the same then.
    """
    return unicodedata.normalize("NFC", term).translate(_LETTERS)


_BITS = 63
"""Bits of a packed key; the sign bit stays clear."""


@dataclass(frozen=True, slots=True)
class PackedNGrams:
    """The n-grams that start at each position of a stream.

    Attributes:
        keys: uint64 [m]; packed n-gram at each position.
        valid: bool [m]; whether a term starts there.
        bits: bits a symbol takes.
        key_bits: bits that a key takes.
        symbols: number of symbols in the low part of a key.
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
        texts: number of texts; those after the last end are empty.
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

    def terms(self, text: str) -> list[str]:
        """Return the n-grams of `text` in order; :meth:`count` must agree with them."""
        return [
            gram for word in words(text) for gram in ngrams_of(decompose(word) if self.unit == "jamo" else word, self.n)
        ]

    def count(self, texts: Sequence[str]) -> TermCounts:
        """Count the n-grams of `texts` with array operations only; memory is proportional to their length."""
        expand = _jamo if self.unit == "jamo" else _itself
        return count_ngrams(list(map(normalize, texts)), self.n, lambda c: expand(c) if is_word_character(c) else "")


def ngrams_of(word: str, n: int) -> list[str]:
    """Return the n-grams of a word; a word shorter than n is one itself."""
    return [word[i : i + n] for i in range(len(word) - n + 1)] or [word]


def count_ngrams(texts: Sequence[str], n: int, expand: Callable[[str], str]) -> TermCounts:
    """Count the n-grams inside the words of normalised texts.

    Args:
        texts: as :func:`~legalir.analysis.text.normalize` returns them.
        n: symbols of an n-gram.
        expand: the symbols of a character; none for a gap between words.
    """
    # An empty stream has no last position to pad; an empty text replaces it.
    stream, ends, alphabet = _symbols(texts or [""], expand)
    return count_packed(pack_ngrams(stream, n, len(alphabet)), ends, len(texts), alphabet)


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
    expansions = list(map(expand, characters))

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


def char_analyzer(collection: Collection | None, n: int = 2) -> Analyzer:
    """N-grams of characters inside words: ``bm25(analyzer="char2")``.

    Args:
        n: length of an n-gram, from 1 to 12; ``char2`` is ``char(n=2)``.
    """
    return NGrams("char", n)


def jamo_analyzer(collection: Collection | None, n: int = 3) -> Analyzer:
    """N-grams of jamo, the letters of Hangul, inside words: ``bm25(analyzer="jamo3")``.

    Args:
        n: length of an n-gram, from 1 to 12; ``jamo3`` is ``jamo(n=3)``.
    """
    return NGrams("jamo", n)
