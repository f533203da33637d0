"""The source ``text``: statutes in files of plain text, read line by line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.errors import DataError
from legalir.statutes.importing.files import Format, StatuteFiles
from legalir.statutes.law import Law
from legalir.statutes.reading.headings import check_country, country_of, law_id_of, read_text
from legalir.statutes.reading.plain_text import decoded, rejoined


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
    return Format("text", (".txt",), _is_text, partial(_read, country=country, title=title, encoding=encoding), True)


def _is_text(path: Path, head: bytes) -> bool:
    """Return True if lines of a file open articles: a licence or a list of files is no statute."""
    try:
        rows = decoded(head[: head.rfind(b"\n") + 1] or head, path.name, None).splitlines()
    except DataError:
        return True  # Its report says that its encoding must be named.
    return bool(country_of(rows))


def _read(path: Path, data: bytes, country: str, title: str, encoding: str | None) -> Iterator[Law]:
    rows = decoded(data, path.name, encoding).splitlines()
    yield read_text(path.name, rejoined(rows), country, title, law_id_of(path))


FORMATS = (_format(None),)
text = factory_of(StatuteFiles, 'Statutes in plain text, read line by line: ``text(path="law.txt")``.', formats=_format)
