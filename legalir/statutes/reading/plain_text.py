"""Lines of plain text as parts of a unit: drawn tables become rows of cells, images their alternative text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from legalir.statutes.law import CELL, Law, Span, Unit

_DRAWN = re.compile(r"[ \t\u3000]*(?:[\u2500-\u257f]|\+[-=]{2}|\|.*\|[ \t]*$)|.*[\u2502\u2503]")
_EDGE = re.compile(r"[\u2502\u2503\u2551|]")
_RULE = re.compile(r"[\u2500-\u257f]{2}|[-=]{3}")
_LINE_SIGNS = re.compile(r"[\s\u2500-\u257f+=|-]*")
_IMAGE = re.compile(r"<img\b(?:[^>]*?\salt=\"(?P<alt>[^\">]*)\")?[^>]*>|</img>", re.IGNORECASE)
_FILE_NAME = re.compile(r"(?:img|image|그림)?[\s_-]*\d*(?:\.\w{3,4})?", re.IGNORECASE)


def lines(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield where the lines of a part of a text begin and end, without white space around them; no empty ones."""
    end = len(text) if end is None else end
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = text[start:stop]
        if bare := line.strip():
            first = start + line.index(bare[0])
            yield first, first + len(bare)
        start = stop + 1


def add_text(law: Law, unit: Unit, start: int, end: int) -> None:
    """Add a part of the text of a law to a unit, one line for each line.

    A table that is drawn with box characters becomes one line for each row, its cells separated by `CELL`; text that
    goes on in the same cell of the next line is joined. Text behind a label stays on its line. An image gives its
    alternative text, if that is no file name; else it is left out as ``image``.
    """
    table: list[tuple[int, int]] = []
    for line in lines(law.text, start, end):
        if _DRAWN.match(law.text[line[0] : line[1]]):
            table.append(line)
            continue
        _add_table(law, unit, table)
        table = []
        last = unit.content[-1] if unit.content else None
        if not (isinstance(last, Span) and last.role == "label"):
            unit.add_break()
        _add_line(law, unit, *line)
    _add_table(law, unit, table)


def note_images(law: Law) -> None:
    """Add a note to a law if images without words were left out."""
    images = sum(each.reason == "image" and law.text.startswith("<img", each.start) for each in law.left_out)
    if images:
        law.notes.append(f"{law.title}: images without words, left out: {images}.")


def _add_line(law: Law, unit: Unit, start: int, end: int) -> None:
    place = start
    for image in _IMAGE.finditer(law.text, start, end):
        unit.add(place, image.start())
        alt = image["alt"] or ""
        if not _FILE_NAME.fullmatch(alt.strip()):
            unit.add(*image.span("alt"))
            law.leave_out(image.start(), image.end(), "markup")
        else:
            law.leave_out(image.start(), image.end(), "image")
        place = image.end()
    unit.add(place, end)


def _add_table(law: Law, unit: Unit, rows: list[tuple[int, int]]) -> None:
    cells: list[list[Span]] = []
    for start, end in rows:
        line = law.text[start:end]
        if _LINE_SIGNS.fullmatch(line):
            _add_row(law, unit, cells)
            cells = []
            continue
        edges = [start + match.start() for match in _EDGE.finditer(line)]
        places = [start - 1, *edges, end]
        pieces = [_cell(law.text, first + 1, last) for first, last in pairwise(places)]
        if edges and edges[0] == start:
            pieces = pieces[1:]
        if edges and edges[-1] == end - 1:
            pieces = pieces[:-1]
        if _RULE.search(line) or (cells and len(pieces) != len(cells)):
            _add_row(law, unit, cells)
            cells = []
        cells = cells or [[] for _ in pieces]
        for cell, piece in zip(cells, pieces, strict=True):
            cell += piece
    _add_row(law, unit, cells)
    if rows:
        law.leave_out(rows[0][0], rows[-1][1], "lines of a drawn table")


def _cell(text: str, start: int, end: int) -> list[Span]:
    """Return the text of a piece of a cell, followed by a blank if the line does not fill the cell."""
    bare = text[start:end].strip(" \t\u3000\u2500\u2501\u2510\u2518\u2524\u2528\u252b")
    if not bare or _LINE_SIGNS.fullmatch(bare):
        return []
    first = text.index(bare, start)
    last = first + len(bare)
    return [Span(first, min(last + 1, end) if text[last : last + 1].isspace() else last)]


def _add_row(law: Law, unit: Unit, cells: list[list[Span]]) -> None:
    if not any(cells):
        return
    unit.add_break()
    for place, cell in enumerate(cells):
        if place:
            unit.add_break(CELL)
        for span in cell:
            _add_line(law, unit, span.start, span.end)
