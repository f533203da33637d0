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

from legalir.analysis.language import language_code
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction, jurisdictions, mark_repealed
from legalir.statutes.law import GivenLink, Law, LeftOut, Span, Unit
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
_NO_LAWS = frozenset(["amendment", "amendmentList", "debate", "debateReport", "judgment", "statement"])
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
_ARTICLES = ("article", "section", "regulation", "rule", "clause")
"""What laws may have as their article; the first that a body has is its article, and a section beside articles is one
if it holds none."""

_HIGH = {"L": 50, "C": 100, "D": 500, "M": 1000}
_ANNEXES = ("schedule", "annex", "appendix")
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
_COUNTRIES = {
    "aut": "at",
    "bgr": "bg",
    "che": "ch",
    "dnk": "dk",
    "est": "ee",
    "irl": "ie",
    "lux": "lu",
    "mlt": "mt",
    "pol": "pl",
    "prt": "pt",
    "rou": "ro",
    "svk": "sk",
    "svn": "si",
    "swe": "se",
    "zaf": "za",
    "gbr": "uk",
}
"""Countries by three letters (ISO 3166), where these do not begin with the two letters; addresses end in them."""

_DAYS = {
    "end": r"^end|nolonger|validto|expir|ausserkraft|repeal",
    "version": r"applicab|consolidat|version|validfrom|pointintime",
    "begin": r"entry|inforce|inkraft|effective|vigen|vigor|commence",
    "made": r"document|issue|enact|promulg|adopt|sign|assent|ausfertig|made|emana",
    "published": r"publi|gazette|verk(ue|ü)nd",
}
"""What a date is, by words in its name; the first that fits counts."""

_OF_FILES = re.compile("transform|convers|markup|xml|export|download|retriev|scrap")
"""Words in the name of a date that is of a file, not of the law."""

_CONSOLIDATION = re.compile(r"(?:/consolide)?/(?:1[2-9]|2[0-4])\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])$")
"""The day of a consolidation at the end of an address, which all versions of the law share but for it."""

_EXPRESSION = re.compile(r"/[a-z]{2,3}@[^/]*(?=/|$)|/[a-z]{3}(?=/!|$)")
_ITALIAN_ACT = re.compile(r"/akn/it/act/(\w+)/stato/(\d{4})[\d-]*/(\d{1,5}|const)$")
"""The address of an act of Italy, whose constitution has no number."""
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_COMMA = re.compile(r"-(?:com|let|num|par|co)\w.*$")
_WORD, _SIGN = re.compile(r"\w"), re.compile(r"\S")
_LETTER = re.compile(r"\W*(?:art\w*\.?\W+)?([IVXLCDM])\W*", re.IGNORECASE)
_MARK = re.compile(r"\(\(|\)\)")
_SENTENCE = re.compile(r"[.;:!?。][)\]»”\"’]*\s*$")
_TITLES = ("num", "heading", "subheading", "docTitle", "shortTitle")
_STUCK = re.compile(r"[\w.:;!?)\]][\w§]")
_SUFFIX = re.compile(r"\d(?:[^\W\d]{1,2}|bis|ter|qu\w+er|\w+ies)|[^\W\d]\d", re.IGNORECASE)
"""What goes on with a number or a name that stands before it without a blank: 5a, 5bis, CO2."""
_WORDS_IN_TEXT = re.compile("a|b|br|em|i|li|ol|p|span|strong|sub|sup|table|u|ul")
"""Names of elements that are text in any vocabulary."""
_TEXT_SPACES = ("{http://www.w3.org/1999/xhtml", "{http://www.w3.org/1998/Math/MathML", "")


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
    law = _Reader(path, markup, documents).law
    if (name := local(_main(documents))) in _NO_LAWS:
        law.notes.append(f"{law.title}: the file holds a <{name}>, not a law. Leave it out of a collection of laws.")
    yield law


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
    return re.sub(r"/jo$", "", _undated(path)).lower().replace("_", "")


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


def _undated(address: str) -> str:
    """Return the address of a work without its main component, and without the day of a consolidation."""
    return _CONSOLIDATION.sub("", re.sub(r"/(!?main(?:-text)?|!.*)$", "", address.rstrip("/")).rstrip("/"))


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
        marks = sorted([*marks, *_metadata(markup)])
        self.elements = Elements(markup, self.law, units, other, without=marks)
        self._articles: frozenset[str] = frozenset()
        self._under: dict[int, Unit] = {}
        self._empty: list[Unit] = []
        self._annexed, self._period = False, ("", "")
        self.annexes: list[str] = []
        self._split: list[tuple[int, Unit]] = []
        self._dates = dict(self._periods())
        self._document(markup.root, self.law.root)
        mark_repealed(self.law, self.table)
        self._mark_empty()

    def _mark_empty(self) -> None:
        """Mark articles without text as repealed: the words of repeal are in a footnote, or in the metadata."""
        articles = sum(unit.kind == "article" for unit in self.law.root.walk())
        if not self.is_judgment and len(self._empty) < articles:
            for unit in self._empty:
                unit.repealed = True

    def _has_text(self, unit: Unit, sign: re.Pattern[str] = _WORD) -> bool:
        """Return True if a unit has more than labels and headings: a word, or another sign."""
        return any(
            self._has_text(part, sign)
            if isinstance(part, Unit)
            else bool(sign.search(part if isinstance(part, str) else self.law.text[part.start : part.end]))
            for part in unit.content
            if not isinstance(part, Span) or part.role == "text"
        )

    # ---- what the law is ----

    def _facts(self, path: Path) -> Law:
        meta = self.markup.first(self.main, "meta")
        work, expression, copy = (
            next((each for each in meta.iter() if local(each) == name), None) if meta is not None else None
            for name in ("FRBRWork", "FRBRExpression", "FRBRManifestation")
        )
        uri = _undated(_value(work, "FRBRuri") or _value(work, "FRBRthis"))
        parts = uri[uri.find("/akn/") + 5 :].split("/") if "/akn/" in uri else []
        country = _country(_value(work, "FRBRcountry") or (parts[0] if parts else ""))
        language = _value(expression, "FRBRlanguage", "language") or attribute(self.main, "lang")
        kind = _value(work, "FRBRsubtype") or (parts[2] if len(parts) > 5 else local(self.main))
        aliases = [attribute(each, "value") for each in (() if work is None else work) if local(each) == "FRBRalias"]
        code = language_code(language)
        names = [uri, name_of(uri), re.sub(r"^https?://[^/]+(?=/eli/)", "", name_of(uri)), _value(work, "FRBRthis")]
        names += [*_names(work, code), *aliases]
        numbers = (
            "".join(map(str, each.itertext())).strip() for each in self.main.iter() if local(each) == "docNumber"
        )
        names += [one for one in numbers if re.fullmatch(r"\d{1,4}/\d{4}", one)][:1]  # In Finland the law is cited so.
        if act := _ITALIAN_ACT.search(uri):
            cited = _JOINED.sub(" ", act[1]).lower()
            names.append(cited if act[3] == "const" else f"{cited} {act[3]}/{act[2]}")
        made, days = _dates(work, "made"), _dates(expression, "version")
        promulgated = made.get("made", "")
        since = next(filter(None, (one.get(each) for each in ("version", "begin") for one in (days, made))), "")
        law = Law(
            self.markup.text,
            self._title(work, meta) or path.stem,
            re.sub(r"[^\w.]+", "-", re.sub(r"^(?:https?://[^/]+)?/?(?:akn/)?(?:id/)?", "", uri)).strip("-")
            or path.stem,
            country,
            code or ("" if language else jurisdiction(country).lang),
            kind=kind,
            names=tuple(dict.fromkeys(filter(None, names))),
            number=_value(work, "FRBRnumber"),
            promulgated=promulgated,
            effective_from=since if since != promulgated else "",
            effective_to=days.get("end", "") or made.get("end", ""),
            published=made.get("published", "") or iso_day(_value(copy, "FRBRdate", "date")[:10]),
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
                    if local(each) in ("shortTitle", "docTitle", "neutralCitation", "longTitle"):
                        shown.setdefault(local(each), " ".join("".join(_title_words(self.markup, each)).split()))
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
        known.append(shown.get("longTitle"))
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
                    start, end = (iso_day(date) for date in ends)
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
        names = {_name(each) for each in _hierarchy(body)}
        article = next((each for each in _ARTICLES if each in names), "")
        if not article and not self.is_judgment and any(_name(each) == "paragraph" for each in _top(body)):
            article = "paragraph"
        self._articles = frozenset({article, "section"} if article == "article" else filter(None, {article}))
        self._split, self._under, self._annexed = [], {}, holder.kind == "annex"
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
        if local(element) == "crossHeading" and holder.kind in ("law", "group", "annex"):
            self._cross(holder, element)
        elif holder.kind == "preamble" or not self._opened(self._under.get(id(holder), holder), element):
            block(elements, element, holder, role)

    def _cross(self, holder: Unit, element: etree._Element) -> None:
        """Open a group for what follows in the holder; a heading right after another one is below it."""
        above = self._under.get(id(holder))
        unit = Unit("group", "crossHeading", key=_key(element))
        (holder if above is None or above.units else above).content.append(unit)
        unit.heading = self.elements.title(element, unit, "heading")
        self._under[id(holder)] = unit

    def _opened(self, holder: Unit, element: etree._Element) -> bool:
        """Open the unit of an element of the hierarchy; return False where its text belongs to the holder."""
        name = _name(element)
        num, heading = (self.markup.first(element, each) for each in ("num", "heading"))
        numbered = num is not None and any(sign.isalnum() for sign in self.markup.words(num))
        if name == "article" and holder.kind == "article":
            self._unit(holder, element, "article")
        elif holder.kind in ("article", "paragraph", "item", "subitem"):
            if not numbered:
                return False
            deeper: dict[Kind, Kind] = {"article": "paragraph", "paragraph": "item"}
            kind = deeper.get(holder.kind, "subitem")
            self._unit(holder, element, "item" if kind == "paragraph" and name in _POINTS else kind)
        elif name in self._articles and not (name == "section" and _holds(element, self._articles)):
            self._unit(holder, element, "article")
        elif name in _ANNEXES and num is not None:
            self._unit(holder, element, "annex")
        elif _holds(element, self._articles) or (
            local(element) in _GROUPS and (_holds(element, _BELOW - _POINTS | _GROUPS) or self.is_judgment)
        ):
            self._group(holder, element, num if numbered else None, heading)
        elif local(element) in _GROUPS and not numbered and heading is None:
            return False
        elif self._articles and not any(
            self.markup.words(each) for each in element if local(each) not in ("num", "heading", "subheading")
        ):
            self._group(holder, element, num if numbered else None, heading)  # A heading of what is repealed.
        elif name in _POINTS and not self.is_judgment:
            if not numbered:
                return False
            self._unit(holder, element, "item")
        else:
            self._unit(holder, element, "article")
        return True

    def _unit(self, holder: Unit, element: etree._Element, kind: Kind) -> None:
        unit = Unit(kind, _name(element), key=_key(element))
        holder.content.append(unit)
        outer, self._annexed = self._annexed, self._annexed or kind == "annex"
        self._fill(unit, element)
        self._annexed = outer
        if kind == "article" and not self._has_text(unit):
            notes = any(local(each) in ("authorialNote", "noteRef", "remark") for each in element.iter())
            if notes or self._has_text(unit, _SIGN) or not _WORD.search(unit.heading):
                self._empty.append(unit)
        letter = _LETTER.fullmatch(unit.label)
        if letter and len(units := holder.units) > 1:
            unit.number = _after(units[-2].number, letter[1].upper()) or unit.number
        if (
            kind == "article"
            and self._articles
            and unit.number
            and unit.level not in self._articles
            and not self._annexed
            and not (unit.level == "level" and unit.number.isalpha())  # B. of the final provisions
        ):
            unit.number = f"{unit.level}-{unit.number}"  # Chapter 4 that is repealed is not article 4.

    def _fill(self, unit: Unit, element: etree._Element) -> None:
        """Give a unit its number, heading, dates and text."""
        unit.repealed = attribute(element, "status") in ("removed", "repealed")
        above = self._period
        self._period = self._dates.get(attribute(element, "period").lstrip("#"), above)
        unit.effective_from, unit.effective_to = self._period
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
        self._period = above
        if unit.heading.startswith("(") and unit.heading.rstrip(".").endswith(")"):
            unit.heading = unit.heading.rstrip(".")[1:-1].strip()

    def _group(
        self, holder: Unit, element: etree._Element, num: etree._Element | None, heading: etree._Element | None
    ) -> None:
        parts = self._headings(heading) if num is None and heading is not None else []
        if not parts:
            unit = Unit("group", _name(element), key=_key(element))
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


def _title_words(markup: Markup, element: etree._Element) -> Iterator[str]:
    """Yield the words of a title without its footnotes and metadata; its lines are separate words."""
    yield element.text or ""
    for child in element:
        if local(child) not in ("authorialNote", "noteRef", "") and not _is_beside(markup, child, element):
            yield from _title_words(markup, child)
        yield (" " if local(child) in _BLOCKS | {"br", "eol"} else "") + (child.tail or "")


def _after(number: str, letter: str) -> str:
    """Return what a letter is after a number: after H, I is a letter; after 49, L is 50."""
    if number == chr(ord(letter) - 1):
        return letter
    return str(_HIGH[letter]) if letter in _HIGH and number == str(_HIGH[letter] - 1) else ""


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


def _name(element: etree._Element) -> str:
    """Return what an element of the hierarchy is; a container says it in an attribute."""
    name = local(element)
    return attribute(element, "name") or name if name == "hcontainer" else name


def _hierarchy(body: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements of the hierarchy in a body that are not quoted."""
    for child in body:
        if local(child) in _HIERARCHY:
            yield child
        if local(child) and local(child) not in _QUOTES:
            yield from _hierarchy(child)


def _top(body: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements of the hierarchy right below a body and its groups."""
    for each in body:
        if local(each) in _HIERARCHY:
            yield each
            if local(each) in _GROUPS:
                yield from _top(each)


def _metadata(markup: Markup) -> Iterator[LeftOut]:
    """Yield the places of elements of other vocabularies that stand beside the text of the law, not in it."""
    space = _space(markup.root)
    for element in markup.root.iter():
        holder = element.getparent()
        if holder is not None and _space(holder) == space and _is_beside(markup, element, holder):
            for each in element.iter():
                yield LeftOut(*markup.own(each), "metadata")
                if each is not element:
                    yield LeftOut(*markup.tail(each), "metadata")


def _is_beside(markup: Markup, element: etree._Element, holder: etree._Element) -> bool:
    """Return True if an element of another vocabulary is no text: between paragraphs, or behind the last sentence."""
    space, name = _space(holder), local(holder)
    if not isinstance(element.tag, str) or _space(element) in (space, *_TEXT_SPACES):
        return False
    if any(_space(each) == space for each in element.iter()):
        return False
    if name in _HIERARCHY | _BODIES:
        return True
    if _WORDS_IN_TEXT.fullmatch(local(element)):
        return False
    if name in ("blockContainer", "blockList", "content", "intro", "list", "wrapUp"):
        return any(_space(each) == space and markup.words(each) for each in holder)
    words = [markup.text[slice(*markup.span(each))] if _space(each) == space else "" for each in holder]
    texts = [f"{own}{each.tail or ''}" for own, each in zip(words, holder, strict=True)]
    place = holder.index(element)
    before, after = (holder.text or "") + "".join(texts[:place]), (element.tail or "") + "".join(texts[place + 1 :])
    if name in _TITLES:
        if name == "num" and not number_of(f"{before}{after}".strip(" .")):
            return False
        own = markup.words(element)
        if not before.strip():
            return len(own) > 1 and _STUCK.match(own[-1] + after[:1]) is not None
        if not after.strip() and _STUCK.match(ends := before[-1] + own):
            return not _SUFFIX.fullmatch(ends)
    return not after.strip() and _SENTENCE.search(before) is not None


def _space(element: etree._Element) -> str:
    return element.tag.rpartition("}")[0] if isinstance(element.tag, str) else ""


def _names(work: etree._Element | None, lang: str) -> Iterator[str]:
    """Yield the names of a work, long and short, that are in the language of the text or in none."""
    for each in () if work is None else work:
        if local(each) == "FRBRname" and language_code(attribute(each, "lang")) in ("", lang):
            yield attribute(each, "value")
            yield attribute(each, "shortForm")


def _dates(element: etree._Element | None, default: str) -> dict[str, str]:
    """Return the days of a work or an expression by what they are (`_DAYS`), or `default` if the name does not say."""
    days: dict[str, str] = {}
    if match := re.search(r"@(\d{4}-\d\d-\d\d)", _value(element, "FRBRuri")):
        days[default] = match[1]
    dates: list[tuple[bool, bool, str, str]] = []
    for each in () if element is None else element:
        if local(each) == "FRBRdate" and (day := iso_day(attribute(each, "date")[:10])):
            name = attribute(each, "name").rpartition(":")[2].lower().replace("-", "").replace("date", "")
            kind = next((kind for kind, words in _DAYS.items() if re.search(words, name)), "")
            if not _OF_FILES.search(name):
                dates.append((not kind, "generat" in name, kind or default, day))
    for _, generated, kind, day in sorted(dates, key=lambda each: each[:2]):
        if not (generated and days):  # In files of Laws.Africa it is the only date, and that of the law.
            days.setdefault(kind, day)
    return days


def _country(code: str) -> str:
    """Return a country as the tables name it: ``GB-UKM`` is ``uk``, ``…/authority/country/LUX`` is ``lu``."""
    code = code.rstrip("/").rpartition("/")[2].lower().partition("-")[0]
    code = _COUNTRIES.get(code, code[:2] if len(code) == 3 else code)
    return "uk" if code == "gb" and "uk" in jurisdictions() else code or "any"


def _recognises(path: Path, head: bytes) -> bool:
    return re.search(rb"<(\w+:)?akomaNtoso[\s>]", head) is not None


FORMATS = (Format("akoma_ntoso", (".xml", ".akn"), _recognises, read, needs="the root `akomaNtoso`"),)
akoma_ntoso = factory_of(
    StatuteFiles, 'Laws in Akoma Ntoso (LegalDocML): ``akoma_ntoso(path="laws/")``.', formats=FORMATS[0]
)
