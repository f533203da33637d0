"""The index as an artifact: Lucene's files and the docnos, whole or absent, verified when opened."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy.typing as npt

from legalir import Collection
from legalir.errors import ArtifactError
from legalir.extend import (
    INDEXED_TEXT,
    Analyzer,
    IndexArtifact,
    Manifest,
    build_once,
    building,
    count_terms,
    document_batches,
    get_analyzer,
    progress,
    write_docnos,
)
from legalir_lucene.machine import machine, speaking_plainly
from legalir_lucene.searching import Reader
from legalir_lucene.writing import writing

__all__ = ["LuceneIndex"]


class LuceneIndex(IndexArtifact):
    """An index of Lucene over the terms of one analyzer.

    Files of a build: those of Lucene, and the docnos, ascending: the number of a document in Lucene is its place
    among them.

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; None: that of the index at `path`, and ``auto`` to build one.
        collection: what is indexed, on first use, where nothing is built yet; None: nothing.
    """

    kind = "lucene_index"
    version = 1

    def __init__(
        self,
        path: str | PathLike[str],
        analyzer: str | Analyzer | None = None,
        collection: Collection | None = None,
    ) -> None:
        super().__init__(str(path))
        self._asked = None if analyzer is None else get_analyzer(analyzer, collection)
        self._collection = collection

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LuceneIndex) and (self.path, self._asked) == (other.path, other._asked)

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        name = "" if self._asked is None else f", analyzer={self._asked.name!r}"
        return f"{type(self).__name__}({str(self.path)!r}{name})"

    @cached_property
    def analyzer(self) -> Analyzer:
        """The analyzer that made the index, for questions."""
        if self._asked is not None:
            return self._asked
        made_by = self.manifest.facts["analyzer"]
        analyzer = get_analyzer(made_by["name"])
        if analyzer.fingerprint != made_by["fingerprint"]:
            raise ArtifactError(
                f"{self.path} was built with another version of the analyzer {analyzer.name}: {_cure(self.directory)}"
            )
        return analyzer

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self, iter: Iterable[Mapping[str, Any]], *, corpus: str = ""
    ) -> Self:
        """Build the index, replacing one that stands at the path only when the new one is whole.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            corpus: fingerprint of the collection, kept in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a text is not a string.
            LegalIRError: Java is missing, too old, or out of memory.
        """
        analyzer = self._asked or get_analyzer("auto", self._collection)
        machine()  # Without Java nothing is begun.
        with building(self.directory, self.kind, self.version) as (data, facts):
            facts.update(_write(iter, analyzer, data))
            facts["corpus"] = corpus
        self.forget()
        return self

    def fingerprint(self) -> str:
        """Return a sha256 over what was indexed, how, and by which Lucene.

        The files of Lucene would not do: it gives each build a number by chance.
        """
        facts = self.manifest.facts
        parts = [self.kind, str(self.version), facts["content"], facts["lucene"], self.analyzer.fingerprint]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @cached_property
    def reader(self) -> Reader:
        """Lucene's reader of the verified build.

        Raises:
            ArtifactError: there is no build, it is damaged, or it was made for something else.
        """
        while True:
            build = self.manifest.data
            try:
                return _open(self.directory / build, self.directory)
            except ArtifactError:
                # Another process may have put a new build in its place meanwhile.
                self.forget()
                if self.manifest.data == build:
                    raise

    def __len__(self) -> int:
        return len(self.docno_table)

    @cached_property
    def _opened(self) -> tuple[Manifest, dict[str, npt.NDArray[Any]]]:
        if self._collection is not None:
            build_once(self.directory, self.built, self._build)
        return super()._opened

    def _build(self) -> None:
        assert self._collection is not None
        source, analyzer = self._collection, self.analyzer
        with progress(f"Indexing {source.id} (Lucene, {analyzer.name})", source.source.docs_count()) as advance:
            self.index(_rows(source, advance), corpus=source.fingerprint())

    def _check(self, manifest: Manifest) -> None:
        made_by = manifest.facts["analyzer"]
        if self._asked is not None and made_by["fingerprint"] != self._asked.fingerprint:
            raise ArtifactError(
                f"{self.directory} was built with the analyzer {made_by['name']} ({made_by['fingerprint'][:8]}), not "
                f"with {self._asked.name} ({self._asked.fingerprint[:8]}): {_cure(self.directory)}"
            )
        if self._collection is not None and manifest.facts["corpus"] != self._collection.fingerprint():
            raise ArtifactError(f"{self.directory} was built for another corpus: {_cure(self.directory)}")


def _write(documents: Iterable[Mapping[str, Any]], analyzer: Analyzer, data: Path) -> dict[str, Any]:
    """Write the files of an index into `data`; return the facts for its manifest."""
    java = machine()
    docnos: list[str] = []
    with speaking_plainly(), writing(java, data) as writer:
        for batch, texts in document_batches(documents):
            docnos += batch
            writer.add(batch, count_terms(analyzer, texts))
    write_docnos(data, sorted(docnos))
    return {
        "analyzer": {"name": analyzer.name, "fingerprint": analyzer.fingerprint},
        "content": writer.content.hexdigest(),
        "documents": len(docnos),
        "indexed": INDEXED_TEXT,
        "lucene": java.lucene,
    }


def _open(data: Path, directory: Path) -> Reader:
    java = machine()
    try:
        with speaking_plainly():
            return Reader(java, data)
    except OSError as error:
        raise ArtifactError(f"{data} cannot be read by Lucene {java.lucene} ({error}): {_cure(directory)}") from error


def _cure(directory: Path) -> str:
    return f"remove the directory {directory} and build it again."


def _rows(collection: Collection, advance: Any) -> Iterator[dict[str, Any]]:
    for number, provision in enumerate(collection.docs(), start=1):
        if number % 500 == 0:
            advance(500)
        yield provision._asdict()
