"""The state of a training on disk: whole or absent, verified, and only ever used for the same recipe and data.

Beside ``OUT`` stands the folder ``OUT.partial`` while a training is under way. In it are ``state.json``, which names
one ``state-<step>.safetensors`` with its size and sha256, and that file. A new state is written and made durable first;
then ``state.json`` is replaced by one rename, and the old state goes. A kill at any moment leaves one of the two.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError
from legalir.extras import require
from legalir.storage.digest import digest, file_digest
from legalir.storage.files import atomic_file, sync_directory, sync_file

__all__ = ["Checkpoints"]

_NAME, _FORMAT, _VERSION = "state.json", "legalir training", 1

Arrays = Mapping[str, npt.NDArray[Any]]


class Checkpoints:
    """The states of one training.

    Args:
        out: where the model goes.
        fingerprint: of recipe and data.
    """

    def __init__(self, out: Path, fingerprint: str) -> None:
        self.path = out.with_name(f"{out.name}.partial")
        self.fingerprint = fingerprint

    def load(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]] | None:
        """Return facts and arrays of the last state, None where there is none.

        Raises:
            ArtifactError: the state is damaged, of another version, or of another recipe or other data.
        """
        facts = self._facts()
        if facts is None:
            return None
        if facts["fingerprint"] != self.fingerprint:
            raise ArtifactError(
                f"{self.path} holds an interrupted training with another recipe or other data: finish that one, "
                f"remove the folder, or train anew with resume=False (--no-resume)."
            )
        file = self.path / str(facts["file"])
        try:
            if file.stat().st_size != facts["size"] or file_digest(file) != facts["sha256"]:
                raise self._damaged(file)
        except OSError as error:
            raise self._damaged(file) from error
        arrays = require("safetensors.numpy", extra="dense").load_file(file)
        return facts["facts"], arrays

    def _facts(self) -> dict[str, Any] | None:
        file = self.path / _NAME
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            expected = content.pop("digest")
            if (
                content["format"] != _FORMAT
                or expected != digest(content)
                or Path(content["file"]).name != content["file"]
            ):
                raise self._damaged(file)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._damaged(file) from error
        if content["version"] != _VERSION:
            raise ArtifactError(
                f"{self.path} was left by another version of legalir: remove it, or train anew with resume=False "
                f"(--no-resume)."
            )
        return dict(content)

    def _damaged(self, file: Path) -> ArtifactError:
        return ArtifactError(f"{file} is damaged: remove {self.path}, or train anew with resume=False (--no-resume).")

    def save(self, step: int, facts: Mapping[str, Any], arrays: Arrays) -> None:
        """Write a state, and remove the one before.

        Raises:
            ArtifactError: it cannot be written; the state before stays.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file = self.path / f"state-{step}.safetensors"
            unfinished = file.with_suffix(".new")
            tensors = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
            require("safetensors.numpy", extra="dense").save_file(tensors, unfinished)
            sync_file(unfinished)
            unfinished.replace(file)
            content = {"format": _FORMAT, "version": _VERSION, "fingerprint": self.fingerprint, "facts": facts}
            content |= {"file": file.name, "size": file.stat().st_size, "sha256": file_digest(file)}
            sync_directory(self.path)
            with atomic_file(self.path / _NAME) as stream:
                json.dump({**content, "digest": digest(content)}, stream, ensure_ascii=False, indent=1)
        except OSError as error:
            raise ArtifactError(
                f"{self.path} cannot be written ({error.strerror or error}): free some space or write elsewhere."
            ) from error
        for other in self.path.glob("state-*"):
            if other.name != file.name:
                other.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove all states."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.path)
