"""Locks between threads and processes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock

from legalir.errors import ArtifactError


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
