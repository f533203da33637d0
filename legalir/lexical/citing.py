"""Headings of the provisions that cite a provision, for its field ``citing``.

A search engine uses the text of links in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from legalir.datasets import Provision
    from legalir.graph.citation_graph import CitationGraph


class Citing:
    """The headings of the provisions that cite each provision.

    Args:
        graph: the citations.
        nodes: node of each provision, -1 if it is not in the graph; [p].
        headings: heading of each of them; other provisions have none.
        most: largest number of headings of one provision, the first by docno of the citing provision. A definition
            that a whole code cites would be longer than any provision.
    """

    def __init__(
        self,
        graph: CitationGraph,
        nodes: npt.NDArray[np.integer[Any]],
        headings: npt.NDArray[np.object_],
        most: int = 40,
    ) -> None:
        self.graph = graph
        self._nodes = nodes
        self._headings = headings
        self._most = most

    @cached_property
    def _by_node(self) -> npt.NDArray[np.object_]:
        """Heading of each node, [n]."""
        by_node = np.full(len(self.graph), "", dtype=object)
        by_node[self._nodes[self._nodes >= 0]] = self._headings[self._nodes >= 0]
        return by_node

    def of(self, docno: str) -> str:
        """Return the headings of the provisions that cite one, a line each, in the order of their docnos."""
        node = self._node.get(docno)
        if node is None:
            return ""
        strings, links = self._strings, self.graph.adjacency("in")
        citing = links.nodes[links.indptr[node] : links.indptr[node + 1]].tolist()
        return "\n".join([heading for source in citing if (heading := strings[source])][: self._most])

    @cached_property
    def _node(self) -> dict[str, int]:
        """Number of each cited provision."""
        cited = np.flatnonzero(self.graph.adjacency("in").degrees())
        return dict(zip(self.graph.docnos[cited].tolist(), cited.tolist(), strict=True))

    @cached_property
    def _strings(self) -> list[str]:
        return list(self._by_node)

    def add_to(self, provisions: Iterable[Provision]) -> Iterator[dict[str, Any]]:
        """Yield each provision as a dict: its fields, and ``citing``."""
        for record in provisions:
            yield {**record._asdict(), "citing": self.of(record.doc_id)}
