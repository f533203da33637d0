"""Analyzer ``auto``: words for scripts with spaces between words, n-grams for scripts without spaces.

Each run of one script is analysed by the rule of its script, so that text in several scripts loses none of them:
Hangul, whose words end in particles, by character 2-grams; Han and Kana by characters and 2-grams; Thai, Lao, Khmer and
Burmese by 2-grams and 3-grams; all other scripts by stemmed words and pairs of them (:mod:`legalir.analysis.words`).
Korean is the exception: there, whole words with codes and numbers are cut into 2-grams (``제3조``: ``제3``, ``3조``).
``docs/analysis.md`` has the figures by which these were chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import regex

from legalir.analysis.analyzer import Analyzer, TermCounts, fingerprint, merge_counts
from legalir.analysis.language import identify, language, language_of
from legalir.analysis.ngrams import NGrams, count_ngrams, ngrams_of
from legalir.analysis.words import Words
from legalir.collections import Collection
from legalir.spec import write_spec

GRAMS = {"hangul": (2,), "east": (1, 2), "south": (2, 3)}
"""Lengths of the n-grams in Hangul; in Han and Kana; in Thai, Lao, Khmer and Burmese."""

_MEMBERS = {
    "hangul": regex.compile(r"\p{Hangul}"),
    "east": regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\u30fc]"),
    "south": regex.compile(r"[[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]&&[\p{L}\p{M}]]", regex.V1),
}
_DOT = 0x318D
"""Normalised text has this sign for each middle dot. It joins Hangul (``설치ㆍ유지``), and parts all else."""


@dataclass(frozen=True, slots=True)
class Auto:
    """Words and n-grams as suits a language.

    Args:
        lang: code of the language of the words, ``und`` if unknown.

    Raises:
        AnalyzerError: the code is not known.
    """

    lang: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "lang", language(self.lang).code)

    @property
    def name(self) -> str:
        """The analyzer as in an expression, such as ``auto(lang='en')``."""
        return write_spec("auto", {"lang": self.lang})

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text could give other terms."""
        return fingerprint("auto/2", {"words": self._words.fingerprint, "grams": GRAMS})

    @property
    def _words(self) -> Words:
        return Words(self.lang, pairs=True, compounds=True)

    def terms(self, text: str) -> list[str]:
        """Return the words of `text`, then its n-grams by script; :meth:`count` must agree with them."""
        words, grams = _apart([self._words.normalize(text)])
        return self._words.terms_of_normalized(words[0]) + [
            gram
            for script, texts in grams.items()
            for n in GRAMS[script]
            for run in texts[0].split()
            for gram in ngrams_of(run, n)
        ]

    def count(self, texts: Sequence[str]) -> TermCounts:
        """Count the terms of `texts`."""
        words, grams = _apart([self._words.normalize(text) for text in texts])
        counts = [count_ngrams(of, n, lambda c: c.strip()) for script, of in grams.items() for n in GRAMS[script]]
        return merge_counts([self._words.count_normalized(words), *counts], len(texts))


def _apart(texts: Sequence[str]) -> tuple[Sequence[str], Mapping[str, Sequence[str]]]:
    """Take the scripts of n-grams out of normalised texts.

    Returns:
        The texts with a semicolon, which parts words, in place of each run of such a script; and for each script that
        occurs, the texts with spaces in place of all else.
    """
    joined = "\n".join(texts)
    if joined.isascii():
        return texts, {}
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    present = np.flatnonzero(np.bincount(codes))
    ends = np.cumsum([len(text) + 1 for text in texts])
    grams: dict[str, Sequence[str]] = {}
    words = codes.copy()
    for script, pattern in _MEMBERS.items():
        members = [code for code in present.tolist() if code != _DOT and pattern.match(chr(code))]
        if not members:
            continue
        inside = np.zeros(int(present[-1]) + 1, dtype=bool)
        inside[members] = True
        runs = inside[codes]
        if script == "hangul":
            beside = np.zeros(len(codes), dtype=bool)
            beside[1:] |= runs[:-1]
            beside[:-1] |= runs[1:]
            runs |= beside & (codes == _DOT)
        grams[script] = _cut(np.where(runs, codes, ord(" ")), ends)
        words[runs] = ord(" ")
        words[np.flatnonzero(runs & ~np.roll(runs, 1))] = ord(";")
    return _cut(words, ends), grams


def _cut(codes: npt.NDArray[np.uint32], ends: npt.NDArray[np.int64]) -> list[str]:
    """Return the texts of a stream of code points, each without the sign after it."""
    joined = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    return [joined[start : end - 1] for start, end in zip((0, *ends), ends, strict=False)]


def analyzer_of(lang: str) -> Analyzer:
    """Return the analyzer of a language: :class:`Auto`, or for Korean 2-grams of whole words, including codes.

    Raises:
        AnalyzerError: the code is not known.
    """
    return NGrams("char", 2) if language(lang).code == "ko" else Auto(lang)


def recognized(texts: Sequence[str]) -> Analyzer:
    """Return the analyzer for the language of `texts`."""
    return analyzer_of(identify(texts))


def auto_analyzer(collection: Collection | None, lang: str | None = None) -> Analyzer:
    """Words or n-grams, as suits the language of the collection: ``bm25(analyzer="auto")``.

    Args:
        lang: code of the language, such as ``en``; None for the collection's language.
    """
    return analyzer_of(language_of(collection) if lang is None else lang)
