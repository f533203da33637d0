"""Adjacency in compressed rows, against lists of pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from legalir.storage.csr import adjacency, both_ways, positions, reverse

N = 6
PAIRS = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=30, unique=True)


def made(pairs: list[tuple[int, int]]):
    source, target = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return adjacency(N, source, target, np.arange(len(pairs)).astype(np.uint8))


@given(PAIRS)
def test_rows_hold_the_links_in_the_order_given(pairs: list[tuple[int, int]]) -> None:
    links = made(pairs)
    assert links.nodes.dtype == np.int32
    for node in range(N):
        assert links.row(node).tolist() == [target for source, target in pairs if source == node]
        kinds = links.kinds[links.indptr[node] : links.indptr[node + 1]].tolist()
        assert kinds == [place for place, (source, _) in enumerate(pairs) if source == node]
    assert links.degrees().tolist() == [sum(source == node for source, _ in pairs) for node in range(N)]


@given(PAIRS)
def test_the_reverse_holds_the_same_links(pairs: list[tuple[int, int]]) -> None:
    back = reverse(made(pairs))
    for node in range(N):
        assert back.row(node).tolist() == sorted(source for source, target in pairs if target == node)
        kinds = back.kinds[back.indptr[node] : back.indptr[node + 1]].tolist()
        assert kinds == [pairs.index((source, node)) for source in back.row(node).tolist()]


@given(PAIRS)
def test_both_ways_holds_each_pair_once_in_each_row(pairs: list[tuple[int, int]]) -> None:
    pairs = [(source, target) for source, target in pairs if source != target]
    links = both_ways(made(pairs))
    for node in range(N):
        expected = {b for a, b in pairs if a == node} | {a for a, b in pairs if b == node}
        assert sorted(links.row(node).tolist()) == sorted(expected)


@given(PAIRS, st.lists(st.integers(0, N - 1), max_size=8))
def test_positions_are_those_of_all_links_of_all_nodes(pairs: list[tuple[int, int]], nodes: list[int]) -> None:
    links = made(pairs)
    owner, link = positions(links.indptr, np.array(nodes, dtype=np.int64))
    found = list(zip(owner.tolist(), links.nodes[link].tolist(), strict=True))
    assert found == [(place, target) for place, node in enumerate(nodes) for target in links.row(node).tolist()]
