"""The source ``ca_justice``: acts and regulations of Canada as the Department of Justice publishes them in XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from legalir.analysis.language import language_code
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.resolve import Kind
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction
from legalir.statutes.law import NOT_YET, GivenLink, Law, Unit
from legalir.statutes.reading.elements import (
    Elements,
    Role,
    block,
    headed,
    preamble,
    quoted,
    reasons,
    rules,
    table,
    titled,
)
from legalir.statutes.reading.markup import Markup, attribute, local, local_above

if TYPE_CHECKING:
    from lxml import etree

_UNITS: dict[str, Kind] = {
    "Section": "article",
    "Subsection": "paragraph",
    "Paragraph": "item",
    "Subparagraph": "subitem",
    "Clause": "subitem",
    "Subclause": "subitem",
    "Subsubclause": "subitem",
    "Definition": "item",
}
_LEFT_OUT = {
    "metadata": ("Identification", "RecentAmendments", "Order"),
    "historical note": ("HistoricalNote",),
    "footnote": ("Footnote", "FootnoteRef", "FootnoteArea"),
    "editor's note": ("ReaderNote", "Note"),
    "table of contents": ("TableOfProvisions",),
}
_BLOCKS = (
    *("Text", "ContinuedSectionSubsection", "ContinuedDefinition", "ContinuedParagraph", "Oath"),
    *("ContinuedSubparagraph", "ContinuedClause", "FormulaGroup", "Formula", "FormulaDefinition", "FormulaConnector"),
    *(
        "BilingualGroup",
        "BilingualItemEn",
        "BilingualItemFr",
        "GroupHeading",
        "QuotedText",
        "Caption",
        "SignatureBlock",
    ),
    *("DocumentInternal", "FormGroup", "Preamble", "Enacts"),
)
_DIGITS = re.compile(r"(?:\([^()\s]{1,6}\))+")
_ORIGIN = re.compile(r"\d+(?:\.\d+)*(?:\([^()\s]{1,6}\))*")
_REPEALED = re.compile(r"\[(?:Repealed|Abrogée?s?)\b[^\]]*\]", re.IGNORECASE)


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read an act or a regulation."""
    markup = Markup(data, path.name)
    root = markup.root
    if local(root) not in ("Statute", "Regulation"):
        raise DataError(f"{path.name} is not an act or a regulation of Justice Canada: its root is {local(root)}.")
    yield _Reader(markup).law


class _Reader:
    """The state of one file."""

    def __init__(self, markup: Markup) -> None:
        self._markup = markup
        self.law = _law(markup)
        names = rules(self._unit, *_UNITS) | rules(self._schedule, "Schedule") | rules(self._group, "Group")
        names |= rules(self._provision, "Provision", "Item")
        other = rules(block, *_BLOCKS) | reasons(_LEFT_OUT)
        other |= rules(table, "TableGroup") | rules(quoted, "AmendedText", "SectionPiece")
        other |= rules(titled("label"), "Label") | rules(_heading, "MarginalNote", "TitleText")
        other |= rules(self._origin, "OriginatingRef")
        other |= {"Introduction": preamble, "Heading": self._head, "Body": self._body}
        other |= {"XRefExternal": self._external, "XRefInternal": self._internal}
        self._elements = Elements(markup, self.law, names, other)
        self._supplements = 0
        self._inside: list[tuple[Unit, int, int, str]] = []
        self._groups: list[tuple[int, Unit]] = []
        self._elements.read(markup.root, self.law.root)
        self._finish()

    def _unit(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        name = local(element)
        unit = Unit(_UNITS[name], name.lower(), key=attribute(element, "fid"))
        if name == "Section":
            holder = self._groups[-1][1] if self._groups else holder
            unit.effective_from = _since(element)
        elements.enter(element, holder, unit)

    def _body(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        before, self._groups = self._groups, []
        elements.inside(element, unit)
        self._groups = before

    def _head(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        depth = int(attribute(element, "level") or 1)
        while self._groups and self._groups[-1][0] >= depth:
            self._groups.pop()
        holder = self._groups[-1][1] if self._groups else holder
        unit = Unit("group", "heading", key=attribute(element, "fid"))
        elements.enter(element, holder, unit)
        if heading := jurisdiction("ca").heading(unit.label):
            unit.level = heading.level.name
        self._groups.append((depth, unit))

    def _schedule(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        name = element.get("id") or ""
        if name == "NifProvs":
            self.law.leave_out(*self._markup.span(element), "amendments not in force")
            return
        unit = Unit("annex", "schedule", key=attribute(element, "fid"), effective_from=_since(element))
        if name == "RelatedProvs" or element.find(".//{*}RelatedOrNotInForce") is not None:
            self._supplements += 1
            unit = Unit("supplement", "related provisions", str(self._supplements), key=name)
        before, self._groups = self._groups, []
        elements.enter(element, holder, unit)
        self._groups = before
        for each in unit.walk():
            each.effective_from = each.effective_from or unit.effective_from
        if unit.kind == "annex" and not unit.number:
            letters = re.findall(r"\b[A-Z]\b", unit.label)
            unit.number = letters[-1] if letters else ""

    def _group(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        leaf = element.find("{*}Group") is None
        unit = Unit("item" if leaf else "group", "group", key=attribute(element, "fid"))
        elements.enter(element, holder, unit)

    def _provision(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        if self._markup.first(element, "Label") is None or holder.kind in ("law", "preamble"):
            block(elements, element, holder, role)
            return
        kind: Kind = "item" if holder.kind in ("annex", "group") else "subitem"
        elements.enter(element, holder, Unit(kind, "provision", key=attribute(element, "fid")))

    def _origin(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        """Read the origin of a schedule: each number is a link, marked up or not."""
        start, end = self._markup.span(element)
        numbers = list(_ORIGIN.finditer(self._markup.text, start, end))
        unit.related = tuple(match[0] for match in numbers)
        marked = len(self._inside)
        block(elements, element, unit, "text")
        self._inside[marked:] = [(unit, match.start(), match.end(), match[0]) for match in numbers]

    def _external(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.inside(element, unit, role)
        code = element.get("link")
        if code and element.get("reference-type") in ("act", "regulation"):
            elements.link(element, unit, code.replace("/", "-") + _suffix(self.law.lang), "")

    def _internal(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.inside(element, unit, role)
        if not elements.quoting:
            below = _DIGITS.match(element.tail or "")
            words = self._markup.words(element)
            start, end = self._markup.span(element)
            self._inside.append((unit, start, end, words + (below[0] if below else "")))

    def _finish(self) -> None:
        keys: dict[str, str] = {}
        for unit in self.law.root.walk():
            if unit.kind == "article":
                _labels(unit, unit.label.strip(". "), keys)
                unit.repealed = unit.repealed or bool(_REPEALED.fullmatch(self.law.render(unit)))
        for unit, start, end, label in self._inside:
            while label and label not in keys and label.endswith(")"):
                label = label[: label.rindex("(")]
            if label in keys:
                unit.links.append(GivenLink(start, end, "", keys[label]))
            else:
                self.law.notes.append(f"{self.law.title}: a reference to {label or 'nothing'} has no such section.")


def _labels(unit: Unit, label: str, keys: dict[str, str]) -> None:
    keys.setdefault(label, unit.key)
    for each in unit.units:
        if each.label.startswith("("):
            _labels(each, label + each.label, keys)


def _since(element: etree._Element) -> str:
    """Return the day since which all of the wording applies."""
    if attribute(element, "in-force") == "no":
        return NOT_YET
    dates = [iso_day(attribute(element, "lastAmendedDate"))]
    for each in element.iter():
        if isinstance(each.tag, str) and not local(each).startswith("HistoricalNote"):
            dates.append(iso_day(attribute(each, "inforce-start-date")))
    return max(dates)


def _law(markup: Markup) -> Law:
    root = markup.root
    lang = language_code(attribute(root, "lang")) or "en"
    identity = markup.first(root, "Identification")

    def words(*path: str) -> str:
        element = identity
        for name in path:
            element = markup.first(element, name) if element is not None else None
        return markup.words(element) if element is not None else ""

    code = words("Chapter", "ConsolidatedNumber") or words("InstrumentNumber")
    title = words("ShortTitle") or words("LongTitle")
    if not code or not title:
        raise DataError(f"{markup.name}: Identification has no chapter code, or no title.")
    kind = "act" if local(root) == "Statute" else "regulation"
    return Law(
        markup.text,
        title=title,
        law_id=re.sub(r"[\s/]+", "-", code) + _suffix(lang),
        country="ca",
        lang=lang,
        level=jurisdiction("ca").level_of(kind),
        kind=kind,
        names=tuple(dict.fromkeys(name for name in (words("LongTitle"), words("RunningHead")) if name)),
        number=code,
        promulgated=_assent(identity),
        effective_from=iso_day(attribute(root, "lastAmendedDate")) or iso_day(attribute(root, "pit-date")),
        published=iso_day(attribute(root, "current-date")),
    )


def _assent(identity: etree._Element | None) -> str:
    for stage in identity.iterfind(".//{*}Stages") if identity is not None else ():
        if stage.get("stage") == "assented-to":
            parts = [stage.findtext(f".//{{*}}{name}") or "" for name in ("YYYY", "MM", "DD")]
            return iso_day("-".join(parts))
    return ""


def _suffix(lang: str) -> str:
    return "-fr" if lang == "fr" else ""


def _heading(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    above = local_above(element)
    if not elements.quoting and (above.endswith("Heading") or (unit.kind != "law" and elements.untouched(unit))):
        headed(elements, element, unit)
    else:
        block(elements, element, unit, "text")


def _is_ca(path: Path, head: bytes) -> bool:
    return b"justice.gc.ca/lims" in head or b"<Statute " in head


FORMATS = (Format("ca_justice", (".xml",), _is_ca, read, needs="the root `Statute` or `Regulation`"),)
ca_justice = factory_of(
    StatuteFiles,
    'Acts and regulations of Canada in the XML of the Department of Justice: ``ca_justice(path="laws/")``.',
    formats=FORMATS[0],
)
