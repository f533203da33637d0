"""What is no index of three heads, and what no encoder can have meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fake_m3
import numpy as np
import pytest
from fake_m3 import VOCABULARY, FakeM3, provisions
from refusals import refused

from legalir.errors import ComponentError
from legalir.m3.m3_index import M3Index

DOCUMENTS = provisions(40)


def built(path: Path, documents: Any = DOCUMENTS, encoder: FakeM3 | None = None, **options: Any) -> M3Index:
    return fake_m3.built(path, documents, encoder, **options)


@pytest.mark.parametrize(("name", "value"), [("multi", "float8"), ("precision", "int8")])
def test_parameters_that_mean_nothing(tmp_path: Path, name: str, value: Any) -> None:
    with refused(None, name, value):
        built(tmp_path / "m3", **{name: value})
    assert not (tmp_path / "m3").exists()


def test_shards_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match=r"shard .*got 0"):
        built(tmp_path / "m3", shard=0)
    assert not (tmp_path / "m3").exists()


def _broken(**parts: Any) -> FakeM3:
    class Broken(FakeM3):
        def represent(self, texts: Any, *, multi: bool) -> Any:
            return super().represent(texts, multi=multi)._replace(**{k: v(texts) for k, v in parts.items()})

    return Broken()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"dense": lambda texts: np.full((len(texts), 8), np.nan)}, "dense vector .*NaN"),
        ({"dense": lambda texts: np.ones((len(texts) + 1, 8))}, r"dense vectors .*\[3, 8\] for 2 texts"),
        ({"truncated": lambda texts: np.zeros(3, dtype=bool)}, r"\(3,\) marks .*for 2 texts"),
        ({"tokens": lambda texts: np.array([3, 3, 1])}, "tokens and .* weights"),
        (
            {
                "bounds": lambda texts: np.array([0, 2, 3]),
                "tokens": lambda texts: np.array([5, 5, 1]),
                "weights": lambda texts: np.ones(3),
            },
            "token ids .*not ascend",
        ),
        (
            {
                "bounds": lambda texts: np.array([0, 2, 3]),
                "tokens": lambda texts: np.array([5, VOCABULARY, 1]),
                "weights": lambda texts: np.ones(3),
            },
            f"not below {VOCABULARY}",
        ),
        (
            {
                "bounds": lambda texts: np.array([0, 2, 3]),
                "tokens": lambda texts: np.array([4, 5, 1]),
                "weights": lambda texts: np.array([1.0, 0.0, 1.0]),
            },
            "weight .*not above 0",
        ),
        (
            {
                "bounds": lambda texts: np.array([0, 3, 3, 3]),
                "tokens": lambda texts: np.array([4, 5, 6]),
                "weights": lambda texts: np.ones(3),
            },
            r"sparse.bounds .*\[4\] .*for 2 texts",
        ),
        ({"vectors": lambda texts: None}, "no multi-vectors"),
        ({"vectors": lambda texts: np.full((4, 4), np.inf)}, "no multi-vectors.*NaN"),
        ({"vector_bounds": lambda texts: np.array([0, 1, 1])}, "multi.vectors of shape"),
        ({"vector_bounds": lambda texts: np.array([0, 3, 1])}, "ascending from 0"),
    ],
)
def test_what_no_encoder_can_mean_is_refused(tmp_path: Path, parts: dict[str, Any], message: str) -> None:
    documents = [{"docno": "a", "text": "가나다라"}, {"docno": "b", "text": "마바사"}]
    with pytest.raises(ComponentError, match=message):
        built(tmp_path / "m3", documents, _broken(**parts), multi="float16")
    assert not M3Index(tmp_path / "m3").built()


def test_an_encoder_that_changes_its_shapes_is_refused(tmp_path: Path) -> None:
    class Growing(FakeM3):
        def represent(self, texts: Any, *, multi: bool) -> Any:
            self.dimensions = 8 + min(1, len(self.calls))
            return super().represent(texts, multi=multi)

    long = [{"docno": str(number), "text": f"{number}" + "가" * 20_000} for number in range(3)]
    with pytest.raises(ComponentError, match=r"returned arrays dense <f2\[9\], .* after dense <f2\[8\]"):
        built(tmp_path / "m3", long, Growing())
    # From shard to shard, and from build to build.
    with pytest.raises(ComponentError, match="fingerprint must change"):
        built(tmp_path / "m3", long, Growing(), shard=1)
    assert not M3Index(tmp_path / "m3").built()
