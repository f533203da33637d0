"""Memory of a build does not grow with what is stored of the documents."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_m3 import Said

from legalir.m3 import m3_index
from legalir.m3.m3_index import M3Index
from legalir.storage import documents as reading
from legalir.storage import shards as gather

TOKENS, VECTORS, WIDTH = 40, 60, 128
BYTES = 2 * WIDTH + 8 * TOKENS + 2 * VECTORS * WIDTH
"""Of a document's rows: dense, sparse and, in float16, multi-vectors."""
FILLER = "소화기를 비치하여야 한다. " * 16


class BulkyM3:
    name, model, fingerprint, vocabulary, max_length = "m3", "bulky", "b1", 5000, 512

    def represent(self, texts: Sequence[str], *, multi: bool) -> Said:
        n = len(texts)
        tokens = (
            np.arange(TOKENS, dtype=np.int32) * 100
            + np.array([[int(text.split()[0])] for text in texts], dtype=np.int32) % 97
        )
        return Said(
            np.ones((n, WIDTH), dtype=np.float32),
            np.arange(n + 1, dtype=np.int64) * TOKENS,
            tokens.reshape(-1),
            np.ones(n * TOKENS, dtype=np.float32),
            np.arange(n + 1, dtype=np.int64) * VECTORS,
            np.ones((n * VECTORS, WIDTH), dtype=np.float16) if multi else None,
            np.zeros(n, dtype=bool),
        )


def documents(n: int) -> Iterator[Mapping[str, str]]:
    return ({"docno": str(number), "text": f"{number} {FILLER}"} for number in range(n))


def _build(path: Path, n: int) -> M3Index:
    encoder: Any = BulkyM3()
    return M3Index(path, encoder).index(documents(n), multi="float16", shard=1024)


def _peak(path: Path, n: int) -> int:
    tracemalloc.start()
    try:
        _build(path, n)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def test_what_python_allocates_stays_flat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the documents may cost docnos, digests and bounds, and no more; first built, then taken over."""
    monkeypatch.setattr(gather, "_BLOCK", 1_000_000)
    monkeypatch.setattr(gather, "_SHARD", 1_000_000)
    monkeypatch.setattr(m3_index, "_BLOCK_POSTINGS", 20_000)
    monkeypatch.setattr(reading, "_BATCH_CHARACTERS", 50_000)
    few, many = 1000, 4000
    _build(tmp_path / "warm", 10)
    for _ in range(2):
        small, large = _peak(tmp_path / "small", few), _peak(tmp_path / "large", many)
        assert large - small < 600 * (many - few)
        assert large < BYTES * many / 5
