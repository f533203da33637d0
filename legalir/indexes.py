"""The indexes of one collection: made on first use, kept in its cache, reused while they fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from legalir.analysis import Analyzer, get_analyzer
from legalir.index.base import build_once
from legalir.index.documents import counted
from legalir.progress import progress

if TYPE_CHECKING:
    from legalir.datasets import StatuteDataset
    from legalir.encode import AnyEncoder
    from legalir.index.fields import FieldIndex
    from legalir.index.graph import CitationGraph
    from legalir.index.laws import LawTable
    from legalir.retrieve.dense_index import DenseIndex
    from legalir.retrieve.sparse import SparseIndex

__all__ = ["Indexes"]


class Indexes:
    """What is built for a collection; a base of :class:`~legalir.collection.Collection`."""

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
        from legalir.retrieve.sparse import SparseIndex

        index = SparseIndex(self.cache / f"sparse-{_directory_name(analyzer)}", analyzer=analyzer)

        def build() -> None:
            with progress(f"Indexing {self.source.id} ({analyzer.name})", self.source.docs_count()) as advance:
                index.index(counted(_rows(self.source), advance), corpus=self.fingerprint())

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
        from legalir.index.citing import with_citing
        from legalir.index.fields import FieldIndex

        name = f"fields-{_directory_name(analyzer)}-{self._links_digest}"
        index = FieldIndex(self.cache / name, analyzer=analyzer)

        def build() -> None:
            graph = self.graph
            label = f"Indexing the fields of {self.source.id} ({analyzer.name})"
            with progress(label, self.source.docs_count()) as advance:
                rows = counted(with_citing(self.source, graph), advance)
                index.index(rows, corpus=self.fingerprint(), links=graph.fingerprint())

        build_once(index.directory, index.built, build)
        return index

    @cached_property
    def laws(self) -> LawTable:
        """The law of each provision, built on first use.

        Raises:
            ArtifactError: the table is damaged or cannot be written.
        """
        from legalir.index.laws import LawTable

        table = LawTable(self.cache / "laws")
        build_once(table.directory, table.built, lambda: table.index(_rows(self.source), corpus=self.fingerprint()))
        return table

    def dense(self, encoder: str | AnyEncoder = "lsa") -> DenseIndex:
        """Return the dense index under `encoder`, built on first use.

        Raises:
            ArtifactError: the index is damaged or cannot be written.
            ComponentError: there is no such encoder.
        """
        from legalir.encode import get_encoder

        chosen = get_encoder(encoder, self)
        found: DenseIndex = self._once(("dense", chosen.fingerprint), lambda: self._dense_index(chosen))
        return found

    def _dense_index(self, encoder: AnyEncoder) -> DenseIndex:
        from legalir.encode import TrainableEncoder
        from legalir.retrieve.dense_index import DenseIndex

        index = DenseIndex(self.cache / f"dense-{_directory_name(encoder)}", encoder=encoder)

        def build() -> None:
            if isinstance(encoder, TrainableEncoder):
                # The texts were analysed once, for the sparse index.
                postings = self.sparse(encoder.analyzer)
                with progress(f"Fitting {encoder.name} on {self.source.id}", None):
                    index.index_postings(postings, corpus=self.fingerprint())
                return
            with progress(f"Encoding {self.source.id} ({encoder.name})", self.source.docs_count()) as advance:
                index.index(counted(_rows(self.source), advance), corpus=self.fingerprint())

        build_once(index.directory, index.built, build)
        return index

    @cached_property
    def graph(self) -> CitationGraph:
        """The citation graph, built on first use; every provision is a node.

        Raises:
            ArtifactError: the graph is damaged or cannot be written.
            FormatError: a line of the links is faulty.
        """
        from legalir.index.graph import CitationGraph

        path = self.cache / f"graph-{self._links_digest}"
        build_once(path, CitationGraph(path).built, lambda: CitationGraph.from_dataset(self.source).save(path))
        return CitationGraph.load(path)

    @property
    def _links_digest(self) -> str:
        """What names something that was made with the links: the cache is kept by corpus, and they may change alone."""
        from legalir.datasets.digests import digest_of

        links = self.source.folder.links
        return "none" if links is None else digest_of(links)[:16]


def _directory_name(part: Any) -> str:
    """Return what tells one analyzer or encoder from others, whatever its name holds."""
    name = re.sub(r"[^\w.-]+", "-", part.name)[:40]
    return f"{name}-{part.fingerprint[:8]}"


def _rows(source: StatuteDataset) -> Iterator[dict[str, Any]]:
    return (provision._asdict() for provision in source.docs())
