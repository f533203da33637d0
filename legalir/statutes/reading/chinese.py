"""What readers of Chinese laws share: paragraphs (款, 項), items such as 一、 and （一）, and dates.

A paragraph is counted, not numbered: the second line of an article without a mark is its paragraph 2. In an article of
one paragraph the items are directly in the article, because they are cited so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from legalir.references.numbering import number_of
from legalir.statutes.dates import iso_day
from legalir.statutes.law import Law, Unit

Line = list[tuple[int, int]]
"""A line as pieces of the text of a law: more than one if the source breaks a sentence."""

_HAN = "〇零○一二三四五六七八九十百千"
_SPACED = re.compile(r"(?<=[\u3400-\u9fff])[ \t\u3000]+(?=[\u3400-\u9fff])")
_DATE = re.compile(rf"(?:民國\s*)?[\d{_HAN}]{{1,9}}\s*年\s*[\d{_HAN}]{{1,9}}\s*月\s*[\d{_HAN}]{{1,9}}\s*日")


def heading_of(words: str) -> str:
    """Return a heading without the blanks that set its characters apart: ``总 则`` is ``总则``."""
    return _SPACED.sub("", " ".join(words.split()))


def dates_in(text: str) -> list[str]:
    """Return the dates in a text as ISO dates, and empty strings for impossible dates such as 31 February."""
    return [iso_day(match[0]) for match in _DATE.finditer(text)]


def add_paragraphs(law: Law, article: Unit, lines: Sequence[Line], marks: Sequence[str], levels: Sequence[str]) -> None:
    """Add the lines of an article as paragraphs, items and subitems.

    Args:
        law: the law.
        article: the article.
        lines: its lines.
        marks: expressions of the marks of items, subitems and deeper ones.
        levels: names of the levels: paragraph, item, subitem.
    """
    text = law.text
    opens = [_mark(text[line[0][0] : line[-1][1]], marks) for line in lines]
    several = sum(depth is None for depth in opens) > 1
    holder = article
    stack: list[tuple[int, Unit]] = []
    count = 0
    for line, depth in zip(lines, opens, strict=True):
        if depth is None:
            stack.clear()
            count += 1
            if several:
                holder = Unit("paragraph", levels[0], str(count))
                article.content.append(holder)
            else:
                holder.add_break()
            _add(holder, line)
            continue
        place, width = depth
        while stack and stack[-1][0] >= place:
            stack.pop()
        start = line[0][0]
        label = text[start : start + width].strip()
        unit = Unit("subitem" if place else "item", levels[min(place + 1, len(levels) - 1)], number_of(label), label)
        (stack[-1][1] if stack else holder).content.append(unit)
        stack.append((place, unit))
        unit.add(start, start + width, "label")
        _add(unit, [(start + width, line[0][1]), *line[1:]])


def _add(unit: Unit, line: Line) -> None:
    for start, end in line:
        unit.add(start, end)


def _mark(line: str, marks: Sequence[str]) -> tuple[int, int] | None:
    for place, form in enumerate(marks):
        if match := re.match(form, line):
            return place, match.end()
    return None
