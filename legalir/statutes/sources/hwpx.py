"""The source ``hwpx``: statutes in files of Hangul (HWPX, a zip of XML), read line by line; tables row by row."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.law import CELL, Law
from legalir.statutes.reading.lines import check_country, law_id_of, read_text
from legalir.statutes.reading.markup import LARGEST, Markup, local, local_above

if TYPE_CHECKING:
    from lxml import etree

_SECTION = re.compile(r"Contents/section(\d+)\.xml")
_SPACES = {"tab": " ", "nbSpace": " ", "fwSpace": " ", "lineBreak": "\n", "hyphen": "-"}
_APART = frozenset({"footNote", "endNote", "header", "footer", "hiddenComment"})
"""Elements whose text is not part of the line that contains them; they are counted, and left out."""


def _format(collection: Collection | None, country: str = "kr", title: str = "") -> Format:
    """Return the format with its parameters.

    Args:
        country: two letters; selects the table of headings. ``auto``: the table that recognises most articles.
        title: name of the law; empty: the first line of the file.
    """
    check_country("hwpx", country)
    return Format("hwpx", (".hwpx",), _is_hwpx, partial(_read, country=country, title=title), general=True)


def _is_hwpx(path: Path, head: bytes) -> bool:
    return head.startswith(b"PK") and path.suffix.lower() == ".hwpx"


def _read(path: Path, data: bytes, country: str, title: str) -> Iterator[Law]:
    lines, apart, deleted = [""], 0, 0
    for section in _sections(path.name, data):
        deleted += _delete(section)
        apart += sum(local(each) in _APART for each in section.iter())
        for paragraph in section:
            _add_paragraph(paragraph, lines)
    law = read_text(path.name, [" ".join(line.split()) for line in lines], country, title, law_id_of(path))
    if apart:
        law.notes.append(f"{path.name}: notes, headers and footers that are not read: {apart}.")
    if deleted:
        law.notes.append(f"{path.name}: deletions that are tracked, whose text is left out: {deleted}.")
    yield law


FORMATS = (_format(None),)
hwpx = factory_of(
    StatuteFiles, 'Statutes in Hangul files (HWPX), read line by line: ``hwpx(path="law.hwpx")``.', formats=_format
)


def _sections(name: str, data: bytes) -> Iterator[etree._Element]:
    """Yield the root of each section, in their order; a file that unpacks to too much is refused before."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            if size > LARGEST:
                raise DataError(
                    f"{name} unpacks to {size / 2**20:.0f} MB; the limit is {LARGEST / 2**20:.0f} MB: split it."
                )
            found = sorted((int(match[1]), each) for each in archive.namelist() if (match := _SECTION.fullmatch(each)))
            if not found:
                raise DataError(f"{name} has no Contents/section0.xml: save it as .hwpx anew.")
            for _, each in found:
                yield Markup(archive.read(each), f"{name}/{each}").root
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError, zlib.error) as error:
        raise DataError(
            f"{name} cannot be read as an HWPX file ({type(error).__name__}): save it anew, without a password."
        ) from None


def _delete(section: etree._Element) -> int:
    """Empty the text of each tracked deletion, from its mark to that of its end, and return their number.

    Its end may be in another line; a mark without an end deletes nothing.
    """
    count = 0
    inside: list[etree._Element] = []  # The mark and what is behind it, while a deletion is open.
    for element in section.iter():
        name = local(element)
        if name == "deleteBegin":
            inside = [element]
        elif name == "deleteEnd" and inside:
            for each in inside:
                if local(each) == "t":
                    each.text = ""
                else:
                    each.tail = ""
            count, inside = count + 1, []
        elif inside and (name == "t" or local_above(element) == "t"):
            inside.append(element)
    return count


def _add_paragraph(paragraph: etree._Element, lines: list[str]) -> None:
    """Add a paragraph as a line; a table in it is a line for each row, after the line."""
    rows: list[str] = []
    lines.append("")
    _add(paragraph, lines, rows)
    lines += rows


def _add(element: etree._Element, lines: list[str], rows: list[str]) -> None:
    for child in element:
        name = local(child)
        if name == "t":
            pieces = [child.text or ""]
            for mark in child:
                pieces += [_SPACES.get(local(mark), ""), mark.tail or ""]
            first, *others = "".join(pieces).split("\n")
            lines[-1] += first
            lines += others
        elif name == "tr":
            rows.append(CELL.join(_words(cell) for cell in child if local(cell) == "tc"))
        elif name not in _APART:
            _add(child, lines, rows)


def _words(cell: etree._Element) -> str:
    lines, rows = [""], list[str]()
    for paragraph in cell.iter():
        if local(paragraph) == "p":
            lines.append("")
            _add(paragraph, lines, rows)
    return " ".join(" ".join(lines).split())
