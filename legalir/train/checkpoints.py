"""The place of a training on disk: its lock, and its states, which are whole or absent and are verified before use.

During a training, there is a folder ``OUT.partial`` next to ``OUT``. ``state.json`` in it names one file
``state-N.safetensors`` and perhaps folders, such as the trainer's ``checkpoint-N`` and the best model ``epoch-N``, with
size and sha256 of each file. New files and folders are made durable first; then ``state.json`` is replaced by one
rename, and the old ones are removed. A kill at any moment leaves the old state or the new.
"""

from __future__ import annotations

import json
import shutil
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError, LegalIRError
from legalir.extras import require
from legalir.storage.artifact import inventory, seal, unseal
from legalir.storage.files import (
    atomic_file,
    file_lock,
    new_file,
    publish_directory,
    remove,
    restore_directory,
)

_NAME, _FORMAT, _VERSION = "state.json", "legalir training", 4
_AGAIN = "train again with resume=False (--no-resume)"

Array = npt.NDArray[Any]


class State(NamedTuple):
    """A state of a training.

    Attributes:
        facts: JSON values.
        arrays: arrays by name.
        folders: folders by the first part of their names, such as ``checkpoint``.
    """

    facts: dict[str, Any]
    arrays: dict[str, Array]
    folders: dict[str, Path]


class Checkpoints:
    """The states of one training, in the folder ``path``.

    Args:
        out: folder of the model.
        fingerprint: of recipe and data; a state is only used for the same.
    """

    def __init__(self, out: Path, fingerprint: str) -> None:
        self.path = out.with_name(f"{out.name}.partial")
        self.workshop = self.path / "unfinished"
        """A folder for unfinished files, which no state reads."""
        self._out, self._fingerprint = out, fingerprint

    def load(self) -> State | None:
        """Return the last state, or None.

        Raises:
            ArtifactError: the state is damaged, of another version, or of another recipe or other data.
        """
        content = self._content()
        if content is None:
            return None
        if content["fingerprint"] != self._fingerprint:
            raise ArtifactError(
                f"{self.path} holds an interrupted training with another recipe or other data: finish that one, "
                f"remove the folder, or {_AGAIN}."
            )
        file = self.path / str(content["file"])
        for name, files in {file.name: content["inventory"], **content["folders"]}.items():
            with suppress(OSError):
                if inventory(self.path / name) == files:
                    continue
            raise self._damaged(self.path / name)
        arrays = require("safetensors.numpy", extra="dense").load_file(file)
        return State(content["facts"], arrays, self._by_kind(content["folders"]))

    def _content(self) -> dict[str, Any] | None:
        file = self.path / _NAME
        try:
            content = unseal(json.loads(file.read_text(encoding="utf-8")))
            if content["format"] != _FORMAT or Path(content["file"]).name != content["file"]:
                raise self._damaged(file)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._damaged(file) from error
        if content["version"] != _VERSION:
            raise ArtifactError(f"{self.path} was left by another version of legalir: remove it, or {_AGAIN}.")
        return content

    def _damaged(self, path: Path) -> ArtifactError:
        return ArtifactError(f"{path} is damaged: remove {self.path}, or {_AGAIN}.")

    def save(
        self,
        step: int,
        facts: Mapping[str, Any],
        arrays: Mapping[str, Array],
        folders: Sequence[Path] = (),
    ) -> dict[str, Path]:
        """Write a state, and remove the one before.

        Args:
            step: number of steps taken.
            facts: JSON values.
            arrays: arrays by name.
            folders: folders with names such as ``checkpoint-7``; they are moved here, unless they are here already.

        Returns:
            The folders at their places, by the first part of their names.

        Raises:
            ArtifactError: the state cannot be written; the state before stays.
        """
        file = self.path / f"state-{step}.safetensors"
        with writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            inventories = {}
            for folder in folders:
                place = self.path / folder.name
                if folder != place:
                    publish_directory(folder, place, replace=True)  # A killed process may have left one.
                inventories[place.name] = inventory(place)
            tensors = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
            with new_file(file) as unfinished:
                require("safetensors.numpy", extra="dense").save_file(tensors, unfinished)
            content = {"format": _FORMAT, "version": _VERSION, "fingerprint": self._fingerprint, "facts": facts}
            content |= {"file": file.name, "inventory": inventory(file)}
            with atomic_file(self.path / _NAME) as stream:
                json.dump(seal({**content, "folders": inventories}), stream, ensure_ascii=False, indent=1)
        kept = {file.name, _NAME, self.workshop.name, *inventories}
        for other in self.path.iterdir():
            if other.name not in kept:
                remove(other)
        return self._by_kind(inventories)

    def _by_kind(self, names: Iterable[str]) -> dict[str, Path]:
        return {name.split("-")[0]: self.path / name for name in names}

    def publish(self, folder: Path) -> None:
        """Move a finished model to its place, where it replaces the model before, and remove all states.

        Raises:
            ArtifactError: it cannot be moved; the states and the model before stay.
        """
        try:
            publish_directory(folder, self._out, replace=True)
        except OSError as error:
            raise ArtifactError(
                f"Writing {self._out} failed ({error.strerror or error}): give another place."
            ) from error
        self.remove()

    def remove(self) -> None:
        """Remove all states."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.path)


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Turn any error of the libraries that write weights into an ArtifactError of one sentence."""
    try:
        yield
    except LegalIRError:
        raise
    except Exception as error:  # torch, safetensors and transformers have errors of their own for a full disk.
        reason = getattr(error, "strerror", None) or " ".join(str(error).split("\n")[0].split())[:160]
        raise ArtifactError(
            f"{place} cannot be written ({reason}): free some space or write elsewhere; the state before stays."
        ) from error


@contextmanager
def own_place(out: Path, check: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of `out`, so that no other training writes to it.

    Args:
        out: folder of the model.
        check: raises if `out` holds something that must not be replaced; called without the lock and with it.

    Raises:
        ArtifactError: another training to `out` is under way, or nothing can be written there.
    """
    check()
    with ExitStack() as stack:
        try:
            stack.enter_context(file_lock(out, wait=False, keep=False))
            restore_directory(out)
        except TimeoutError:
            raise ArtifactError(f"Another training writes {out}: wait for its end, or give another place.") from None
        except OSError as error:
            raise ArtifactError(f"{out} cannot be written ({error.strerror or error}): give another place.") from error
        check()  # Another training may have ended there in between.
        yield


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether Ctrl-C was pressed; a second Ctrl-C interrupts at once."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.getsignal(signal.SIGINT)
    pressed: list[bool] = []

    def press(*_: object) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(True)

    signal.signal(signal.SIGINT, press)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)
