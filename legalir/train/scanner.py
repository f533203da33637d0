"""The mentions of articles in a text: which numbers are references, learnt from the links of the collection.

Nothing here knows ``제N조`` or ``มาตรา N``. A sample of the texts that cite something is read. A number in them counts
as a reference if it is the number of a provision that the text cites, else as another number; the characters around it
are the evidence (`ContextModel`). Three more things are learnt by how often the links confirm them:

- which signs join two numbers into one (``조의`` in ``제12조의2``, ``/`` in ``12/1``),
- which words between two references make a range (``조부터 제``, `` to ``), whose articles are cited, too,
- how far a mention reaches to both sides of its number (`Edges`), so that it can be taken out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from legalir.references.numbers import Example, Numbers, Tally, Token, order_of, prefixes
from legalir.train.context_model import NUMBER, ContextModel, Edges, skeleton

_RANGE, _RANGES = 24, 0.25
"""Maximum number of characters of the words of a range, and the share of cases that must be right."""

_BEFORE, _AFTER = 12, 4

_PARTS = re.compile(r"(?:\s?\(\w{1,4}\)|[^\W\d_]{1,2}\d{1,3}[^\W\d_]?)*")
"""Paragraphs and items that are part of a reference: ``제3항제1호``, `` (2)(a)``."""


class Mention(NamedTuple):
    """A reference to an article: its start and end in the text, its number, and its place in the skeleton."""

    start: int
    end: int
    number: Token
    place: int


class ScannedText(NamedTuple):
    """The mentions of a text, its skeleton, and its ranges: the position in `mentions` of the first end of each."""

    mentions: list[Mention]
    skeleton: str
    ranges: list[int]


class Scanner:
    """Finder of the references in the texts of one collection.

    Args:
        numbers: reads the numbers.
        examples: a sample of the texts that cite something.
    """

    def __init__(self, numbers: Numbers, examples: Sequence[Example]) -> None:
        self.numbers = numbers.taught(examples)
        texts = [(example, *self._read(example.text)) for example in examples]
        self._contexts = ContextModel(
            (bones, place, "reference" if named else "number")
            for example, tokens, bones, places in texts
            for token, place in zip(tokens, places, strict=True)
            if (named := token.one_of(example.cited)) or example.own not in prefixes(token.key)
        )
        references = [(bones, place) for _, _, bones, places in texts for place in self._references(bones, places)]
        self._left = Edges((bones[max(0, at - _BEFORE) : at][::-1] for bones, at in references), _BEFORE, 0.5, True)
        self._right = Edges((_word_after(bones, at) for bones, at in references), _AFTER, 0.75, False)
        self.connectors = self._count_connectors(examples).confirmed(_RANGES)

    def scan(self, text: str) -> ScannedText:
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
        return ScannedText(mentions, bones, ranges)

    def _mention(self, text: str, token: Token, bones: str, place: int) -> Mention:
        before = bones[max(0, place - _BEFORE - 1) : place]
        start = token.start - _whole_words(before, self._left.reach(before[::-1]))
        end = token.end + self._right.reach(_word_after(bones, place))
        parts = _PARTS.match(text, end)
        return Mention(start, parts.end() if parts else end, token, place)

    def _references(self, bones: str, places: Sequence[int]) -> list[int]:
        return [place for place in places if self._contexts.form(bones, place, "reference") >= 0.5]

    def _read(self, text: str) -> tuple[list[Token], str, list[int]]:
        """Return the numbers, then the skeleton and the place of each number in it."""
        tokens = self.numbers.tokens(text)
        return tokens, *skeleton(text, tokens)

    def _count_connectors(self, examples: Sequence[Example]) -> Tally:
        tally = Tally()
        for example in examples:
            tokens, bones, places = self._read(example.text)
            chosen = set(self._references(bones, places))
            references = [(token, at) for token, at in zip(tokens, places, strict=True) if at in chosen]
            hidden = [order_of(key) for key in example.cited - {token.one_of(example.cited) for token, _ in references}]
            for (first, start), (last, end) in pairwise(references):
                low, high, words = order_of(first.key), order_of(last.key), bones[start + 1 : end]
                if len(words) <= _RANGE and NUMBER not in words and low < high and not _neighbours(low, high):
                    tally.add(words, any(low < key < high for key in hidden), example.text)
        return tally


def _word_after(bones: str, place: int) -> str:
    return bones[place + 1 : place + 1 + _AFTER].partition(" ")[0]


def _whole_words(before: str, reach: int) -> int:
    """Return `reach` without the part of a word that it would cut if a whole word follows: ``der Section``."""
    taken, rest = before[len(before) - reach :], before[: len(before) - reach]
    if taken[:1].isalpha() and rest[-1:].isalpha():
        cut, _, whole = taken.partition(" ")
        if any(map(str.isalpha, whole)):
            return reach - len(cut)
    return reach


def _neighbours(low: tuple[int, ...], high: tuple[int, ...]) -> bool:
    """Return True if there is no article between the two, except sub-articles."""
    return len(low) == len(high) and low[:-1] == high[:-1] and high[-1] - low[-1] == 1
