"""The public dense index: vectors of a collection, the encoder that made them, and the retrievers over both."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from legalir.encode import AnyEncoder, Encoder, TrainableEncoder, get_encoder
from legalir.errors import ArtifactError, ComponentError
from legalir.index.artifact import building, rebuild_hint
from legalir.index.dense import DenseVectors, Precision, foreign_vectors, write_vectors
from legalir.index.documents import INDEXED_TEXT, document_batches
from legalir.index.flex import SimFn, read_flex
from legalir.index.sparse import SparsePostings
from legalir.retrieve.dense import DenseRetriever, DenseScorer, QueryEncoder

__all__ = ["DenseIndex"]


class DenseIndex(DenseVectors):
    """A dense index of a collection, and where its retrievers come from.

    ::

        index = legalir.DenseIndex("my.index", encoder="lsa").index(docs)
        index.retriever().search("무창층의 기준은?")

    Args:
        path: directory of the artifact.
        encoder: a name or an encoder; None searches with that of the index at `path`, and builds with ``lsa``.

    Raises:
        ComponentError: there is no such encoder.
    """

    def __init__(self, path: str | PathLike[str], encoder: str | AnyEncoder | None = None) -> None:
        super().__init__(str(path))
        self._asked = None if encoder is None else get_encoder(encoder)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DenseIndex) and (self.path, self._made_by) == (other.path, other._made_by)

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        name = "" if self._asked is None else f", encoder={self._asked.name!r}"
        return f"{type(self).__name__}({str(self.path)!r}{name})"

    @property
    def _made_by(self) -> str | None:
        return None if self._asked is None else self._asked.fingerprint

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
    ) -> Self:
        """Build an index at `path` from vectors that were made elsewhere; they are scaled to length 1.

        Args:
            path: directory of the artifact.
            vectors: numbers [n, d], or the path of a ``.npy`` file of them.
            docnos: the docno of each.
            encoder: makes the vectors of queries; without one, queries need a column ``query_vec``.
            precision: ``float32``, or ``float16`` for half the size.
            corpus: fingerprint of the collection, kept in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: the vectors cannot be used, a docno occurs twice, or the encoder needs to be fitted.
        """
        index = cls(path, encoder)
        if isinstance(index._asked, TrainableEncoder):
            raise ComponentError(
                f"The encoder {index._asked.name!r} is fitted on texts and cannot have made vectors elsewhere: "
                f"name the one that made them, or leave it out."
            )
        with index._building(corpus, "vectors made elsewhere") as (data, facts):
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

        Raises:
            ArtifactError: the files cannot be read or written, or something else is at the path.
            ComponentError: inner products would order documents otherwise than cosines; or as in :meth:`from_vectors`.
            MissingExtra: npids is not installed.
        """
        own: Any = getattr(getattr(flex, "sim_fn", None), "value", "dot")
        source = str(flex.path) if isinstance(flex, pt.Artifact) else flex
        vectors, docnos = read_flex(Path(source), own if sim_fn is None else sim_fn)
        return cls.from_vectors(path, vectors, docnos, encoder, precision=precision, corpus=corpus)

    def get_corpus_iter(self) -> Iterator[dict[str, Any]]:
        """Yield ``docno`` and ``doc_vec``, float32 [d], of each document: what ``FlexIndex.index`` takes."""
        for docno, vector in zip(self.docnos, self.vectors, strict=True):
            yield {"docno": docno, "doc_vec": np.asarray(vector, dtype=np.float32)}

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self, iter: Iterable[Mapping[str, Any]], *, precision: Precision = "float32", corpus: str = ""
    ) -> Self:
        """Build the index, replacing one that stands at the path only when the new one is whole.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            precision: ``float32``, or ``float16`` for half the size.
            corpus: fingerprint of the collection, kept in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a text is no string.
        """
        with self._building(corpus, INDEXED_TEXT) as (data, facts):
            encoder = self._encoder()
            if isinstance(encoder, TrainableEncoder):
                with tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill:
                    postings = SparsePostings(Path(spill) / "postings", encoder.analyzer).index(iter)
                    facts.update(_fit(encoder, postings, data, precision))
            else:
                batches = ((docnos, encoder.encode(texts)) for docnos, texts in document_batches(iter))
                facts.update(write_vectors(data, batches, precision))
        return self

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    def index_postings(self, postings: SparsePostings, *, precision: Precision = "float32", corpus: str = "") -> Self:
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
            facts.update(_fit(encoder, postings, data, precision))
        return self

    def _encoder(self) -> AnyEncoder:
        return get_encoder("lsa") if self._asked is None else self._asked

    @contextmanager
    def _building(self, corpus: str, indexed: str) -> Iterator[tuple[Path, dict[str, Any]]]:
        encoder = self._asked if indexed != INDEXED_TEXT else self._encoder()
        with building(self.directory, self.kind, self.version) as (data, facts):
            facts["encoder"] = None
            if encoder is not None:
                parameters = dict(encoder.parameters) if isinstance(encoder, TrainableEncoder) else {}
                facts["encoder"] = {
                    "name": encoder.name,
                    "fingerprint": encoder.fingerprint,
                    "parameters": parameters,
                }
            facts.update(indexed=indexed, corpus=corpus)
            yield data, facts
        self.forget()

    @cached_property
    def encoder(self) -> Encoder | None:
        """The encoder for queries; None for vectors that were imported without one.

        Raises:
            ArtifactError: the index was made by another encoder, or by another version of it.
        """
        made_by = self.manifest.facts["encoder"]
        if made_by is None and self._asked is None:
            return None
        encoder = self._asked
        if encoder is None:
            encoder = get_encoder(made_by["name"], parameters=made_by["parameters"])
        if made_by is None or made_by["fingerprint"] != encoder.fingerprint:
            origin = "no encoder" if made_by is None else f"{made_by['name']} ({made_by['fingerprint'][:8]})"
            raise ArtifactError(
                f"{self.path} was built with {origin}, not with {encoder.name} ({encoder.fingerprint[:8]}): "
                f"{rebuild_hint(self.directory)}"
            )
        return encoder.restore(self.learnt) if isinstance(encoder, TrainableEncoder) else encoder

    def retriever(self, num_results: int = 1000) -> DenseRetriever:
        """Return the retriever of the greatest cosines."""
        return DenseRetriever(self, num_results=num_results)

    def scorer(self) -> DenseScorer:
        """Return the transformer that scores given documents by their cosines."""
        return DenseScorer(self)

    def query_encoder(self) -> QueryEncoder:
        """Return the transformer that adds ``query_vec`` to queries."""
        return QueryEncoder(self)


def _fit(encoder: TrainableEncoder, postings: SparsePostings, data: Path, precision: Precision) -> dict[str, Any]:
    fitted, vectors = encoder.fit(postings)
    fitted.save(data)
    return write_vectors(data, [(postings.docnos.tolist(), np.asarray(vectors))], precision)
