"""What people take away: provisions with their day, version and address, as a sentence, a table, JSON or for Word."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from legalir.extend import names_version
from legalir_serve.reading import paragraphs

if TYPE_CHECKING:
    from docx.document import Document
    from docx.text.paragraph import Paragraph

KINDS = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
"""Media types of the kinds of files."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Beginnings of a cell that a spreadsheet may take for a formula."""

_CELL = 32_000
"""Most characters of a cell; spreadsheets take 32 767."""

_LETTERS = 500_000
"""Most characters of law in a document for Word; it is written in seconds."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INDENT = 18
"""Points by which an item stands to the right of its paragraph."""


def days_of(row: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    """Return in words from when to when a version is in force; both days are days on which it is."""
    start, end = row.get("effective_from") or "", row.get("effective_to") or ""
    try:
        last = (date.fromisoformat(end) - timedelta(days=1)).isoformat()
    except ValueError:  # It has no end.
        return f"{labels['since']} {start}" if start else ""
    return labels["in_force_between"].format(start=start, end=last)


def citation(row: Mapping[str, Any], labels: Mapping[str, str], title: str, address: str) -> str:
    """Return how a provision is cited: its name, days and version, the collection's title, address, day of retrieval.

    Args:
        row: ``docno`` and, where there are any, ``title, law, effective_from, effective_to``.
        labels: of the reader's language.
        title: of the collection.
        address: of the page.
    """
    name, law = row.get("title") or row["docno"], row.get("law") or ""
    version = f"{labels['version']} {row['docno']}" if names_version(row["docno"]) else ""
    when = ", ".join(filter(None, (days_of(row, labels), version)))
    retrieved = labels["retrieved"].format(day=date.today().isoformat())
    named = name if not law or law in name else f"{law}, {name}"
    return f"{named}{f' ({when})' if when else ''}. {title}. {address} ({retrieved})"


def as_csv(rows: Sequence[Mapping[str, Any]], more: Mapping[str, str]) -> bytes:
    """Return provisions as a table for a spreadsheet, in which no cell is a formula or larger than one may be.

    A text that is cut says so at its end.

    Args:
        rows: the provisions; their columns are those of any of them.
        more: further columns with the same value in each row.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    columns = [*dict.fromkeys(name for row in rows for name in row if name not in more)]
    columns = columns or ["rank", "score", "docno", "title", "text"]
    writer.writerow([*columns, *more])
    for row in rows:
        writer.writerow([_cell(row.get(column, "")) for column in columns] + [_cell(value) for value in more.values()])
    return ("\ufeff" + out.getvalue()).encode("utf-8", "replace")


def _cell(value: object) -> str:
    text = str("" if value is None else value)
    if len(text) > _CELL:
        text = f"{text[:_CELL]} … ({_CELL:,} / {len(text):,})"
    return f"'{text}" if text.startswith(_FORMULA) and not isinstance(value, int | float) else text


def as_json(rows: Sequence[Mapping[str, Any]], more: Mapping[str, Any]) -> bytes:
    """Return provisions as JSON: what holds for all of them, and ``results``."""
    return json.dumps({**more, "results": rows}, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def as_word(
    heading: str, facts: str, rows: Sequence[Mapping[str, Any]], labels: Mapping[str, str], language: str
) -> bytes:
    """Return provisions as a document for Word: each with its text as the law arranges it, and how it is cited.

    Args:
        heading: of the document.
        facts: a line below it.
        rows: the provisions; each with ``address`` and ``citation``. A text beyond 500 000 characters in all is left
            out, which the document says.
        labels: of the reader's language.
        language: code of the language of the law.
    """
    from docx import Document
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn
    from docx.shared import Pt

    document, left = Document(), _LETTERS
    spoken = OxmlElement("w:lang")
    for name in ("val", "eastAsia"):
        spoken.set(qn(f"w:{name}"), language)
    document.styles["Normal"].element.get_or_add_rPr().append(spoken)
    document.core_properties.title, document.core_properties.author = _xml(heading)[:255], ""
    if heading:
        document.add_heading(_xml(heading), 0 if len(rows) != 1 else 1)
    if facts:
        document.add_paragraph(_xml(facts), style="Subtitle")
    for row in rows:
        if (name := row.get("title") or row["docno"]) != heading:
            document.add_heading(_xml(name), 2)
        place = " › ".join(filter(None, (row.get("law"), row.get("path"))))
        if place:
            document.add_paragraph(_xml(place)).runs[0].italic = True
        left -= len(row["text"])
        if left < 0:
            document.add_paragraph(_xml(labels["too_long_for_word"]))
        for block in paragraphs(row["text"], "") if left >= 0 else ():
            if block.rows:
                _table(document, block.rows)
            else:
                paragraph = document.add_paragraph(_xml("".join(words for words, _ in block.parts)))
                paragraph.paragraph_format.left_indent = Pt(_INDENT * block.depth)
        before, _, after = row["citation"].partition(row["address"])
        _linked(document.add_paragraph(_xml(before)), row["address"]).add_run(_xml(after))
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _table(document: Document, rows: Sequence[Sequence[str]]) -> None:
    table = document.add_table(len(rows), max(map(len, rows)), style="Table Grid")
    cells = table._cells  # One by one, each look for a cell walks through all of them.
    for place, text in enumerate(text for row in rows for text in row):
        cells[place].text = _xml(text)


def _linked(paragraph: Paragraph, address: str) -> Paragraph:
    """Add an address to a paragraph as a link, and return the paragraph."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
    run = paragraph.add_run(_xml(address))
    run.underline = True
    link.append(run._r)
    paragraph._p.append(link)
    return paragraph


def _xml(text: str) -> str:
    """Return a text without signs that a document cannot have."""
    return _NOT_XML.sub(" ", text)
