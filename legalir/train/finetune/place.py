"""Where a fine-tuned model goes: nothing but a fine-tuned model is ever replaced."""

from __future__ import annotations

import json
from pathlib import Path

from legalir.errors import ArtifactError, ComponentError, DefinitionError
from legalir.storage.files import publish_directory

__all__ = ["CARD", "check_place", "put_in_place"]

CARD = "finetuning.json"
"""The file by which a model that was tuned here is known."""


def check_place(out: Path, replace: bool) -> None:
    """Check that `out` is free, or holds a fine-tuned model that is to be replaced.

    Raises:
        ComponentError: something else is there.
        DefinitionError: a fine-tuned model is there, and is not to be replaced.
    """
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
        publish_directory(folder, out, replace=True)
    except OSError as error:
        raise ArtifactError(f"Writing {out} failed ({error.strerror or error}): give another place.") from error
