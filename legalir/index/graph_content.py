"""What a citation graph consists of, in memory and on disk.

Files of a build: the string table ``docnos``, ascending, so that the order of the nodes is that of their docnos; and
for ``targets`` (whom a provision cites) and ``sources`` (who cites it) ``indptr.npy``, ``nodes.npy`` and ``kinds.npy``,
as in :class:`~legalir.index.csr.Adjacency`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from legalir.arrays import save_array
from legalir.index.artifact import building, open_build
from legalir.index.csr import Adjacency, adjacency, reverse
from legalir.index.links import Left, NumberedLinks
from legalir.index.strings import Strings, write_strings

__all__ = ["GraphContent", "content_of", "open_content", "write_content"]

KIND, VERSION = "citation_graph", 1
_DIRECTIONS = ("targets", "sources")


@dataclass(frozen=True)
class GraphContent:
    """A graph of n nodes.

    Attributes:
        docnos: docno of each node, ascending.
        targets: links by who cites.
        sources: links by who is cited.
        facts: ``kinds``, the names of the kinds; what was left out; where the graph comes from.
        fingerprint: tells one content from another.
    """

    docnos: list[str] | Strings
    targets: Adjacency
    sources: Adjacency
    facts: dict[str, Any]
    fingerprint: str

    @property
    def kinds(self) -> list[str]:
        """Name of each kind of link."""
        return list(self.facts["kinds"])

    @property
    def left(self) -> Left:
        """What was left out."""
        values = {name: self.facts[name] for name in Left._fields}
        return Left(**{**values, "unknown": tuple(values["unknown"])})


def content_of(links: NumberedLinks, facts: Mapping[str, Any]) -> GraphContent:
    """Return the content that `links` make; `facts` say where they come from."""
    targets = adjacency(len(links.docnos), links.source, links.target, links.kind)
    digest = hashlib.sha256(repr((links.docnos, links.kinds)).encode("utf-8", "surrogatepass"))
    for array in targets:
        digest.update(np.ascontiguousarray(array).data)
    known = {"provisions": len(links.docnos), "links": len(links.source), "kinds": links.kinds}
    return GraphContent(
        links.docnos, targets, reverse(targets), {**known, **links.left._asdict(), **facts}, digest.hexdigest()
    )


def write_content(content: GraphContent, path: Path) -> None:
    """Write a graph to a directory, whole or not at all.

    Raises:
        ArtifactError: `path` cannot be written, or something else is there.
    """
    with building(path, KIND, VERSION) as (data, facts):
        write_strings(data, "docnos", content.docnos)
        for direction in _DIRECTIONS:
            for name, array in getattr(content, direction)._asdict().items():
                save_array(data / f"{direction}.{name}.npy", array)
        facts.update(content.facts, fingerprint=content.fingerprint)


def open_content(path: Path) -> GraphContent:
    """Verify the graph in a directory, every file of it, and map it.

    Raises:
        ArtifactError: there is none, or it is damaged.
    """
    manifest, arrays = open_build(path, KIND, VERSION)
    targets, sources = (Adjacency(*(arrays[f"{way}.{name}"] for name in Adjacency._fields)) for way in _DIRECTIONS)
    return GraphContent(Strings(arrays, "docnos"), targets, sources, manifest.facts, manifest.facts["fingerprint"])
