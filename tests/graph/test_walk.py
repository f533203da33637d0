"""Walks against the recursive definition, on random graphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from legalir.graph.nitilink import breadth_first, depth_first

A, B, C, D = range(4)
WORKED = {A: [B, C], B: [C], C: [D], D: []}
"""NitiBench's example (FACTS §5): A → B, C; B → C; C → D."""


def test_worked_example() -> None:
    assert [step.node for step in depth_first(A, WORKED.__getitem__, 2)] == [A, B, C]
    assert [step.node for step in breadth_first(A, WORKED.__getitem__, 2)] == [A, B, C, D]
    assert [step.node for step in depth_first(A, WORKED.__getitem__, 3)] == [A, B, C, D]
    assert [step.node for step in depth_first(A, WORKED.__getitem__, 1)] == [A, B, C]
    assert depth_first(A, WORKED.__getitem__, 0) == breadth_first(A, WORKED.__getitem__, 0) == [(A, A, A, 0)]


def test_steps_say_how_they_came() -> None:
    assert depth_first(A, WORKED.__getitem__, 3) == [(A, A, A, 0), (B, A, A, 1), (C, A, B, 2), (D, A, C, 3)]
    assert breadth_first(A, WORKED.__getitem__, 3) == [(A, A, A, 0), (B, A, A, 1), (C, A, A, 1), (D, A, C, 2)]


GRAPHS = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=5, unique=True))


@given(GRAPHS, st.integers(0, 5))
def test_depth_first_is_the_recursive_walk(graph: dict[int, list[int]], depth: int) -> None:
    out: list[int] = []

    def visit(node: int, left: int) -> None:
        out.append(node)
        for other in graph.get(node, []) if left else []:
            if other not in out:
                visit(other, left - 1)

    visit(0, depth)
    assert [step.node for step in depth_first(0, lambda node: graph.get(node, []), depth)] == out


@given(GRAPHS, st.integers(0, 5))
def test_breadth_first_goes_by_rings(graph: dict[int, list[int]], depth: int) -> None:
    out, ring = [0], [0]
    for _ in range(depth):
        ring = list(dict.fromkeys(other for node in ring for other in graph.get(node, []) if other not in out))
        out += ring
    assert [step.node for step in breadth_first(0, lambda node: graph.get(node, []), depth)] == out


def test_a_long_chain_needs_no_stack() -> None:
    assert len(depth_first(0, lambda node: [node + 1], 5000)) == 5001
