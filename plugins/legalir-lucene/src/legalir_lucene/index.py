"""The index as an artifact: Lucene's files and the docnos, whole or absent, verified when opened."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError
from legalir.extend import INDEXED_TEXT, Analyzer, Collection, EngineIndex, count_terms, document_batches, get_analyzer
from legalir_lucene.machine import machine, speaking_plainly
from legalir_lucene.searching import Reader
from legalir_lucene.writing import writing

__all__ = ["LuceneIndex"]


class LuceneIndex(EngineIndex):
    """An index of Lucene over the terms of one analyzer.

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; None for the analyzer of the index at `path`, or ``auto`` to build one.
        collection: what is indexed, on first use, where nothing is built yet; None: nothing.
    """

    kind = "lucene_index"
    version = 2

    def __init__(
        self,
        path: str | PathLike[str],
        analyzer: str | Analyzer | None = None,
        collection: Collection | None = None,
    ) -> None:
        super().__init__(path, collection)
        self._asked = None if analyzer is None else get_analyzer(analyzer, collection)

    @property
    def settings(self) -> dict[str, Any]:
        """The analyzer that was asked for."""
        return {} if self._asked is None else {"analyzer": _named(self._asked)}

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

    def write(self, documents: Iterator[Mapping[str, Any]], directory: Path) -> dict[str, Any]:
        """Write Lucene's files; return the facts for the manifest.

        Raises:
            LegalIRError: Java is missing, too old, or out of memory.
        """
        analyzer, java = self._asked or get_analyzer("auto", self.collection), machine()
        with speaking_plainly(), writing(java, directory) as writer:
            for batch, texts in document_batches(documents):
                writer.add(batch, count_terms(analyzer, texts))
        content = writer.content.hexdigest()
        return {"analyzer": _named(analyzer), "content": content, "indexed": INDEXED_TEXT, "lucene": java.lucene}

    def fingerprint(self) -> str:
        """Return a sha256 over what was indexed, how, and by which Lucene.

        The files of Lucene would not do: it gives each build a number by chance.
        """
        facts = self.manifest.facts
        parts = [self.kind, str(self.version), facts["content"], facts["lucene"], self.analyzer.fingerprint]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @cached_property
    def ascending(self) -> npt.NDArray[np.intp]:
        """Number of the document that Lucene calls i, for which it counts the ascending docnos; [n]."""
        return np.argsort(self.docno_table.order)

    @cached_property
    def reader(self) -> Reader:
        """Lucene's reader of the verified build.

        Raises:
            ArtifactError: there is no build, it is damaged, or it was made for something else.
        """
        while True:
            build = self.files
            try:
                return _open(build, self.directory)
            except ArtifactError:
                # Another process may have put a new build in its place meanwhile.
                self.forget()
                if self.files == build:
                    raise


def _named(analyzer: Analyzer) -> dict[str, str]:
    return {"name": analyzer.name, "fingerprint": analyzer.fingerprint}


def _open(data: Path, directory: Path) -> Reader:
    java = machine()
    try:
        with speaking_plainly():
            return Reader(java, data)
    except OSError as error:
        raise ArtifactError(f"{data} cannot be read by Lucene {java.lucene} ({error}): {_cure(directory)}") from error


def _cure(directory: Path) -> str:
    return f"remove the directory {directory} and build it again."
