"""Which collections there are, and how an id or a path becomes one."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from legalir.datasets.about import Known
from legalir.datasets.dataset import StatuteDataset
from legalir.datasets.folder import Folder
from legalir.datasets.published import published
from legalir.datasets.shipped import FIRECODE
from legalir.errors import DataError, DatasetNotFound, suggestion

__all__ = ["PREFIX", "Entry", "available", "entries", "load"]

PREFIX = "legalir/"
"""What every id begins with."""


class Entry(NamedTuple):
    """A collection that has an id.

    Attributes:
        id: ``legalir/<name>``.
        kind: ``bundled``, ``folder`` (below ``$LEGALIR_DATA``), ``published``, or ``skipped``.
        find: returns its files, after fetching them where that is needed.
        known: facts that are known without its files.
        fault: why a folder was skipped; empty where it was not.
    """

    id: str
    kind: str
    find: Callable[[], Folder]
    known: Known
    fault: str = ""

    @property
    def name(self) -> str:
        """The id without what every id begins with."""
        return self.id.removeprefix(PREFIX)

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits."""
        return self.known.splits

    def title(self) -> str:
        """Return the name in full, empty where there is none; where it cannot be read, why."""
        try:
            return (self.known.about or self.find().about).title or ""
        except DataError as error:
            return str(error)

    def dataset(self, split: str | None = None) -> StatuteDataset:
        """Return the collection or one split of it."""
        id = self.id if split is None else f"{self.id}/{split}"
        return StatuteDataset(id, self.find, split, self.known)


def available() -> list[Entry]:
    """Return every collection that has an id, and every folder of ``$LEGALIR_DATA`` that was skipped."""
    return [*entries().values(), *_skipped()]


def entries() -> dict[str, Entry]:
    """Return the collections by id: bundled first, then folders of ``$LEGALIR_DATA``, then published ones.

    Only names of files are read. Where two have one id, the first stays: a published collection can so be
    replaced by a folder of one's own, and the bundled one by nothing.
    """
    out: dict[str, Entry] = {}
    for entry in (*_bundled(), *(one for one in _folders() if not one.fault), *_published()):
        out.setdefault(entry.id, entry)
    return out


def _bundled() -> list[Entry]:
    try:
        folder = Folder.open(FIRECODE)
    except DataError:
        return []  # a broken installation: the id is then unknown, and load() says what is known
    return [_of_folder(f"{PREFIX}firecode", "bundled", folder, FIRECODE)]


def _of_folder(id: str, kind: str, folder: Folder, root: Path) -> Entry:
    return Entry(id, kind, partial(Folder.open, root), Known(frozenset(folder.queries), frozenset(folder.qrels)))


def _without_use(id: str, fault: str, root: Path) -> Entry:
    return Entry(id, "skipped", partial(Folder.open, root), Known(frozenset(), frozenset()), fault)


def _folders() -> list[Entry]:
    home = os.environ.get("LEGALIR_DATA")
    if not home:
        return []
    root = Path(home).expanduser().absolute()
    try:
        folders = sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError as error:
        return [_without_use(f"{PREFIX}*", f"$LEGALIR_DATA: {error.strerror}", root)]
    return [_folder(path) for path in folders]


def _folder(path: Path) -> Entry:
    id = f"{PREFIX}{path.name}"
    if id == f"{PREFIX}firecode":
        return _without_use(id, "the bundled collection has this name", path)
    try:
        return _of_folder(id, "folder", Folder.scan(path), path)
    except DataError as error:
        return _without_use(id, str(error).removeprefix(f"{path} ").rstrip("."), path)


def _skipped() -> list[Entry]:
    return [entry for entry in _folders() if entry.fault]


def _published() -> list[Entry]:
    return [Entry(PREFIX + name, "published", one.folder, one.known) for name, one in published().items()]


def load(id_or_path: str | PathLike[str]) -> StatuteDataset:
    """Return a collection by id or by path; a last part may name a split.

    Args:
        id_or_path: ``legalir/<name>``, ``legalir/<name>/<split>``, a folder, or ``<folder>/<split>``.
            A string that begins with ``legalir/`` is always an id.

    Raises:
        DatasetNotFound: nothing has that name; suggests one and lists what there is.
        FormatError: the folder cannot be read.
    """
    if isinstance(id_or_path, str) and id_or_path.startswith(PREFIX):
        return _by_id(id_or_path)
    return _by_path(id_or_path)


def _by_id(id: str) -> StatuteDataset:
    known = entries()
    if id in known:
        return known[id].dataset()
    base, _, split = id.rpartition("/")
    if base in known:
        return known[base].dataset(split)
    skipped = [entry for entry in _skipped() if id in (entry.id, f"{entry.id}/{split}")]
    if skipped:
        raise DatasetNotFound(f"{skipped[0].id} cannot be used: {skipped[0].fault}.")
    raise DatasetNotFound(f"There is no dataset {id!r}.{_suggestion(id, [*known])} Known: {', '.join(known)}.")


def _by_path(id_or_path: str | PathLike[str]) -> StatuteDataset:
    path = Path(id_or_path).expanduser()
    id = Path(id_or_path).as_posix() if str(id_or_path) else ""
    if id and path.is_dir():
        return StatuteDataset(id, partial(Folder.open, path))
    if len(path.parts) > 1 and any((path.parent / f"corpus.jsonl{end}").is_file() for end in ("", ".gz")):
        return StatuteDataset(id, partial(Folder.open, path.parent), path.name)
    known = entries()
    raise DatasetNotFound(
        f"{id!r} is neither a dataset nor a folder.{_suggestion(PREFIX + id, [*known])} Known: {', '.join(known)}."
    )


def _suggestion(id: str, known: list[str]) -> str:
    # What all ids begin with makes none of them likelier.
    alike = suggestion(id.removeprefix(PREFIX), [one.removeprefix(PREFIX) for one in known])
    return suggestion(id, known) if alike else ""
