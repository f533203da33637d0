"""Where a fine-tuned model goes: one training at a time, and nothing but a fine-tuned model is ever replaced."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from legalir.errors import ArtifactError, ComponentError, DefinitionError
from legalir.files import sync_directory
from legalir.train.finetune.states import made_durable

__all__ = ["CARD", "own_place", "put_in_place"]

CARD = "finetuning.json"
"""The file by which a model that was tuned here is known."""


@contextlib.contextmanager
def own_place(out: Path, replace: bool) -> Iterator[None]:
    """Hold the lock of `out`; complain before the work about what would make it worthless.

    Raises:
        ArtifactError: another training to `out` is under way, or nothing can be written there.
        ComponentError: something else than a fine-tuned model is there.
        DefinitionError: a fine-tuned model is there, and is not to be replaced.
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
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    try:
        ours = isinstance(json.loads((out / CARD).read_text(encoding="utf-8")), dict)
    except (OSError, ValueError):
        ours = False
    if not ours:
        raise ComponentError(f"{out} exists and is no fine-tuned model: choose another folder, or remove it.")
    if not replace:
        raise DefinitionError(f"{out} exists: give another place, or replace=True (--replace).")


def put_in_place(folder: Path, out: Path) -> None:
    """Make `folder` the folder `out`; a model that stands there goes when the new one stands.

    Raises:
        ArtifactError: it cannot be moved there.
    """
    try:
        made_durable(folder)
        if not out.exists():
            folder.rename(out)
        else:
            old = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
            out.rename(old / "old")
            try:
                folder.rename(out)
            except OSError:
                (old / "old").rename(out)
                raise
            finally:
                shutil.rmtree(old, ignore_errors=True)
        sync_directory(out.parent)
    except OSError as error:
        raise ArtifactError(f"Writing {out} failed ({error.strerror or error}): give another place.") from error
