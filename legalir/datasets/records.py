"""Rows of a corpus as records of provisions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from legalir.storage.documents import BREAKS_TREC
from legalir.storage.documents import Provision as Provision

ALIASES = {"docno": "doc_id", "effective": "effective_from", "section": "article"}
"""Other names of fields, which many corpora use."""

_OTHER_NAMES = {field: alias for alias, field in ALIASES.items()}
_NAMES = tuple((field, _OTHER_NAMES.get(field, field)) for field in Provision._fields[1:])


def fits_trec(identifier: str) -> bool:
    """Return True if a docno or qid fits a TREC file: not empty, no white space, no invisible characters."""
    return bool(identifier) and identifier.isprintable() and " " not in identifier


def trec_identifier(text: str) -> str:
    """Return an identifier that fits a TREC file: white space becomes ``_``, invisible characters are dropped."""
    return "".join(character for character in re.sub(r"\s+", "_", text.strip()) if character.isprintable())


def is_web_address(url: str) -> bool:
    """Return True if a text is an http or https address; other addresses, such as of scripts, are not shown."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and url.isprintable() and " " not in url


def provision(row: dict[str, object]) -> Provision:
    """Make the record of one corpus row.

    Args:
        row: ``docno`` (or ``doc_id``), ``text``, and any other field of a provision or one of `ALIASES`.

    Raises:
        ValueError: a field is missing or of the wrong type; the message is a clause about it.
    """
    doc_id = identifier(row, "docno", "doc_id")
    if "text" not in row:
        raise ValueError(f"{doc_id!r} has no 'text'")
    values = [doc_id]
    for field, alias in _NAMES:
        value = row.get(field)
        if value is None:
            value = row.get(alias)
        if value is None:
            value = ""
        elif not isinstance(value, str):
            if isinstance(value, bool) or not isinstance(value, int) or field in ("title", "text"):
                raise ValueError(f"{field!r} of {doc_id!r} is not a string")
            value = str(value)
        values.append(value if field != "url" or is_web_address(value) else "")
    return Provision._make(values)


def other_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a corpus row that are not those of a provision."""
    return {name: value for name, value in row.items() if ALIASES.get(name, name) not in Provision._fields}


def identifier(row: dict[str, object], name: str, *others: str) -> str:
    """Return the identifier of a row, from field `name` or the first of `others` that it has.

    Raises:
        ValueError: it is missing, not a string or integer, or would break a TREC file.
    """
    value = next((row[key] for key in (name, *others) if row.get(key) is not None), None)
    if value is None:
        raise ValueError(f"the field {name!r} is missing")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}, not a string")
    if not fits_trec(value):
        raise ValueError(f"{name} {value!r} {BREAKS_TREC}" if value else f"{name} is empty")
    return value
