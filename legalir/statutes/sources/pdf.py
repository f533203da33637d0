"""Source ``pdf``: statutes in PDF files that contain text, read line by line; tables row by row."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.extras import require
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.law import CELL, Law
from legalir.statutes.reading.lines import check_country, in_columns, law_id_of, read_text
from legalir.statutes.reading.plain_text import rejoined, without_headers
from legalir.statutes.reading.sequence import raised

if TYPE_CHECKING:
    from pdfplumber.page import Page

_SMALL = 0.85
"""Largest size of a raised character, by that of the line; browsers print it at 5/6."""
_COLUMN_ROWS = 5
"""Lines with a wide gap that show two columns."""
_FAR = 200
"""Column at which the right part of a line is put."""


def _format(collection: Collection | None, country: str = "auto", title: str = "") -> Format:
    """Return the format with its parameters.

    Args:
        country: two letters; selects the table of headings. ``auto``: the table that recognises most articles.
        title: name of the law; empty: the first line of the file.
    """
    check_country("pdf", country)
    read = partial(_read, country=country, title=title)
    return Format("pdf", (".pdf",), _is_pdf, read, general=True)


def _is_pdf(path: Path, head: bytes) -> bool:
    return head.lstrip().startswith(b"%PDF")


def _read(path: Path, data: bytes, country: str, title: str) -> Iterator[Law]:
    lines, note = lines_of(path.name, data)
    law = read_text(path.name, rejoined(lines), country, title, law_id_of(path))
    law.notes += [f"{path.name}: {note}"] if note else []
    law.notes.append(f"{path.name}: read from PDF by the look of its lines: look at the result.")
    yield law


FORMATS = (_format(None),)
pdf = factory_of(
    StatuteFiles, 'Statutes in PDF files that hold text, read line by line: ``pdf(path="law.pdf")``.', formats=_format
)


def lines_of(name: str, data: bytes) -> tuple[list[str], str]:
    """Return the lines of a file without headers and footers of pages, and a note if it may have two columns.

    Raises:
        DataError: it is damaged or encrypted, or holds no text.
    """
    pdfplumber = require("pdfplumber", extra="statutes")
    from pdfminer.pdfdocument import PDFPasswordIncorrect
    from pdfminer.pdfexceptions import PDFException
    from pdfplumber.utils.exceptions import PdfminerException

    try:
        with pdfplumber.open(io.BytesIO(data)) as file:
            pages = [_page(page) for page in file.pages]
    except (PdfminerException, PDFException, ValueError, KeyError, TypeError, RecursionError) as error:
        cause = error.args[0] if error.args else error
        if isinstance(cause, PDFPasswordIncorrect):
            raise DataError(f"{name} is encrypted: save it without a password first.") from None
        raise DataError(f"{name} is damaged ({type(cause).__name__}): it cannot be read as PDF.") from None
    if not any(map("".join, pages)):
        raise DataError(f"{name} holds pictures of pages and no text: it needs OCR first.")
    pages, note = in_columns(pages)
    if note:
        pages = [[" ".join(row.split()) for row in page] for page in pages]
    return without_headers(pages)[0], note


def _page(page: Page) -> list[str]:
    """Return the lines of a page; table lines are rows with a mark between the cells."""
    _raise_small_digits(page)
    tables = page.find_tables()
    rest = page
    for table in tables:
        rest = rest.outside_bbox(table.bbox, strict=False)
    placed = _lines(rest)
    for table in tables:
        rows = [CELL.join(" ".join((cell or "").split()) for cell in row) for row in table.extract()]
        placed += [(table.bbox[1] + place / 1000, row) for place, row in enumerate(rows) if row.strip(CELL)]
    return [text for _, text in sorted(placed, key=lambda line: line[0])]


def _lines(page: Page) -> list[tuple[float, str]]:
    """Return lines with their height on the page; what is right of a wide gap that many share is far to the right."""
    lines = page.extract_text_lines()
    letters = [[char for char in line["chars"] if char["text"].strip()] for line in lines]
    begun = Counter(round(b["x0"]) for line in letters for a, b in pairwise(line) if b["x0"] - a["x1"] > b["size"])
    start, count = begun.most_common(1)[0] if begun else (0, 0)
    placed = [(line["top"], line["text"]) for line in lines]
    if count < _COLUMN_ROWS:
        return placed
    for at, chars in enumerate(letters):
        right = next((place for place, char in enumerate(chars) if char["x0"] >= start - 2), len(chars))
        wide = 0 < right < len(chars) and chars[right]["x0"] - chars[right - 1]["x1"] > chars[right]["size"]
        if right == 0 or wide:
            top, text = placed[at]
            split = next((end for end in range(len(text)) if len("".join(text[:end].split())) == right), 0)
            placed[at] = top, f"{text[:split].strip():{_FAR}}{text[split:].strip()}"
    return placed


def _raise_small_digits(page: Page) -> None:
    """Make superscripts of small digits that are set higher than what they stand beside, on the same line as it.

    Brackets around them are left out, as on web pages. Letters behind a digit are set on the line: 10th, 1er.
    """
    runs = [[*run] for _, run in groupby(page.chars, key=lambda char: (char["size"], round(char["bottom"], 1)))]
    gone = set[int]()
    for before, run, after in zip([[], *runs], runs, [*runs[1:], []], strict=False):
        words = "".join(char["text"] for char in run).strip()
        high = raised(words)
        if high == words and not (words.isalpha() and before and before[-1]["text"].isdecimal()):
            continue
        if before and _is_raised(run[0], before[-1], run[0]["x0"] - before[-1]["x1"]):
            beside = before[-1]
        elif after and _is_raised(run[-1], after[0], after[0]["x0"] - run[-1]["x1"]):
            beside = after[0]
        else:
            continue
        end = len(run) - run[-1]["text"].isspace()
        for char in (run[0], *run[end:]):
            char |= {edge: beside[edge] for edge in ("top", "bottom", "doctop", "size")}
        run[0] |= {"text": high, "x1": run[end - 1]["x1"]}
        gone.update(map(id, run[1:end]))
    page.chars[:] = [char for char in page.chars if id(char) not in gone]


def _is_raised(char: dict[str, Any], beside: dict[str, Any], gap: float) -> bool:
    size = beside["size"]
    high = beside["bottom"] - char["bottom"]
    return bool(abs(gap) <= 0.5 * size and 0.15 * size <= high <= size and char["size"] <= _SMALL * size)
