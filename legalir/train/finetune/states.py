"""States of a fine-tuning on disk: whole or absent, verified before they are read, and of one recipe and one data.

Beside ``OUT`` stands the folder ``OUT.partial`` while a training is under way. ``state.json`` in it (see
:mod:`legalir.train.checkpoint`) names two folders with size and sha256 of each of their files: ``step-N``, from which
the trainer goes on, and ``epoch-N``, the model that is the best so far. New folders are made durable first; then
``state.json`` is replaced by one rename, and the old ones go. A kill at any moment leaves the old state or the new.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from legalir.errors import ArtifactError, LegalIRError
from legalir.storage.digest import file_digest
from legalir.storage.files import publish_directory
from legalir.train.checkpoint import Checkpoints

__all__ = ["State", "States", "writing"]

_FOLDERS = "folders"


@dataclass(frozen=True)
class State:
    """A state that was read.

    Attributes:
        facts: JSON values.
        losses: of the steps of the epoch that is under way.
        trainer: the folder that the trainer goes on from.
        kept: the folder of the best model so far, None where there is none yet.
    """

    facts: dict[str, Any]
    losses: list[float]
    trainer: Path
    kept: Path | None


class States:
    """The states of one fine-tuning.

    Args:
        out: where the model goes.
        fingerprint: of recipe, model and data.
    """

    def __init__(self, out: Path, fingerprint: str) -> None:
        self._states = Checkpoints(out, fingerprint)
        self.path = self._states.path

    @property
    def workshop(self) -> Path:
        """The folder in which unfinished things are made."""
        return self.path / "unfinished"

    def load(self) -> State | None:
        """Return the last state, None where there is none.

        Raises:
            ArtifactError: it is damaged, of another version, or of another recipe or other data.
        """
        found = self._states.load()
        if found is None:
            return None
        facts, arrays = found
        folders: dict[str, dict[str, list[Any]]] = facts.pop(_FOLDERS)
        for name, files in folders.items():
            if _inventory(self.path / name) != files:
                raise ArtifactError(
                    f"{self.path / name} is damaged: remove {self.path}, or train anew with resume=False (--no-resume)."
                )
        by_kind = {name.split("-")[0]: self.path / name for name in folders}
        return State(facts, arrays["losses"].tolist(), by_kind["step"], by_kind.get("epoch"))

    def save(
        self, step: int, facts: Mapping[str, Any], losses: Sequence[float], trainer: Path, kept: Path | None
    ) -> Path | None:
        """Write a state, and remove the one before; return where the best model is then.

        Args:
            step: steps that were taken.
            facts: JSON values.
            losses: of the steps of the epoch that is under way.
            trainer: a folder that the trainer has just written; it is moved.
            kept: folder of the best model so far: one that was just written, which is moved, or the one of before.

        Raises:
            ArtifactError: it cannot be written; the state before stays.
        """
        with writing(self.path):
            moved = [self._moved(trainer, f"step-{step}")]
            best = None
            if kept is not None:
                best = kept if kept.parent == self.path else self._moved(kept, f"epoch-{facts['epoch']}")
                moved.append(best)
            folders = {folder.name: _inventory(folder) for folder in moved}
        self._states.save(step, {**facts, _FOLDERS: folders}, {"losses": np.asarray(losses, dtype=np.float64)})
        for other in (*self.path.glob("step-*"), *self.path.glob("epoch-*")):
            if other.name not in folders:
                shutil.rmtree(other, ignore_errors=True)
        return best

    def _moved(self, folder: Path, name: str) -> Path:
        place = self.path / name
        publish_directory(folder, place, replace=True)  # A killed process may have left one.
        return place

    def remove(self) -> None:
        """Remove all states."""
        self._states.remove()


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Turn whatever the libraries that write weights say against it into an ArtifactError of one sentence."""
    try:
        yield
    except LegalIRError:
        raise
    except Exception as error:  # torch, safetensors and transformers have errors of their own for a full disk.
        reason = getattr(error, "strerror", None) or " ".join(str(error).split("\n")[0].split())[:160]
        raise ArtifactError(
            f"{place} cannot be written ({reason}): free some space or write elsewhere; the state before stays."
        ) from error


def _inventory(folder: Path) -> dict[str, list[Any]]:
    """Return size and sha256 of each file of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): [path.stat().st_size, file_digest(path)] for path in files}
