"""Versions of provisions: which wording of a provision is in force on a day.

The docno of a version is ``key@YYYY-MM-DD``: the key of its provision, and the day from which it applies. A version is
in force on d if ``effective_from <= d < effective_to``; an empty date is open. It ends at the latest when the next
version of its provision begins, so that no two of one provision are in force on a day. A version without text is the
repeal of its provision, and never in force.

An index of documents with such docnos has the files ``effective.from.npy`` and ``effective.to.npy``, int32 [n]: days as
:meth:`datetime.date.toordinal` counts them. An index of other documents has no such files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.errors import ComponentError
from legalir.storage.arrays import save_array
from legalir.storage.documents import docno_of, field_text

_VERSION = re.compile(r"@(\d{4}-\d{2}-\d{2})\Z")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_FILES = ("effective.from", "effective.to")
_ALWAYS, _OPEN = -(2**31), 2**31 - 1
_MASKS = 64
"""Maximum number of days whose masks stay in memory."""

Mask = npt.NDArray[np.bool_]


def provision_key(docno: str) -> str:
    """Return the provision's key for the docno of a version, and other docnos unchanged."""
    return _VERSION.sub("", docno)


def version_date(docno: str) -> str:
    """Return the day in the docno of a version, as ``2021-03-01``; empty for other docnos."""
    found = _VERSION.search(docno)
    return found[1] if found else ""


def names_version(docno: str) -> bool:
    """Return True if a docno has a version date, ``key@YYYY-MM-DD``."""
    return _VERSION.search(docno) is not None


def versions_in_force(names: Iterable[str], law: Mapping[str, str]) -> list[str]:
    """Return the versions in force that names mean: of a key, its version; a version, if it is in force.

    Args:
        names: docnos of versions, or keys of provisions.
        law: docno of the version in force of each provision, by its key.
    """
    pairs = [(name, law.get(provision_key(name))) for name in names]
    return [docno for name, docno in pairs if docno is not None and name in (docno, provision_key(docno))]


def day_of(value: object, where: str) -> int:
    """Return the day of a date.

    Args:
        value: text as ``2021-03-01``, or a date; the time of a ``datetime`` or of a timestamp of pandas is left out.
        where: names the value in the message.

    Raises:
        ComponentError: it is not a date.
    """
    if isinstance(value, datetime):
        value = value.date()
    if isinstance(value, date):
        return value.toordinal()
    try:
        if isinstance(value, str) and _DATE.fullmatch(value):
            return date.fromisoformat(value).toordinal()
    except ValueError:
        pass
    raise ComponentError(f"{where}: {value!r} is not a date: write year, month and day, as in 2021-03-01.")


def iso_date(day: int) -> str:
    """Return the text of a day, as ``2021-03-01``; empty for an open end."""
    return date.fromordinal(day).isoformat() if 0 < day <= date.max.toordinal() else ""


class Validity:
    """The days on which each document of an index is in force.

    Args:
        begin: first day of each, int32 [n].
        end: day after the last day in force, int32 [n]; equal to the begin for a document that is never in force.
    """

    def __init__(self, begin: npt.NDArray[np.int32], end: npt.NDArray[np.int32]) -> None:
        self.begin = begin
        self.end = end
        self._masks: dict[int, Mask] = {}

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Validity | None:
        """Return the validity of an open index by its arrays; None where its documents are no versions."""
        return cls(*(arrays[name] for name in _FILES)) if _FILES[0] in arrays else None

    def write(self, directory: Path) -> None:
        """Write the files into the directory of a build."""
        for name, days in zip(_FILES, (self.begin, self.end), strict=True):
            save_array(directory / f"{name}.npy", days)

    def on(self, day: int) -> Mask:
        """Return which documents are in force on a day; [n], not to be changed."""
        mask = self._masks.get(day)
        if mask is None:
            mask = (self.begin <= day) & (day < self.end)
            if len(self._masks) >= _MASKS:
                self._masks.clear()
            self._masks[day] = mask
        return mask

    @property
    def first(self) -> int | None:
        """The first day on which a document is in force; None where none ever is, or one always was."""
        begin = self.begin[self.begin < self.end]
        return int(begin.min()) if len(begin) and begin.min() > _ALWAYS else None

    def reordered(self, documents: npt.NDArray[np.integer]) -> Validity:
        """Return the validity of `documents`, in their order."""
        return Validity(self.begin[documents], self.end[documents])


class DateReader:
    """Collects docnos and dates of documents, in their order."""

    def __init__(self) -> None:
        self.docnos: list[str] = []
        self._begin: list[object] = []
        self._end: list[object] = []
        self._repealed: list[bool] = []

    def read(self, document: Mapping[str, Any]) -> None:
        """Read the docno and the dates of the next document.

        Raises:
            ComponentError: it has no docno.
        """
        self.docnos.append(docno_of(document))
        self._begin.append(document.get("effective_from"))
        self._end.append(document.get("effective_to"))
        self._repealed.append("text" in document and not field_text(document, "text").strip())

    def validity(self) -> Validity | None:
        """Return the validity of the documents; None if no docno has a version date.

        Raises:
            ComponentError: a date is invalid.
        """
        return validity_of(self.docnos, self._begin, self._end, self._repealed)


def validity_of(
    docnos: Sequence[str], begin: Sequence[object], end: Sequence[object], repealed: Sequence[bool]
) -> Validity | None:
    """Return the validity of n documents; None if no docno has a version date.

    A version ends at the latest when the next version of its provision begins.

    Args:
        docnos: [n].
        begin: ``effective_from`` of each; the date in the docno if it is missing.
        end: ``effective_to`` of each, empty or None for an open end.
        repealed: whether it has no text, and is never in force.

    Raises:
        ComponentError: a date is invalid.
    """
    if not any(map(names_version, docnos)):
        return None
    first = np.array([_first_day(*row) for row in zip(docnos, begin, strict=True)], dtype=np.int64)
    last = np.array([_day(*row, "effective_to", _OPEN) for row in zip(docnos, end, strict=True)], dtype=np.int64)
    key = pd.factorize(np.array([provision_key(docno) for docno in docnos], dtype=object))[0]
    by_docno = np.empty(len(docnos), dtype=np.int64)
    by_docno[sorted(range(len(docnos)), key=docnos.__getitem__)] = np.arange(len(docnos))
    order = np.lexsort((by_docno, first, key))
    row, following = order[:-1], order[1:]
    same = key[row] == key[following]
    last[row[same]] = np.minimum(last[row[same]], first[following[same]])
    last = np.where(np.asarray(repealed, dtype=bool), first, np.maximum(first, last))
    return Validity(first.astype(np.int32), last.astype(np.int32))


def _first_day(docno: str, value: object) -> int:
    version = _VERSION.search(docno)
    return _day(docno, value or (version and version[1]), "effective_from", _ALWAYS)


def _day(docno: str, value: object, name: str, missing: int) -> int:
    return day_of(value, f"{name} of {docno!r}") if value else missing


def dated(documents: Iterable[Mapping[str, Any]], data: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the documents of an index; after the last one, write their validity into its build, if they are versions.

    Raises:
        ComponentError: a docno is missing, or a date is invalid.
    """
    reader = DateReader()
    for document in documents:
        reader.read(document)
        yield document
    if (validity := reader.validity()) is not None:
        validity.write(data)
