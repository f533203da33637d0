"""Adjacency of a directed graph in compressed sparse rows: the targets of the links of each node.

n nodes, numbered from 0; m links.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.signedinteger[Any]]


class Adjacency(NamedTuple):
    """Links by node.

    Attributes:
        indptr: start of each node's links, int64 [n + 1].
        nodes: the other end of each link, int32 [m]; within a node, in the order of the input links.
        kinds: kind of each link, uint8 [m].
    """

    indptr: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int32]
    kinds: npt.NDArray[np.uint8]

    def degrees(self) -> npt.NDArray[np.int64]:
        """Return the number of links of each node; [n]."""
        return np.diff(self.indptr)

    def row(self, node: int) -> npt.NDArray[np.int32]:
        """Return the other ends of the links of `node`."""
        return self.nodes[self.indptr[node] : self.indptr[node + 1]]


def adjacency(n: int, source: Ints, target: Ints, kind: npt.NDArray[np.uint8]) -> Adjacency:
    """Return the links `source` → `target` by source; each is [m]."""
    order = np.argsort(source, kind="stable")
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(source, minlength=n), out=indptr[1:])
    return Adjacency(indptr, target[order].astype(np.int32), kind[order])


def reverse(links: Adjacency) -> Adjacency:
    """Return the same links by target; within a target, by source."""
    n = len(links.indptr) - 1
    source = np.repeat(np.arange(n, dtype=np.int32), links.degrees())
    return adjacency(n, links.nodes, source, links.kinds)


def among(links: Adjacency, nodes: npt.NDArray[np.bool_]) -> Adjacency:
    """Return the links with both ends in `nodes`, [n]; the nodes keep their numbers."""
    kept = np.repeat(nodes, links.degrees()) & nodes[links.nodes]
    indptr = np.concatenate(([0], np.cumsum(kept)))[links.indptr]
    return Adjacency(indptr, links.nodes[kept], links.kinds[kept])


def both_ways(links: Adjacency) -> Adjacency:
    """Return the undirected graph: each pair of linked nodes once in each of the two rows.

    Two nodes that cite each other are one pair, with the kind of the link from the lower number.
    """
    n = len(links.indptr) - 1
    source = np.repeat(np.arange(n, dtype=np.int64), links.degrees())
    target = links.nodes.astype(np.int64)
    first, second = np.concatenate((source, target)), np.concatenate((target, source))
    kinds = np.concatenate((links.kinds, links.kinds))
    _, once = np.unique(np.minimum(first, second) * n + np.maximum(first, second), return_index=True)
    first, second, kinds = first[once], second[once], kinds[once]
    return adjacency(
        n, np.concatenate((first, second)), np.concatenate((second, first)), np.concatenate((kinds, kinds))
    )


def positions(indptr: npt.NDArray[np.int64], nodes: Ints) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the owner and the position of each link of `nodes`.

    Args:
        indptr: of an :class:`Adjacency`.
        nodes: any nodes, [s]; one may occur twice.

    Returns:
        Position in `nodes`, ascending, and position in ``Adjacency.nodes``; both int64 [e].
    """
    first = indptr[nodes]
    counts = indptr[nodes + 1] - first
    owner = np.repeat(np.arange(len(nodes)), counts)
    shift = first - (np.cumsum(counts) - counts)
    return owner, np.arange(len(owner)) + shift[owner]
