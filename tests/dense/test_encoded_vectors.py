"""A dense index by an encoder that is slow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from legalir.dense.index import DenseIndex
from legalir.dense.vectors import KIND, VERSION, vector_settings, write_encoded_vectors
from legalir.errors import ComponentError
from legalir.storage.arrays import unit_rows
from legalir.storage.artifact import building
from legalir.storage.shards import Advance, shards_beside

TEXTS = [f"제{number}조 소화전" for number in range(60)]


def vectors_of(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return for each text how often it holds each of 32 characters."""
    counts = np.array([[text.count(chr(0xC790 + n)) + len(text) % (n + 2) for n in range(32)] for text in texts])
    return unit_rows(counts.reshape(len(texts), 32).astype(np.float32))


def _dense(path: Path, texts: Sequence[str], *, shard: int = 4096, dies_at: int | None = None) -> list[str]:
    """Build a dense index as an encoder of 32 dimensions would; return what was encoded."""
    seen: list[str] = []

    def encode(texts: Sequence[str], advance: Advance) -> npt.NDArray[np.float32]:
        for _ in texts:
            advance(1)
        if dies_at is not None and len(seen) >= dies_at:
            raise KeyboardInterrupt
        seen.extend(texts)
        return vectors_of(texts)

    documents = [{"docno": str(number), "text": text} for number, text in enumerate(texts)]
    told: list[int] = []
    with shards_beside(path, vector_settings("e", "float16")) as shards, building(path, KIND, VERSION) as (data, facts):
        options: dict[str, Any] = {"earlier": [path], "shard": shard, "advance": told.append}
        facts.update(write_encoded_vectors(data, documents, encode, shards, precision="float16", **options))
    assert sum(told) == len(texts)
    return seen


def test_a_dense_index(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with pytest.raises(KeyboardInterrupt):
        _dense(path, TEXTS, shard=10, dies_at=30)
    assert len(_dense(path, TEXTS)) == 30
    assert _dense(path, ["새 조문", *TEXTS[5:]]) == ["새 조문"]
    index = DenseIndex(path)
    expected = vectors_of(["새 조문", *TEXTS[5:]]).astype(np.float16)
    assert np.array_equal(index.vectors, expected)
    assert (len(index), index.dimensions) == (56, 32)
    facts = {name: index.manifest.facts[name] for name in ("documents", "dimensions", "precision")}
    assert facts == {"documents": 56, "dimensions": 32, "precision": "float16"}


@pytest.mark.parametrize("vectors", [np.zeros(3), np.full((1, 3), np.nan)])
def test_a_dense_index_of_what_is_no_vector(tmp_path: Path, vectors: npt.NDArray[np.float64]) -> None:
    with shards_beside(tmp_path / "index", {}) as shards, pytest.raises(ComponentError, match="made vectors of shape"):
        write_encoded_vectors(
            tmp_path, [{"docno": "a", "text": "b"}], lambda texts, advance: vectors, shards, precision="float32"
        )
    with pytest.raises(ComponentError, match=r"precision='int4'.*float32, float16"):
        vector_settings("e", "int4")  # type: ignore[arg-type]
