"""Walks along citations from one root: which provisions they reach, in which order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

__all__ = ["Neighbours", "Step", "breadth_first", "depth_first"]

Neighbours = Callable[[int], Sequence[int]]
"""Returns whom a node cites, in order."""


class Step(NamedTuple):
    """A node that a walk reached: from which root, from which node (itself for the root), in how many steps."""

    node: int
    root: int
    parent: int
    depth: int


def depth_first(root: int, neighbours: Neighbours, depth: int) -> list[Step]:
    """Return the nodes within `depth` steps in pre-order, each where the walk meets it first.

    The walk goes no further from a node that it met before, even where it now comes with more steps left: for
    A → B, C; B → C; C → D and depth 2 it meets C through B with none left, and never D.
    """
    met: set[int] = set()
    out: list[Step] = []
    waiting = [Step(root, root, root, 0)]
    while waiting:
        step = waiting.pop()
        if step.node in met:
            continue
        met.add(step.node)
        out.append(step)
        if step.depth < depth:
            ahead = [node for node in neighbours(step.node) if node not in met]
            waiting += [Step(node, root, step.node, step.depth + 1) for node in reversed(ahead)]
    return out


def breadth_first(root: int, neighbours: Neighbours, depth: int) -> list[Step]:
    """Return the nodes within `depth` steps, the nearest first, each once."""
    met = {root}
    out: list[Step] = []
    waiting = deque([Step(root, root, root, 0)])
    while waiting:
        step = waiting.popleft()
        out.append(step)
        if step.depth < depth:
            for node in neighbours(step.node):
                if node not in met:
                    met.add(node)
                    waiting.append(Step(node, root, step.node, step.depth + 1))
    return out
