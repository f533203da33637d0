"""The place of a model that is being trained: nothing else is there, and nobody else trains to it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from legalir.encode.static.folder import check_place
from legalir.errors import ArtifactError, DefinitionError

__all__ = ["own_place"]


@contextlib.contextmanager
def own_place(out: Path, replace: bool) -> Iterator[None]:
    """Hold the lock of `out`; complain before the work about what would make it worthless.

    Raises:
        ArtifactError: another training to `out` is under way, or nothing can be written there.
        ComponentError: something else than a model is there.
        DefinitionError: a model is there, and is not to be replaced.
    """
    _check(out, replace)
    lock = FileLock(out.with_name(f".{out.name}.lock"), timeout=0)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise ArtifactError(f"Another training writes {out}: wait for its end, or give another place.") from None
    except OSError as error:
        raise ArtifactError(f"{out} cannot be written ({error.strerror or error}): give another place.") from error
    try:
        _check(out, replace)  # Another training may have ended there in between.
        yield
    finally:
        with contextlib.suppress(OSError):  # Some systems keep a file that is open; it is empty.
            Path(lock.lock_file).unlink()
        lock.release()


def _check(out: Path, replace: bool) -> None:
    if out.exists() and not replace:
        raise DefinitionError(f"{out} exists: give another place, or replace=True (--replace).")
    check_place(out)
