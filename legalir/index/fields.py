"""The field index as an artifact: postings of a collection that know the field in which a term occurs, memory-mapped.

Files of a build: the string table ``terms``, the docnos (see :mod:`legalir.index.docnos`), ``lengths.npy``, and those
that :func:`~legalir.index.field_postings.write_field_postings` writes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from legalir.analysis import Analyzer, count_terms, get_analyzer
from legalir.arrays import load_array, save_array
from legalir.index.analyzed import TermIndex
from legalir.index.artifact import building
from legalir.index.docnos import write_docnos
from legalir.index.documents import document_batches, field_text
from legalir.index.field_postings import write_field_postings
from legalir.index.postings import PostingsWriter
from legalir.index.strings import write_strings

__all__ = ["FIELDS", "FieldIndex"]

FIELDS = ("title", "text", "path", "citing")
"""What is indexed: title, body, the chapter that holds a provision, and the headings of the provisions that cite it."""

_OWN = (FIELDS.index("title"), FIELDS.index("text"))
"""The fields that say in how many documents a term occurs."""


class FieldIndex(TermIndex):
    """Postings of a collection by field, under one analyzer and one vocabulary.

    A posting is a term and a document that holds it in any field; each field has a column of frequencies.

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; None searches with that of the index at `path`, and builds with ``char2``.
    """

    kind = "field_index"
    version = 1

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self, iter: Iterable[Mapping[str, Any]], *, corpus: str = "", links: str = ""
    ) -> Self:
        """Build the index, replacing one that stands at the path only when the new one is whole.

        Args:
            iter: documents with ``docno`` (or ``doc_id``) and any of `FIELDS`; what one lacks is empty. See
                :func:`~legalir.index.citing.with_citing` for the last of them.
            corpus: fingerprint of the collection, kept in the manifest.
            links: fingerprint of its citation graph, kept in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a field is no string.
        """
        analyzer = self._asked or get_analyzer("char2")
        with (
            building(self.directory, self.kind, self.version) as (data, facts),
            tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill,
        ):
            facts.update(_write(iter, analyzer, data, Path(spill)))
            facts.update(corpus=corpus, links=links)
        self.forget()
        return self

    @property
    def lengths(self) -> npt.NDArray[np.int32]:
        """Number of term occurrences in each field of each document, int32 [n, F]."""
        return self._array("lengths")

    @property
    def df(self) -> npt.NDArray[np.int64]:
        """Number of documents that hold a term in title or text, int64 [V].

        Paths and headings of others are left out: they repeat the same few words in very many documents.
        """
        return self._array("df")

    def frequencies(self, field: str) -> npt.NDArray[np.unsignedinteger[Any]]:
        """Return the frequency of the term in one of `FIELDS` for each posting, unsigned [P]."""
        return self._array(f"frequencies.{field}")

    def occurrences(self, term: int, posting: int, fields: Iterable[str] = FIELDS) -> dict[str, object]:
        """Return how often `fields` hold a term, together and each, and how many documents do in title or text."""
        found = {field: int(self.frequencies(field)[posting]) for field in fields}
        in_fields = {field: tf for field, tf in found.items() if tf}
        return {"in_document": sum(found.values()), "documents": int(self.df[term]), "fields": in_fields}


def _write(documents: Iterable[Mapping[str, Any]], analyzer: Analyzer, data: Path, spill: Path) -> dict[str, Any]:
    """Write the files of an index into `data`; return the facts for its manifest."""
    # Every field of every document is counted as a text of its own.
    writer = PostingsWriter(spill)
    docnos: list[str] = []
    for batch, texts in document_batches(documents, lambda document: [field_text(document, name) for name in FIELDS]):
        docnos += batch
        writer.add(count_terms(analyzer, texts))
    write_docnos(data, docnos)
    counted = spill / "counted"
    counted.mkdir()
    vocabulary = writer.finish(counted)
    write_strings(data, "terms", vocabulary)
    lengths = load_array(counted / "lengths.npy").reshape(-1, len(FIELDS))
    save_array(data / "lengths.npy", lengths)
    write_field_postings(counted, data, FIELDS, _OWN)
    return {
        "analyzer": {"name": analyzer.name, "fingerprint": analyzer.fingerprint},
        "fields": list(FIELDS),
        "documents": len(docnos),
        "terms": len(vocabulary),
    }
