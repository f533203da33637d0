"""The index of BGE-M3's three heads as an artifact: memory-mapped arrays of a collection.

n documents, d dimensions of the dense head, V tokens, z postings, t multi-vectors of d2 dimensions. Files of a build::

    dense                       float16 or float32 [n, d]           rows of length 1
    sparse.bounds               int64 [n + 1]                       the tokens of each document
    sparse.tokens               int32 [z]                           ascending within a document
    sparse.weights              float32 [z]                         above 0
    token.bounds                int64 [V + 1]                       the same, by token
    token.documents             int32 [z]                           ascending within a token
    token.weights               float32 [z]
    multi.bounds                int64 [n + 1]                       the vectors of each document; only if asked for
    multi.vectors               float16, float32 or int8 [t, d2]    rows of length 1
    multi.scales                float32 [t]                         for int8
    truncated                   bool [n]                            the text was longer than the encoder reads
    digests                     uint8 [n, 16]                       of the indexed text

and the docnos (see :mod:`legalir.storage.strings`).

Vectors in eight bits: a symmetric grid for each vector, of which the greatest component is an end.

With m the greatest absolute component of a vector x, the scale is s = m / 127 and component i is stored as the integer
qᵢ nearest to xᵢ / s. What is read back is x̂ = s·q, for which

- ``|xᵢ − x̂ᵢ| ≤ s / 2 = m / 254``, so at most 1/254 ≈ 0.004 for a vector of length 1;
- ``|⟨u, x⟩ − ⟨u, x̂⟩| ≤ ‖u‖₁ · m / 254 ≤ √d · m / 254`` for any u of length 1, d the number of dimensions. Errors of
  independent components mostly cancel: their standard deviation is about m / 440, which for d = 1024 and m = 0.15 is
  0.0003, where the bound is 0.019.

Both bounds hold up to the rounding of float32, a relative 10⁻⁷. The MaxSim of a text is a mean of such inner products
and keeps the bound.

What is needed of a BGE-M3 encoder, and its representations of texts as rows that can be stored.

d dimensions of the dense head, d2 of the multi-vector head, V tokens in the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
import numpy.typing as npt

from legalir.dense.vectors import Precision
from legalir.errors import ComponentError
from legalir.frames.component import check_choice
from legalir.storage.arrays import widened
from legalir.storage.artifact import IndexArtifact
from legalir.storage.shards import Rows

__all__ = [
    "Grouped",
    "M3Encoding",
    "M3Store",
    "Multi",
    "MultiVectors",
    "Representations",
    "check_choices",
    "quantized",
    "restored",
    "rows_of",
]

_HIGHEST = 127
_ROWS = 1024
"""Vectors that are worked on at a time."""


def quantized(vectors: npt.NDArray[np.floating[Any]]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Return `vectors` [t, d] in eight bits, and the scale of each, float32 [t]; a vector of zeros has scale 0."""
    grid = np.empty(vectors.shape, dtype=np.int8)
    scales = np.empty(len(vectors), dtype=np.float32)
    for first in range(0, len(vectors), _ROWS):
        rows = slice(first, first + _ROWS)
        wide = vectors[rows].astype(np.float32)
        scales[rows] = np.abs(wide).max(axis=1, initial=0) / np.float32(_HIGHEST)
        wide /= np.where(scales[rows] > 0, scales[rows], 1)[:, None]
        grid[rows] = np.clip(np.rint(wide), -_HIGHEST, _HIGHEST)
    return grid, scales


def restored(grid: npt.NDArray[np.int8], scales: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the vectors, float32 [t, d], that :func:`quantized` was given, up to its error."""
    return grid.astype(np.float32) * scales[:, None]


Multi = Literal["float16", "float32", "int8"]
Floats = npt.NDArray[np.floating[Any]]


class Representations(Protocol):
    """What the three heads say of n texts."""

    @property
    def dense(self) -> Floats:
        """Rows of length 1, [n, d]."""
        ...

    @property
    def bounds(self) -> npt.NDArray[np.int64]:
        """Where the tokens of each text are, [n + 1]."""
        ...

    @property
    def tokens(self) -> npt.NDArray[np.int32]:
        """Token ids, ascending within a text, [z]."""
        ...

    @property
    def weights(self) -> Floats:
        """Weight of each token, above 0, [z]."""
        ...

    @property
    def vector_bounds(self) -> npt.NDArray[np.int64]:
        """Where the vectors of each text are, [n + 1]."""
        ...

    @property
    def vectors(self) -> Floats | None:
        """Rows of length 1, [t, d2]; None where they were not asked for."""
        ...

    @property
    def truncated(self) -> npt.NDArray[np.bool_]:
        """Whether a text was longer than the limit, [n]."""
        ...


class M3Encoding(Protocol):
    """What an index needs of an encoder."""

    @property
    def name(self) -> str:
        """Name of the encoder in expressions."""
        ...

    @property
    def model(self) -> str:
        """Folder of the model, or its name on the hub."""
        ...

    @property
    def max_length(self) -> int:
        """Tokens that are read of a document."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever the same text could be represented otherwise."""
        ...

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        ...

    def represent(self, texts: Sequence[str], *, multi: bool) -> Representations:
        """Return the representations of documents, also of none."""
        ...


def check_choices(precision: str, multi: str | None) -> None:
    """Check how vectors are to be stored.

    Raises:
        ComponentError: in no way that there is.
    """
    check_choice("", "precision", precision, get_args(Precision))
    if multi is not None:
        check_choice("", "multi", multi, get_args(Multi))


def rows_of(
    encoder: M3Encoding, texts: Sequence[str], *, precision: Precision = "float16", multi: Multi | None = None
) -> Rows:
    """Encode texts and return what is stored of them (see :mod:`legalir.m3.store` for the arrays).

    Args:
        encoder: makes the representations.
        texts: in any order.
        precision: of the dense vectors.
        multi: how the multi-vectors are stored, None for not at all.

    Raises:
        ComponentError: the representations cannot be those of these texts.
    """
    found = encoder.represent(texts, multi=multi is not None)
    _check_dense(encoder, found, len(texts))
    _check_sparse(encoder, found)
    rows: dict[str, npt.NDArray[Any]] = {
        "dense": found.dense.astype(precision),
        "sparse.bounds": found.bounds,
        "sparse.tokens": found.tokens.astype(np.int32),
        "sparse.weights": found.weights.astype(np.float32),
        "truncated": found.truncated,
    }
    if multi is None:
        return rows
    vectors = found.vectors
    if vectors is None or vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise _fault(encoder, "multi-vectors that are none, or hold a NaN or an infinity")
    rows["multi.bounds"] = found.vector_bounds
    if multi == "int8":
        rows["multi.vectors"], rows["multi.scales"] = quantized(vectors)
    else:
        rows["multi.vectors"] = vectors.astype(multi)
    return rows


def _check_dense(encoder: M3Encoding, found: Representations, texts: int) -> None:
    if found.dense.ndim != 2 or len(found.dense) != texts:
        raise _fault(encoder, f"dense vectors of shape {list(found.dense.shape)} for {texts} texts")
    if found.truncated.shape != (texts,):
        raise _fault(encoder, f"{found.truncated.shape} marks of texts beyond its limit for {texts} texts")
    if not np.isfinite(found.dense).all():
        raise _fault(encoder, "a dense vector with a NaN or an infinity (if it ran in float16, try float32)")


def _check_sparse(encoder: M3Encoding, found: Representations) -> None:
    bounds, tokens, weights = found.bounds, found.tokens, found.weights
    if bounds[-1:].tolist() != [len(tokens)] or tokens.shape != weights.shape or tokens.ndim != 1:
        raise _fault(encoder, f"{tokens.shape} tokens and {weights.shape} weights with bounds up to {bounds[-1:]}")
    rises = np.diff(tokens, prepend=-1) > 0
    rises[bounds[:-1][bounds[:-1] < len(tokens)]] = True  # the first token of a text may be any
    if not rises.all() or (tokens < 0).any() or (tokens >= encoder.vocabulary).any():
        raise _fault(encoder, f"token ids that do not ascend within a text, or are not below {encoder.vocabulary}")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise _fault(encoder, "a token weight that is not above 0, or not finite")


def _fault(encoder: M3Encoding, what: str) -> ComponentError:
    return ComponentError(f"The model {encoder.model} made {what}: its files may be damaged.")


class Grouped(NamedTuple):
    """Items with a weight, by what they belong to: row i is ``bounds[i]`` to before ``bounds[i + 1]``.

    Attributes:
        bounds: int64 [rows + 1].
        items: tokens of documents, or documents of tokens; int32 [z], ascending within a row.
        weights: float32 [z].
    """

    bounds: npt.NDArray[np.int64]
    items: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]

    def row(self, number: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Return items and weights of a row."""
        run = slice(self.bounds[number], self.bounds[number + 1])
        return self.items[run], self.weights[run]


class MultiVectors(NamedTuple):
    """Vectors of each token of each document.

    Attributes:
        bounds: where those of each document are, int64 [n + 1].
        vectors: float16, float32 or int8 [t, d2].
        scales: what int8 is multiplied by, float32 [t]; None for floats.
    """

    bounds: npt.NDArray[np.int64]
    vectors: npt.NDArray[Any]
    scales: npt.NDArray[np.float32] | None

    def row(self, number: int) -> npt.NDArray[np.float32]:
        """Return the vectors of a document, float32 [its tokens, d2]."""
        run = slice(self.bounds[number], self.bounds[number + 1])
        if self.scales is None:
            return widened(self.vectors[run])
        return restored(self.vectors[run], self.scales[run])


class M3Store(IndexArtifact):
    """What the three heads say of every document of a collection; built by :func:`legalir.m3.build.build`."""

    kind, version = "m3_index", 1

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
        """Documents of each token, and the weight of the token in each."""
        return Grouped(*(self.arrays[f"token.{name}"] for name in ("bounds", "documents", "weights")))

    @property
    def multi(self) -> MultiVectors | None:
        """Vectors of the tokens of each document; None where the index was built without."""
        if self.multi_kind is None:
            return None
        scales = self.arrays.get("multi.scales")
        return MultiVectors(self.arrays["multi.bounds"], self.arrays["multi.vectors"], scales)

    @property
    def multi_kind(self) -> Multi | None:
        """What multi-vectors are stored as, ``float16``, ``float32`` or ``int8``; None for an index without them."""
        kind: Multi | None = self.manifest.facts["multi"]
        return kind

    @property
    def heads(self) -> tuple[str, ...]:
        """The heads that the index holds: ``dense``, ``sparse`` and, if asked for, ``multi``."""
        return tuple(self.manifest.facts["heads"])

    @property
    def vocabulary(self) -> int:
        """Number of tokens that the encoder knows, V."""
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

    def __len__(self) -> int:
        return len(self.dense)
