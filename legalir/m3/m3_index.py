"""Index of BGE-M3's three heads [bge-m3]: an artifact of memory-mapped arrays, how it is built, and its retrievers.

n documents, d dimensions of the dense head, V token ids, z postings, t multi-vectors of d2 dimensions. Files of a
build::

    dense                       float16 or float32 [n, d]           rows of length 1
    sparse.bounds               int64 [n + 1]                       tokens of each document
    sparse.tokens               int32 [z]                           ascending within a document
    sparse.weights              float32 [z]                         above 0
    token.bounds                int64 [V + 1]                       the same by token id
    token.documents             int32 [z]                           ascending within a token id
    token.weights               float32 [z]
    multi.bounds                int64 [n + 1]                       vectors of each document; only on request
    multi.vectors               float16, float32 or int8 [t, d2]    rows of length 1
    multi.scales                float32 [t]                         for int8, see legalir.m3.maxsim
    truncated                   bool [n]                            whether the text was longer than the encoder reads
    digests                     uint8 [n, 16]                       digest of the indexed text

and the docnos (see :mod:`legalir.storage.strings`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Self, get_args

import numpy as np
import numpy.typing as npt

from legalir.collections import Collection, earlier_builds
from legalir.declared import check_choice
from legalir.dense.vectors import Precision
from legalir.errors import ArtifactError, ComponentError
from legalir.m3.head_retrievers import Grouped, M3HeadRetriever, M3Retriever, M3Scorer, check_candidates
from legalir.m3.heads import WEIGHTS, Head, Representations, check_weights
from legalir.m3.m3_encoder import M3Encoder
from legalir.m3.maxsim import Multi, MultiVectors, quantize
from legalir.models.loading import DTYPES, load_tokenizer, shared
from legalir.plugins import parameters_of
from legalir.progress import progress
from legalir.storage.arrays import ArrayFile, create_array, save_array
from legalir.storage.artifact import IndexArtifact, building, read_manifest, rebuild_hint
from legalir.storage.documents import INDEXED_TEXT
from legalir.storage.shards import Advance, Encoding, Rows, earlier_rows, shards_beside, write_encoded


class M3Index(IndexArtifact):
    """Index of BGE-M3's dense, sparse and multi-vector heads, and source of the retrievers over it.

    ::

        index = legalir.M3Index("my.index", encoder="BAAI/bge-m3").index(docs, multi="float16")
        index.retriever(weights={"dense": 0.4, "sparse": 0.2, "multi": 0.4}).search("무창층의 기준은?")

    Args:
        path: directory of the artifact.
        encoder: an encoder, or the folder or hub name of its model; None for the encoder that built the index.
    """

    kind, version = "m3_index", 1

    def __init__(self, path: str | PathLike[str], encoder: str | PathLike[str] | M3Encoder | None = None) -> None:
        super().__init__(str(path))
        self._given = M3Encoder(encoder) if isinstance(encoder, str | PathLike) else encoder

    @classmethod
    def of(cls, collection: Collection, encoder: str | M3Encoder, multi: Multi | None = None) -> Self:
        """Return the index of a collection, built on first use; a text that another index of the cache has is not
        encoded again.

        Args:
            collection: the collection.
            encoder: an encoder, or the folder or hub name of its model.
            multi: type of the stored multi-vectors, ``float16``, ``float32`` or ``int8``; None where they are not
                needed, which an index with multi-vectors satisfies, too.

        Raises:
            ArtifactError: the index cannot be written.
            ModelError: the model cannot be found, read, or computed with.
        """
        chosen = M3Encoder(encoder) if isinstance(encoder, str) else encoder

        def build(index: Self) -> None:
            with progress(f"Encoding {collection.id} ({chosen.model})", len(collection.source.store)) as advance:
                index.index(
                    (provision._asdict() for provision in collection.docs()),
                    multi=multi,
                    corpus=collection.fingerprint(),
                    reuse=earlier_builds(index.directory),
                    advance=advance,
                    executor=collection.executor,
                )

        name = f"m3-{Path(chosen.model).name[:32]}-{chosen.fingerprint[:8]}"
        kinds = (*get_args(Multi), "none") if multi is None else (multi,)
        indexes = [cls(collection.cache / f"{name}-{kind}", chosen) for kind in kinds]
        return collection.cached(next((one for one in indexes if one.built()), indexes[-1]), build)

    @classmethod
    def again(cls, collection: Collection, facts: Mapping[str, Any]) -> Self:
        """Return the index of another state of a collection with the facts of this one's manifest.

        Raises:
            ComponentError: its encoder is another one now.
        """
        made_by = facts["encoder"]
        encoder = M3Encoder(made_by["model"], max_length=made_by["max_length"])
        if encoder.fingerprint != made_by["fingerprint"]:
            raise ComponentError(f"the encoder {made_by['name']} is another one now.")
        return cls.of(collection, encoder, facts["multi"])

    def _identity(self) -> tuple[object, ...]:
        return *super()._identity(), self._given

    def _shown(self) -> str:
        return "" if self._given is None else f", encoder={self._given!r}"

    @property
    def dense(self) -> npt.NDArray[np.floating[Any]]:
        """Dense vector of each document, float16 or float32 [n, d], rows of length 1."""
        return self.arrays["dense"]

    @property
    def sparse(self) -> Grouped:
        """Token weights of each document."""
        return Grouped(*(self.arrays[f"sparse.{name}"] for name in ("bounds", "tokens", "weights")))

    @property
    def postings(self) -> Grouped:
        """Documents of each token id, and the weight of the token in each."""
        return Grouped(*(self.arrays[f"token.{name}"] for name in ("bounds", "documents", "weights")))

    @property
    def multi(self) -> MultiVectors | None:
        """Vectors of the tokens of each document; None if the index was built without them."""
        if self.multi_kind is None:
            return None
        scales = self.arrays.get("multi.scales")
        return MultiVectors(self.arrays["multi.bounds"], self.arrays["multi.vectors"], scales)

    @property
    def multi_kind(self) -> Multi | None:
        """Type of the stored multi-vectors, ``float16``, ``float32`` or ``int8``; None for an index without them."""
        kind: Multi | None = self.manifest.facts["multi"]
        return kind

    @property
    def heads(self) -> tuple[str, ...]:
        """Heads in the index: ``dense``, ``sparse`` and, if requested, ``multi``."""
        return tuple(self.manifest.facts["heads"])

    @property
    def vocabulary(self) -> int:
        """Number of token ids of the encoder, V."""
        return len(self.arrays["token.bounds"]) - 1

    @property
    def dimensions(self) -> int:
        """Length of a dense vector, d."""
        return int(self.dense.shape[1])

    @property
    def truncated(self) -> int:
        """Number of documents whose text was longer than the encoder reads."""
        return int(self.manifest.facts["truncated"])

    @property
    def digests(self) -> npt.NDArray[np.uint8]:
        """First 16 bytes of the sha256 of the indexed text of each document, uint8 [n, 16]."""
        return self.arrays["digests"]

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self,
        iter: Iterable[Mapping[str, Any]],
        *,
        multi: Multi | None = None,
        precision: Precision = "float16",
        corpus: str = "",
        shard: int = 4096,
        reuse: Iterable[str | PathLike[str]] = (),
        advance: Callable[[int], None] = lambda done: None,
        executor: Executor | None = None,
    ) -> Self:
        """Build the index; an index at the path is replaced only when the new one is complete.

        Each text is encoded once. A text that the index at the path, an index in `reuse` or interrupted work on this
        index holds, by the same encoder and with the same `multi` and `precision`, is not encoded again. Encoded texts
        are kept next to the index until it is complete, which takes as much space again.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            multi: type of the stored multi-vectors: ``float16``, ``float32`` or ``int8``; None for no multi-vectors.
                300 tokens of 1024 dimensions take 0.6 MB in float16, and half of that in int8.
            precision: type of the stored dense vectors, ``float16`` or ``float32``.
            corpus: fingerprint of the collection, for the manifest.
            shard: number of texts that are made durable together; a shard is also closed after a minute.
            reuse: paths of other indexes whose representations may be used.
            advance: called with the number of documents completed since the last call.
            executor: its workers encode; None: this process does.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: there is no encoder, a docno is missing or occurs twice, a text is not a string, a parameter
                is out of range, or the encoder returns impossible representations.
            ModelError: the model cannot be found, read, or computed with.
        """
        encoder = self._given
        if encoder is None:
            raise ComponentError(
                f"{self.path} cannot be built without an encoder: give its model, as in "
                f'M3Index("{self.path}", encoder="BAAI/bge-m3").'
            )
        check_choice("", "precision", precision, get_args(Precision))
        if multi is not None:
            check_choice("", "multi", multi, get_args(Multi))
        stored = {"precision": precision, "multi": multi}
        settings = {"kind": self.kind, "version": self.version, "encoder": encoder.fingerprint, **stored}

        def represent(texts: list[str], advance: Advance) -> Rows:
            rows = _rows(encoder, texts, precision, multi)
            advance(len(texts))
            return rows

        encoding = Encoding(represent, texts=shard, advance=advance, executor=executor)
        with (
            shards_beside(self.directory, settings) as shards,
            building(self.directory, self.kind, self.version) as (data, facts),
            tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill,
        ):
            earlier = earlier_rows((self.directory, *map(Path, reuse)), self.kind, self.version, shards.key)
            facts.update(write_encoded(data, iter, encoding, shards, earlier))
            write_postings(data, Path(spill), encoder.vocabulary)
            truncated = ArrayFile(data / "truncated.npy")
            facts.update(
                heads=["dense", "sparse"] + (["multi"] if multi else []),
                dimensions=ArrayFile(data / "dense.npy").item[0],
                vocabulary=encoder.vocabulary,
                postings=len(ArrayFile(data / "sparse.tokens.npy")),
                vectors=len(ArrayFile(data / "multi.vectors.npy")) if multi else 0,
                truncated=int(truncated.between(0, len(truncated)).sum()),
                encoder={name: getattr(encoder, name) for name in ("name", "model", "max_length", "fingerprint")},
                **stored,
                indexed=INDEXED_TEXT,
                corpus=corpus,
            )
        self.forget()
        return self

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    @cached_property
    def encoder(self) -> M3Encoder:
        """The encoder of queries.

        Raises:
            ArtifactError: the index was built by another encoder, or by another version of it.
            ModelError: the model cannot be found.
        """
        builder = self.manifest.facts["encoder"]
        model, limit = builder["model"], builder["max_length"]
        # The type that the builder computed in shows in the fingerprint only.
        candidates = (
            [self._given]
            if self._given is not None
            else [M3Encoder(model, max_length=limit, dtype=dtype) for dtype in (None, *DTYPES)]
        )
        encoder = next((one for one in candidates if one.fingerprint == builder["fingerprint"]), candidates[0])
        if builder["fingerprint"] != encoder.fingerprint:
            raise ArtifactError(
                f"{self.path} was built with {model} ({builder['fingerprint'][:8]}), not with "
                f"{encoder.model} ({encoder.fingerprint[:8]}): {rebuild_hint(self.directory)}"
            )
        return encoder

    def represent_queries(self, texts: Sequence[str], weights: Mapping[str, float]) -> Representations:
        """Return the representations of queries, with multi-vectors if they have a weight; errors as `encoder`."""
        return self.encoder.represent_queries(texts, multi="multi" in weights)

    @cached_property
    def _tokenizer(self) -> Any:
        folder = self.encoder.folder
        return shared(("tokenizer", str(folder)), lambda: load_tokenizer(folder))

    def token_texts(self, tokens: Sequence[int]) -> list[str]:
        """Return the tokenizer's text of each token id; two ids may have the same text.

        Raises:
            ModelError: the tokenizer cannot be found or read.
        """
        return list(self._tokenizer.convert_ids_to_tokens(list(tokens)))

    def check_weights(self, component: str, weights: object) -> dict[str, float]:
        """Return the weights above 0.

        Args:
            component: name of the component that has the weights, for the error.
            weights: numbers of at least 0 by head; they need not sum to 1.

        Raises:
            ComponentError: they are not such a mapping, or the index lacks a head with a weight.
        """
        positive = check_weights(component, weights)
        # Only the manifest is read: opening the index would verify all of it.
        if "multi" in positive and self.built() and "multi" not in self._manifest_heads():
            raise ComponentError(
                f"{component}: {self.path} was built without multi-vectors: build it again with "
                f'index(docs, multi="float16"), or give only the other heads a weight, as in '
                f'weights={{"dense": 0.8, "sparse": 0.2}}.'
            )
        return positive

    def _manifest_heads(self) -> list[str]:
        heads: list[str] = read_manifest(self.directory, self.kind, self.version).facts["heads"]
        return heads

    def retriever(
        self,
        weights: Mapping[str, float] | None = None,
        k: int = 100,
        num_results: int = 1000,
        exhaustive: bool = False,
    ) -> M3Retriever:
        """Return the retriever by all heads."""
        return M3Retriever(self, weights, k=k, num_results=num_results, exhaustive=exhaustive)

    def head(self, head: Head, num_results: int = 1000) -> M3HeadRetriever:
        """Return the retriever by one head over all documents."""
        return M3HeadRetriever(self, head, num_results=num_results)

    def scorer(self, weights: Mapping[str, float] | None = None) -> M3Scorer:
        """Return the transformer that scores given documents by the heads."""
        return M3Scorer(self, weights)


def _rows(encoder: M3Encoder, texts: Sequence[str], precision: Precision, multi: Multi | None) -> Rows:
    """Encode texts and return the arrays to store, by name.

    Raises:
        ComponentError: the representations cannot belong to these texts.
    """
    output = encoder.represent(texts, multi=multi is not None)
    _check_dense(encoder, output, len(texts))
    _check_sparse(encoder, output)
    rows: dict[str, npt.NDArray[Any]] = {
        "dense": output.dense.astype(precision),
        "sparse.bounds": output.bounds,
        "sparse.tokens": output.tokens.astype(np.int32),
        "sparse.weights": output.weights.astype(np.float32),
        "truncated": output.truncated,
    }
    if multi is None:
        return rows
    vectors = output.vectors
    if vectors is None or vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise _fault(encoder, "no multi-vectors, or some with a NaN or an infinity")
    rows["multi.bounds"] = output.vector_bounds
    if multi == "int8":
        rows["multi.vectors"], rows["multi.scales"] = quantize(vectors)
    else:
        rows["multi.vectors"] = vectors.astype(multi)
    return rows


def _check_dense(encoder: M3Encoder, output: Representations, texts: int) -> None:
    if output.dense.ndim != 2 or len(output.dense) != texts:
        raise _fault(encoder, f"dense vectors of shape {list(output.dense.shape)} for {texts} texts")
    if output.truncated.shape != (texts,):
        raise _fault(encoder, f"{output.truncated.shape} marks of truncated texts for {texts} texts")
    if not np.isfinite(output.dense).all():
        raise _fault(encoder, "a dense vector with a NaN or an infinity (if it ran in float16, try float32)")


def _check_sparse(encoder: M3Encoder, output: Representations) -> None:
    bounds, tokens, weights = output.bounds, output.tokens, output.weights
    if bounds[-1:].tolist() != [len(tokens)] or tokens.shape != weights.shape or tokens.ndim != 1:
        raise _fault(encoder, f"{tokens.shape} tokens and {weights.shape} weights with bounds up to {bounds[-1:]}")
    rises = np.diff(tokens, prepend=-1) > 0
    rises[bounds[:-1][bounds[:-1] < len(tokens)]] = True  # The first token of a text may be any.
    if not rises.all() or (tokens < 0).any() or (tokens >= encoder.vocabulary).any():
        raise _fault(encoder, f"token ids that do not ascend within a text, or are not below {encoder.vocabulary}")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise _fault(encoder, "a token weight that is not above 0, or not finite")


def _fault(encoder: M3Encoder, output: str) -> ComponentError:
    return ComponentError(f"The model {encoder.model} returned {output}: its files may be damaged.")


_BLOCK_POSTINGS = 2_000_000
"""Number of postings in memory at a time; postings of one token id are always sorted together."""
_POSTING = np.dtype([("token", np.int32), ("document", np.int32), ("weight", np.float32)])


def write_postings(data: Path, spill: Path, vocabulary: int) -> None:
    """Write the postings of each token id, from the rows of the sparse head in `data`, in memory that stays flat.

    Postings are distributed to files by ranges of token ids; then each file is sorted on its own.

    Files: ``token.bounds.npy`` int64 [V + 1]; ``token.documents.npy`` int32 [z], ascending within a token id;
    ``token.weights.npy`` float32 [z].

    Args:
        data: directory of the build, with ``sparse.bounds.npy``, ``sparse.tokens.npy`` and ``sparse.weights.npy``.
        spill: an empty directory for scratch files.
        vocabulary: V; all token ids are below.

    Raises:
        OSError: the files cannot be written.
    """
    frequencies = np.zeros(vocabulary, dtype=np.int64)
    tokens = ArrayFile(data / "sparse.tokens.npy")
    for first in range(0, len(tokens), _BLOCK_POSTINGS):
        block = tokens.between(first, min(first + _BLOCK_POSTINGS, len(tokens)))
        frequencies += np.bincount(block, minlength=vocabulary)
    bounds = np.concatenate(([0], np.cumsum(frequencies)))
    save_array(data / "token.bounds.npy", bounds)
    ends = list(_token_ranges(bounds))
    for postings in _postings_by_document(data):
        _distribute(postings, ends, spill)
    with (
        create_array(data / "token.documents.npy", np.dtype(np.int32), (len(tokens),)) as documents,
        create_array(data / "token.weights.npy", np.dtype(np.float32), (len(tokens),)) as weights,
    ):
        for file in (spill / str(number) for number in range(len(ends))):
            if file.exists():
                postings = np.fromfile(file, dtype=_POSTING)
                file.unlink()
                postings = postings[np.argsort(postings["token"], kind="stable")]
                documents.write(np.ascontiguousarray(postings["document"]).data)
                weights.write(np.ascontiguousarray(postings["weight"]).data)


def _token_ranges(bounds: npt.NDArray[np.int64]) -> Iterator[int]:
    """Yield the ends of ranges of token ids with about ``_BLOCK_POSTINGS`` postings each."""
    last = 0
    while last < len(bounds) - 1:
        end = int(np.searchsorted(bounds, bounds[last] + _BLOCK_POSTINGS, side="right")) - 1
        last = min(max(end, last + 1), len(bounds) - 1)
        yield last


def _postings_by_document(data: Path) -> Iterator[npt.NDArray[np.void]]:
    """Yield blocks of postings; documents ascend within a block and from block to block."""
    tokens, weights = ArrayFile(data / "sparse.tokens.npy"), ArrayFile(data / "sparse.weights.npy")
    rows = ArrayFile(data / "sparse.bounds.npy")
    bounds = rows.between(0, len(rows))
    for first in range(0, len(tokens), _BLOCK_POSTINGS):
        last = min(first + _BLOCK_POSTINGS, len(tokens))
        block = np.empty(last - first, dtype=_POSTING)
        block["token"], block["weight"] = tokens.between(first, last), weights.between(first, last)
        # Documents whose rows this block touches, and the number of its postings in each row.
        low, high = np.searchsorted(bounds, (first, last - 1), side="right") - 1
        counts = np.diff(np.clip(bounds[low : high + 2], first, last))
        block["document"] = np.repeat(np.arange(low, high + 1), counts)
        yield block


def _distribute(postings: npt.NDArray[np.void], ends: list[int], spill: Path) -> None:
    """Append each posting to the file of its range of token ids."""
    number = np.searchsorted(ends, postings["token"], side="right").astype(np.uint16)
    order = np.argsort(number, kind="stable")
    stops = np.cumsum(np.bincount(number, minlength=len(ends)))
    with ExitStack() as stack:
        for range_number, (first, last) in enumerate(zip([0, *stops[:-1]], stops, strict=True)):
            if last > first:
                stream = stack.enter_context((spill / str(range_number)).open("ab"))
                stream.write(postings[order[first:last]].data)


_FILLED = ("index", "batch_tokens")
"""Parameters of constructors that the factories do not take."""


_ENCODER = ("max_length", "query_max_length", "device", "dtype")
"""Parameters of the encoder that the factories take."""


def _weights(component: str, params: Mapping[str, Any]) -> dict[str, float]:
    weights = params.get("weights")
    return check_weights(component, WEIGHTS if weights is None else weights)


def _index(
    collection: Collection,
    model: str,
    params: dict[str, Any],
    weights: Mapping[str, float],
    multi: Multi | None = None,
) -> M3Index:
    """Return the index of a collection, with multi-vectors if they have a weight; remove the encoder's parameters."""
    options = {name: params.pop(name) for name in _ENCODER if name in params}
    return M3Index.of(collection, M3Encoder(model, **options), multi=multi if "multi" in weights else None)


@parameters_of(M3Retriever, M3Encoder, without=_FILLED)
def m3(collection: Collection, *, model: str, multi: Multi = "float16", **params: Any) -> M3Retriever:
    """All heads of BGE-M3: ``m3("BAAI/bge-m3", weights={"dense": 0.4, "sparse": 0.2, "multi": 0.4}, k=100)``.

    Args:
        multi: type in which multi-vectors are stored: ``float16``, ``float32`` or ``int8``.
    """
    params["weights"] = weights = _weights("m3", params)
    check_candidates(weights)
    return M3Retriever(_index(collection, model, params, weights, multi), **params)


@parameters_of(M3HeadRetriever, M3Encoder, without=["head", *_FILLED])
def m3_dense(collection: Collection, *, model: str, **params: Any) -> M3HeadRetriever:
    """The dense head of BGE-M3 over all provisions: ``m3_dense("BAAI/bge-m3")``."""
    return M3HeadRetriever(_index(collection, model, params, {"dense": 1.0}), "dense", **params)


@parameters_of(M3HeadRetriever, M3Encoder, without=["head", *_FILLED])
def m3_sparse(collection: Collection, *, model: str, **params: Any) -> M3HeadRetriever:
    """The sparse head of BGE-M3 over all provisions, by token id: ``m3_sparse("BAAI/bge-m3")``."""
    return M3HeadRetriever(_index(collection, model, params, {"sparse": 1.0}), "sparse", **params)


@parameters_of(M3HeadRetriever, M3Encoder, without=["head", *_FILLED])
def m3_multi(collection: Collection, *, model: str, multi: Multi = "float16", **params: Any) -> M3HeadRetriever:
    """The multi-vector head of BGE-M3 over all provisions: ``m3_multi("BAAI/bge-m3")``.

    Args:
        multi: type in which multi-vectors are stored: ``float16``, ``float32`` or ``int8``.
    """
    return M3HeadRetriever(_index(collection, model, params, {"multi": 1.0}, multi), "multi", **params)


@parameters_of(M3Scorer, M3Encoder, without=_FILLED)
def m3_rerank(collection: Collection, *, model: str, multi: Multi = "float16", **params: Any) -> M3Scorer:
    """Rerank by the heads of BGE-M3: ``bm25 % 100 >> m3_rerank("BAAI/bge-m3")``.

    Args:
        multi: type in which multi-vectors are stored: ``float16``, ``float32`` or ``int8``.
    """
    params["weights"] = weights = _weights("m3_rerank", params)
    return M3Scorer(_index(collection, model, params, weights, multi), **params)
