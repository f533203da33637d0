"""Checks of a source: it yields provisions and the links between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any

from legalir.datasets.records import fits_trec
from legalir.statutes.source import FIELDS
from legalir.testing.checks import Failed, checks_of
from legalir.testing.construction import construction
from legalir.testing.fresh import PROCESS_CHECKS
from legalir.testing.trial import Trial

__all__ = ["CHECKS"]

_DATES = ("effective_from", "effective_to")


def name(trial: Trial) -> None:
    """The name is a short text."""
    found = _made(trial).name
    if not isinstance(found, str) or not found.isprintable() or not 0 < len(found.strip()) <= 200:
        raise Failed(f"the name {found!r} is no text of 1 to 200 printable characters: say what it is a source of.")


def provisions(trial: Trial) -> None:
    """There are provisions, and each is a mapping with a docno and a text."""
    count = 0
    for count, row in enumerate(_made(trial).provisions(), start=1):
        if not isinstance(row, Mapping) or not {"docno", "text"} <= set(row):
            raise Failed(f"provision {count} is {_short(row)}: yield a dict with docno and text.")
    if not count:
        raise Failed("there is no provision, so that nothing is checked: give parameters with which there are some.")


def docnos(trial: Trial) -> None:
    """A docno is a string without white space, and no two provisions share one."""
    counted = Counter(row["docno"] for row in _made(trial).provisions())
    for docno, count in counted.items():
        if not isinstance(docno, str) or not fits_trec(docno):
            raise Failed(f"docno {docno!r} cannot stand in a TREC file: make it a string without white space.")
        if count > 1:
            raise Failed(f"{count} provisions have docno {docno!r}: give each version and each part its own.")


def fields(trial: Trial) -> None:
    """A provision has no fields but those of the folder format."""
    for row in _made(trial).provisions():
        for key in row:
            if key not in FIELDS:
                raise Failed(f"{row['docno']!r} has a field {key!r}: there are {', '.join(FIELDS)}.")


def texts(trial: Trial) -> None:
    """Every value is a string that a file can hold; what is not known is left out or empty."""
    for row in _made(trial).provisions():
        for key, value in row.items():
            if key != "docno" and not isinstance(value, str):
                raise Failed(f"{key} of {row['docno']!r} is {_short(value)}: make it a string, or leave it out.")
            if any("\ud800" <= character <= "\udfff" for character in str(value)):
                raise Failed(f"{key} of {row['docno']!r} has half of a surrogate pair: decode what you read as UTF-8.")


def dates(trial: Trial) -> None:
    """Dates are of the form 2031-05-02, or empty, and none ends before it begins."""
    for row in _made(trial).provisions():
        found = [row.get(key) for key in _DATES]
        for key, value in zip(_DATES, found, strict=True):
            if isinstance(value, str) and value and not _is_date(value):
                raise Failed(f"{key} of {row['docno']!r} is {value!r}: write it as 2031-05-02.")
        first, last = (value if isinstance(value, str) and _is_date(value) else "" for value in found)
        if first and last and last < first:
            raise Failed(f"{row['docno']!r} holds from {first} to {last}: put the dates in order.")


def links(trial: Trial) -> None:
    """A link is a triple of strings: source, target, kind."""
    for link in _made(trial).links():
        if not isinstance(link, tuple) or len(link) != 3 or not all(isinstance(part, str) for part in link):
            raise Failed(f"{_short(link)} is no link: yield (source, target, kind), kind empty where it is not known.")
        if not link[2].isprintable():
            raise Failed(f"the kind of {_short(link)} has a tab, a line break or the like: it stands in a line of TSV.")


def link_ends(trial: Trial) -> None:
    """A link begins at a provision that was yielded; where it leads may lie outside, which an import counts."""
    source = _made(trial)
    known = {row["docno"] for row in source.provisions()}
    for link in source.links():
        if link[0] not in known:
            raise Failed(f"the link {_short(link)} begins at {link[0]!r}, which is no provision of this source.")


def determinism(trial: Trial) -> None:
    """A source can be read twice, and says the same in the same order."""
    source = _made(trial)
    for what in ("provisions", "links"):
        first, second = (list(getattr(source, what)()) for _ in range(2))
        if first != second:
            raise Failed(f"{what} gave {len(first)} once and then {len(second)}, or others: begin anew each time.")


def another_build(trial: Trial) -> None:
    """Two sources that were made alike say the same."""
    first, second = (_made(trial) for _ in range(2))
    for what in ("provisions", "links"):
        if list(getattr(first, what)()) != list(getattr(second, what)()):
            raise Failed(f"{what} of two that were made alike differ: let nothing but the parameters decide.")


def _made(trial: Trial) -> Any:
    return trial.component(trial.collection())


def _is_date(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


CHECKS = checks_of(
    construction,
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
"""All of them, in the order in which they run."""
