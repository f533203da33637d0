"""Elements of an XML or HTML file as units of a law; a format defines the meaning of names, all else is shared."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.statutes.law import BREAK, CELL, GivenLink, Law, LeftOut, Span, Unit
from legalir.statutes.reading.markup import Markup, attribute, local

if TYPE_CHECKING:
    from lxml import etree

Role = Literal["text", "label", "heading"]

Rule = Callable[["Elements", "etree._Element", Unit, Role], None]
"""Reads an element into the open unit; the role is the role of the surrounding text."""

JOIN = ""
"""Marks a place where the next text stays on the line, although it would begin a new one."""

DEEPEST = 100
"""Elements that may nest in each other; real laws have fewer than 40."""

_REPEATED = 120
"""Maximum length, in characters, of a merged cell that is repeated in each of its rows."""

_ROWS = frozenset({"tr", "row", "ROW", "TableRow", "TableHeaderRow"})
_CELLS = frozenset({"td", "th", "entry", "CELL", "TableColumn", "TableHeaderColumn", "column"})
_WIDEST, _HIGHEST = 200, 2000


class Elements:
    """Reads elements into units.

    Args:
        markup: the file, or a part of it.
        law: the law; what belongs to no unit is left out there.
        units: rules of the elements that open a unit. In text of another act and in a cell they are lines.
        rules: rules of the other elements; an element without a rule is a part of the line. Tables have theirs.
        spaces: whether white space between elements is text; False for scripts that write no spaces.
        without: places in the text of the law that belong to no unit, in order, such as editor's marks, and the reason.
        at: where the text of `markup` starts in the text of the law.
    """

    def __init__(
        self,
        markup: Markup,
        law: Law,
        units: Mapping[str, Rule],
        rules: Mapping[str, Rule],
        spaces: bool = True,
        without: Sequence[LeftOut] = (),
        at: int = 0,
    ) -> None:
        self.markup, self.law = markup, law
        self._units, self._rules, self._spaces = units, {**_TABLES, **_FORMULAS, **rules}, spaces
        self._without, self._at = without, at
        self._grid: dict[etree._Element, list[etree._Element]] = {}
        self._cells: dict[etree._Element, list[Span | str]] = {}
        self.quoting = self.in_cell = False
        self._depth = 0

    def read(self, element: etree._Element, unit: Unit, role: Role = "text") -> None:
        """Read an element by the rule of its name, without the text after it.

        Raises:
            DataError: elements nest too deeply.
        """
        name = local(element)
        if self._depth >= DEEPEST:
            line = f", line {element.sourceline}" if element.sourceline else ""
            raise DataError(f"{self.markup.name}{line}: more than {DEEPEST} elements nest in each other.")
        self._depth += 1
        is_line = (self.quoting or self.in_cell) and name in self._units
        rule = block if is_line else self._units.get(name) or self._rules.get(name)
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
        """Add a part of the text of `markup`, without omitted parts; lines do not begin with white space."""
        last = unit.content[-1] if unit.content else BREAK
        within = self._spaces and not isinstance(last, Unit) and last not in (BREAK, JOIN)
        if not within and self.markup.text[start:end].isspace():
            return
        start, end = start + self._at, end + self._at
        for gap in self._without[bisect_left(self._without, start, key=lambda each: each.start) :]:
            if gap.start >= end:
                break
            unit.add(start, gap.start, role)
            self.law.leave_out(*gap)
            start = gap.end
        unit.add(start, end, role)

    def span(self, element: etree._Element) -> tuple[int, int]:
        """Return where an element starts and ends in the text of the law."""
        start, end = self.markup.span(element)
        return start + self._at, end + self._at

    def leave_out(self, element: etree._Element, reason: str) -> None:
        """Say that an element belongs to no unit."""
        self.law.leave_out(*self.span(element), reason)

    def enter(self, element: etree._Element, holder: Unit, unit: Unit) -> Unit:
        """Read an element as a unit inside another one, and name it by its label and heading."""
        holder.content.append(unit)
        self.inside(element, unit)
        self.name(unit)
        return unit

    def title(self, element: etree._Element, unit: Unit, role: Role) -> str:
        """Add an element as a label or heading of a unit, and return its words without what is left out."""
        held = self._held(element)
        for span in held.spans():
            unit.add(span.start, span.end, role)
        unit.links += held.links
        return " ".join(self.law.render(held).split())

    def name(self, unit: Unit) -> None:
        """Set label, heading and number of a unit by its spans, where they are not set."""
        unit.label = unit.label or self._words(unit, "label")
        unit.heading = unit.heading or self._words(unit, "heading")
        unit.number = unit.number or number_of(unit.label)

    def _words(self, unit: Unit, role: Role) -> str:
        spans = (part for part in unit.content if isinstance(part, Span) and part.role == role)
        return " ".join(" ".join(map(self._text, spans)).split())

    def _text(self, span: Span) -> str:
        return self.markup.text[span.start - self._at : span.end - self._at]

    def line(self, unit: Unit) -> None:
        """Begin a line, unless the present line has only a label or a heading; in a cell, add a blank."""
        last = unit.content[-1] if unit.content else BREAK
        if last not in (BREAK, JOIN) and not self.untouched(unit):
            unit.content.append(" " if self.in_cell else BREAK)

    def untouched(self, unit: Unit) -> bool:
        """Return True if a unit has at most a label and a heading, and no text yet."""
        return all(
            (isinstance(part, Span) and part.role != "text") or not self.is_visible(part) for part in unit.content
        )

    def is_visible(self, part: Span | Unit | str) -> bool:
        """Return True if a part of a unit is not only white space."""
        if isinstance(part, Span):
            return not self._text(part).isspace()
        return isinstance(part, Unit) or bool(part.strip())

    def link(self, element: etree._Element, unit: Unit, law: str, key: str, kind: str = "cites") -> None:
        """Add the link that an element carries; the text of another act has none."""
        if not self.quoting:
            unit.links.append(GivenLink(*self.span(element), law, key, kind))

    def table(self, element: etree._Element, unit: Unit, role: Role) -> None:
        """Read a table: one line per row; a short cell that spans rows is repeated in each of them."""
        self._grid |= _grid(element)
        self.line(unit)
        self.inside(element, unit, role)
        self.line(unit)

    def row(self, element: etree._Element, unit: Unit) -> None:
        """Read a row of a table; rows outside tables, or of a table in a cell, are lines."""
        if element not in self._grid:
            block(self, element, unit, "text")
            return
        self.line(unit)
        self.add(unit, *self.markup.own(element))
        for place, cell in enumerate(self._grid[element]):
            if place:
                unit.content.append(CELL)
            if cell not in self._cells:
                held = self._held(cell)
                unit.links += held.links
                self._cells[cell] = list(_flat(held))
                unit.content += self._cells[cell]
            elif len(self.markup.words(cell)) <= _REPEATED:
                unit.content += self._cells[cell]
        for child in element:
            if child not in self._cells:
                self.read(child, unit)
            self.add(unit, *self.markup.tail(child))
        self.line(unit)

    def _held(self, element: etree._Element) -> Unit:
        """Read an element as a cell or a title: on one line, into a separate unit."""
        held = Unit("item")
        before, self.in_cell = self.in_cell, True
        self.inside(element, held)
        self.in_cell = before
        return held

    def quote(self, element: etree._Element, unit: Unit, opening: str = "", closing: str = "") -> None:
        """Read text of another act, such as words to be inserted there: it has lines, but no units.

        Args:
            element: the text.
            unit: that quotes it.
            opening: sign before it that is not in the text.
            closing: sign after it that is not in the text.
        """
        if opening:
            self.join(unit, opening)
        before, self.quoting = self.quoting, True
        self.inside(element, unit)
        self.quoting = before
        while unit.content and unit.content[-1] == BREAK:
            unit.content.pop()
        if closing:
            self.close(unit, closing)

    def join(self, unit: Unit, sign: str) -> None:
        """Add a sign that the next text follows on the same line."""
        unit.content += [sign, JOIN]

    def close(self, unit: Unit, sign: str) -> None:
        """Add a sign right after the last visible text of a unit."""
        place = len(unit.content)
        while place and not self.is_visible(unit.content[place - 1]):
            place -= 1
        unit.content.insert(place, sign)


def headed(elements: Elements, element: etree._Element, unit: Unit) -> None:
    """Read a heading; in the text of a paragraph or below it is a line, unless a dash or a stop ends it."""
    elements.inside(element, unit, "heading")
    if unit.kind in ("paragraph", "item", "subitem") and elements.markup.words(element)[-1:].isalnum():
        unit.content.append(BREAK)


def block(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read an element as separate lines."""
    elements.line(unit)
    elements.inside(element, unit, role)
    elements.line(unit)


def preamble(elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
    """Read an element as a preamble, unless it is empty."""
    unit = Unit("preamble", "preamble", key=attribute(element, "fid"))
    elements.enter(element, holder, unit)
    if not elements.law.render(unit):
        del holder.content[-1]
        elements.leave_out(element, "empty preamble")


def line_break(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a line break."""
    elements.line(unit)
    elements.inside(element, unit, role)


def spaced(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read an element with a blank before and after it."""
    if unit.content and unit.content[-1] != JOIN:
        unit.content.append(" ")
    elements.inside(element, unit, role)
    unit.content.append(" ")


def numbered(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a number, which the next text follows on the same line."""
    spaced(elements, element, unit, role)
    unit.content.append(JOIN)


def image(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read an image: its text is the attribute ``alt``."""
    unit.content.append(f" [{attribute(element, 'alt') or 'image'}] ")
    elements.leave_out(element, "image")


def table(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a table; one in a cell is a part of its line."""
    if elements.in_cell:
        block(elements, element, unit, role)
    else:
        elements.table(element, unit, role)


def row(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a row of a table."""
    elements.row(element, unit)


def quoted(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read text of another act."""
    elements.line(unit)
    elements.quote(element, unit)


def fraction(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a fraction as ``L × M/12``, with brackets where the line would mean another number."""
    _terms(elements, element, unit, role, "/", ("+", "-", "−", "±"))


def power(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a power as ``r^2``: an element with base and exponent, or the exponent alone, if it is a number."""
    if len(element):
        _terms(elements, element, unit, role, "^", _SIGNS)
        return
    if re.fullmatch(r"[-−+]?\d{1,3}", elements.markup.words(element)):
        unit.content.append("^")
    elements.inside(element, unit, role)


def _terms(
    elements: Elements, element: etree._Element, unit: Unit, role: Role, sign: str, first: tuple[str, ...]
) -> None:
    """Read the terms of an element with a sign between them; a term with one of these signs is put in brackets."""
    for place, term in enumerate(child for child in element if local(child)):
        if place:
            unit.content.append(sign)
        words = elements.markup.words(term)
        nested = any(local(each) in ("mfrac", "FRACTION") for each in term.iter())
        bracketed = (sign != ", " and any(each in words for each in (_SIGNS if place else first))) or (
            nested and (sign == "^" or (place and sign == "/"))
        )
        bracketed = bracketed and not (words.startswith("(") and words.endswith(")") and words.count("(") == 1)
        unit.content += ["("] if bracketed else []
        elements.read(term, unit, role)
        unit.content += [")"] if bracketed else []


def _root(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a root as ``√(a + b)``."""
    unit.content.append("√(")
    _formula(elements, element, unit, role)
    unit.content.append(")")


def _fenced(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read terms in brackets that are written as attributes: ``(x, y)``."""
    unit.content.append(attribute(element, "open") or "(")
    _terms(elements, element, unit, role, ", ", ())
    unit.content.append(attribute(element, "close") or ")")


def _formula(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a part of a formula; white space between its elements means nothing."""
    texts = elements.markup.text
    for child in (None, *element):
        if child is not None:
            elements.read(child, unit, role)
        start, end = elements.markup.own(element) if child is None else elements.markup.tail(child)
        if not texts[start:end].isspace():
            elements.add(unit, start, end, role)


def _symbol(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a name, a number or a sign of a formula; signs of arithmetic have blanks around them."""
    start, end = elements.markup.span(element)
    words = elements.markup.text[start:end]
    start, end = start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip())
    words = words.strip("\u2061\u2062\u2063\u2064 \t\r\n")
    if not words:  # Multiplication that is not written.
        elements.leave_out(element, "markup")
        return
    around = [" "] if words in _SIGNS and words != "/" else []
    unit.content += around
    elements.add(unit, start, end, role)
    unit.content += around if words != "," else [" "]


def left_out(reason: str) -> Rule:
    """Return the rule of elements that are left out."""

    def rule(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.leave_out(element, reason)

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
    """Return the rules of omitted elements, from their names by reason."""
    return {name: left_out(reason) for reason, names in table.items() for name in names}


_SIGNS = ("+", "-", "−", "–", "±", "×", "÷", "*", "·", "∗", "=", "<", ">", "≤", "≥", "≠", "/")
_FORMULAS: Mapping[str, Rule] = {
    **rules(_formula, "math", "mrow", "mstyle", "mpadded", "semantics", "mtd"),
    **rules(_symbol, "mi", "mn", "mo", "mtext", "ms"),
    "mfrac": fraction,
    "FRACTION": fraction,
    "msup": power,
    "msqrt": _root,
    "mfenced": _fenced,
    "mtr": block,
    **rules(left_out("markup"), "annotation", "annotation-xml"),
}
_TABLES: Mapping[str, Rule] = (
    rules(table, "table", "TBL", "Table") | dict.fromkeys(_ROWS, row) | dict.fromkeys(_CELLS, spaced)
)


def _grid(table: etree._Element) -> dict[etree._Element, list[etree._Element]]:
    """Return each row of a table with its cells from left to right, including cells that span it from above."""
    grid: dict[etree._Element, list[etree._Element]] = {}
    columns: dict[str, int] = {}
    above: dict[int, tuple[etree._Element, int]] = {}
    for element in table.iterdescendants():
        name = local(element)
        if name == "tgroup":
            columns, above = {}, {}
        elif name == "colspec":
            columns[attribute(element, "colname")] = len(columns)
        elif name in _ROWS and not any(local(each) in _CELLS for each in _until(element, table)):
            line = {column: cell for column, (cell, rows) in above.items() if rows > 0}
            above = {column: (cell, rows - 1) for column, (cell, rows) in above.items() if rows > 1}
            column = 0
            for cell in element:
                if local(cell) in _CELLS:
                    column = _place(cell, columns, column, line)
                    width, rows = _size(cell, columns)
                    for each in range(column, column + width):
                        line[each] = cell
                        if rows > 1:
                            above[each] = cell, rows - 1
                    column += width
            grid[element] = list(dict.fromkeys(line[column] for column in sorted(line)))
    return grid


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


def _flat(unit: Unit) -> Iterator[Span | str]:
    for part in unit.content:
        if isinstance(part, Span):
            yield Span(part.start, part.end)
        elif isinstance(part, str):
            yield " " if part == BREAK else part
