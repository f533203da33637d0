"""Headings of the provisions that cite a provision, as its field ``citing``.

A search engine uses the text of links in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

if TYPE_CHECKING:
    from legalir.datasets import Provision
    from legalir.graph.citation_graph import CitationGraph


class Citing:
    """The headings of the provisions that cite each provision.

    Args:
        graph: the citations.
        nodes: node of each of some provisions, -1 for one that the graph does not know; [p].
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

    def differing(self, other: Citing) -> list[str]:
        """Return the docnos of all provisions whose field may differ from that in another state of the collection."""
        place = other.graph.numbers(self.graph.docnos)
        theirs = np.where(place >= 0, other._digests[place], 0) if len(other.graph) else np.zeros(len(place), np.uint64)
        gone = np.ones(len(other.graph), dtype=bool)
        gone[place[place >= 0]] = False
        mine = self.graph.docnos[self._digests != theirs]
        return sorted([*mine, *other.graph.docnos[gone & (other._digests != 0)]])

    @cached_property
    def _digests(self) -> npt.NDArray[np.uint64]:
        """A digest of the citing headings of each node, a sum of one for each heading and place; 0 for none; [n]."""
        links = self.graph.adjacency("in")
        cited = np.repeat(np.arange(len(self.graph)), links.degrees())
        codes, strings = pd.factorize(self._by_node)
        there = (self._by_node != "")[links.nodes]
        cited, codes = cited[there], codes[links.nodes[there]]
        nodes, first, count = np.unique(cited, return_index=True, return_counts=True)
        place = np.arange(len(cited)) - np.repeat(first, count)
        of_string = pd.util.hash_array(np.asarray(strings, dtype=object), categorize=False)
        digest = _mixed(of_string[codes] + _mixed(place.astype(np.uint64)))
        digest[place >= self._most] = 0
        digests = np.zeros(len(self.graph), dtype=np.uint64)
        digests[nodes] = np.add.reduceat(digest, first) if len(first) else digest
        return digests


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return numbers in which each bit depends on all bits of the given ones; the final step of splitmix64."""
    mixed = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
