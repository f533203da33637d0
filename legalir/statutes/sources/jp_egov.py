"""The source ``jp_egov``: laws of Japan from e-Gov, as XML (法令標準XML) or as the HTML of its pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legalir.errors import DataError
from legalir.plugins.contract import parameters_of
from legalir.statutes.elements import Elements, Role, block, iso_date, quoted, reasons, row, rules, titled
from legalir.statutes.files import Format, StatuteFiles
from legalir.statutes.jurisdictions import jurisdiction
from legalir.statutes.law import NOT_YET, Kind, Law, Unit
from legalir.statutes.markup import Markup, attribute, local, local_above
from legalir.statutes.numbering import number_of

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
    *("List", "Sublist1", "Sublist2", "Sublist3", "Remarks", "RemarksLabel", "NoteStruct", "Note", "StyleStruct"),
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
_PLACE = re.compile(r"(?P<id>\w{15})_(?P<date>\d{8})_(?P<amending>\w{15})")


@parameters_of(StatuteFiles, without=["format"])
def jp_egov(collection: object, **params: Any) -> StatuteFiles:
    """Return the source."""
    return StatuteFiles(FORMATS[0], **params)


def read(path: Path, data: bytes) -> Iterator[Law]:
    """Read one version of a law."""
    markup = Markup(data, path.name)
    root = next(markup.root.iter("{*}Law"), None)
    if root is None:
        raise DataError(f"{path.name} is not a law of e-Gov: it has no element Law.")
    yield _Reader(markup, root, path).law


class _Reader:
    """The state of one file."""

    def __init__(self, markup: Markup, root: etree._Element, path: Path) -> None:
        self._markup = markup
        self.law = _law(markup, root, path)
        self._place = ""
        self._supplements = 0
        self._pictures = 0
        units = rules(self._group, *_GROUPS) | rules(self._unit, *_UNITS) | rules(self._annex, *_ANNEXES)
        units |= {"SupplProvision": self._supplement, "EnactStatement": _preamble, "Preamble": _preamble}
        other = rules(block, *_BLOCKS) | reasons(_LEFT_OUT) | rules(_table, "Table")
        other |= rules(row, "TableRow", "TableHeaderRow") | rules(quoted, "NewProvision")
        other |= rules(titled("label"), *_TITLES, "ParagraphNum", "SupplProvisionLabel")
        other |= rules(titled("heading"), "ArticleCaption", "ParagraphCaption")
        other |= rules(_group_title, *(f"{name}Title" for name in _GROUPS))
        other |= {"RelatedArticleNum": self._related, "Column": _column, "Sentence": _sentence, "Fig": self._picture}
        self._elements = Elements(markup, self.law, units, other, spaces=False)
        self._elements.read(markup.root, self.law.root)
        self._finish()

    def _group(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        name = local(element)
        unit = Unit("group", _GROUPS[name], _number(attribute(element, "Num")))
        elements.enter(element, holder, unit)
        unit.repealed = attribute(element, "Delete") == "true"

    def _unit(self, elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
        name = local(element)
        kind, level = _UNITS[name]
        num = attribute(element, "Num")
        above = self._place
        self._place = f"{above}/{name}[{num}]".lstrip("/")
        number = "" if kind == "subitem" else _number(num)
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

    def _related(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        unit.related = _related(self._markup.words(element))
        block(elements, element, unit, "text")

    def _picture(self, elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
        self._pictures += 1

    def _finish(self) -> None:
        _mark_repealed(self.law)
        if self._pictures:
            self.law.notes.append(f"{self.law.title}: pictures without text: {self._pictures}.")


def _law(markup: Markup, root: etree._Element, path: Path) -> Law:
    body = markup.first(root, "LawBody")
    title = markup.first(body, "LawTitle") if body is not None else None
    if title is None:
        raise DataError(f"{markup.name}: the law has no LawTitle.")
    number = markup.first(root, "LawNum")
    kind = attribute(root, "LawType")
    law = Law(
        markup.text,
        title=_without_readings(title).strip(),
        law_id=attribute(root, "LawId"),
        country="jp",
        lang="ja",
        level=jurisdiction("jp").level_of(kind),
        kind=kind,
        number=markup.words(number) if number is not None else "",
        promulgated=iso_date(attribute(root, "AmendmentPromulgateDate") or attribute(root, "OriginalPromulgateDate")),
        effective_from=iso_date(attribute(root, "EnforcementDate") or attribute(root, "ScheduledEnforcementDate")),
        amended_by=attribute(root, "AmendmentNum"),
    )
    law.names = tuple(name for name in (attribute(title, "Abbrev"), law.number) if name)
    _by_file_name(law, path)
    if comment := attribute(root, "EnforcementComment"):
        law.notes.append(f"{law.title}: date of entry into force: {comment}")
    if attribute(root, "Status") == "UnEnforced":
        law.effective_from = law.effective_from or NOT_YET
        law.notes.append(f"{law.title}: this version is not in force yet (UnEnforced).")
    return law


def _by_file_name(law: Law, path: Path) -> None:
    """Set what the file does not say, but its name does: law, date, amending law."""
    if place := _PLACE.search(path.stem):
        law.law_id = law.law_id or place["id"]
        date = f"{place['date'][:4]}-{place['date'][4:6]}-{place['date'][6:]}"
        law.effective_from = law.effective_from or date
        law.amended_by = law.amended_by or (place["amending"].strip("0") and place["amending"])
    law.law_id = law.law_id or law.number or law.title


def _without_readings(element: etree._Element) -> str:
    inner = ("" if local(child) == "Rt" else _without_readings(child) for child in element)
    tails = (child.tail or "" for child in element)
    return (element.text or "") + "".join(text + tail for text, tail in zip(inner, tails, strict=True))


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


def _related(words: str) -> tuple[str, ...]:
    bare = words.strip("（）() ").removesuffix("関係")
    return tuple(part for part in re.split(r"[、，,\s]+|及び|並びに", bare) if part)


def _mark_repealed(law: Law) -> None:
    table = jurisdiction("jp")
    for unit in law.root.walk():
        if unit.kind in ("article", "annex") and table.is_repealed(law.render(unit)):
            unit.repealed = True


def _group_title(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    """Read the title of a chapter: number and heading stand in one element, with a wide space between them."""
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
    """Read a sentence: in a cell of a table each begins a line."""
    if local_above(element) in ("TableColumn", "TableHeaderColumn"):
        elements.line(unit)
    elements.inside(element, unit, role)


def _preamble(elements: Elements, element: etree._Element, holder: Unit, role: Role) -> None:
    elements.enter(element, holder, Unit("preamble", "preamble"))


def _table(elements: Elements, element: etree._Element, unit: Unit, role: Role) -> None:
    elements.table(element, unit, role)


def _is_egov(path: Path, head: bytes) -> bool:
    return b"<Law " in head and b"<LawBody" in head


FORMATS = (Format("jp_egov", (".xml",), _is_egov, read),)
