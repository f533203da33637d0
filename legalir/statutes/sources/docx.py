"""The source ``docx``: statutes in Word files, read paragraph by paragraph; tables row by row."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.extras import require
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.law import CELL, Law
from legalir.statutes.reading.headings import check_country, law_id_of, read_text
from legalir.statutes.reading.markup import LARGEST


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
    numbered, lines = _lines(path.name, data)
    law = read_text(path.name, lines, country, title, law_id_of(path))
    if numbered:
        law.notes.append(f"{path.name}: Word numbers {numbered} paragraphs by itself; these numbers are not text.")
    yield law


FORMATS = (_format(None),)
docx = factory_of(
    StatuteFiles, 'Statutes in Word files, read line by line: ``docx(path="law.docx")``.', formats=_format
)


def _lines(name: str, data: bytes) -> tuple[int, list[str]]:
    """Return how many paragraphs Word numbers by itself, and the lines."""
    word = require("docx", extra="statutes")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > LARGEST:
            raise DataError(
                f"{name} unpacks to {size / 2**20:.0f} MB; the limit is {LARGEST / 2**20:.0f} MB: split it."
            )
        file = word.Document(io.BytesIO(data))
    except (zipfile.BadZipFile, KeyError, ValueError, word.opc.exceptions.OpcError, SyntaxError) as error:
        raise DataError(
            f"{name} cannot be read as a Word file ({type(error).__name__}): save it as .docx anew."
        ) from None
    numbered, lines = 0, []
    for block in file.iter_inner_content():
        if hasattr(block, "rows"):
            lines += [CELL.join(" ".join(cell.text.split()) for cell in row.cells) for row in block.rows]
            continue
        properties = block._p.pPr
        numbered += properties is not None and properties.numPr is not None
        lines += block.text.splitlines() or [""]
    return numbered, lines
