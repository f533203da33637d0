"""The citation graph of a collection as an artifact: links of each provision, in both directions, memory-mapped.

Links between docnos become links between numbers; self-loops, repeats and links to unknown ends are left out and
counted. The links may also connect nearest neighbours, for comparison with citations.

Files of a build: the string table ``docnos``, ascending, so that the nodes are in the order of their docnos; and
for ``targets`` (cited provisions) and ``sources`` (citing provisions) ``indptr.npy``, ``nodes.npy`` and ``kinds.npy``,
as in :class:`~legalir.storage.csr.Adjacency`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.collections import Collection
from legalir.declared import check_number
from legalir.errors import DataError
from legalir.extras import require
from legalir.frames.ranking import places
from legalir.frames.where import Fields
from legalir.storage.arrays import save_array
from legalir.storage.artifact import building, open_build
from legalir.storage.csr import Adjacency, adjacency, among, both_ways, reverse
from legalir.storage.strings import Docnos, Strings, write_strings
from legalir.storage.validity import Validity, provision_key

if TYPE_CHECKING:
    import networkx

    from legalir.datasets import StatuteDataset

_KINDS = 256
_GRAPHS = 16
"""Maximum number of days whose links stay in memory."""


class Left(NamedTuple):
    """Links that were left out of a graph.

    Attributes:
        self_loops: links from a provision to itself.
        dangling: links with an end that is not a provision of the collection.
        duplicates: links of a pair that is linked already; the first stays.
        unknown: the ends that are not provisions, each once; at most three, in order of appearance.
    """

    self_loops: int = 0
    dangling: int = 0
    duplicates: int = 0
    unknown: tuple[str, ...] = ()


class NumberedLinks(NamedTuple):
    """Links between nodes: `docnos` ascending; `source`, `target` int64 [m]; `kind` uint8 [m], a place in `kinds`."""

    docnos: list[str]
    source: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    kind: npt.NDArray[np.uint8]
    kinds: list[str]
    left: Left


def number_links(links: Iterable[Sequence[str]], docnos: Iterable[str] | None) -> NumberedLinks:
    """Number the ends of `links`; leave out, and count, self-loops, repeats and links to unknown provisions.

    Args:
        links: (source, target) or (source, target, kind), in any order.
        docnos: all provisions; None for the ends of the links.

    Raises:
        DataError: a link is not a pair or triple of strings, or there are more than 256 kinds.
    """
    rows = list(links)
    for link in rows if _odd(rows) else ():
        _check_link(link)
    kind, kinds = pd.factorize(np.array([link[2] if len(link) == 3 else "" for link in rows], dtype=object))
    if len(kinds) > _KINDS:
        raise DataError(f"The links have {len(kinds)} kinds, but a graph holds {_KINDS}: merge some.")
    end, ends = pd.factorize(np.array([one for link in rows for one in link[:2]], dtype=object))
    known = sorted(ends if docnos is None else set(docnos))
    number = pd.Index(known, dtype=object).get_indexer(pd.Index(ends, dtype=object)).astype(np.int64)
    source, target = number[end].reshape(-1, 2).T
    there = (source >= 0) & (target >= 0)
    loops = there & (source == target)
    kept = np.flatnonzero(there & ~loops)
    first = kept[without_repeats(source[kept], target[kept], len(known))]
    left = Left(int(loops.sum()), int((~there).sum()), len(kept) - len(first), tuple(ends[number < 0][:3].tolist()))
    return NumberedLinks(known, source[first], target[first], kind[first].astype(np.uint8), kinds.tolist(), left)


def without_repeats(source: npt.NDArray[np.int64], target: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
    """Return the first position of each pair of `source` and `target`, in ascending order."""
    return np.sort(np.unique(source * n + target, return_index=True)[1])


def _odd(rows: list[Sequence[str]]) -> bool:
    """Return True if one of `rows` may not be a link."""
    types = set(map(type, rows))
    return not (
        types <= {tuple, list} and set(map(len, rows)) <= {2, 3} and set(map(type, chain.from_iterable(rows))) <= {str}
    )


def _check_link(link: Sequence[str]) -> None:
    if isinstance(link, str) or len(link) not in (2, 3) or not all(isinstance(part, str) for part in link):
        raise DataError(f"The link {link!r} is not (source, target) or (source, target, kind), all of them strings.")


def version_links(
    links: Iterable[Sequence[str]], docnos: Sequence[str], validity: Validity
) -> Iterator[tuple[str, str, str]]:
    """Yield links between versions, from links that may name versions or keys of provisions.

    A key means each version of its provision; of the links between the versions of two provisions, those are yielded
    whose ends are in force on a common day. A link whose ends are both versions is yielded as it is.

    Args:
        links: (source, target) or (source, target, kind).
        docnos: all docnos.
        validity: of these.

    Raises:
        DataError: a link is not a pair or triple of strings.
    """
    number = {docno: place for place, docno in enumerate(docnos)}
    versions: dict[str, list[str]] = {}
    for docno in docnos:
        versions.setdefault(provision_key(docno), []).append(docno)
    begin, end = validity.begin.tolist(), validity.end.tolist()
    for link in links:
        _check_link(link)
        sources, targets = ([name] if name in number else versions.get(name, [name]) for name in link[:2])
        kind = link[2] if len(link) == 3 else ""
        if link[0] in number and link[1] in number:
            yield link[0], link[1], kind
            continue
        for source in sources:
            for target in targets:
                one, other = number.get(source, -1), number.get(target, -1)
                if min(one, other) < 0 or max(begin[one], begin[other]) < min(end[one], end[other]):
                    yield source, target, kind


class Vectors(Protocol):
    """The parts of a dense index that nearest neighbours need."""

    @property
    def vectors(self) -> npt.NDArray[np.floating[Any]]:
        """Vectors of length 1, [n, d]."""
        ...

    @property
    def docnos(self) -> Iterable[str]:
        """Docno of each, [n]."""
        ...


_CELLS = 16_000_000
"""Number of similarities in memory at a time."""


def nearest_links(docnos: Sequence[str], vectors: npt.NDArray[np.floating[Any]], k: int) -> NumberedLinks:
    """Return a link from each document to each of its `k` nearest, best first.

    Args:
        docnos: docno of each vector, [n].
        vectors: [n, d], of length 1.
        k: at least 1.
    """
    found = nearest(vectors, k)
    place = np.empty(len(docnos), dtype=np.int64)
    place[sorted(range(len(docnos)), key=docnos.__getitem__)] = np.arange(len(docnos))
    source, target = np.repeat(place, found.shape[1]), place[found.reshape(-1)]
    return NumberedLinks(
        sorted(docnos), source, target, np.zeros(found.size, dtype=np.uint8), kinds=["cosine"], left=Left()
    )


def nearest(vectors: npt.NDArray[np.floating[Any]], k: int) -> npt.NDArray[np.int64]:
    """Return the `k` vectors with the largest inner product for each, best first, itself left out.

    Equal similarities are ordered by position. The time is quadratic in n.

    Args:
        vectors: [n, d]; of length 1, so that the inner product is the cosine.
        k: at least 1; at most n − 1 neighbours are returned.

    Returns:
        Positions, int64 [n, min(k, n − 1)].
    """
    n = len(vectors)
    k = min(k, n - 1)
    if k < 1:
        return np.zeros((n, 0), dtype=np.int64)
    rows = max(1, _CELLS // n)
    return np.concatenate([_block(vectors, first, min(first + rows, n), k) for first in range(0, n, rows)])


def _block(vectors: npt.NDArray[np.floating[Any]], first: int, last: int, k: int) -> npt.NDArray[np.int64]:
    similar = np.asarray(vectors[first:last], dtype=np.float32) @ np.asarray(vectors, dtype=np.float32).T
    similar[np.arange(last - first), np.arange(first, last)] = -np.inf
    kth = np.partition(similar, -k, axis=1)[:, -k]
    # All that equal the k-th best are candidates, so that position decides and not the partition.
    row, column = np.nonzero(similar >= kth[:, None])
    order = np.lexsort((column, -similar[row, column], row))
    row, column = row[order], column[order]
    return column[places(row) < k].reshape(last - first, k)


QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
"""Quantiles of the degrees in a report."""


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
    """Return the report on a graph, from its links in both directions."""
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


KIND, VERSION = "citation_graph", 1
_DIRECTIONS = ("targets", "sources")


@dataclass(frozen=True)
class GraphContent:
    """A graph of n nodes.

    Attributes:
        docnos: docno of each node, ascending.
        targets: links by the citing provision.
        sources: links by the cited provision.
        facts: ``kinds``, the names of the kinds; counts of links that were left out; origin of the graph.
        fingerprint: identifies the content.
        validity: of the nodes, where they are versions of provisions.
    """

    docnos: list[str] | Strings
    targets: Adjacency
    sources: Adjacency
    facts: dict[str, Any]
    fingerprint: str
    validity: Validity | None = None

    @property
    def kinds(self) -> list[str]:
        """Name of each kind of link."""
        return list(self.facts["kinds"])

    @property
    def left(self) -> Left:
        """Links that were left out."""
        values = {name: self.facts[name] for name in Left._fields}
        return Left(**{**values, "unknown": tuple(values["unknown"])})


def content_of(links: NumberedLinks, facts: Mapping[str, Any]) -> GraphContent:
    """Return the content of `links`; `facts` give their origin."""
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
        if content.validity is not None:
            content.validity.write(data)
        facts.update(content.facts, fingerprint=content.fingerprint)


def open_content(path: Path) -> GraphContent:
    """Verify the graph in a directory, every file of it, and map it.

    Raises:
        ArtifactError: there is no graph, or it is damaged.
    """
    manifest, arrays = open_build(path, KIND, VERSION)
    targets, sources = (Adjacency(*(arrays[f"{way}.{name}"] for name in Adjacency._fields)) for way in _DIRECTIONS)
    fingerprint, validity = manifest.facts["fingerprint"], Validity.of(arrays)
    return GraphContent(Strings(arrays, "docnos"), targets, sources, manifest.facts, fingerprint, validity)


Direction = Literal["out", "in", "both"]
"""Direction to follow links in: to cited provisions, to citing provisions, or both."""

OPPOSITE: dict[Direction, Direction] = {"out": "in", "in": "out", "both": "both"}
"""The direction that leads back."""


class CitationGraph(pt.Artifact):
    """Provisions and the links between them.

    ::

        graph = legalir.CitationGraph.from_dataset("legalir/firecode").save("firecode.graph")
        graph.cites("fd-12")

    A graph is made in memory by one of the ``from_`` methods, or opened from a saved folder. Its nodes are numbered
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
            docnos: all provisions, so that those without links are nodes, too, and a link to another provision is left
                out and counted; None for the ends of the links.

        Raises:
            DataError: a link is not a pair or triple of strings, or there are more than 256 kinds.
        """
        return cls._holding(content_of(number_links(pairs, docnos), {}))

    @classmethod
    def from_dataset(  # type: ignore[override]  # a collection of statutes, and no artifact that someone published
        cls, dataset: str | PathLike[str] | StatuteDataset
    ) -> Self:
        """Make the graph of a collection in memory; every provision is a node.

        Args:
            dataset: an id, the path of a folder, or a dataset of :func:`legalir.datasets.load`.

        Raises:
            DatasetNotFound: no dataset has this id, or there is no such folder.
            FormatError: a line of the corpus or of the links is faulty.
        """
        from legalir import datasets

        source = datasets.load(dataset) if isinstance(dataset, str | PathLike) else dataset
        facts = {"corpus": source.fingerprint()}
        docnos, validity = source.store.docnos.array.tolist(), source.store.validity
        if validity is None:
            return cls._holding(content_of(number_links(source.links(), docnos), facts))
        links = number_links(version_links(source.links(), docnos, validity), docnos)
        order = np.array(sorted(range(len(docnos)), key=docnos.__getitem__))
        return cls._holding(replace(content_of(links, facts), validity=validity.reordered(order)))

    @classmethod
    def of(cls, collection: Collection) -> Self:
        """Return the graph of a collection, built on first use; errors as :meth:`from_dataset`."""
        graph = cls(collection.links_cache / "graph")
        return collection.cached(graph, lambda one: cls.from_dataset(collection.source).save(one.directory))

    @classmethod
    def again(cls, collection: Collection, facts: Mapping[str, Any]) -> Self:
        """Return the graph of another state of a collection."""
        return cls.of(collection)

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

    def __reduce__(self) -> tuple[Any, ...]:
        return (self._holding, (self._content,)) if self.in_memory else (type(self), (self.path,))

    def save(self, path: str | PathLike[str]) -> Self:
        """Write the graph to a directory atomically, and return the saved graph.

        Raises:
            ArtifactError: `path` cannot be written, or something else is there.
        """
        write_content(self._content, Path(path))
        return self.load(path)

    @classmethod
    def load(cls, path: str | PathLike[str], **kwargs: Any) -> Self:
        """Open a saved graph and verify every file.

        Raises:
            ArtifactError: there is no graph, or it is damaged.
        """
        graph = cls(path, **kwargs)
        _ = graph._content
        return graph

    build_again: Callable[[], object] | None = None
    fields: Callable[[], Fields] | None = None
    """Both as of :class:`~legalir.storage.artifact.IndexArtifact`."""

    @cached_property
    def _content(self) -> GraphContent:
        if self.build_again is not None and not self.built():
            self.build_again()
        return open_content(self.directory)

    @property
    def directory(self) -> Path:
        """The directory of the saved graph."""
        return Path(str(self.path))

    @property
    def in_memory(self) -> bool:
        """Whether the graph was built in memory, and not opened from a folder."""
        return self.path is pt.Artifact.NO_PATH

    def built(self) -> bool:
        """Return True if there is a graph; a saved graph may still be found damaged when it is opened."""
        return self.in_memory or "_content" in self.__dict__ or (self.directory / "manifest.json").exists()

    def fingerprint(self) -> str:
        """Return a sha256 over docnos, links and kinds, the same for equal graphs anywhere."""
        return self._content.fingerprint

    @property
    def facts(self) -> dict[str, Any]:
        """Facts about the graph other than its links; ``corpus`` is the fingerprint of its collection."""
        return dict(self._content.facts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CitationGraph) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> object:
        # A path is not opened: pipelines over graphs that do not exist yet can be compared, too.
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

    @property
    def note(self) -> str:
        """A remark if there are no links, else an empty string."""
        return "" if self.links_count() else "the collection has no links, so that following them changes nothing"

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

    @property
    def validity(self) -> Validity | None:
        """The days on which each provision is in force; None if the provisions are not versions."""
        return self._content.validity

    def at(self, day: int) -> Self:
        """Return the graph with the same nodes and the links in force on a day; both ends of a link must be in force.

        A graph whose provisions are not versions is returned unchanged.
        """
        if self.validity is None:
            return self
        graphs = self._graphs
        if day not in graphs:
            if len(graphs) >= _GRAPHS:
                graphs.clear()
            content, mask = self._content, self.validity.on(day)
            targets, sources = (among(links, mask) for links in (content.targets, content.sources))
            fingerprint = f"{content.fingerprint}@{day}"
            graphs[day] = self._holding(GraphContent(content.docnos, targets, sources, content.facts, fingerprint))
            graphs[day].__dict__["docno_table"] = self.docno_table
            graphs[day].fields = self.fields
        return graphs[day]

    @cached_property
    def _graphs(self) -> dict[int, Self]:
        return {}

    def numbers(self, docnos: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the node of each docno, -1 if it is not in the graph; [m]."""
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
        """Return the provisions that a provision cites, in the order of the links.

        Raises:
            DataError: it is not in the graph.
        """
        return self._neighbours(docno, self._content.targets)

    def cited_by(self, docno: str) -> list[str]:
        """Return the provisions that cite a provision, by docno.

        Raises:
            DataError: it is not in the graph.
        """
        return self._neighbours(docno, self._content.sources)

    def _neighbours(self, docno: str, links: Adjacency) -> list[str]:
        node = int(self.numbers([docno])[0])
        if node < 0:
            raise DataError(f"{docno!r} is not among the {len(self)} provisions of {self!r}.")
        return [str(docno) for docno in self.docno_table[links.row(node).astype(np.int64)]]

    def citing(self, docno: str) -> list[tuple[str, str]]:
        """Return docno and kind of link of the provisions that cite a provision, by docno.

        Raises:
            DataError: it is not in the graph.
        """
        links, citing = self._content.sources, self.cited_by(docno)
        node = int(self.numbers([docno])[0])
        kinds = links.kinds[links.indptr[node] : links.indptr[node + 1]].tolist()
        return [(each, self.kinds[kind]) for each, kind in zip(citing, kinds, strict=True)]

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yield source, target and kind of every link, by source."""
        targets, kinds = self._content.targets, self.kinds
        source = np.repeat(np.arange(len(self)), targets.degrees())
        for one, other, kind in zip(source.tolist(), targets.nodes.tolist(), targets.kinds.tolist(), strict=True):
            yield self.docnos[one], self.docnos[other], kinds[kind]

    def report(self) -> GraphReport:
        """Return counts: nodes, links of each kind, components, degrees, and links that were left out."""
        content = self._content
        return report_on(content.targets, content.sources, content.kinds, content.left)

    def to_networkx(self) -> networkx.DiGraph[str]:
        """Return the graph as a directed graph of networkx; its edges have an attribute ``kind``.

        Raises:
            MissingExtra: networkx is not installed.
        """
        graph: networkx.DiGraph[str] = require("networkx", extra="graph").DiGraph()
        graph.add_nodes_from(self.docnos.tolist())
        graph.add_edges_from((source, target, {"kind": kind}) for source, target, kind in self.links())
        return graph
