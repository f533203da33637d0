"""Headings that stand on lines of their own, above, below or beside the numbers of their units."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from legalir.statutes.jurisdictions import Jurisdiction
from legalir.statutes.reading.headings import HAN, OF_ACT, OF_PROVISION, Layout
from legalir.statutes.reading.plain_text import CUT_OFF
from legalir.statutes.reading.rows import (
    CAPTION,
    CUT_LINES,
    ENDS,
    LEAST_WIDTH,
    LONGEST_TITLE,
    MARKS,
    NOTES,
    RELATED,
    SENTENCE,
    SHORT,
    STOPS,
    is_caption,
    is_change,
    is_inside,
    is_name,
    is_prose,
    is_title,
    of_kind,
    quoted_rows,
    without_last_stop,
    words_behind,
)
from legalir.statutes.reading.sequence import PARTS, SUPERSCRIPTS, Chosen, parts_above

BELOW = 1000
"""Depth of the first level below an article; tables of jurisdictions are shorter."""

TEXT_CLOSED = re.compile(rf"(?:\]|\)\))[{SUPERSCRIPTS}]*\s*$")

_MARK_OF_PARAGRAPH = re.compile(r"\s*[(（]?(?:\d{1,3}[a-z]?|[a-z]{1,2}|[ivx]{1,5})[.)）°]\)?\s")

_FIRST_ITEM = re.compile(r"\s*(?:1[.)]|[(（]?a[.)）])\s")

_DASHED = re.compile(
    r"(?P<heading>[^\W\d_](?:[^.;:—–]{1,120}(?=\.?\s?[—–])|[^.—–]{1,160}(?=\.[—–])))\.?\s?[—–]\s?(?=[(\w“\"])"
)
"""A heading that a dash parts from the text: ``Short title.—(1) This Act …``."""

_BEGUN = re.compile(r"\(\w{1,3}\)|\d{1,2}[.)]\s|[“\"]|[^\W\d_]")
"""The begin of a sentence."""

_NUMBERED_GROUP = re.compile(r"\s*(?:[IVX]{1,5}|[A-H])\.\s+[^\W\d_]")
"""A heading that only a Roman number or a letter numbers: ``III. Gebühren``."""

_OFTEN = 3
"""So often a heading such as *Notes* comes that belongs to the article before it."""

_UNREAD = re.compile(rf"[§|]|\bart\w{{0,6}}\.?\s?\d|제\s?\d+\s?조|第\s?[\d{HAN}]+\s?[条條]", re.IGNORECASE)
"""An article in a heading, or a cell: it is no group."""

_SOURCE = re.compile(r"\s*\(?(?:1[89]|20)\d\d, c\. \d")
"""What stands below a section in the statutes of Québec: ``1970, c. 12, a. 1.``"""

_POINTS = re.compile(r"\s*(?:\.\s?){3}")
"""What stands in place of a text that is gone."""

PROVISION = re.compile(
    r"(?:Section|Regulation|Article|Rule|Paragraph)s?\s\d(?:[\d(), ]|(?<=[\d(])[a-z]{1,5}|(?<=\s)(?:and|or|to)(?=\s))*",
    re.IGNORECASE,
)
"""The provision below the word for an annex: ``SCHEDULE 1``, ``Section 2``."""

_INSIDE_SENTENCE = re.compile(r"\s*[a-zà-öø-ÿ]+\s[^\W\d_]")
"""A line that goes on a sentence."""


class _Titles(NamedTuple):
    """Where the headings of units are that are not behind their numbers, by the row of the number.

    Attributes:
        above: the row above.
        below: the row after the last one below.
        dotted: whether a short sentence behind the number is the heading, as in ``1. Short title.``
        seldom: whether paragraphs stand between blank lines, and few articles have what looks as a heading behind
            their number: it is a line of text.
        full: rows that may be cut off, where few articles have a heading that is not.
        cross: rows of headings without a number that several articles share.
        named: whether most articles have a heading behind their number.
    """

    above: dict[int, int]
    below: dict[int, int]
    dotted: bool
    seldom: bool
    full: frozenset[int]
    cross: frozenset[int]
    named: bool


def titles_of(
    rows: Sequence[str],
    plan: Layout,
    table: Jurisdiction,
    marked: Mapping[int, int] = MappingProxyType({}),
    alone: Sequence[int] = (),
    full: frozenset[int] = frozenset(),
) -> _Titles:
    """Return where headings are, by the habit of the file.

    Args:
        marked: rows that it marks as headings, with their level.
        alone: rows between blank lines.
        full: rows of :func:`full_rows`.
    """

    quoted = set() if quoted_rows(rows) & plan.headings.keys() else quoted_rows(rows)

    def free(row: int) -> bool:
        return 0 <= row < len(rows) and not (row in plan.headings or row in plan.contents or row in quoted)

    def is_short(row: int) -> bool:
        short = len(rows[row].split()) <= SHORT and not rows[row].rstrip().endswith(SENTENCE)
        return short and not any(map(str.isdigit, rows[row]))  # The highest fine is £200; Vom 1. Juli 2012

    def begins_text(row: int) -> bool:
        if not free(row) or is_name(rows[row]):
            return False
        mark = next(filter(None, (form.match(rows[row]) for form in MARKS.values())), None)
        return rows[row][mark.end() if mark else 0 :].lstrip()[:1].isupper()

    def begins_list(row: int) -> bool:
        return free(row) and _FIRST_ITEM.match(rows[row]) is not None

    def followed(row: int) -> bool:
        return free(row) or row in lower

    articles = [row for row, each in plan.headings.items() if each.candidate.kind == "article"]
    top = min((plan.headings[row].candidate.depth for row in articles if table.lang == "de"), default=BELOW)
    lower = {row for row, each in plan.headings.items() if each.candidate.kind == "paragraph"}
    lower |= {row for row, each in plan.headings.items() if each.candidate.depth > top}  # in Artikel
    behind = {row: words_behind(rows[row], plan.headings[row].candidate) for row in plan.headings}
    behind = {
        row: "" if OF_ACT.match(f" {words}") or is_change(words) or not any(map(str.isalpha, words)) else words
        for row, words in behind.items()
    }
    bare = [
        row for row in articles if not behind[row] and not _POINTS.match(rows[row], plan.headings[row].candidate.end)
    ]
    names = {row: rows[row + 1] for row in bare if free(row + 1)}
    names = {
        row: each if plan.headings[row].candidate.series else without_last_stop(each) for row, each in names.items()
    }
    titled = [row for row, name in names.items() if is_title(name) and followed(row + 2)]
    titled = [row for row in titled if not (free(row + 2) and _INSIDE_SENTENCE.match(rows[row + 2]))]
    seen = [row for row in titled if row + 1 not in full]
    titled = titled if len(seen) * 2 >= len(bare) - len(titled) + len(seen) else seen
    live = len(articles) - sum(table.is_repealed(behind[row] or names.get(row, "")) for row in articles)
    below = {row: row + 2 for row in titled} if len(titled) * 2 >= len(bare) else {}
    below |= {row: row + 2 for row in bare if free(row + 1) and CAPTION.fullmatch(rows[row + 1].strip())}

    captions = [row for row in articles if free(row - 1) and CAPTION.fullmatch(rows[row - 1].strip())]
    captions = captions if table.heading_in_brackets or len(captions) * 3 > live * 2 else []
    with_caption = {*captions}

    def is_named(row: int) -> bool:
        """Return True if the row below is a name and not all that the unit holds."""
        own, following = plan.headings[row].candidate, plan.headings.get(row + 2)
        name = rows[row + 1] if row + 1 < len(rows) else ""
        if rows[row].rstrip().endswith(".") and not behind[row] and own.level != "provision":  # PART I.
            ends = own.kind == "annex" or (own.kind == "group" and {row + 2, row + 3} & plan.headings.keys())
            name = without_last_stop(name) if ends else name
        if own.kind == "annex" and PROVISION.fullmatch(name.rstrip(" .")):
            name = name.rstrip(" .")
        if not free(row + 1) or not is_name(name) or row + 2 == len(rows) or row + 2 in with_caption:
            return False
        if own.kind == "supplement" and table.lang == "ja" and is_caption(name):  # of its paragraph 1
            return False
        of_provision = RELATED.fullmatch(behind[row]) or OF_PROVISION.match(f" {behind[row]}")
        if own.kind == "annex" and of_provision:  # Anlage 1 (zu § 1)
            return is_title(rows[row + 1]) and not any(map(str.isdigit, rows[row + 1]))
        if behind[row].strip("]】〕>〉 "):
            return False
        return following is None or following.candidate.depth > own.depth

    groups = [row for row, each in plan.headings.items() if each.candidate.kind not in ("article", "paragraph")]
    groups += [row for row in articles if top < BELOW and {row + 2, row + 3} & lower - {row + 1}]
    groups = [row for row in groups if is_named(row)]
    below |= {row: row + 2 for row in groups}
    for row in groups:  # The provision that an annex is about, and then its name.
        of_annex = plan.headings[row].candidate.kind == "annex" and PROVISION.fullmatch(rows[row + 1].strip(" ."))
        noted = (
            (NOTES.fullmatch(rows[row + 1]) or of_annex)
            and free(row + 2)
            and is_name(without_last_stop(rows[row + 2]) if rows[row + 1].endswith(".") else rows[row + 2])
            and row + 3 < len(rows)
        )
        if noted and (free(row + 3) or plan.headings[row + 3].candidate.depth > plan.headings[row].candidate.depth):
            below[row] = row + 3
    taken = {each for row, end in below.items() for each in range(row + 1, end)}
    above: dict[int, int] = {}
    dotted = tight = False
    if captions or table.heading_in_brackets:
        above = {row: row - 1 for row in captions}
    else:
        few = [row for row in articles if behind[row].endswith(".") and len(behind[row].split()) <= SHORT]
        few = [row for row in few if not behind[row].startswith("(1)")]
        texts = (row + 1 if not (free(row + 1) and is_name(rows[row + 1])) else row + 2 for row in few)
        headed = {row for row, at in zip(few, texts, strict=True) if free(at) and not is_name(rows[at])}
        headed -= {row for row in headed if _SOURCE.match(rows[row + 1])}
        headed |= {row for row in articles if dashed_heading(behind[row])}
        dotted = len(headed) > 1 and len(headed) * 3 >= live * 2
        tight = dotted and 2 * len(headed & {*alone}) < len(headed)
        over = [row for row in articles if free(row - 1) and row - 1 not in taken]
        # Notes beside numbered sections end in a full stop.
        bare_number = {row: not plan.headings[row].candidate.series and bool(behind[row]) for row in over}
        over = [
            row for row in over if is_title(without_last_stop(rows[row - 1]) if bare_number[row] else rows[row - 1])
        ]
        over = [row for row in over if row not in below and not _is_named(behind[row], rows, row, full)]
        over = [row for row in over if not _NUMBERED_GROUP.match(rows[row - 1])] or over
        if not dotted and len(over) > 1 and len(over) * 3 >= live * 2:
            # What is behind such a number begins a list: § 2. In this Act, 1. ship: …
            others = {*articles} - {*over, *below}
            lists = [row for row in articles if row in others and begins_list(row + 1)]
            over += [row for row in lists if free(row - 1) and row - 1 not in taken and is_title(rows[row - 1])]
            above = {row: row - 1 for row in over}
    for row in groups:  # A name may take two lines, if an article follows.
        two = free(row + 2) and is_name(rows[row + 2]) and row + 3 in lower | {*articles}
        two = two and row + 2 not in above.values() and marked.get(row + 1) == marked.get(row + 2)
        if two and rows[row + 1].isupper() == rows[row + 2].isupper():
            below[row] = row + 3
    if not (above or dotted):  # § 1, Aim, This Act …: a line of text ends in a stop.
        below |= {row: row + 2 for row in seen if is_short(row + 1) and begins_text(row + 2)}
    taken = {each for row, end in below.items() for each in range(row, end)} | {*plan.headings}
    parts = of_kind((each.candidate for each in plan.headings.values()), "group")
    last_of_parts = {below.get(each.row, each.row + 1) - 1 for each in parts if each.level != "provision"}
    cross, has_above = set[int](), bool(above)
    for row in articles:
        at = above.get(row, row) - 1  # II. FEES, Amount, Article 3
        numbered = None if _NUMBERED_GROUP.match(rows[max(at - 1, -1)]) else _NUMBERED_GROUP.match(rows[max(at, 0)])
        own = has_above or row in below or dotted or (behind[row] and not is_prose(behind[row]))
        ends = (
            (numbered and (at < 1 or rows[at].isupper()))
            or at - 1 in {*taken, *plan.contents}
            or rows[max(at - 1, 0)].endswith((*STOPS, "]") if numbered else (*SENTENCE, "]"))
        )
        amount = not numbered and any(map(str.isdigit, rows[at]))  # The highest fine is £200
        fits = free(at) and at not in taken and not amount and is_title(rows[at]) and bool(numbered or not has_above)
        if fits and (own or rows[at].isupper()) and ends and (unnumbered_level(table) >= 0 or numbered):
            cross.add(at)
        elif fits and at - 1 in last_of_parts and not (own or rows[at].isupper() or numbered or at in marked):
            above[row] = at  # A part has no text of its own.
    first_rows = {*articles, *above.values()} - {*above}
    heads = [
        row
        for row in alone
        if row + 1 in first_rows and free(row) and row not in taken and is_title(rows[row]) and is_short(row)
    ]
    ended = taken - {*articles}
    cross |= {row for row in heads if row and (row - 1 in ended or rows[row - 1].endswith((*SENTENCE, "]")))}
    others = {rows[row].isupper() for row in cross & {*heads}}
    # The first one, below the preamble.
    cross |= {row for row in heads if row + 1 == min(first_rows) and rows[row].isupper() in others}
    taken = {each for row, end in below.items() for each in range(row, end)} | {*above.values(), *plan.headings}
    end = min((row for row, each in plan.headings.items() if each.candidate.depth < 0), default=len(rows))
    begun, often = min(plan.headings, default=len(rows)), Counter(rows[row] for row in marked)
    opened = min(first_rows, default=-1) if begun in articles else -1
    shared = {marked[row] for row in marked if row > begun and free(row) and row not in taken}
    every = sorted({*marked, *parts_above(rows, articles)})
    every = _without_paragraphs(rows, every, {*plan.headings, *above.values()})
    for row in every:
        words, own = rows[row].strip(), row < end and free(row) and row not in taken
        first = {*range(row, begun)} <= {*every} and (_NUMBERED_GROUP.match(words) or PARTS.match(words)) is not None
        first = first or (row + 1 == opened and marked.get(row) in shared)
        own = own and (begun < row or first)
        named = len(words) <= LONGEST_TITLE and not words.endswith(ENDS) and not _UNREAD.search(words)
        if own and named and often[rows[row]] < _OFTEN and not table.is_repealed(words):
            cross.add(row)
    with_name = [row for row in articles if _is_named(behind[row], rows, row, full)]
    seldom = (
        not tight and len(alone) * 2 > len(articles) and len(with_name) * 2 < sum(bool(behind[row]) for row in articles)
    )
    without = [row for row in articles if behind[row] and not _is_named(behind[row], rows, row, ())]
    return _Titles(
        *(above, below, dotted, seldom, frozenset() if len(with_name) > len(without) else full, frozenset(cross)),
        named=2 * len(with_name) > len(articles),
    )


def _without_paragraphs(rows: Sequence[str], marked: Sequence[int], headings: Container[int]) -> list[int]:
    """Return marked rows without those with a mark such as ``(a)`` that is seldom above a heading: paragraphs."""
    parts, every = defaultdict[str, list[int]](list), {*marked}
    for row in marked:
        if row not in headings and (mark := _MARK_OF_PARAGRAPH.match(rows[row])):
            parts[re.sub("[a-z]+", "a", re.sub(r"\d+", "0", mark[0].strip()))].append(row)

    above = set[int]()
    for row in sorted(every, reverse=True):
        if row + 1 in headings or row + 1 in above:
            above.add(row)
    gone = {row for same in parts.values() if 2 * sum(row in above for row in same) < len(same) for row in same}
    return [row for row in marked if row not in gone]


def unnumbered_level(table: Jurisdiction) -> int:
    """Return the place of the level of headings without a number, or -1."""
    levels = (place for place, level in enumerate(table.levels) if level.kind == "group" and not level.forms)
    return next(levels, -1)


def _is_named(behind: str, rows: Sequence[str], row: int, full: Container[int]) -> bool:
    """Return True if what is behind the number of an article may be its heading, and not the begin of its text."""
    goes_on = row in full or (row + 1 < len(rows) and (is_inside(rows[row + 1]) or CUT_OFF.search(behind)))
    text = is_prose(TEXT_CLOSED.sub("", behind))
    return bool(behind) and not (text or goes_on or any(form.match(behind) for form in MARKS.values()))


def full_rows(rows: Sequence[str], headings: Mapping[int, Chosen], ended: Container[int]) -> frozenset[int]:
    """Return the rows that are so long that the next word would not fit: their sentence may go on in the next row.

    How long they are is told by the rows inside of sentences; if these are of many lengths, nobody has cut the lines
    at one.

    Args:
        headings: rows that begin a unit.
        ended: rows before a blank line.
    """

    def wide(row: int) -> int:
        return len(rows[row].rstrip()) + 1 + len(rows[row + 1].split(maxsplit=1)[0])

    def inside(row: int) -> bool:
        after = rows[row + 1].lstrip()
        above = headings.get(row - 1)
        text = row not in headings and (above is None or bool(words_behind(rows[row - 1], above.candidate)))
        text = text or after[:1].islower()
        return text and not (rows[row].rstrip().endswith(ENDS) or any(form.match(after) for form in MARKS.values()))

    pairs = [row for row in range(len(rows) - 1) if row not in ended and row + 1 not in headings]
    cut = [row for row in pairs if inside(row)]
    lengths = sorted(len(rows[row].rstrip()) for row in cut)
    width = lengths[len(lengths) * 9 // 10] if len(lengths) >= CUT_LINES else 0
    if width < LEAST_WIDTH or sum(wide(row) > width for row in cut) * 4 < len(cut) * 3:
        return frozenset()
    return frozenset(row for row in pairs if wide(row) > width)


def dashed_heading(words: str, start: int = 0) -> re.Match[str] | None:
    """Return the heading that a dash parts from the text; the dash stands behind a full stop, or before a sentence."""
    match = _DASHED.match(words, start)
    begun = match and _BEGUN.match(words, match.end())
    behind_stop = match and match[0].endswith((".—", ".–"))
    return match if behind_stop or (begun and not begun[0][0].islower()) else None
