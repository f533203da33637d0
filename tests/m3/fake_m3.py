"""An encoder of three heads that needs no model: a generator seeded by the text draws the representations."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.m3.m3_index import M3Index

VOCABULARY = 60
LIMIT = 120
"""Characters that the encoder reads."""


class Said(NamedTuple):
    dense: npt.NDArray[np.float32]
    bounds: npt.NDArray[np.int64]
    tokens: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    vector_bounds: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float32] | None
    truncated: npt.NDArray[np.bool_]


@dataclass
class FakeM3:
    fingerprint: str = "f1"
    name: str = "m3"
    model: str = "fake"
    max_length: int = LIMIT
    vocabulary: int = VOCABULARY
    dimensions: int = 8
    vectors: int = 6
    log: Path | None = None
    dies_at: int | None = None
    seen: list[str] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)

    def one(self, text: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
        """Return dense vector, tokens, weights and vectors of a text."""
        seed = hashlib.sha256(f"{self.fingerprint}|{text[: self.max_length]}".encode()).digest()
        random = np.random.default_rng(int.from_bytes(seed[:8], "big"))
        dense = random.standard_normal(self.dimensions).astype(np.float32)
        tokens = np.unique(random.integers(self.vocabulary, size=len(text) % 13)).astype(np.int32)
        weights = random.uniform(0.01, 2, size=len(tokens)).astype(np.float32)
        vectors = random.standard_normal((1 + len(text) % self.vectors, 4)).astype(np.float32)
        return (
            dense / np.linalg.norm(dense),
            tokens,
            weights,
            vectors / np.linalg.norm(vectors, axis=1, keepdims=True),
        )

    def represent(self, texts: Sequence[str], *, multi: bool) -> Said:
        for text in texts:
            if self.dies_at == len(self.seen):
                os.kill(os.getpid(), signal.SIGKILL)
            self.seen.append(text)
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as stream:
                    stream.write(f"{text!r}\n")
        self.calls.append(len(texts))
        said = [self.one(text) for text in texts]
        none = (np.zeros(0), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32), np.zeros((0, 4), np.float32))
        return Said(
            np.array([dense for dense, *_ in said], dtype=np.float32).reshape(len(texts), self.dimensions),
            bounds_of(tokens for _, tokens, _, _ in said),
            np.concatenate([none[1], *(tokens for _, tokens, _, _ in said)]),
            np.concatenate([none[2], *(weights for _, _, weights, _ in said)]),
            bounds_of(vectors for *_, vectors in said),
            np.concatenate([none[3], *(vectors for *_, vectors in said)]) if multi else None,
            np.array([len(text) > self.max_length for text in texts], dtype=bool),
        )


def bounds_of(parts: Any) -> npt.NDArray[np.int64]:
    return np.cumsum([0, *(len(part) for part in parts)]).astype(np.int64)


def provisions(n: int, *, first: int = 0) -> list[Mapping[str, str]]:
    """Return n provisions of many lengths, some of them beyond the limit."""
    return [
        {
            "docno": f"소방법-{number}",
            "title": f"제{number}조(설치)" if number % 3 else "",
            "text": "관계인은 소화기를 비치하여야 한다. " * (number % 7) + f"제{number}항",
        }
        for number in range(first, first + n)
    ]


def built(path: Path, documents: Any, encoder: FakeM3 | None = None, **options: Any) -> M3Index:
    """Build an index with an encoder, by default a new one."""
    given: Any = encoder or FakeM3()
    return M3Index(path, given).index(documents, **options)


def contents(store: M3Index) -> dict[str, bytes]:
    """Return the bytes of every file of a build, by name."""
    data = store.directory / store.manifest.data
    return {name: (data / name).read_bytes() for name in store.manifest.files}


def logged(log: Path) -> list[str]:
    """Return what encoders with this log were given."""
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def leftovers(store: M3Index) -> list[str]:
    """Return what stands beside and inside the directory beyond one whole build and the files of locks."""
    data = store.manifest.data
    inside = {child.name for child in store.directory.iterdir()} - {"manifest.json", "pt_meta.json", data}
    beside = {child.name for child in store.directory.parent.iterdir() if not child.name.endswith(".lock")}
    return sorted(inside | (beside - {store.directory.name}))
