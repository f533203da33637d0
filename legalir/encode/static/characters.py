"""Code points as arrays: which of them are in words, and Hangul syllables as jamo."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from legalir.analysis.text import is_word_character, normalize

__all__ = ["Codes", "Positions", "jamo_stream", "word_stream"]

Codes = npt.NDArray[np.uint32]
Positions = npt.NDArray[np.int64]

_UNKNOWN = np.uint32(0xFFFFFFFF)
_KEPT: list[Codes] = []
"""One array [0x110000], filled as characters are met: a character of words stands for itself, a gap for 0."""


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
    if not _KEPT:
        _KEPT.append(np.full(0x110000, _UNKNOWN, dtype=np.uint32))
    stream = _KEPT[0][codes]
    if (stream == _UNKNOWN).any():
        for code in np.unique(codes[stream == _UNKNOWN]).tolist():
            # The analyzers know one middle dot for all.
            _KEPT[0][code] = ord(normalize(chr(code))[0]) if is_word_character(normalize(chr(code))[0]) else 0
        stream = _KEPT[0][codes]
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
