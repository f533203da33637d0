"""A folder of the user that appears whole, or replaces another one whole."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from legalir.datasets.folder import Folder
from legalir.errors import DataError, DatasetNotFound
from legalir.storage.files import link_or_copy, publish_directory, restore_directory, temporary_sibling
from legalir.storage.locks import file_lock

__all__ = ["WRITTEN", "new_folder"]

WRITTEN = ("corpus.jsonl", "corpus.jsonl.gz", "links.tsv", "links.tsv.gz", "links.dangling.tsv")
"""The files of which nothing is kept where a folder is replaced; all others are."""


@contextlib.contextmanager
def new_folder(folder: Path, replace: bool = False) -> Iterator[tuple[Path, list[str]]]:
    """Yield a hidden sibling that becomes `folder` when the block ends without an error, and what it keeps of the old.

    An empty folder counts as none. One that is replaced lies beside the new one until that has its name; whatever
    happens, one of them is whole, under its own name or hidden, and the next call puts a hidden old one back.

    Raises:
        DataError: `folder` exists and is not to be replaced, or is no collection, or cannot be written.
    """
    folder = folder.expanduser().resolve()
    _check(folder, replace)
    with _owned(folder):
        _check(folder, replace)  # Again: another import may have been first, or an old folder been put back.
        old = folder if folder.is_dir() and any(folder.iterdir()) else None
        with _writing(folder):
            temporary = temporary_sibling(folder)
        try:
            with _writing(folder):
                kept = [] if old is None else _keep(old, temporary)
            yield temporary, kept
            with _writing(folder):
                publish_directory(temporary, folder, replace=old is not None)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _check(folder: Path, replace: bool) -> None:
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror or error}.") from error
    if not folder.is_dir():
        raise DataError(f"{folder} is a file: name a folder that is not there yet.")
    if not replace:
        raise DataError(f"{folder} exists: name another folder, or say that it is to be replaced (--replace).")
    try:
        Folder.scan(folder)
    except DatasetNotFound as error:
        raise DataError(f"{folder} holds no corpus, so it is no collection that could be replaced.") from error


@contextlib.contextmanager
def _owned(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; put back an old one that a killed import had moved aside."""
    with contextlib.ExitStack() as stack:
        with _writing(folder):
            stack.enter_context(file_lock(folder, keep=False))
            try:
                restore_directory(folder)
            except FileExistsError as error:
                raise DataError(
                    f"{error.filename} is what {folder} was before an import was interrupted: move it elsewhere first."
                ) from error
        yield


def _keep(old: Path, temporary: Path) -> list[str]:
    """Bring what an import does not write from the old folder to the new one: as links to the same files, or copies."""
    kept = sorted(path.name for path in old.iterdir() if path.name not in WRITTEN)
    for name in kept:
        if (old / name).is_dir() and not (old / name).is_symlink():
            shutil.copytree(old / name, temporary / name, symlinks=True, copy_function=link_or_copy)
        else:
            link_or_copy(old / name, temporary / name)
    return kept


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"{folder} cannot be written: {error.strerror or error}.") from error
