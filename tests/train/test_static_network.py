"""A step of the network against torch's own gradients, and vectors against the model's."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from legalir.dense.hashed_ngrams import Features, HashedNGrams
from legalir.dense.static_model import StaticModel, term_weights
from legalir.train.static_network import Network, encode, relative_idf, rows_matrix

ROWS = 700


@pytest.fixture(name="pool")
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(3) as pool:
        yield pool


def random_features(count: int) -> Features:
    rng = np.random.default_rng(5)
    rows = [np.sort(rng.permutation(ROWS)[: rng.integers(0, 60)]) for _ in range(count)]
    sizes = np.array([0, *map(len, rows)])
    flat = np.concatenate(rows).astype(np.int32)
    return Features(np.cumsum(sizes), flat, rng.integers(1, 9, len(flat)).astype(np.float32))


def test_idf() -> None:
    found = relative_idf(Features(np.array([0, 1, 3]), np.array([0, 0, 1], np.int32), np.ones(3, np.float32)), 3)
    # N = 2; df = 2, 1, 0.
    idf = np.log([1 + 0.5 / 2.5, 1 + 1.5 / 1.5, 1 + 2.5 / 0.5])
    np.testing.assert_allclose(found, idf / idf.mean(), rtol=1e-6)


@pytest.mark.neural
def test_a_step_is_that_of_autograd_and_sparse_adam(pool: ThreadPoolExecutor) -> None:
    import torch

    rng = np.random.default_rng(2)
    network = Network(rng.random(ROWS, dtype=np.float32) + 0.5, 8, np.random.default_rng(3), pool)
    matrix = rows_matrix([(random_features(150), np.arange(150))], ROWS)
    before = matrix.data.copy()
    vectors = torch.from_numpy(network.vectors.table.copy()).requires_grad_()
    weights = torch.from_numpy(network.weights.table.copy()).requires_grad_()
    sums = torch.from_numpy(matrix.toarray()) @ (vectors * weights[:, None])
    np.testing.assert_allclose(network.sums(matrix), sums.detach().numpy(), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(matrix.data, before)
    gradient = rng.normal(size=(150, 8)).astype(np.float32)
    sums.backward(torch.from_numpy(gradient))
    touched = np.unique(matrix.indices)
    for part in (vectors, weights):
        assert part.grad is not None
        part.grad = part.grad.to_sparse(1)
    optimizer = torch.optim.SparseAdam([vectors, weights], lr=0.01)
    optimizer.step()
    network.learn(matrix, gradient, 0.01, 1)
    assert len(touched) > 512, "more than are updated at a time"
    np.testing.assert_allclose(network.vectors.table, vectors.detach().numpy(), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(network.weights.table, weights.detach().numpy(), rtol=1e-4, atol=1e-5)


def test_vectors_are_those_of_the_stored_model(pool: ThreadPoolExecutor) -> None:
    ngrams = HashedNGrams(rows=256)
    network = Network(np.ones(256, np.float32), 8, np.random.default_rng(1), pool)
    texts = ["비상구의 너비", "", "the width of an exit, the width", "?"]
    features = ngrams.features(texts)
    model = StaticModel(ngrams, network.table().astype(np.float16), tf="log")
    weighted = features._replace(counts=term_weights(features.counts, "log"))
    found = encode(weighted, network.table(), pool)
    np.testing.assert_allclose(found, model.encode(texts), atol=1e-6)


def test_a_state_is_taken_up(pool: ThreadPoolExecutor) -> None:
    one, two = (Network(np.ones(50, np.float32), 4, np.random.default_rng(seed), pool) for seed in (1, 2))
    two.restore(one.state())
    for name, array in one.state().items():
        np.testing.assert_array_equal(two.state()[name], array)
        assert two.state()[name] is not array
