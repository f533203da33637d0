"""The source ``docx``: statutes in Word files, read paragraph by paragraph; tables row by row.

All text is read that Word shows in the body: what a tracked change inserts, content controls, results of fields, text
boxes, formulas, and the numbers that Word sets by itself. What is not read, such as deletions and footnotes, is counted
as left out.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.law import CELL, Law
from legalir.statutes.reading.lines import check_country, law_id_of, read_text
from legalir.statutes.reading.markup import LARGEST, Markup, attribute, local
from legalir.statutes.reading.page import line_of_row
from legalir.statutes.reading.sequence import raised, written

if TYPE_CHECKING:
    from lxml import etree

_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_LEFT_OUT = {"del": "tracked deletion", "moveFrom": "tracked deletion", "delText": "tracked deletion"}
_UNSEEN = frozenset({"instrText", "delInstrText", "Fallback", "rPr", "pPr", "sectPr", "tblPr", "tcPr", "trPr", "rt"})
"""Elements without text of the law: codes of fields, a second form of a drawing, properties, readings."""

_FORMULA = {"num": "", "den": "/", "sup": "^", "sub": "_", "deg": "√"}
"""Sign before a part of a formula, by its element."""

_ITEM = re.compile(r"\s*(?:[(（][\w.]{1,5}[)）]|\w{1,3}[.)]\s|[①-⑳•–—-])")
"""How a line of a cell begins that is an item."""

_PARTS = {"footnotes": "footnote", "endnotes": "footnote", "comments": "comment"}


def _format(collection: Collection | None, country: str = "auto", title: str = "") -> Format:
    """Return the format with its parameters.

    Args:
        country: two letters; selects the table of headings. ``auto``: the table that recognises most articles.
        title: name of the law; empty: the first line of the file.
    """
    check_country("docx", country)
    read = partial(_read, country=country, title=title)
    return Format("docx", (".docx",), _is_docx, read, general=True)


def _is_docx(path: Path, head: bytes) -> bool:
    return head.startswith(b"PK") and path.suffix.lower() == ".docx"


def _read(path: Path, data: bytes, country: str, title: str) -> Iterator[Law]:
    parts = _parts(path.name, data)
    numbering = _Numbering(parts.get("word/numbering.xml"), parts.get("word/styles.xml"))
    file = _File(parts["word/document.xml"], numbering)
    for part, reason in _PARTS.items():
        if page := parts.get(f"word/{part}.xml"):
            file.left_out[reason] += page.text
    left_out = {reason: " ".join(words.split()) for reason, words in file.left_out.items() if words.strip()}
    law = read_text(path.name, file.lines, country, title, law_id_of(path), left_out=left_out, levels=file.levels)
    if numbering.counted:
        law.notes.append(f"{path.name}: Word numbers {numbering.counted} paragraphs by itself: look at their numbers.")
    yield law


def lines_of(name: str, data: bytes) -> list[str]:
    """Return the paragraphs of a file, and after them those of its footnotes and endnotes.

    Raises:
        DataError: it cannot be read.
    """
    parts = _parts(name, data)
    numbering = _Numbering(parts.get("word/numbering.xml"), parts.get("word/styles.xml"))
    notes = [parts[f"word/{each}.xml"] for each in ("footnotes", "endnotes") if f"word/{each}.xml" in parts]
    return [line for part in (parts["word/document.xml"], *notes) for line in _File(part, numbering).lines]


FORMATS = (_format(None),)
docx = factory_of(
    StatuteFiles, 'Statutes in Word files, read line by line: ``docx(path="law.docx")``.', formats=_format
)


def _parts(name: str, data: bytes) -> dict[str, Markup]:
    """Return the parts of a file that have text, by their names in the archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            if size > LARGEST:
                raise DataError(
                    f"{name} unpacks to {size / 2**20:.0f} MB; the limit is {LARGEST / 2**20:.0f} MB: split it."
                )
            wanted = ("document", "numbering", "styles", *_PARTS)
            names = [f"word/{each}.xml" for each in wanted if f"word/{each}.xml" in archive.namelist()]
            parts = {each: Markup(archive.read(each), name) for each in names}
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, RuntimeError, EOFError, OSError) as error:
        raise _unreadable(name, type(error).__name__) from None
    if "word/document.xml" not in parts or local(parts["word/document.xml"].root) != "document":
        raise _unreadable(name, "no document in it")
    return parts


def _unreadable(name: str, cause: str) -> DataError:
    return DataError(f"{name} cannot be read as a Word file ({cause}): save it as .docx anew.")


class _Numbering:
    """What the styles of paragraphs say: that one is a heading, and the numbers that Word sets before them.

    Attributes:
        counted: how many paragraphs have one.
    """

    def __init__(self, numbering: Markup | None, styles: Markup | None) -> None:
        self.counted = 0
        self._levels: dict[str, dict[int, etree._Element]] = {}
        self._lists: dict[str, str] = {}
        self._styles: dict[str, etree._Element] = {}
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)
        for element in numbering.root if numbering else ():
            if local(element) == "abstractNum":
                levels = {int(attribute(each, "ilvl") or 0): each for each in element.iterfind("{*}lvl")}
                self._levels[attribute(element, "abstractNumId")] = levels
            elif local(element) == "num":
                # A list that begins anew counts apart; the others of its form go on from each other.
                own, form = attribute(element, "numId"), _value(element, "abstractNumId")
                anew = element.find("{*}lvlOverride/{*}startOverride") is not None
                self._lists[own] = f"{form} {own}" if anew else form
        for element in styles.root.iterfind("{*}style") if styles else ():
            self._styles[attribute(element, "styleId")] = element

    def label(self, paragraph: etree._Element) -> str:
        """Return the number of a paragraph as it is shown, with a blank behind it, or an empty string."""
        own, level = self._list_of(paragraph)
        counter = self._lists.get(own, "")
        levels = self._levels.get(counter.split(" ")[0], {})
        if level not in levels or _value(levels[level], "numFmt") in ("bullet", "none"):
            return ""
        counts = self._counts[counter]
        for deeper in [each for each in counts if each > level]:
            del counts[deeper]
        for each in range(level + 1):
            start = int(_value(levels[each], "start") or 1) if each in levels else 1
            counts[each] = counts.get(each, start - (each == level)) + (each == level)
        self.counted += 1
        words = _value(levels[level], "lvlText")
        for each in range(level + 1):
            form = _value(levels[each], "numFmt") if each in levels else "decimal"
            words = words.replace(f"%{each + 1}", written(counts[each], form))
        return f"{words} " if words.strip() else ""

    def level(self, paragraph: etree._Element) -> int:
        """Return 1 for the title of the file, 2 for a heading of the first level, 0 for what is no heading."""
        style = self._styles.get(_value(paragraph, "pPr/{*}pStyle"))
        name = "" if style is None else _value(style, "name").lower()
        return 1 if name == "title" else int(name[8:]) + 1 if re.fullmatch("heading [1-9]", name) else 0

    def _list_of(self, paragraph: etree._Element) -> tuple[str, int]:
        """Return the list and the level of a paragraph, its own or those of its style."""
        holder, own, level = paragraph, "", ""
        for _ in range(len(self._styles) + 1):
            number = holder.find("{*}pPr/{*}numPr")
            if number is not None:
                own, level = own or _value(number, "numId"), level or _value(number, "ilvl")
            style = holder.find("{*}pPr/{*}pStyle" if holder is paragraph else "{*}basedOn")
            following = self._styles.get(attribute(style, "val")) if style is not None else None
            if own or following is None:
                break
            holder = following
        return own, int(level) if level.isdecimal() else 0


def _value(element: etree._Element, name: str) -> str:
    """Return the value of a child, empty without it."""
    child = element.find(f"{{*}}{name}")
    return "" if child is None else attribute(child, "val")


class _File:
    """The body of a Word file.

    Attributes:
        lines: its text, a line for each paragraph, line break and row of a table.
        levels: levels of the headings, by the place of their line.
        left_out: what is not read, by the reason.
    """

    def __init__(self, document: Markup, numbering: _Numbering) -> None:
        self.lines = self._body = list[str]()
        self.levels: dict[int, int] = {}
        self.left_out: dict[str, str] = defaultdict(str)
        self._numbering = numbering
        self._blocks(document.root)

    def _blocks(self, holder: etree._Element) -> None:
        for element in holder:
            name = local(element)
            if name == "p":
                if self.lines is self._body and (level := self._numbering.level(element)):
                    self.levels[len(self.lines)] = level
                self.lines += self._paragraph(element)
            elif name == "tbl":
                for row in element.iter("{*}tr"):
                    if _nearest(row, "tbl") is element:
                        self.lines += self._row(row)
            elif name in _LEFT_OUT:
                self.left_out[_LEFT_OUT[name]] += _words(element)
            elif name not in _UNSEEN:
                self._blocks(element)

    def _row(self, row: etree._Element) -> list[str]:
        """Return the line of a row, its cells parted; a single cell is no table, and its lines are those of the law."""
        outer, cells = self.lines, []
        for cell in row.iter("{*}tc"):
            if _nearest(cell, "tr") is row:
                self.lines = []
                self._blocks(cell)
                cells.append(self.lines)
        self.lines = outer
        if len(cells) == 1:
            return cells[0]
        below = [line for line in cells[1] if line.strip()][1:] if len(cells) == 2 else []
        if below and all(map(_ITEM.match, below)):  # Items of what a term means.
            cells[1] = [next(filter(str.strip, cells[1]))]
            return [_line(cells), *below]
        return [_line(cells)]

    def _paragraph(self, paragraph: etree._Element) -> list[str]:
        pieces = [self._numbering.label(paragraph)]
        boxes: list[etree._Element] = []
        self._inline(paragraph, pieces, boxes)
        lines = "".join(pieces).splitlines() or [""]
        outer, self.lines = self.lines, lines
        for box in boxes:
            self._blocks(box)
        lines, self.lines = self.lines, outer
        return lines

    def _inline(self, holder: etree._Element, pieces: list[str], boxes: list[etree._Element]) -> None:
        for element in holder:
            name = local(element)
            if name in _LEFT_OUT:
                self.left_out[_LEFT_OUT[name]] += _words(element)
            elif name == "t":
                pieces.append(element.text or "")
            elif name in _SIGNS:
                pieces.append(_SIGNS[name])
            elif name == "sym":
                pieces.append(_symbol(element))
            elif name == "txbxContent":
                boxes.append(element)
            elif name == "r" and _property(element, "vanish"):
                self.left_out["hidden text"] += _words(element)
            elif name in _FORMULA:
                pieces.append(_FORMULA[name] + self._term(element, boxes))
            elif name not in _UNSEEN:
                own: list[str] = []
                self._inline(element, own, boxes)
                high = name == "r" and _property(element, "vertAlign") == "superscript"
                pieces.append(raised("".join(own)) if high else "".join(own))

    def _term(self, element: etree._Element, boxes: list[etree._Element]) -> str:
        """Return a part of a formula, in brackets if it has signs: fractions and powers as text that can be read."""
        pieces: list[str] = []
        self._inline(element, pieces, boxes)
        words = "".join(pieces)
        return words if words.replace(".", "").isalnum() else f"({words})"


def _line(cells: Sequence[Sequence[str]]) -> str:
    line = CELL.join(" ".join(" ".join(each).split()) for each in cells)
    return line if line[:1].isdigit() else line_of_row(line)  # A bare number would be that of a section.


def _property(run: etree._Element, name: str) -> str:
    """Return the value of a property of a run, ``on`` where it has none; empty without the property."""
    element = next((each for each in run.iterfind(f"{{*}}rPr/{{*}}{name}")), None)
    value = "" if element is None else attribute(element, "val") or "on"
    return "" if value in ("0", "false", "off") else value


def _symbol(element: etree._Element) -> str:
    code = attribute(element, "char")
    value = int(code, 16) if code and all(sign in "0123456789abcdefABCDEF" for sign in code) else 0
    return chr(value) if 0 < value < 0xE000 else ""


def _words(element: etree._Element) -> str:
    return " ".join(each.text or "" for each in element.iter("{*}t", "{*}delText"))


def _nearest(element: etree._Element, name: str) -> etree._Element | None:
    return next((each for each in element.iterancestors() if local(each) == name), None)
