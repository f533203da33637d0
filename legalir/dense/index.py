"""The public dense index: vectors of a collection, the encoder that made them, and the retrievers over both."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from legalir.dense.approximate import RecallQueries
from legalir.dense.build import DenseBuild, fit_vectors
from legalir.dense.faiss import Approximate
from legalir.dense.flex import SimFn, read_flex
from legalir.dense.retriever import DenseRetriever, DenseScorer, QueryEncoder
from legalir.dense.vectors import Precision, foreign_vectors, write_vectors
from legalir.encode.contract import CountedEncoder, Encoder, TrainableEncoder
from legalir.errors import ComponentError
from legalir.lexical.sparse import SparseIndex
from legalir.storage.documents import INDEXED_TEXT, counted, document_batches

__all__ = ["DenseIndex"]


class DenseIndex(DenseBuild):
    """A dense index of a collection, and where its retrievers come from.

    ::

        index = legalir.DenseIndex("my.index", encoder="lsa").index(docs)
        index.retriever().search("무창층의 기준은?")

    All documents are compared with a query, unless the index was built with ``approximate="hnsw"`` or ``"ivf"``, also
    with parameters, as in ``"hnsw(m=32, ef_construction=200, ef=256)"`` or ``"ivf(lists=1000, probes=60)"``: then FAISS
    finds candidates, whose scores are as exact. How many of the best documents it finds is measured when it is built:
    ``index.recall``.

    Args:
        path: directory of the artifact.
        encoder: a name or an encoder; None searches with that of the index at `path`, and builds with ``lsa``.

    Raises:
        ComponentError: there is no such encoder.
    """

    @classmethod
    def from_vectors(
        cls,
        path: str | PathLike[str],
        vectors: npt.NDArray[Any] | str | PathLike[str],
        docnos: Iterable[str],
        encoder: str | Encoder | None = None,
        *,
        precision: Precision = "float32",
        corpus: str = "",
        approximate: str | Approximate | None = None,
        queries: RecallQueries | None = None,
    ) -> Self:
        """Build an index at `path` from vectors that were made elsewhere; they are scaled to length 1.

        Args:
            path: directory of the artifact.
            vectors: numbers [n, d], or the path of a ``.npy`` file of them.
            docnos: the docno of each.
            encoder: makes the vectors of queries; without one, queries need a column ``query_vec``.
            precision: ``float32``, or ``float16`` for half the size.
            corpus: fingerprint of the collection, kept in the manifest.
            approximate: a search as in :meth:`approximated`; None for an exact one.
            queries: as in :meth:`approximated`.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: the vectors cannot be used, a docno occurs twice, or the encoder needs to be fitted.
            MissingExtra: FAISS is needed, and not installed.
        """
        index = cls(path, encoder)
        if isinstance(index._asked, TrainableEncoder):
            raise ComponentError(
                f"The encoder {index._asked.name!r} is fitted on texts and cannot have made vectors elsewhere: "
                f"name the one that made them, or leave it out."
            )
        with index._building(corpus, "vectors made elsewhere", approximate, queries) as (data, facts):
            facts.update(write_vectors(data, foreign_vectors(vectors, docnos), precision))
        return index

    @classmethod
    def from_flex(
        cls,
        path: str | PathLike[str],
        flex: str | PathLike[str] | pt.Artifact,
        encoder: str | Encoder | None = None,
        *,
        sim_fn: SimFn | None = None,
        precision: Precision = "float32",
        corpus: str = "",
        approximate: str | Approximate | None = None,
        queries: RecallQueries | None = None,
    ) -> Self:
        """Build an index at `path` from the vectors of a ``FlexIndex`` of pyterrier-dr, which need not be installed.

        Without an encoder, pyterrier-dr's makes the vectors of queries: ``model.query_encoder() >> index.retriever()``.

        Args:
            path: directory of the artifact.
            flex: the FlexIndex, or its directory.
            encoder: as in :meth:`from_vectors`.
            sim_fn: what the FlexIndex compares vectors by, ``dot`` or ``cos``; None for its own, which a directory
                does not tell, and which is ``dot`` there. With ``dot``, the vectors have to be of one length.
            precision: as in :meth:`from_vectors`.
            corpus: as in :meth:`from_vectors`.
            approximate: as in :meth:`approximated`.
            queries: as in :meth:`approximated`.

        Raises:
            ArtifactError: the files cannot be read or written, or something else is at the path.
            ComponentError: inner products would order documents otherwise than cosines; or as in :meth:`from_vectors`.
            MissingExtra: npids is not installed, or FAISS, where it is needed.
        """
        own: Any = getattr(getattr(flex, "sim_fn", None), "value", "dot")
        source = str(flex.path) if isinstance(flex, pt.Artifact) else flex
        vectors, docnos = read_flex(Path(source), own if sim_fn is None else sim_fn)
        options: dict[str, Any] = {"approximate": approximate, "queries": queries}
        return cls.from_vectors(path, vectors, docnos, encoder, precision=precision, corpus=corpus, **options)

    def get_corpus_iter(self) -> Iterator[dict[str, Any]]:
        """Yield ``docno`` and ``doc_vec``, float32 [d], of each document: what ``FlexIndex.index`` takes."""
        for docno, vector in zip(self.docnos, self.vectors, strict=True):
            yield {"docno": docno, "doc_vec": np.asarray(vector, dtype=np.float32)}

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self,
        iter: Iterable[Mapping[str, Any]],
        *,
        precision: Precision = "float32",
        corpus: str = "",
        approximate: str | Approximate | None = None,
        queries: RecallQueries | None = None,
        reuse: Iterable[str | PathLike[str]] = (),
        advance: Callable[[int], None] = lambda done: None,
    ) -> Self:
        """Build the index, replacing one that stands at the path only when the new one is whole.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            precision: ``float32``, or ``float16`` for half the size.
            corpus: fingerprint of the collection, kept in the manifest.
            approximate: a search as in :meth:`approximated`; None for an exact one.
            queries: as in :meth:`approximated`.
            reuse: paths of indexes whose vectors are taken over, as are those of the index at the path, and of
                interrupted work on it; by an encoder that is a :class:`~legalir.encode.contract.CountedEncoder`.
            advance: is told how many more documents are done.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a text is no string.
            MissingExtra: FAISS is needed, and not installed.
        """
        encoder = self._encoder()
        about = corpus, INDEXED_TEXT, approximate, queries
        if isinstance(encoder, CountedEncoder):
            return self._encode(iter, encoder, precision, map(Path, reuse), advance, *about)
        iter = counted(iter, advance)
        with self._building(*about) as (data, facts):
            if isinstance(encoder, TrainableEncoder):
                with tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill:
                    postings = SparseIndex(Path(spill) / "postings", encoder.analyzer).index(iter)
                    facts.update(fit_vectors(encoder, postings, data, precision))
            else:
                batches = ((docnos, encoder.encode(texts)) for docnos, texts in document_batches(iter))
                facts.update(write_vectors(data, batches, precision))
        return self

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    def index_postings(self, postings: SparseIndex, *, precision: Precision = "float32", corpus: str = "") -> Self:
        """Build the index from a sparse index of the same documents, for an encoder that is fitted on terms.

        Args:
            postings: under the analyzer of the encoder.
            precision: ``float32``, or ``float16`` for half the size.
            corpus: fingerprint of the collection, kept in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or the postings have other terms.
            ComponentError: the encoder needs texts.
        """
        encoder = self._encoder()
        if not isinstance(encoder, TrainableEncoder):
            raise ComponentError(f"The encoder {encoder.name!r} needs texts: build its index with index(docs).")
        with self._building(corpus, INDEXED_TEXT) as (data, facts):
            facts.update(fit_vectors(encoder, postings, data, precision))
        return self

    def approximated(
        self,
        approximate: str | Approximate = "hnsw",
        path: str | PathLike[str] | None = None,
        *,
        queries: RecallQueries | None = None,
    ) -> Self:
        """Build approximate search for the vectors of this index, whose files are used as they are.

        The recall against exact search, at 10, 100 and 1 000 results, is measured, logged and kept: :attr:`recall`.

        Args:
            approximate: ``hnsw`` or ``ivf``, also with parameters (:class:`~legalir.dense.faiss.HNSW`,
                :class:`~legalir.dense.faiss.IVF`).
            path: directory of another index, which is built; None replaces this one.
            queries: what to measure recall with: texts, or vectors [m, d]; None for the vectors of up to 200 documents,
                each of which is to find the others.

        Returns:
            The index that now has it.

        Raises:
            ArtifactError: the files cannot be read or written, or something else is at the path.
            ComponentError: there is no such search or parameter, or `queries` cannot be used.
            MissingExtra: FAISS is not installed.
        """
        index = self if path is None else type(self)(path, self._asked)
        index._approximated(self, approximate, queries)
        return index

    @cached_property
    def encoder(self) -> Encoder | None:
        """The encoder for queries; None for vectors that were imported without one.

        Raises:
            ArtifactError: the index was made by another encoder, or by another version of it.
        """
        return self._encoder_of(self.manifest.facts["encoder"], self.learnt)

    def retriever(self, num_results: int = 1000, *, exact: bool = False) -> DenseRetriever:
        """Return the retriever of the greatest cosines: among all with `exact`, or where there is nothing else."""
        return DenseRetriever(self, num_results=num_results, exact=exact)

    def scorer(self) -> DenseScorer:
        """Return the transformer that scores given documents by their cosines."""
        return DenseScorer(self)

    def query_encoder(self) -> QueryEncoder:
        """Return the transformer that adds ``query_vec`` to queries."""
        return QueryEncoder(self)
