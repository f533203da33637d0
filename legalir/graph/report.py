"""What a citation graph looks like in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from legalir.graph.links import Left
from legalir.storage.csr import Adjacency

__all__ = ["QUANTILES", "GraphReport", "report_on"]

QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
"""Which quantiles of the degrees a report gives."""


@dataclass(frozen=True, slots=True)
class GraphReport:
    """Counts of a citation graph.

    Attributes:
        nodes: provisions.
        links: links between two of them, each pair once.
        isolated: provisions without any link.
        components: weakly connected components, the isolated provisions among them.
        largest_component: provisions in the largest.
        kinds: links of each kind.
        out_degrees: quantiles (:data:`QUANTILES`) of the number of provisions that one cites.
        in_degrees: quantiles of the number of provisions that cite one.
        self_loops: links from a provision to itself, left out.
        dangling: links to or from what is not in the collection, left out.
        duplicates: links of a pair that is linked already, left out.
        unknown: up to three of the ends that are not in the collection.
    """

    nodes: int
    links: int
    isolated: int
    components: int
    largest_component: int
    kinds: dict[str, int]
    out_degrees: tuple[float, ...]
    in_degrees: tuple[float, ...]
    self_loops: int
    dangling: int
    duplicates: int
    unknown: tuple[str, ...]

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind or 'without kind'}" for kind, count in self.kinds.items())
        quantiles = "/".join(f"{q:.0%}" for q in QUANTILES)
        examples = f" ({', '.join(self.unknown)}, …)" if self.unknown else ""
        return "\n".join(
            [
                f"{self.nodes} provisions, {self.links} links{f' ({kinds})' if kinds else ''}",
                f"{self.components} components, the largest of {self.largest_component}; {self.isolated} isolated",
                f"cites ({quantiles}): {' / '.join(f'{degree:g}' for degree in self.out_degrees)}",
                f"cited by ({quantiles}): {' / '.join(f'{degree:g}' for degree in self.in_degrees)}",
                f"left out: {self.self_loops} self-loops, {self.duplicates} duplicates, "
                f"{self.dangling} dangling{examples}",
            ]
        )


def report_on(targets: Adjacency, sources: Adjacency, kinds: list[str], left: Left) -> GraphReport:
    """Return the report on a graph, given by both directions."""
    cites, cited = targets.degrees(), sources.degrees()
    sizes = _component_sizes(targets)
    counts = np.bincount(targets.kinds, minlength=len(kinds))
    return GraphReport(
        nodes=len(cites),
        links=len(targets.nodes),
        isolated=int((cites + cited == 0).sum()),
        components=len(sizes),
        largest_component=int(sizes.max(initial=0)),
        kinds={name: int(count) for name, count in zip(kinds, counts, strict=True)},
        out_degrees=_quantiles(cites),
        in_degrees=_quantiles(cited),
        self_loops=left.self_loops,
        dangling=left.dangling,
        duplicates=left.duplicates,
        unknown=left.unknown,
    )


def _component_sizes(links: Adjacency) -> npt.NDArray[np.int64]:
    n = len(links.indptr) - 1
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    matrix = csr_array((np.ones(len(links.nodes), dtype=np.int8), links.nodes, links.indptr), shape=(n, n))
    return np.bincount(connected_components(matrix, directed=True, connection="weak")[1])


def _quantiles(degrees: npt.NDArray[np.int64]) -> tuple[float, ...]:
    if len(degrees) == 0:
        return (0.0,) * len(QUANTILES)
    return tuple(float(value) for value in np.quantile(degrees, QUANTILES))
