"""The sparse index as an artifact: postings of a collection under one analyzer, memory-mapped.

Files of a build: ``terms`` and ``docnos`` (string tables), ``indptr.npy``, ``documents.npy``,
``frequencies.npy``, ``lengths.npy`` (see :class:`~legalir.index.postings.PostingsWriter`) and ``order.npy``, int32
[n]: the position of each document among all docnos in ascending order, which breaks ties.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from legalir.analysis import Analyzer, count_terms, get_analyzer
from legalir.arrays import save_array
from legalir.errors import ArtifactError, ComponentError
from legalir.index.artifact import Manifest, building, open_build, rebuild_hint
from legalir.index.postings import PostingsWriter
from legalir.index.strings import Strings, write_strings

__all__ = ["INDEXED_TEXT", "SparsePostings", "indexed_text"]

KIND, VERSION = "sparse_index", 1
INDEXED_TEXT = "title, newline, text; the text alone where there is no title"
_BATCH_CHARACTERS = 1_000_000


def indexed_text(document: Mapping[str, Any]) -> str:
    """Return what is indexed of a document: title, newline, text, or the text alone.

    Raises:
        ComponentError: title or text is no string, such as the NaN that a data frame has for a missing one.
    """
    title, text = document.get("title") or "", document.get("text") or ""
    for name, value in (("title", title), ("text", text)):
        if not isinstance(value, str):
            raise ComponentError(f"The {name} of a document is {value!r}: give a string, or leave it out.")
    return f"{title}\n{text}" if title else text


class SparsePostings(pt.Artifact, pt.Indexer):
    """Postings of a collection under one analyzer.

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; None searches with that of the index at `path`, and builds with
            ``jamo3``.
    """

    def __init__(self, path: str | PathLike[str], analyzer: str | Analyzer | None = None) -> None:
        super().__init__(str(path))
        self._asked = None if analyzer is None else get_analyzer(analyzer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SparsePostings) and (self.path, self._asked) == (other.path, other._asked)

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        name = "" if self._asked is None else f", analyzer={self._asked.name!r}"
        return f"{type(self).__name__}({str(self.path)!r}{name})"

    @property
    def directory(self) -> Path:
        """The directory of the artifact."""
        return Path(str(self.path))

    def built(self) -> bool:
        """Return whether there is a build at the path; it may still turn out to be damaged when opened."""
        return (self.directory / "manifest.json").exists()

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self, iter: Iterable[Mapping[str, Any]], *, corpus: str = ""
    ) -> Self:
        """Build the index, replacing one that stands at the path only when the new one is whole.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            corpus: fingerprint of the collection, kept in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a text is no string.
        """
        analyzer = self._asked or get_analyzer("jamo3")
        with (
            building(self.directory, KIND, VERSION) as (data, facts),
            tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill,
        ):
            facts.update(_write(iter, analyzer, data, Path(spill)))
            facts["corpus"] = corpus
        self.forget()
        return self

    def forget(self) -> None:
        """Drop what is open, so that the next use reads the files again."""
        for name in [n for n, v in vars(SparsePostings).items() if isinstance(v, cached_property)]:
            self.__dict__.pop(name, None)

    @cached_property
    def _opened(self) -> tuple[Manifest, dict[str, npt.NDArray[Any]]]:
        # Everything is opened at once, so that all of it belongs to one build.
        path = self.directory
        manifest, arrays = open_build(path, KIND, VERSION)
        made_by = manifest.facts["analyzer"]
        if self._asked is not None and made_by["fingerprint"] != self._asked.fingerprint:
            raise ArtifactError(
                f"{path} was built with the analyzer {made_by['name']} ({made_by['fingerprint'][:8]}), not "
                f"with {self._asked.name} ({self._asked.fingerprint[:8]}): {rebuild_hint(path)}"
            )
        return manifest, arrays

    @property
    def manifest(self) -> Manifest:
        """The manifest of the verified build.

        Raises:
            ArtifactError: there is no build, it is damaged, or it was made by another analyzer.
        """
        return self._opened[0]

    @cached_property
    def analyzer(self) -> Analyzer:
        """The analyzer that made the index, for queries."""
        if self._asked is not None:
            return self._asked
        made_by = self.manifest.facts["analyzer"]
        analyzer = get_analyzer(made_by["name"])
        if analyzer.fingerprint != made_by["fingerprint"]:
            raise ArtifactError(
                f"{self.path} was built with another version of the analyzer {analyzer.name}: "
                f"{rebuild_hint(self.directory)}"
            )
        return analyzer

    def fingerprint(self) -> str:
        """Return a sha256 over the content of the index, the same for equal content anywhere."""
        parts = [entry["sha256"] for _, entry in sorted(self.manifest.files.items())]
        return hashlib.sha256("".join([*parts, self.analyzer.fingerprint]).encode()).hexdigest()

    def _array(self, name: str) -> npt.NDArray[Any]:
        return self._opened[1][name]

    @cached_property
    def terms(self) -> Strings:
        """The vocabulary, ascending."""
        return Strings(self._opened[1], "terms")

    @cached_property
    def docnos(self) -> npt.NDArray[np.object_]:
        """Docno of each document, object [n]."""
        return Strings(self._opened[1], "docnos").array()

    @property
    def order(self) -> npt.NDArray[np.int32]:
        """Position of each document among the ascending docnos, int32 [n]."""
        return self._array("order")

    @property
    def indptr(self) -> npt.NDArray[np.int64]:
        """Start of each term's postings, int64 [V + 1]."""
        return self._array("indptr")

    @property
    def documents(self) -> npt.NDArray[np.int32]:
        """Document of each posting, int32 [P]."""
        return self._array("documents")

    @property
    def frequencies(self) -> npt.NDArray[np.unsignedinteger[Any]]:
        """Term frequency of each posting, unsigned [P]."""
        return self._array("frequencies")

    @property
    def lengths(self) -> npt.NDArray[np.int32]:
        """Number of term occurrences in each document, int32 [n]."""
        return self._array("lengths")

    def __len__(self) -> int:
        return len(self.lengths)


def _write(documents: Iterable[Mapping[str, Any]], analyzer: Analyzer, data: Path, spill: Path) -> dict[str, Any]:
    """Write the files of an index into `data`; return the facts for its manifest."""
    writer = PostingsWriter(spill)
    docnos: list[str] = []
    for batch, texts in _batches(documents):
        docnos += batch
        writer.add(count_terms(analyzer, texts))
    order = np.empty(len(docnos), dtype=np.int32)
    order[sorted(range(len(docnos)), key=docnos.__getitem__)] = np.arange(len(docnos), dtype=np.int32)
    if len(set(docnos)) != len(docnos):
        seen: set[str] = set()
        twice = next(docno for docno in docnos if docno in seen or seen.add(docno))  # type: ignore[func-returns-value]
        raise ComponentError(f"The docno {twice!r} occurs twice: every document needs its own.")
    save_array(data / "order.npy", order)
    write_strings(data, "docnos", docnos)
    vocabulary = writer.finish(data)
    write_strings(data, "terms", vocabulary)
    return {
        "analyzer": {"name": analyzer.name, "fingerprint": analyzer.fingerprint},
        "indexed": INDEXED_TEXT,
        "documents": len(docnos),
        "terms": len(vocabulary),
    }


def _batches(documents: Iterable[Mapping[str, Any]]) -> Iterator[tuple[list[str], list[str]]]:
    docnos: list[str] = []
    texts: list[str] = []
    size = 0
    for document in documents:
        docno = document.get("docno") or document.get("doc_id")
        if not isinstance(docno, str):
            raise ComponentError(f"A document has no docno; its fields are {', '.join(map(str, document))}.")
        docnos.append(docno)
        texts.append(indexed_text(document))
        size += len(texts[-1])
        if size >= _BATCH_CHARACTERS:
            yield docnos, texts
            docnos, texts, size = [], [], 0
    yield docnos, texts
