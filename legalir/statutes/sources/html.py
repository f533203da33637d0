"""The sources ``html`` and ``xml``: web pages and XML of publishers, by rules in a small YAML file.

A rule names the elements of one kind of unit by a CSS selector. An element may hold its unit (``holds``), or open it:
then the unit continues to the next element that opens one of the same level or above. Rules of some publishers are part
of the package (``rules/``). Without rules, a page is read line by line, as a PDF file is.

A *value* is the text of the first element that a selector matches, ``kop > nr``, or one of its attributes,
``version@date``; ``@date`` is of the unit's own element. Inside a unit, a selector that begins with ``>`` looks at the
children of the element, and one that begins with ``/`` at the whole file. Names of elements have no namespace.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from legalir.collections import Collection
from legalir.config import AnyText, Choice, Schema, SchemaError, Text
from legalir.contract import factory_of
from legalir.errors import ComponentError, DataError, suggestion
from legalir.extras import require
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction, jurisdictions, mark_repealed
from legalir.statutes.law import BREAK, CELL, GivenLink, Law, Outline, Span, Unit
from legalir.statutes.reading.headings import check_country, law_id_of, read_text
from legalir.statutes.reading.markup import Markup, attribute, local
from legalir.statutes.reading.plain_text import compact
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
_CELLS = frozenset({"td", "th", "entry"})
_MENU = re.compile(
    r"(?<![^\W_])(?:footer|nav|navbar|breadcrumbs?|brotkrumen|ariane|meny|cookies?|contentinfo|toolbar|fu(?:ss|ß)zeile"
    r"|bunntekst|stopka|lablec|rodap[eé]|buttons?)(?![^\W_])",
    re.IGNORECASE,
)
"""Identifiers, classes and roles of what is no text of a page."""
_PERHAPS = re.compile(
    r"(?<![^\W_])(?:foot|navigation|menu|skip\w*|share|fu(?:ss|ß)|bunn|pata|piede|pied?)(?![^\W_])", re.IGNORECASE
)
"""Those that a part of a law may have, too: on navigation, on share capital."""
_SENTENCE = re.compile(r"(?:[^\s.]{1,40}\s{1,3}){5}[^\s.]{1,40}[.;]|。")
_UNSEEN = re.compile(r"(?<![^\W_])(?:sr-only|visually-?hidden|screen-reader\w*|wb-invisible)(?![^\W_])", re.IGNORECASE)
_LABEL_CELL = re.compile(
    rf"^(\[?(?:\d{{1,4}}[A-Za-z]{{0,2}}|[a-z])[.)]|\(\w{{1,3}}\)|§\s?\d+\s?[a-z]?[*†]*|[¹²³⁴-⁹]{{1,2}}){re.escape(CELL)}(?=[^|]*$)"
)
"""A number or letter that a table sets beside its text."""
_HEADED = re.compile("h[1-6]")
_NUMBER_AT_END = re.compile(r"\d$|(?:^|[\s\[])\d{1,4}[A-Z]{1,2}$")
_NOTE_MARK = re.compile(r"\[?F\d{1,4}$")
_OFFERS = re.compile(r"[^\W\d_a-zß-ÿ][^|·•»›.;]{1,60}(?:[|·•»›]\s?[^\W\d_a-zß-ÿ][^|·•»›.;]{1,60}){2,12}")
"""Names of links in a row: ``Privacy | Contact | Top of page``."""
_PARAGRAPH = re.compile(r"\s*(?:[(（]?\w{1,3}[.)）]|[①-⑳])")
_FOOT_LINES, _FOOT = 6, 500
"""Lines and characters that a foot has at most."""
_FEW_ENTRIES = 2
_FEW = 8
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_XML = (".xml", ".xhtml", ".html")
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
    """Value of the number; empty: as the table of the jurisdiction finds it at the start of the element."""

    heading: AnyText = ""
    """Value of the heading; empty: what follows the number where the element opens the unit."""

    repealed: AnyText = ""
    """Selector of those of the elements that are repealed, of the whole file: ``artikel[status=vervallen]``."""

    effective_from: AnyText = ""
    """Value of the day from which the unit applies."""

    effective_to: AnyText = ""
    """Value of the day from which it no longer applies."""


class Rules(Schema):
    """How the pages or the XML of a publisher are read."""

    KIND = "rules"

    country: Text
    """Two letters; selects the table of the jurisdiction."""

    lang: AnyText = ""
    """ISO 639-1, or a value such as ``html@lang``; empty: the language of the table."""

    root: tuple[Text, ...] = ()
    """Names of the root element of the files, by which ``auto`` recognises them."""

    has: AnyText = ""
    """Words near the start of each of these files, if the name of the root is a common one."""

    title: Text = "h1"
    """Value of the name of the law."""

    law_id: AnyText = ""
    """Value of the identifier of the law, the same in all versions; empty: the name of the file."""

    names: tuple[Text, ...] = ()
    """Values of other names of the law."""

    effective_from: AnyText = ""
    """Value of the day from which this version applies."""

    promulgated: AnyText = ""
    """Value of the day of the law."""

    leave_out: tuple[Text, ...] = ()
    """Selectors of what is no text of the law: menus, tables of contents, notes."""

    inline: tuple[Text, ...] = ()
    """Names of elements of XML that are part of their line; all others begin one."""

    units: tuple[UnitRule, ...]
    """From the highest level down."""


@cache
def shipped() -> dict[str, Rules]:
    """Return the rules that are part of the package, by name."""
    with resources.as_file(resources.files("legalir.statutes") / "rules") as folder:
        return {path.stem: Rules.load(path) for path in sorted(folder.glob("*.yaml"))}


def _rules(source: str, rules: str | PathLike[str] | None) -> Rules | None:
    """Return the rules in a file, or those of the package with this name."""
    if rules is None or str(rules) in shipped():
        return None if rules is None else shipped()[str(rules)]
    if "." not in str(rules) and not Path(rules).exists():
        hint = suggestion(str(rules), shipped()) or f" It has {', '.join(shipped())}."
        raise ComponentError(f"{source}: there is no file {str(rules)!r}, and legalir has no rules of this name.{hint}")
    return Rules.load(rules)


def _format(
    collection: Collection | None,
    rules: str | PathLike[str] | None = None,
    country: str = "auto",
    title: str = "",
    encoding: str | None = None,
) -> Format:
    """Return the format with its parameters.

    Args:
        rules: YAML file with the rules, or the name of rules of the package; None: pages are read line by line.
        country: for pages that are read line by line: two letters that select the table of headings. ``auto``: the
            table that recognises most articles.
        title: name of the law; empty: by the rules, or the title of the page.
        encoding: of the pages; None: as they declare it.
    """
    check_country("html", country)
    read = partial(_read, rules=_rules("html", rules), country=country, title=title, encoding=encoding)
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
        rows, left, levels = _lines(page)
        law_id, lang, called = law_id_of(path), _page_language(page), _page_title(page)
        yield read_text(path.name, rows, country, title, law_id, lang, left, called, levels)


def _xml_formats(
    collection: Collection | None, rules: str | PathLike[str] | None = None, title: str = ""
) -> Format | tuple[Format, ...]:
    """Return the format of the rules; without rules, those of all rules of the package, by the root of each file.

    Args:
        rules: YAML file with the rules, or the name of rules of the package.
        title: name of the law; empty: by the rules, or the name of the file.
    """
    given = _rules("xml", rules)
    chosen = {"": given} if given else shipped()
    formats = tuple(_by_root(name, each, title) for name, each in chosen.items() if given or each.root)
    return formats[0] if given else formats


def _by_root(name: str, rules: Rules, title: str = "") -> Format:
    roots = " or ".join(f"`{root}`" for root in rules.root)
    needs = f"the root {roots}" + (f" and `{rules.has}`" if rules.has else "")
    read = partial(_read_xml, rules=rules, title=title)
    return Format(f"xml-{name}".rstrip("-"), _XML, partial(_has_root, rules), read, needs=needs if roots else "")


def _has_root(rules: Rules, path: Path, head: bytes) -> bool:
    text = head.decode("utf-8", "ignore")
    root = re.search(r"<(?:[\w.-]+:)?([^\W\d][\w.-]*)[\s>/]", text)
    return not rules.root or (root is not None and root[1] in rules.root and rules.has in text)


def _read_xml(path: Path, data: bytes, rules: Rules, title: str) -> Iterator[Law]:
    file = Markup(data, path.name)
    for element in file.root.iter():
        element.tag = local(element) or element.tag
    yield _Page(file, rules, path, title, xml=True).read()


FORMATS = (*(_by_root(name, rules) for name, rules in shipped().items() if rules.root), _format(None))
html = factory_of(StatuteFiles, 'Web pages, by rules or line by line: ``html(path="pages/")``.', formats=_format)
xml = factory_of(
    StatuteFiles,
    'Any XML, by rules: which element is an article: ``xml(path="laws/", rules="bwb")``.',
    formats=_xml_formats,
)


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


def lines_of(name: str, data: bytes) -> list[str]:
    """Return the text of a page, a line for each block and each row of a table."""
    return _lines(Markup(data, name, html=True, raised=raised))[0]


def _lines(page: Markup) -> tuple[list[str], dict[str, str], dict[int, int]]:
    """Return the text of a page, a line for each block and each row of a table.

    Beside it what is left out, by the reason, and the levels of lines that are marked as headings. Left out are menus,
    the foot of the page, words for readers of the screen alone, and lines of links to places of the page whose words
    come again: its table of contents.
    """
    places = {attribute(element, "id"): element for element in page.root.iter() if attribute(element, "id")}
    most = len(page.text) / 4
    lines, menus, unseen = [_Row()], list[str](), list[str]()

    def begin_line() -> None:
        if lines[-1].words.strip():
            lines.append(_Row())

    def visit(element: etree._Element, link: str) -> None:
        name = local(element)
        if not name or name in _NEVER:
            return
        left_out = unseen if _UNSEEN.search(attribute(element, "class")) else menus if _is_menu(page, element) else None
        if left_out is not None and len(words := page.words(element)) < most:
            left_out.append(words)
            return
        if name in _BLOCKS:
            begin_line()
        begun = len(lines) - 1
        if name == "a" and (href := attribute(element, "href")):
            target = places.get(href[1:]) if href[0] == "#" else None
            link = "contents" if target is not None and target not in element.iterancestors() else "link"
            lines[-1].anchors += 1
        words = element.text or ""
        apart = _NUMBER_AT_END.search(lines[-1].words) and words[:1].isupper()  # <b>1</b><b>Scope</b>
        lines[-1].add(f" {words}" if apart else words, link)
        for child in element:
            visit(child, link)
            if local(child) == "sup" and _NOTE_MARK.search(lines[-1].words):  # <sup>F1</sup>3A
                lines[-1].words += " "
            lines[-1].add(child.tail or "", link)
        if name in _CELLS:
            lines[-1].words += CELL
            lines[-1].cells = True
        if _HEADED.fullmatch(name):
            for line in lines[begun:]:
                line.level = int(name[1])
        if name in _BLOCKS:
            begin_line()

    visit(page.root, "")
    lines = [line for line in lines if line.words.strip()]
    of_law = [place for place in (_first_of_law(lines), _first_of_law(lines[::-1])) if place is not None]
    first, last = (of_law[0], len(lines) - of_law[1]) if of_law else (0, len(lines))
    last = min(last, _end_of_law(lines))
    menus += (line.words for line in (*lines[:first], *lines[last:]))
    lines = lines[first:last]
    again = sorted(compact(line.words) for line in lines if line.links != {"contents"})
    contents = {line for line in lines if line.links == {"contents"} and _begins_one(compact(line.words), again)}
    contents = contents if len(contents) > _FEW_ENTRIES else set()
    left = {
        "menus": menus,
        "table of contents": [line.words for line in lines if line in contents],
        "words for readers of the screen": unseen,
    }
    lines = [line for line in lines if line not in contents and line.words.strip(CELL)]
    kept = [" ".join(line.words.split()).removesuffix(CELL.rstrip()) for line in lines]
    kept = [_LABEL_CELL.sub(r"\1 ", line) for line in kept]
    levels = {at: line.level for at, line in enumerate(lines) if line.level}
    return kept, {reason: "\n".join(words) for reason, words in left.items() if words}, levels


def _end_of_law(lines: Sequence[_Row]) -> int:
    """Return the place of the first of the last few lines that offers links or their names in a row: the foot."""
    for at in range(max(len(lines) - _FOOT_LINES, 1), len(lines)):
        first, rest = lines[at], lines[at:]
        offers = first.anchors > 1 if "" not in first.links else _OFFERS.fullmatch(" ".join(first.words.split()))
        long = sum(len(line.words) for line in rest) > _FOOT
        if offers and not (
            first.cells or long or any(_opens_unit(line.words) or _is_of_law(line.words) for line in rest)
        ):
            return at
    return len(lines)


def _is_of_law(row: str) -> bool:
    """Return True if a line begins an annex, a paragraph or an item."""
    annexes = (word for table in jurisdictions().values() for word in table.annex)
    return _PARAGRAPH.match(row) is not None or row.lstrip().startswith(tuple(annexes))


def _first_of_law(lines: Sequence[_Row]) -> int | None:
    """Return the place of the first line that is more than a link, or opens a unit."""
    return next((at for at, line in enumerate(lines) if "" in line.links or _opens_unit(line.words)), None)


def _opens_unit(row: str, kinds: Sequence[Kind] = ("article", "group")) -> bool:
    """Return True if a line begins as the headings of any country do."""
    found = (table.heading(row) for table in jurisdictions().values())
    return any(each is not None and each.level.kind in kinds for each in found)


def _begins_one(words: str, others: Sequence[str]) -> bool:
    """Return True if one of the words in order begins with `words`: an entry of a table of contents comes again."""
    place = bisect_left(others, words)
    return place < len(others) and others[place].startswith(words)


@dataclass(slots=True, eq=False)
class _Row:
    """A line of a page: its words, what they stand in, its links, whether it has cells, and its level as a heading.

    The words stand in ``contents``, links to places below, in ``link``, others, or in none.
    """

    words: str = ""
    links: set[str] = field(default_factory=set)
    anchors: int = 0
    cells: bool = False
    level: int = 0

    def add(self, words: str, link: str) -> None:
        self.words += words
        if any(map(str.isalnum, words)):
            self.links.add(link)


def _is_menu(page: Markup, element: etree._Element) -> bool:
    """Return True if an element is a menu or the like, by its name or by what it is called.

    An element that begins an article is none, nor one with a sentence whose name may be that of a part of a law, unless
    it ends the page.
    """
    if local(element) in ("nav", "footer", "button", "select", "dialog"):
        return True
    called = " ".join(attribute(element, each) for each in ("id", "class", "role"))
    named, perhaps = _MENU.search(called), _PERHAPS.search(called)
    if not (named or perhaps) or _opens_unit("".join(map(str, islice(element.itertext(), 20))).lstrip()[:200]):
        return False
    last = not page.text[page.span(element)[1] :].strip()
    return named is not None or last or not _SENTENCE.search(page.words(element))


class _Page:
    """A page or an XML file that is read by rules."""

    def __init__(self, page: Markup, rules: Rules, path: Path, title: str, xml: bool = False) -> None:
        self._page, self._rules, self._table, self._xml = page, rules, jurisdiction(rules.country), xml
        self._rule: dict[etree._Element, tuple[int, UnitRule]] = {}
        self._role: dict[etree._Element, Literal["label", "heading"]] = {}
        for depth, rule in enumerate(rules.units):
            for element in self._select(page.root, rule.css):
                self._rule.setdefault(element, (depth, rule))
                for role, css in (("label", rule.label), ("heading", rule.heading)):
                    inside = css and "@" not in css and not css.startswith("/")
                    for part in self._select(element, css) if inside else []:
                        self._role[part] = "label" if role == "label" else "heading"
        self._repealed = {
            each for rule in rules.units if rule.repealed for each in self._select(page.root, rule.repealed)
        }
        self._left = {element for css in rules.leave_out for element in self._select(page.root, css)}
        titles = self._select(page.root, rules.title.partition("@")[0])
        self._title = titles[0] if titles else None
        name = title or self._value(page.root, rules.title) or (path.stem if xml else "")
        if not name:
            raise DataError(f"{path.name}: nothing matches {rules.title!r}, the selector of the title.")
        law_id = re.sub(r"[^\w.]+", "-", self._value(page.root, rules.law_id)).strip("-") or law_id_of(path)
        lang = self._value(page.root, rules.lang)[:2] if "@" in rules.lang else rules.lang
        self.law = Law(page.text, name, law_id, rules.country, lang or self._table.lang)
        self.law.names = tuple(filter(None, (self._value(page.root, each) for each in rules.names)))
        self.law.effective_from = iso_day(self._value(page.root, rules.effective_from))
        self.law.promulgated = iso_day(self._value(page.root, rules.promulgated))
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

    def _select(self, element: etree._Element, css: str) -> list[etree._Element]:
        return _select(element, css, self._xml)

    def _value(self, element: etree._Element, rule: str) -> str:
        """Return the value that a rule names, seen from an element; empty if there is none."""
        if not rule:
            return ""
        css, _, name = rule.removeprefix("/").partition("@")
        where = self._page.root if rule.startswith("/") else element
        found = self._select(where, css)[:1] if css else [where]
        if css and not found and name and where is self._page.root and local(where) == css:
            found = [where]  # A selector does not match the root itself.
        return " ".join((attribute(found[0], name) if name else self._page.words(found[0])).split()) if found else ""

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
            unit.repealed = element in self._repealed
            unit.effective_from = iso_day(self._value(element, rule[1].effective_from))
            unit.effective_to = iso_day(self._value(element, rule[1].effective_to))
            if rule[1].label.startswith(("@", "/")) or "@" in rule[1].label:
                unit.label = self._value(element, rule[1].label)
                unit.number = number_of(unit.label)
            if "@" in rule[1].heading:
                unit.heading = self._value(element, rule[1].heading)
            if not rule[1].label and self._headed(unit, element, rule[1]):
                return
        elif (name not in self._rules.inline if self._xml else name in _BLOCKS) and not self._after_label():
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

    def _after_label(self) -> bool:
        """Return True if the open unit has only its label so far, so that its text goes on in the line of the label."""
        unit = self._outline.unit
        if not self._xml or len(unit.content) > _FEW:
            return False
        spans = [
            part for part in unit.content if not isinstance(part, Span) or self.law.text[part[0] : part[1]].strip()
        ]
        return len(spans) > 0 and all(isinstance(part, Span) and part.role == "label" for part in spans)

    def _add(self, start: int, end: int) -> None:
        if self._outline.unit is self.law.root:
            self.law.leave_out(start, end, "outside of all units")
        else:
            self._outline.unit.add(start, end)

    def _set(self, role: Literal["label", "heading"], element: etree._Element) -> None:
        unit, words = self._outline.unit, self._page.words(element)
        unit.add(*self._page.span(element), role)
        if role == "label":
            words = re.sub(r"<sup>(\d+)</sup>", lambda mark: mark[1].translate(_RAISED), words)  # in a CDATA section
            unit.label = f"{unit.label} {words}".strip()
            self._number(unit, number_of(unit.label))
        else:
            bare = words.removeprefix(unit.label).lstrip(" .:–—-") if unit.label else words
            unit.heading = bare.strip("()（）[]【】 ")

    def _number(self, unit: Unit, number: str) -> None:
        unit.number = number if self._xml else without_mark(number, self._before)
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


def _select(element: etree._Element, css: str, xml: bool) -> list[etree._Element]:
    cssselect = require("cssselect", extra="statutes")
    translator = cssselect.GenericTranslator() if xml else cssselect.HTMLTranslator()
    try:
        of = "child::" if css.startswith(">") else "descendant::"
        path = translator.css_to_xpath(css.removeprefix(">").strip(), prefix=of)
    except cssselect.SelectorError as error:
        raise SchemaError(f"The selector {css!r} cannot be read: {error}.") from None
    return cast("list[etree._Element]", element.xpath(path))


def _link(element: etree._Element, start: int, end: int) -> GivenLink | None:
    law, _, key = attribute(element, "href").partition("#")
    return GivenLink(start, end, law, key) if key or law else None
