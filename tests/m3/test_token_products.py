"""Inner products of token weights, against dictionaries."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from legalir.m3.head_retrievers import Grouped, TokenProducts

Row = dict[int, float]


def grouped(rows: list[Row]) -> Grouped:
    bounds = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    items = [item for row in rows for item in sorted(row)]
    weights = [row[item] for row in rows for item in sorted(row)]
    return Grouped(bounds, np.array(items, dtype=np.int32), np.array(weights, dtype=np.float32))


def products(rows: list[Row], vocabulary: int) -> TokenProducts:
    inverted = [{number: row[token] for number, row in enumerate(rows) if token in row} for token in range(vocabulary)]
    return TokenProducts(grouped(rows), grouped(inverted))


def random_rows(random: np.random.Generator, n: int, vocabulary: int) -> list[Row]:
    # Few weights, so that sums tie.
    weights = (0.25, 0.5, 1.0) if n > 40 else tuple(random.random(5).astype(np.float32).tolist())
    return [
        {int(token): float(random.choice(weights)) for token in random.permutation(vocabulary)[: random.integers(9)]}
        for _ in range(n)
    ]


def arrays(row: Row) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    return np.array(sorted(row), dtype=np.int32), np.array([row[token] for token in sorted(row)], dtype=np.float32)


def inner(one: Row, other: Row) -> float:
    return float(np.float32(sum(one[token] * other[token] for token in sorted(one.keys() & other.keys()))))


@pytest.mark.parametrize("n", [30, 300])
def test_pairs_and_best(n: int) -> None:
    random = np.random.default_rng(n)
    rows, queries = random_rows(random, n, 20), [*random_rows(random, 12, 20), {}]
    order = random.permutation(n).astype(np.int32)
    scorer = products(rows, 20)
    for k in (1, 5, n):
        found = list(scorer.best(map(arrays, queries), order, k))
        for query, (documents, scores) in zip(queries, found, strict=True):
            exact = {number: inner(query, row) for number, row in enumerate(rows)}
            wanted = sorted((number for number in exact if exact[number] > 0), key=lambda i: (-exact[i], order[i]))[:k]
            assert documents.tolist() == wanted
            assert scores.tolist() == [exact[number] for number in wanted]
    asked = random.integers(0, n, 50)
    for query in queries:
        assert scorer.pairs(*arrays(query), asked).tolist() == [inner(query, rows[number]) for number in asked]


def test_no_documents() -> None:
    scorer = products([{}], 4)
    assert scorer.pairs(*arrays({1: 1.0}), np.zeros(0, dtype=np.int64)).shape == (0,)
    [(documents, scores)] = scorer.best(iter([arrays({1: 1.0})]), np.zeros(1, dtype=np.int32), 3)
    assert len(documents) == len(scores) == 0
