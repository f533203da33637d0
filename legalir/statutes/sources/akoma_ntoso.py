"""The source ``akoma_ntoso``: acts, bills, documents and judgments in Akoma Ntoso (LegalDocML), of any publisher.

Elements are known by their local names, so all namespaces and drafts are read. The country comes from the work's IRI;
a country without a table of its own has the table ``any``. Quoted structures are text of other acts: no provisions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction, jurisdictions, mark_repealed
from legalir.statutes.law import GivenLink, Law, LeftOut, Unit
from legalir.statutes.reading.elements import (
    Elements,
    Role,
    block,
    image,
    left_out,
    line_break,
    numbered,
    rules,
    spaced,
)
from legalir.statutes.reading.markup import Markup, attribute, local

if TYPE_CHECKING:
    from lxml import etree

_DOCUMENTS = frozenset(
    [
        "act",
        "amendment",
        "amendmentList",
        "bill",
        "debate",
        "debateReport",
        "doc",
        "documentCollection",
        "judgment",
        "officialGazette",
        "portion",
        "statement",
    ]
)
_GROUPS = frozenset(
    [
        "arguments",
        "background",
        "book",
        "chapter",
        "container",
        "decision",
        "division",
        "hcontainer",
        "introduction",
        "motivation",
        "part",
        "remedies",
        "subchapter",
        "subdivision",
        "subpart",
        "subtitle",
        "tblock",
        "title",
        "tome",
    ]
)
_BELOW = frozenset(
    [
        "alinea",
        "article",
        "clause",
        "crossHeading",
        "indent",
        "item",
        "level",
        "paragraph",
        "point",
        "proviso",
        "rule",
        "section",
        "subclause",
        "sublist",
        "subparagraph",
        "subrule",
        "subsection",
        "transitional",
    ]
)
_POINTS = frozenset(["indent", "item", "point"])
_BODIES = frozenset(
    ["amendmentBody", "body", "collectionBody", "debateBody", "judgmentBody", "mainBody", "portionBody"]
)
_QUOTES = frozenset(["quotedStructure", "embeddedStructure", "quotedText", "embeddedText"])
_OUTSIDE = {"meta": "metadata", "preface": "preface", "coverPage": "preface", "header": "preface"}
_OUTSIDE["conclusions"] = "conclusions"
_BLOCKS = frozenset(
    [
        "block",
        "blockContainer",
        "blockList",
        "caption",
        "citation",
        "citations",
        "content",
        "div",
        "embeddedStructure",
        "formula",
        "heading",
        "intro",
        "li",
        "list",
        "listIntroduction",
        "listWrapUp",
        "longTitle",
        "ol",
        "p",
        "quotedStructure",
        "recital",
        "recitals",
        "signature",
        "subFlow",
        "subheading",
        "ul",
        "wrapUp",
    ]
)
_HIERARCHY = _GROUPS | _BELOW
_LEFT_OUT = {"meta": "metadata", "toc": "table of contents", "del": "deleted text"}
_LANGUAGES = dict(
    pair.split(":")
    for pair in [
        "eng:en",
        "ita:it",
        "fra:fr",
        "fre:fr",
        "deu:de",
        "ger:de",
        "spa:es",
        "esp:es",
        "por:pt",
        "nld:nl",
        "dut:nl",
        "afr:af",
        "swa:sw",
        "ara:ar",
        "zho:zh",
        "jpn:ja",
        "kor:ko",
        "tha:th",
        "pol:pl",
        "ell:el",
        "ron:ro",
    ]
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_EXPRESSION = re.compile(r"/[a-z]{2,3}@[^/]*(?=/|$)|/[a-z]{3}(?=/!|$)")
_COMMA = re.compile(r"-(?:com|let|num|par|co)\w.*$")
_MARK = re.compile(r"\(\(|\)\)")


class Target(NamedTuple):
    """Target of an address: a law, as :func:`name_of` writes it, and a key in it; either may be empty."""

    law: str
    key: str


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read a document; its attachments and components are annexes."""
    markup = Markup(data, path.name)
    if local(markup.root) != "akomaNtoso":
        raise DataError(f"{path.name}: its root is <{local(markup.root)}>, not <akomaNtoso>.")
    documents = [each for each in markup.root.iter() if local(each) in _DOCUMENTS]
    if not documents:
        raise DataError(f"{path.name}: <akomaNtoso> holds no document, such as <act> or <bill>.")
    yield _Reader(path, markup, documents).law


def name_of(address: str) -> str:
    """Return the IRI of a work in one spelling: lower case, no underscores, no expression, no component.

    ``/akn/it/act/decretoLegislativo/stato/2005-03-07/82/ita@2025-01-30/!main`` and
    ``/akn/it/act/decreto_legislativo/stato/2005-03-07/82`` are the same.
    """
    path = address.partition("#")[0].partition("~")[0]
    if (start := path.find("/akn/")) >= 0:
        path = path[start:]
    elif path.startswith("akn/"):
        path = f"/{path}"
    path = _EXPRESSION.sub("", path)
    path = re.sub(r"/(!?main|!.*)$", "", path.rstrip("/")).rstrip("/")
    return path.lower().replace("_", "")


def target_of(address: str) -> Target | None:
    """Return what an address names, None for mail and the like."""
    if not address or address.startswith(("mailto:", "javascript:", "tel:")):
        return None
    if address.startswith("#"):
        return Target("", unquote(address[1:]))
    whole, _, fragment = address.partition("#")
    key = fragment or (whole.partition("~")[2] if "/akn/" in whole else "")
    return Target(
        name_of(whole), _COMMA.sub("", unquote(key)) if name_of(whole).startswith("/akn/it/") else unquote(key)
    )


class _Reader:
    def __init__(self, path: Path, markup: Markup, documents: list[etree._Element]) -> None:
        self.markup = markup
        self.main = _main(documents)
        self.is_judgment = local(self.main) == "judgment"
        self.law = self._facts(path)
        self.table = jurisdiction(self.law.country)
        self.own = {name_of(each) for each in self.law.names}
        marks = _marks(self.law.text, *markup.span(self.main)) if self.law.country == "it" else []
        other = (
            rules(block, *_BLOCKS) | rules(numbered, "num") | rules(spaced, "docTitle") | rules(line_break, "br", "eol")
        )
        other |= {name: left_out(reason) for name, reason in _LEFT_OUT.items()} | {"img": image}
        other |= rules(self._quoted, *_QUOTES) | rules(self._footnote, "authorialNote", "noteRef")
        other |= rules(self._reference, "ref", "rref", "mref")
        units = rules(self._hierarchy, *_HIERARCHY) | {"recital": self._recital}
        self.elements = Elements(markup, self.law, units, other, without=marks)
        self.annexes: list[str] = []
        self._split: list[tuple[int, Unit]] = []
        self._dates = dict(self._periods())
        self._document(markup.root, self.law.root)
        mark_repealed(self.law, self.table)

    # ---- what the law is ----

    def _facts(self, path: Path) -> Law:
        meta = self.markup.first(self.main, "meta")
        work, expression, copy = (
            next((each for each in meta.iter() if local(each) == name), None) if meta is not None else None
            for name in ("FRBRWork", "FRBRExpression", "FRBRManifestation")
        )
        uri = _value(work, "FRBRuri") or _value(work, "FRBRthis")
        parts = uri[uri.find("/akn/") + 5 :].split("/") if "/akn/" in uri else []
        country = _country(_value(work, "FRBRcountry") or (parts[0] if parts else ""))
        language = _value(expression, "FRBRlanguage", "language") or attribute(self.main, "lang")
        kind = _value(work, "FRBRsubtype") or (parts[2] if len(parts) > 5 else local(self.main))
        aliases = [attribute(each, "value") for each in (() if work is None else work) if local(each) == "FRBRalias"]
        names = [uri, name_of(uri), _value(work, "FRBRthis"), _value(work, "FRBRname"), *aliases]
        promulgated, since = _date(work), _date(expression)
        published = _value(copy, "FRBRdate", "date")[:10]
        law = Law(
            self.markup.text,
            self._title(work, meta) or path.stem,
            re.sub(r"[^\w.]+", "-", re.sub(r"^(?:https?://[^/]+)?/?(?:akn/)?(?:id/)?", "", uri)).strip("-")
            or path.stem,
            country,
            _LANGUAGES.get(language, language[:2]) or jurisdiction(country).lang,
            kind=kind,
            names=tuple(dict.fromkeys(filter(None, names))),
            number=_value(work, "FRBRnumber"),
            promulgated=promulgated,
            effective_from=since if since != promulgated else "",
            published=published if _DATE.fullmatch(published) else "",
        )
        law.law_id = "-".join(law.law_id.split())
        law.level = jurisdiction(country).level_of(kind.lower())
        law.amended_by = self._last_amendment(meta, since)
        return law

    def _title(self, work: etree._Element | None, meta: etree._Element | None) -> str:
        """Return the short title, the title in the preface, or what the metadata call it."""
        shown: dict[str, str] = {}
        for child in self.main:
            if local(child) in ("preface", "coverPage", "header", "preamble"):
                for each in child.iter():
                    if local(each) in ("shortTitle", "docTitle", "neutralCitation"):
                        shown.setdefault(local(each), self.markup.words(each))
        aliases = [
            attribute(each, "value")
            for each in (() if work is None else work)
            if local(each) == "FRBRalias" and attribute(each, "name") == "title"
        ]
        titles = [
            attribute(each, "content")
            for each in (() if meta is None else meta.iter())
            if local(each) == "span" and attribute(each, "property") == "eli:title"
        ]
        known = [shown.get("shortTitle"), *aliases, shown.get("docTitle"), shown.get("neutralCitation"), *titles]
        return " ".join(next(filter(None, known), "").split())

    def _last_amendment(self, meta: etree._Element | None, since: str) -> str:
        """Return the act of the last event of the life cycle that is not later than this version."""
        if meta is None:
            return ""
        sources = {
            attribute(each, "eId") or attribute(each, "id"): attribute(each, "showAs") or attribute(each, "href")
            for each in meta.iter()
            if local(each) in ("passiveRef", "TLCReference", "activeRef")
        }
        events = [
            (attribute(each, "date"), sources.get(attribute(each, "source").lstrip("#"), ""))
            for each in meta.iter()
            if local(each) == "eventRef"
        ]
        events = [(date, source) for date, source in events if source and (not since or date <= since)]
        return max(events)[1] if events else ""

    def _periods(self) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield each group of times that elements name by ``period``, with its first and last day."""
        dates = {
            attribute(each, "eId") or attribute(each, "id"): attribute(each, "date")
            for each in self.markup.root.iter()
            if local(each) == "eventRef"
        }
        for group in self.markup.root.iter():
            if local(group) == "temporalGroup":
                for each in self.markup.find(group, "timeInterval"):
                    ends = (dates.get(attribute(each, end).lstrip("#"), "") for end in ("start", "end"))
                    start, end = (date if _DATE.fullmatch(date) else "" for date in ends)
                    yield attribute(group, "eId") or attribute(group, "id"), (start, end)

    # ---- documents ----

    def _document(self, element: etree._Element, holder: Unit) -> None:
        """Read the content of a document, an attachment or a collection."""
        self.elements.add(holder, *self.markup.own(element))
        for child in element:
            name = local(child)
            if child is self.main:
                self._document(child, self.law.root)
            elif name in _OUTSIDE:
                self.elements.leave_out(child, _OUTSIDE[name])
            elif name in ("attachment", "component", "annex"):
                if any(each is self.main for each in child.iter()):
                    self._document(child, holder)
                else:
                    self._annex(child, holder)
            elif name in _DOCUMENTS or name in ("attachments", "components") or name == "collectionBody":
                self._document(child, holder)
            elif name in _BODIES:
                self._body(child, holder)
            elif name == "preamble":
                unit = Unit("preamble", "preamble", key=_key(child))
                self.elements.inside(child, unit)
                holder.content.append(unit)
            elif holder.kind == "annex" and name in ("heading", "subheading", "num"):
                self._name_annex(holder, child)
            elif name:
                self.elements.line(holder)
                self.elements.read(child, holder)
                self.elements.line(holder)
            self.elements.add(holder, *self.markup.tail(child))

    def _annex(self, element: etree._Element, holder: Unit) -> None:
        unit = Unit("annex", "annex", key=_key(element))
        holder.content.append(unit)
        position = len(self.annexes)
        self.annexes.append("")
        self._document(element, unit)
        if not self.law.render(unit, own_title=True):  # A component that is only named.
            holder.content.remove(unit)
            self.annexes.pop()
            return
        if not unit.label and not unit.heading:
            titles = [each for each in element.iter() if local(each) == "docTitle"]
            unit.heading = self.markup.words(titles[0]) if titles else ""
        number = number_of(unit.label)
        unit.number = number if number and number not in self.annexes else str(position + 1)
        self.annexes[position] = unit.number

    def _name_annex(self, unit: Unit, element: etree._Element) -> None:
        if not unit.label and local(element) != "subheading":
            unit.label = self.elements.title(element, unit, "label")
        else:
            words = self.elements.title(element, unit, "heading")
            unit.heading = f"{unit.heading} {words}".strip()

    def _body(self, body: etree._Element, holder: Unit) -> None:
        self._split = []
        self.elements.inside(body, holder)
        self._split = []

    # ---- units ----

    def _quoted(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        is_block = local(element) in _BLOCKS
        if is_block:
            elements.line(unit)
        elements.quote(element, unit, attribute(element, "startQuote"), attribute(element, "endQuote"))
        if is_block:
            elements.line(unit)

    def _footnote(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.leave_out(element, "footnote")
        for each in element.iter():
            self._add_links(each, unit)

    def _reference(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        self._add_links(element, unit)
        elements.inside(element, unit, role)

    def _recital(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        if unit.kind == "preamble" and self.markup.first(element, "num") is not None:
            self._unit(unit, element, "item")
        else:
            block(elements, element, unit, role)

    def _hierarchy(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        """Read an element of the hierarchy as a unit, or as lines of the holder."""
        if holder.kind == "preamble" or not self._opened(holder, element):
            block(elements, element, holder, role)

    def _opened(self, holder: Unit, element: etree._Element) -> bool:
        """Open the unit of an element of the hierarchy; return False where its text belongs to the holder."""
        name = local(element)
        num, heading = (self.markup.first(element, each) for each in ("num", "heading"))
        numbered = num is not None and any(sign.isalnum() for sign in self.markup.words(num))
        if holder.kind in ("article", "paragraph", "item", "subitem"):
            if not numbered:
                return False
            deeper: dict[Kind, Kind] = {"article": "paragraph", "paragraph": "item"}
            kind = deeper.get(holder.kind, "subitem")
            self._unit(holder, element, "item" if kind == "paragraph" and name in _POINTS else kind)
        elif name in _GROUPS or (name == "section" and _holds(element, {"article", "section"})):
            if (
                name == "section"
                or _holds(element, _BELOW - _POINTS | _GROUPS)
                or (self.is_judgment and name in _GROUPS)
            ):
                self._group(holder, element, num if numbered else None, heading)
            elif not numbered and heading is None:
                return False
            else:
                self._unit(holder, element, "article")
        elif name in _POINTS and not self.is_judgment:
            if not numbered:
                return False
            self._unit(holder, element, "item")
        else:
            self._unit(holder, element, "article")
        return True

    def _unit(self, holder: Unit, element: etree._Element, kind: Kind) -> None:
        unit = Unit(kind, local(element), key=_key(element))
        holder.content.append(unit)
        self._fill(unit, element)

    def _fill(self, unit: Unit, element: etree._Element) -> None:
        """Give a unit its number, heading, dates and text."""
        unit.repealed = attribute(element, "status") in ("removed", "repealed")
        unit.effective_from, unit.effective_to = self._dates.get(attribute(element, "period").lstrip("#"), ("", ""))
        self.elements.add(unit, *self.markup.own(element))
        for child in element:
            name = local(child)
            if name == "num" and not unit.label:
                unit.label = self.elements.title(child, unit, "label")
                unit.number = number_of(unit.label.rstrip(".")) or "-".join(re.findall(r"\w+", unit.label))
            elif name in ("heading", "subheading"):
                unit.heading = f"{unit.heading} {self.elements.title(child, unit, 'heading')}".strip()
            else:
                self.elements.read(child, unit)
            self.elements.add(unit, *self.markup.tail(child))
        if unit.heading.startswith("(") and unit.heading.rstrip(".").endswith(")"):
            unit.heading = unit.heading.rstrip(".")[1:-1].strip()

    def _group(
        self, holder: Unit, element: etree._Element, num: etree._Element | None, heading: etree._Element | None
    ) -> None:
        parts = self._headings(heading) if num is None and heading is not None else []
        if not parts:
            unit = Unit("group", local(element), key=_key(element))
            if num is None and self._split and heading is not None:  # A heading without its own number.
                holder = self._above(self._split[-1][0], holder)
            holder.content.append(unit)
            outer, self._split = self._split, []
            self._fill(unit, element)
            self._split = outer
            return
        unit = holder
        for depth, level, label, (start, end) in parts:
            unit = Unit("group", level, number_of(label), label)
            self._above(depth, holder).content.append(unit)
            self._split.append((depth, unit))
            rest = Unit("law")
            self.elements.add(rest, start + len(label), end)
            unit.heading = self.law.render(rest)
            unit.add(start, start + len(label), "label")
            for span in rest.spans():
                unit.add(span.start, span.end, "heading")
        unit.key = _key(element)
        outer, self._split = self._split, []
        self.elements.add(unit, *self.markup.own(element))
        for child in element:
            if local(child) == "num":
                self.elements.leave_out(child, "markup")
            elif child is not heading:
                self.elements.read(child, unit)
            self.elements.add(unit, *self.markup.tail(child))
        self._split = outer

    def _above(self, depth: int, holder: Unit) -> Unit:
        """Close the groups that headings opened from this depth on, and return the group that stays open."""
        while self._split and self._split[-1][0] >= depth:
            self._split.pop()
        return self._split[-1][1] if self._split else holder

    def _headings(self, heading: etree._Element) -> list[tuple[int, str, str, tuple[int, int]]]:
        """Return depth, level, label and place of each heading that runs together with others in one element.

        ``Capo I PRINCIPI Sezione I Definizioni`` is two: the place of the first ends where the second starts.
        """
        start, end = self.markup.span(heading)
        if len(heading):
            return []
        found: list[tuple[int, int, str, str]] = []
        for match in re.finditer(r"(?<!\w)[A-Z]\w+", self.law.text[start:end]):
            opened = self.table.heading(self.law.text[start + match.start() : end])
            if opened and opened.level.kind == "group":
                found.append((start + match.start(), opened.depth, opened.level.name, opened.label))
        if not found or any(sign.isalnum() for sign in self.law.text[start : found[0][0]]):
            return []
        self.law.leave_out(start, found[0][0], "editor's mark")
        ends = [each[0] for each in found[1:]] + [end]
        return [
            (depth, level, label, (at, until)) for (at, depth, level, label), until in zip(found, ends, strict=True)
        ]

    def _add_links(self, element: etree._Element, unit: Unit) -> None:
        """Add what `ref` and the ends of `rref` name; in quoted text, too."""
        name = local(element)
        if name not in ("ref", "rref", "mref"):
            return
        kind = "amends" if any(local(each) == "mod" for each in element.iterancestors()) else "cites"
        for each in ("href",) if name == "ref" else ("from", "upTo"):
            target = target_of(attribute(element, each))
            if target is not None:
                law = "" if target.law in self.own else target.law
                unit.links.append(GivenLink(*self.elements.span(element), law, target.key, kind))


def _main(documents: list[etree._Element]) -> etree._Element:
    """Return the first act or bill of a collection, else the first document."""
    if local(documents[0]) == "documentCollection":
        return next((each for each in documents if local(each) in ("act", "bill")), documents[0])
    return documents[0]


def _marks(text: str, start: int, end: int) -> list[LeftOut]:
    """Return the places of ``((`` and ``))`` that belong together: an editor puts them around amended words."""
    open_: list[re.Match[str]] = []
    places: list[LeftOut] = []
    for match in _MARK.finditer(text, start, end):
        if match[0] == "((":
            open_.append(match)
        elif open_:
            places += [LeftOut(*each.span(), "editor's mark") for each in (open_.pop(), match)]
    return sorted(places)


def _holds(element: etree._Element, names: frozenset[str] | set[str]) -> bool:
    """Return True if an element contains an element of these names that is not quoted."""
    return any(
        _holds(child, names) or local(child) in names
        for child in element
        if local(child) not in _QUOTES and local(child)
    )


def _key(element: etree._Element) -> str:
    return next(filter(None, (attribute(element, name) for name in ("eId", "id", "wId"))), "")


def _value(element: etree._Element | None, name: str, field: str = "value") -> str:
    values = (attribute(each, field) for each in (() if element is None else element) if local(each) == name)
    return next(filter(None, values), "")


def _date(element: etree._Element | None) -> str:
    """Return the date of a work or an expression, if it is a whole day."""
    date = _value(element, "FRBRdate", "date")[:10]
    match = re.search(r"@(\d{4}-\d\d-\d\d)", _value(element, "FRBRuri"))
    return match[1] if match else date if _DATE.fullmatch(date) else ""


def _country(code: str) -> str:
    """Return a country as the tables name it: ``GB-UKM`` is ``uk``."""
    code = code.lower().partition("-")[0]
    return "uk" if code == "gb" and "uk" in jurisdictions() else code or "any"


def _recognises(path: Path, head: bytes) -> bool:
    return re.search(rb"<(\w+:)?akomaNtoso[\s>]", head) is not None


FORMATS = (Format("akoma_ntoso", (".xml", ".akn"), _recognises, read, needs="the root `akomaNtoso`"),)
akoma_ntoso = factory_of(
    StatuteFiles, 'Laws in Akoma Ntoso (LegalDocML): ``akoma_ntoso(path="laws/")``.', formats=FORMATS[0]
)
