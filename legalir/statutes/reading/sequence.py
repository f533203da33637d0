"""The lines that look like headings, and the ones among them that are: those whose numbers go on best.

A heading follows the one before it: 4 after 3, 3의2 after 3, I after the annex that opens. A line that jumps or falls
(19 between 3 and 4) is a sentence or a quotation. So the longest chain of lines is chosen, and each jump has a cost.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from legalir.references.numbering import number_of, sort_key
from legalir.references.resolve import Kind
from legalir.statutes.reading.title import names_law

SUPERSCRIPTS = "⁰¹²³⁴-⁹"
"""For a class of characters: digits that are set high, as marks of footnotes are."""

_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_HIGH = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MARK = re.compile(r"[\[(（]?\s*\d{1,3}(?:\s*[,;]\s*\d{1,3})*\s*[\])）]?")
_ROMAN = ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I")
_ROMAN_VALUES = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
_HAN = "〇一二三四五六七八九"
_HAN_FORMS = frozenset({"japaneseCounting", "chineseCounting", "chineseCountingThousand", "taiwaneseCounting"})
_WINDOW = 300
"""Readings before a candidate that it may go on from."""

PARTS = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s")
"""The number of a heading: ``1. Allgemeines``, ``1.1 Zweck``."""

NAMED_BELOW = 2
"""Rows between the number of a group and its first article or group, with its name."""

_MISSING = 0.15
"""Cost of a missing number."""

_DECIMALS = re.compile(r"\d+[A-Z]?\.\d{2,4}[A-Z]?")
_WITHOUT_BASE = 0.2
_NEW_IN_GROUP = 1.2
"""Cost of numbers that begin at 1 again in a group, as those of the chapters of some codes."""

_IN_NEW_GROUP = 0.25


class Reading(NamedTuple):
    """A number that a line may have; of a range, such as ``§§ 3 bis 5``, the last one too."""

    number: str
    last: str


class Candidate(NamedTuple):
    """A line that looks like a heading.

    Attributes:
        row: place of the line.
        kind: of the unit that it may open.
        level: name of its level.
        depth: place of the level in the table of the jurisdiction; -1 for an annex or a supplement.
        label: as printed.
        end: where the label ends in the line.
        readings: the numbers that it may have, the likeliest first; none for a heading without a number.
        weight: how much it looks like a heading, about 1.
    """

    row: int
    kind: Kind
    level: str
    depth: int
    label: str
    end: int
    readings: tuple[Reading, ...]
    weight: float = 1.0

    @property
    def series(self) -> str:
        """What numbers that go on from each other share: ``Art.`` and ``Article``, but not ``§``."""
        words = self.level if self.depth < 0 else self.label  # FIRST SCHEDULE, SECOND SCHEDULE
        first = "§" if "§" in words else words[:1].casefold()
        return "" if first.isdecimal() else first


class Chosen(NamedTuple):
    """A candidate that is a heading, its reading, and whether its number begins anew."""

    candidate: Candidate
    reading: Reading
    anew: bool


def readings_of(label: str, last: str = "") -> tuple[Reading, ...]:
    """Return what the number in a label may be, none if it has none.

    ``22¹`` is 22 with the mark of a footnote, or a number between 22 and 23; ``4-10`` is a number or a range; ``C`` is
    a letter or a Roman numeral.

    Args:
        label: as printed.
        last: the last number of a range.
    """
    number, letter = number_of(label), re.search(r"(?<![^\W_])[A-Z]\.?$", label)
    bare = re.sub(f"[{SUPERSCRIPTS}]+", "", number)
    numbers = dict.fromkeys(filter(None, (bare, number, letter[0].strip(".") if letter else "")))
    if last:
        return (Reading(number if "-" in number else f"{number}-{last}", last),)
    found = [Reading(each, each) for each in numbers]
    if (span := re.fullmatch(r"(\d{1,9})-(\d{1,9})", number)) and int(span[1]) < int(span[2]):
        found.append(Reading(number, span[2]))
    return tuple(found)


def main_number(number: str) -> int:
    """Return the number without what is joined to it; of a Latin or Greek letter, its place in the alphabet; else 0."""
    if digits := re.search(r"\d{1,9}", number):
        return int(digits[0])
    if len(number) == 1 and (place := "ΑΒΓΔΕϚΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ".find(number)) >= 0:
        return place + 1
    return ord(number) - 64 if re.fullmatch("[A-Z]", number) else 0


def written(number: int, form: str) -> str:
    """Return a number in a form, as Word calls it: ``lowerRoman``; in one that is not known, as digits."""
    if form in ("upperLetter", "lowerLetter", "ganada") and number > 0:
        signs = "가나다라마바사아자차카타파하" if form == "ganada" else "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        letter = signs[(number - 1) % len(signs)] * ((number - 1) // len(signs) + 1)
        return letter.lower() if form == "lowerLetter" else letter
    if form in ("upperRoman", "lowerRoman"):
        numeral = ""
        for sign, value in zip(_ROMAN, _ROMAN_VALUES, strict=True):
            numeral += sign * (number // value)
            number %= value
        return numeral.lower() if form == "lowerRoman" else numeral
    if form.startswith("decimalEnclosedCircle") and 0 < number <= 20:
        return chr(0x245F + number)
    if form in _HAN_FORMS and 0 < number < 100:
        tens, ones = divmod(number, 10)
        return (_HAN[tens] if tens > 1 else "") + ("十" if tens else "") + (_HAN[ones] if ones else "")
    return str(number)


def begun_anew(found: Sequence[Candidate]) -> list[int]:
    """Return the rows of groups if bare numbers begin at 1 in all of them: ``Part 2``, ``1. …``."""
    found = list(takewhile(lambda each: each.depth >= 0, found))
    groups = [before.row for before, each in pairwise(found) if before.kind == "group" and each.kind != "group"]
    begun = [
        before.row
        for before, each in pairwise(found)
        if before.kind == "group" and each.kind == "article" and not each.series and each.label.strip(".") == "1"
        if each.row - before.row <= NAMED_BELOW
    ]
    return begun if len(begun) > 1 and begun == groups else []


def parts_above(rows: Sequence[str], articles: Sequence[int]) -> list[int]:
    """Return the rows of numbered headings right above articles, from the first one on: ``1. Allgemeines``, ``§ 1``."""
    found: list[tuple[int, str]] = []
    for row in range(max(articles, default=0) - 1, -1, -1):
        words, above = rows[row].strip(), rows[row - 1].strip() if row else ""
        if row in articles or not (label := PARTS.match(words)) or not words[label.end() :].lstrip()[:1].isupper():
            continue
        opens = row + 1 in articles or (
            found[-1:] and found[-1][0] == row + 1 and found[-1][1].startswith(f"{label[1]}.")
        )
        item = PARTS.match(above)
        listed = above.endswith((",", ";", ":")) or (item and not label[1].startswith(f"{item[1]}."))
        if opens and not listed and not words.endswith((".", ",", ";", ":")):
            found.append((row, label[1]))
    chosen, last = list[int](), list[int]()
    for row, each in reversed(found):
        number = [int(digits) for digits in each.split(".")]
        same = last[: len(number)]
        if number in ([*same[:-1], same[-1] + 1] if len(same) == len(number) else [*last, 1],):
            chosen, last = [*chosen, row], number
    return chosen if len(chosen) > 1 and chosen[0] < min(articles) else []


def in_articles(found: list[Candidate], rows: Sequence[str]) -> tuple[list[Candidate], list[Candidate]]:
    """Return candidates, and apart from them the §§ of the laws that *Artikel* are, which begin with § 1 in most.

    *Artikel* are above the groups of these laws, unless a group is above them: Teil 6, Art. 232, § 1.
    """
    articles = [each for each in found if each.kind == "article" or each.depth < 0]
    begun = [(a, b) for a, b in pairwise(articles) if a.kind == "article" and (a.series, b.series) == ("a", "§")]
    anew = [
        a.row
        for a, b in begun
        if b.label == "§ 1"
        if rows[b.row].startswith("§ 1. ")  # Austria: the text is behind the number.
        or not rows[b.row].rstrip().endswith((".", ":", ",", ";"))
        or names_law(rows[a.row + 1])
    ]
    if 2 * len(anew) <= len(begun) or articles[0].series != "a":
        return found, []
    highest, holder = found[0] == articles[0], -1
    inner, others = list[Candidate](), list[Candidate]()
    for each in found:
        if each.kind != "group" and each.series != "§":
            holder = each.row
        if each.series == "§" and each.kind == "article" and holder in anew:
            inner.append(each._replace(depth=each.depth + 1))
        elif each.depth < 0 or not highest:
            others.append(each)
        else:
            others.append(each._replace(depth=0 if each.row == holder else each.depth + 1))
    return others, inner


def raised(words: str) -> str:
    """Return words that are set high: digits as superscripts, so that they are not taken for digits of a number."""
    if not _MARK.fullmatch(words.strip()):
        return words
    digits = re.sub(r"\d", lambda digit: str(int(digit[0])), words)  # Thai ones, too
    return re.sub(r"[^\d,;]", "", digits).translate(_HIGH)


def without_mark(number: str, before: str) -> str:
    """Return a number without the mark of a footnote: ``22¹`` is a number of its own only if 22 is before it."""
    bare = re.sub(f"[{SUPERSCRIPTS}]+", "", number)
    return number if bare != number and main_number(bare) == main_number(before) else bare


class _Node(NamedTuple):
    """A reading of a candidate, with what the cost of a step needs.

    Attributes:
        place: of the candidate.
        reading: the reading.
        series: of the candidate; of an article of a French code also whether it is of the act or of a decree.
        first: order of the first number.
        last: order of the last one.
        main: the first number without what is joined to it.
        last_main: the same of the last one.
        decimals: what decides the order of sections with a chapter in their numbers: 718.1035 is before 718.104.
        base: cost of a number such as 5a if nothing says that 5 was before it.
        start: cost of the number as the first one.
        epoch: how many rows are before it behind which numbers may begin anew.
        part: how many groups are before it.
    """

    place: int
    reading: Reading
    series: str
    first: str
    last: str
    main: int
    last_main: int
    decimals: str
    base: float
    start: float
    epoch: int
    part: int


def chain(
    candidates: Sequence[Candidate],
    anew: Sequence[int],
    groups: Sequence[int] = (),
    through: float = 0.0,
    most: float = 2.0,
) -> list[Chosen]:
    """Return the candidates whose numbers go on best.

    Args:
        candidates: in reading order, each with a number.
        anew: rows of headings behind which numbers may begin at 1 again, in order.
        groups: rows of headings behind which a jump costs less, in order.
        through: cost of a number that goes on behind a row of `anew`.
        most: cost of a jump at most; a line that looks like a heading is worth 1 to 1.25, a doubtful one about 0.5.
    """
    nodes = [
        _node(place, each, reading, bisect_right(anew, each.row), bisect_right(groups, each.row), most)
        for place, each in enumerate(candidates)
        for reading in each.readings
    ]
    best: list[float] = []
    peaks: list[float] = []
    before: list[tuple[int, bool]] = []
    for place, node in enumerate(nodes):
        score, link = -node.start, (-1, True)
        for other in range(place - 1, max(place - _WINDOW, 0) - 1, -1):
            if peaks[other] <= score:
                break
            if best[other] > score and nodes[other].place != node.place:
                cost, begins = _step(nodes[other], node, through, most)
                if best[other] - cost > score:
                    score, link = best[other] - cost, (other, begins)
        best.append(score + candidates[node.place].weight)
        peaks.append(max(best[-1], peaks[-1] if peaks else best[-1]))
        before.append(link)
    chosen: list[Chosen] = []
    at = max(range(len(nodes)), key=lambda place: (best[place], place), default=-1)
    while at >= 0:
        following, begins = before[at]
        chosen.append(Chosen(candidates[nodes[at].place], nodes[at].reading, begins))
        at = following
    return chosen[::-1]


def _node(place: int, candidate: Candidate, reading: Reading, epoch: int, part: int, most: float) -> _Node:
    number, end = reading
    prefix = re.match(r"[LRDA](?=\d)", number)
    series = candidate.series + (("L" if prefix[0] == "L" else "R") if prefix else "")
    main, last = main_number(number), main_number(end)
    head = number.removesuffix(f"-{end}")
    first = _order(number if number == end else head if head != number else str(main))  # 3a-3c goes on from 3.
    base = 0.0 if number != end or re.fullmatch(r"\d+|[A-Z]", number) else _WITHOUT_BASE
    decimals = number if _DECIMALS.fullmatch(number) else ""
    start = min(_jump(main - 1, most) + base, most / 4 if decimals else most)
    return _Node(place, reading, series, first, _order(end), main, last, decimals, base, start, epoch, part)


def _order(number: str) -> str:
    spaced = re.sub(f"[{SUPERSCRIPTS}]+", lambda high: "/" + high[0].translate(_DIGITS), number)
    return sort_key(re.sub(r"^[LRDA](?=\d)", "", spaced)) if len(number) > 1 else f"{main_number(number):06d}"


def _jump(missing: int, most: float) -> float:
    return min(_MISSING * max(missing, 0), most)


def _step(a: _Node, b: _Node, through: float, most: float) -> tuple[float, bool]:
    """Return the cost of `b` after `a`, and whether its number begins anew; the cost is infinite if it cannot."""
    new, part = b.epoch > a.epoch, b.part > a.part
    cost = float("inf")
    by_decimals = b.decimals > a.decimals > "" and b.decimals.split(".")[0] == a.decimals.split(".")[0]
    if a.series == b.series and (b.first > a.last or by_decimals):
        cost = through if new else 0.0
        if b.main != a.last_main:
            cost += _jump(b.main - a.last_main - 1, most) * (_IN_NEW_GROUP if part else 1) + b.base
    elif a.series[:1] == b.series[:1] and a.series != b.series and (part or a.main == b.main):
        cost = 0.3  # A code goes on from articles of the act (L) to those of decrees (R, D), and back.
    if new and (b.start <= cost if b.main <= 1 else b.start + 1 < cost):
        return b.start, True
    if part and b.main <= 1 and b.series and b.start + _NEW_IN_GROUP < cost:
        return b.start + _NEW_IN_GROUP, True
    return cost, False
