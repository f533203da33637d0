"""Link expansion: the best provisions and all provisions that they cite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from legalir.collections import Collection
from legalir.frames.component import check_number
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.expander import Expander, Neighbours, Step, check_graph
from legalir.plugins import parameters_of


class LinkExpansion(Expander):
    """Retrieve+Links [searchfiresafety]: the best `k` provisions and every provision they cite.

    The best `k` keep their places; then come those that the first of them cites, in the order of its links, then those
    that the second cites, and so on, each once. The rest of the list is dropped, except cited provisions.

    Columns in: ``qid, docno, score``. Columns out: the query columns, ``docno, score, rank``; the score is one divided
    by the place from 1.

    Args:
        graph: the citation graph of the collection that was searched.
        k: number of provisions of the list, at least 1.
        num_results: results per query, at least 1; None for all.

    Raises:
        ComponentError: a parameter is invalid.
    """

    name = "links"

    def __init__(self, graph: CitationGraph, k: int = 5, num_results: int | None = None) -> None:
        check_graph("links", graph, num_results)
        check_number("links", "k", k, low=1, integer=True)
        self.graph = graph
        self.k = k
        self.num_results = num_results

    def placing(self, neighbours: Neighbours) -> Callable[[list[int]], Iterator[Step]]:
        """Return the function that places the best k, and then the provisions that they cite."""

        def place(nodes: list[int]) -> Iterator[Step]:
            best = nodes[: self.k]
            yield from (Step(node, node, node, 0) for node in best)
            for root in best:
                yield from (Step(node, root, root, 1) for node in neighbours(root))

        return place


@parameters_of(LinkExpansion, without=["graph"])
def links(collection: Collection, **params: Any) -> LinkExpansion:
    """The best `k` provisions and all that they cite: ``bm25 >> links(k=5)``."""
    return LinkExpansion(CitationGraph.of(collection), **params)
