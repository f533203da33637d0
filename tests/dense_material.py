"""Dense indexes made on the spot, an encoder that needs no model, and cosines in plain numpy."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from legalir.dense.index import DenseIndex

Vectors = npt.NDArray[np.float32]


class LetterEncoder:
    """Encodes a text by how often it holds each of the letters a to h; queries are read backwards, which is as good."""

    name = "letters"
    fingerprint = hashlib.sha256(b"letters").hexdigest()

    def encode(self, texts: Sequence[str]) -> Vectors:
        counts = np.array([[text.count(letter) for letter in "abcdefgh"] for text in texts], dtype=np.float32)
        counts = counts.reshape(len(texts), 8)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9).astype(np.float32)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self.encode([text[::-1] for text in texts])


def random_vectors(seed: int, n: int, d: int) -> Vectors:
    """Return vectors of length 1 with many equal ones among them."""
    random = np.random.default_rng(seed)
    raw = random.integers(-2, 3, size=(n, d)).astype(np.float32)
    raw[:, 0] += 5
    return (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)


def shuffled_names(seed: int, n: int) -> list[str]:
    return [f"d{i:05d}" for i in np.random.default_rng(seed).permutation(n)]


def dense_index(path: Path, seed: int = 0, n: int = 40, d: int = 8, precision: str = "float32") -> DenseIndex:
    """Return an index of random vectors whose queries are encoded by letters."""
    names = shuffled_names(seed, n)
    vectors = random_vectors(seed, n, d)
    encoder = LetterEncoder() if d == 8 else None
    return DenseIndex.from_vectors(path, vectors, names, encoder, precision=precision)  # type: ignore[arg-type]
