"""Exact nearest neighbours, against the plain definition."""

from __future__ import annotations

import numpy as np
import pytest

from legalir.graph import citation_graph
from legalir.graph.citation_graph import nearest, nearest_links


def vectors(n: int, seed: int = 0) -> np.ndarray:
    raw = np.random.default_rng(seed).integers(-2, 3, size=(n, 4)).astype(np.float32) + 0.125
    return raw / np.linalg.norm(raw, axis=1, keepdims=True)


@pytest.mark.parametrize("cells", [1, 100, 16_000_000])
@pytest.mark.parametrize("k", [1, 3, 29])
def test_neighbours_are_the_best_by_similarity_and_position(
    k: int, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Integer vectors repeat, so that many similarities are equal."""
    monkeypatch.setattr(citation_graph, "_CELLS", cells)
    given = vectors(30)
    found = nearest(given, k)
    for row in range(30):
        # Sums of equal products may differ in the last bit between shapes; what matters is the order.
        similar = given @ given[row]
        others = [other for other in range(30) if other != row]
        best = sorted(others, key=lambda other: (-round(float(similar[other]), 5), other))[:k]
        np.testing.assert_allclose(similar[found[row]], similar[best], atol=1e-6)
        assert row not in found[row]
        assert len(set(found[row].tolist())) == k


def test_equal_vectors_come_by_position() -> None:
    given = np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (5, 1))
    assert nearest(given, 2).tolist() == [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]]


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_there_are_no_more_neighbours_than_others(n: int) -> None:
    assert nearest(vectors(n), 5).shape == (n, max(0, n - 1))


def test_links_lead_from_each_to_its_nearest() -> None:
    given = np.array([[1, 0], [0.6, 0.8], [0, 1], [0.8, 0.6]], dtype=np.float32)
    links = nearest_links(["z", "a", "m", "b"], given, 1)
    assert links.docnos == ["a", "b", "m", "z"]
    pairs = {(links.docnos[s], links.docnos[t]) for s, t in zip(links.source, links.target, strict=True)}
    assert pairs == {("z", "b"), ("a", "b"), ("m", "a"), ("b", "a")}
    assert links.kinds == ["cosine"]
