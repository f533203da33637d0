"""Hashed n-grams of characters, and words: the features of a static model.

A text is brought to Unicode NFC, case-folded, and cut at ``max_characters``. Words are longest runs of word characters,
as for every analyzer (:mod:`legalir.analysis.text`); n-grams lie inside them. Each n-gram and word is hashed to one of
``rows`` rows [feature-hashing], with arithmetic modulo 2^64 over code points c:

- mix is the finalizer of SplitMix64 [splitmix], and M = 0x9E3779B97F4A7C15;
- an n-gram c_1 … c_n has state s_1 = c_1·M, s_(k+1) = mix(s_k) + c_(k+1), and hash mix(s_n + n·M);
- an n-gram of jamo has 64 + n where one of characters has n;
- a word c_0 … c_m has hash mix(Σ mix(c_i·M + i) + 255·M);
- the row of a hash is floor(floor(hash / 2^32)·rows / 2^32).
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import fingerprint
from legalir.analysis.text import is_word_character, normalize
from legalir.errors import ComponentError

Codes = npt.NDArray[np.uint32]
Positions = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

_LONGEST, _MOST_ROWS = 8, 2**24
_M = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_JAMO, _WORD = 64, 255

_BLOCK = 1 << 17
"""Characters per block: arrays of this size stay near the core."""

_LONG = 16
"""Words of more characters are shown as their n-grams: scripts without spaces have sentences for words."""

_UNKNOWN = np.uint32(0xFFFFFFFF)


@cache
def _symbols() -> Codes:
    """Return the symbol of each code point, [0x110000]: itself in a word, 0 in a gap; filled as characters are met."""
    return np.full(0x110000, _UNKNOWN, dtype=np.uint32)


def word_stream(texts: Sequence[str]) -> tuple[Codes, Positions]:
    """Return the characters of texts as one stream, with 0 for a gap and a gap before and after each text.

    Args:
        texts: normalised texts.

    Returns:
        The stream, uint32 [m], and the number of the text at each position, int64 [m].
    """
    joined = "".join([f"\n{text}\n" for text in texts])
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 2
    symbols = _symbols()
    stream = symbols[codes]
    if (stream == _UNKNOWN).any():
        for code in np.unique(codes[stream == _UNKNOWN]).tolist():
            character = normalize(chr(code))[0]  # The analyzers know one middle dot for all.
            symbols[code] = ord(character) if is_word_character(character) else 0
        stream = symbols[codes]
    return stream, np.repeat(np.arange(len(texts)), lengths)


def jamo_stream(stream: Codes) -> tuple[Codes, Positions]:
    """Return a stream with each Hangul syllable as its lead, vowel and (if any) tail, in conjoining forms.

    Returns:
        The longer stream, and the position that each of its symbols comes from.
    """
    syllable = (stream >= 0xAC00) & (stream < 0xAC00 + 11172)
    number = np.where(syllable, stream - np.uint32(0xAC00), 0).astype(np.uint32)
    tail = number % 28
    sizes = np.where(syllable, np.where(tail > 0, 3, 2), 1)
    origin = np.repeat(np.arange(len(stream)), sizes)
    first = np.cumsum(sizes) - sizes
    out = stream[origin]
    out[first[syllable]] = 0x1100 + number[syllable] // 588
    out[first[syllable] + 1] = 0x1161 + number[syllable] % 588 // 28
    out[first[tail > 0] + 2] = 0x11A7 + tail[tail > 0]
    return out, origin


class Features(NamedTuple):
    """Rows of texts, with their counts; the rows of text i are ``rows[indptr[i] : indptr[i + 1]]``.

    Attributes:
        indptr: int64 [n + 1].
        rows: int32 [m], ascending inside a text.
        counts: float32 [m], how often each occurs in its text.
    """

    indptr: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]


@dataclass(frozen=True)
class HashedNGrams:
    """Features of a text: which n-grams and words are read, and the number of rows they are hashed to.

    Attributes:
        char: lengths of the n-grams of characters, from 1 to 8.
        jamo: lengths of the n-grams of jamo, the letters of Hangul; characters of other scripts stay whole.
        words: whether words are features.
        edges: whether the gap before and after a word is a character of the n-grams of 2 characters and more.
        rows: number of rows, from 1 to 2^24.
        max_characters: maximum number of characters read from a text; None reads all.

    Raises:
        ComponentError: a parameter is out of range, or nothing would be read.
    """

    char: tuple[int, ...] = (2, 3)
    jamo: tuple[int, ...] = ()
    words: bool = True
    edges: bool = False
    rows: int = 2**17
    max_characters: int | None = 1000

    def __post_init__(self) -> None:
        for name in ("char", "jamo"):
            lengths = getattr(self, name)
            if not isinstance(lengths, list | tuple) or not all(_is_integer(n, _LONGEST) for n in lengths):
                raise ComponentError(f"n-grams: {name}={lengths!r} is not a list of lengths from 1 to {_LONGEST}.")
            object.__setattr__(self, name, tuple(sorted(set(lengths))))
        for name in ("words", "edges"):
            if not isinstance(getattr(self, name), bool):
                raise ComponentError(f"n-grams: {name}={getattr(self, name)!r} is neither true nor false.")
        if not _is_integer(self.rows, _MOST_ROWS):
            raise ComponentError(f"n-grams: rows={self.rows!r} is not an integer from 1 to {_MOST_ROWS}.")
        if self.max_characters is not None and not _is_integer(self.max_characters, 2**31):
            raise ComponentError(f"n-grams: max_characters={self.max_characters!r} is neither None nor above 0.")
        if not (self.char or self.jamo or self.words):
            raise ComponentError("n-grams: with char=(), jamo=() and words=False nothing is read: ask for one of them.")

    @property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever the same text could have other features."""
        return fingerprint("static-ngrams/1", self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters as JSON values."""
        return {**asdict(self), "char": list(self.char), "jamo": list(self.jamo)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> HashedNGrams:
        """Return the n-grams with these parameters, as :meth:`to_dict` gives them.

        Raises:
            ComponentError: a parameter is unknown or out of range.
        """
        unknown = sorted(set(values) - {item.name for item in fields(cls)})
        if unknown:
            raise ComponentError(f"n-grams: there is no parameter {unknown[0]!r}.")
        return cls(**values)

    def features(self, texts: Sequence[str]) -> Features:
        """Return rows and counts of texts; the same on every machine."""
        sizes, rows, counts = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0, np.float32)]
        for block in _blocks([self.normalized(text) for text in texts]):
            part = self._count(block)
            sizes.append(part.indptr)
            rows.append(part.rows)
            counts.append(part.counts)
        return Features(np.cumsum(np.concatenate(sizes)), np.concatenate(rows), np.concatenate(counts))

    def normalized(self, text: str) -> str:
        """Return the part of a text that is read, in normal form."""
        if text.isascii():
            return text[: self.max_characters].lower()
        text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
        return text[: self.max_characters]

    def divide(self, text: str, rows: npt.NDArray[np.int32], values: npt.NDArray[np.float64]) -> dict[str, float]:
        """Divide the values of the rows of a text among its words; return the sum of each word, in text order.

        A hash cannot be turned back, but the n-grams of a given text are known. A row that occurs more than once, in
        one word or several, is divided evenly among its occurrences. A long word is shown as its n-grams.

        Args:
            text: one text.
            rows: its rows, ascending.
            values: a number for each.
        """
        stream, _ = word_stream([self.normalized(text)])
        edge = np.diff((stream != 0).astype(np.int8))
        starts, ends = np.flatnonzero(edge == 1) + 1, np.flatnonzero(edge == -1) + 1
        kinds = list(self._states(stream))
        first = np.concatenate([one for one, _, _ in kinds])
        last = np.concatenate([one for _, one, _ in kinds])
        place = np.searchsorted(rows, np.concatenate([self._rows(one) for _, _, one in kinds]).astype(np.int64))
        share = values[place] / np.bincount(place, minlength=len(rows))[place]
        # With edges an n-gram may begin at the gap before its word.
        word = np.searchsorted(ends, np.where(stream[first] == 0, first + 1, first), side="right")
        sums: defaultdict[str, float] = defaultdict(float)
        for number in np.lexsort((last, first)).tolist():
            own = word[number]
            long = ends[own] - starts[own] > _LONG
            begin, end = (first[number], last[number] + 1) if long else (starts[own], ends[own])
            label = "".join(chr(code) if code else " " for code in stream[begin:end].tolist()).strip()
            sums[label] += float(share[number])
        return dict(sums)

    def _states(self, stream: Codes) -> Iterator[tuple[Positions, Positions, Hashes]]:
        """Yield first and last positions of the features of each kind in a stream, and the states of their hashes."""
        if self.char:
            for n, at, states in self._windows(stream, self.char, 0):
                yield at, at + (n - 1), states
        if self.jamo:
            jamo, origin = jamo_stream(stream)
            for n, at, states in self._windows(jamo, self.jamo, _JAMO):
                yield origin[at], origin[at + (n - 1)], states
        if self.words:
            yield self._words(stream)

    def _count(self, texts: Sequence[str]) -> Features:
        """Return the features of a block of texts; here ``indptr`` contains the number of features of each text."""
        stream, document = word_stream(texts)
        bits = (self.rows - 1).bit_length()
        # Half the bytes are sorted in half the time.
        kind: Any = np.uint32 if len(texts) << bits <= 2**32 else np.uint64
        kinds = list(self._states(stream))
        rows = self._rows(np.concatenate([np.zeros(0, np.uint64), *(states for *_, states in kinds)]))
        keys: npt.NDArray[Any] = rows.astype(kind)
        if len(texts) > 1:
            at = np.concatenate([np.zeros(0, np.int64), *(first for first, *_ in kinds)])
            keys |= document[at].astype(kind) << kind(bits)
        keys.sort()
        new = np.ones(len(keys), dtype=bool)
        np.not_equal(keys[1:], keys[:-1], out=new[1:])
        first = np.flatnonzero(new)
        counts = np.diff(first, append=len(keys)).astype(np.float32)
        keys = keys[first]
        ends = np.searchsorted(keys >> kind(bits), np.arange(len(texts), dtype=kind), side="right")
        return Features(np.diff(ends, prepend=0), (keys & kind((1 << bits) - 1)).astype(np.int32), counts)

    def _windows(self, stream: Codes, lengths: Sequence[int], tag: int) -> Iterator[tuple[int, Positions, Hashes]]:
        """Yield length, positions and states of the n-grams of each length."""
        symbols, inside = stream.astype(np.uint64), stream != 0
        state = symbols * _M
        for n in range(1, min(lengths[-1], len(stream)) + 1):
            if n > 1:
                state = _mix(state[:-1]) + symbols[n - 1 :]
            if n in lengths:
                at = np.flatnonzero(_valid(inside, n, self.edges))
                yield n, at, state[at] + _tagged(tag + n)

    def _words(self, stream: Codes) -> tuple[Positions, Positions, Hashes]:
        inside = (stream != 0).view(np.int8)
        turns = np.diff(inside)  # A stream begins and ends with a gap.
        first, last = np.flatnonzero(turns == 1) + 1, np.flatnonzero(turns == -1)
        begin = np.cumsum(last - first + 1) - (last - first + 1)
        at = np.flatnonzero(inside)
        place = at - np.repeat(first, last - first + 1)
        hashes = _mix(stream[at].astype(np.uint64) * _M + place.astype(np.uint64))
        sums = np.add.reduceat(hashes, begin) if len(begin) else hashes
        return first, last, sums + _tagged(_WORD)

    def _rows(self, states: Hashes) -> Hashes:
        return ((_mix(states) >> np.uint64(32)) * np.uint64(self.rows)) >> np.uint64(32)


def _tagged(tag: int) -> np.uint64:
    """Return the number added to a state, so that kinds of features have hashes of their own."""
    return np.uint64(tag * int(_M) % 2**64)


def _mix(x: Hashes) -> Hashes:
    x = x ^ (x >> np.uint64(30))
    x *= _MIX[0]
    x ^= x >> np.uint64(27)
    x *= _MIX[1]
    x ^= x >> np.uint64(31)
    return x


def _valid(inside: npt.NDArray[np.bool_], n: int, edges: bool) -> npt.NDArray[np.bool_]:
    """Return for each position whether an n-gram starts there: bool [m - n + 1]."""
    if edges and n == 2:
        return inside[:-1] | inside[1:]
    if edges and n > 2:
        return _valid(inside[1:-1], n - 2, False)
    valid = inside[: len(inside) - n + 1]
    for k in range(1, n):
        valid = valid & inside[k : len(inside) - n + 1 + k]
    return valid


def _blocks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield runs of texts of about ``_BLOCK`` characters."""
    first = size = 0
    for number, text in enumerate(texts):
        size += len(text)
        if size >= _BLOCK:
            yield texts[first : number + 1]
            first, size = number + 1, 0
    if first < len(texts):
        yield texts[first:]


def _is_integer(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
