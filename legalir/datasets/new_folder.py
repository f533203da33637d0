"""A new collection folder, written atomically next to the folder that it replaces."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from legalir.datasets.folder import DANGLING, DEFINITIONS, ORIGIN, REPORT, Folder
from legalir.errors import DataError, DatasetNotFound
from legalir.storage.files import file_lock, link_or_copy, publish_directory, restore_directory, temporary_sibling

WRITTEN = ("corpus.jsonl", "corpus.jsonl.gz", "links.tsv", "links.tsv.gz", DANGLING, ORIGIN, REPORT, DEFINITIONS)
"""Files that a re-import replaces; other files are kept."""


@contextmanager
def new_folder(folder: Path, replace: bool = False) -> Iterator[tuple[Path, list[str]]]:
    """Yield a hidden sibling that becomes `folder` at the end of the block, and the names that it keeps of the old one.

    An empty folder counts as missing. After an error nothing is changed. A replaced folder lies next to the new one
    until the new one has its name; at any time one of them is whole, under its own name or hidden, and the next call
    puts a hidden old one back.

    Raises:
        DataError: `folder` exists and is not to be replaced, or is not a collection, or cannot be written.
    """
    folder = folder.expanduser().resolve()
    _check_place(folder, replace)
    with ExitStack() as stack:
        with _writing(folder):
            stack.enter_context(file_lock(folder, keep=False))
            _restore(folder)
        _check_place(folder, replace)  # Again: another import may have been first, or an old folder been put back.
        old = folder if folder.is_dir() and any(folder.iterdir()) else None
        with _writing(folder):
            new = temporary_sibling(folder)
        try:
            with _writing(folder):
                kept = [] if old is None else _keep(old, new)
            yield new, kept
            with _writing(folder):
                publish_directory(new, folder, replace=old is not None)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def _check_place(folder: Path, replace: bool) -> None:
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror or error}.") from error
    if not folder.is_dir():
        raise DataError(f"{folder} is a file: name a folder that does not exist yet.")
    if not replace:
        raise DataError(f"{folder} exists: name another folder, or replace it with replace=True (--replace).")
    try:
        Folder.scan(folder)
    except DatasetNotFound as error:
        raise DataError(f"{folder} has no corpus, so it is not a collection that could be replaced.") from error


def _restore(folder: Path) -> None:
    try:
        restore_directory(folder)
    except FileExistsError as error:
        raise DataError(
            f"{error.filename} is what {folder} was before an import was interrupted: move it elsewhere first."
        ) from error


def _keep(old: Path, new: Path) -> list[str]:
    """Link or copy the files that an import does not write from the old folder to the new one; return their names."""
    names = sorted(path.name for path in old.iterdir() if path.name not in WRITTEN)
    for name in names:
        if (old / name).is_dir() and not (old / name).is_symlink():
            shutil.copytree(old / name, new / name, symlinks=True, copy_function=link_or_copy)
        else:
            link_or_copy(old / name, new / name)
    return names


@contextmanager
def lines(path: Path, folder: Path) -> Iterator[Callable[[str], None]]:
    """Open a UTF-8 text file, and yield a function that writes one line.

    Args:
        path: the file.
        folder: the folder for messages; the file itself is in a hidden one.
    """
    with _writing(folder):
        stream = path.open("w", encoding="utf-8", newline="\n")

    def write(line: str) -> None:
        try:
            stream.write(line + "\n")
        except OSError as error:
            raise _cannot_write(folder, error) from error

    try:
        yield write
    except BaseException:
        with suppress(OSError):
            stream.close()
        raise
    with _writing(folder):
        stream.close()


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _cannot_write(folder, error) from error


def _cannot_write(folder: Path, error: OSError) -> DataError:
    return DataError(
        f"{folder} cannot be written ({error.strerror or error}): free some space, or write elsewhere; nothing was "
        f"changed."
    )
