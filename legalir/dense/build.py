"""Building a dense index: what all ways to its vectors have in common, and the approximate search over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from legalir.dense.approximate import RecallQueries, checked_queries, measured_recall, report_recall, sampled_rows
from legalir.dense.faiss import Approximate, Neighbours, build_neighbours, read_approximate, require_faiss
from legalir.dense.vectors import DenseVectors, Precision, vector_settings, write_encoded_vectors, write_vectors
from legalir.encode.contract import AnyEncoder, CountedEncoder, Encoder, TrainableEncoder
from legalir.encode.lookup import get_encoder
from legalir.errors import ArtifactError, ComponentError
from legalir.lexical.sparse import SparseIndex
from legalir.storage.arrays import load_array
from legalir.storage.artifact import building
from legalir.storage.documents import INDEXED_TEXT
from legalir.storage.files import link_or_copy
from legalir.storage.locks import cache_lock
from legalir.storage.manifest import rebuild_hint
from legalir.storage.shards import shards_beside

__all__ = ["DenseBuild", "fit_vectors"]

_Facts = dict[str, Any]


class DenseBuild(DenseVectors):
    """A dense index and the encoder that was asked for, if any: the base of DenseIndex, which says what is given."""

    def __init__(self, path: str | PathLike[str], encoder: str | AnyEncoder | None = None) -> None:
        super().__init__(str(path))
        self._asked = None if encoder is None else get_encoder(encoder)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DenseBuild) and (self.path, self._made_by) == (other.path, other._made_by)

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        name = "" if self._asked is None else f", encoder={self._asked.name!r}"
        return f"{type(self).__name__}({str(self.path)!r}{name})"

    @property
    def _made_by(self) -> str | None:
        return None if self._asked is None else self._asked.fingerprint

    def _encoder(self) -> AnyEncoder:
        return get_encoder("lsa") if self._asked is None else self._asked

    @contextmanager
    def _building(
        self,
        corpus: str,
        indexed: str,
        approximate: str | Approximate | None = None,
        queries: RecallQueries | None = None,
    ) -> Iterator[tuple[Path, _Facts]]:
        """Yield a directory that is to be given vectors and docnos, and facts; add the rest of the index.

        Raises:
            ArtifactError: as :func:`~legalir.storage.artifact.building`.
            ComponentError: `approximate` or `queries` mean nothing.
            MissingExtra: FAISS is needed, and not installed.
        """
        search, asked = _checked(approximate, queries)
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
            facts.update(indexed=indexed, corpus=corpus, approximate=None)
            yield data, facts
            if search is not None:
                facts["approximate"] = self._search(data, facts, search, asked)
        self.forget()

    def _encode(
        self,
        documents: Iterable[Mapping[str, Any]],
        encoder: CountedEncoder,
        precision: Precision,
        earlier: Iterable[Path],
        advance: Callable[[int], None],
        *about: Any,
    ) -> Self:
        """Build the index with a slow encoder: what it has done is kept until the index is whole.

        Args:
            documents: with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            encoder: makes the vectors of what neither this index nor `earlier` ones nor interrupted work has.
            precision: what the vectors are stored as.
            earlier: paths of other indexes whose vectors may be taken over.
            advance: is told how many more documents are done.
            about: what :meth:`_building` is given.
        """
        settings = vector_settings(encoder.fingerprint, precision)
        options: dict[str, Any] = {"precision": precision, "earlier": [self.directory, *earlier], "advance": advance}
        with shards_beside(self.directory, settings) as shards, self._building(*about) as (data, facts):
            facts.update(write_encoded_vectors(data, documents, encoder.encode_counted, shards, **options))
        return self

    def _approximated(
        self, source: DenseVectors, approximate: str | Approximate, queries: RecallQueries | None
    ) -> None:
        """Build this index from the vectors of `source`, which may be itself, with an approximate search over them."""
        search, asked = _checked(approximate, queries)
        same = source.directory.resolve() == self.directory.resolve()
        with nullcontext() if same else cache_lock(source.directory):  # so that nobody removes what is taken over
            if not source.built():
                raise ArtifactError(f"There is no index at {source.path}: build it first.")
            with building(self.directory, self.kind, self.version) as (data, facts):
                source.forget()
                manifest = source.manifest
                for name in manifest.files:
                    if not name.startswith("approximate."):
                        link_or_copy(source.directory / manifest.data / name, data / name)
                facts.update(manifest.facts)
                facts["approximate"] = self._search(data, facts, search, asked)
        self.forget()

    def _search(self, data: Path, facts: Mapping[str, Any], search: Approximate, queries: Any) -> _Facts:
        """Build an approximate search over the vectors in `data`, measure its recall; return the facts about it."""
        vectors, order = load_array(data / "vectors.npy"), load_array(data / "order.npy")
        asked = None if queries is None else self._asked_vectors(data, facts, queries, vectors.shape[1])
        built = build_neighbours(data, search)
        neighbours = Neighbours(self.directory, _arrays(data), read_approximate(built["search"]))
        own = sampled_rows(neighbours) if asked is None else None
        if asked is None:
            asked = np.asarray(vectors[own], dtype=np.float32)
        recall = measured_recall(neighbours, vectors, order, asked, own)
        found = {
            **built,
            "recall": {str(k): share for k, share in recall.items()},
            "queries": len(asked),
            "queries_are": "queries" if own is None else "documents",
        }
        report_recall(self.directory, found)
        return found

    def _asked_vectors(
        self, data: Path, facts: Mapping[str, Any], queries: Any, dimensions: int
    ) -> npt.NDArray[np.float32]:
        """Return the vectors of queries that recall is to be measured with, [m, d]."""
        if isinstance(queries, list):
            encoder = self._encoder_of(facts["encoder"], _arrays(data))
            if encoder is None:
                raise ComponentError(f"{self.path} has no encoder for texts: give queries as vectors.")
            return encoder.encode_queries(queries)
        vectors: npt.NDArray[np.float32] = queries
        if vectors.shape[1] != dimensions:
            raise ComponentError(
                f"The vectors in queries have {vectors.shape[1]} numbers, those of the documents {dimensions}."
            )
        return vectors

    def _encoder_of(self, made_by: Mapping[str, Any] | None, arrays: Mapping[str, npt.NDArray[Any]]) -> Encoder | None:
        """Return the encoder for queries of an index that was `made_by` one, and holds `arrays`."""
        if made_by is None and self._asked is None:
            return None
        encoder = self._asked
        if encoder is None and made_by is not None:
            encoder = get_encoder(made_by["name"], parameters=made_by["parameters"])
        assert encoder is not None
        if made_by is None or made_by["fingerprint"] != encoder.fingerprint:
            origin = "no encoder" if made_by is None else f"{made_by['name']} ({made_by['fingerprint'][:8]})"
            raise ArtifactError(
                f"{self.path} was built with {origin}, not with {encoder.name} ({encoder.fingerprint[:8]}): "
                f"{rebuild_hint(self.directory)}"
            )
        if not isinstance(encoder, TrainableEncoder):
            return encoder
        return encoder.restore({name: array for name, array in arrays.items() if name.startswith("encoder.")})


def _checked(approximate: str | Approximate | None, queries: RecallQueries | None) -> tuple[Any, Any]:
    """Return what is asked for, before anything takes time."""
    if approximate is None:
        if queries is not None:
            raise ComponentError("queries measures the recall of an approximate search: name one by approximate=….")
        return None, None
    search, asked = read_approximate(approximate), checked_queries(queries)
    require_faiss()
    return search, asked


def _arrays(data: Path) -> dict[str, npt.NDArray[Any]]:
    return {file.name.removesuffix(".npy"): load_array(file) for file in data.glob("*.npy")}


def fit_vectors(encoder: TrainableEncoder, postings: SparseIndex, data: Path, precision: Precision) -> _Facts:
    """Fit an encoder; write what it learnt, the vectors and the docnos into `data`; return the facts about them."""
    fitted, vectors = encoder.fit(postings)
    fitted.save(data)
    return write_vectors(data, [(postings.docnos.tolist(), np.asarray(vectors))], precision)
