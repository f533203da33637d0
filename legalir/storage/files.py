"""Files and folders that are whole or absent, also after a power cut or a kill at any moment; and their locks."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal

from filelock import FileLock

from legalir.errors import ArtifactError

_NEW, _OLD = ".new-", ".replaced-"
"""Folders ``.NAME.new-XXX`` and ``.NAME.replaced-XXX`` next to a folder ``NAME``: the new and the old version."""


def cache_home() -> Path:
    """Return the folder of everything that can be built again: ``$LEGALIR_HOME``, else the platform's cache."""
    configured = os.environ.get("LEGALIR_HOME")
    if configured:
        return Path(configured).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("legalir", appauthor=False))


def sync_file(path: Path) -> None:
    """Make the content of a closed file durable."""
    with path.open("r+b" if os.name == "nt" else "rb") as stream:  # Windows refuses it for reading alone.
        os.fsync(stream.fileno())


def sync_directory(path: Path) -> None:
    """Make the names inside a directory durable, if the platform can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def link_or_copy(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Give a file a second name, or copy it if the file system has no hard links. A symbolic link stays a link."""
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):  # Not every system can name the symbolic link itself.
        shutil.copy2(source, target, follow_symlinks=False)


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Yield an empty file that replaces `path` only when the block ends without an error.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    new = Path(name)
    try:
        yield new
        sync_file(new)
        new.chmod(0o644)
        new.replace(path)
        sync_directory(path.parent)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def atomic_file(path: Path, *, newline: str = "\n") -> Iterator[IO[str]]:
    """Open a UTF-8 text file for writing that replaces `path` only when the block ends without an error."""
    with new_file(path) as new, new.open("w", encoding="utf-8", newline=newline) as stream:
        yield stream


@contextlib.contextmanager
def atomic_directory(path: Path, if_exists: Literal["keep", "replace", "fail"] = "keep") -> Iterator[Path]:
    """Yield a temporary sibling that becomes the directory `path` when the block ends without an error.

    Args:
        path: the directory.
        if_exists: what happens when `path` exists by then. ``keep``: it stays, and the new directory is removed;
            ``replace``: it goes, see :func:`publish_directory`; ``fail``: an OSError, unless it is empty.

    Raises:
        OSError: the files cannot be written.
    """
    new = temporary_sibling(path)
    try:
        yield new
        if if_exists != "keep":
            publish_directory(new, path, replace=if_exists == "replace")
        elif not path.exists():
            try:
                publish_directory(new, path)
            except OSError:
                if not path.is_dir():  # Another process was first.
                    raise
    finally:
        shutil.rmtree(new, ignore_errors=True)


def temporary_sibling(path: Path) -> Path:
    """Make a hidden folder next to `path`, for :func:`publish_directory`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f".{path.name}{_NEW}", dir=path.parent))


def publish_directory(new: Path, path: Path, *, replace: bool = False) -> None:
    """Make the folder `new` durable and move it to `path`, on the same file system.

    With `replace`, the folder at `path` is moved aside first and removed last. A kill in between leaves it hidden next
    to `path`, and :func:`restore_directory` puts it back.

    Raises:
        OSError: it cannot be moved, or `path` is not empty and `replace` is False; `path` is unchanged.
    """
    sync_tree(new)
    new.chmod(0o755)
    if replace and path.exists():
        own = new.name.startswith(f".{path.name}{_NEW}")
        aside = path.with_name(f".{path.name}{_OLD}{_suffix(new) if own else secrets.token_hex(4)}")
        path.rename(aside)
        try:
            new.rename(path)
        except OSError:
            aside.rename(path)
            raise
        sync_directory(path.parent)
        shutil.rmtree(aside, ignore_errors=True)
    else:
        with contextlib.suppress(FileNotFoundError):
            path.rmdir()  # If it is not empty, this is the error.
        new.rename(path)
    sync_directory(path.parent)


def restore_directory(path: Path) -> None:
    """Put back the folder that a killed :func:`publish_directory` moved aside, and remove everything else it left.

    The caller holds the lock of `path`.

    Raises:
        FileExistsError: there is a folder to put back, but another one is in its place; its `filename` is the first.
        OSError: something cannot be moved or removed.
    """
    if not path.parent.is_dir():
        return
    hidden = [child for child in path.parent.iterdir() if child.name.startswith(f".{path.name}.")]
    unfinished = [child for child in hidden if child.name.startswith(f".{path.name}{_NEW}")]
    for aside in (child for child in hidden if child.name.startswith(f".{path.name}{_OLD}")):
        if not path.exists():
            aside.rename(path)
        elif any(_suffix(new) == _suffix(aside) for new in unfinished):
            raise FileExistsError(errno.EEXIST, "is what was there before an interruption", str(aside))
        else:
            shutil.rmtree(aside)
    for new in unfinished:
        shutil.rmtree(new)


def _suffix(hidden: Path) -> str:
    return hidden.name.rpartition("-")[2]


def sync_tree(folder: Path) -> None:
    """Make everything in a folder durable."""
    for parent, _, names in os.walk(folder):
        for file in (Path(parent, name) for name in names):
            if file.is_file() and not file.is_symlink():
                sync_file(file)
        sync_directory(Path(parent))


def remove(path: Path) -> None:
    """Remove a file or folder, as far as that is possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def clear_away(path: Path) -> None:
    """Remove a file or folder, and its unfinished versions next to it. The caller holds the lock of `path`."""
    for old in (path, *path.parent.glob(f".{path.name}.*")):
        if old.name != f".{path.name}.lock":
            remove(old)


@contextlib.contextmanager
def file_lock(path: Path, *, wait: bool = True, keep: bool = True) -> Iterator[None]:
    """Hold the lock of `path`: the file ``.NAME.lock`` next to it.

    Args:
        path: a file or folder, which need not exist.
        wait: wait while another thread or process holds the lock.
        keep: leave the empty file of the lock in place; False is for folders of the user.

    Raises:
        TimeoutError: the lock is held and `wait` is False.
        OSError: the directory of `path` cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path.parent / f".{path.name}.lock", timeout=-1 if wait else 0)
    lock.acquire()
    try:
        yield
    finally:
        if not keep:
            with contextlib.suppress(OSError):  # Some systems do not remove an open file.
                Path(lock.lock_file).unlink()
        lock.release()


@contextlib.contextmanager
def cache_lock(path: Path) -> Iterator[None]:
    """Hold the lock of `path`, a file or folder of the cache, as :func:`file_lock`.

    Raises:
        ArtifactError: the directory of `path` cannot be written.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(file_lock(path))
        except OSError as error:
            raise ArtifactError(
                f"{path.parent} cannot be written ({error.strerror or error}): "
                f"set LEGALIR_HOME to a directory that can."
            ) from error
        yield
