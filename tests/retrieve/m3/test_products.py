"""Halves of a query, rows of a block, and what happens where PyTorch cannot multiply integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.index.m3.quantized import quantized
from legalir.retrieve.m3.blocks import Block
from legalir.retrieve.m3.maxsim import MaxSim
from legalir.retrieve.m3.products import NumpyProducts, halves, products_of, rounded

pieces = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), min_size=1, max_size=12)


@given(pieces)
def test_rows_of_pieces(found: list[tuple[int, int]]) -> None:
    block = Block(*np.array(found).T)
    rows = [row for start, size in found for row in range(start, start + size)]
    assert block.positions().tolist() == rows
    assert block.rows == len(rows)
    together = rows == list(range(rows[0], rows[0] + len(rows)))
    assert (block.run is not None) == together
    assert block.run is None or list(range(200))[block.run] == rows


def test_halves_make_up_a_query_to_the_stated_bound() -> None:
    random = np.random.default_rng(0)
    for d in (1, 7, 1024):
        query = random.standard_normal((50, d)).astype(np.float32)
        query /= np.linalg.norm(query, axis=1, keepdims=True)
        query[0] = 0
        high, low, unit = halves(query)
        assert high.dtype == low.dtype == np.int8
        assert np.abs(high.astype(int)).max() <= 127
        error = np.abs((128.0 * high + low) * unit[:, None] - query)
        assert (error <= np.abs(query).max(axis=1, keepdims=True) / 32_512 + 1e-9).all()
        assert (error.sum(axis=1) / np.sqrt(d) <= np.abs(query).max(axis=1) * np.sqrt(d) / 32_512 + 1e-6).all()
        np.testing.assert_allclose(rounded(query, np.ones(1, dtype=np.float32)), query, atol=1 / 32_512)
    assert rounded(query, None) is query


def test_numpy_multiplies_where_torch_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert isinstance(products_of(np.zeros((1, 2), dtype=np.float16), None, 8), NumpyProducts)


def overflowing(vectors: Any, columns: Any) -> Any:
    """Multiply as processors without VNNI do: pairs of products are added in 16 bits, which may not hold them."""
    import torch

    wide = vectors.to(torch.int32)[:, :, None] * columns.to(torch.int32)[None]
    return (wide[:, 0::2] + wide[:, 1::2]).clamp(-32768, 32767).sum(1).to(torch.int32) // 2


def refusing(vectors: Any, columns: Any) -> Any:
    raise RuntimeError("there is no kernel for this")


@pytest.mark.neural
@pytest.mark.parametrize("multiply", [overflowing, refusing, None])
def test_integers_are_multiplied_as_floats_where_they_cannot_be_otherwise(
    monkeypatch: pytest.MonkeyPatch, multiply: object
) -> None:
    import torch

    from legalir.retrieve.m3.torch_products import FloatProducts, IntegerProducts

    random = np.random.default_rng(1)
    grid, scales = quantized(random.standard_normal((50, 24)))
    bounds, documents = np.array([0, 10, 10, 50]), np.array([2, 0])
    query = [random.standard_normal((6, 24)).astype(np.float32)]
    assert isinstance(products_of(grid, scales, 8), IntegerProducts)
    wanted = MaxSim(grid, bounds, scales).scores(query, documents)
    if multiply is None:
        monkeypatch.delattr(torch, "_int_mm")
    else:
        monkeypatch.setattr(torch, "_int_mm", multiply)
    assert isinstance(products_of(grid, scales, 8), FloatProducts)
    np.testing.assert_allclose(MaxSim(grid, bounds, scales).scores(query, documents), wanted, atol=1e-5)


@pytest.mark.neural
@pytest.mark.parametrize("d", [1024, 1025, 4000])
def test_integers_do_not_overflow(d: int) -> None:
    grid, scales = np.full((4, d), 127, dtype=np.int8), np.full(4, 1 / 127, dtype=np.float32)
    grid[1] = -127
    query = [np.ones((1, d), dtype=np.float32), -np.ones((1, d), dtype=np.float32)]
    found = MaxSim(grid, np.array([0, 1, 2, 4]), scales, torch=True).scores(query, np.arange(3))
    np.testing.assert_allclose(found, [[d, -d, d], [-d, d, -d]], rtol=1e-5)
