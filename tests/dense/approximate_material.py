"""Vectors in clusters, and a retriever over a collection that searches approximately."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.dense.index import DenseIndex, DenseRetriever

Vectors = npt.NDArray[np.float32]


def unit(raw: npt.NDArray[np.floating]) -> Vectors:
    return (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)


def clusters(sizes: list[int], d: int = 16, noise: float = 0.05, seed: int = 3) -> Vectors:
    """Return vectors near the first axes, so many near each, in another order."""
    random = np.random.default_rng(seed)
    centres = np.repeat(np.eye(d)[: len(sizes)], sizes, axis=0)
    return random.permutation(unit(centres + noise * random.normal(size=centres.shape)))


def spread(n: int = 2500, d: int = 24, seed: int = 5) -> Vectors:
    """Return vectors in every direction: the hardest to find approximately."""
    return unit(np.random.default_rng(seed).normal(size=(n, d)))


def named(n: int) -> list[str]:
    """Return docnos whose order is not that of the rows."""
    return [f"d{number:05d}" for number in np.random.default_rng(1).permutation(n)]


def made(path: Path, vectors: Vectors, approximate: str | None, **options: Any) -> DenseIndex:
    return DenseIndex.from_vectors(path, vectors, named(len(vectors)), approximate=approximate, **options)


def approximate(collection: Any, *, num_results: int = 5) -> DenseRetriever:
    """A retriever that looks at two documents of the kit's collection at least, and not at all."""
    exact, encoder = collection.dense, "lsa(analyzer='char2', dimensions=4)"
    index = collection.cached(
        DenseIndex(collection.cache / "dense-approximate", encoder),
        lambda index: exact(encoder).approximated("hnsw(ef=2)", index.directory),
    )
    return index.retriever(num_results)  # type: ignore[no-any-return]
