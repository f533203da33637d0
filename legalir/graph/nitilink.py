"""NitiLink: after each retrieved provision, the provisions it cites."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Annotated, Literal

from annotated_types import Ge

from legalir.contract import factory_of
from legalir.frames.component import check_deadline
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.expander import Expander, Neighbours, Step


def depth_first(root: int, neighbours: Neighbours, depth: int) -> list[Step]:
    """Return the nodes within `depth` steps in pre-order, each at its first visit.

    The walk does not continue from a node that was visited before, even with more steps left: for
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


Order = Literal["dfs", "bfs"]
"""Depth-first in pre-order, or breadth-first."""

_WALKS = 20_000
"""Walks that are cached while a frame is expanded: good provisions are in the lists of many queries."""


class NitiLink(Expander):
    """Reference expansion [nitibench]: each provision is followed by those it cites.

    From each provision of the list, best first, a walk along its citations begins; the provisions that it meets take
    the next places, each once. A walk does not depend on earlier walks: it continues from a provision that an earlier
    walk placed, and places the provisions beyond it.

    Columns in: ``qid, docno, score``. Columns out: the query columns, ``docno, score, rank``; the score is one divided
    by the place from 1.
    """

    name = "nitilink"

    graph: Annotated[CitationGraph, "the citation graph of the collection that was searched"]
    depth: Annotated[int, Ge(0), "steps from a retrieved provision; 0 adds nothing"] = 1
    order: Annotated[
        Order,
        "``dfs``, as published, or ``bfs``. They differ: a depth-first walk may use up its steps on the way "
        "to a provision that it could have reached sooner, and then goes no further from there",
    ] = "dfs"
    num_results: Annotated[int | None, Ge(1), "results per query; None for all"] = None

    def placing(self, neighbours: Neighbours) -> Callable[[list[int]], Iterator[Step]]:
        """Return the function that walks from each node of a list in turn."""
        walk_from = depth_first if self.order == "dfs" else breadth_first

        @lru_cache(maxsize=_WALKS if self.depth <= 1 else 0)  # deeper walks may be long, and memory is worth more
        def walk(root: int) -> list[Step]:
            check_deadline()
            return walk_from(root, neighbours, self.depth)

        return lambda nodes: (step for root in nodes for step in walk(root))


nitilink = factory_of(
    NitiLink,
    'NitiLink over the collection\'s citation graph: ``bm25 % 10 >> nitilink(depth=2, order="bfs")``.',
)
