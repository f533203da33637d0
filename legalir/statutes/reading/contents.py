"""Tables of contents among the lines of a statute, which are left out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile

from legalir.statutes.reading.page import CONTENTS, TEXT
from legalir.statutes.reading.plain_text import compact
from legalir.statutes.reading.rows import is_prose, is_text, rows_of
from legalir.statutes.reading.sequence import Candidate, main_number

_PLACE = re.compile(
    r"[\s.·…|]*(?:(?:(?:pag|pág|page|p|str|blz|s)\.?\s?)?\d+|[(（][^()（）]*[\d第][^()（）]*[)）])\s*$", re.IGNORECASE
)
"""What an entry of a table of contents ends in: a page, or the articles of a chapter."""

_FOLLOWS = re.compile(r"table of contents.*:\s*$", re.IGNORECASE)
"""A line of a section that the table of contents follows: ``The table of contents is as follows:``."""

_LAST = 3
"""Headings of contents, the last ones of a file, behind which a table of contents is looked for."""

_NAMES_ABOVE = 6
"""Rows before the first entry in which the words for a table of contents are looked for."""

_BEHIND_ENTRIES = re.compile(
    rf"\.{{4,}}\s*\d{{1,4}}\s*$|^(?:{TEXT.pattern})$"
    r"|^\s*(?:art[^\W\d]*\.?|§+|sec[^\W\d]*\.?)\s*\d[\w./]*(?:[\s,–-]+(?:\d[\w./]*|à|tot|t/m|bis|to|und|and|en|et|al?|e|y))*\s*$",
    re.IGNORECASE,
)
"""Lines behind the last entry of contents: ``Historical notes ........ 6``, ``Art. 5, 5bis, 6``, ``Text``."""


def without_contents(found: Iterable[Candidate], rows: Sequence[str]) -> tuple[list[Candidate], range]:
    """Return candidates outside of the table of contents, in order, and its rows."""
    found = sorted(found)
    contents = _contents_behind(found, rows) or _contents(found, rows) or _contents(found, rows, named=True)
    return [each for each in found if each.row not in contents], contents


def _contents_behind(found: Sequence[Candidate], rows: Sequence[str]) -> range:
    """Return the rows of a table of contents behind the law, from its heading to the last entry that is one above."""
    own = {*rows_of(found), len(rows)}
    named = [row for row, words in enumerate(rows) if CONTENTS.fullmatch(words.strip(" :."))]
    for row in named[-_LAST:]:
        end = next((at for at in range(row, len(rows)) if at not in own and is_text(rows[at])), len(rows))
        entries, above = ([each for each in found if each.row in of] for of in (range(row, end), range(row)))
        again = [each for each in entries if any(_repeats(each, one, rows, each.row + 1 not in own) for one in above)]
        if len(again) > 1 and len(again) * 2 > len(entries):
            return range(row, again[-1].row + 1 + (again[-1].row + 1 not in own and not _entry(rows, again[-1])))
    return range(0)


def _contents(found: Sequence[Candidate], rows: Sequence[str], named: bool = False) -> range:
    """Return the rows of a table of contents: headings, with little text between, that come again with their text.

    Args:
        named: whether numbers alone may come again: below a heading of contents, of articles without text.
    """
    listed = next((at for at, each in enumerate(found) if each.row and _FOLLOWS.search(rows[each.row - 1])), 0)
    for first in [*found[listed : listed + 3], *found[:3]]:
        if named and not (first.row and CONTENTS.fullmatch(rows[first.row - 1].strip(" :."))):
            continue
        again_at = (each for each in found if each.row > first.row + 1)
        later = next((each for each in again_at if _repeats(first, each, rows, named=named)), None)
        if later is None:
            continue
        again: dict[tuple[str, ...], list[Candidate]] = defaultdict(list)
        for each in found:
            if each.row >= later.row:
                again[_key(each)].append(each)
        entries = [each for each in found if first.row <= each.row < later.row]
        bare = [each for each in entries if not _entry(rows, each)]
        headed = sum(each.row + 1 < end.row for each, end in pairwise([*entries, later]) if each in bare)
        below = headed * 2 > len(bare)
        repeated = [
            each for each in entries if any(_repeats(each, other, rows, below, named) for other in again[_key(each)])
        ]
        if named:
            entries = _without_text(entries, repeated, rows)
            repeated = [each for each in repeated if entries and each.row <= entries[-1].row]
        if len(repeated) < 2 or len(repeated) * 2 <= len(entries):
            continue
        last = repeated[-1]
        entries = [each for each in entries if each.row <= last.row]
        between = set(range(first.row, last.row)) - set(rows_of(entries))
        texts = sum(is_text(rows[row]) for row in between)
        if texts * 5 <= len(entries) >= len(between) / 3:
            steps = [b.row - a.row for a, b in pairwise(entries) if a.kind == last.kind]
            for each in found:  # Schedules whose own headings are not read.
                if each.depth < 0 and last.row < each.row <= min(last.row + 2, later.row - 1):
                    last = each
            start, end = first.row, last.row + min(steps, default=1)
            before = (each for each in reversed(found) if each.row < start)
            for each in takewhile(lambda each: any(_repeats(each, one, rows) for one in found if one < each), before):
                start = each.row  # The entry of the section that the contents are in.
            names = {compact(rows[each.row + 1]) for each in found if later.row < each.row < len(rows) - 1}
            if last.depth < 0 and end < later.row and compact(rows[end]) in names:  # Schedule, Fees
                end += 1
            while end < later.row and _BEHIND_ENTRIES.search(rows[end]):
                end += 1
            above = range(max(start - _NAMES_ABOVE, 0), start)  # Entries that no form reads may be between.
            words = next((row for row in above if CONTENTS.fullmatch(rows[row].strip(" :."))), start)
            start = start if any(is_text(rows[row]) for row in range(words, start)) else words
            return range(start, min(end, later.row))
    return range(0)


def _without_text(entries: Sequence[Candidate], repeated: Sequence[Candidate], rows: Sequence[str]) -> list[Candidate]:
    """Return entries up to the last article or annex that comes again; none if they, or lines between, hold text."""
    end = max((each.row for each in repeated if each.kind != "group"), default=-1)
    found = [each for each in entries if each.row <= end]
    between = [rows[row] for a, b in pairwise(found) for row in range(a.row + 1, b.row)]
    named_below = sum(not _entry(rows, each) for each in found)
    texts = sum(is_text(rows[each.row]) for each in found)
    text = texts * 2 > len(found) or len(between) > named_below or any(map(is_prose, between))
    return [] if text or any(each.depth < 0 and each not in repeated for each in entries) else found


def _key(each: Candidate) -> tuple[str, ...]:
    number = each.readings[0].number if each.readings else ""
    return each.kind, each.level, str(main_number(number)) if re.fullmatch(r"\d+(?:-\d+)?", number) else number


def _entry(rows: Sequence[str], each: Candidate) -> str:
    """Return the name behind a number, without the number of a page or the articles of a chapter."""
    return compact(_PLACE.sub("", rows[each.row][each.end :]))


def _repeats(
    entry: Candidate, heading: Candidate, rows: Sequence[str], below: bool = False, named: bool = False
) -> bool:
    """Return True if a heading may be that of an entry of a table of contents: its number, and its name.

    Args:
        below: whether names may be on the line below their numbers.
        named: whether the number is enough.
    """
    if named or _key(entry) != _key(heading):
        return _key(entry) == _key(heading)
    name = _entry(rows, entry) or (compact(rows[entry.row + 1]) if below else "")
    above = rows[heading.row - 1] if heading.row not in (0, entry.row + 1) else ""
    words = "".join([above, rows[heading.row][heading.end :], *rows[heading.row + 1 : heading.row + 3]])
    return entry.depth < 0 or name in compact(words)
