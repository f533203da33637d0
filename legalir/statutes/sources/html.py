"""The sources ``html`` and ``xml``: web pages, and XML and JSON of publishers, by rules in a small YAML file.

A rule names the elements of one kind of unit by a CSS selector. An element may hold its unit (``holds``), or open it:
then the unit continues to the next element that opens one of the same level or above. Rules of some publishers are part
of the package (``rules/``). Without rules, a page is read line by line, as a PDF file is.

A *value* is the text of the first element that a selector matches, ``kop > nr``, or one of its attributes,
``version@date``; ``@date`` is of the unit's own element. Inside a unit, a selector that begins with ``>`` looks at the
children of the element, and one that begins with ``/`` at the whole file. Names of elements have no namespace. The
elements of a JSON file are its keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, cast

from pydantic import Field, model_validator

from legalir.analysis.language import identify
from legalir.collections import Collection
from legalir.config import AnyText, Choice, Flag, Schema, SchemaError, Text
from legalir.contract import factory_of
from legalir.errors import ComponentError, DataError, suggestion
from legalir.extras import require
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction, mark_repealed
from legalir.statutes.law import BREAK, CELL, GivenLink, Law, Outline, Span, Unit
from legalir.statutes.reading.lines import check_country, law_id_of, read_text
from legalir.statutes.reading.markup import Markup, attribute, local
from legalir.statutes.reading.page import BLOCKS, CELLS, NEVER, law_of, text_of
from legalir.statutes.reading.plain_text import rejoined
from legalir.statutes.reading.sequence import raised, without_mark
from legalir.statutes.reading.title import RELEVANCE

if TYPE_CHECKING:
    from lxml import etree

_FEW = 8
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_OPENING = tuple('«“„‚‘"「')
_XML = (".xml", ".xhtml", ".html", ".json")
_LABEL = re.compile(r"\(?\w{1,5}\)|\w{1,3}\.|[—–•-]")
_EDITED = re.compile(r"►(?:[A-Z]\d{1,3}|B(?!\w))?|◄")
"""Where another act changed the text, in consolidated texts of EUR-Lex: ``►M1 ten days ◄``."""
_BETWEEN = r"[\s.:–—-]*"
_ROOT, _FIRST_KEY = re.compile(r"<(?:[\w.-]+:)?([^\W\d][\w.-]*)[\s>/]"), re.compile(r'[\s\ufeff]*\{\s*"([^"]+)"\s*:')


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

    label_again: Flag = False
    """Whether the number stands once more before the text: ``1.`` in a field of its own, and ``1. (1) In this Act``."""

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
    """Names of the root element of the files, or of the first key of JSON, by which ``auto`` recognises them."""

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

    versions: AnyText = ""
    """Value of the day of each wording of a unit, the oldest first: ``version@date``; ``history`` reads them all."""

    leave_out: tuple[Text, ...] = ()
    """Selectors of what is no text of the law: menus, tables of contents, notes."""

    inline: tuple[Text, ...] = ()
    """Names of elements of XML that are part of their line; all others begin one."""

    unfolded: tuple[Text, ...] = ()
    """Names of elements of XML whose text is HTML."""

    signs: dict[Text, AnyText] = Field(default_factory=dict)
    """Characters that elements of XML stand for: ``emdash: —``; ``unicode: "@ch"``, by its number in an attribute."""

    text: AnyText = ""
    """Selector of the elements whose lines of text are the law, for files without elements of units."""

    units: tuple[UnitRule, ...] = ()
    """From the highest level down. An article inside another is text that this one puts into another law."""

    @model_validator(mode="after")
    def _either(self) -> Self:
        if bool(self.units) == bool(self.text):
            raise SchemaError("the rules must have units, or the selector of a text, and not both.")
        return self


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
        rows, left, levels = law_of(page)
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
    editions = partial(_editions, rules=rules) if rules.versions else None
    recognises = partial(_has_root, rules)
    return Format(f"xml-{name}".rstrip("-"), _XML, recognises, read, needs=needs if roots else "", editions=editions)


def _has_root(rules: Rules, path: Path, head: bytes) -> bool:
    text = head.decode("utf-8", "ignore")
    root = _FIRST_KEY.match(text) if path.suffix.lower() == ".json" else _ROOT.search(text)
    return not rules.root or (root is not None and root[1] in rules.root and rules.has in text)


def _editions(path: Path, rules: Rules) -> dict[str, bytes]:
    """Return the file without later wordings, for each day on which one begins."""
    from lxml import etree

    css, _, name = rules.versions.partition("@")
    root = Markup(path.read_bytes(), path.name).root
    days = {each: iso_day(attribute(each, name)) for each in _select(root, css, True)}
    content = {}
    for day in sorted({*days.values()} - {""}, reverse=True):
        for element in [each for each, since in days.items() if since > day]:
            del days[element]
            if (holder := element.getparent()) is not None:
                holder.remove(element)
                if (above := holder.getparent()) is not None and not _select(holder, css, True):
                    above.remove(holder)
        content[day] = etree.tostring(root, encoding="utf-8")
    return dict(sorted(content.items()))


def _read_xml(path: Path, data: bytes, rules: Rules, title: str) -> Iterator[Law]:
    file = Markup(data, path.name, unfolded=rules.unfolded, signs=rules.signs)
    for element in file.root.iter():
        element.tag = local(element) or element.tag
    yield _Page(file, rules, path, title, xml=True).read()


FORMATS = (*(_by_root(name, rules) for name, rules in shipped().items() if rules.root), _format(None))
html = factory_of(StatuteFiles, 'Web pages, by rules or line by line: ``html(path="pages/")``.', formats=_format)
xml = factory_of(
    StatuteFiles,
    'Any XML or JSON, by rules: which element is an article: ``xml(path="laws/", rules="bwb")``.',
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
        if lang := attribute(element, "lang") or attribute(element, "xml:lang"):
            return lang
    return ""


def lines_of(name: str, data: bytes) -> list[str]:
    """Return the text of a page but its menus, a line for each block and each row of a table.

    What the page quotes is in quotation marks, or in lines that begin with ``>``, as in Markdown.
    """
    data = re.sub(rb"(?i)(<q(?:\s[^<>]*)?>)", rb"\1&#8220;", data)
    return text_of(Markup(re.sub(rb"(?i)</q\s*>", rb"&#8221;</q>", data), name, html=True, raised=raised))


class _Page:
    """A page or an XML file that is read by rules."""

    def __init__(self, page: Markup, rules: Rules, path: Path, title: str, xml: bool = False) -> None:
        self._page, self._rules, self._table, self._xml = page, rules, jurisdiction(rules.country), xml
        self._rule: dict[etree._Element, tuple[int, UnitRule]] = {}
        self._role: dict[etree._Element, Literal["label", "heading"]] = {}
        for depth, rule in enumerate(rules.units):
            for element in self._select(page.root, rule.css):
                self._rule.setdefault(element, (depth, rule))
                quoted = len(page.text)  # where a label in quotation marks begins: «Article 17 bis
                for role, css in (("label", rule.label), ("heading", rule.heading)):
                    inside = css and "@" not in css and not css.startswith("/")
                    for part in self._select(element, css) if inside else []:
                        if role == "label" and page.words(part).startswith(_OPENING):
                            quoted = min(quoted, page.span(part)[0])
                        if page.span(part)[0] < quoted:
                            self._role[part] = "label" if role == "label" else "heading"
        for element in self._quoted():
            self._rule.pop(element, None)
            self._role.pop(element, None)
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
        lang = lang or (identify([page.text]) if "@" in rules.lang else "")  # pages of EUR-Lex do not say it
        name = RELEVANCE.sub("", name)
        self.law = Law(page.text, name, law_id, rules.country, lang or self._table.lang)
        self.law.names = tuple(filter(None, (self._value(page.root, each) for each in rules.names)))
        self.law.effective_from = iso_day(self._value(page.root, rules.effective_from))
        self.law.promulgated = iso_day(self._value(page.root, rules.promulgated))
        self._outline = Outline(self.law)
        self._name = path.name
        self._before = ""
        self._fresh: Unit | None = None
        self._label_again = False

    def read(self) -> Law:
        """Return the law.

        Raises:
            DataError: no element matches a rule.
        """
        if self._rules.text:
            return self._read_lines()
        if not self._rule:
            selectors = ", ".join(rule.css for rule in self._rules.units)
            raise DataError(f"{self._name}: nothing matches the selectors of the rules ({selectors}).")
        self._visit(self._page.root)
        mark_repealed(self.law, self._table)
        return self.law

    def _read_lines(self) -> Law:
        found, by_rules = self._select(self._page.root, self._rules.text), self.law
        if not found:
            raise DataError(f"{self._name}: nothing matches {self._rules.text!r}, the selector of the text.")
        rows = [row for each in found for row in self._page.text[slice(*self._page.span(each))].splitlines()]
        law = read_text(self._name, rejoined(rows), by_rules.country, by_rules.title, by_rules.law_id, by_rules.lang)
        law.names, law.promulgated, law.effective_from = by_rules.names, by_rules.promulgated, by_rules.effective_from
        return law

    def _quoted(self) -> set[etree._Element]:
        """Return the articles inside an article, with all inside; a single article that holds all others is none."""
        articles = {
            element for element, (_, rule) in self._rule.items() if (rule.kind, rule.by) == ("article", "holds")
        }
        inner = [each for each in articles if not articles.isdisjoint(each.iterancestors())]
        return {part for each in inner for part in each.iter()} if len(articles) - len(inner) > 1 else set()

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
        return " ".join((attribute(found[0], name) if name else self._words(found[0])).split()) if found else ""

    def _words(self, element: etree._Element) -> str:
        """Return the text of an element, with a blank where one of its elements begins a line."""
        page, inline = self._page, self._rules.inline if self._xml else ()
        pieces, end = [], page.span(element)[0]
        for child in element.iterdescendants() if self._xml else ():
            if local(child) not in inline:
                start = page.span(child)[0]
                pieces.append(page.text[end:start])
                end = start
        pieces.append(page.text[end : page.span(element)[1]])
        return " ".join(" ".join(pieces).split())

    def _visit(self, element: etree._Element) -> None:
        page, outline = self._page, self._outline
        name = local(element)
        start, end = page.span(element)
        if element is self._title or element in self._left or name in NEVER or not name:
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
                self._fresh = unit
            if rule[1].label_again:
                self._fresh = unit
            self._label_again = rule[1].label_again
            if "@" in rule[1].heading or rule[1].heading.startswith("/"):
                unit.heading = self._value(element, rule[1].heading)
                if unit.label.casefold().endswith(unit.heading.casefold()):
                    unit.label = unit.label[: len(unit.label) - len(unit.heading)].strip() or unit.label
            if not rule[1].label and self._headed(unit, element, rule[1]):
                return
        elif name in CELLS and element.getprevious() is not None:
            outline.unit.add_break(" " if self._is_beside_label(element) else CELL)
        elif self._xml and name == "div" and self._is_beside_label(element):
            outline.unit.add_break(" ")
        elif (name not in self._rules.inline if self._xml else name in BLOCKS) and not self._goes_on(element):
            outline.unit.add_break(BREAK)
        if name == "a" and (link := _link(element, start, end)):
            outline.unit.links.append(link)
        self._add(*page.own(element))
        for child in element:
            self._visit(child)
            self._add(*page.tail(child))
        if rule and rule[1].by == "holds":
            outline.leave(rule[0])

    def _goes_on(self, element: etree._Element) -> bool:
        """Return True if an element goes on in its line: in XML, behind the label alone, or at the start of a cell."""
        if not self._xml:
            return False
        first = element
        while local(first) not in CELLS and first.getprevious() is None and (above := first.getparent()) is not None:
            first = above
        if (
            (local(first) in CELLS or (local(first) == "div" and self._is_beside_label(first)))
            and first is not element
            and first.getprevious() is not None
        ):
            return not self._page.text[self._page.span(first)[0] : self._page.span(element)[0]].strip()
        unit = self._outline.unit
        if len(unit.content) > _FEW:
            return False
        spans = [
            part for part in unit.content if not isinstance(part, Span) or self.law.text[part[0] : part[1]].strip()
        ]
        return len(spans) > 0 and all(isinstance(part, Span) and part.role == "label" for part in spans)

    def _is_beside_label(self, element: etree._Element) -> bool:
        """Return True if an element is the second of two, of which the first is a number or letter: ``a) | a boat``."""
        before = element.getprevious()
        alone = before is not None and before.getprevious() is None and element.getnext() is None
        return alone and before is not None and _LABEL.fullmatch(self._page.words(before)) is not None

    def _add(self, start: int, end: int) -> None:
        for mark in _EDITED.finditer(self.law.text, start, end):
            self._add_between(start, mark.start())
            self.law.leave_out(*mark.span(), "not text of the law")
            start = mark.end()
        self._add_between(start, end)

    def _add_between(self, start: int, end: int) -> None:
        unit = self._outline.unit
        if unit is self.law.root:
            self.law.leave_out(start, end, "outside of all units")
            return
        if unit is self._fresh and self.law.text[start:end].strip():
            self._fresh, first = None, start
            start = self._behind(unit, start, end)
            unit.add(first, start, "label")
        unit.add(start, end)

    def _behind(self, unit: Unit, start: int, end: int) -> int:
        """Return where the text of a unit begins behind its label and heading, which may stand there once more."""
        label, heading = (
            _BETWEEN.join(re.escape(each.strip(".")) + "[ºª°]?" for each in words.split())
            for words in (unit.label, "" if self._label_again else unit.heading)
        )
        again = rf"{label}(?:{_BETWEEN}{heading}){'?' if label else ''}(?!\w|[.–-]\w){_BETWEEN}"
        pattern = re.compile(rf"\s*(?:[^\W\d]*\.?|§)\s*{again}", re.IGNORECASE)
        match = pattern.match(self.law.text, start, end) if label or heading else None
        return match.end() if match else start

    def _set(self, role: Literal["label", "heading"], element: etree._Element) -> None:
        unit, words = self._outline.unit, self._words(element)
        unit.add(*self._page.span(element), role)
        if role == "label":
            words = re.sub(r"<sup>(\d+)</sup>", lambda mark: mark[1].translate(_RAISED), words)  # in a CDATA section
            unit.label = f"{unit.label} {words}".strip()
            self._number(unit, number_of(unit.label))
        else:
            bare = words.removeprefix(unit.label).lstrip(" .:–—-") if unit.label else words
            bare = bare.strip("()（）[]【】 ")
            unit.heading = f"{unit.heading} {bare}".strip() if unit.kind == "annex" else bare

    def _number(self, unit: Unit, number: str) -> None:
        unit.number = number if self._xml else without_mark(number, self._before)
        if unit.kind == "article":
            self._before = unit.number

    def _headed(self, unit: Unit, element: etree._Element, rule: UnitRule) -> bool:
        """Find label and heading at the start of an element; return whether the element was read to its end."""
        start, end = self._page.span(element)
        apart = rule.by == "holds" or self._xml  # <p>CAPÍTULO I</p><p>Objeto</p>
        words = self._words(element) if apart else self._page.text[start:end]
        heading = self._table.heading(words)
        if heading is None:
            if rule.by == "opens":
                unit.heading, unit.number = " ".join(words.split()), number_of(words[:40])
                unit.add(start, end, "heading")
            return rule.by == "opens"
        unit.label = heading.label
        self._number(unit, heading.number)
        if rule.by == "holds" or rule.heading[:1] not in ("", "/"):
            return False
        middle = end if apart else start + heading.end
        unit.add(start, middle, "label")
        unit.add(middle, end, "heading")
        unit.heading = " ".join(words[heading.end :].split()).strip("()（）[]【】 ") or unit.heading
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
