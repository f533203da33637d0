"""Sentences of statutes, and what each needs to be understood: its proviso, the heads of its list, its items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from legalir.analysis.text import BREAK
from legalir.analysis.wording import words_for

_BREAK = re.compile(rf"{BREAK}|(?<=[.;:])(?=\((?:\d{{1,2}}|[a-z])\)\s?\w)")
_MARKS = [
    r"[①-⑳㉑-㉟㊱-㊿]",
    r"§\s?\d+\w*\.?",
    r"[가-힣]\.(?=\s)",
    r"[가-힣]\)",
    r"[（(]\s?[가-힣]\s?[)）]",
    r"\d{1,3}(?:의\d+|bis|ter)?\.(?![\d])(?=\s*\D)",
    r"\d{1,3}(?:의\d+)?\)",
    r"[（(]\s?\d{1,3}\s?[)）]",
    r"\d{1,3}\s?[、．]",
    r"\d{1,3}\s?°",
    r"[一二三四五六七八九十]+[、．　]",
    r"[（(〈]\s?[一二三四五六七八九十]+\s?[)）〉]",
    r"第?[一二三四五六七八九十]+[　 ]",
    r"[㈠-㈩]",
    r"[ァ-ヺ]{1}[、．　 )）]",
    r"[（(]\s?[ァ-ヺ]\s?[)）]",
    r"[（(]\s?[ivx]{1,5}\s?[)）]",
    r"[ivx]{1,5}[.)](?=\s)",
    r"[（(]\s?[a-z]{1,2}\s?[)）]",
    r"[a-zđ][.)](?=\s)",
    r"[（(]\s?[A-Z]\s?[)）]",
    r"[A-Z][.)](?=\s)",
    r"[IVX]{1,5}\s?[.)-](?=[\s-])",
    r"[（(]\s?[ก-ฮ]\s?[)）]",
    r"[ก-ฮ][.)]",
    r"[-–—•◦▪*ㆍ○◎]+(?=\s)",
]
_MARK = re.compile("|".join(f"({mark})" for mark in _MARKS))
_LINE = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_WRAPPED = re.compile(r".{40}[^\W\d_],?$", re.DOTALL)
_BEFORE = 64
"""Letters before a part by which it is known whether the sentence goes on: a line of 40, or an abbreviation."""
_OPEN, _CLOSE = "([（［〔【「『《〈“", ")]）］〕】」』》〉”"
_LONGEST = 3000
"""Letters after which a bracket that is open is taken as a fault of the text."""


@cache
def _proviso() -> re.Pattern[str]:
    return re.compile(rf"[\W_]*{words_for('proviso')}", re.IGNORECASE)


@cache
def _abbreviation() -> re.Pattern[str]:
    return re.compile(rf"(?:^|[\W_]){words_for('abbreviations')}\.$", re.IGNORECASE)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, white space as one blank; empty ones are left out.

    A sentence is a line, a paragraph that begins with a numbered mark, or text that ends with a full stop; it does not
    end after an abbreviation, nor while a bracket is open; a long line that goes on in lower case is one with the
    next. Thai has no mark at the end: each line is one sentence.
    """
    return [" ".join(text[start:end].split()) for start, end, _ in _spans(text)]


def _spans(text: str) -> list[tuple[int, int, bool]]:
    """Return the start and the end of each sentence, and whether it begins a line."""
    bounds = [0, *(place for match in _BREAK.finditer(text) for place in match.span()), len(text)]
    spans: list[tuple[int, int, bool]] = []
    depth, line = 0, True
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        part = text[start:end]
        line |= bool(spans) and _LINE.search(text, spans[-1][1], start) is not None
        bare = part.strip()
        if not bare:
            continue
        start += len(part) - len(part.lstrip())
        mark = _MARK.match(bare)
        before = text[max(spans[-1][0], spans[-1][1] - _BEFORE) : spans[-1][1]] if spans else ""
        wrapped = line and not mark and bare[0].islower() and _WRAPPED.search(before) is not None
        goes_on = depth > 0 or wrapped or (not line and not mark and _abbreviation().search(before[-12:]) is not None)
        if spans and goes_on:
            spans[-1] = (spans[-1][0], start + len(bare), spans[-1][2])
        else:
            spans.append((start, start + len(bare), line))
            depth = 0
        first = spans[-1][0]
        depth = _depth(bare[mark.end() if mark else 0 :], depth)
        if depth and (start - first > _LONGEST or not any(sign in text[end : end + _LONGEST] for sign in _CLOSE)):
            depth = 0
        line = False
    return spans


def _depth(text: str, depth: int) -> int:
    """Return how many brackets are open after a text."""
    for sign in text:
        if sign in _OPEN:
            depth += 1
        elif sign in _CLOSE and depth:
            depth -= 1
    return depth


class Outline:
    """The sentences of a text, with the provisos and lists that bind them.

    Args:
        text: the text of a provision.

    Attributes:
        sentences: the sentences, in order.
        gaps: what is before each: a blank, or nothing where the text has no white space there.
    """

    def __init__(self, text: str) -> None:
        spans = _spans(text)
        self.sentences = [" ".join(text[start:end].split()) for start, end, _ in spans]
        ends = [0, *(end for _, end, _ in spans)]
        self.gaps = [" " * (start > end) for (start, _, _), end in zip(spans, ends, strict=False)]
        self._first: list[int] = []
        """The first sentence of the rule that each belongs to: a proviso belongs to the sentence before it."""
        self._head: list[int | None] = []
        """The head of the list that each is in."""
        lists: list[tuple[int, int | None]] = []  # kind of mark and head, outermost first
        for place, (sentence, (_, _, line)) in enumerate(zip(self.sentences, spans, strict=True)):
            mark = _MARK.match(sentence)
            restricts = place > 0 and _proviso().match(sentence[mark.end() if mark else 0 :]) is not None
            if mark:
                kind = int(mark.lastindex or 0)
                at = next((at for at, one in enumerate(lists) if one[0] == kind), None)
                if at is None:
                    top = kind == 1 or place == 0
                    lists = [*([] if top else lists), (kind, None if top else place - 1)]
                else:
                    lists = lists[: at + 1]
                self._head.append(lists[-1][1])
                self._first.append(self._first[place - 1] if restricts else place)
                continue
            if line and restricts and lists and lists[-1][1] is not None:
                # Below a list, a proviso restricts what the head of the list says.
                outermost = next(head for _, head in lists if head is not None)
                self._head.append(self._head[outermost])
                self._first.append(self._first[outermost])
                lists = []
                continue
            if line:
                lists = []
            self._head.append(lists[-1][1] if lists else None)
            self._first.append(self._first[place - 1] if restricts else place)

    def rule(self, place: int, letters: int) -> tuple[list[int], bool]:
        """Return the sentences that a quotation of one sentence needs, and whether items at the end were left out.

        They are its rule with the provisos, the heads of its list, each with its provisos, and the items below it.

        Args:
            place: number of the sentence.
            letters: how long the items may be; the first one is always taken.
        """
        own = self._bound(place)
        needed = set(own)
        head = self._head[place]
        while head is not None:
            above = self._bound(head)
            if above[0] in needed:
                break
            needed.update(above)
            head = self._head[above[0]]
        left_out = False
        for item in self._below(own):
            letters -= len(self.sentences[item])
            if letters < 0 and needed - set(own) and item not in needed and self._first[item] == item:
                left_out = True
                break
            needed.add(item)
        return sorted(needed), left_out

    def _bound(self, place: int) -> list[int]:
        """Return the rule of a sentence and its provisos."""
        return [one for one, first in enumerate(self._first) if first == self._first[place]]

    def _below(self, places: Sequence[int]) -> Iterable[int]:
        """Yield the items of lists whose heads are among some sentences, in the order of the text."""
        inside = set(places)
        for place, head in enumerate(self._head):
            if place not in inside and (head in inside or self._first[place] in inside):
                inside.add(place)
                yield place
