"""A folder of the user's that appears whole, or takes the place of another one whole.

What a killed process left behind where a folder is to be built.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock

from legalir.datasets.folder import Folder
from legalir.errors import DataError, DatasetNotFound
from legalir.storage.files import sync_directory, sync_file

__all__ = ["WRITTEN", "new_folder"]

WRITTEN = ("corpus.jsonl", "corpus.jsonl.gz", "links.tsv", "links.tsv.gz", "links.dangling.tsv")
"""The files of which nothing is kept where a folder is replaced; all others are."""

# What the names of hidden folders have behind that of the folder they belong to, and before letters of their own.
_NEW = ".import-"
_OLD = ".replaced-"


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
            temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}{_NEW}", dir=folder.parent))
        try:
            with _writing(folder):
                kept = [] if old is None else _keep(old, temporary)
            yield temporary, kept
            with _writing(folder):
                _sync(temporary)
                temporary.chmod(0o755)
                _swap(temporary, folder, old)
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
    """Hold the lock of a folder; clear up after an import that was killed."""
    with _writing(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder.parent / f".{folder.name}.lock")
        lock.acquire()
    try:
        with _writing(folder):
            _clear_up(folder)
        yield
    finally:
        with contextlib.suppress(OSError):  # Some systems keep a file that is open; it is empty.
            Path(lock.lock_file).unlink()
        lock.release()


def _clear_up(folder: Path) -> None:
    """Put back the old folder where an import was killed after it was moved aside, and remove what is of no use.

    Raises:
        DataError: there is an old folder to be put back, but another one is in its place.
    """
    hidden = [path for path in folder.parent.iterdir() if path.name.startswith(f".{folder.name}.")]
    for old in (path for path in hidden if path.name.startswith(f".{folder.name}{_OLD}")):
        if not folder.exists():
            old.rename(folder)
        elif _new_of(old, folder).exists():
            raise DataError(f"{old} is what {folder} was before an import was interrupted: move it elsewhere first.")
        else:
            shutil.rmtree(old)
    for new in (path for path in hidden if path.name.startswith(f".{folder.name}{_NEW}")):
        shutil.rmtree(new)


def _old_of(new: Path, folder: Path) -> Path:
    return folder.with_name(new.name.replace(f".{folder.name}{_NEW}", f".{folder.name}{_OLD}", 1))


def _new_of(old: Path, folder: Path) -> Path:
    return folder.with_name(old.name.replace(f".{folder.name}{_OLD}", f".{folder.name}{_NEW}", 1))


def _keep(old: Path, temporary: Path) -> list[str]:
    """Bring what an import does not write from the old folder to the new one: as links to the same files, or copies."""
    kept = sorted(path.name for path in old.iterdir() if path.name not in WRITTEN)
    for name in kept:
        if (old / name).is_dir() and not (old / name).is_symlink():
            shutil.copytree(old / name, temporary / name, symlinks=True, copy_function=_same_file)
        else:
            _same_file(old / name, temporary / name)
    return kept


def _same_file(old: str | Path, new: str | Path) -> None:
    try:
        os.link(old, new, follow_symlinks=False)
    except OSError:  # Not every file system has links.
        shutil.copy2(old, new, follow_symlinks=False)


def _swap(temporary: Path, folder: Path, old: Path | None) -> None:
    if old is None:
        with contextlib.suppress(FileNotFoundError):
            folder.rmdir()  # It is empty; had it been filled meanwhile, this is the error that says so.
        temporary.rename(folder)
    else:
        aside = _old_of(temporary, folder)
        folder.rename(aside)
        try:
            temporary.rename(folder)
        except OSError:
            aside.rename(folder)
            raise
        sync_directory(folder.parent)
        shutil.rmtree(aside, ignore_errors=True)
    sync_directory(folder.parent)


def _sync(temporary: Path) -> None:
    for name in (*WRITTEN, "dataset.yaml"):
        if (temporary / name).exists():
            sync_file(temporary / name)
    sync_directory(temporary)


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"{folder} cannot be written: {error.strerror or error}.") from error
