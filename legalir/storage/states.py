"""States of a folder in the cache: which directories hold what was built for it, who reads them, when they go.

What is built for a folder stands in a directory named by the content of the folder's files, so a changed folder gets a
new directory. The directories of former states are told by a file ``.source-<16 hex>`` in each, which names the folder;
its time is that of the last use. A reader holds a shared lock on a file ``.readers*``, so that a directory is removed
only when nobody reads it. Where the platform or the file system has no such locks, nothing is removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path

_SOURCE, _READERS, _GONE = ".source-", ".readers", ".removed-"


def record_use(directory: Path, source: str) -> None:
    """Note that a directory, which exists, holds what was built for `source`, and is the newest that does.

    A cache that cannot be written is left as it is.
    """
    with contextlib.suppress(OSError):
        _record(directory, source).write_text(source, encoding="utf-8")


def former_states(directory: Path, source: str) -> list[Path]:
    """Return the directories beside `directory` that were built for `source`, the newest first; not `directory`."""
    records = directory.parent.glob(f"*/{_record(directory, source).name}")
    dated = []
    for path in records:
        with contextlib.suppress(OSError):  # Another process may have removed it.
            dated.append((path.stat().st_mtime_ns, path.parent))
    return [path for _, path in sorted(dated, reverse=True) if path != directory]


def is_only_source(directory: Path) -> bool:
    """Return whether at most one folder is known to use a directory."""
    return len(list(directory.glob(f"{_SOURCE}*"))) < 2


def _record(directory: Path, source: str) -> Path:
    return directory / f"{_SOURCE}{hashlib.sha256(source.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


class Hold:
    """A shared lock on a directory of the cache, or on a part of it; released when the object goes.

    Args:
        directory: it exists.
        part: name of the part; empty for the whole.
    """

    def __init__(self, directory: Path, part: str = "") -> None:
        descriptor = _shared(directory / f"{_READERS}{part}")
        if descriptor is not None:
            weakref.finalize(self, os.close, descriptor)


def _shared(path: Path) -> int | None:
    """Return a descriptor of a file with a shared lock on it; None where that is not possible."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError:
            try:
                descriptor = os.open(path, os.O_RDONLY)
            except OSError:
                return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            if os.fstat(descriptor).st_nlink:  # else it was removed before it was locked
                return descriptor
        except OSError:
            os.close(descriptor)
            return None
        os.close(descriptor)
        if not path.parent.is_dir():
            return None


@contextlib.contextmanager
def _unread(parts: Iterable[Path]) -> Iterator[bool]:
    """Yield whether nobody holds any of these files; while the block runs, nobody can."""
    try:
        import fcntl
    except ImportError:
        yield False
        return
    with contextlib.ExitStack() as stack:
        try:
            for path in parts:
                stream = stack.enter_context(path.open("rb"))
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True


def remove_state(directory: Path, source: str) -> bool:
    """Remove a directory that was built for `source`, unless another folder has it or somebody reads it.

    Returns:
        Whether it was removed.
    """
    with _unread(sorted(directory.glob(f"{_READERS}*"))) as unread:
        if not unread:
            return False
        with contextlib.suppress(OSError):
            _record(directory, source).unlink()
        if next(directory.glob(f"{_SOURCE}*"), None) is not None:
            return False
        return _remove(directory)


def remove_part(directory: Path, part: str, paths: Iterable[Path]) -> bool:
    """Remove paths that belong to a part of a directory, unless somebody reads that part.

    Returns:
        Whether they were removed.
    """
    readers = directory / f"{_READERS}{part}"
    with _unread([readers] if readers.exists() else []) as unread:
        if not unread:
            return False
        with contextlib.suppress(OSError):
            readers.unlink(missing_ok=True)
        removed = [_remove(path) for path in paths]
    return all(removed)


def _remove(directory: Path) -> bool:
    """Remove a directory; a kill in between leaves nothing under its name. Return whether it is gone."""
    for unfinished in directory.parent.glob(f"{_GONE}*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    gone = directory.with_name(f"{_GONE}{secrets.token_hex(8)}")
    try:
        directory.rename(gone)
    except OSError:
        return False
    shutil.rmtree(gone, ignore_errors=True)
    return True
