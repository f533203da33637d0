"""What is needed of a BGE-M3 encoder, and its representations of texts as rows that can be stored.

d dimensions of the dense head, d2 of the multi-vector head, V tokens in the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from legalir.errors import ComponentError
from legalir.index.dense import Precision
from legalir.index.m3.quantized import quantized
from legalir.index.row_files import Rows

__all__ = ["M3Encoding", "Multi", "Representations", "check_choices", "rows_of"]

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
    if precision not in get_args(Precision):
        raise ComponentError(f"precision={precision!r} is not one of {', '.join(get_args(Precision))}.")
    if multi is not None and multi not in get_args(Multi):
        raise ComponentError(f"multi={multi!r} is not one of {', '.join(get_args(Multi))}, or None for no vectors.")


def rows_of(
    encoder: M3Encoding, texts: Sequence[str], *, precision: Precision = "float16", multi: Multi | None = None
) -> Rows:
    """Encode texts and return what is stored of them (see :mod:`legalir.index.m3.store` for the arrays).

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
