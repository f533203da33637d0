"""Encoders of both kinds as one that encodes.

What is checked of analyzers and encoders alike: the name and the fingerprint that indexes are stored with.

Neighbours of a component: the same but for one parameter.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from legalir.encode.contract import Encoder, TrainableEncoder
from legalir.errors import LegalIRError
from legalir.testing.checks import Failed
from legalir.testing.trial import Trial

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

__all__ = ["check_name", "fingerprint", "fitted", "restored", "variants"]


def check_name(name: object) -> None:
    """Raise Failed where `name` is no text of 1 to 200 printable characters."""
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name.strip()) <= 200:
        raise Failed(f"the name {name!r} is no text of 1 to 200 printable characters: give the name of the entry.")


def fingerprint(trial: Trial) -> None:
    """The fingerprint is at least 8 hex digits, the same for two that were made alike."""
    collection = trial.collection()
    first, second = trial.component(collection).fingerprint, trial.component(collection).fingerprint
    if not isinstance(first, str) or re.fullmatch(r"[0-9a-f]{8,}", first) is None:
        raise Failed(f"the fingerprint {first!r} is not 8 or more hex digits: take hashlib.sha256(…).hexdigest().")
    if first != second:
        raise Failed("two that were made alike have two fingerprints: let what was given and versions alone make it.")


def variants(trial: Trial, collection: Collection) -> Iterator[tuple[str, Any]]:
    """Yield ``name=value`` and the component made with it, for each parameter with a number or a truth value.

    A value that the factory refuses is left out.
    """
    for name, parameter in trial.subject.parameters().items():
        value = trial.subject.params.get(name, parameter.default)
        if isinstance(value, bool):
            other: object = not value
        elif isinstance(value, int | float):
            other = value + 1
        else:
            continue
        try:
            yield f"{name}={other!r}", trial.component(collection, **{name: other})
        except LegalIRError:
            continue


def fitted(made: Any, collection: Collection) -> Encoder:
    """Return what encodes: `made`, or, where it has to learn, what it learns from the collection."""
    if isinstance(made, TrainableEncoder):
        return made.fit(collection.sparse(made.analyzer))[0]
    encoder: Encoder = made
    return encoder


def restored(made: TrainableEncoder, collection: Collection) -> tuple[Encoder, Encoder]:
    """Return what a trainable encoder learns, and the same after a way through files."""
    learnt = made.fit(collection.sparse(made.analyzer))[0]
    with tempfile.TemporaryDirectory(prefix="legalir-testing-", ignore_cleanup_errors=True) as folder:
        learnt.save(Path(folder))
        files = sorted(Path(folder).iterdir())
        if bad := [file.name for file in files if not (file.name.startswith("encoder.") and file.suffix == ".npy")]:
            raise Failed(f"save wrote {bad[0]!r}: write files named encoder.….npy only.")
        arrays = {file.name.removesuffix(".npy"): np.load(file, allow_pickle=False) for file in files}
    return learnt, made.restore(arrays)
