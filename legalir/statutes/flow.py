"""The text of elements as the text of a unit: lines, lists, tables with merged cells, images, links, what is left out.

Each format says by the names of its elements what they are (`Names`); what needs more than its name has a function.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from legalir.statutes.law import BREAK, CELL, GivenLink, Law, LeftOut, Span, Unit
from legalir.statutes.markup import Markup, attribute, local

if TYPE_CHECKING:
    from lxml import etree

_LONGEST_REPEATED = 120
_WIDEST, _HIGHEST = 200, 2000


class Names(NamedTuple):
    """What the elements of a format are, by their local names.

    Attributes:
        blocks: begin and end a line.
        breaks: are a line break.
        spaced: a blank stands before and after them.
        numbers: numbers, which the next text follows on the same line; they are among `spaced`.
        tables: tables.
        rows: rows of a table.
        cells: cells of a row.
        images: images; their text is the attribute ``alt``.
        left_out: belong to no unit, with the reason.
    """

    blocks: frozenset[str]
    breaks: frozenset[str] = frozenset({"br", "BR", "eol"})
    spaced: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    tables: frozenset[str] = frozenset({"table", "TBL"})
    rows: frozenset[str] = frozenset({"tr", "row", "ROW"})
    cells: frozenset[str] = frozenset({"td", "th", "entry", "CELL"})
    images: frozenset[str] = frozenset({"img", "IMG"})
    left_out: Mapping[str, str] = {}


class Flow:
    """Writes elements into units.

    Args:
        law: the law.
        markup: the parsed file, or a part of it.
        names: what its elements are.
        special: called with the unit, the element, and whether it stands in a cell; returns whether it wrote it.
        links: returns the law, the key and the kind of each unit that an element links to.
        without: places in the text of the law that belong to no unit, in order, such as editor's marks, and the reason.
        at: where the text of `markup` starts in the text of the law.
    """

    def __init__(
        self,
        law: Law,
        markup: Markup,
        names: Names,
        special: Callable[[Unit, etree._Element, bool], bool] | None = None,
        links: Callable[[etree._Element], Iterable[tuple[str, str, str]]] | None = None,
        without: Sequence[LeftOut] = (),
        at: int = 0,
    ) -> None:
        self.law, self.markup, self.names, self.at = law, markup, names, at
        self._special, self._links, self._without = special, links, without
        self._joined = self._opened = False

    def inside(self, unit: Unit, element: etree._Element, cell: bool = False) -> None:
        """Add what stands in an element.

        Args:
            unit: that it is added to.
            element: the element.
            cell: whether it stands in a cell of a table, where a line break is a blank.
        """
        self.text(unit, self.markup.own(element))
        for child in element:
            self.element(unit, child, cell)
            self.text(unit, self.markup.tail(child))

    def element(self, unit: Unit, element: etree._Element, cell: bool = False) -> None:
        """Add an element, without the text after it."""
        name, names = local(element), self.names
        if self._special is not None and self._special(unit, element, cell):
            return
        if name in names.left_out:
            self.leave_out(element, names.left_out[name])
        elif name in names.images:
            unit.content.append(f" [{attribute(element, 'alt') or 'image'}] ")
            self.leave_out(element, "image")
        elif name in names.breaks:
            self.line(unit, cell)
            self.inside(unit, element, cell)
        elif name in names.tables and not cell:
            self.line(unit, cell)
            self._table(unit, element)
            self.line(unit, cell)
        elif name in names.blocks or name in names.rows:
            self.line(unit, cell)
            self._linked(unit, element, cell)
            self.line(unit, cell)
        elif name in names.spaced or name in names.cells:
            if not self._opened:
                unit.content.append(" ")
            self._linked(unit, element, cell)
            unit.content.append(" ")
            self._joined = self._joined or name in names.numbers
        else:
            self._linked(unit, element, cell)

    def title(self, unit: Unit, element: etree._Element, role: Literal["label", "heading"]) -> str:
        """Add an element as the label or heading of a unit, and return its words without what is left out.

        Args:
            unit: the unit.
            element: the element.
            role: of the spans.
        """
        holder = Unit("law")
        self.inside(holder, element, cell=True)
        for span in holder.spans():
            unit.add(span.start, span.end, role)
        unit.links += holder.links
        self._joined = True
        return " ".join(self.law.render(holder).split())

    def text(self, unit: Unit, place: tuple[int, int]) -> None:
        """Add a part of the text of `markup`, but for what is left out of it."""
        start, end = place[0] + self.at, place[1] + self.at
        if self._opened and self.markup.text[slice(*place)].isspace():
            return
        if start < end:
            self._joined = self._joined and self.markup.text[slice(*place)].isspace()
            self._opened = False
        for gap in self._without[bisect_left(self._without, start, key=lambda each: each.start) :]:
            if gap.start >= end:
                break
            unit.add(start, gap.start)
            self.law.leave_out(*gap)
            start = gap.end
        unit.add(start, end)

    def span(self, element: etree._Element) -> tuple[int, int]:
        """Return where an element starts and ends in the text of the law."""
        start, end = self.markup.span(element)
        return start + self.at, end + self.at

    def leave_out(self, element: etree._Element, reason: str) -> None:
        """Say that an element belongs to no unit."""
        self.law.leave_out(*self.span(element), reason)

    def line(self, unit: Unit, cell: bool = False) -> None:
        """Begin a new line, but not right after a number or an opening quotation mark; in a cell, add a blank."""
        if not self._opened:
            unit.add_break(" " if cell or self._joined else BREAK)

    def join(self, unit: Unit, sign: str) -> None:
        """Add a sign that the next text follows on the same line."""
        unit.content.append(sign)
        self._joined = self._opened = True

    def close(self, unit: Unit, sign: str) -> None:
        """Add a sign right after the last visible text of a unit."""
        place = len(unit.content)
        while place and not self._is_visible(unit.content[place - 1]):
            place -= 1
        unit.content.insert(place, sign)

    def _is_visible(self, part: Span | Unit | str) -> bool:
        if isinstance(part, Span):
            return not self.markup.text[part.start - self.at : part.end - self.at].isspace()
        return isinstance(part, Unit) or not part.isspace()

    def _linked(self, unit: Unit, element: etree._Element, cell: bool) -> None:
        self.add_links(unit, element)
        self.inside(unit, element, cell)

    def add_links(self, unit: Unit, element: etree._Element) -> None:
        """Add the links of an element, but not of the elements in it."""
        if self._links is not None:
            unit.links += [GivenLink(*self.span(element), *target) for target in self._links(element)]

    def _table(self, unit: Unit, element: etree._Element) -> None:
        """Add an element that holds rows: each row is a line; a short cell that spans rows stands in each of them."""
        written: set[etree._Element] = set()
        grid = dict(_grid(element, self.names))
        self._rows(unit, element, grid, written)

    def _rows(
        self,
        unit: Unit,
        element: etree._Element,
        grid: Mapping[etree._Element, list[etree._Element]],
        written: set[etree._Element],
    ) -> None:
        self.text(unit, self.markup.own(element))
        for child in element:
            if child in grid:
                self._row(unit, child, grid[child], written)
            elif local(child) not in self.names.left_out and any(each in grid for each in child.iterdescendants()):
                self._rows(unit, child, grid, written)
            else:
                self.line(unit)
                self.element(unit, child)
                self.line(unit)
            self.text(unit, self.markup.tail(child))

    def _row(self, unit: Unit, row: etree._Element, cells: list[etree._Element], written: set[etree._Element]) -> None:
        self.line(unit)
        self.text(unit, self.markup.own(row))
        for position, cell in enumerate(cells):
            if position:
                unit.content.append(CELL)
            if cell not in written:
                written.add(cell)
                self.inside(unit, cell, cell=True)
            elif len(self.markup.words(cell)) <= _LONGEST_REPEATED:
                self._repeat(unit, cell)
        for child in row:
            if child not in written:
                self.element(unit, child)
            self.text(unit, self.markup.tail(child))
        self.line(unit)

    def _repeat(self, unit: Unit, cell: etree._Element) -> None:
        holder = Unit("law")
        left_out = len(self.law.left_out)
        self.inside(holder, cell, cell=True)
        del self.law.left_out[left_out:]
        unit.content += holder.content


def _grid(table: etree._Element, names: Names) -> Iterator[tuple[etree._Element, list[etree._Element]]]:
    """Yield each row of a table, and its cells from left to right, those that span it from above included."""
    columns: dict[str, int] = {}
    above: dict[int, tuple[etree._Element, int]] = {}
    for element in table.iterdescendants():
        name = local(element)
        if name == "tgroup":
            columns, above = {}, {}
        elif name == "colspec":
            columns[attribute(element, "colname")] = len(columns)
        elif name in names.rows and not any(local(each) in names.cells for each in _until(element, table)):
            line = {column: cell for column, (cell, rows) in above.items() if rows > 0}
            above = {column: (cell, rows - 1) for column, (cell, rows) in above.items() if rows > 1}
            column = 0
            for cell in element:
                if local(cell) in names.cells:
                    column = _place(cell, columns, column, line)
                    width, rows = _size(cell, columns)
                    for each in range(column, column + width):
                        line[each] = cell
                        if rows > 1:
                            above[each] = cell, rows - 1
                    column += width
            yield element, list(dict.fromkeys(line[column] for column in sorted(line)))


def _until(element: etree._Element, end: etree._Element) -> Iterator[etree._Element]:
    for each in element.iterancestors():
        if each is end:
            return
        yield each


def _place(cell: etree._Element, columns: Mapping[str, int], column: int, line: Mapping[int, etree._Element]) -> int:
    name = attribute(cell, "namest") or attribute(cell, "colname")
    if name in columns and columns[name] not in line:
        return columns[name]
    formex = attribute(cell, "COL")
    if formex.isdecimal() and 0 < int(formex) <= _WIDEST and int(formex) - 1 not in line:
        return int(formex) - 1
    while column in line:
        column += 1
    return column


def _size(cell: etree._Element, columns: Mapping[str, int]) -> tuple[int, int]:
    first, last = columns.get(attribute(cell, "namest")), columns.get(attribute(cell, "nameend"))
    width = last - first + 1 if first is not None and last is not None else _count(cell, "colspan", "COLSPAN")
    rows = _count(cell, "morerows") + 1 if attribute(cell, "morerows") else _count(cell, "rowspan", "ROWSPAN")
    return min(max(width, 1), _WIDEST), min(max(rows, 1), _HIGHEST)


def _count(cell: etree._Element, *names: str) -> int:
    value = next(filter(None, (attribute(cell, name) for name in names)), "")
    return int(value) if value.isdecimal() and len(value) < 6 else 1
