"""What others call a provision: the headings of those that cite it, as a search engine uses the text of links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from legalir.datasets import StatuteDataset
    from legalir.index.graph import CitationGraph

__all__ = ["citing_headings", "with_citing"]


def citing_headings(graph: CitationGraph, headings: Mapping[str, str], most: int = 40) -> dict[str, str]:
    """Return, for each provision that is cited, the headings of those that cite it, a line each.

    Args:
        graph: who cites whom.
        headings: by docno; a provision that is not there has none.
        most: so many headings at most, by docno of who cites: a definition that a whole code cites would be longer
            than any provision.
    """
    sources = graph.adjacency("in")
    by_node = [headings.get(docno, "") for docno in graph.docnos.tolist()]
    found = {}
    for node, docno in enumerate(graph.docnos.tolist()):
        lines = [heading for source in sources.row(node).tolist() if (heading := by_node[source])]
        if lines:
            found[docno] = "\n".join(lines[:most])
    return found


def with_citing(source: StatuteDataset, graph: CitationGraph) -> Iterator[dict[str, Any]]:
    """Yield every provision of a collection as a dict of its fields, with the field ``citing``."""
    headings = {record.doc_id: record.heading for record in source.docs()} if graph.links_count() else {}
    citing = citing_headings(graph, headings)
    for record in source.docs():
        yield {**record._asdict(), "citing": citing.get(record.doc_id, "")}
