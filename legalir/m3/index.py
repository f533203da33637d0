"""The public index of BGE-M3's three heads: what they say of a collection, and the retrievers over it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from legalir.dense.vectors import Precision
from legalir.errors import ArtifactError, ComponentError
from legalir.m3.arithmetic import Representations, check_weights
from legalir.m3.build import build
from legalir.m3.encoder import M3Encoder
from legalir.m3.store import M3Store, Multi
from legalir.models.loading import DTYPES, load_tokenizer, shared
from legalir.storage.manifest import read_manifest, rebuild_hint

if TYPE_CHECKING:
    from legalir.m3.retriever import M3HeadRetriever, M3Retriever, M3Scorer

__all__ = ["M3Index"]


class M3Index(M3Store):
    """An index of BGE-M3's dense, sparse and multi-vector heads, and where its retrievers come from.

    ::

        index = legalir.M3Index("my.index", encoder="BAAI/bge-m3").index(docs, multi="float16")
        index.retriever(weights={"dense": 0.4, "sparse": 0.2, "multi": 0.4}).search("무창층의 기준은?")

    Args:
        path: directory of the artifact.
        encoder: an encoder, or the folder or hub name of its model; None: that of the index at `path`.
    """

    def __init__(self, path: str | PathLike[str], encoder: str | PathLike[str] | M3Encoder | None = None) -> None:
        super().__init__(str(path))
        self._asked = M3Encoder(encoder) if isinstance(encoder, str | PathLike) else encoder

    def __eq__(self, other: object) -> bool:
        return isinstance(other, M3Index) and (self.path, self._asked) == (other.path, other._asked)

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        encoder = "" if self._asked is None else f", encoder={self._asked!r}"
        return f"{type(self).__name__}({str(self.path)!r}{encoder})"

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
    ) -> Self:
        """Build the index, replacing one that stands at the path only when the new one is whole.

        Texts that the index at the path holds already, or that interrupted work on it got done, are not encoded again.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            multi: what the multi-vectors are stored as: ``float16``, ``float32`` or ``int8``; None for no such vectors.
                300 tokens of 1024 dimensions take 0.6 MB in float16, and half of that in int8.
            precision: what the dense vectors are stored as, ``float16`` or ``float32``.
            corpus: fingerprint of the collection, kept in the manifest.
            shard: number of texts that are made durable together.
            reuse: paths of other indexes from which texts need not be encoded again.
            advance: is told how many more documents are done.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: no encoder was given, a docno is missing or occurs twice, or a text is no string.
            ModelError: the model cannot be found, read, or computed with.
        """
        encoder = self._asked
        if encoder is None:
            raise ComponentError(
                f"{self.path} cannot be built without an encoder: name its model, as in "
                f'M3Index("{self.path}", encoder="BAAI/bge-m3").'
            )
        build(
            self,
            iter,
            encoder,
            multi=multi,
            precision=precision,
            corpus=corpus,
            shard=shard,
            reuse=[Path(path) for path in reuse],
            advance=advance,
        )
        return self

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    @cached_property
    def encoder(self) -> M3Encoder:
        """The encoder of queries.

        Raises:
            ArtifactError: the index was made by another encoder, or by another version of it.
            ModelError: the model cannot be found.
        """
        made_by = self.manifest.facts["encoder"]
        asked = [self._asked] if self._asked is not None else _encoders(made_by["model"], made_by["max_length"])
        encoder = next((one for one in asked if one.fingerprint == made_by["fingerprint"]), asked[0])
        if made_by["fingerprint"] != encoder.fingerprint:
            raise ArtifactError(
                f"{self.path} was built with {made_by['model']} ({made_by['fingerprint'][:8]}), not with "
                f"{encoder.model} ({encoder.fingerprint[:8]}): {rebuild_hint(self.directory)}"
            )
        return encoder

    def represent_queries(self, texts: Sequence[str], weights: Mapping[str, float]) -> Representations:
        """Return what the heads say of queries, with multi-vectors where these count; errors as :attr:`encoder`."""
        return self.encoder.represent_queries(texts, multi="multi" in weights)

    @cached_property
    def _tokenizer(self) -> Any:
        folder = self.encoder.folder
        return shared(("tokenizer", str(folder)), lambda: load_tokenizer(folder))

    def token_texts(self, tokens: Sequence[int]) -> list[str]:
        """Return what the tokenizer calls token ids; two of them may bear one name.

        Raises:
            ModelError: the tokenizer cannot be found or read.
        """
        return list(self._tokenizer.convert_ids_to_tokens(list(tokens)))

    def check_weights(self, component: str, weights: Any) -> dict[str, float]:
        """Return the weights of the heads that count.

        Args:
            component: what they were given to, for the error.
            weights: numbers of at least 0 by head; they need not sum to 1.

        Raises:
            ComponentError: they are no such mapping, or count a head that the index does not hold.
        """
        found = check_weights(component, weights)
        # Only the manifest is read: to open an index is to verify it, which may take a while.
        if "multi" in found and self.built() and "multi" not in self._kept_heads():
            raise ComponentError(
                f"{component}: {self.path} was built without multi-vectors: build it again with "
                f'index(docs, multi="float16"), or give only the others a weight, as in '
                f'weights={{"dense": 0.8, "sparse": 0.2}}.'
            )
        return found

    def _kept_heads(self) -> list[str]:
        kept: list[str] = read_manifest(self.directory, self.kind, self.version).facts["heads"]
        return kept

    def retriever(
        self, weights: Mapping[str, float] | None = None, k: int = 100, num_results: int = 1000
    ) -> M3Retriever:
        """Return the retriever that combines the heads; see :class:`~legalir.m3.retriever.M3Retriever`."""
        from legalir.m3.retriever import M3Retriever

        return M3Retriever(self, weights, k=k, num_results=num_results)

    def head(self, head: str, num_results: int = 1000) -> M3HeadRetriever:
        """Return the retriever by one head, ``dense``, ``sparse`` or ``multi``, over all documents."""
        from legalir.m3.retriever import M3HeadRetriever

        return M3HeadRetriever(self, head, num_results=num_results)

    def scorer(self, weights: Mapping[str, float] | None = None) -> M3Scorer:
        """Return the transformer that scores given documents by the heads."""
        from legalir.m3.retriever import M3Scorer

        return M3Scorer(self, weights)


def _encoders(model: str, max_length: int) -> list[M3Encoder]:
    """Return the encoders that may have made an index: which numbers they compute in is told by their fingerprints."""
    return [M3Encoder(model, max_length=max_length, dtype=dtype) for dtype in (None, *DTYPES)]
