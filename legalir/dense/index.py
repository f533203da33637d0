"""Dense retrieval: an index of vectors, how it is built, and the transformers that search it.

Files of a build: ``vectors.npy``, float16 or float32 [n, d], rows of length 1; the docnos (see
:mod:`legalir.storage.strings`); the arrays of a fitted encoder, under names that begin with ``encoder.``; and the
approximate search, under names that begin with ``approximate.`` (see :mod:`legalir.dense.approximate`).
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge

from legalir.analysis.ngrams import readable
from legalir.collections import Collection, directory_name, earlier_builds
from legalir.dense.approximate import (
    Approximate,
    Neighbours,
    RecallQueries,
    approximate_cosines,
    build_neighbours,
    check_recall_queries,
    measure_recall,
    read_approximate,
    require_faiss,
)
from legalir.dense.contract import AnyEncoder, CountedEncoder, Encoder, TermEncoder, TrainableEncoder
from legalir.dense.cosine import best_cosines, pair_cosines
from legalir.dense.encoders import get_encoder
from legalir.dense.lsa import LSA, lsa_encoder
from legalir.dense.static import static_encoder
from legalir.dense.vectors import (
    KIND,
    VERSION,
    Precision,
    SimFn,
    foreign_vectors,
    read_flex,
    vector_settings,
    write_encoded_vectors,
    write_vectors,
)
from legalir.errors import ArtifactError, ComponentError
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.columns import QUERY_PARTS, check_queries, drop_results, require_texts
from legalir.frames.component import Component
from legalir.frames.ranking import RankedLists, hit_lists
from legalir.frames.retriever import Retriever
from legalir.frames.scorer import PairScorer
from legalir.frames.where import masks
from legalir.lexical.sparse import SparseIndex
from legalir.plugins import parameters_of
from legalir.progress import progress
from legalir.storage.arrays import load_array, unit_rows
from legalir.storage.artifact import IndexArtifact, building, rebuild_hint
from legalir.storage.documents import INDEXED_TEXT, counted, docno_of, document_batches
from legalir.storage.files import cache_lock, link_or_copy
from legalir.storage.shards import shards_beside
from legalir.storage.strings import Docnos
from legalir.storage.validity import dated

_Arrays = Mapping[str, npt.NDArray[Any]]

_QUESTIONS = 200
"""Largest number of questions by which the recall of an approximate search of a collection is measured."""


class DenseIndex(IndexArtifact):
    """A dense index of a collection, which makes its retrievers.

    ::

        index = legalir.DenseIndex("my.index", encoder="lsa").index(docs)
        index.retriever().search("무창층의 기준은?")

    Each query is compared with all documents, unless the index was built with ``approximate="int8"``, ``"hnsw"`` or
    ``"ivf"``, also with parameters, as in ``"hnsw(m=32, ef_construction=200, ef=256)"``: then FAISS finds candidates,
    whose scores are as exact. The share of the best documents that it finds is measured when it is built:
    ``index.recall``.

    Args:
        path: directory of the artifact.
        encoder: a name or an encoder; None searches with the encoder of the index at `path`, and builds with ``lsa``.

    Raises:
        ComponentError: there is no such encoder.
    """

    kind, version = KIND, VERSION

    def __init__(self, path: str | PathLike[str], encoder: str | AnyEncoder | None = None) -> None:
        super().__init__(str(path))
        self._given_encoder = None if encoder is None else get_encoder(encoder)

    @classmethod
    def of(cls, collection: Collection, encoder: str | AnyEncoder = "lsa", *, approximate: str | None = None) -> Self:
        """Return the index of a collection, built on first use; a text in another index of the cache is not
        encoded again.

        Args:
            collection: the collection.
            encoder: a name, a model, or an encoder.
            approximate: a search by FAISS, ``int8``, ``hnsw`` or ``ivf``, also with parameters; its recall is measured
                with the questions of the collection for which it is built, where that has any. None compares all
                vectors.

        Raises:
            ArtifactError: the index cannot be written.
            ComponentError: there is no such encoder, or no such search.
            MissingExtra: FAISS is needed, and not installed.
        """
        exact = cls.at(collection, encoder)
        chosen = exact._building_encoder()
        corpus = collection.fingerprint()

        def build(index: Self) -> None:
            if isinstance(chosen, TrainableEncoder):
                # The texts were analysed once, for the sparse index.
                postings = SparseIndex.of(collection, chosen.analyzer)
                with progress(f"Fitting {chosen.name} on {collection.id}", None):
                    index.index_postings(postings, corpus=corpus)
                return
            with progress(f"Encoding {collection.id} ({chosen.name})", len(collection.source.store)) as advance:
                index.index(
                    (provision._asdict() for provision in collection.docs()),
                    corpus=corpus,
                    reuse=earlier_builds(index.directory),
                    advance=advance,
                    executor=collection.executor,
                )

        exact = collection.cached(exact, build)
        if approximate is None:
            return exact
        search = read_approximate(approximate)

        def build_search(index: Self) -> None:
            rows = collection.source.queries() if collection.source.has_topics() else ()
            questions = [str(row["query"]) for row in itertools.islice(rows, _QUESTIONS)]
            with progress(f"Building {search} for {collection.id}", None):
                exact.approximated(search, index.directory, queries=questions or None)

        name = f"{exact.directory.name}-{search.name}-{search.fingerprint[:8]}"
        return collection.cached(cls(exact.directory.with_name(name), chosen), build_search)

    @classmethod
    def at(cls, collection: Collection, encoder: str | AnyEncoder = "lsa") -> Self:
        """Return the exact index of a collection, which need not be built; arguments and errors as for :meth:`of`."""
        chosen = get_encoder(encoder, collection)
        return cls(collection.cache / f"dense-{directory_name(chosen.name, chosen.fingerprint)}", chosen)

    @classmethod
    def again(cls, collection: Collection, facts: Mapping[str, Any]) -> Self:
        """Return the index of another state of a collection with the facts of this one's manifest.

        Raises:
            ComponentError: its vectors were imported, or its encoder has changed.
        """
        made_by, search = facts["encoder"], facts["approximate"]
        if made_by is None:
            raise ComponentError("its vectors were given: build it again from vectors of the new provisions.")
        encoder = get_encoder(made_by["name"], collection, made_by["parameters"])
        if encoder.fingerprint != made_by["fingerprint"]:
            raise ComponentError(f"the encoder {encoder.name} is another one now.")
        return cls.of(collection, encoder, approximate=None if search is None else search["search"])

    def _identity(self) -> tuple[object, ...]:
        return *super()._identity(), None if self._given_encoder is None else self._given_encoder.fingerprint

    def _shown(self) -> str:
        return "" if self._given_encoder is None else f", encoder={self._given_encoder.name!r}"

    @property
    def vectors(self) -> npt.NDArray[np.floating]:
        """Vector of each document, float16 or float32 [n, d], rows of length 1, or 0 for a text without content."""
        return self.arrays["vectors"]

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])

    @cached_property
    def encoder(self) -> Encoder | None:
        """The encoder for queries; None for vectors that were imported without one.

        Raises:
            ArtifactError: the index was made by another encoder, or by another version of it.
        """
        return self._query_encoder(self.manifest.facts["encoder"], self.arrays)

    @property
    def approximate(self) -> str | None:
        """The approximate search of the index, as ``ivf(lists=1000, probes=63)``; None for an exact one."""
        facts = self.manifest.facts.get("approximate")
        return None if facts is None else str(facts["search"])

    @property
    def recall(self) -> dict[int, float] | None:
        """Share of the best documents that the approximate search finds: at 10, 100, 1 000; None for an exact one."""
        facts = self.manifest.facts.get("approximate")
        return None if facts is None else {int(k): float(share) for k, share in facts["recall"].items()}

    @cached_property
    def neighbours(self) -> Neighbours:
        """The approximate search, open.

        Raises:
            ArtifactError: the index has no approximate search, or this FAISS cannot read it.
            MissingExtra: FAISS is not installed.
        """
        if self.approximate is None:
            raise ArtifactError(f"{self.path} has no approximate search: build one with approximated(…).")
        return Neighbours(self.directory, self.arrays, read_approximate(self.approximate))

    def retriever(self, num_results: int = 1000, *, exact: bool = False) -> DenseRetriever:
        """Return the retriever of the greatest cosines; with `exact`, it never searches approximately."""
        return DenseRetriever(self, num_results=num_results, exact=exact)

    def scorer(self) -> DenseScorer:
        """Return the transformer that scores given documents by their cosines."""
        return DenseScorer(self)

    def query_encoder(self) -> QueryEncoder:
        """Return the transformer that adds ``query_vec`` to queries."""
        return QueryEncoder(self)

    def query_vectors(self, queries: pd.DataFrame, component: str) -> npt.NDArray[np.float32]:
        """Return the vectors of queries, [m, d], rows of length 1; zeros for a query without content.

        Args:
            queries: one row per query, with ``query_vec``, or ``query`` and perhaps ``query_parts``: then the mean of
                the vectors of these texts is the query's.
            component: name of the component, for messages.

        Raises:
            ComponentError: a vector does not fit the index, a query is not a string, or there is no encoder for it.
        """
        if "query_vec" in queries.columns:
            rows = [self._check_vector(row.qid, row.query_vec, component) for row in queries.itertuples()]
            return unit_rows(np.stack(rows))
        encoder = self.encoder
        if encoder is None:
            raise ComponentError(
                f"{component}: {self.path} was imported without an encoder, so queries need a column query_vec: "
                f"add one, or import the vectors with from_vectors(…, encoder=…)."
            )
        require_texts(queries, component)
        if QUERY_PARTS in queries.columns:
            vectors = _mean_vectors(encoder, queries[QUERY_PARTS].tolist())
        else:
            vectors = encoder.encode_queries(queries["query"].tolist())
        if vectors.shape != (len(queries), self.dimensions):
            raise ComponentError(
                f"{component}: the encoder {encoder.name!r} made vectors of shape {list(vectors.shape)}, and "
                f"{self.path} needs {[len(queries), self.dimensions]}: use the encoder that made the index."
            )
        return vectors

    def _check_vector(self, qid: object, vector: object, component: str) -> npt.NDArray[np.float64]:
        try:
            numbers = np.asarray(vector, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.zeros(())
        if numbers.shape != (self.dimensions,):
            raise ComponentError(
                f"{component}: the query_vec of {qid!r} has shape {list(numbers.shape)}, and {self.path} has vectors "
                f"of {self.dimensions} numbers: drop the column query_vec, or make it with this index's "
                f"query_encoder()."
            )
        if not np.isfinite(numbers).all():
            raise ComponentError(f"{component}: the query_vec of {qid!r} holds a NaN or an infinity.")
        return numbers

    def get_corpus_iter(self) -> Iterator[dict[str, Any]]:
        """Yield ``docno`` and ``doc_vec``, float32 [d], of each document: the input of ``FlexIndex.index``."""
        for docno, vector in zip(self.docnos, self.vectors, strict=True):
            yield {"docno": docno, "doc_vec": np.asarray(vector, dtype=np.float32)}

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

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
        executor: Executor | None = None,
    ) -> Self:
        """Build the index; an existing index at the path is replaced only when the new one is complete.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            precision: ``float32``, or ``float16`` for half the size.
            corpus: fingerprint of the collection, stored in the manifest.
            approximate: a search as in :meth:`approximated`; None for an exact one.
            queries: as in :meth:`approximated`.
            reuse: paths of indexes whose vectors are reused, as are the vectors of the index at the path, and of
                interrupted work on it; by an encoder that is a :class:`~legalir.dense.contract.CountedEncoder`.
            advance: called with the number of further documents that are done.
            executor: its workers encode, if the encoder supports it, or count terms, if the encoder learns from them;
                None: this process does.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a text is not a string.
            MissingExtra: FAISS is needed, and not installed.
        """
        encoder = self._building_encoder()
        build = self._building(encoder, INDEXED_TEXT, corpus, approximate, queries)
        if isinstance(encoder, CountedEncoder):
            settings = vector_settings(encoder.fingerprint, precision)
            earlier = [self.directory, *map(Path, reuse)]
            with shards_beside(self.directory, settings) as shards, build as (data, facts):
                options: dict[str, Any] = {
                    "precision": precision,
                    "earlier": earlier,
                    "advance": advance,
                    "executor": executor,
                }
                facts.update(write_encoded_vectors(data, iter, encoder.encode_counted, shards, **options))
            return self
        iter = counted(iter, advance)
        with build as (data, facts):
            if isinstance(encoder, TrainableEncoder):
                with tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill:
                    postings = SparseIndex(Path(spill) / "postings", encoder.analyzer).index(iter, executor=executor)
                    facts.update(_fit(encoder, postings, data, precision))
            else:
                batches = ((docnos, encoder.encode(texts)) for docnos, texts in document_batches(dated(iter, data)))
                facts.update(write_vectors(data, batches, precision))
        return self

    def index_postings(self, postings: SparseIndex, *, precision: Precision = "float32", corpus: str = "") -> Self:
        """Build the index from a sparse index of the same documents, for an encoder that is fitted on terms.

        Args:
            postings: under the analyzer of the encoder.
            precision: ``float32``, or ``float16`` for half the size.
            corpus: fingerprint of the collection, stored in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or the postings have other terms.
            ComponentError: the encoder needs texts.
        """
        encoder = self._building_encoder()
        if not isinstance(encoder, TrainableEncoder):
            raise ComponentError(f"The encoder {encoder.name!r} needs texts: build its index with index(docs).")
        with self._building(encoder, INDEXED_TEXT, corpus) as (data, facts):
            facts.update(_fit(encoder, postings, data, precision))
        return self

    @classmethod
    def from_vectors(
        cls,
        path: str | PathLike[str],
        vectors: npt.NDArray[Any] | str | PathLike[str],
        docnos: Iterable[str | Mapping[str, Any]],
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
            docnos: the docno of each, or the document: with ``docno`` or ``doc_id``, and of a version ``text``, which
                is empty for a repeal, ``effective_from`` and ``effective_to``. A docno alone gives only the first day
                of a version: it applies until the next version begins, and a repeal is not recognised.
            encoder: makes the vectors of queries; without one, queries need a column ``query_vec``.
            precision: ``float32``, or ``float16`` for half the size.
            corpus: fingerprint of the collection, stored in the manifest.
            approximate: a search as in :meth:`approximated`; None for an exact one.
            queries: as in :meth:`approximated`.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: the vectors cannot be used, a docno occurs twice, or the encoder needs to be fitted.
            MissingExtra: FAISS is needed, and not installed.
        """
        index = cls(path, encoder)
        given = index._given_encoder
        if isinstance(given, TrainableEncoder):
            raise ComponentError(
                f"The encoder {given.name!r} is fitted on texts and cannot have made vectors elsewhere: "
                f"name the one that made them, or leave it out."
            )
        with index._building(given, "vectors made elsewhere", corpus, approximate, queries) as (data, facts):
            given_rows = list(docnos)
            names = [docno_of(each) if isinstance(each, Mapping) else each for each in given_rows]
            documents = (each if isinstance(each, Mapping) else {"docno": each} for each in given_rows)
            facts.update(write_vectors(data, foreign_vectors(vectors, names), precision))
            for _ in dated(documents, data):
                pass
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
            sim_fn: similarity of the FlexIndex, ``dot`` or ``cos``; None for its own, which a directory does not tell,
                and which is ``dot`` there. With ``dot``, all vectors must have the same length.
            precision: as in :meth:`from_vectors`.
            corpus: as in :meth:`from_vectors`.
            approximate: as in :meth:`approximated`.
            queries: as in :meth:`approximated`.

        Raises:
            ArtifactError: the files cannot be read or written, or something else is at the path.
            ComponentError: inner products would not order documents as cosines do; or as in :meth:`from_vectors`.
            MissingExtra: npids is not installed, or FAISS, if it is needed.
        """
        own: Any = getattr(getattr(flex, "sim_fn", None), "value", "dot")
        source = str(flex.path) if isinstance(flex, pt.Artifact) else flex
        vectors, docnos = read_flex(Path(source), own if sim_fn is None else sim_fn)
        options: dict[str, Any] = {"approximate": approximate, "queries": queries}
        return cls.from_vectors(path, vectors, docnos, encoder, precision=precision, corpus=corpus, **options)

    def approximated(
        self,
        approximate: str | Approximate = "hnsw",
        path: str | PathLike[str] | None = None,
        *,
        queries: RecallQueries | None = None,
    ) -> Self:
        """Build approximate search for the vectors of this index, whose files are used as they are.

        The recall against exact search, at 10, 100 and 1 000 results, is measured, logged and stored: :attr:`recall`.

        Args:
            approximate: ``int8``, ``hnsw`` or ``ivf``, also with parameters
                (:class:`~legalir.dense.approximate.Approximate`).
            path: directory of another index, which is built; None replaces this one.
            queries: queries to measure recall with: texts, or vectors [m, d]; None for the vectors of up to 200
                documents, each of which must find all other equal documents.

        Returns:
            The index that now has it.

        Raises:
            ArtifactError: the files cannot be read or written, or something else is at the path.
            ComponentError: there is no such search or parameter, or `queries` cannot be used.
            MissingExtra: FAISS is not installed.
        """
        index = self if path is None else type(self)(path, self._given_encoder)
        search, given = _check_search(approximate, queries)
        same = self.directory.resolve() == index.directory.resolve()
        with nullcontext() if same else cache_lock(self.directory):  # so that nobody removes the files meanwhile
            if not self.built():
                raise ArtifactError(f"There is no index at {self.path}: build it first.")
            with building(index.directory, self.kind, self.version) as (data, facts):
                self.forget()
                manifest = self.manifest
                for name in manifest.files:
                    if not name.startswith("approximate."):
                        link_or_copy(self.directory / manifest.data / name, data / name)
                facts.update(manifest.facts)
                facts["approximate"] = index._build_search(data, facts, search, given)
        index.forget()
        return index

    def _building_encoder(self) -> AnyEncoder:
        return get_encoder("lsa") if self._given_encoder is None else self._given_encoder

    @contextmanager
    def _building(
        self,
        encoder: AnyEncoder | None,
        indexed: str,
        corpus: str,
        approximate: str | Approximate | None = None,
        queries: RecallQueries | None = None,
    ) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield a directory to write vectors and docnos into, and facts to fill; then add the rest of the index.

        Raises:
            ArtifactError: as :func:`~legalir.storage.artifact.building`.
            ComponentError: `approximate` or `queries` mean nothing.
            MissingExtra: FAISS is needed, and not installed.
        """
        search, given = (None, None) if approximate is None else _check_search(approximate, queries)
        if approximate is None and queries is not None:
            raise ComponentError("queries measures the recall of an approximate search: name one by approximate=….")
        with building(self.directory, self.kind, self.version) as (data, facts):
            facts["encoder"] = None
            if encoder is not None:
                parameters = dict(encoder.parameters) if isinstance(encoder, TrainableEncoder) else {}
                origin = {"name": encoder.name, "fingerprint": encoder.fingerprint, "parameters": parameters}
                facts["encoder"] = origin
            facts.update(indexed=indexed, corpus=corpus, approximate=None)
            yield data, facts
            if search is not None:
                facts["approximate"] = self._build_search(data, facts, search, given)
        self.forget()

    def _build_search(
        self,
        data: Path,
        facts: Mapping[str, Any],
        search: Approximate,
        queries: list[str] | npt.NDArray[np.float32] | None,
    ) -> dict[str, Any]:
        """Build an approximate search over the vectors in `data`, measure its recall; return the facts about it."""
        vectors, order = load_array(data / "vectors.npy"), load_array(data / "order.npy")
        if isinstance(queries, list):
            encoder = self._query_encoder(facts["encoder"], _arrays(data))
            if encoder is None:
                raise ComponentError(f"{self.path} has no encoder for texts: give queries as vectors.")
            queries = encoder.encode_queries(queries)
        elif queries is not None and queries.shape[1] != vectors.shape[1]:
            raise ComponentError(
                f"The vectors in queries have {queries.shape[1]} numbers, those of the documents {vectors.shape[1]}."
            )
        built = build_neighbours(data, search)
        neighbours = Neighbours(self.directory, _arrays(data), read_approximate(built["search"]))
        return {**built, **measure_recall(self.directory, neighbours, vectors, order, queries)}

    def _query_encoder(self, origin: Mapping[str, Any] | None, arrays: _Arrays) -> Encoder | None:
        """Return the encoder for queries of an index with `arrays`, whose manifest has `origin` as its encoder."""
        encoder = self._given_encoder
        if encoder is None:
            if origin is None:
                return None
            encoder = get_encoder(origin["name"], parameters=origin["parameters"])
        if origin is None or origin["fingerprint"] != encoder.fingerprint:
            maker = "no encoder" if origin is None else f"{origin['name']} ({origin['fingerprint'][:8]})"
            raise ArtifactError(
                f"{self.path} was built with {maker}, not with {encoder.name} ({encoder.fingerprint[:8]}): "
                f"{rebuild_hint(self.directory)}"
            )
        if not isinstance(encoder, TrainableEncoder):
            return encoder
        return encoder.restore({name: array for name, array in arrays.items() if name.startswith("encoder.")})


def _check_search(
    approximate: str | Approximate, queries: RecallQueries | None
) -> tuple[Approximate, list[str] | npt.NDArray[np.float32] | None]:
    """Return the search and the queries for its recall, checked before anything takes time."""
    search, given = read_approximate(approximate), check_recall_queries(queries)
    require_faiss()
    return search, given


def _arrays(data: Path) -> dict[str, npt.NDArray[Any]]:
    return {file.name.removesuffix(".npy"): load_array(file) for file in data.glob("*.npy")}


def _fit(encoder: TrainableEncoder, postings: SparseIndex, data: Path, precision: Precision) -> dict[str, Any]:
    """Fit an encoder; write its arrays, the vectors and the docnos into `data`; return the facts about them."""
    fitted, vectors = encoder.fit(postings)
    fitted.save(data)
    if postings.validity is not None:
        postings.validity.write(data)
    return write_vectors(data, [(postings.docnos.tolist(), np.asarray(vectors))], precision)


def _mean_vectors(encoder: Encoder, parts: Sequence[tuple[tuple[str, str], ...]]) -> npt.NDArray[np.float32]:
    """Return the mean vector of the parts of each query, scaled to length 1; [m, d].

    Args:
        encoder: encodes the parts.
        parts: kind (``document`` or ``query``) and text of each part of each query; [m].
    """
    row = np.repeat(np.arange(len(parts)), [len(one) for one in parts])
    kinds = np.array([kind for one in parts for kind, _ in one])
    texts = [text for one in parts for _, text in one]
    sums: npt.NDArray[np.float64] | None = None
    for kind, encode in (("document", encoder.encode), ("query", encoder.encode_queries)):
        chosen = np.flatnonzero(kinds == kind)
        if len(chosen):
            vectors = encode([texts[place] for place in chosen])
            sums = np.zeros((len(parts), vectors.shape[1])) if sums is None else sums
            np.add.at(sums, row[chosen], vectors)
    assert sums is not None  # Each query has a part.
    return unit_rows(sums)


class DenseRetriever(Retriever):
    """Finds the documents whose vectors have the greatest cosine with the query vector [vector-space].

    All documents are compared, unless the index has an approximate search (see :class:`~legalir.DenseIndex`), which
    finds most of the best, and may find less than `num_results`; its results have the same scores,
    and ties are broken alike.

    Columns in: ``qid`` and ``query_vec``, numbers [d] of any length but 0, or else ``query``, which is encoded. Columns
    out: the query columns, then ``docno, score, rank``. Scores are cosines, from −1 to 1. A query whose vector is zeros
    returns no rows. Given results, it scores their documents; a query or document whose vector is zeros gives 0.
    """

    name = "dense"

    index: Annotated[DenseIndex, "the dense index"]
    num_results: Annotated[int, Ge(1), "results per query"] = 1000
    exact: Annotated[bool, "compare all documents, even if the index has an approximate search"] = False
    depth: Annotated[
        int | None,
        Ge(1),
        "number of results that an approximate search finds candidates for; None for `num_results`. A rank "
        "cutoff that becomes part of the retriever does not change it, and so does not change the results",
    ] = None

    def _shown(self) -> dict[str, Any]:
        return {name: value for name, value in super()._shown().items() if value is not None and value is not False}

    def _approximates(self) -> bool:
        return not self.exact and self.index.approximate is not None

    def fuse_rank_cutoff(self, k: int) -> Self | None:
        """Return the retriever that keeps the best `k` itself, of the same candidates; None for none."""
        fused = super().fuse_rank_cutoff(k)
        if fused is not None and fused is not self and self.index.built() and self._approximates():
            return fused._cut(depth=self.depth or self.num_results)
        return fused

    @property
    def label(self) -> str:
        """The encoder's name, which is also the retriever's name in an expression."""
        encoder = self.index.encoder
        return "dense" if encoder is None else encoder.name

    def scorer(self) -> DenseScorer:
        """Return a transformer that scores given documents like this retriever."""
        return DenseScorer(self.index)

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of the questions."""
        check_queries(inp)

    def ranked(self, queries: pd.DataFrame) -> RankedLists:
        """Return the best documents of each query.

        Raises:
            ComponentError: a query is not a string, or its vector does not fit the index.
        """
        index = self.index
        vectors = index.query_vectors(queries, type(self).__name__)
        k, depth = self.num_results, max(self.num_results, self.depth or 0)
        given = index.vectors, index.docno_table.order, vectors, k
        in_force = masks(queries, index)
        if self._approximates() and depth < len(index):
            hits = list(approximate_cosines(index.neighbours, *given, depth, in_force))
        else:
            hits = list(best_cosines(*given, in_force))
        return hit_lists(queries, hits, index.docno_table)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the share of each term of the query in the cosines of `docnos`, if the encoder knows it."""
        results = set(self.transform(inp)["docno"])
        return self.explain_cosines(drop_results(inp), [docno for docno in docnos if docno in results])

    def explain_cosines(self, query: pd.DataFrame, docnos: Sequence[str]) -> dict[str, Explanation]:
        """Return the share of each term of a query in its cosines with `docnos`, whether they are results or not.

        Args:
            query: one row.
            docnos: documents of the index.
        """
        index = self.index
        numbers = index.docno_table.numbers(docnos)
        vector = index.query_vectors(query, type(self).__name__)
        scores = pair_cosines(index.vectors, numbers, vector, np.zeros(len(numbers), dtype=np.int64))
        encoder = None if {"query_vec", QUERY_PARTS} & set(query.columns) else index.encoder
        explanations = {}
        for docno, number, score in zip(docnos, numbers, scores.tolist(), strict=True):
            if isinstance(encoder, TermEncoder):
                row = index.vectors[number].astype(np.float32)
                shares = encoder.contributions(query["query"].iloc[0], row)
                ordered = sorted(shares.items(), key=lambda item: (-item[1], item[0]))
                parts = tuple(Part(readable(term), value, detail={"term": term}) for term, value in ordered)
            else:
                parts = (Part("cosine of the query's vector with the provision's", score),)
            explanations[docno] = Explanation(docno, score, self.label, parts, "cosine of vectors")
        return explanations


class DenseScorer(PairScorer):
    """Scores given documents by the cosine of their vectors with the query vector.

    Columns in: ``qid, docno`` and ``query_vec`` or ``query``, as :class:`DenseRetriever` uses them. Columns out: the
    same, ``score`` and ``rank``. A query whose vector is zeros gives all documents 0.
    """

    index: Annotated[DenseIndex, "the dense index"]

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of a frame."""
        check_queries(inp, "docno")

    def docno_table(self) -> Docnos:
        """Return the docnos of the index."""
        return self.index.docno_table

    def pair_scores(
        self, queries: pd.DataFrame, query: npt.NDArray[np.int64], documents: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.floating]:
        """Return the cosine of each pair."""
        vectors = self.index.query_vectors(queries, type(self).__name__)
        return pair_cosines(self.index.vectors, documents, vectors, query)


class QueryEncoder(Component):
    """Adds ``query_vec``, the vector of each query, float32 [d], for retrievers of ours and of other packages.

    Columns in: ``qid, query`` and any others. Columns out: the same and ``query_vec``.
    """

    index: Annotated[DenseIndex, "the dense index whose encoder is used"]

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        return inp.assign(query_vec=pd.Series(dtype=object))

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of `inp` with vectors.

        Raises:
            ComponentError: a query is not a string, or the index has no encoder.
        """
        pt.validate.columns(inp, includes=["qid", "query"])
        first, place = np.unique(pd.factorize(inp["query"])[0], return_index=True, return_inverse=True)[1:]
        texts = inp.iloc[first].drop(columns="query_vec", errors="ignore")
        vectors = self.index.query_vectors(texts, type(self).__name__)
        return inp.assign(query_vec=pd.Series([vectors[i] for i in place], index=inp.index, dtype=object))


@parameters_of(DenseRetriever, without=["index", "exact", "depth"])
def dense(
    collection: Collection,
    *,
    encoder: str = "lsa",
    approximate: str | None = None,
    preset: str | None = None,
    **params: Any,
) -> DenseRetriever:
    """Cosine of the vectors of `encoder`: ``dense(encoder="lsa", num_results=100)``.

    Args:
        encoder: the vectors: ``lsa``, or any encoder of a plugin, also with parameters, as in ``"lsa(dimensions=64)"``.
        approximate: finds most of the best by FAISS, in a fraction of the time: ``int8``, ``hnsw`` or ``ivf``, also
            with parameters, as in ``"hnsw(m=32, ef_construction=200, ef=256)"``; None compares all.
        preset: name of the model whose preset applies, if `encoder` is the folder of a model, as in
            ``dense("models/qwen3", preset="Qwen/Qwen3-Embedding-0.6B")``.
    """
    chosen = encoder if preset is None else get_encoder(encoder, collection, {"preset": preset})
    return DenseRetriever(DenseIndex.of(collection, chosen, approximate=approximate), **params)


@parameters_of(LSA, DenseRetriever, without=["index", "exact", "depth"])
def lsa(collection: Collection, **params: Any) -> DenseRetriever:
    """Cosine of LSA vectors over the terms of `analyzer`: ``lsa(analyzer="char2", dimensions=512)``."""
    encoder = lsa_encoder(
        collection, **{name: params.pop(name) for name in ("analyzer", "dimensions") if name in params}
    )
    return DenseRetriever(DenseIndex.of(collection, encoder), **params)


@parameters_of(DenseRetriever, without=["index", "exact", "depth"])
def static(collection: Collection, *, model: str | None = None, **params: Any) -> DenseRetriever:
    """Cosine of the vectors of a trained static model: ``static(model="FOLDER", num_results=100)``.

    Args:
        model: folder of a model that ``legalir train static`` wrote, or of a ``StaticEmbedding`` of
            sentence-transformers; the name of a model in the collection's folder ``static``; None for the collection's
            own.
    """
    return DenseRetriever(DenseIndex.of(collection, static_encoder(collection, model=model)), **params)
