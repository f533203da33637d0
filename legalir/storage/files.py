"""A folder of the user's that appears whole, or takes the place of another one whole.

What a killed process left behind where a folder is to be built.

The sha256 of a file, computed once a process as long as the file stays the same.

Files that are whole or absent: atomic writes, directories renamed into place, locks and checksums.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO

from filelock import FileLock

from legalir.errors import ArtifactError

__all__ = [
    "atomic_directory",
    "atomic_text",
    "cache_home",
    "clear_away",
    "digest_of",
    "locked",
    "sha256_of",
    "sync_directory",
    "sync_file",
]


def cache_home() -> Path:
    """Return where everything that can be built again is kept: ``$LEGALIR_HOME``, else the platform's cache."""
    configured = os.environ.get("LEGALIR_HOME")
    if configured:
        return Path(configured).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("legalir", appauthor=False))


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file as lower-case hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sync_file(path: Path) -> None:
    """Make the content of a closed file durable."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def sync_directory(path: Path) -> None:
    """Make the names inside a directory durable, where the platform can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def atomic_text(path: Path, *, newline: str = "\n") -> Iterator[IO[str]]:
    """Open a UTF-8 text file for writing that replaces `path` only when the block ends without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline=newline) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
        sync_directory(path.parent)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def atomic_directory(path: Path) -> Iterator[Path]:
    """Yield a temporary sibling that becomes the new directory `path` when the block ends without an error.

    `path` must not exist by then: a directory cannot replace another in one step, and a reader must never
    find neither. Where another process was first, its directory stays and ours goes.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield temporary
        for file in temporary.iterdir():
            sync_file(file)
        sync_directory(temporary)
        temporary.chmod(0o755)
        if not path.exists():
            try:
                temporary.rename(path)
            except OSError:
                if not path.is_dir():
                    raise
        sync_directory(path.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock that belongs to `path`, so that two processes never build it at once.

    Raises:
        ArtifactError: the directory cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.parent / f".{path.name}.lock")
        lock.acquire()
    except OSError as error:
        raise ArtifactError(
            f"{path.parent} cannot be written ({error.strerror or error}): set LEGALIR_HOME to a directory that can."
        ) from error
    try:
        yield
    finally:
        lock.release()


def digest_of(path: Path) -> str:
    """Return the sha256 of a file; its size and time of change tell whether it is still the same."""
    status = path.stat()
    return _digest(path.absolute(), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=256)
def _digest(path: Path, size: int, changed: int) -> str:
    return sha256_of(path)


def clear_away(folder: Path) -> None:
    """Remove a folder, and the unfinished ones of its name beside it; for the process that holds its lock."""
    shutil.rmtree(folder, ignore_errors=True)
    for unfinished in folder.parent.glob(f".{folder.name}.*"):
        if unfinished.is_dir():
            shutil.rmtree(unfinished, ignore_errors=True)


# What the names of hidden folders have behind that of the folder they belong to, and before letters of their own.
