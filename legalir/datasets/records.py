"""A provision of a statute: the record that every corpus is made of.

No postponed annotations here: PyTerrier's text loader offers the fields whose annotation is `str` itself.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from legalir.storage.documents import title_and_text

ALIASES = {"docno": "doc_id", "effective": "effective_from", "section": "article"}
"""Other names of fields, which many corpora use."""


class Provision(NamedTuple):
    """One provision (article, section, paragraph, annex); a field that a corpus does not have is empty.

    Attributes:
        doc_id: unique in its corpus; no white space and no control characters.
        title: the law's name and the article with its heading, as in a citation.
        text: the body.
        law: name of the law.
        law_id: the law's identifier.
        level: place in the hierarchy, such as ``act``, ``decree``, ``rule``, ``standard``.
        article: number of the article, such as ``12`` or ``12.2``.
        heading: the article's own heading.
        path: chapter and section that hold it.
        effective_from: ISO date from which it applies.
        effective_to: ISO date from which it no longer applies.
    """

    doc_id: str
    title: str = ""
    text: str = ""
    law: str = ""
    law_id: str = ""
    level: str = ""
    article: str = ""
    heading: str = ""
    path: str = ""
    effective_from: str = ""
    effective_to: str = ""

    def default_text(self) -> str:
        """Return the indexed text: title, newline, text; the text alone where there is no title."""
        return title_and_text(self.title, self.text)


class ProvisionLookup(Protocol):
    """Source of provisions by docno, such as a collection."""

    def provisions(self, docnos: Iterable[str]) -> Mapping[str, Provision]:
        """Return the provisions with these docnos; an unknown docno is left out."""


_OTHER_NAMES = {field: alias for alias, field in ALIASES.items()}
_NAMES = tuple((field, _OTHER_NAMES.get(field, field)) for field in Provision._fields[1:])


def fits_trec(identifier: str) -> bool:
    """Return whether a docno or qid fits a TREC file: not empty, no white space, nothing invisible."""
    return bool(identifier) and identifier.isprintable() and " " not in identifier


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
        values.append(value)
    return Provision._make(values)


def identifier(row: dict[str, object], name: str, *others: str) -> str:
    """Return the identifier of a row, from field `name` or else one of `others`.

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
        fault = "holds white space or control characters" if value else "is empty"
        raise ValueError(f"{name} {value!r} {fault}, which would break a TREC file" if value else f"{name} {fault}")
    return value
