"""Base of expanders by citations: lists in, longer lists out, each provision placed once and explained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.as_of import days
from legalir.frames.columns import empty_like, query_columns
from legalir.frames.component import Cuttable
from legalir.frames.ranking import RankedLists, numbers_in, places, ranked_lists, read_lists
from legalir.frames.where import passing
from legalir.graph.citation_graph import CitationGraph

Neighbours = Callable[[int], Sequence[int]]
"""Function that returns the nodes that a node cites, in order."""


class Step(NamedTuple):
    """A node that a walk reached: from which root, from which node (itself for the root), in how many steps."""

    node: int
    root: int
    parent: int
    depth: int


class Expander(Cuttable):
    """Places provisions of the citation graph into ranked lists.

    Columns in: ``qid, docno, score``. Columns out: the query columns, ``docno, score, rank``. The score is one divided
    by the place, from 1: an added provision has no score but its place, and the order must last. The first
    `num_results` places are filled, and nothing is walked beyond them: ``% k`` compiles to that. A provision that the
    filter of a query leaves out is not added; the walk goes on through it.
    """

    name = ""
    graph: CitationGraph

    def placing(self, neighbours: Neighbours) -> Callable[[list[int]], Iterator[Step]]:
        """Return the function that yields the expanded list in order; a node that comes twice keeps its first place.

        That function takes the nodes of one list, best first. A document that the graph lacks has a number below 0.

        Args:
            neighbours: returns the nodes that a node cites.
        """
        raise NotImplementedError

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        pt.validate.columns(inp, includes=["qid", "docno", "score"])
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the expanded lists.

        Raises:
            ComponentError: a score is not finite, a document occurs twice in a list, or the graph belongs to another
                collection.
        """
        pt.validate.columns(inp, includes=["qid", "docno", "score"])
        return self.rank_lists(read_lists(inp, self.name)[0]).frame()

    def rank_lists(self, lists: RankedLists) -> RankedLists:
        """Return the expanded lists; errors as :meth:`apply`."""
        expanded = [[step.node for step in steps] for steps in self._expanded(lists)]
        query = np.repeat(np.arange(len(expanded)), [len(nodes) for nodes in expanded])
        node = np.array([number for nodes in expanded for number in nodes], dtype=np.int64)
        return ranked_lists(query_columns(lists.queries), query, self._docnos(lists, node), 1 / (places(query) + 1))

    def _docnos(self, lists: RankedLists, node: npt.NDArray[np.int64]) -> npt.NDArray[np.object_]:
        out = lists.docno[np.where(node < 0, -1 - node, 0)]
        out[node >= 0] = self.graph.docno_table[node[node >= 0]]
        return out

    def _expanded(self, lists: RankedLists) -> Iterator[list[Step]]:
        """Yield the steps to the expanded list of each query, each node once."""
        asked = [None] * len(lists.queries) if self.graph.validity is None else days(lists.queries)
        placings = {day: self._placing(day) for day in set(asked)}
        # A document that the graph lacks is identified by its row.
        node = numbers_in(self.graph, lists, self.name)
        nodes = np.where(node < 0, -1 - np.arange(len(node)), node)
        wanted = zip(pairwise(lists.bounds.tolist()), asked, passing(lists.queries, self.graph), strict=True)
        for (first, last), day, mask in wanted:
            once: dict[int, Step] = {}
            for step in placings[day](nodes[first:last].tolist()):
                if mask is None or step.depth == 0 or mask[step.node]:
                    once.setdefault(step.node, step)
                if len(once) == self._most:
                    break
            yield list(once.values())

    def _placing(self, day: int | None) -> Callable[[list[int]], Iterator[Step]]:
        """Return the function of :meth:`placing` for the links in force on a day; None for all links."""
        links = (self.graph if day is None else self.graph.at(day)).adjacency("out")
        return self.placing(lambda node: links.row(node).tolist() if node >= 0 else [])

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return why `docnos` have their places: by their own score, or cited by a root."""
        lists, _ = read_lists(inp, self.name)
        (steps,) = self._expanded(lists)
        docno, root, parent = (
            self._docnos(lists, np.array(nodes)).tolist() for nodes in list(zip(*steps, strict=True))[:3]
        )
        wanted = set(docnos)
        chosen = [place for place, name in enumerate(docno) if name in wanted]
        origins = upstream(list(dict.fromkeys(root[place] for place in chosen)))
        rank = dict(zip(lists.docno.tolist(), lists.rank.tolist(), strict=True))
        out = {}
        for place in chosen:
            detail = {
                "place": place + 1,
                "root": root[place],
                "rank": rank[root[place]],
                "parent": parent[place],
                "depth": steps[place].depth,
            }
            part = Part(_label(detail), 1 / (place + 1), origins.get(root[place]), detail)
            out[docno[place]] = Explanation(
                docno[place], part.value, type(self).__name__, (part,), "one divided by the place"
            )
        return out


def _label(detail: dict[str, Any]) -> str:
    if detail["depth"] == 0:
        return f"place {detail['place']}, of rank {detail['rank']}"
    through = f" through {detail['parent']}" if detail["depth"] > 1 else ""
    return f"place {detail['place']}, cited by {detail['root']} (rank {detail['rank']}){through}"
