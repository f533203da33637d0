"""The source ``us_uslm``: United States Legislative Markup: titles of the Code, statute compilations, public laws."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction
from legalir.statutes.law import Law, Unit
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
from legalir.statutes.reading.markup import Markup, attribute, local

if TYPE_CHECKING:
    from lxml import etree

_LEVELS: dict[str, tuple[Kind, str]] = {
    # kind, and the letters before the number in an identifier
    "division": ("group", "d"),
    "subdivision": ("group", "sd"),
    "title": ("group", "t"),
    "subtitle": ("group", "st"),
    "part": ("group", "pt"),
    "subpart": ("group", "spt"),
    "chapter": ("group", "ch"),
    "subchapter": ("group", "sch"),
    "article": ("group", "art"),
    "subarticle": ("group", "sart"),
    "appropriations": ("group", ""),
    "section": ("article", "s"),
    "courtRule": ("article", "r"),
    "reorganizationPlan": ("group", "p"),
    "subsection": ("paragraph", ""),
    "paragraph": ("item", ""),
    "subparagraph": ("subitem", ""),
    "clause": ("subitem", ""),
    "subclause": ("subitem", ""),
    "item": ("subitem", ""),
    "subitem": ("subitem", ""),
    "subsubitem": ("subitem", ""),
    "appendix": ("annex", "app"),
    "schedule": ("annex", "sch"),
}
_LEFT_OUT = {
    "metadata": ("meta", "preface", "processedBy", "endMarker"),
    "title": ("longTitle",),
    "note": ("note", "notes", "sourceCredit", "statutoryNote", "legislativeHistory", "editionNote", "ear"),
    "editor's note": ("editorialNote", "explanationNote", "footnote", "citationNote"),
    "side note": ("sidenote",),
    "page number": ("page", "starPage"),
    "table of contents": ("toc", "tocItem", "referenceItem"),
    "signature": ("action", "signatures", "signature", "attestation", "endorsement"),
}
_BLOCKS = (
    *("content", "continuation", "p", "level", "subheading", "crossheading", "block", "recital"),
    *("docTitle", "officialTitle", "figure"),
)
_LAW = re.compile(
    r"/us/(?:usc/t\w+|pl/\d+/\d+|pvtl/\d+/\d+|stat/\d+/\d+|act/[\d-]+(?:/ch[^/]+)?|bill/\d+/\w+/\d+|cfr/t\w+|sComp/\d+/[^/]+)"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ROOTS = ("uscDoc", "statuteCompilation", "pLaw", "lawDoc")


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read a title of the Code, a compilation or a public law."""
    markup = Markup(data, path.name)
    if local(markup.root) not in _ROOTS:
        raise DataError(f"{path.name} is not USLM: its root is {local(markup.root)}, not {' or '.join(_ROOTS)}.")
    yield _Reader(markup).law


class _Reader:
    """The state of one file."""

    def __init__(self, markup: Markup) -> None:
        self._markup = markup
        self.law = _law(markup)
        self._keys = [self.law.names[0]] if self.law.names else [""]
        self._appropriations = 0
        units = rules(self._unit, *_LEVELS) | rules(preamble, "enactingFormula", "resolvingClause", "preamble")
        other = rules(block, *_BLOCKS) | reasons(_LEFT_OUT) | rules(table, "layout")
        other |= rules(titled("label"), "num") | rules(_heading, "heading") | rules(quoted, "quotedContent")
        other |= {"ref": self._ref, "chapeau": _chapeau, "content": _chapeau}
        self._elements = Elements(markup, self.law, units, other)
        self._elements.read(markup.root, self.law.root)

    def _unit(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        name = local(element)
        kind, letters = _LEVELS[name]
        num = self._markup.first(element, "num")
        number = (attribute(num, "value") or number_of(self._markup.words(num))) if num is not None else ""
        if name == "appropriations" and not number:
            self._appropriations += 1
            number = str(self._appropriations)
        elif not number and (attribute(element, "role") or element.get("class")) == "instruction":
            block(elements, element, holder, role)
            return
        key = attribute(element, "identifier") or (f"{self._keys[-1]}/{letters}{number}" if number and letters else "")
        key = key or (f"{self._keys[-1]}/{number}" if number and self._keys[-1] else "")
        unit = Unit(kind, name, _plain(number), key=key)
        self._keys.append(key or self._keys[-1])
        elements.enter(element, holder, unit)
        self._keys.pop()
        unit.label = unit.label.strip("[—–- ")
        unit.heading = unit.heading.strip("—–-[] ").removesuffix(".")
        unit.repealed = attribute(element, "status") == "repealed"

    def _ref(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        href = attribute(element, "href")
        if not href and attribute(element, "idref"):
            self.law.leave_out(*self._markup.span(element), "footnote")
            return
        elements.inside(element, unit, role)
        if match := _LAW.match(href):
            key = href.removesuffix("/etseq").rstrip("/")
            elements.link(element, unit, match[0], key if key != match[0] else "")


def _law(markup: Markup) -> Law:
    root = markup.root
    meta = markup.first(root, "meta")
    if meta is None:
        raise DataError(f"{markup.name}: {local(root)} has no meta.")

    def words(name: str) -> str:
        element = markup.first(meta, name)
        return markup.words(element) if element is not None else ""

    kind, number, congress = words("type"), words("docNumber"), words("congress")
    title, address = words("title"), attribute(root, "identifier")
    names = [words("citableAsShortTitle"), *map(markup.words, markup.find(meta, "citableAs"))]
    if local(root) == "uscDoc":
        first = next(root.iter("{*}heading"), None)
        address = address or f"/us/usc/t{number}"
        law_id = address.removeprefix("/us/").replace("/", "-")
        if first is not None:
            title = f"{title} {markup.words(first)}"
        names.append(f"{number} U.S.C.")
    elif local(root) == "statuteCompilation":
        own = next(
            (attribute(each, "identifier") for each in root.iter("{*}section") if attribute(each, "identifier")), ""
        )
        match = _LAW.match(address or own)
        address = match[0] if match else ""
        file_id = next((markup.words(each) for each in meta.iter("{*}property") if each.get("role") == "fileId"), "")
        law_id = f"comps-{file_id or f'{congress}-{number}'}"
    else:
        address = address or f"/us/pl/{congress}/{number}"
        law_id = f"pl-{congress}-{number}"
        title = next(iter(names), "") or title.partition(":")[0]
    if not title or law_id.endswith("-"):
        raise DataError(f"{markup.name}: meta has no title, or no docNumber.")
    action = next((markup.words(each) for each in root.iter("{*}actionDescription")), "")
    return Law(
        markup.text,
        title=title,
        law_id=law_id,
        country="us",
        lang="en",
        level=jurisdiction("us").level_of(kind) if kind else "act",
        kind=kind,
        names=tuple(dict.fromkeys(name for name in (address, *names) if name)),
        number=number,
        promulgated=iso_day(words("approvedDate")) or _english_date(action),
        published=iso_day(words("created") or words("processedDate")),
        amended_by=words("currentThroughPublicLaw") or words("docPublicationName"),
    )


def _plain(number: str) -> str:
    return number.translate({0x2013: "-", 0x2014: "-"}).strip('.()[]“”" ')


def _english_date(words: str) -> str:
    match = re.search(r"([A-Z][a-z]+)\.? (\d{1,2}), (\d{4})", words)
    month = match and next((place for place, name in enumerate(_MONTHS, 1) if name == match[1][:3]), None)
    return f"{match[3]}-{month:02d}-{int(match[2]):02d}" if match and month else ""


def _heading(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    if elements.quoting or unit.kind == "law":
        block(elements, element, unit, "text")
    else:
        headed(elements, element, unit)


def _chapeau(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    if elements.quoting:
        elements.inside(element, unit)
    else:
        block(elements, element, unit, role)


def _is_uslm(path: Path, head: bytes) -> bool:
    return b"schemas/uslm" in head or b"schemas.gpo.gov/xml/uslm" in head


FORMATS = (Format("us_uslm", (".xml",), _is_uslm, read, needs="a root of the schema `uslm`"),)
us_uslm = factory_of(
    StatuteFiles, 'United States Code and public laws in USLM: ``us_uslm(path="laws/")``.', formats=FORMATS[0]
)
