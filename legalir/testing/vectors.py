"""Encoders of both kinds as one that encodes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from legalir.encode import Encoder, TrainableEncoder
from legalir.testing.outcome import Failed

if TYPE_CHECKING:
    from legalir.collection import Collection

__all__ = ["fitted", "restored"]


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
