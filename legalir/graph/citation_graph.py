"""The citation graph of a collection as an artifact: who cites whom, both ways, memory-mapped.

What a citation graph consists of, in memory and on disk.

Files of a build: the string table ``docnos``, ascending, so that the order of the nodes is that of their docnos; and
for ``targets`` (whom a provision cites) and ``sources`` (who cites it) ``indptr.npy``, ``nodes.npy`` and ``kinds.npy``,
as in :class:`~legalir.storage.csr.Adjacency`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from legalir.errors import DataError
from legalir.frames.component import check_number
from legalir.graph.knn import Vectors, nearest_links
from legalir.graph.links import Left, NumberedLinks, number_links
from legalir.graph.report import GraphReport, report_on
from legalir.storage.arrays import save_array
from legalir.storage.artifact import building, open_build
from legalir.storage.csr import Adjacency, adjacency, both_ways, reverse
from legalir.storage.strings import Docnos, Strings, write_strings

if TYPE_CHECKING:
    import networkx

    from legalir.datasets import StatuteDataset

__all__ = ["OPPOSITE", "CitationGraph", "Direction", "GraphContent", "content_of", "open_content", "write_content"]

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


Direction = Literal["out", "in", "both"]
"""Which links lead on from a provision: those to whom it cites, those to who cites it, or both."""

OPPOSITE: dict[Direction, Direction] = {"out": "in", "in": "out", "both": "both"}
"""The direction that leads back."""


class CitationGraph(pt.Artifact):
    """Provisions and the links between them.

    ::

        graph = legalir.CitationGraph.from_dataset("legalir/firecode").save("firecode.graph")
        graph.cites("fd-12")

    A graph is made by one of the ``from_`` methods, in memory, or opened where one was saved. Its nodes are numbered
    by ascending docno.

    Args:
        path: directory of a saved graph; it is opened, and every file verified, when it is first used.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        super().__init__(str(path))

    @classmethod
    def from_links(cls, pairs: Iterable[Sequence[str]], docnos: Iterable[str] | None = None) -> Self:
        """Make a graph in memory.

        Args:
            pairs: (source, target) or (source, target, kind). Self-loops are left out; a pair that occurs twice counts
                once, with its first kind; :meth:`report` says how many there were.
            docnos: all provisions, so that those without links are nodes, too, and a link to anything else is left out
                and counted; None: whatever has a link.

        Raises:
            DataError: a link is no pair or triple of strings, or there are more than 256 kinds.
        """
        return cls._holding(content_of(number_links(pairs, docnos), {}))

    @classmethod
    def from_dataset(  # type: ignore[override]  # a collection of statutes, and no artifact that someone published
        cls, dataset: str | PathLike[str] | StatuteDataset
    ) -> Self:
        """Make the graph of a collection in memory; every provision is a node.

        Args:
            dataset: an id, the path of a folder, or what :func:`legalir.datasets.load` returned.

        Raises:
            DatasetNotFound: nothing has this id, or there is no such folder.
            FormatError: a line of the corpus or of the links is faulty.
        """
        from legalir import datasets

        source = datasets.load(dataset) if isinstance(dataset, str | PathLike) else dataset
        links = number_links(source.links(), source.docnos())
        return cls._holding(content_of(links, {"corpus": source.fingerprint()}))

    @classmethod
    def cosine_knn(cls, index: Vectors, k: int = 10) -> Self:
        """Make the graph that links each provision to the `k` most similar ones, to compare citations with.

        Every pair of provisions is compared: 10 000 take seconds, 200 000 many minutes.

        Args:
            index: a dense index: ``vectors`` [n, d] of length 1, and ``docnos`` [n].
            k: neighbours of each provision, at least 1.
        """
        check_number("cosine_knn", "k", k, low=1, integer=True)
        links = nearest_links(list(map(str, index.docnos)), index.vectors, k)
        return cls._holding(content_of(links, {"neighbours": k}))

    @classmethod
    def _holding(cls, content: GraphContent) -> Self:
        graph = cls.__new__(cls)
        pt.Artifact.__init__(graph, pt.Artifact.NO_PATH)
        graph.__dict__["_content"] = content
        return graph

    def save(self, path: str | PathLike[str]) -> Self:
        """Write the graph to a directory, whole or not at all, and return it as it stands there.

        Raises:
            ArtifactError: `path` cannot be written, or something else is there.
        """
        write_content(self._content, Path(path))
        return self.load(path)

    @classmethod
    def load(cls, path: str | PathLike[str], **kwargs: Any) -> Self:
        """Open a saved graph and verify every file.

        Raises:
            ArtifactError: there is none, or it is damaged.
        """
        graph = cls(path, **kwargs)
        _ = graph._content
        return graph

    @cached_property
    def _content(self) -> GraphContent:
        return open_content(Path(str(self.path)))

    @property
    def in_memory(self) -> bool:
        """Whether the graph was made here, and not opened where one was saved."""
        return self.path is pt.Artifact.NO_PATH

    def built(self) -> bool:
        """Return whether there is a graph; one at a path may still turn out to be damaged when it is opened."""
        return self.in_memory or (Path(str(self.path)) / "manifest.json").exists()

    def fingerprint(self) -> str:
        """Return a sha256 over docnos, links and kinds, the same for equal graphs anywhere."""
        return self._content.fingerprint

    @property
    def facts(self) -> dict[str, Any]:
        """What is known of the graph beside its links; ``corpus`` is the fingerprint of its collection."""
        return dict(self._content.facts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CitationGraph) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> object:
        # A path is compared unopened: pipelines over graphs that are not there yet can be compared, too.
        return self.fingerprint() if self.in_memory else self.path

    def __repr__(self) -> str:
        if self.in_memory:
            return f"CitationGraph(<{len(self)} provisions, {self.links_count()} links, {self.fingerprint()[:8]}>)"
        return f"CitationGraph({str(self.path)!r})"

    def __len__(self) -> int:
        return len(self.docno_table)

    def __contains__(self, docno: object) -> bool:
        return isinstance(docno, str) and self.numbers([docno])[0] >= 0

    @property
    def kinds(self) -> list[str]:
        """Name of each kind of link."""
        return self._content.kinds

    def links_count(self) -> int:
        """Return the number of links."""
        return len(self._content.targets.nodes)

    @property
    def docnos(self) -> npt.NDArray[np.object_]:
        """Docno of each node, ascending, object [n]."""
        return self.docno_table.array

    @cached_property
    def docno_table(self) -> Docnos:
        """The docnos, and the node of each."""
        return Docnos(self._content.docnos)

    def numbers(self, docnos: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the node of each docno, -1 for one that the graph does not know; [m]."""
        return self.docno_table.numbers(docnos)

    def adjacency(self, direction: Direction = "out") -> Adjacency:
        """Return the links of every node in one direction, or the undirected graph."""
        if direction == "both":
            return self._undirected
        return self._content.targets if direction == "out" else self._content.sources

    @cached_property
    def _undirected(self) -> Adjacency:
        return both_ways(self._content.targets)

    def cites(self, docno: str) -> list[str]:
        """Return whom a provision cites, in the order of the links given.

        Raises:
            DataError: it is not in the graph.
        """
        return self._neighbours(docno, self._content.targets)

    def cited_by(self, docno: str) -> list[str]:
        """Return who cites a provision, by docno.

        Raises:
            DataError: it is not in the graph.
        """
        return self._neighbours(docno, self._content.sources)

    def _neighbours(self, docno: str, links: Adjacency) -> list[str]:
        node = int(self.numbers([docno])[0])
        if node < 0:
            raise DataError(f"{docno!r} is not among the {len(self)} provisions of {self!r}.")
        return [str(docno) for docno in self.docno_table[links.row(node).astype(np.int64)]]

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yield source, target and kind of every link, by source."""
        targets, kinds = self._content.targets, self.kinds
        source = np.repeat(np.arange(len(self)), targets.degrees())
        for one, other, kind in zip(source.tolist(), targets.nodes.tolist(), targets.kinds.tolist(), strict=True):
            yield self.docnos[one], self.docnos[other], kinds[kind]

    def report(self) -> GraphReport:
        """Return counts: nodes, links of each kind, components, degrees, and what was left out."""
        content = self._content
        return report_on(content.targets, content.sources, content.kinds, content.left)

    def to_networkx(self) -> networkx.DiGraph[str]:
        """Return the graph as a directed graph of networkx; its edges have an attribute ``kind``."""
        import networkx

        graph: networkx.DiGraph[str] = networkx.DiGraph()
        graph.add_nodes_from(self.docnos.tolist())
        graph.add_edges_from((source, target, {"kind": kind}) for source, target, kind in self.links())
        return graph
