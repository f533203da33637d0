"""Catalogue of collections with an id; loads a collection by id or path."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from legalir.datasets.dataset import StatuteDataset
from legalir.datasets.folder import Folder, FolderOutline
from legalir.datasets.foreign import is_foreign_id, open_folder, source_of
from legalir.datasets.published import published
from legalir.errors import DataError, DatasetNotFound, MissingExtra, suggestion

PREFIX = "legalir/"
"""The beginning of every id."""

FIRECODE = Path(__file__).resolve().parent / "firecode"
"""Folder of the bundled collection, ``legalir/firecode``."""

DATED = FIRECODE.with_name("firecode-dated")
"""Folder of the bundled collection with versions in time; its folder ``versions`` has the files that it is made of."""

HARBOUR = FIRECODE.with_name("harbour")
"""Folder of the bundled collection in English, of four levels, in which some provisions have versions."""


class Entry(NamedTuple):
    """A collection that has an id.

    Attributes:
        id: ``legalir/<name>``.
        kind: ``bundled``, ``folder`` (below ``$LEGALIR_DATA``), ``published``, or ``skipped``.
        open_folder: returns its files, after fetching them where that is needed.
        outline: its splits and other facts that need no file.
        fault: the reason why a folder was skipped, or an empty string.
    """

    id: str
    kind: str
    open_folder: Callable[[], Folder]
    outline: FolderOutline
    fault: str = ""

    @property
    def name(self) -> str:
        """The id without the prefix of all ids."""
        return self.id.removeprefix(PREFIX)

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits."""
        return self.outline.splits

    def title(self) -> str:
        """Return the full name; empty for a dataset without one, the error message for one that cannot be read."""
        try:
            return (self.outline.about or self.open_folder().about).title or ""
        except DataError as error:
            return str(error)

    def dataset(self, split: str | None = None) -> StatuteDataset:
        """Return the collection or one split of it."""
        id = self.id if split is None else f"{self.id}/{split}"
        return StatuteDataset(id, self.open_folder, split, self.outline)


def available() -> list[Entry]:
    """Return every collection that has an id, and every folder of ``$LEGALIR_DATA`` that was skipped."""
    return [*entries().values(), *(entry for entry in _all() if entry.fault)]


def entries() -> dict[str, Entry]:
    """Return the collections by id: bundled first, then folders of ``$LEGALIR_DATA``, then published ones.

    Only names of files are read. Where two have one id, the first stays: a folder of one's own replaces a published
    collection of its name, and nothing replaces a bundled one.
    """
    out: dict[str, Entry] = {}
    for entry in _all():
        if not entry.fault:
            out.setdefault(entry.id, entry)
    return out


def _all() -> Iterator[Entry]:
    for path in (FIRECODE, DATED, HARBOUR):
        with suppress(DataError):  # a broken installation: the id is then unknown, and load() lists the ids there are
            yield Entry(PREFIX + path.name, "bundled", partial(Folder.open, path), Folder.open(path).outline)
    if home := os.environ.get("LEGALIR_DATA"):
        root = Path(home).expanduser().absolute()
        try:
            paths = sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))
        except OSError as error:
            yield _skipped("*", root, f"$LEGALIR_DATA: {error.strerror}")
        else:
            yield from map(_folder, paths)
    for name, one in published().items():
        yield Entry(PREFIX + name, "published", one.folder, one.outline)


def _folder(path: Path) -> Entry:
    if path.name in (FIRECODE.name, DATED.name, HARBOUR.name):
        return _skipped(path.name, path, "a bundled collection has this name")
    try:
        foreign = source_of(path)
        outline = Folder.scan(path).outline if foreign is None else foreign.outline
    except (DataError, MissingExtra) as error:
        return _skipped(path.name, path, str(error).removeprefix(f"{path} ").rstrip("."))
    return Entry(PREFIX + path.name, "folder", partial(open_folder, path), outline)


def _skipped(name: str, path: Path, fault: str) -> Entry:
    return Entry(PREFIX + name, "skipped", partial(Folder.open, path), FolderOutline(frozenset(), frozenset()), fault)


def load(id_or_path: str | PathLike[str]) -> StatuteDataset:
    """Return a collection by id or by path; a last part may name a split.

    Args:
        id_or_path: ``legalir/<name>``, ``legalir/<name>/<split>``, a folder, or ``<folder>/<split>``; the folder may be
            one of BEIR or MTEB. ``irds:<id>`` is a dataset of ``ir_datasets``, and ``<provider>:<name>`` one of another
            provider of PyTerrier. A string that begins with ``legalir/`` is always an id.

    Raises:
        DatasetNotFound: nothing has that name; the message suggests one and lists all.
        FormatError: the folder cannot be read.
    """
    if not isinstance(id_or_path, str | PathLike):
        raise DatasetNotFound(f"A dataset must be an id or a path, got {id_or_path!r} ({type(id_or_path).__name__}).")
    if isinstance(id_or_path, str):
        for start in ("irds:" + PREFIX, "legalir:", PREFIX):  # As PyTerrier writes our own ids, too.
            if id_or_path.startswith(start):
                return _by_id(PREFIX + id_or_path.removeprefix(start).removeprefix(PREFIX))
        if is_foreign_id(id_or_path):
            source_of(id_or_path)  # An unknown one is an error now.
            return StatuteDataset(id_or_path, partial(open_folder, id_or_path))
    return _by_path(id_or_path)


def _by_id(id: str) -> StatuteDataset:
    base, _, split = id.rpartition("/")
    faulty = None
    for entry in _all():
        if entry.id in (id, base):
            if not entry.fault:
                return entry.dataset(None if entry.id == id else split)
            faulty = faulty or entry
    if faulty:
        raise DatasetNotFound(f"{faulty.id} cannot be used: {faulty.fault}.")
    raise DatasetNotFound(f"There is no dataset {id!r}.{_hint(id)}")


def _is_collection(path: Path) -> bool:
    with suppress(DatasetNotFound):  # Collections in the folder around a path are not the question.
        return any((path / f"corpus.jsonl{end}").is_file() for end in ("", ".gz")) or source_of(path) is not None
    return False


def _by_path(id_or_path: str | PathLike[str]) -> StatuteDataset:
    path = Path(id_or_path).expanduser()
    id = Path(id_or_path).as_posix() if str(id_or_path) else ""
    if id and path.is_dir():
        return StatuteDataset(id, partial(open_folder, path))
    if len(path.parts) > 1 and _is_collection(path.parent):
        return StatuteDataset(id, partial(open_folder, path.parent), path.name)
    provider, colon, _ = id.partition(":")
    if colon and provider.isalnum() and len(provider) > 1:
        raise DatasetNotFound(
            f"{id!r}: PyTerrier knows no provider {provider!r} of datasets: install the package of it."
        )
    raise DatasetNotFound(f"{id!r} is neither a dataset nor a folder.{_hint(PREFIX + id)}")


def _hint(id: str) -> str:
    usable = entries()
    # The prefix of all ids makes none of them likelier.
    alike = suggestion(id.removeprefix(PREFIX), [entry.name for entry in usable.values()])
    return f"{suggestion(id, usable) if alike else ''} Known: {', '.join(usable)}."
