"""The place of a model that is being trained: nobody else trains to it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from legalir.errors import ArtifactError

__all__ = ["own_place"]


@contextlib.contextmanager
def own_place(out: Path, check: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of `out`; complain before the work about what would make it worthless.

    Args:
        out: folder of the model.
        check: raises where something is there that must not be replaced; called without and with the lock.

    Raises:
        ArtifactError: another training to `out` is under way, or nothing can be written there.
    """
    check()
    lock = FileLock(out.with_name(f".{out.name}.lock"), timeout=0)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise ArtifactError(f"Another training writes {out}: wait for its end, or give another place.") from None
    except OSError as error:
        raise ArtifactError(f"{out} cannot be written ({error.strerror or error}): give another place.") from error
    try:
        check()  # Another training may have ended there in between.
        yield
    finally:
        with contextlib.suppress(OSError):  # Some systems keep a file that is open; it is empty.
            Path(lock.lock_file).unlink()
        lock.release()
