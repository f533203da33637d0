"""The source ``uk_clml``: legislation of the United Kingdom in the Crown Legislation Markup Language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from legalir.analysis.language import language_code
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction
from legalir.statutes.law import NOT_YET, GivenLink, Law, Unit
from legalir.statutes.reading.elements import (
    JOIN,
    Elements,
    Role,
    block,
    power,
    preamble,
    reasons,
    rules,
    titled,
)
from legalir.statutes.reading.markup import Markup, attribute, local

if TYPE_CHECKING:
    from lxml import etree

_GROUPS = {
    "Group": "group of parts",
    "Part": "part",
    "Chapter": "chapter",
    "Pblock": "cross-heading",
    "PsubBlock": "sub-heading",
    "EUPart": "part",
    "EUTitle": "part",
    "EUChapter": "chapter",
    "EUSection": "cross-heading",
    "EUSubsection": "sub-heading",
    "Division": "cross-heading",
}
_LEVELS: dict[str, tuple[Kind, Kind]] = {
    # in the body, in a schedule
    "P1": ("article", "item"),
    "P2": ("paragraph", "subitem"),
    "P3": ("item", "subitem"),
    "P4": ("subitem", "subitem"),
    "P5": ("subitem", "subitem"),
    "P6": ("subitem", "subitem"),
    "P7": ("subitem", "subitem"),
}
_NAMES = {"P2": "subsection", "P3": "paragraph"}
_LEFT_OUT = {
    "metadata": ("Metadata", "Number", "SubjectInformation"),
    "title": ("PrimaryPrelims", "SecondaryPrelims", "EUPrelims"),
    "dates of making": ("MadeDate", "LaidDate", "ComingIntoForce", "SiftedDate", "DateOfEnactment", "Draft"),
    "table of contents": ("Contents", "ContentsSchedules"),
    "editor's note": ("Commentaries", "CommentaryRef", "MarginNotes", "MarginNoteRef"),
    "footnote": ("Footnotes", "FootnoteRef"),
    "explanatory note": ("ExplanatoryNotes", "EarlierOrders"),
    "signature": ("SignedSection",),
    "another version": ("Versions",),
    "resources": ("Resources", "IncludedDocument"),
}
_BLOCKS = (
    *("Text", "P", "Para", "ListItem", "UnorderedList", "P1para", "P2para", "P3para", "P4para", "P5para", "P6para"),
    *("Tabular", "TableText", "Formula", "Where", "Figure", "Image", "BlockText", "Form", "Appendix", "Abstract"),
)
_ADDRESS = re.compile(
    r"legislation\.gov\.uk/(?:id/)?(?P<law>[a-z]+/(?:\d{4}|[A-Z]\w+/[\d-]+(?:/\w+/[\d-]+)*)/\d+)(?:/(?P<rest>[^?#]*))?"
)
_ADDRESSES = "http://www.legislation.gov.uk/id/"
_MARKS = {"double": ("“", "”"), "single": ("‘", "’")}
_ARTICLE = re.compile(r"(?:article|rule)\s+(?:\d+\w*|[IVX]+\b)", re.IGNORECASE)
_DOTS = re.compile(r"[\s.·…]*")
_PROVISION = re.compile(r"\b(section|regulation|article|rule)s?\s+(\d+[A-Z]{0,2})\b", re.IGNORECASE)
_RELATED = re.compile(
    r"(?:sections?|regulations?|articles?|rules?|paragraphs?)\s*[\d()\w,\s]+?(?=$|[)\]]$)", re.IGNORECASE
)


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read one act or instrument."""
    markup = Markup(data, path.name)
    if local(markup.root) != "Legislation":
        raise DataError(f"{path.name} is not CLML: its root is {local(markup.root)}, not Legislation.")
    yield _Reader(markup).law


class _Reader:
    """The state of one file."""

    def __init__(self, markup: Markup) -> None:
        self._markup = markup
        self.law = _law(markup)
        self._laws = {
            each.get("id"): attribute(each, "URI")
            for each in markup.root.iter("{*}Citation")
            if each.get("id") and each.get("URI")
        }
        self._annexes = 0
        self._dates: list[tuple[str, str]] = []
        self._heading: tuple[int, int] | None = None
        self._prospective = 0
        self._opening: Unit | None = None
        units = rules(self._group, *_GROUPS) | rules(self._provision, *_LEVELS)
        units |= rules(self._provisions, "P1group", "P2group", "P3group") | rules(self._schedule, "Schedule")
        units |= rules(self._preamble, "LongTitle", "SecondaryPreamble", "PrimaryPreamble", "EUPreamble")
        other = rules(block, *_BLOCKS) | reasons(_LEFT_OUT) | rules(_amendment, "BlockAmendment", "BlockExtract")
        other |= rules(titled("label"), "Pnumber") | rules(_heading, "Title", "Subtitle")
        other |= rules(titled("heading"), "TitleBlock") | rules(_append, "AppendText")
        other |= rules(self._reference, "Reference")
        other |= rules(self._prelims, "PrimaryPrelims", "SecondaryPrelims", "EUPrelims")
        other |= rules(self._number, "Number") | rules(_ordered, "OrderedList")
        other |= {"Schedules": self._schedules, "Superior": power}
        other |= rules(self._citation, "Citation", "CitationSubRef") | rules(self._internal, "InternalLink")
        self._elements = Elements(markup, self.law, units, other)
        self._elements.read(markup.root, self.law.root)
        if self._prospective:
            self.law.notes.append(
                f"{self.law.title}: {self._prospective} provisions are not in force yet (Prospective)."
            )

    def _prelims(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        for child in element:
            if local(child) in ("Title", "MultilineTitle", "Number"):
                self.law.leave_out(*self._markup.span(child), "title")
            elif local(child) in ("IntroductoryText",):
                elements.inside(child, unit)
            else:
                elements.read(child, unit)

    def _preamble(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        """Read the long title and the enacting words as one preamble."""
        if self._opening is None:
            preamble(elements, element, holder, role)
            self._opening = holder.units[-1] if holder.units else None
        else:
            block(elements, element, self._opening, role)

    def _schedules(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        """Read the schedules without their common title, which is only that word."""
        for child in element:
            if local(child) in ("Title", "TitleBlock", "Number"):
                elements.leave_out(child, "title")
            else:
                elements.read(child, unit)

    def _number(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.inside(element, unit, "text" if elements.quoting else "label")
        if elements.quoting:
            elements.line(unit)

    def _group(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        unit = Unit("group", _GROUPS[local(element)], key=attribute(element, "id"))
        # The date of a group is the last of its provisions: it counts for text that has no date of its own.
        unit.effective_from, unit.effective_to = self._since(element)
        self._dates.append((unit.effective_from, unit.effective_to))
        elements.enter(element, holder, unit)
        self._dates.pop()
        if self._annexes and (match := _ARTICLE.match(unit.label or unit.heading)):
            # An article of a treaty: its paragraphs begin with 1.
            unit.kind, unit.level, unit.number = "article", "article", number_of(match[0])
            if not unit.label:
                unit.label, unit.heading = match[0], unit.heading[match.end() :].strip(" .:–—-")

    def _provisions(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        inner = "P" + local(element)[1]
        own = list(self._markup.find(element, inner))
        title = self._markup.first(element, "Title")
        self._dates.append(self._since(element))
        if not own:
            block(elements, element, holder, "text")
        else:
            self._heading = self._markup.span(title) if title is not None else None
            heading = self._markup.words(title) if title is not None else ""
            for child in element:
                if child is not title:
                    elements.read(child, holder)
                    if local(child) == inner and heading:
                        holder.units[-1].heading = heading
            self._heading = None
        self._dates.pop()

    def _provision(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        name = local(element)
        annexed = self._annexes > 0
        key = attribute(element, "id")
        level = key.partition("-")[0] if name == "P1" and key and not annexed else _NAMES.get(name, "sub-paragraph")
        unit = Unit(_LEVELS[name][annexed], level, key=key)
        if self._heading:
            unit.add(*self._heading, "heading")
            self._heading = None
        unit.effective_from, unit.effective_to = self._since(element)
        self._dates.append((unit.effective_from, unit.effective_to))
        elements.enter(element, holder, unit)
        self._dates.pop()
        unit.repealed = attribute(element, "Status") == "Repealed"
        if name == "P1" and (text := self.law.render(unit)):
            unit.repealed = unit.repealed or bool(_DOTS.fullmatch(text))
        self._prospective += unit.effective_from == NOT_YET and name == "P1"

    def _since(self, element: etree._Element) -> tuple[str, str]:
        above = self._dates[-1] if self._dates else ("", "")
        if attribute(element, "Status") == "Prospective":
            return NOT_YET, ""
        return (
            iso_day(attribute(element, "RestrictStartDate")) or above[0],
            iso_day(attribute(element, "RestrictEndDate")) or above[1],
        )

    def _schedule(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        unit = Unit("annex", "schedule", key=attribute(element, "id"))
        unit.effective_from, unit.effective_to = self._since(element)
        self._annexes += 1
        self._dates.append((unit.effective_from, unit.effective_to))
        elements.enter(element, holder, unit)
        self._dates.pop()
        self._annexes -= 1

    def _reference(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        """Read the origin of a schedule: its links, or the provisions that it names."""
        words = self._markup.words(element)
        unit.related = tuple(match[0].strip() for match in _RELATED.finditer(words.strip("() "))) or (words,)
        marked = len(unit.links)
        block(elements, element, unit, "text")
        if len(unit.links) == marked:
            for match in _PROVISION.finditer(self._markup.text, *self._markup.span(element)):
                unit.links.append(GivenLink(match.start(), match.end(), "", f"{match[1].lower()}-{match[2]}"))

    def _citation(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.inside(element, unit, role)
        address = attribute(element, "URI") or self._laws.get(element.get("CitationRef"), "")
        match = _ADDRESS.search(address)
        if match:
            section = (match["rest"] or "").strip("/").replace("/", "-") or attribute(element, "SectionRef")
            elements.link(element, unit, _ADDRESSES + match["law"], section)

    def _internal(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.inside(element, unit, role)
        if key := attribute(element, "Ref"):
            elements.link(element, unit, "", key)


def _law(markup: Markup) -> Law:
    root = markup.root
    metadata = markup.first(root, "Metadata")
    if metadata is None:
        raise DataError(f"{markup.name}: Legislation has no Metadata.")
    address = _ADDRESS.search(metadata.findtext("{*}identifier") or attribute(root, "DocumentURI"))
    title = " ".join((metadata.findtext("{*}title") or "").split())
    if not address or not title:
        raise DataError(f"{markup.name}: Metadata has no identifier of legislation.gov.uk, or no title.")
    kind = next((attribute(each, "Value") for each in metadata.iter("{*}DocumentMainType")), "")
    force = next((attribute(each, "Date") for each in metadata.iterfind(".//{*}ComingIntoForce/{*}DateTime")), "")
    made = next((attribute(each, "Date") for each in metadata.iter("{*}EnactmentDate", "{*}Made")), "")
    return Law(
        markup.text,
        title=title,
        law_id=address["law"].replace("/", "-"),
        country="uk",
        lang=language_code(metadata.findtext("{*}language") or "") or "en",
        level=jurisdiction("uk").level_of(kind),
        kind=kind,
        names=(_ADDRESSES + address["law"],),
        number=address["law"],
        promulgated=iso_day(made),
        effective_from=iso_day(attribute(root, "RestrictStartDate") or metadata.findtext("{*}valid") or force),
        effective_to=iso_day(attribute(root, "RestrictEndDate")),
        published=iso_day(metadata.findtext("{*}modified") or ""),
    )


def _heading(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    if (role == "heading" or elements.untouched(unit)) and not elements.quoting:
        elements.inside(element, unit, "heading")
    else:
        block(elements, element, unit, "text")


def _append(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read what ends the sentence that text of another act interrupts: it continues the last line."""
    while unit.content and not elements.is_visible(unit.content[-1]):
        unit.content.pop()
    elements.inside(element, unit, role)
    elements.line(unit)


def _amendment(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read words to be inserted in another act, with quotation marks that are in the style, not in the text."""
    marks = _MARKS.get(attribute(element, "Format"), ("", ""))
    elements.line(unit)
    elements.quote(element, unit, *marks)


def _ordered(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a list whose numbers are not in the text but in its style."""
    style, signs = attribute(element, "Type"), attribute(element, "Decoration")
    elements.line(unit)
    for place, child in enumerate(elements.markup.find(element, "ListItem"), 1):
        number = attribute(child, "NumberOverride") or _numeral(place, style)
        elements.line(unit)
        unit.content += [f"({number}) " if signs == "parens" else f"{number}. ", JOIN]
        elements.inside(child, unit, role)
        elements.line(unit)


def _numeral(place: int, style: str) -> str:
    if style.startswith("alpha"):
        numeral = chr(ord("a") + (place - 1) % 26) * ((place - 1) // 26 + 1)
    elif style.startswith("roman"):
        values = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
        numeral, rest = "", place
        for value, letters in values:
            numeral += letters * (rest // value)
            rest %= value
    else:
        numeral = str(place)
    return numeral.upper() if style.endswith("upper") else numeral


def _is_clml(path: Path, head: bytes) -> bool:
    return b"legislation.gov.uk/namespaces/legislation" in head


FORMATS = (
    Format("uk_clml", (".xml",), _is_clml, read, needs="the root `Legislation` of `legislation.gov.uk/namespaces`"),
)
uk_clml = factory_of(StatuteFiles, 'United Kingdom legislation in CLML: ``uk_clml(path="laws/")``.', formats=FORMATS[0])
