"""The source ``html``: web pages of publishers without a format of their own, by rules in a small YAML file.

A rule names the elements of one kind of unit by a CSS selector. An element may hold its unit (``holds``), or open it:
then the unit continues to the next element that opens one of the same level or above. Without rules, a page is read
line by line, as a PDF file is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from legalir.collections import Collection
from legalir.config import AnyText, Choice, Schema, SchemaError, Text
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.extras import require
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction, mark_repealed
from legalir.statutes.law import BREAK, CELL, GivenLink, Law, Outline, Unit
from legalir.statutes.reading.headings import check_country, law_id_of, read_text
from legalir.statutes.reading.markup import Markup, attribute, local
from legalir.statutes.reading.sequence import raised, without_mark

if TYPE_CHECKING:
    from lxml import etree

_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "div", "dl", "dt", "fieldset"),
        *("figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol"),
        *("p", "pre", "section", "table", "tbody", "tfoot", "thead", "tr", "ul"),
    }
)
_CELLS = frozenset({"td", "th"})
_NEVER = frozenset({"head", "script", "style", "noscript", "template", "svg"})


class UnitRule(Schema):
    """The elements of one kind of unit."""

    KIND = "a rule for units"

    css: Text
    """Selector of the elements."""

    kind: Choice[Kind]
    """What they are: ``group``, ``article``, ``paragraph``, ``item``, ``subitem``, ``annex``, ``supplement``."""

    level: AnyText = ""
    """Name of the level."""

    by: Choice[Literal["holds", "opens"]] = "holds"
    """Whether an element contains its unit or opens it."""

    label: AnyText = ""
    """Selector of the number inside the element; empty: as the table of the jurisdiction finds it."""

    heading: AnyText = ""
    """Selector of the heading inside the element; empty: what follows the number where the element opens the unit."""


class Rules(Schema):
    """How the pages of a publisher are read."""

    KIND = "rules for web pages"

    country: Text
    """Two letters; selects the table of the jurisdiction."""

    title: Text = "h1"
    """Selector of the name of the law."""

    leave_out: tuple[Text, ...] = ()
    """Selectors of what is no text of the law: menus, tables of contents, notes."""

    units: tuple[UnitRule, ...]
    """From the highest level down."""


def _format(
    collection: Collection | None,
    rules: str | PathLike[str] | None = None,
    country: str = "auto",
    title: str = "",
    encoding: str | None = None,
) -> Format:
    """Return the format with its parameters.

    Args:
        rules: YAML file with the rules; None: pages are read line by line.
        country: for pages that are read line by line: two letters that select the table of headings. ``auto``: the
            table that recognises most articles.
        title: name of the law; empty: by the rules, or the title of the page.
        encoding: of the pages; None: as they declare it.
    """
    check_country("html", country)
    read = partial(_read, rules=Rules.load(rules) if rules else None, country=country, title=title, encoding=encoding)
    return Format("html", (".html", ".htm", ".xhtml"), _is_html, read, general=True)


def _is_html(path: Path, head: bytes) -> bool:
    head = head.replace(b"\0", b"").lower()  # UTF-16 has zero bytes
    return b"<html" in head or b"<body" in head


def _read(
    path: Path, data: bytes, rules: Rules | None, country: str, title: str, encoding: str | None
) -> Iterator[Law]:
    page = Markup(data, path.name, html=True, encoding=encoding, raised=raised)
    if rules is not None:
        yield _Page(page, rules, path, title).read()
    else:
        title = title or _page_title(page)
        yield read_text(path.name, _lines(page), country, title, law_id_of(path), _page_language(page))


FORMATS = (_format(None),)
html = factory_of(StatuteFiles, 'Web pages, by rules or line by line: ``html(path="pages/")``.', formats=_format)


def _page_title(page: Markup) -> str:
    element = next(page.root.iter("title"), None)
    return page.words(element) if element is not None else ""


def _page_language(page: Markup) -> str:
    """Return the language that a page says it is in, or an empty string."""
    for element in page.root.iter("html", "body", "meta"):
        name = (attribute(element, "http-equiv") or attribute(element, "name")).lower()
        if name in ("content-language", "dc.language", "dcterms.language", "language"):
            return attribute(element, "content")
        if lang := attribute(element, "lang"):
            return lang
    return ""


def _lines(page: Markup) -> list[str]:
    """Return the text of a page, a line for each block and each row of a table."""
    lines = [""]

    def visit(element: etree._Element) -> None:
        name = local(element)
        if not name or name in _NEVER:
            return
        if name in _BLOCKS and lines[-1].strip():
            lines.append("")
        lines[-1] += element.text or ""
        for child in element:
            visit(child)
            lines[-1] += child.tail or ""
        if name in _CELLS:
            lines[-1] += CELL
        if name in _BLOCKS and lines[-1].strip():
            lines.append("")

    visit(page.root)
    return [" ".join(line.split()).removesuffix(CELL.rstrip()) for line in lines]


class _Page:
    """A page that is read by rules."""

    def __init__(self, page: Markup, rules: Rules, path: Path, title: str) -> None:
        self._page, self._rules, self._table = page, rules, jurisdiction(rules.country)
        self._rule: dict[etree._Element, tuple[int, UnitRule]] = {}
        self._role: dict[etree._Element, Literal["label", "heading"]] = {}
        for depth, rule in enumerate(rules.units):
            for element in _select(page.root, rule.css):
                self._rule.setdefault(element, (depth, rule))
                for role, css in (("label", rule.label), ("heading", rule.heading)):
                    for part in _select(element, css) if css else []:
                        self._role[part] = "label" if role == "label" else "heading"
        self._left = {element for css in rules.leave_out for element in _select(page.root, css)}
        titles = _select(page.root, rules.title)
        self._title = titles[0] if titles else None
        name = title or (page.words(titles[0]) if titles else "")
        if not name:
            raise DataError(f"{path.name}: nothing matches {rules.title!r}, the selector of the title.")
        self.law = Law(page.text, name, law_id_of(path), rules.country, self._table.lang)
        self._outline = Outline(self.law)
        self._name = path.name
        self._before = ""

    def read(self) -> Law:
        """Return the law.

        Raises:
            DataError: no element matches a rule.
        """
        if not self._rule:
            selectors = ", ".join(rule.css for rule in self._rules.units)
            raise DataError(f"{self._name}: nothing matches the selectors of the rules ({selectors}).")
        self._visit(self._page.root)
        mark_repealed(self.law, self._table)
        return self.law

    def _visit(self, element: etree._Element) -> None:
        page, outline = self._page, self._outline
        name = local(element)
        start, end = page.span(element)
        if element is self._title or element in self._left or name in _NEVER or not name:
            self.law.leave_out(start, end, "title" if element is self._title else "not text of the law")
            return
        if role := self._role.get(element):
            self._set(role, element)
            return
        rule = self._rule.get(element)
        if rule:
            unit = Unit(rule[1].kind, rule[1].level, key=attribute(element, "id"))
            outline.enter(unit, rule[0])
            if not rule[1].label and self._headed(unit, element, rule[1]):
                return
        elif name in _BLOCKS:
            outline.unit.add_break(BREAK)
        elif name in _CELLS and element.getprevious() is not None:
            outline.unit.add_break(CELL)
        if name == "a" and (link := _link(element, start, end)):
            outline.unit.links.append(link)
        self._add(*page.own(element))
        for child in element:
            self._visit(child)
            self._add(*page.tail(child))
        if rule and rule[1].by == "holds":
            outline.leave(rule[0])

    def _add(self, start: int, end: int) -> None:
        if self._outline.unit is self.law.root:
            self.law.leave_out(start, end, "outside of all units")
        else:
            self._outline.unit.add(start, end)

    def _set(self, role: Literal["label", "heading"], element: etree._Element) -> None:
        unit, words = self._outline.unit, self._page.words(element)
        unit.add(*self._page.span(element), role)
        if role == "label":
            unit.label = words
            self._number(unit, number_of(words))
        else:
            unit.heading = words.strip("()（）[]【】 ")

    def _number(self, unit: Unit, number: str) -> None:
        unit.number = without_mark(number, self._before)
        if unit.kind == "article":
            self._before = unit.number

    def _headed(self, unit: Unit, element: etree._Element, rule: UnitRule) -> bool:
        """Find label and heading at the start of an element; return whether the element was read to its end."""
        start, end = self._page.span(element)
        words = self._page.text[start:end]
        heading = self._table.heading(words)
        if heading is None:
            if rule.by == "opens":
                unit.heading, unit.number = " ".join(words.split()), number_of(words[:40])
                unit.add(start, end, "heading")
            return rule.by == "opens"
        unit.label = heading.label
        self._number(unit, heading.number)
        if rule.by == "holds" or rule.heading:
            return False
        unit.add(start, start + heading.end, "label")
        unit.add(start + heading.end, end, "heading")
        unit.heading = " ".join(words[heading.end :].split()).strip("()（）[]【】 ")
        return True


def _select(element: etree._Element, css: str) -> list[etree._Element]:
    cssselect = require("cssselect", extra="statutes")
    try:
        path = cssselect.HTMLTranslator().css_to_xpath(css, prefix="descendant::")
    except cssselect.SelectorError as error:
        raise SchemaError(f"The selector {css!r} cannot be read: {error}.") from None
    return cast("list[etree._Element]", element.xpath(path))


def _link(element: etree._Element, start: int, end: int) -> GivenLink | None:
    law, _, key = attribute(element, "href").partition("#")
    return GivenLink(start, end, law, key) if key or law else None
