"""Checks of a source: it yields provisions and the links between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any

from legalir.datasets.records import fits_trec
from legalir.errors import shown
from legalir.statutes.source import FIELDS
from legalir.testing.checks import Failed, check_name, checks_of, construction, first_use
from legalir.testing.new_interpreter import PROCESS_CHECKS
from legalir.testing.sandbox import Sandbox

_DATES = ("effective_from", "effective_to")


def name(sandbox: Sandbox) -> None:
    """The name is a short text."""
    check_name(_made(sandbox).name, "say what it is a source of.")


def provisions(sandbox: Sandbox) -> None:
    """There are provisions, and each is a mapping with a docno and a text."""
    count = 0
    for count, row in enumerate(_made(sandbox).provisions(), start=1):
        if not isinstance(row, Mapping) or not {"docno", "text"} <= set(row):
            raise Failed(f"provision {count} is {shown(row)}: yield a dict with docno and text.")
    if not count:
        raise Failed("there are no provisions, so that nothing is checked: give parameters that yield some.")


def docnos(sandbox: Sandbox) -> None:
    """A docno is a string without white space, and no two provisions share one."""
    counts = Counter(row["docno"] for row in _made(sandbox).provisions())
    for docno, count in counts.items():
        if not isinstance(docno, str) or not fits_trec(docno):
            raise Failed(f"docno {docno!r} cannot stand in a TREC file: make it a string without white space.")
        if count > 1:
            raise Failed(f"{count} provisions have docno {docno!r}: give each version and each part its own.")


def fields(sandbox: Sandbox) -> None:
    """A provision has only fields of the folder format."""
    for row in _made(sandbox).provisions():
        for key in row:
            if key not in FIELDS:
                raise Failed(f"{row['docno']!r} has a field {key!r}: use {', '.join(FIELDS)}.")


def texts(sandbox: Sandbox) -> None:
    """Each value is a string that a file can contain; an unknown value is missing or empty."""
    for row in _made(sandbox).provisions():
        for key, value in row.items():
            if key != "docno" and not isinstance(value, str):
                raise Failed(f"{key} of {row['docno']!r} is {shown(value)}: make it a string, or leave it out.")
            if any("\ud800" <= character <= "\udfff" for character in str(value)):
                raise Failed(f"{key} of {row['docno']!r} has half of a surrogate pair: decode your input as UTF-8.")


def dates(sandbox: Sandbox) -> None:
    """Dates are of the form 2031-05-02, or empty, and none ends before it begins."""
    for row in _made(sandbox).provisions():
        values = [row.get(key) for key in _DATES]
        for key, value in zip(_DATES, values, strict=True):
            if isinstance(value, str) and value and not _is_date(value):
                raise Failed(f"{key} of {row['docno']!r} is {value!r}: write it as 2031-05-02.")
        first, last = (value if isinstance(value, str) and _is_date(value) else "" for value in values)
        if first and last and last < first:
            raise Failed(f"{row['docno']!r} holds from {first} to {last}: put the dates in order.")


def links(sandbox: Sandbox) -> None:
    """A link is a triple of strings: source, target, kind."""
    for link in _made(sandbox).links():
        if not isinstance(link, tuple) or len(link) != 3 or not all(isinstance(part, str) for part in link):
            raise Failed(f"{shown(link)} is not a link: yield (source, target, kind), the kind may be empty.")
        if not link[2].isprintable():
            raise Failed(f"the kind of {shown(link)} has a tab, a line break or the like: it must fit a line of TSV.")


def link_ends(sandbox: Sandbox) -> None:
    """A link begins at a provision of the source; its target may lie outside, which an import counts."""
    source = _made(sandbox)
    own = {row["docno"] for row in source.provisions()}
    for link in source.links():
        if link[0] not in own:
            raise Failed(f"the link {shown(link)} begins at {link[0]!r}, which is not a provision of this source.")


def determinism(sandbox: Sandbox) -> None:
    """A source can be read twice, with the same content in the same order."""
    source = _made(sandbox)
    for what in ("provisions", "links"):
        first, second = (list(getattr(source, what)()) for _ in range(2))
        if first != second:
            raise Failed(f"{what} yielded {len(first)} and then {len(second)}, or others: begin again each time.")


def another_build(sandbox: Sandbox) -> None:
    """Two sources of the same parameters have the same content."""
    first, second = (_made(sandbox) for _ in range(2))
    for what in ("provisions", "links"):
        if list(getattr(first, what)()) != list(getattr(second, what)()):
            raise Failed(f"{what} of two with the same parameters differ: let the parameters decide everything.")


def _made(sandbox: Sandbox) -> Any:
    return sandbox.make(sandbox.collection())


def _is_date(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


SOURCE = checks_of(
    construction,
    first_use,
    *PROCESS_CHECKS,
    name,
    provisions,
    docnos,
    fields,
    texts,
    dates,
    links,
    link_ends,
    determinism,
    another_build,
)
"""All checks of a source, in the order in which they run."""
