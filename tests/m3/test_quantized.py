"""Vectors in eight bits: the bounds that the module states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from legalir.m3.maxsim import dequantize, quantize

ROUNDING = 1 + 1e-6


def test_a_vector_by_hand() -> None:
    # m = 0.635, so s = 0.005 and the integers are x / 0.005.
    grid, scales = quantize(np.array([[0.635, -0.2, 0.0024, 0.0026, -0.635]], dtype=np.float32))
    assert grid.tolist() == [[127, -40, 0, 1, -127]]
    assert grid.dtype == np.int8
    assert scales == pytest.approx([0.005])
    assert scales.dtype == np.float32
    assert dequantize(grid, scales) == pytest.approx(np.array([[0.635, -0.2, 0, 0.005, -0.635]]))


@given(
    arrays.arrays(
        np.float32,
        st.tuples(st.integers(1, 4), st.integers(1, 20)),
        elements=st.floats(-1, 1, width=32, allow_subnormal=False),
    )
)
def test_no_component_is_further_off_than_half_a_step(vectors: np.ndarray) -> None:
    found = dequantize(*quantize(vectors))
    highest = np.abs(vectors).max(axis=1, keepdims=True)
    assert (np.abs(found - vectors) <= highest / 254 * ROUNDING + 1e-37).all()


@pytest.mark.parametrize("dimensions", [32, 128, 1024])
def test_inner_products_keep_the_bound_and_the_usual_error(dimensions: int) -> None:
    random = np.random.default_rng(dimensions)
    queries, vectors = (random.standard_normal((200, dimensions)) for _ in range(2))
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    errors = queries @ (dequantize(*quantize(vectors)).astype(np.float64) - vectors).T
    highest = np.abs(vectors).max(axis=1)
    bound = np.abs(queries).sum(axis=1)[:, None] * highest / 254
    assert (np.abs(errors) <= bound * ROUNDING + 1e-7).all()
    assert (bound <= np.sqrt(dimensions) * highest / 254).all()
    # A step of s = m/127 is off by s/√12 on the mean square: m/440.
    assert (errors / highest).std() == pytest.approx(1 / 440, rel=0.05)
