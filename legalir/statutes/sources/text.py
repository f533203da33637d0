"""The source ``text``: statutes in files of plain text or of Markdown, whose marks are left out, read line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.law import Law
from legalir.statutes.reading.headings import check_country, country_of, law_id_of, read_text
from legalir.statutes.reading.plain_text import decoded, rejoined

_MARKS = re.compile(r"^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+)+|\*\*|__|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|\\(?=[\W_])")
_LISTED = re.compile(r"\s*\d{1,3}[.)]\s")
_ABOUT = re.compile(r"(?:readme|license|licence|changelog|contributing|authors)\b", re.IGNORECASE)
"""Names of files about the files beside them."""
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")


def _format(
    collection: Collection | None, country: str = "auto", title: str = "", encoding: str | None = None
) -> Format:
    """Return the format with its parameters.

    Args:
        country: two letters; selects the table of headings. ``auto``: the table that recognises most articles.
        title: name of the law; empty: the first line of the file.
        encoding: of the files; None: UTF-8, or what a byte order mark says.
    """
    check_country("text", country)
    return Format(
        "text", (".txt", ".md"), _is_text, partial(_read, country=country, title=title, encoding=encoding), True
    )


def _is_text(path: Path, head: bytes) -> bool:
    """Return True if lines of a file open articles: a licence or a list of files is no statute."""
    try:
        rows = decoded(head[: head.rfind(b"\n") + 1] or head, path.name, None).splitlines()
    except DataError:
        return True  # Its report says that its encoding must be named.
    if path.suffix.lower() == ".md":
        rows = _plain([row for row in rows if not _LISTED.match(row)])
    return not _ABOUT.match(path.name) and bool(country_of(rows))


def _read(path: Path, data: bytes, country: str, title: str, encoding: str | None) -> Iterator[Law]:
    rows = decoded(data, path.name, encoding).splitlines()
    if path.suffix.lower() == ".md":
        rows = _plain(rows)
    yield read_text(path.name, rejoined(rows), country, title, law_id_of(path))


def _plain(rows: Sequence[str]) -> list[str]:
    """Return the lines of Markdown without its marks, and without the facts before its text."""
    if rows and rows[0].strip() == "---" and "---" in (later := [row.strip() for row in rows[1:]]):
        rows = rows[later.index("---") + 2 :]
    return [_LINK.sub(r"\1", _MARKS.sub("", row)) for row in rows if not row.lstrip().startswith("<!--")]


FORMATS = (_format(None),)
text = factory_of(
    StatuteFiles, 'Statutes in plain text or Markdown, read line by line: ``text(path="law.txt")``.', formats=_format
)
