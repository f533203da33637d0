"""Unicode words as terms: stems, numbers of provisions, pairs of neighbours.

A text is read in chunks between white space, in NFC and lower case. Each distinct chunk is analysed once; the counts of
many texts are then operations on arrays. A chunk is cut into

- *numbers of provisions*, whole and with each of their beginnings: ``6(1)(a)`` gives ``6``, ``6(1)`` and ``6(1)(a)``,
  so that a question about a paragraph meets the article;
- *words* as Unicode defines them (UAX #29) [uax29], without elided articles, stemmed by Snowball [snowball], without
  accents where the language's readers leave them out.

Two neighbours are a term, too, if pairs are asked for: ``data protection`` says more than ``data`` and ``protection``.
Punctuation parts neighbours. In most languages of Europe a pair reaches across stop words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from itertools import chain
from typing import cast

import numpy as np
import numpy.typing as npt
import regex

from legalir.analysis.analyzer import Analyzer, TermCounts, fingerprint, term_counts
from legalir.analysis.language import UNKNOWN, language, language_of
from legalir.analysis.ngrams import ngrams_of
from legalir.analysis.text import normalize
from legalir.errors import AnalyzerError
from legalir.plugins.spec import write_spec
from legalir.storage.csr import positions

_COMPOUND, _PART = 6, 5
"""A word of a language with compounds that has at least 6 characters also counts by its 5-grams."""

_NUMBER = (
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![,\d])"
    r"|\d+(?:\p{Latin}{1,2}(?![\p{L}\p{N}]))?(?:[.\-/]\d+(?:\p{Latin}{1,2}(?![\p{L}\p{N}]))?){0,9}"
    r"(?:\.?\([\d\p{Latin}]{1,5}\)){0,9}"
)
"""An amount with commas, which is one term; or a number of a provision, whose ten levels suffice for any statute."""

_PARTS = regex.compile(r"(?:^\p{Latin})?[.\-/]?\d+\p{Latin}*|\.?\([^)]*\)")
_WORD = r"\w(?:\B[^:])*"
"""A word goes on while Unicode sees no boundary: ``(?w)`` gives ``\\B`` the rules of UAX #29. A colon ends it."""

_STOPS = r"[.,;:!?()\[\]{}«»„“”\"、。「」『』〈〉《》【】]+"
_WIDE = regex.compile(r"[\uff00-\uffef]+")
_PLAIN = str.maketrans("\u2019\u02bc\u318d", "''\u00b7", "\xad\u200e\u200f\u2060\ufeff")
"""One apostrophe for all, the middle dot inside words (col·legi), and no characters that nobody sees."""

_MARKS = regex.compile(r"\p{Mn}+")

_Unit = tuple[str, bool]
"""A term of a chunk, and whether it takes part in pairs; a pair ends at an empty term."""

_STOP: _Unit = ("", True)

_OPTIONS = {"stem": True, "stop": False, "pairs": False, "compounds": False}
"""Parameters of :class:`Words` that are true or false, with their defaults."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a language as terms.

    Args:
        lang: code of the language, ``und`` where it is not known.
        stem: whether words are stemmed, where Snowball knows the language.
        stop: whether stop words are left out.
        pairs: whether two neighbouring words are a term, too.
        compounds: whether long words count by their 5-grams, too, in languages that write compounds as one word.

    Raises:
        AnalyzerError: the code is not known, or a parameter is not true or false.
    """

    lang: str = UNKNOWN
    stem: bool = True
    stop: bool = False
    pairs: bool = False
    compounds: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "lang", language(self.lang).code)
        for name in _OPTIONS:
            if not isinstance(value := getattr(self, name), bool):
                raise AnalyzerError(f"word: {name}={value!r} is neither True nor False.")
        if self.stop and not _stop_words(self.lang):
            raise AnalyzerError(f"word: there are no stop words for {language(self.lang).name}: leave stop out.")

    @property
    def name(self) -> str:
        """The analyzer as in an expression, with what differs from the defaults: ``word(lang='en', stop=True)``."""
        chosen = {name: getattr(self, name) for name, usual in _OPTIONS.items() if getattr(self, name) != usual}
        return write_spec("word", {"lang": self.lang, **chosen})

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text could give other terms."""
        return _fingerprint(self)

    def normalize(self, text: str) -> str:
        """Return `text` as the other methods with ``normalized`` in their name take it."""
        if not text.isascii():
            text = _WIDE.sub(_of_usual_width, unicodedata.normalize("NFC", text))
        for capital, small in language(self.lang).lower.items():
            text = text.replace(capital, small)
        return normalize(text)

    def terms(self, text: str) -> list[str]:
        """Return the terms of `text` in order; :meth:`count` must agree with them."""
        return self.terms_of_normalized(self.normalize(text))

    def terms_of_normalized(self, text: str) -> list[str]:
        """Return the terms of a text that :meth:`normalize` returned."""
        terms: list[str] = []
        before = ""
        for term, joins in chain.from_iterable(_Reader(self).read(self._chunks(text))):
            if term:
                terms.append(term)
            if self.pairs and joins:
                if before and term:
                    terms.append(f"{before} {term}")
                before = term
        return terms

    def count(self, texts: Sequence[str]) -> TermCounts:
        """Count the terms of `texts`; each distinct chunk is analysed once."""
        return self.count_normalized(list(map(self.normalize, texts)))

    def count_normalized(self, texts: Sequence[str]) -> TermCounts:
        """Count the terms of texts that :meth:`normalize` returned."""
        chunks = _Numbers()
        read = list(map(self._chunks, texts))
        sizes = np.fromiter(map(len, read), dtype=np.int64, count=len(read))
        stream = np.fromiter(map(chunks.__getitem__, chain.from_iterable(read)), dtype=np.int64, count=int(sizes.sum()))
        numbers = _Numbers({"": 0})
        rows = list(_Reader(self).read(chunks))
        indptr = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
        units = list(chain.from_iterable(rows))
        owner, place = positions(indptr, stream)
        terms = np.fromiter((numbers[term] for term, _ in units), dtype=np.int64, count=len(units))[place]
        documents = np.repeat(np.arange(len(texts)), sizes)[owner]
        vocabulary = list(numbers)
        if self.pairs:
            joins = np.fromiter((joins for _, joins in units), dtype=bool, count=len(units))[place]
            first, second, of = _neighbours(terms[joins], documents[joins])
            keys, pair = np.unique(first * len(vocabulary) + second, return_inverse=True)
            terms = np.concatenate((terms, pair + len(vocabulary)))
            documents = np.concatenate((documents, of))
            vocabulary += [
                f"{vocabulary[a]} {vocabulary[b]}" for a, b in zip(*np.divmod(keys, len(vocabulary)), strict=True)
            ]
        return _counts(vocabulary, terms, documents, len(texts))

    def _chunks(self, text: str) -> list[str]:
        if signs := language(self.lang).signs:
            text = _signs(signs).sub(r"\1", text)
        return text.split()


class _Numbers(dict[str, int]):
    """Numbers of strings in the order in which they are met."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


_Ints = npt.NDArray[np.int64]


def _neighbours(terms: _Ints, documents: _Ints) -> tuple[_Ints, _Ints, _Ints]:
    """Return the terms that stand side by side, first and second, and their documents; term 0 parts them."""
    pairs = np.flatnonzero((terms[:-1] > 0) & (terms[1:] > 0) & (documents[:-1] == documents[1:]))
    return terms[pairs], terms[pairs + 1], documents[pairs]


def _counts(vocabulary: list[str], terms: _Ints, documents: _Ints, n: int) -> TermCounts:
    """Count occurrences, given as terms and their documents; term 0 does not count."""
    order = sorted(range(1, len(vocabulary)), key=vocabulary.__getitem__)
    rank = np.zeros(len(vocabulary), dtype=np.int64)
    rank[order] = np.arange(len(order))
    documents, terms = documents[terms > 0], rank[terms[terms > 0]]
    return term_counts([vocabulary[number] for number in order], terms, documents, np.ones(len(terms), np.int32), n)


class _Reader:
    """Reads chunks; it belongs to one thread, because a stemmer does."""

    def __init__(self, words: Words) -> None:
        known = language(words.lang)
        self._words, self._language = words, known
        self._read: dict[str, list[_Unit]] = {}
        self._pattern = _pattern(known.signs)
        self._stop = _stop_words(words.lang) if words.stop or known.bridge else frozenset()
        self._stem = _stemmer(known.stemmer) if words.stem and known.stemmer else str

    def read(self, chunks: Iterable[str]) -> Iterator[list[_Unit]]:
        """Yield the terms of each chunk, in order."""
        # The sign before the first chunk is that before all others, and not a part of what is found.
        joined = "\n".join(("", *chunks, ""))
        units: list[_Unit] = []
        for number, word, other in self._pattern.findall(joined if joined.isascii() else joined.translate(_PLAIN), 1):
            if word:
                units += self._word(word)
            elif number:
                units += _number(number)
            elif other == "\n":
                yield units
                units = []
            else:
                units.append(_STOP)

    def _word(self, word: str) -> list[_Unit]:
        if word not in self._read:
            self._read[word] = self._units_of_word(word)
        return self._read[word]

    def _units_of_word(self, word: str) -> list[_Unit]:
        word = compatible(word)
        head, apostrophe, rest = word.partition("'")
        if apostrophe and head in self._language.elisions:
            word = rest
        if not any(map(str.isalnum, word)):
            return []
        term = self._folded(self._stem(word))
        if word in self._stop:
            return [] if self._words.stop else [(term, not self._language.bridge)]
        units = [(term, True)]
        if self._language.compounds and self._words.compounds and len(word) >= _COMPOUND:
            units += [(part, False) for part in ngrams_of(self._folded(word), _PART)]
        return units

    def _folded(self, word: str) -> str:
        if not self._language.fold or word.isascii():
            return word
        return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", word)))


def compatible(text: str) -> str:
    """Return `text` with full-width and other compatibility characters as the usual ones (NFKC), without spaces."""
    if text.isascii():
        return text
    return "".join(unicodedata.normalize("NFKC", text).lower().split())


def _of_usual_width(match: regex.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0])


def _number(text: str) -> list[_Unit]:
    """Return each beginning of a number of a provision, then the whole: ``1.2.(3)`` gives 1, 1.2 and 1.2(3)."""
    text = compatible(text)
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(character, character)) for character in text)
    if "," in text:
        return [(text.replace(",", ""), True)]
    parts = [part.lstrip(".") if "(" in part else part for part in _PARTS.findall(text)]
    return [("".join(parts[:length]), length == len(parts)) for length in range(1, len(parts) + 1)]


@cache
def _pattern(signs: tuple[str, ...]) -> regex.Pattern[str]:
    """Return the pattern of numbers, words, and what else matters: punctuation, and the end of a chunk."""
    sign = rf"(?:(?<![\p{{L}}\p{{N}}])[{''.join(signs)}])?" if signs else ""
    return regex.compile(rf"(?ws)({sign}(?:{_NUMBER}))|({_WORD})|({_STOPS}|\n)")


@cache
def _signs(signs: tuple[str, ...]) -> regex.Pattern[str]:
    """Return the pattern of a sign before a number, however it is written: ``L. 121-3``, ``L.121-3``, ``L 121-3``."""
    return regex.compile(rf"(?<![\p{{L}}\p{{N}}])([{''.join(signs)}])\.?\*?(?:(?<=\.)\s*|\s*(?=\d+-\d))(?=\d)")


@cache
def _stop_words(code: str) -> frozenset[str]:
    from stop_words import StopWordError, get_stop_words

    try:
        return frozenset(get_stop_words(code))
    except StopWordError:
        return frozenset()


def _stemmer(algorithm: str) -> Callable[[str], str]:
    import Stemmer

    return cast(Callable[[str], str], Stemmer.Stemmer(algorithm, 0).stemWord)


@cache
def _fingerprint(words: Words) -> str:
    parameters = {
        "language": asdict(language(words.lang)) | {"elisions": sorted(language(words.lang).elisions)},
        **{name: getattr(words, name) for name in _OPTIONS},
        "parts of compounds": (_COMPOUND, _PART),
        "libraries": {package: version(package) for package in ("PyStemmer", "regex", "stop-words")},
    }
    return fingerprint("words/3", parameters)


def word_analyzer(
    collection: object,
    lang: str | None = None,
    stem: bool = True,
    stop: bool = False,
    pairs: bool = False,
    compounds: bool = False,
) -> Analyzer:
    """Unicode words in lower case, stemmed: ``bm25(analyzer="word(lang='en', stop=True)")``.

    Args:
        lang: code of the language, such as ``en``; None: that of the collection.
        stem: whether words are stemmed, where Snowball knows the language.
        stop: whether stop words are left out.
        pairs: whether two neighbouring words are a term, too.
        compounds: whether long words count by their 5-grams, too, in languages that write compounds as one word.
    """
    return Words(language_of(collection) if lang is None else lang, stem, stop, pairs, compounds)
