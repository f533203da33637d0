"""Which numbers of a text refer to articles, learnt from the links of the collection.

Nothing here knows ``제N조`` or ``มาตรา N``. A sample of the texts that cite something is read, and every number
in them is counted as a reference where it is the number of a provision that the text cites, else as none;
its surroundings are the evidence (`Contexts`). Learnt in the same way, by how often the links bear it out:

- which signs join two numbers into one (``조의`` in ``제12조의2``, ``/`` in ``12/1``),
- which words between two references make a range (``조부터 제``, `` to ``), whose articles are cited, too,
- how far a mention reaches to both sides of its number (`Edges`), so that it can be taken out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from legalir.statutes.references.contexts import NUMBER, Contexts, Edges, skeleton
from legalir.statutes.references.numbers import Numbers, Token, order_of

__all__ = ["Example", "Mention", "Scanned", "Scanner"]

_JOINED = 3
_RANGE = 24
_TEXTS = 2
_RANGES = 0.25
_JOINERS = 0.5
_BEFORE, _BEHIND = 12, 4

_PARTS = re.compile(r"(?:\s?\(\w{1,4}\)|[^\W\d_]{1,2}\d{1,3}[^\W\d_]?)*")
"""Paragraphs and items that hang on to a reference: ``제3항제1호``, `` (2)(a)``."""


class Example(NamedTuple):
    """A cleaned text, the keys of the provisions that it cites, and the key of its own number."""

    text: str
    cited: frozenset[str]
    own: str


class Mention(NamedTuple):
    """A reference to an article: the characters that it takes, its key, and its place in the skeleton."""

    start: int
    end: int
    key: str
    place: int


class Scanned(NamedTuple):
    """The mentions of a text, its skeleton, and its ranges as positions in `mentions` of their first ends."""

    mentions: list[Mention]
    skeleton: str
    ranges: list[int]


class Scanner:
    """Finds the references in the texts of one collection.

    Args:
        numbers: reads the numbers.
        examples: a sample of the texts that cite something.
    """

    def __init__(self, numbers: Numbers, examples: Sequence[Example]) -> None:
        self.numbers = numbers
        self.joiners: frozenset[str] = frozenset()
        self.joiners = self._count_joiners(examples).borne_out(_JOINERS)
        read = [(example, *self._read(example.text)) for example in examples]
        self._contexts = Contexts(
            (bones, place, "reference" if token.key in example.cited else "number")
            for example, tokens, bones, places in read
            for token, place in zip(tokens, places, strict=True)
            if token.key != example.own or token.key in example.cited
        )
        found = [(bones, place) for _, tokens, bones, places in read for place in self._references(bones, places)]
        self._left = Edges((bones[max(0, at - _BEFORE) : at][::-1] for bones, at in found), _BEFORE, 0.5, True)
        self._right = Edges((_word_behind(bones, at) for bones, at in found), _BEHIND, 0.75, False)
        self.connectors: frozenset[str] = frozenset()
        self.connectors = self._count_connectors(examples).borne_out(_RANGES)

    def scan(self, text: str) -> Scanned:
        """Return the references in a cleaned text."""
        tokens, bones, places = self._read(text)
        chosen = set(self._references(bones, places))
        mentions, ranges, last = [], [], None
        for token, place in zip(tokens, places, strict=True):
            if place not in chosen:
                continue
            if last is not None and bones[last + 1 : place] in self.connectors:
                ranges.append(len(mentions) - 1)
            mentions.append(self._mention(text, token, bones, place))
            last = place
        return Scanned(mentions, bones, ranges)

    def _mention(self, text: str, token: Token, bones: str, place: int) -> Mention:
        before = bones[max(0, place - _BEFORE - 1) : place]
        start = token.start - _whole_words(before, self._left.reach(before[::-1]))
        end = token.end + self._right.reach(_word_behind(bones, place))
        parts = _PARTS.match(text, end)
        return Mention(start, parts.end() if parts else end, token.key, place)

    def _references(self, bones: str, places: Sequence[int]) -> list[int]:
        return [place for place in places if self._contexts.form(bones, place, "reference") >= 0.5]

    def _read(self, text: str) -> tuple[list[Token], str, list[int]]:
        """Return the numbers with joined ones as one, the skeleton, and their places in it."""
        tokens = self.numbers.tokens(text)
        if self.joiners:
            tokens = self._joined(text, tokens)
        return tokens, *skeleton(text, tokens)

    def _joined(self, text: str, tokens: list[Token]) -> list[Token]:
        joined: list[Token] = []
        open_ = False
        for token in tokens:
            if open_ and text[joined[-1].end : token.start] in self.joiners:
                first = joined[-1]
                joined[-1] = Token(first.start, token.end, f"{first.key}.{token.key}")
                open_ = False
            else:
                joined.append(token)
                open_ = True
        return joined

    def _count_joiners(self, examples: Sequence[Example]) -> _Tally:
        tally = _Tally()
        for text, cited, own in examples:
            tokens = self.numbers.tokens(text)
            for first, second in pairwise(tokens):
                gap, key = text[first.end : second.start], f"{first.key}.{second.key}"
                if 0 < len(gap) <= _JOINED and key != own:
                    tally.add(gap, key in cited, text)
        return tally

    def _count_connectors(self, examples: Sequence[Example]) -> _Tally:
        tally = _Tally()
        for text, cited, _ in examples:
            tokens, bones, places = self._read(text)
            chosen = set(self._references(bones, places))
            found = [(token.key, at) for token, at in zip(tokens, places, strict=True) if at in chosen]
            hidden = [order_of(key) for key in cited.difference(key for key, _ in found)]
            for (low_key, start), (high_key, end) in pairwise(found):
                low, high, words = order_of(low_key), order_of(high_key), bones[start + 1 : end]
                if len(words) <= _RANGE and NUMBER not in words and low < high and not _neighbours(low, high):
                    tally.add(words, any(low < key < high for key in hidden), text)
        return tally


class _Tally:
    """How often the links bear something out, and in how many texts."""

    def __init__(self) -> None:
        self._right, self._total = Counter[str](), Counter[str]()
        self._texts: dict[str, set[str]] = {}

    def add(self, what: str, right: bool, text: str) -> None:
        self._total[what] += 1
        if right:
            self._right[what] += 1
            self._texts.setdefault(what, set()).add(text)

    def borne_out(self, share: float) -> frozenset[str]:
        """Return what is right in such a share of the cases, and in `_TEXTS` texts or more."""
        return frozenset(
            what
            for what, texts in self._texts.items()
            if len(texts) >= _TEXTS and self._right[what] >= share * self._total[what]
        )


def _word_behind(bones: str, place: int) -> str:
    return bones[place + 1 : place + 1 + _BEHIND].partition(" ")[0]


def _whole_words(before: str, reach: int) -> int:
    """Return `reach`, less the part of a word that it would cut where a whole one follows: ``der Section``."""
    taken, rest = before[len(before) - reach :], before[: len(before) - reach]
    if taken[:1].isalpha() and rest[-1:].isalpha():
        cut, _, whole = taken.partition(" ")
        if any(map(str.isalpha, whole)):
            return reach - len(cut)
    return reach


def _neighbours(low: tuple[int, ...], high: tuple[int, ...]) -> bool:
    """Tell whether no article stands between the two, but for sub-articles."""
    return len(low) == len(high) and low[:-1] == high[:-1] and high[-1] - low[-1] == 1
