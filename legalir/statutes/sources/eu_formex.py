"""The source ``eu_formex``: acts of the European Union in Formex 4, as published and as consolidated.

An act and each of its annexes are files of their own; `NO.DOC` of each file, or the name of the folder, says which act
they belong to. Quoted text (`QUOT.S`) is text of another act: it belongs to the article that quotes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from legalir.analysis.language import language_code
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import HEAD, Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction, mark_repealed
from legalir.statutes.law import GivenLink, Law, Unit
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
from legalir.statutes.reading.title import RELEVANCE

if TYPE_CHECKING:
    from lxml import etree

_ACTS = ("ACT", "CONS.ACT", "ANNEX", "CONS.ANNEX", "AGR", "PROT")
_MANIFESTS = ("DOC", "PUBLICATION")
_BLOCKS = frozenset(
    [
        *("ALINEA", "ARTICLE", "COMMENT", "CONSID", "CONTENTS", "DIVISION", "DLIST", "DLIST.ITEM"),
        *("GR.CONSID.INIT", "GR.NOTES", "GR.SEQ", "GR.TBL", "ITEM", "LIST", "NP", "P", "PARAG"),
        *("PREAMBLE.FINAL", "PREAMBLE.INIT", "QUOT.S", "STI", "STI.ART", "SUBDIV", "TI", "TI.ART"),
        *("TITLE", "VISA"),
    ]
)
_RULES = rules(block, *_BLOCKS) | rules(spaced, "TXT", "TERM", "DEFINITION", "PREFIX")
_RULES |= rules(numbered, "NO.P", "NO.PARAG") | rules(image, "INCL.ELEMENT", "IMG") | rules(line_break, "BR")
_RULES |= {"NOTE": left_out("footnote")}
_OUTSIDE = {
    **dict.fromkeys(("BIB.INSTANCE", "FAM.COMP", "INFO.CONSLEG", "INFO.PROD"), "metadata"),
    "FINAL": "signature",
    "TOC": "table of contents",
}
_SECTION = re.compile(
    r"(?P<label>(?:Section|Part|Chapter|Partie|Chapitre|Abschnitt|Teil|Kapitel|Sezione|Parte|Capo|Sección|Capítulo)\s+"
    r"(?:[A-Z]|\d+|[IVXLC]+))\b[\s.:–—-]*(?P<rest>.*)$"
)
_CELEX = re.compile(r"\d(?P<year>\d{4})[A-Z]{1,2}(?P<number>\d{4})")
_SECTOR = re.compile(r"^0?(?=\d{4}[A-Z]{1,2}\d{4})")
"""What is before the number of an act in that of its consolidation: 02014R0555-20200101 is of 32014R0555."""
_ROOT = re.compile(rb"<(ACT|CONS\.ACT|ANNEX|CONS\.ANNEX|AGR|PROT)[\s>]")
_SHARED = re.compile(rb"<DOCUMENT\.REF[^>]*\bFILE=\"([^\"]+)\"")
_SEQUENCE = re.compile(rb"<NO\.SEQ>\s*([\d.]+)\s*<")


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read an act or one of its annexes; a manifest (`DOC`, `PUBLICATION`) contains no provision."""
    markup = Markup(data, path.name)
    name = local(markup.root)
    if name in _MANIFESTS:
        return
    if name not in _ACTS:
        raise DataError(f"{path.name}: its root is <{name}>, not an act or annex of Formex.")
    yield _Reader(path, markup).law


class _Reader:
    def __init__(self, path: Path, markup: Markup) -> None:
        self.markup, self.table = markup, jurisdiction("eu")
        self.law = self._facts(path)
        units = {"DIVISION": self._division, "GR.SEQ": self._sequence, "NP": self._point}
        units |= {"ARTICLE": self._article, "PARAG": self._paragraph}
        other = {"QUOT.START": self._opening, "QUOT.END": self._closing, "QUOT.S": self._quoted}
        other |= {"NOTE": self._note, "REF.DOC": self._reference}
        self.elements = Elements(markup, self.law, units, _RULES | other)
        self.annexes = 0
        self.place = _place_beside(path)
        self.unclosed = ""
        root = markup.root
        if local(root).endswith("ANNEX"):
            self._annex(root, self.law.root)
        else:
            self._act(root, self.law.root)
        mark_repealed(self.law, self.table)

    # ---- what the law is ----

    def _facts(self, path: Path) -> Law:
        root = self.markup.root
        info = self._find(root, "INFO.CONSLEG")
        family = self._find(root, "FAM.COMP")
        bib = self._find(root, "BIB.INSTANCE")
        holder = family if family is not None else bib if bib is not None else root
        number = self._find(holder, "NO.DOC")
        if number is None and bib is not None:
            number = self._find(bib, "NO.DOC")
        year, current = (self._words(number, name) for name in ("YEAR", "NO.CURRENT"))
        reference = attribute(info, "CONSLEG.REF") if info is not None else ""
        is_annex = local(root).endswith("ANNEX")
        document = self._find(bib, "DOCUMENT.REF")
        shared = "" if document is None else attribute(document, "FILE")
        act = _act_beside(path, shared) if is_annex else None
        if act and number is None:
            return replace(act, text=self.markup.text, root=Unit("law"), left_out=[], notes=[])
        title = _title_beside(path, shared) or (act.title if act else "") if is_annex else _title(self.markup)
        celex = self._words(holder, "NO.CELEX") or _celex(path.parent.name, year, current)
        named = re.sub(r"(\.doc)?(\.fmx)?\.xml$", "", Path(shared).name)
        numbered = f"{year}-{current}" if year and current else ""
        consolidated = _SECTOR.sub("3", reference.partition("-")[0])
        law_id = celex or numbered or consolidated or named or path.parent.name or path.stem
        kind = attribute(info, "LEG.VAL") if info is not None else ""
        kind = kind or (title.split(maxsplit=1)[0] if title else "")
        law = Law(
            self.markup.text,
            title or law_id,
            "-".join(law_id.split()),
            "eu",
            language_code(self._words(holder, "LG.DOC") or self._words(root, "LG.DOC") or "EN"),
            level=self.table.level_of(kind.upper()),
            kind=kind,
            number=f"{year}/{current}" if year and current else "",
            promulgated=_date(self._find(holder, "DATE")) if bib is not None and number is not None else "",
        )
        law.names = tuple(dict.fromkeys(filter(None, [celex, law_id, reference, *_elis(title, year, current)])))
        if info is not None:
            law.promulgated = _date(self._child(self._find(family, "BIB.DATA"), "DATE"))
            law.effective_from, law.effective_to = (
                iso_day(attribute(info, "START.DATE")),
                iso_day(attribute(info, "END.DATE")),
            )
            law.amended_by = self._last_amendment(family)
        return law

    def _last_amendment(self, family: etree._Element | None) -> str:
        """Return the CELEX number of the last act that was merged into a consolidated one."""
        acts = [] if family is None else [each for each in family.iter() if local(each) == "MOD.ACT"]
        dated = [(self._words(each, "DATE"), self._words(each, "NO.CELEX")) for each in acts]
        return max(dated, default=("", ""))[1]

    def _find(self, element: etree._Element | None, name: str) -> etree._Element | None:
        return None if element is None else next((each for each in element.iter() if local(each) == name), None)

    def _child(self, element: etree._Element | None, name: str) -> etree._Element | None:
        return None if element is None else self.markup.first(element, name)

    def _words(self, element: etree._Element | None, name: str) -> str:
        found = self._find(element, name)
        return "" if found is None else self.markup.words(found)

    # ---- units ----

    def _act(self, element: etree._Element, holder: Unit) -> None:
        self.elements.add(holder, *self.markup.own(element))
        for child in element:
            name = local(child)
            if name in _OUTSIDE:
                self.elements.leave_out(child, _OUTSIDE[name])
            elif name == "TITLE":
                self.elements.leave_out(child, "title")
            elif name == "PREAMBLE":
                unit = Unit("preamble", "preamble")
                self.elements.inside(child, unit)
                if self.law.render(unit):
                    holder.content.append(unit)
            elif name in ("CONS.DOC", "ENACTING.TERMS", "CONS.DOC.GEN"):
                self._act(child, holder)
            elif name.endswith("ANNEX"):
                self._annex(child, holder)
            else:
                self.elements.read(child, holder)
            self.elements.add(holder, *self.markup.tail(child))

    def _annex(self, element: etree._Element, holder: Unit) -> None:
        self.annexes += 1
        unit = Unit("annex", "annex", str(self.annexes))
        holder.content.append(unit)
        for child in element:
            name = local(child)
            if name in _OUTSIDE:
                self.elements.leave_out(child, _OUTSIDE[name])
            elif name == "TITLE":
                self._titles(unit, child)
                place = str(self.annexes) if self.annexes > 1 else self.place
                unit.number = number_of(unit.label) or place
            else:
                self.elements.inside(child, unit)
            self.elements.add(unit, *self.markup.tail(child))

    def _titles(self, unit: Unit, title: etree._Element) -> None:
        """Read a title: its first line is a number, if it looks like one; the rest is the heading."""
        self.elements.add(unit, *self.markup.own(title))
        for child in title:
            lines = list(self.markup.find(child, "P", "NP")) or [child]
            for line in lines:
                self._title_line(unit, line)
                if line is not child:
                    self.elements.add(unit, *self.markup.tail(line))
            if lines != [child]:
                self.elements.add(unit, *self.markup.own(child))
            self.elements.add(unit, *self.markup.tail(child))

    def _title_line(self, unit: Unit, line: etree._Element) -> None:
        number, words = (self.markup.first(line, name) for name in ("NO.P", "TXT"))
        if number is not None and words is not None and not unit.label and not unit.heading:
            unit.label = self.elements.title(number, unit, "label")
            rest = [each for each in line if each is not number]
            unit.heading = " ".join(self.elements.title(each, unit, "heading") for each in rest)
        elif not unit.label and not unit.heading and (match := _SECTION.match(self.markup.words(line))):
            self.elements.title(line, unit, "label")
            unit.label, unit.heading = match["label"], match["rest"]
        elif not unit.label and not unit.heading and self._is_label(self.markup.words(line)):
            unit.label = self.elements.title(line, unit, "label")
        else:
            unit.heading = f"{unit.heading} {self.elements.title(line, unit, 'heading')}".strip()

    def _is_label(self, words: str) -> bool:
        heading = self.table.heading(words)
        return (heading is not None and heading.end >= len(words)) or (
            words.casefold().startswith(tuple(each.casefold() for each in self.table.annex)) and len(words) <= 16
        )

    def _opening(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.join(unit, _sign(element, "‘"))

    def _closing(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.close(unit, _sign(element, "’"))

    def _quoted(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        elements.line(unit)
        elements.quote(element, unit)
        if self.unclosed:
            elements.close(unit, self.unclosed)
            self.unclosed = ""
        elements.line(unit)

    def _note(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        """Leave out a footnote, but keep its links, and a quotation mark that closes a quotation outside of it."""
        starts = {attribute(each, "ID") for each in element.iter() if local(each) == "QUOT.START"}
        self.elements.leave_out(element, "footnote")
        for each in element.iter():
            self._add_link(each, unit)
            if local(each) == "QUOT.END" and attribute(each, "REF.START") not in starts:
                self.unclosed = _sign(each, "’")

    def _sequence(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        rule = self._division if holder.kind in ("annex", "group", "article") else block
        rule(elements, element, holder, role)

    def _division(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        """Add a division; in an annex, a numbered division is a section or a point, any other is a part."""
        title = self.markup.first(element, "TITLE")
        unit = Unit("group", "division")
        holder.content.append(unit)
        self.elements.add(unit, *self.markup.own(element))
        if title is not None:
            self._titles(unit, title)
        unit.number = number_of(unit.label.rpartition(" ")[2].rstrip(".")) or number_of(unit.label)
        heading = self.table.heading(unit.label)
        unit.level = heading.level.name if heading else "division"
        if local(element) == "GR.SEQ" and unit.number:
            unit.kind = "article" if _SECTION.match(unit.label) or heading else "item"
            unit.level = unit.level if unit.kind == "article" else "point"
        for child in element:
            if child is not title:
                self.elements.read(child, unit)
            self.elements.add(unit, *self.markup.tail(child))

    def _article(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        self._numbered(holder, element, "article", "TI.ART")

    def _paragraph(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        self._numbered(holder, element, "paragraph", "NO.PARAG")

    def _numbered(self, holder: Unit, element: etree._Element, kind: Kind, label: str) -> None:
        unit = Unit(kind, kind, key=attribute(element, "IDENTIFIER"))
        holder.content.append(unit)
        self.elements.add(unit, *self.markup.own(element))
        for child in element:
            if local(child) == label and not unit.label:
                unit.label = self.elements.title(child, unit, "label")
                unit.number = number_of(unit.label.rstrip("."))
            elif local(child) == "STI.ART":
                unit.heading = self.elements.title(child, unit, "heading").rstrip("`")
            else:
                self.elements.read(child, unit)
            self.elements.add(unit, *self.markup.tail(child))

    def _point(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        """Add a numbered point; one with a dash is a line of its holder."""
        number = self.markup.first(element, "NO.P")
        digits = "" if number is None else number_of(self.markup.words(number).rstrip("."))
        if not digits:
            block(elements, element, holder, role)
            return
        unit = Unit("subitem" if holder.kind in ("item", "subitem") else "item", "point", digits)
        holder.content.append(unit)
        self.elements.add(unit, *self.markup.own(element))
        for child in element:
            if child is number:
                unit.label = self.elements.title(child, unit, "label")
            else:
                self.elements.read(child, unit)
            self.elements.add(unit, *self.markup.tail(child))

    def _reference(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        self._add_link(element, unit)
        elements.inside(element, unit, role)

    def _add_link(self, element: etree._Element, unit: Unit) -> None:
        """Add the act that `REF.DOC` names by its ELI, also in quoted text; ignore pages of the Official Journal."""
        if local(element) == "REF.DOC" and attribute(element, "URI"):
            unit.links.append(GivenLink(*self.markup.span(element), attribute(element, "URI"), ""))


def _title(markup: Markup) -> str:
    """Return the title of an act without footnotes and the remark on the European Economic Area."""
    title = next((each for each in markup.root.iter() if local(each) == "TITLE" and markup.words(each)), None)
    if title is None:
        return ""
    law = Law(markup.text, "", "", "eu", "en")
    elements = Elements(markup, law, {}, _RULES)
    lines = []
    for each in title.iter():
        if local(each) == "P" and not _inside(each, "NOTE"):
            unit = Unit("law")
            elements.inside(each, unit)
            lines.append(" ".join(law.render(unit).split()))
    words = " ".join(line for line in lines if not line.startswith("(") or "EEA" not in line)
    return RELEVANCE.sub("", words)


class _Part(NamedTuple):
    """A file of an act: its path, its place among the files of the act, and whether it is an annex."""

    path: Path
    place: str
    is_annex: bool


def _beside(path: Path) -> dict[str, list[_Part]]:
    """Return the files of each act in the folder of a file; they share the file that their `DOCUMENT.REF` names."""
    try:
        return _parts(path.parent, path.parent.stat().st_mtime_ns)
    except OSError:
        return {}


@lru_cache(64)
def _parts(folder: Path, changed: int) -> dict[str, list[_Part]]:
    parts: dict[str, list[_Part]] = {}
    for path in sorted(folder.glob("*.xml")):
        with path.open("rb") as file:
            head = file.read(HEAD)
        root, shared, place = _ROOT.search(head), _SHARED.search(head), _SEQUENCE.search(head)
        if root and shared:
            part = _Part(path, place[1].decode().rpartition(".")[2].lstrip("0") if place else "", b"ANNEX" in root[0])
            parts.setdefault(shared[1].decode("utf-8", "replace"), []).append(part)
    return parts


def _act_beside(path: Path, shared: str) -> Law | None:
    """Return the act of an annex that does not name it: the file beside it that shares its `DOCUMENT.REF`."""
    act = next((part.path for part in _beside(path).get(shared, ()) if not part.is_annex), None)
    return None if act is None else _act(act, act.stat().st_mtime_ns)


@lru_cache(16)
def _act(path: Path, changed: int) -> Law | None:
    try:
        return next(read(path, path.read_bytes()), None)
    except (DataError, OSError):
        return None


def _place_beside(path: Path) -> str:
    """Return the place of an annex among those of its act, or an empty string if it is the only one."""
    for parts in _beside(path).values():
        annexes = [part for part in parts if part.is_annex]
        if len(annexes) > 1:
            for part in annexes:
                if part.path == path:
                    return part.place
    return ""


def _title_beside(path: Path, shared: str) -> str:
    """Return the title of the act that an annex belongs to, from the manifest next to its file."""
    manifest = path.parent / Path(shared).name if shared else path
    if manifest == path or not manifest.is_file():
        return ""
    try:
        return _title(Markup(manifest.read_bytes(), manifest.name))
    except DataError:
        return ""


def _celex(folder: str, year: str, number: str) -> str:
    """Return the name of a folder, if it is the CELEX number of the act of this year and number."""
    match = _CELEX.fullmatch(folder)
    return folder if match and match["year"] == year and match["number"] == number.zfill(4) else ""


def _sign(element: etree._Element, default: str) -> str:
    try:
        return chr(int(attribute(element, "CODE"), 16))
    except (ValueError, OverflowError):
        return default


def _inside(element: etree._Element, name: str) -> bool:
    return any(local(each) == name for each in element.iterancestors())


def _elis(title: str, year: str, number: str) -> list[str]:
    """Return the ELI of an act by the first word of its title."""
    kinds = {"regulation": "reg", "directive": "dir", "decision": "dec", "delegated": "", "implementing": ""}
    words = [kinds.get(word.lower(), "") for word in title.split()[:4]]
    kind = next(filter(None, words), "")
    suffix = "_del" if "Delegated" in title[:60] else "_impl" if "Implementing" in title[:60] else ""
    return [f"http://data.europa.eu/eli/{kind}{suffix}/{year}/{number}/oj"] if kind and year and number else []


def _date(element: etree._Element | None) -> str:
    return "" if element is None else iso_day(attribute(element, "ISO"))


def _recognises(path: Path, head: bytes) -> bool:
    return (
        b"formex" in head
        and re.search(rb"<(ACT|CONS\.ACT|ANNEX|CONS\.ANNEX|AGR|PROT|DOC|PUBLICATION)[\s>]", head) is not None
    )


FORMATS = (
    Format(
        "eu_formex",
        (".xml",),
        _recognises,
        read,
        needs="a root such as `ACT` or `CONS.ACT` with the schema of `formex`",
        beside=True,
    ),
)
eu_formex = factory_of(
    StatuteFiles, 'Acts of the European Union in Formex: ``eu_formex(path="laws/")``.', formats=FORMATS[0]
)
