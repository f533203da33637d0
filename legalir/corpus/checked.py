"""Records as a source gives them, checked before they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import cast

from legalir.corpus.source import FIELDS, Source
from legalir.datasets.records import fits_trec
from legalir.errors import FormatError, suggestion

__all__ = ["checked_links", "checked_provisions"]

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATES = ("effective_from", "effective_to")


def checked_provisions(source: Source, seen: dict[str, int]) -> Iterator[dict[str, str]]:
    """Yield the provisions of a source with their keys in one order, empty ones left out but for the text.

    Args:
        source: gives the provisions.
        seen: filled with the docno of each and its position.

    Raises:
        FormatError: names the source, the position and the fault: what has no docno or text, a docno that an earlier
            one has, a value that is no string, a key that means nothing, or a date that is none.
    """
    for number, record in enumerate(source.provisions(), 1):
        line = getattr(record, "line", None)
        noun, position = ("provision", number) if line is None else ("line", line)
        where = f"{source.name}, {noun} {position}"
        docno = _docno(where, record)
        if docno in seen:
            raise FormatError(f"{where}: the docno {docno!r} is that of {noun} {seen[docno]}, too.")
        seen[docno] = position
        _check_fields(f"{where} ({docno})", record)
        yield {name: record[name] for name in FIELDS if name == "text" or record.get(name)}


def _docno(where: str, record: object) -> str:
    if not isinstance(record, Mapping):
        raise FormatError(f"{where}: it is of type {type(record).__name__}, where a mapping is expected.")
    if "docno" not in record:
        raise FormatError(f"{where}: it has no 'docno', only {', '.join(map(repr, record)) or 'nothing'}.")
    docno = record["docno"]
    if not isinstance(docno, str):
        raise FormatError(f"{where}: the docno {docno!r} is no string.")
    if not docno:
        raise FormatError(f"{where}: the docno is empty.")
    if not fits_trec(docno):
        raise FormatError(
            f"{where}: the docno {docno!r} holds white space or something invisible, which would break a TREC file."
        )
    return docno


def _check_fields(where: str, record: Mapping[str, object]) -> None:
    for name, value in record.items():
        if name not in FIELDS:
            hint = suggestion(str(name), FIELDS) or f" Known are {', '.join(FIELDS)}."
            raise FormatError(f"{where}: a provision has no key {name!r}.{hint}")
        if not isinstance(value, str):
            raise FormatError(f"{where}: {name!r} is {_shown(value)}, which is no string: leave out what is missing.")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise FormatError(f"{where}: {name!r} holds half of a surrogate pair, which no file can.") from None
    if "text" not in record:
        raise FormatError(f"{where}: it has no 'text'.")
    dates = [_date(where, name, cast(str, record[name])) for name in _DATES if record.get(name)]
    if dates != sorted(dates):
        raise FormatError(f"{where}: 'effective_to' ({dates[1]}) is before 'effective_from' ({dates[0]}).")


def _date(where: str, name: str, value: str) -> date:
    try:
        if _ISO.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise FormatError(f"{where}: {name!r} is {_shown(value)}, which is no date such as '2024-01-31'.")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def checked_links(source: Source) -> Iterator[tuple[str, str, str]]:
    """Yield the links of a source.

    Raises:
        FormatError: names the source, the position and the fault: what is not three strings, an end that can be no
            docno, or a kind that would break the line.
    """
    for number, link in enumerate(source.links(), 1):
        where = f"{source.name}, link {number}"
        if not isinstance(link, tuple) or len(link) != 3 or not all(isinstance(part, str) for part in link):
            raise FormatError(f"{where}: {_shown(link)} is no tuple of three strings (source, target, kind).")
        for end in link[:2]:
            if not fits_trec(end):
                raise FormatError(f"{where}: {end!r} can be no docno: it is empty, or holds white space.")
        if not link[2].isprintable():
            raise FormatError(f"{where}: the kind {link[2]!r} holds a tab, a line break or something invisible.")
        yield link
