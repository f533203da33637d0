"""Documents into a directory of Lucene."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from legalir.extend import TermCounts
from legalir_lucene.machine import Machine
from legalir_lucene.terms import encode

__all__ = ["FIELD", "Writer", "lines", "open_directory", "whitespace_analyzer", "writing"]

FIELD = "terms"
_DOCNO = "docno"
_SEPARATOR = "|"
_BUFFER_MEGABYTES = 64.0


def lines(counts: TermCounts) -> Iterator[str]:
    """Yield for each text its encoded terms with their frequencies: ``term|2 other|1``."""
    encoded = np.array([f"{encode(term)}{_SEPARATOR}" for term in counts.terms], dtype=object)
    holders = np.diff(counts.indptr)
    numbers = np.array([str(number) for number in range(int(counts.frequencies.max(initial=0)) + 1)], dtype=object)
    written = np.repeat(encoded, holders) + numbers[counts.frequencies]
    written = written[np.argsort(counts.documents, kind="stable")]
    last = 0
    for size in np.bincount(counts.documents, minlength=len(counts.lengths)).tolist():
        yield " ".join(written[last : last + size])
        last += size


def whitespace_analyzer(machine: Machine, *, frequencies: bool) -> Any:
    """Return Lucene's analyzer that splits at whitespace and, with `frequencies`, reads ``term|2`` as two of a term."""

    def parameters(**values: str) -> Any:
        made = machine.java("java.util.HashMap")()
        for name, value in values.items():
            made.put(name, value)
        return made

    builder = machine.java("org.apache.lucene.analysis.custom.CustomAnalyzer").builder()
    builder.withTokenizer("whitespace", parameters(maxTokenLen="65536"))
    if frequencies:
        builder.addTokenFilter("delimitedTermFrequency", parameters(delimiter=_SEPARATOR))
    return builder.build()


class Writer:
    """Adds documents to an open index of Lucene.

    Args:
        machine: the Java machine.
        writer: an ``IndexWriter``.

    Attributes:
        content: sha256 of all that was added.
    """

    def __init__(self, machine: Machine, writer: Any) -> None:
        java = machine.java
        self.content = hashlib.sha256()
        self._writer = writer
        self._bytes = java("org.apache.lucene.util.BytesRef")
        kind = java("org.apache.lucene.document.FieldType")()
        kind.setTokenized(True)
        kind.setIndexOptions(java("org.apache.lucene.index.IndexOptions").DOCS_AND_FREQS)
        kind.freeze()
        text = "(Ljava/lang/String;Ljava/lang/CharSequence;Lorg/apache/lucene/index/IndexableFieldType;)V"
        # One document is filled again for each: this is how Lucene wants it.
        self._terms = java("org.apache.lucene.document.Field")(FIELD, "", kind, signature=text)
        self._docno = java("org.apache.lucene.document.SortedDocValuesField")(_DOCNO, self._bytes(b""))
        self._document = java("org.apache.lucene.document.Document")()
        self._document.add(self._terms)
        self._document.add(self._docno)

    def add(self, docnos: Sequence[str], counts: TermCounts) -> None:
        """Add documents with their terms."""
        for docno, line in zip(docnos, lines(counts), strict=True):
            name = docno.encode("utf-8", "surrogatepass")
            self.content.update(name + b"\t" + line.encode() + b"\n")
            self._terms.setStringValue(line)
            self._docno.setBytesValue(self._bytes(name))
            self._writer.addDocument(self._document)


@contextlib.contextmanager
def writing(machine: Machine, directory: Path) -> Iterator[Writer]:
    """Write an index of Lucene into `directory`: one segment, documents in ascending order of their docnos.

    Lucene breaks ties by the number of a document, and prunes what cannot win them; with this order its ties are
    ours, also those at the cut-off. UTF-8 sorts as Python sorts strings.
    """
    java = machine.java
    config = java("org.apache.lucene.index.IndexWriterConfig")(whitespace_analyzer(machine, frequencies=True))
    by_docno = java("org.apache.lucene.search.SortField")(
        _DOCNO, java("org.apache.lucene.search.SortField$Type").STRING
    )
    config.setIndexSort(java("org.apache.lucene.search.Sort")(by_docno))
    config.setRAMBufferSizeMB(_BUFFER_MEGABYTES)
    # Merged in this thread, so that what fails, fails here.
    config.setMergeScheduler(java("org.apache.lucene.index.SerialMergeScheduler")())
    writer = java("org.apache.lucene.index.IndexWriter")(open_directory(machine, directory), config)
    try:
        yield Writer(machine, writer)
        writer.forceMerge(1)
        writer.close()
    except BaseException:
        writer.rollback()
        raise


def open_directory(machine: Machine, directory: Path) -> Any:
    """Return Lucene's view of a directory; it locks nothing, which the artifact around it does."""
    path = machine.java("java.nio.file.Paths").get(str(directory))
    return machine.java("org.apache.lucene.store.MMapDirectory")(
        path, machine.java("org.apache.lucene.store.NoLockFactory").INSTANCE
    )
