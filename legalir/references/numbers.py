"""Numbers of articles as collections and texts write them: ``12``, ``1.3.1``, ``6(1)(a)``, ``L. 121-3``, ``第十二条``.

The *key* of a number is the same for all its spellings; dots join its parts.

- Digits of any script and Han numerals are decimal digits: ``๑๒`` and ``十二`` have the key ``12``.
- Dots between digits and brackets make parts: ``1.3.1`` and ``1.3.1.`` are ``1.3.1``; ``6(1)(a)``, ``6 (1) (a)`` and
  ``6.(1).(a)`` are ``6.1.a``. A bracket contains a number, a letter (or two Latin letters), or a Roman numeral.
- A word after a number belongs to it: ``12 bis`` and ``12bis`` are ``12bis``, ``65A`` is ``65a``.
- So does a word before the first number: ``L. 121-3`` and ``L121-3`` are ``l121.3``, ``R*12`` is ``r12``.
- Joiners connect two parts: ``-`` in ``121-3``, ``/`` in ``12/1``, ``조의`` in ``제12조의1``, which is ``12.1``.

The articles of the collection show which words and joiners there are, and texts confirm more (`Numbers.taught`);
there is no list. A word that more than half of the articles have (``Article 12``, ``第十二条``) belongs to the
reference, not to the number. Roman numerals outside brackets and numbers written as words are not read.

A paragraph names the provision that contains it: ``6(1)(a)`` names ``6`` if there is no ``6.1``. So does a number with
more parts than any article has: ``6.1`` names ``6`` if the articles are ``1``, ``2``, ``3`` (`Token.names`).
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from copy import copy
from itertools import pairwise
from typing import NamedTuple

from legalir.references.numbering import value_of
from legalir.storage.validity import provision_key

_NUMERALS = "〇一二三四五六七八九零十百千"
_RUN = rf"(?:\d+|[{_NUMERALS}]+)"
_WORD = rf"[^\W\d_{_NUMERALS}][^\s\d{_NUMERALS}{re.escape(string.punctuation)}\u2010-\u2027、。，：；（）]*"
_PIECE = re.compile(rf"({_RUN})|{_WORD}")
_BRACKET = r"[(（](?:\d{1,3}[A-Za-z]{0,2}|[^\W\d_]|[A-Za-z]{2}|[ivxlcIVXLC]{3,7})[)）]"
_BRACKETS = rf"\.?{_BRACKET}|\s{_BRACKET}(?![^\W_])"
"""Brackets after a number. After a space, one that a word follows is an item of a list: ``section 9 (5)the fee``."""

_LAST_BRACKETS = re.compile(f"(?:{_BRACKETS})+$")
_NOTHING = "(?!)"
"""A pattern that matches nothing."""

_INSIDE = r"[^\W\d_]+(?=[)）])"
_GAP = r"[.*_\-]{0,2}\s?"
_WORD_BEFORE = re.compile(r"^\D+(?=\d)")
_IN_GAP = re.compile(r"[\s.*_\-]")
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Soft hyphen, zero-width space, signs of writing direction, word joiner, byte-order mark."""

_LONGEST = 12
_REACH = 40
"""Maximum number of characters of the words before a number."""

_JOINED, _JOINERS = 3, 0.5
"""Maximum number of characters between joined numbers, and the share of cases that must be right."""

_REFUTED = 0.05
"""Minimum share of correct cases for a joiner of the articles to be used in texts."""

_TEXTS = 2
"""Minimum number of texts in which a thing must be right."""


class Token(NamedTuple):
    """A number in a text.

    Attributes:
        start: position of its first character.
        end: position after its last character.
        key: its key.
        names: keys of the provisions that it may name, longest first: ``6.1.a``, ``6.1``, ``6`` for ``6(1)(a)``.
    """

    start: int
    end: int
    key: str
    names: Sequence[str]

    def one_of(self, keys: Container[str]) -> str:
        """Return the first of `names` that is in `keys`, or an empty string."""
        return next((name for name in self.names if name in keys), "")


class Example(NamedTuple):
    """A cleaned text, the keys of the provisions that it names, and the key of its own number, or an empty string."""

    text: str
    cited: frozenset[str]
    own: str


class Tally:
    """Counts of how often texts confirm something, and in how many texts."""

    def __init__(self) -> None:
        self._right, self._total = Counter[str](), Counter[str]()
        self._texts: dict[str, set[str]] = {}

    def add(self, what: str, right: bool, text: str) -> None:
        """Count a case of `what` in a text."""
        self._total[what] += 1
        if right:
            self._right[what] += 1
            self._texts.setdefault(what, set()).add(text)

    def confirmed(self, share: float) -> frozenset[str]:
        """Return what is right in at least this share of the cases and in at least `_TEXTS` texts."""
        return frozenset(
            what
            for what, texts in self._texts.items()
            if len(texts) >= _TEXTS and self._right[what] >= share * self._total[what]
        )

    def refuted(self, share: float) -> frozenset[str]:
        """Return everything that is right in less than this share of the cases, if there are enough cases."""
        return frozenset(
            what for what, total in self._total.items() if total * share >= 1 and self._right[what] < share * total
        )


class Numbers:
    """Reader of the numbers of a collection.

    Args:
        articles: the article fields of the collection, from which words and joiners are learnt.

    Attributes:
        joiners: texts that join two parts of a number; ``(`` means brackets around the second part.
    """

    def __init__(self, articles: Iterable[str] = ()) -> None:
        words = _Words()
        for article in articles:
            words.add(article)
        self._before, self._after, self._alone = words.patterns()
        self._shown, self._dots = frozenset(words.joiners), 0
        self._read_by({".", "(", *words.joiners})
        self._dots = max((self.key(article).count(".") for article in words.articles), default=0)

    def taught(self, examples: Sequence[Example]) -> Numbers:
        """Return a reader with the joiners of the texts.

        ``조의`` in ``제12조의2`` for ``12.2`` is one: it is right in half of the cases. A joiner in the articles is
        left out if it nearly always means something else: ``12.2`` is a decimal in Korean texts.
        """
        plain, reader, tally = copy(self), copy(self), Tally()
        plain._read_by(())
        for text, cited, own in examples:
            starts = {prefix for key in cited for prefix in prefixes(key)}
            joined = ""
            for first, second in pairwise(plain.tokens(text)):
                gap = text[first.end : second.start]
                before = {joined or first.key, _WORD_BEFORE.sub("", joined or first.key)}
                keys = {f"{start}.{second.key}" for start in before}
                right = not starts.isdisjoint(keys)
                joined = f"{joined or first.key}.{second.key}" if right else ""
                if 0 < len(gap) <= _JOINED and keys.isdisjoint(prefixes(own)):
                    tally.add("(" if gap.strip(" .") in ("(", "（") else gap, right, text)
        reader._read_by((self._shown - tally.refuted(_REFUTED)) | tally.confirmed(_JOINERS))
        return reader

    def tokens(self, text: str) -> list[Token]:
        """Return each number of a cleaned text, in order."""
        tokens, end = [], 0
        for match in self._number.finditer(text):
            start = match.start()
            if self._head and (head := self._head.search(text, max(end, start - _REACH), start)):
                start = head.start()
            end = match.end()
            number = text[start:end]
            key = self._key(number)
            tokens.append(Token(start, end, key, (key,) if key.isdecimal() else self._names(number, key)))
        return tokens

    def key(self, article: str) -> str:
        """Return the key of an article's number, empty if it has none: ``12.2`` and ``12/2`` have the same."""
        return ".".join(token.key for token in self.tokens(clean(article)))

    def _read_by(self, joiners: Iterable[str]) -> None:
        self.joiners = frozenset(joiners)
        joiner = _any_of(map(re.escape, sorted(self.joiners - {"("}, key=_longest_first)))
        brackets = _BRACKETS if "(" in self.joiners else _NOTHING
        before, after, alone = self._before, self._after, self._alone
        part = f"(?:{before}?{_RUN}{after}?|{alone}(?:[_\\-]{alone})*)"
        self._number = re.compile(f"{_RUN}{after}?(?:{joiner}{part}|{brackets})*", re.IGNORECASE)
        self._head = None if before == _NOTHING else re.compile(f"{before}$", re.IGNORECASE)
        self._part = re.compile(f"({before})?({_RUN})({_INSIDE}|{after})?|{_INSIDE}|{alone}", re.IGNORECASE)

    def _key(self, number: str) -> str:
        if number.isdecimal():
            return str(int(number[:18]))
        parts = []
        for part in self._part.finditer(number):
            before, run, after = part.groups("")
            parts.append(f"{_IN_GAP.sub('', before)}{value_of(run[:18])}{after.strip(' -')}" if run else part[0])
        return ".".join(parts).lower()

    def _names(self, number: str, key: str) -> list[str]:
        """Return the prefixes of a key that may be numbers of articles."""
        brackets = _LAST_BRACKETS.search(number)
        dots = (self._key(number[: brackets.start()]) if brackets else key).count(".")
        return [name for name in prefixes(key) if name.count(".") >= min(dots, self._dots)]


class _Words:
    """The words and joiners in the articles of a collection."""

    def __init__(self) -> None:
        self.articles = set[str]()
        self._count = 0
        self._texts = Counter[str]()
        self._before, self._after, self._alone = set[str](), set[str](), set[str]()
        self.joiners = set[str]()

    def add(self, article: str) -> None:
        """Read an article field."""
        self.articles.add(article)
        self._count += 1
        if article.isdecimal():
            return
        text, brackets = re.subn(_BRACKETS, ".", clean(article).lower())
        if brackets:
            self.joiners.add("(")
        pieces = list(_PIECE.finditer(text))
        self._texts.update({piece[0] for piece in pieces if not piece[1]})
        numbers = [at for at, piece in enumerate(pieces) if piece[1]]
        for one, other in pairwise(pieces[numbers[0] :] if numbers else []):
            gap = text[one.end() : other.start()]
            if (one[1] or other[1]) and len(gap) == 1 and gap not in " ,;()（）":
                self.joiners.add(gap)
        for at, piece in enumerate(pieces):
            if piece[1] or not numbers or at < numbers[0] - 1 or len(piece[0]) > _LONGEST:
                continue
            left = text[pieces[at - 1].end() : piece.start()] if at and pieces[at - 1][1] else None
            right = text[piece.end() : pieces[at + 1].start()] if at + 1 in numbers else None
            if at < numbers[0]:
                self._before.add(piece[0])
            elif left == right == "":
                self.joiners.add(piece[0])
            elif left in ("", " "):
                self._after.add(piece[0])
            elif right is not None and "." not in right:
                self._before.add(piece[0])
            else:
                self._alone.add(piece[0])

    def patterns(self) -> tuple[str, str, str]:
        """Return patterns of the words before a number, after it, and between signs."""
        common = {word for word, count in self._texts.items() if count * 2 > max(self._count, 2)}
        before, after, alone = (
            sorted(words - common, key=_longest_first) for words in (self._before, self._after, self._alone)
        )
        return (
            _any_of(map(_before_pattern, before)),
            _any_of(map(_after_pattern, after)),
            _any_of(re.escape(word) + r"(?![^\W_])" for word in alone),
        )


def clean(text: str) -> str:
    """Return `text` in NFC with each run of white space as one space, without invisible signs."""
    return " ".join(_INVISIBLE.sub("", unicodedata.normalize("NFC", text)).split())


def tail_of(docno: str) -> str:
    """Return the part of a docno after the last ``-``, ``:`` or ``/`` if it starts with a digit, else nothing.

    The day of a version does not belong to it: ``act-12@2024-01-01`` is ``12``.
    """
    key = provision_key(docno)
    tail = re.split(r"[-:/]", key)[-1]
    return tail if tail[:1].isdecimal() and tail != key else ""


def prefixes(key: str) -> list[str]:
    """Return the keys of what a number may name, longest first: ``6.1.a``, ``6.1``, ``6``.

    Each with the word before it, then without, because texts have words of their own: ``Rule 6.1``.
    """
    if key.isdecimal():
        return [key]
    parts = key.split(".")
    bare = _WORD_BEFORE.sub("", key).split(".")
    ends = range(len(parts), 0, -1)
    if bare == parts:
        return [".".join(parts[:end]) for end in ends]
    return [".".join(words[:end]) for end in ends for words in (parts, bare)]


def order_of(key: str) -> tuple[int, ...]:
    """Return the numbers of a key, which order articles: ``12.2`` is between ``12`` and ``13``."""
    return tuple(int(part) for part in re.findall(r"\d+", key)[:4])


def _longest_first(word: str) -> tuple[int, str]:
    return -len(word), word


def _any_of(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})" if (patterns := list(patterns)) else _NOTHING


def _before_pattern(word: str) -> str:
    first = r"(?<![^\W_])" if word.isascii() or len(word) == 1 else ""
    if len(word) > 1:
        return first + re.escape(word) + _GAP
    # With nothing but a space between, one letter must be a capital: "a 3 day period".
    return rf"{first}(?:{word}(?:[.*_\-]{{1,2}}\s?)?(?!\s)|(?-i:{word.upper()})\s)"


def _after_pattern(word: str) -> str:
    # One letter with a space before it is a word of its own: "section 12 a person".
    gap = "" if len(word) == 1 else r"[\s\-]?"
    end = r"(?![^\W\d_])" if word.isascii() or len(word) == 1 else ""
    return gap + re.escape(word) + end
