r"""Words as terms: stems, numbers of provisions, neighbours; ``auto``, by the rule of each script; ``whitespace``.

A text is read in chunks between white space, in NFC and lower case. Each distinct chunk is analysed once; the counts of
many texts are then operations on arrays. A chunk is cut into

- *numbers of provisions*, whole and with each of their beginnings: ``6(1)(a)`` gives ``6``, ``6(1)`` and ``6(1)(a)``,
  so that a question about a paragraph meets the article;
- *words* as Unicode defines them (UAX #29) [uax29], without elided articles, stemmed by Snowball [snowball], without
  accents if the language's readers omit them.

Two neighbours are also a term if pairs are enabled: ``data protection`` is more specific than ``data`` and
``protection``. Punctuation parts neighbours. In most languages of Europe a pair reaches across stop words.

A pattern may take the place of both rules: the tokens of scikit-learn and bm25s [bm25s] are ``\w\w+``.

The analyzer ``auto`` analyses each run of one script by the rule of its script, so that text in several scripts loses
none of them: Hangul, whose words end in particles, by character 2-grams; Han and Kana by characters and 2-grams; Thai,
Lao, Khmer and Burmese by 2-grams and 3-grams; all other scripts by words as above. Korean is the exception: there,
whole words with codes and numbers are cut into 2-grams (``제3조``: ``제3``, ``3조``). ``docs/analysis.md`` has the
figures by which these were chosen.

Last, ``whitespace``: words between white space, much as the released code of [searchfiresafety] has them for BM25.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from itertools import chain
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import regex

from legalir.analysis.analyzer import Analyzer, TermCounts, fingerprint, merge_counts, term_counts
from legalir.analysis.language import UNKNOWN, identify, language, language_of
from legalir.analysis.ngrams import NGrams, count_ngrams, ngrams_of
from legalir.analysis.text import lower, normalize
from legalir.collections import Collection
from legalir.errors import AnalyzerError
from legalir.spec import write_spec
from legalir.storage.csr import positions

_Ints = npt.NDArray[np.int64]

_BYTES, _INTEGERS = 8, 4
"""Bytes per integer, and number of integers that fit most chunks. Longer chunks are numbered by a dictionary."""

_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
"""White space outside ASCII, as ``str.split`` has it."""

_IS_SPACE = np.zeros(256, dtype=bool)
_IS_SPACE[[*range(9, 14), *range(28, 33)]] = True

_BEYOND = np.array([2**64 - (1 << 8 * size) for size in range(_BYTES)] + [0], dtype=np.uint64)
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
    """Split texts as ``str.split`` does.

    ``str.split`` and a dictionary would take most of the time in which words are counted. Here both are operations on
    arrays: eight bytes of a chunk are one integer, and pandas numbers integers.
    """
    encoded = [(text if text.isascii() else _SPACES.sub(" ", text)).encode("utf-8", "surrogatepass") for text in texts]
    # A space separates two texts, and an integer can be read wherever a chunk begins.
    joined = b" ".join((b"", *encoded, bytes(_BYTES)))
    bounds = np.cumsum([1, *(len(text) + 1 for text in encoded)])
    space = _IS_SPACE[np.frombuffer(joined, dtype=np.uint8)]
    edges = np.flatnonzero(space[1:] != space[:-1]) + 1
    # The zeros at the end look like a chunk, but are not one.
    starts, ends = edges[:-1:2], edges[1::2]
    numbers, distinct = pd.factorize(_factorized(joined, starts, ends - starts))
    first = np.empty(len(distinct), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    chunks = [
        joined[start:end].decode("utf-8", "surrogatepass")
        for start, end in zip(starts[first].tolist(), ends[first].tolist(), strict=True)
    ]
    documents = np.repeat(np.arange(len(texts)), np.diff(np.searchsorted(starts, bounds)))
    return Chunks(chunks, numbers, documents)


def _factorized(joined: bytes, starts: _Ints, sizes: _Ints) -> _Ints:
    """Return a number for each slice of `joined`, the same for equal slices alone; [m]."""
    integers = np.ndarray((len(joined) - _BYTES + 1,), dtype="<u8", buffer=joined, strides=(1,))
    numbers = np.zeros(len(starts), dtype=np.int64)
    count = 0
    rest = np.arange(len(starts))
    for place in range(0, _BYTES * _INTEGERS, _BYTES):
        # Chunks with this beginning and that continuation.
        left = sizes[rest] - place
        part, found = pd.factorize(integers[starts[rest] + place] | _BEYOND[np.minimum(left, _BYTES)])
        joint, distinct = pd.factorize(numbers[rest] << 32 | part) if place else (part, found)
        numbers[rest] = count + joint
        count += len(distinct)
        rest = rest[left > _BYTES]
    slices = [
        joined[start : start + size] for start, size in zip(starts[rest].tolist(), sizes[rest].tolist(), strict=True)
    ]
    known: dict[bytes, int] = {}
    numbers[rest] = [known.setdefault(long, count + len(known)) for long in slices]
    return numbers


_COMPOUND, _PART = 6, 5
"""A word of a language with compounds that has at least 6 characters also counts by its 5-grams."""

_NUMBER = (
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![,\d])"
    r"|\d+(?:\p{Latin}{1,2}(?![\p{L}\p{N}]))?(?:[.\-/]\d+(?:\p{Latin}{1,2}(?![\p{L}\p{N}]))?){0,9}"
    r"(?:\.?\([\d\p{Latin}]{1,5}\)){0,9}"
)
"""An amount with commas, which is one term; or a number of a provision, whose ten levels suffice for any statute."""

_PARTS = regex.compile(r"(?:^\p{Latin})?[.\-/]?\d+\p{Latin}*|\([^)]*\)")
_WORD = r"\w(?:\B[^:])*"
"""A word continues until Unicode has a boundary: ``(?w)`` gives ``\\B`` the rules of UAX #29. A colon ends it."""

_STOPS = frozenset('.,;:!?()[]{}«»„“”"、。「」『』〈〉《》【】')
"""Punctuation that parts neighbours."""

_END = "\n"
"""The end of a chunk, as a token."""

_WIDE = regex.compile(r"[\uff00-\uffef]+")
_PLAIN = {"\u2019": "'", "\u02bc": "'", "\u318d": "\u00b7", **dict.fromkeys("\xad\u200e\u200f\u2060\ufeff", "")}
"""One apostrophe for all, the middle dot inside words (col·legi), and no characters that nobody sees."""

_HALVES = regex.compile(r"\p{Cs}")
"""Halves of surrogate pairs."""

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
        lang: code of the language, ``und`` if unknown.
        stem: whether words are stemmed, where Snowball knows the language.
        stop: whether stop words are left out.
        pairs: whether two neighbouring words are a term, too.
        compounds: whether long words count by their 5-grams, too, in languages that write compounds as one word.
        pattern: regular expression of Python's ``re`` whose matches are the words, instead of the words of Unicode and
            the numbers of provisions. It sees one chunk between white space at a time, in NFC and lower case. Matches
            keep accents and elided articles. What it does not match is left out and does not part neighbours, and no
            pair reaches across a stop word that stays. A match without a letter or digit is not a term.

    Raises:
        AnalyzerError: the code is not known, a parameter is not true or false, or the pattern cannot be read.
    """

    lang: str = UNKNOWN
    stem: bool = True
    stop: bool = False
    pairs: bool = False
    compounds: bool = False
    pattern: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "lang", language(self.lang).code)
        for name in _OPTIONS:
            if not isinstance(value := getattr(self, name), bool):
                raise AnalyzerError(f"word: {name}={value!r} is neither True nor False.")
        if self.stop and not stop_words(self.lang):
            raise AnalyzerError(f"word: there are no stop words for {language(self.lang).name}: leave stop out.")
        if self.pattern is not None:
            try:
                re.compile(self.pattern).match("")
            except (TypeError, re.error) as error:
                raise AnalyzerError(f"word: pattern={self.pattern!r} is not a regular expression: {error}.") from None

    @property
    def name(self) -> str:
        """The analyzer as in an expression, with what differs from the defaults: ``word(lang='en', stop=True)``."""
        chosen = {name: getattr(self, name) for name, usual in _OPTIONS.items() if getattr(self, name) != usual}
        if self.pattern is not None:
            chosen["pattern"] = self.pattern
        return write_spec("word", {"lang": self.lang, **chosen})

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text could give other terms."""
        return _fingerprint(self)

    def normalize(self, text: str) -> str:
        """Return `text` as the other methods with ``normalized`` in their name take it."""
        if self.pattern is None and not text.isascii():
            text = _WIDE.sub(_of_usual_width, text)
        if letters := language(self.lang).lower:
            text = unicodedata.normalize("NFC", text).translate({ord(large): small for large, small in letters.items()})
        # The stemmers refuse half a surrogate pair, which no word of Unicode has.
        return _HALVES.sub("\ufffd", lower(text)) if self.pattern is not None else normalize(text)

    def terms(self, text: str) -> list[str]:
        """Return the terms of `text` in order; :meth:`count` must agree with them."""
        return self.terms_of_normalized(self.normalize(text))

    def terms_of_normalized(self, text: str) -> list[str]:
        """Return the terms of a text that :meth:`normalize` returned."""
        reader = _Reader(self)
        terms: list[str] = []
        before = ""
        for term, joins in chain.from_iterable(map(reader.units, reader.tokens(self._with_signs(text).split()))):
            if term:
                terms.append(term)
            if self.pairs and joins:
                if before and term:
                    terms.append(f"{before} {term}")
                before = term
        return terms

    def count(self, texts: Sequence[str]) -> TermCounts:
        """Count the terms of `texts`; each distinct chunk and token is analysed once."""
        return self.count_normalized(list(map(self.normalize, texts)))

    def count_normalized(self, texts: Sequence[str]) -> TermCounts:
        """Count the terms of texts that :meth:`normalize` returned."""
        chunks = split_texts(list(map(self._with_signs, texts)))
        reader = _Reader(self)
        tokens, numbers = _numbered(reader.tokens(chunks.distinct))
        rows = list(map(reader.units, tokens))
        units = list(chain.from_iterable(rows))
        token, place = positions(_indptr(list(map(len, rows))), numbers)
        ends = np.searchsorted(token, np.flatnonzero(numbers == tokens.get(_END)))
        owner, at = positions(np.concatenate(([0], ends)), chunks.numbers)
        vocabulary = ["", *sorted({term for term, _ in units} - {""})]
        number_of = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        terms = np.fromiter((number_of[term] for term, _ in units), dtype=np.int64, count=len(units))[place[at]]
        joins = np.fromiter((joins for _, joins in units), dtype=bool, count=len(units))[place[at]]
        return _counts(vocabulary, terms, chunks.documents[owner], joins if self.pairs else None, len(texts))

    def _with_signs(self, text: str) -> str:
        """Return a text in which the letters of numbers directly precede them."""
        signs = language(self.lang).signs
        return _signs(signs).sub(r"\1", text) if signs and self.pattern is None else text


def _numbered(strings: list[str]) -> tuple[dict[str, int], _Ints]:
    """Return the distinct strings with their numbers, in the order in which they are met, and the number of each."""
    known = dict.fromkeys(strings, 0)
    known = dict(zip(known, range(len(known)), strict=True))
    return known, np.fromiter(map(known.__getitem__, strings), dtype=np.int64, count=len(strings))


def _indptr(sizes: list[int]) -> _Ints:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _counts(
    vocabulary: list[str], terms: _Ints, documents: _Ints, joins: npt.NDArray[np.bool_] | None, n: int
) -> TermCounts:
    """Count terms, and pairs of them.

    Args:
        vocabulary: the terms, ascending; the first term is empty and does not count.
        terms: what occurs, in order, by its place in `vocabulary`.
        documents: the text of each occurrence.
        joins: whether it takes part in pairs; None: there are no pairs.
        n: number of texts.
    """
    is_term = terms > 0
    numbers, of = terms[is_term] - 1, documents[is_term]
    names = vocabulary[1:]
    if joins is not None:
        terms, documents = terms[joins], documents[joins]
        first = np.flatnonzero((terms[:-1] > 0) & (terms[1:] > 0) & (documents[:-1] == documents[1:]))
        size = len(vocabulary)
        pairs, distinct = pd.factorize(terms[first] * size + terms[first + 1])
        # No term has a sign before the space in it: in the order of keys, names ascend.
        keys = np.concatenate((np.arange(1, size) * size, distinct))
        order = np.argsort(keys)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        numbers, of = rank[np.concatenate((numbers, pairs + size - 1))], np.concatenate((of, documents[first]))
        names = [
            f"{vocabulary[a]} {vocabulary[b]}" if b else vocabulary[a]
            for a, b in zip(*(part.tolist() for part in np.divmod(keys[order], size)), strict=True)
        ]
    return term_counts(names, numbers, of, np.ones(len(numbers), dtype=np.int32), n)


class _Reader:
    """Reads chunks; it belongs to one thread, because a stemmer does."""

    def __init__(self, words: Words) -> None:
        known = language(words.lang)
        self._words, self._language = words, known
        self._unicode = words.pattern is None
        self._bridge = known.bridge and self._unicode
        self._pattern = _pattern(known.signs)
        self._stop = stop_words(words.lang) if words.stop or self._bridge else frozenset()
        self._stem = _stemmer(known.stemmer) if words.stem and known.stemmer else str

    def tokens(self, chunks: Iterable[str]) -> list[str]:
        """Return numbers, words and punctuation of chunks in order; a line feed ends each chunk."""
        if self._words.pattern is not None:
            matches = re.compile(self._words.pattern).finditer
            return [token for chunk in chunks for token in (*(match[0] for match in matches(chunk)), _END) if token]
        # The sign before the first chunk is that before all others, and not a part of what is found.
        joined = _END.join(("", *chunks, ""))
        if not joined.isascii():
            for character, plain in _PLAIN.items():
                joined = joined.replace(character, plain)
        return self._pattern.findall(joined, 1)

    def units(self, token: str) -> list[_Unit]:
        """Return the terms of a token, in order."""
        first = token[0]
        if token == _END:
            return []
        if not self._unicode:
            return self._word(token)
        if first in _STOPS:
            return [_STOP]
        if first.isdecimal() or (first in self._language.signs and token[1:2].isdecimal()):
            return _number(token)
        return self._word(token)

    def _word(self, word: str) -> list[_Unit]:
        if self._unicode:
            word = compatible(word)
            head, _, rest = word.partition("'")
            if head in self._language.elisions and head != word:
                word = rest
        if not any(map(str.isalnum, word)):
            return []
        term = self._folded(self._stem(word))
        if word in self._stop:
            return [] if self._words.stop else [(term, not self._bridge)]
        units = [(term, True)]
        if self._language.compounds and self._words.compounds and len(word) >= _COMPOUND:
            units += [(part, False) for part in ngrams_of(self._folded(word), _PART)]
        return units

    def _folded(self, word: str) -> str:
        if not self._language.fold or not self._unicode or word.isascii():
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
    if text.isdecimal() and text.isascii():
        return [(text, True)]
    text = compatible(text)
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(character, character)) for character in text)
    if "," in text:
        return [(text.replace(",", ""), True)]
    text = text.replace(".(", "(")
    return [(text[: part.end()], part.end() == len(text)) for part in _PARTS.finditer(text)]


@cache
def _pattern(signs: tuple[str, ...]) -> regex.Pattern[str]:
    """Return the pattern of tokens: numbers, words, punctuation, and the end of a chunk."""
    sign = rf"(?:(?<![\p{{L}}\p{{N}}])[{''.join(signs)}])?" if signs else ""
    return regex.compile(rf"(?ws){sign}(?:{_NUMBER})|{_WORD}|[{regex.escape(''.join(sorted(_STOPS)))}]+|{_END}")


@cache
def _signs(signs: tuple[str, ...]) -> regex.Pattern[str]:
    """Return the pattern of a sign before a number, however it is written: ``L. 121-3``, ``L.121-3``, ``L 121-3``."""
    return regex.compile(rf"(?<![\p{{L}}\p{{N}}])([{''.join(signs)}])\.?\*?(?:(?<=\.)\s*|\s*(?=\d+-\d))(?=\d)")


@cache
def stop_words(code: str) -> frozenset[str]:
    """Return the words of a language, in lower case, that say little alone; none where no list is known."""
    from stop_words import StopWordError, get_stop_words

    try:
        return frozenset(get_stop_words("nb" if code in ("nn", "no") else code))
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
        **({} if words.pattern is None else {"pattern": words.pattern}),
        "parts of compounds": (_COMPOUND, _PART),
        "libraries": {package: version(package) for package in ("PyStemmer", "regex", "stop-words")},
    }
    return fingerprint("words/3", parameters)


def word_analyzer(
    collection: Collection | None,
    lang: str | None = None,
    stem: bool = True,
    stop: bool = False,
    pairs: bool = False,
    compounds: bool = False,
    pattern: str | None = None,
) -> Analyzer:
    """Unicode words in lower case, stemmed: ``bm25(analyzer="word(lang='en', stop=True)")``.

    Args:
        lang: code of the language, such as ``en``; None for the collection's language.
        stem: whether words are stemmed, where Snowball knows the language.
        stop: whether stop words are left out.
        pairs: whether two neighbouring words are a term, too.
        compounds: whether long words count by their 5-grams, too, in languages that write compounds as one word.
        pattern: regular expression whose matches are the words, instead of the words of Unicode and the numbers of
            provisions: ``word(lang='en', pattern=r'\\w\\w+')``.
    """
    return Words(language_of(collection) if lang is None else lang, stem, stop, pairs, compounds, pattern)


@dataclass(frozen=True, slots=True)
class Whitespace:
    """Words between white space, in NFC and lower case; punctuation that touches a word stays with it.

    A token without a letter or digit (``-``, ``「」``, an emoji) is not a term. ``str.split``, which the released code
    uses, keeps these tokens, upper case and each kind of middle dot.
    """

    @property
    def name(self) -> str:
        """The name in expressions: ``whitespace``."""
        return "whitespace"

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text could give other terms."""
        return fingerprint("whitespace/1", {})

    def terms(self, text: str) -> list[str]:
        """Return the words of `text` in order."""
        return [word for word in normalize(text).split() if any(map(str.isalnum, word))]


def whitespace_analyzer(collection: Collection | None) -> Analyzer:
    """Words between white space, in lower case: ``bm25(analyzer="whitespace")``."""
    return Whitespace()


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
