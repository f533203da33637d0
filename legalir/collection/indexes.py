"""The indexes of vectors of one collection: those of encoders, of BGE-M3's heads, and approximate search.

What others call a provision: the headings of those that cite it, as a search engine uses the text of links.

The indexes of one collection: made on first use, kept in its cache, reused while they fit.
"""

from __future__ import annotations

import glob
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legalir.analysis.analyzer import Analyzer, get_analyzer
from legalir.progress import progress
from legalir.storage.artifact import build_once
from legalir.storage.documents import counted

if TYPE_CHECKING:
    from legalir.datasets import StatuteDataset
    from legalir.dense.index import DenseIndex
    from legalir.encode.contract import AnyEncoder
    from legalir.graph.citation_graph import CitationGraph
    from legalir.graph.laws import LawTable
    from legalir.lexical.fields import FieldIndex
    from legalir.lexical.sparse import SparseIndex
    from legalir.m3.encoder import M3Encoder
    from legalir.m3.index import M3Index
    from legalir.m3.store import Multi

__all__ = ["Indexes", "VectorIndexes", "citing_headings", "directory_name", "rows", "with_citing"]


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


class Indexes:
    """What is built for a collection from its terms and links; a base of ``Collection``."""

    source: StatuteDataset

    def __init__(self) -> None:
        self._opened: dict[tuple[str, ...], Any] = {}

    @property
    def cache(self) -> Path:
        """Directory of everything that is built for this corpus."""
        raise NotImplementedError

    def fingerprint(self) -> str:
        """Return the sha256 of the corpus."""
        raise NotImplementedError

    def _once(self, key: tuple[str, ...], make: Callable[[], Any]) -> Any:
        if key not in self._opened:
            self._opened[key] = make()
        return self._opened[key]

    def sparse(self, analyzer: str | Analyzer = "jamo3") -> SparseIndex:
        """Return the sparse index under `analyzer`, built on first use.

        Raises:
            AnalyzerError: there is no such analyzer.
            ArtifactError: the index is damaged or cannot be written.
        """
        chosen = get_analyzer(analyzer, self)
        found: SparseIndex = self._once(("sparse", chosen.fingerprint), lambda: self._sparse_index(chosen))
        return found

    def _sparse_index(self, analyzer: Analyzer) -> SparseIndex:
        from legalir.lexical.sparse import SparseIndex

        index = SparseIndex(self.cache / f"sparse-{directory_name(analyzer)}", analyzer=analyzer)

        def build() -> None:
            with progress(f"Indexing {self.source.id} ({analyzer.name})", self.source.docs_count()) as advance:
                index.index(counted(rows(self.source), advance), corpus=self.fingerprint())

        build_once(index.directory, index.built, build)
        return index

    def fields(self, analyzer: str | Analyzer = "char2") -> FieldIndex:
        """Return the field index under `analyzer`, built on first use.

        Raises:
            AnalyzerError: there is no such analyzer.
            ArtifactError: the index is damaged or cannot be written.
        """
        chosen = get_analyzer(analyzer, self)
        found: FieldIndex = self._once(("fields", chosen.fingerprint), lambda: self._field_index(chosen))
        return found

    def _field_index(self, analyzer: Analyzer) -> FieldIndex:
        from legalir.lexical.fields import FieldIndex

        name = f"fields-{directory_name(analyzer)}-{self._links_digest}"
        index = FieldIndex(self.cache / name, analyzer=analyzer)

        def build() -> None:
            graph = self.graph
            label = f"Indexing the fields of {self.source.id} ({analyzer.name})"
            with progress(label, self.source.docs_count()) as advance:
                documents = counted(with_citing(self.source, graph), advance)
                index.index(documents, corpus=self.fingerprint(), links=graph.fingerprint())

        build_once(index.directory, index.built, build)
        return index

    @cached_property
    def laws(self) -> LawTable:
        """The law of each provision, built on first use.

        Raises:
            ArtifactError: the table is damaged or cannot be written.
        """
        from legalir.graph.laws import LawTable

        table = LawTable(self.cache / "laws")
        build_once(table.directory, table.built, lambda: table.index(rows(self.source), corpus=self.fingerprint()))
        return table

    @cached_property
    def graph(self) -> CitationGraph:
        """The citation graph, built on first use; every provision is a node.

        Raises:
            ArtifactError: the graph is damaged or cannot be written.
            FormatError: a line of the links is faulty.
        """
        from legalir.graph.citation_graph import CitationGraph

        path = self.cache / f"graph-{self._links_digest}"
        build_once(path, CitationGraph(path).built, lambda: CitationGraph.from_dataset(self.source).save(path))
        return CitationGraph.load(path)

    @property
    def _links_digest(self) -> str:
        """What names something that was made with the links: the cache is kept by corpus, and they may change alone."""
        from legalir.storage.digest import cached_file_digest

        links = self.source.folder.links
        return "none" if links is None else cached_file_digest(links)[:16]


def directory_name(part: Any) -> str:
    """Return what tells one analyzer or encoder from others, whatever its name holds."""
    name = re.sub(r"[^\w.-]+", "-", part.name)[:40]
    return f"{name}-{part.fingerprint[:8]}"


def rows(source: StatuteDataset) -> Iterator[dict[str, Any]]:
    """Yield the provisions of a dataset as what indexes take."""
    return (provision._asdict() for provision in source.docs())


_QUESTIONS = 200
"""What the recall of an approximate search is measured with, at most."""


class VectorIndexes(Indexes):
    """What is built for a collection from vectors; a base of :class:`~legalir.collection.collection.Collection`."""

    def dense(self, encoder: str | AnyEncoder = "lsa", *, approximate: str | None = None) -> DenseIndex:
        """Return the dense index under `encoder`, built on first use.

        Args:
            encoder: a name, a model, or an encoder.
            approximate: a search by FAISS, ``hnsw`` or ``ivf``, also with parameters; its recall is measured with the
                collection's questions, where it has any. None compares all.

        Raises:
            ArtifactError: the index is damaged or cannot be written.
            ComponentError: there is no such encoder, or no such search.
            MissingExtra: FAISS is needed, and not installed.
        """
        from legalir.encode.encoder import get_encoder

        chosen = get_encoder(encoder, self)
        found: DenseIndex = self._once(("dense", chosen.fingerprint), lambda: self._dense_index(chosen))
        if approximate is not None:
            key, exact = ("dense", chosen.fingerprint, approximate), found
            found = self._once(key, lambda: self._approximate_index(exact, chosen, approximate))
        return found

    def _approximate_index(self, exact: DenseIndex, encoder: AnyEncoder, approximate: str) -> DenseIndex:
        from legalir.dense.faiss import read_approximate

        search = read_approximate(approximate)
        place = exact.directory.with_name(f"{exact.directory.name}-{search.name}-{search.fingerprint[:8]}")
        index = type(exact)(place, encoder)

        def build() -> None:
            found = self.source.queries() if self.source.has_topics() else ()
            asked = [str(row["query"]) for row in itertools.islice(found, _QUESTIONS)]
            with progress(f"Building {search} for {self.source.id}", None):
                exact.approximated(search, place, queries=asked or None)

        build_once(place, index.built, build)
        return index

    def _dense_index(self, encoder: AnyEncoder) -> DenseIndex:
        from legalir.dense.index import DenseIndex
        from legalir.encode.contract import TrainableEncoder

        index = DenseIndex(self.cache / f"dense-{directory_name(encoder)}", encoder=encoder)

        def build() -> None:
            if isinstance(encoder, TrainableEncoder):
                # The texts were analysed once, for the sparse index.
                postings = self.sparse(encoder.analyzer)
                with progress(f"Fitting {encoder.name} on {self.source.id}", None):
                    index.index_postings(postings, corpus=self.fingerprint())
                return
            earlier = self._earlier(index.directory)
            with progress(f"Encoding {self.source.id} ({encoder.name})", self.source.docs_count()) as advance:
                index.index(rows(self.source), corpus=self.fingerprint(), reuse=earlier, advance=advance)

        build_once(index.directory, index.built, build)
        return index

    def m3(self, encoder: str | M3Encoder, multi: Multi | None = None) -> M3Index:
        """Return the index of BGE-M3's heads, built on first use.

        Provisions that were encoded for another state of this collection are not encoded again.

        Args:
            encoder: an encoder, or the folder or hub name of its model.
            multi: what multi-vectors are stored as, ``float16``, ``float32`` or ``int8``; None where they are not
                needed: an index that has them will do.

        Raises:
            ArtifactError: the index is damaged or cannot be written.
            ModelError: the model cannot be found, read, or computed with.
        """
        from legalir.m3.encoder import M3Encoder

        chosen = M3Encoder(encoder) if isinstance(encoder, str) else encoder
        key = "m3", chosen.fingerprint, str(chosen.query_max_length), str(multi)
        found: M3Index = self._once(key, lambda: self._m3_index(chosen, multi))
        return found

    def _m3_index(self, encoder: M3Encoder, multi: Multi | None) -> M3Index:
        from legalir.m3.index import M3Index

        name = f"m3-{Path(encoder.model).name[:32]}-{encoder.fingerprint[:8]}"
        stored = ("float16", "float32", "int8", "none") if multi is None else (multi,)
        places = [M3Index(self.cache / f"{name}-{kind}", encoder) for kind in stored]
        index = next((place for place in places if place.built()), places[-1])

        def build() -> None:
            earlier = self._earlier(index.directory)
            with progress(f"Encoding {self.source.id} ({encoder.model})", self.source.docs_count()) as advance:
                index.index(rows(self.source), multi=multi, corpus=self.fingerprint(), reuse=earlier, advance=advance)

        build_once(index.directory, index.built, build)
        return index

    def _earlier(self, directory: Path) -> list[Path]:
        """Return the same artifacts of other states of the collection, the newest first."""
        kin = f"{glob.escape(self.cache.name.rpartition('-')[0])}-{'[0-9a-f]' * 16}"
        found = [path for path in self.cache.parent.glob(f"{kin}/{glob.escape(directory.name)}") if path != directory]
        return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)
