"""The indexes of one collection: made on first use, kept in its cache, reused while they fit.

Those of vectors are in :mod:`legalir.vector_indexes`.
"""

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
    from legalir.index.fields import FieldIndex
    from legalir.index.graph import CitationGraph
    from legalir.index.laws import LawTable
    from legalir.retrieve.sparse import SparseIndex

__all__ = ["Indexes", "directory_name", "rows"]


class Indexes:
    """What is built for a collection from its terms and links; a base of :class:`~legalir.collection.Collection`."""

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
        from legalir.index.citing import with_citing
        from legalir.index.fields import FieldIndex

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
        from legalir.index.laws import LawTable

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


def directory_name(part: Any) -> str:
    """Return what tells one analyzer or encoder from others, whatever its name holds."""
    name = re.sub(r"[^\w.-]+", "-", part.name)[:40]
    return f"{name}-{part.fingerprint[:8]}"


def rows(source: StatuteDataset) -> Iterator[dict[str, Any]]:
    """Yield the provisions of a dataset as what indexes take."""
    return (provision._asdict() for provision in source.docs())
