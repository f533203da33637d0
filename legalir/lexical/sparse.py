"""The public sparse index: an artifact, and the retrievers over it.

The sparse index as an artifact: postings of a collection under one analyzer, memory-mapped.

Files of a build: the string table ``terms``, the docnos (see :mod:`legalir.storage.strings`), and ``indptr.npy``,
``documents.npy``, ``frequencies.npy``, ``lengths.npy`` (see :class:`~legalir.lexical.postings.PostingsWriter`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import Analyzer, count_terms, get_analyzer
from legalir.lexical.bm25 import BM25
from legalir.lexical.postings import PostingsWriter
from legalir.lexical.term_index import TermIndex
from legalir.lexical.tfidf import TFIDF, Idf
from legalir.storage.artifact import building
from legalir.storage.documents import INDEXED_TEXT, document_batches
from legalir.storage.strings import write_docnos, write_strings

__all__ = ["SparseIndex", "SparsePostings"]


class SparsePostings(TermIndex):
    """Postings of a collection under one analyzer.

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; None searches with that of the index at `path`, and builds with
            ``jamo3``.
    """

    kind = "sparse_index"
    version = 1

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
            building(self.directory, self.kind, self.version) as (data, facts),
            tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill,
        ):
            facts.update(_write(iter, analyzer, data, Path(spill)))
            facts["corpus"] = corpus
        self.forget()
        return self

    @property
    def frequencies(self) -> npt.NDArray[np.unsignedinteger[Any]]:
        """Term frequency of each posting, unsigned [P]."""
        return self._array("frequencies")

    @property
    def lengths(self) -> npt.NDArray[np.int32]:
        """Number of term occurrences in each document, int32 [n]."""
        return self._array("lengths")

    def occurrences(self, term: int, posting: int) -> dict[str, object]:
        """Return how often the document of a posting holds its term, ``in_document``, and how many ``documents`` do."""
        documents = int(self.indptr[term + 1] - self.indptr[term])
        return {"in_document": int(self.frequencies[posting]), "documents": documents}


def _write(documents: Iterable[Mapping[str, Any]], analyzer: Analyzer, data: Path, spill: Path) -> dict[str, Any]:
    """Write the files of an index into `data`; return the facts for its manifest."""
    writer = PostingsWriter(spill)
    docnos: list[str] = []
    for batch, texts in document_batches(documents):
        docnos += batch
        writer.add(count_terms(analyzer, texts))
    write_docnos(data, docnos)
    vocabulary = writer.finish(data)
    write_strings(data, "terms", vocabulary)
    return {
        "analyzer": {"name": analyzer.name, "fingerprint": analyzer.fingerprint},
        "indexed": INDEXED_TEXT,
        "documents": len(docnos),
        "terms": len(vocabulary),
    }


class SparseIndex(SparsePostings):
    """A sparse index of a collection, and where its retrievers come from.

    ::

        index = legalir.SparseIndex("my.index", analyzer="jamo3").index(docs)
        index.bm25(k1=1.5, b=0.75).search("무창층의 기준은?")
    """

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    def bm25(self, k1: float = 0.9, b: float = 0.4, num_results: int = 1000) -> BM25:
        """Return a BM25 retriever; `k1` and `b` need no new index."""
        return BM25(self, k1=k1, b=b, num_results=num_results)

    def tfidf(self, num_results: int = 1000, idf: Idf = "lucene") -> TFIDF:
        """Return a TF-IDF retriever with cosine scores."""
        return TFIDF(self, idf=idf, num_results=num_results)
