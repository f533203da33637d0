"""A picture of the provisions around one as a small SVG: by levels, from act to standard, or by who cites whom."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

LEVELS = ("act", "decree", "rule", "standard")
"""Levels of laws, each of which carries out what the one before it delegates."""

WIDTH, HEIGHT, _GAP, _COLUMN = 210, 46, 12, 270
_LOOP = 36
"""Width of an arrow between two boxes of a column."""

_MOST = 10
_SIGNS = 29
"""Letters that fit a line of a box; one of Hangul or Han counts as two."""


class Box(NamedTuple):
    """A provision in the picture: the corner of its box, its docno and title, and its two lines."""

    x: int
    y: int
    docno: str
    title: str
    law: str
    label: str


class Picture(NamedTuple):
    """Boxes, arrows between them as paths, whether columns are levels, and the size of all."""

    boxes: list[Box]
    arrows: list[str]
    by_level: bool
    width: int
    height: int


def level_of(name: str) -> int:
    """Return the place of a level in :data:`LEVELS` (``decree_ind`` counts as ``decree``); -1 if it is not listed."""
    name = name.partition("_")[0]
    return LEVELS.index(name) if name in LEVELS else -1


def picture(nodes: Sequence[Mapping[str, Any]], links: Sequence[Mapping[str, str]]) -> Picture:
    """Return the picture of a neighbourhood.

    Provisions of several of :data:`LEVELS` stand in columns from act to standard, the chain of delegations. Else that
    of the first node is the middle column; who cites a provision stands left of it, and what it cites right of it. A
    column has ten at most.

    Args:
        nodes: ``docno, title, law, level``, nearest first; the first is the one in the middle.
        links: ``source, target``, both among the nodes.
    """
    if not nodes:
        return Picture([], [], False, 0, 0)
    column = {nodes[0]["docno"]: 0}
    for _ in range(2):
        for link in links:
            source, target = link["source"], link["target"]
            if source in column and target not in column:
                column[target] = column[source] + 1
            elif target in column and source not in column:
                column[source] = column[target] - 1
    level = {node["docno"]: level_of(node["level"]) for node in nodes if node["docno"] in column}
    levels = sorted({*level.values()})
    chain = len(levels) > 1 and levels[0] >= 0
    if chain:
        column = {docno: levels.index(place) for docno, place in level.items()}
    first = min(column.values())
    rows: dict[int, list[Mapping[str, Any]]] = {}
    for node in nodes:
        if node["docno"] in column and len(rows.setdefault(column[node["docno"]], [])) < _MOST:
            rows[column[node["docno"]]].append(node)
    tallest = max(map(len, rows.values()))
    height = tallest * (HEIGHT + _GAP) + _GAP
    boxes = {}
    for place, members in rows.items():
        top = (height - len(members) * (HEIGHT + _GAP) + _GAP) // 2
        for row, node in enumerate(members):
            x, y = (place - first) * _COLUMN + _GAP, top + row * (HEIGHT + _GAP)
            title, law = node["title"] or node["docno"], node["law"]
            label = title.removeprefix(law).strip() or title
            boxes[node["docno"]] = Box(x, y, node["docno"], title, shortened(law), shortened(label))
    arrows = [_arrow(boxes[one["source"]], boxes[one["target"]]) for one in links if {*one.values()} <= {*boxes}]
    width = (max(rows) - first) * _COLUMN + WIDTH + 2 * _GAP + _LOOP
    return Picture(list(boxes.values()), arrows, chain, width, height)


def shortened(text: str, most: int = _SIGNS) -> str:
    """Return as much of a text as fits a line."""
    width = 0
    for place, sign in enumerate(text):
        width += 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        if width > most:
            return f"{text[: max(0, place - 1)]}…"
    return text


def _arrow(source: Box, target: Box) -> str:
    """Return the path from the side of one box to the side of another."""
    if source.x == target.x:
        x = source.x + WIDTH
        a, b = source.y + HEIGHT // 2, target.y + HEIGHT // 2
        return f"M{x} {a} C{x + _LOOP} {a} {x + _LOOP} {b} {x} {b}"
    right = target.x > source.x
    x1, x2 = (source.x + WIDTH, target.x) if right else (source.x, target.x + WIDTH)
    y1, y2 = source.y + HEIGHT // 2, target.y + HEIGHT // 2
    middle = (x1 + x2) // 2
    return f"M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}"
