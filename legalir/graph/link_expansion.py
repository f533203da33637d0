"""Link expansion: the best provisions and all provisions that they cite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

from annotated_types import Ge

from legalir.contract import factory_of
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.expander import Expander, Neighbours, Step


class LinkExpansion(Expander):
    """Retrieve+Links [searchfiresafety]: the best `k` provisions and every provision they cite.

    The best `k` keep their places; then come those that the first of them cites, in the order of its links, then those
    that the second cites, and so on, each once. The rest of the list is dropped, except cited provisions.

    Columns in: ``qid, docno, score``. Columns out: the query columns, ``docno, score, rank``; the score is one divided
    by the place from 1.
    """

    name = "links"

    graph: Annotated[CitationGraph, "the citation graph of the collection that was searched"]
    k: Annotated[int, Ge(1), "number of provisions of the list"] = 5
    num_results: Annotated[int | None, Ge(1), "results per query; None for all"] = None

    def placing(self, neighbours: Neighbours) -> Callable[[list[int]], Iterator[Step]]:
        """Return the function that places the best k, and then the provisions that they cite."""

        def place(nodes: list[int]) -> Iterator[Step]:
            best = nodes[: self.k]
            yield from (Step(node, node, node, 0) for node in best)
            for root in best:
                yield from (Step(node, root, root, 1) for node in neighbours(root))

        return place


links = factory_of(LinkExpansion, "The best `k` provisions and all that they cite: ``bm25 >> links(k=5)``.")
