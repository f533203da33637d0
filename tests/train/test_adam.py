"""Our Adam beside ``torch.optim.SparseAdam``."""

from __future__ import annotations

import numpy as np
import pytest

from legalir.train.static_network import LazyAdam


@pytest.mark.neural
@pytest.mark.parametrize("shape", [(30, 4), (30,)])
def test_the_same_as_sparse_adam(shape: tuple[int, ...]) -> None:
    import torch

    rng = np.random.default_rng(1)
    start = rng.normal(size=shape).astype(np.float32)
    ours = LazyAdam(start.copy())
    theirs = torch.nn.Parameter(torch.from_numpy(start.copy()))
    optimizer = torch.optim.SparseAdam([theirs], lr=0.01)
    for step in range(1, 26):
        rows = np.sort(rng.permutation(30)[: rng.integers(1, 12)])
        gradient = rng.normal(size=(len(rows), *shape[1:])).astype(np.float32)
        theirs.grad = torch.sparse_coo_tensor(
            torch.from_numpy(rows)[None], torch.from_numpy(gradient), shape, check_invariants=True
        )
        for group in optimizer.param_groups:
            group["lr"] = 0.01 / step
        optimizer.step()
        for part in (slice(0, 3), slice(3, None)):  # Rows may come in parts.
            ours.update(rows[part], gradient[part].copy(), 0.01 / step, step)
    np.testing.assert_allclose(ours.table, theirs.detach().numpy(), rtol=1e-5, atol=1e-6)
    assert np.abs(ours.table - start).max() > 0.01


def test_rows_without_a_gradient_stay() -> None:
    adam = LazyAdam(np.ones((3, 2), np.float32))
    adam.update(np.array([1]), np.full((1, 2), 0.5, np.float32), 0.1, 1)
    np.testing.assert_array_equal(adam.table[[0, 2]], 1)
    np.testing.assert_array_equal(adam.first[[0, 2]], 0)
    # The first step of Adam has the length of the rate, whatever the gradient.
    np.testing.assert_allclose(adam.table[1], 0.9, rtol=1e-6)
