"""A dense index by a slow encoder: what was encoded once is not encoded again."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from dense_material import LetterEncoder
from forked import child

from legalir.dense.index import DenseIndex

DOCUMENTS = [{"docno": f"d{number}", "text": f"{number} " + "abcdefgh"[: number % 8] * 2500} for number in range(20)]


class SlowLetters(LetterEncoder):
    def __init__(self, dies_at: int | None = None) -> None:
        super().__init__()
        self.dies_at = dies_at
        self.seen: list[str] = []

    def encode_counted(self, texts: Sequence[str], advance: Callable[[int], None]) -> npt.NDArray[Any]:
        if self.dies_at is not None and len(self.seen) >= self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.seen += texts
        advance(len(texts))
        return np.asarray(self.encode(texts))


def _build(path: Path, encoder: SlowLetters, **options: Any) -> DenseIndex:
    return DenseIndex(path, encoder).index(DOCUMENTS, **options)


def test_only_what_is_new_is_encoded(tmp_path: Path) -> None:
    told: list[int] = []
    index = _build(tmp_path / "index", first := SlowLetters(), advance=told.append)
    assert (len(first.seen), sum(told)) == (20, 20)
    assert np.array_equal(index.vectors, first.encode([document["text"] for document in DOCUMENTS]))
    second = SlowLetters()
    changed = [*reversed(DOCUMENTS[1:]), {"docno": "new", "text": "bad cafe"}]
    again = DenseIndex(tmp_path / "index", second).index(changed)
    assert second.seen == ["bad cafe"]
    assert np.array_equal(again.vectors, second.encode([document["text"] for document in changed]))
    third = SlowLetters()
    other = DenseIndex(tmp_path / "other", third).index(changed, reuse=[tmp_path / "index"])
    assert third.seen == []
    assert other.fingerprint() == again.fingerprint()


def test_a_killed_build_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step takes longer than a shard may, so that each is kept by itself."""
    clock = itertools.count(step=100)
    monkeypatch.setattr("legalir.storage.shards.monotonic", lambda: next(clock))
    process = child(_build, tmp_path / "index", SlowLetters(dies_at=11))
    process.join()
    assert process.exitcode == -signal.SIGKILL
    encoder = SlowLetters()
    index = _build(tmp_path / "index", encoder)
    assert 0 < len(encoder.seen) <= 20 - 11
    assert np.array_equal(index.vectors, encoder.encode([document["text"] for document in DOCUMENTS]))
