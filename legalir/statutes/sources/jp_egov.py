"""The source ``jp_egov``: laws of Japan from e-Gov, as XML (法令標準XML), its JSON form, or the HTML of the pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.dates import iso_day
from legalir.statutes.importing.files import HEAD, Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction, mark_repealed
from legalir.statutes.law import BREAK, NOT_YET, Law, Outline, Span, Unit
from legalir.statutes.reading.elements import (
    Elements,
    Role,
    block,
    line_break,
    preamble,
    quoted,
    reasons,
    rules,
    titled,
)
from legalir.statutes.reading.markup import Markup, attribute, local, local_above

if TYPE_CHECKING:
    from lxml import etree

_GROUPS = {"Part": "編", "Chapter": "章", "Section": "節", "Subsection": "款", "Division": "目"}
_UNITS: dict[str, tuple[Kind, str]] = {
    "Article": ("article", "条"),
    "Paragraph": ("paragraph", "項"),
    "Item": ("item", "号"),
    **{f"Subitem{depth}": ("subitem", "号の細分") for depth in range(1, 11)},
}
_ANNEXES = {
    "AppdxTable": "別表",
    "AppdxNote": "別記",
    "AppdxStyle": "様式",
    "Appdx": "付録",
    "AppdxFig": "別図",
    "AppdxFormat": "書式",
    "SupplProvisionAppdxTable": "別表",
    "SupplProvisionAppdxStyle": "様式",
    "SupplProvisionAppdx": "付録",
}
_TITLES = tuple(f"{name}Title" for name in (*_UNITS, *(name for name in _ANNEXES)))
_LEFT_OUT = {
    "metadata": ("LawNum",),
    "title": ("LawTitle",),
    "table of contents": ("TOC",),
    "reading": ("Rt", "Rp"),
}
_BLOCKS = (
    *("List", "Sublist1", "Sublist2", "Sublist3", "NoteStruct", "Note", "StyleStruct"),
    *(
        "FormatStruct",
        "FigStruct",
        "TableStructTitle",
        "StyleTitle",
        "Style",
        "Class",
        "Preamble",
        "ArithFormula",
        "AmendProvision",
    ),
)
_REMARKS = "備考"
_ENVELOPE = ("law_info", "revision_info")
"""Parts of a reply of the API, version 2, that say what is not in the law's own element."""

_PLACE = re.compile(r"(?P<id>\w{15})_(?P<date>\d{8})_(?P<amending>\w{15})")


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read one version of a law."""
    if _is_page(data[:HEAD]):
        if b"</main>" not in data and b"<main" in data:
            raise DataError(f"{path.name} is cut off: it has no </main>.")
        yield _Page(Markup(data, path.name, html=True), path).law
        return
    markup = Markup(_xml_of(path, data) if path.suffix.lower() == ".json" else data, path.name)
    root = next(markup.root.iter("{*}Law"), None)
    if root is None:
        raise DataError(f"{path.name} is not a law of e-Gov: it has no element Law.")
    yield _Reader(markup, root, path).law


def _xml_of(path: Path, data: bytes) -> bytes:
    """Return the XML equivalent of the JSON form: ``{"tag": …, "attr": {…}, "children": [text or element, …]}``."""
    from lxml import etree

    try:
        content = json.loads(data)
        root = etree.Element("DataRoot")
        for each in _ENVELOPE:
            for name, value in (content.get(each) or {}).items():
                if isinstance(value, str | int):
                    etree.SubElement(root, name).text = str(value)
        root.append(_element_of(content.get("law_full_text", content)))
        return bytes(etree.tostring(root, encoding="utf-8"))
    except (ValueError, RecursionError, LookupError, AttributeError, TypeError) as error:
        raise DataError(f"{path.name} is not the JSON form of a law of e-Gov ({error}).") from None


def _element_of(node: Mapping[str, Any]) -> etree._Element:
    from lxml import etree

    element = etree.Element(node["tag"], {name: str(value) for name, value in (node.get("attr") or {}).items()})
    for child in node.get("children") or ():
        if not isinstance(child, str):
            element.append(_element_of(child))
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + child
        else:
            element.text = (element.text or "") + child
    return element


class _Reader:
    """The state of one file."""

    def __init__(self, markup: Markup, root: etree._Element, path: Path) -> None:
        self._markup = markup
        self.law = _law(markup, root, path)
        self._place = ""
        self._supplements = 0
        self._pictures = 0
        units = rules(self._group, *_GROUPS) | rules(self._unit, *_UNITS) | rules(self._annex, *_ANNEXES)
        units |= {
            "Remarks": self._remarks,
            "SupplProvision": self._supplement,
            "EnactStatement": preamble,
            "Preamble": preamble,
        }
        other = rules(block, *_BLOCKS) | reasons(_LEFT_OUT)
        other |= rules(quoted, "NewProvision")
        other |= rules(titled("label"), *_TITLES, "ParagraphNum", "SupplProvisionLabel", "RemarksLabel")
        other |= rules(titled("heading"), "ArticleCaption", "ParagraphCaption")
        other |= rules(_group_title, *(f"{name}Title" for name in _GROUPS))
        other |= {"RelatedArticleNum": self._related, "Column": _column, "Sentence": _sentence, "Fig": self._picture}
        self._elements = Elements(markup, self.law, units, other, spaces=False)
        for each in root.iterancestors():
            self._leave_out_around(each, root)
        self._elements.read(root, self.law.root)
        self._finish()

    def _leave_out_around(self, holder: etree._Element, root: etree._Element) -> None:
        """Leave out what a reply of the API says around the law."""
        self.law.leave_out(*self._markup.own(holder), "metadata")
        for child in holder:
            if child is not root and not any(each is root for each in child.iter("{*}Law")):
                self.law.leave_out(*self._markup.span(child), "metadata")
            self.law.leave_out(*self._markup.tail(child), "metadata")

    def _group(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        name = local(element)
        unit = Unit("group", _GROUPS[name], _number(attribute(element, "Num")))
        elements.enter(element, holder, unit)
        unit.repealed = attribute(element, "Delete") == "true"

    def _unit(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        name = local(element)
        kind, level = _UNITS[name]
        if kind == "item" and holder.level == _REMARKS:
            kind = "subitem"
        num = attribute(element, "Num")
        above = self._place
        self._place = f"{above}/{name}[{num}]".lstrip("/")
        number = "" if level == "号の細分" else _number(num)
        unit = elements.enter(element, holder, Unit(kind, level, number, key=self._place))
        unit.heading = _bare(unit.heading)
        unit.number = unit.number or _number(num)
        unit.repealed = attribute(element, "Delete") == "true"
        self._place = above

    def _supplement(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        self._supplements += 1
        self._place = f"SupplProvision[{self._supplements}]"
        unit = Unit("supplement", "附則", str(self._supplements), key=self._place)
        unit.label = "附則"
        unit.heading = attribute(element, "AmendLawNum")
        elements.enter(element, holder, unit)
        self._place = ""

    def _annex(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        name = local(element)
        above = self._place
        self._place = f"{above}/{name}[{attribute(element, 'Num')}]".lstrip("/")
        unit = elements.enter(element, holder, Unit("annex", _ANNEXES[name], key=self._place))
        _name_annex(unit)
        self._place = above

    def _remarks(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        elements.enter(element, holder, _remarks_of(holder))

    def _related(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        unit.related = _related(self._markup.words(element))
        block(elements, element, unit, "text")

    def _picture(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        self._pictures += 1

    def _finish(self) -> None:
        mark_repealed(self.law, jurisdiction("jp"))
        if self._pictures:
            self.law.notes.append(f"{self.law.title}: pictures without text: {self._pictures}.")


_DEPTHS = {f"{name}Title": depth for depth, name in enumerate(_GROUPS)}
_BELOW: dict[str, tuple[Kind, str, int]] = {
    "ParagraphSentence": ("paragraph", "項", 20),
    "ItemSentence": ("item", "号", 21),
    **{f"Subitem{depth}Sentence": ("subitem", "号の細分", 21 + depth) for depth in range(1, 11)},
}
_PAGE_LEFT_OUT = {
    "page": ("head", "header", "footer", "nav", "script", "style", "noscript"),
    "reading": ("rt", "rp"),
    "picture": ("a", "img"),
}


class _Page:
    """State of an HTML page: its sections do not nest, so a heading applies until the next one of its level."""

    def __init__(self, markup: Markup, path: Path) -> None:
        main = next((each for each in markup.root.iter("main") if each.get("id") == "contentsLaw"), None)
        if main is None:
            raise DataError(f"{path.name} is not a law of e-Gov: it has no main with the id contentsLaw.")
        self._markup = markup
        parts = {each.get("id"): each for each in main.iter("div") if each.get("id")}
        title, number = parts.get("lawTitle"), parts.get("lawTitleNo")
        if title is None:
            raise DataError(f"{path.name}: the law has no title (id lawTitle).")
        self.law = Law(markup.text, "".join(_words(title).split()), "", "jp", "ja")
        self.law.number = markup.words(number) if number is not None else ""
        kind = re.search(r"年(\D+?)第", self.law.number)
        self.law.kind = kind[1] if kind else ""
        self.law.level = jurisdiction("jp").level_of(self.law.kind)
        self.law.names = (self.law.number,) if self.law.number else ()
        _by_file_name(self.law, path)
        self._outline = Outline(self.law)
        self._captions: list[etree._Element] = []
        self._supplements = 0
        other = reasons(_PAGE_LEFT_OUT) | {"section": self._section, "div": self._div, "br": line_break}
        self._elements = Elements(markup, self.law, {}, other, spaces=False)
        self._elements.read(markup.root, self.law.root)
        mark_repealed(self.law, jurisdiction("jp"))

    def _section(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        name = next((name for name in (element.get("class") or "").split() if name != "active"), "")
        if name in ("TOC", "EnactStatement", "SupplProvision") or name in _ANNEXES:
            self._outline.leave(1 if name.startswith("SupplProvisionAppdx") else 0)
        if name == "TOC":
            self.law.leave_out(*self._markup.span(element), "table of contents")
            return
        if name == "EnactStatement":
            self._outline.enter(Unit("preamble", "preamble"), 0)
        elif name == "SupplProvision":
            self._supplements += 1
            key = f"SupplProvision[{self._supplements}]"
            self._outline.enter(Unit("supplement", "附則", str(self._supplements), "附則", key=key), 0)
        elif name in _ANNEXES:
            self._outline.enter(Unit("annex", _ANNEXES[name]), 1 if name.startswith("Suppl") else 0)
        elif name == "Article":
            self._outline.enter(Unit("article", "条"), 10)
        elements.inside(element, self._outline.unit)

    def _div(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        classes = (element.get("class") or "").split()
        name = next((each.removeprefix("_div_") for each in classes if each.startswith("_div_")), "")
        if elements.in_cell:
            block(elements, element, unit, "text")
            return
        unit = self._outline.unit
        if element.get("id") in ("lawTitle", "lawTitleNo"):
            self.law.leave_out(*self._markup.span(element), "title")
        elif name in _DEPTHS:
            level = list(_GROUPS.values())[_DEPTHS[name]]
            self._title(element, self._outline.enter(Unit("group", level), _DEPTHS[name]), r"\S+")
        elif name == "SupplProvisionLabel":
            self._title(element, unit, r"\s*附\s*則")
            unit.heading = unit.heading.partition("）")[0].lstrip("（")
        elif name.startswith(("Appdx", "SupplProvisionAppdx")) and name.endswith("Title"):
            self._annex_title(element, unit)
        elif name.endswith("Caption"):
            self._captions.append(element)
        elif name == "ArticleTitle":
            self._article(element, unit)
        elif name == "RemarksLabel":
            self._outline.leave(20)
            remarks = self._outline.enter(_remarks_of(self._outline.unit), 20)
            elements.inside(element, remarks, "label")
            elements.name(remarks)
        elif name in _BELOW:
            kind, level, depth = _BELOW[name]
            if kind == "item" and any(each.level == _REMARKS for each in self._outline.open):
                kind = "subitem"
            below = self._outline.enter(Unit(kind, level), depth)
            self._caption(below)
            self._labelled(element, below)
            self._key(below)
        else:
            block(elements, element, unit, "text")

    def _article(self, element: etree._Element, unit: Unit) -> None:
        """Read the first line of an article: its number in bold, then its first paragraph."""
        self._caption(unit)
        paragraph = Unit("paragraph", "項", "1")
        self._labelled(element, unit, paragraph)
        self._key(unit)
        self._outline.enter(paragraph, 20)
        self._key(paragraph)

    def _caption(self, unit: Unit) -> None:
        for caption in self._captions:
            self._elements.inside(caption, unit, "heading")
        self._captions = []
        self._elements.name(unit)
        unit.heading = _bare(unit.heading)

    def _labelled(self, element: etree._Element, unit: Unit, text: Unit | None = None) -> None:
        """Read a line whose label is in bold; its text belongs to the unit, or to another one inside."""
        self._elements.add(text or unit, *self._markup.own(element))
        for child in element:
            bold = local(child) == "span" and "bold" in (child.get("style") or "")
            if bold and not any(part.role == "label" for part in unit.spans()):
                self._elements.inside(child, unit, "label")
            else:
                self._elements.read(child, text or unit)
            self._elements.add(text or unit, *self._markup.tail(child))
            if not bold and "　" in (child.tail or "") and child.getnext() is not None:
                (text or unit).content.append("　")  # between two columns
        self._elements.name(unit)
        unit.number = unit.number or ("1" if unit.kind == "paragraph" else "")

    def _key(self, unit: Unit) -> None:
        name = {"条": "Article", "項": "Paragraph", "号": "Item"}.get(unit.level)
        if name and unit.number:
            holders = [each for each in self._outline.open if each is not unit and each.key]
            above = f"{holders[-1].key}/" if holders else ""
            unit.key = f"{above}{name}[{unit.number.replace('の', '_')}]"

    def _title(self, element: etree._Element, unit: Unit, label: str) -> None:
        """Read a title: what matches is its label, and the rest its heading."""
        start, end = self._markup.span(element)
        match = re.compile(label).search(self._markup.text, start, end)
        at = match.end() if match else start
        unit.add(start, at, "label")
        unit.add(at, end, "heading")
        self._elements.name(unit)

    def _annex_title(self, element: etree._Element, unit: Unit) -> None:
        self._title(element, unit, r"[^（(]+")
        if unit.heading.endswith(("関係）", "関係)")):
            unit.related = _related(unit.heading)
            unit.content = [part._replace(role="text") if _is_heading(part) else part for part in unit.content]
            unit.heading = ""
            unit.content.append(BREAK)
        _name_annex(unit)


def _is_heading(part: Span | Unit | str) -> TypeGuard[Span]:
    return isinstance(part, Span) and part.role == "heading"


def _words(element: etree._Element) -> str:
    own = element.text or ""
    inner = ("" if local(child) in ("Rt", "rt") else _words(child) for child in element)
    tails = (child.tail or "" for child in element)
    return own + "".join(text + tail for text, tail in zip(inner, tails, strict=True))


def _law(markup: Markup, root: etree._Element, path: Path) -> Law:
    body = markup.first(root, "LawBody")
    title = markup.first(body, "LawTitle") if body is not None else None
    if title is None:
        raise DataError(f"{markup.name}: the law has no LawTitle.")
    number = markup.first(root, "LawNum")
    kind = attribute(root, "LawType")

    def said(*names: str) -> str:
        """Return what a reply of the API says around the law."""
        around = (each for name in names for each in markup.root.iter(f"{{*}}{name}"))
        return next((markup.words(each) for each in around if not len(each)), "") if root is not markup.root else ""

    law = Law(
        markup.text,
        title=_words(title).strip(),
        law_id=attribute(root, "LawId") or said("LawId", "law_id"),
        country="jp",
        lang="ja",
        level=jurisdiction("jp").level_of(kind),
        kind=kind,
        number=markup.words(number) if number is not None else "",
        promulgated=iso_day(
            attribute(root, "AmendmentPromulgateDate")
            or said("amendment_promulgate_date")
            or attribute(root, "OriginalPromulgateDate")
            or said("promulgation_date")
        ),
        effective_from=iso_day(
            attribute(root, "EnforcementDate")
            or attribute(root, "ScheduledEnforcementDate")
            or said("amendment_enforcement_date", "AmendmentEnforcementDate", "EnforcementDate")
            or said("amendment_scheduled_enforcement_date")
        ),
        amended_by=attribute(root, "AmendmentNum") or said("amendment_law_num"),
    )
    law.names = tuple(name for name in (attribute(title, "Abbrev"), law.number) if name)
    _by_file_name(law, path)
    if comment := attribute(root, "EnforcementComment"):
        law.notes.append(f"{law.title}: date of entry into force: {comment}")
    if (attribute(root, "Status") or said("current_revision_status")) == "UnEnforced":
        law.effective_from = law.effective_from or NOT_YET
        law.notes.append(f"{law.title}: this version is not in force yet (UnEnforced).")
    return law


def _by_file_name(law: Law, path: Path) -> None:
    """Set the facts that are only in the file name: law, date, amending law."""
    if place := _PLACE.search(path.stem):
        law.law_id = law.law_id or place["id"]
        date = f"{place['date'][:4]}-{place['date'][4:6]}-{place['date'][6:]}"
        law.effective_from = law.effective_from or date
        law.amended_by = law.amended_by or (place["amending"].strip("0") and place["amending"])
    law.law_id = law.law_id or law.number or law.title


def _number(num: str) -> str:
    """Return the number that ``Num`` writes: ``5_2`` is ``5の2``, ``5:7`` is ``5-7``."""
    return num.replace("_", "の").replace(":", "-")


def _bare(heading: str) -> str:
    return heading[1:-1].strip() if heading.startswith(("（", "(")) and heading.endswith(("）", ")")) else heading


def _name_annex(unit: Unit) -> None:
    """Number an annex: ``別表第一`` is 1, and what is not a table has its word in the number."""
    unit.number = number_of(unit.label)
    if unit.level != "別表":
        unit.number = f"{unit.level}{unit.number}"


def _remarks_of(holder: Unit) -> Unit:
    """Return the unit of remarks: item 1 of a 備考 is not item 1 of its annex."""
    return Unit("item" if holder.kind == "annex" else "subitem", _REMARKS, _REMARKS)


def _related(words: str) -> tuple[str, ...]:
    bare = words.strip("（）() ").removesuffix("関係")
    return tuple(part for part in re.split(r"[、，,\s]+|及び|並びに", bare) if part)


def _group_title(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read the title of a chapter: number and heading are in one element, with a wide space between them."""
    start, end = elements.markup.span(element)
    words = elements.markup.text[start:end]
    gap = re.search(r"[\s\u3000]", words)
    if elements.quoting or not gap or len(element):
        titled("heading" if not elements.quoting and not number_of(words) else "label")(elements, element, unit, role)
        return
    unit.add(start, start + gap.start(), "label")
    unit.add(start + gap.start(), end, "heading")


def _column(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    if attribute(element, "Num") not in ("", "1") and not elements.untouched(unit):
        unit.content.append("　")
    elements.inside(element, unit, role)


def _sentence(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read a sentence; in a table cell, each sentence begins a line."""
    if local_above(element) in ("TableColumn", "TableHeaderColumn"):
        elements.line(unit)
    elements.inside(element, unit, role)


def _is_page(head: bytes) -> bool:
    return b"<html" in head.lower() or head.lstrip().lower().startswith(b"<!doctype html")


def _is_egov(path: Path, head: bytes) -> bool:
    if path.suffix.lower() == ".json":
        return b'"law_full_text"' in head or (b'"Law"' in head and b'"tag"' in head)
    if _is_page(head):
        return bool(_PLACE.fullmatch(path.stem)) or re.search(rb"(?<![^\W_])e-gov(?![^\W_])", head.lower()) is not None
    return b"<law_data_response" in head or (b"<Law " in head and b"<LawBody" in head)


FORMATS = (Format("jp_egov", (".xml", ".json", ".html", ".htm"), _is_egov, read, needs="the element `LawBody`"),)
jp_egov = factory_of(
    StatuteFiles, 'Japanese laws of e-Gov, XML or HTML: ``jp_egov(path="laws/")``.', formats=FORMATS[0]
)
