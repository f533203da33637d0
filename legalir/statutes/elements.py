"""Elements of an XML or HTML file as units of a law: a format says what each name means, the rest is common ground."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal

from legalir.errors import DataError
from legalir.statutes.law import BREAK, CELL, GivenLink, Law, Span, Unit
from legalir.statutes.markup import Markup, attribute, local
from legalir.statutes.numbering import number_of

if TYPE_CHECKING:
    from lxml import etree

Role = Literal["text", "label", "heading"]

Rule = Callable[["Elements", "etree._Element", Unit, Role], None]
"""Reads an element into the open unit; the role is that of the text around it."""

JOIN = ""
"""Stands where the next text stays in the line, though it would begin one."""

DEEPEST = 100
"""Elements that may nest in each other; real laws have fewer than 40."""

_REPEATED = 80
"""Characters of the longest merged cell that is repeated in each row it stands beside."""


class Elements:
    """Reads elements into units.

    Args:
        markup: the file.
        law: the law; what belongs to no unit is left out there.
        units: rules of the elements that open a unit. Inside text of another act (:meth:`quote`) they open none.
        rules: rules of the other elements; an element without a rule is a part of the line.
        spaces: whether white space between elements is text; False for scripts that write no spaces.
    """

    def __init__(
        self, markup: Markup, law: Law, units: Mapping[str, Rule], rules: Mapping[str, Rule], spaces: bool = True
    ) -> None:
        self.markup, self.law = markup, law
        self._units, self._rules, self._spaces = units, rules, spaces
        self._merged: dict[int, tuple[int, list[Span | Unit | str]]] = {}
        self._columns: list[str] = []
        self.quoting = self.in_cell = False
        self._depth = 0

    def read(self, element: etree._Element, unit: Unit, role: Role = "text") -> None:
        """Read an element by the rule of its name.

        Raises:
            DataError: elements nest too deeply.
        """
        name = local(element)
        if self._depth >= DEEPEST:
            line = f", line {element.sourceline}" if element.sourceline else ""
            raise DataError(f"{self.markup.name}{line}: more than {DEEPEST} elements nest in each other.")
        self._depth += 1
        rule = block if self.quoting and name in self._units else self._units.get(name) or self._rules.get(name)
        if rule is None:
            self.inside(element, unit, role)
        else:
            rule(self, element, unit, role)
        self._depth -= 1

    def inside(self, element: etree._Element, unit: Unit, role: Role = "text") -> None:
        """Read the text and the elements inside an element."""
        self.add(unit, *self.markup.own(element), role)
        for child in element:
            self.read(child, unit, role)
            self.add(unit, *self.markup.tail(child), role)

    def add(self, unit: Unit, start: int, end: int, role: Role = "text") -> None:
        """Add text; white space at the start of a line is dropped."""
        within = self._spaces and unit.content and isinstance(unit.content[-1], Span)
        if within or not self.markup.text[start:end].isspace():
            unit.add(start, end, role)

    def enter(self, element: etree._Element, holder: Unit, unit: Unit) -> Unit:
        """Read an element as a unit inside another one, and name it by its label and heading."""
        holder.content.append(unit)
        self.inside(element, unit)
        self.name(unit)
        return unit

    def name(self, unit: Unit) -> None:
        """Set label, heading and number of a unit by its spans, where they are not set."""
        unit.label = unit.label or self._words(unit, "label")
        unit.heading = unit.heading or self._words(unit, "heading")
        unit.number = unit.number or number_of(unit.label)

    def _words(self, unit: Unit, role: Role) -> str:
        spans = (part for part in unit.content if isinstance(part, Span) and part.role == role)
        return " ".join(" ".join(self.markup.text[span.start : span.end] for span in spans).split())

    def line(self, unit: Unit) -> None:
        """Begin a line, unless nothing but a label or a heading stands in this one."""
        last = unit.content[-1] if unit.content else BREAK
        if last not in (BREAK, JOIN) and not isinstance(last, Unit) and not self.untouched(unit):
            unit.content.append(BREAK)

    def untouched(self, unit: Unit) -> bool:
        """Return whether a unit has a label and a heading at most, and no text yet."""
        return all(
            part == BREAK
            or (isinstance(part, Span) and (part.role != "text" or self.markup.text[part.start : part.end].isspace()))
            for part in unit.content
        )

    def link(self, element: etree._Element, unit: Unit, law: str, key: str, kind: str = "cites") -> None:
        """Add the link that an element carries; the text of another act has none."""
        if not self.quoting:
            unit.links.append(GivenLink(*self.markup.span(element), law, key, kind))

    def table(self, element: etree._Element, unit: Unit, role: Role) -> None:
        """Read a table: one line a row; a short cell that spans rows is repeated in each of them."""
        outer = self._merged, self._columns
        self._merged = {}
        self._columns = [attribute(each, "colname") for each in element.iter() if local(each) == "colspec"]
        self.line(unit)
        self.inside(element, unit, role)
        self.line(unit)
        self._merged, self._columns = outer

    def row(self, element: etree._Element, unit: Unit) -> None:
        """Read a row of a table, whose elements are its cells."""
        cells: dict[int, list[Span | Unit | str]] = {}
        for column, (rows, content) in list(self._merged.items()):
            cells[column] = content
            del self._merged[column]
            if rows > 1:
                self._merged[column] = rows - 1, content
        column = 0
        for child in element:
            column = self._column(child, column)
            while column in cells:
                column += 1
            content = self._cell(child, unit)
            cells[column] = content
            width = _count(child, "colspan")
            rows = max(_count(child, "rowspan"), _count(child, "morerows", 0) + 1)
            if rows > 1:
                length = sum(part.end - part.start for part in content if isinstance(part, Span))
                self._merged[column] = rows - 1, content if length <= _REPEATED else []
                for beside in range(column + 1, column + width):
                    self._merged[beside] = rows - 1, []
            column += width
        self.line(unit)
        for place, (_, content) in enumerate(sorted(cells.items(), key=lambda cell: cell[0])):
            if place:
                unit.content.append(CELL)
            unit.content += content
        unit.content.append(BREAK)

    def _column(self, cell: etree._Element, column: int) -> int:
        name = attribute(cell, "namest") or attribute(cell, "colname")
        return max(column, self._columns.index(name)) if name in self._columns else column

    def _cell(self, element: etree._Element, unit: Unit) -> list[Span | Unit | str]:
        held = Unit("item")
        before, self.in_cell = self.in_cell, True
        self.inside(element, held)
        self.in_cell = before
        unit.links += held.links
        flat: list[Span | Unit | str] = []
        for part in _flat(held):
            if part != BREAK:
                flat.append(part)
            elif flat and flat[-1] != " ":
                flat.append(" ")
        return flat[:-1] if flat and flat[-1] == " " else flat

    def quote(self, element: etree._Element, unit: Unit) -> None:
        """Read text of another act, such as words to be inserted there: it has lines, but no units and no links."""
        before, self.quoting = self.quoting, True
        self.inside(element, unit)
        while unit.content and unit.content[-1] == BREAK:
            unit.content.pop()
        self.quoting = before


def headed(elements: Elements, element: etree._Element, unit: Unit) -> None:
    """Read a heading; in the text of a paragraph or below it is a line, unless a dash or a stop ends it."""
    elements.inside(element, unit, "heading")
    if unit.kind in ("paragraph", "item", "subitem") and elements.markup.words(element)[-1:].isalnum():
        unit.content.append(BREAK)


def block(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read an element as lines of its own."""
    elements.line(unit)
    elements.inside(element, unit, role)
    elements.line(unit)


def preamble(elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
    """Read an element as a preamble, unless it is empty."""
    unit = Unit("preamble", "preamble", key=attribute(element, "fid"))
    elements.enter(element, holder, unit)
    if not elements.law.render(unit):
        del holder.content[-1]
        elements.law.leave_out(*elements.markup.span(element), "empty preamble")


def table(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a table."""
    elements.table(element, unit, role)


def row(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a row of a table."""
    elements.row(element, unit)


def quoted(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read text of another act."""
    elements.line(unit)
    elements.quote(element, unit)


def left_out(reason: str) -> Rule:
    """Return the rule of elements that are left out."""

    def rule(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.law.leave_out(*elements.markup.span(element), reason)

    return rule


def titled(role: Role) -> Rule:
    """Return the rule of labels or headings; in text of another act they are words at the start of a line."""

    def rule(elements: Elements, element: etree._Element, unit: Unit, around: Role) -> None:
        if elements.quoting and role == "label":
            elements.line(unit)
            elements.inside(element, unit)
            unit.content += [" ", JOIN]
        elif elements.quoting:
            block(elements, element, unit, "text")
        else:
            elements.inside(element, unit, role)

    return rule


def rules(rule: Rule, *names: str) -> dict[str, Rule]:
    """Return a table in which each name has this rule."""
    return dict.fromkeys(names, rule)


def reasons(table: Mapping[str, Iterable[str]]) -> dict[str, Rule]:
    """Return the rules of elements that are left out, given their names by reason."""
    return {name: left_out(reason) for reason, names in table.items() for name in names}


_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})")


def iso_date(value: str) -> str:
    """Return the date at the start of a value, ISO 8601; empty if there is none."""
    match = _DATE.match(value.strip())
    return f"{match[1]}-{int(match[2]):02d}-{int(match[3]):02d}" if match else ""


def _count(cell: etree._Element, name: str, absent: int = 1) -> int:
    value = attribute(cell, name)
    return int(value) if value.isdecimal() and len(value) < 4 else absent


def _flat(unit: Unit) -> Iterable[Span | str]:
    for part in unit.content:
        if isinstance(part, Unit):
            yield BREAK
            yield from _flat(part)
            yield BREAK
        elif isinstance(part, Span):
            yield Span(part.start, part.end)
        else:
            yield part
