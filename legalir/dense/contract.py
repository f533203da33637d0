"""The contract of an encoder: text to vectors of length 1, so that their inner product is a cosine.

There are two kinds. An :class:`Encoder`, such as a language model, can encode at once. A :class:`TrainableEncoder`,
such as LSA, learns from the collection first; the result is an Encoder that is stored inside the index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from legalir.lexical.sparse import SparseIndex

Vectors = npt.NDArray[np.float32]


@runtime_checkable
class Encoder(Protocol):
    """Text to vectors: all that a plugin must provide."""

    @property
    def name(self) -> str:
        """The name that the encoder has in expressions, such as ``lsa``."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever the same text could give another vector."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of documents, float32 [n, d], rows of length 1, or 0 for a text without content."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, as :meth:`encode`; a model may need another prompt for them."""
        ...


@runtime_checkable
class CountedEncoder(Encoder, Protocol):
    """A slow encoder that reports its progress; an index stores its finished work, so that it can be resumed."""

    def encode_counted(self, texts: Sequence[str], advance: Callable[[int], None]) -> Vectors:
        """Return what :meth:`encode` returns; now and then call `advance` with the number of further texts done."""
        ...


@runtime_checkable
class FittedEncoder(Encoder, Protocol):
    """An encoder that was fitted on a collection and is stored with it."""

    def save(self, directory: Path) -> None:
        """Write its arrays as ``.npy`` files whose names begin with ``encoder.``."""
        ...


@runtime_checkable
class TermEncoder(Encoder, Protocol):
    """An encoder that knows the share of each term of a query in its similarity with a vector."""

    def contributions(self, query: str, vector: Vectors) -> dict[str, float]:
        """Return the share of each term of `query` in the inner product of its vector with `vector`, [d]."""
        ...


@runtime_checkable
class TrainableEncoder(Protocol):
    """An encoder that learns from the postings of a collection under one analyzer."""

    @property
    def name(self) -> str:
        """The name that the encoder has in expressions."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever the same collection could give other vectors."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters with which the plugin's factory makes this encoder again; JSON values."""
        ...

    @property
    def analyzer(self) -> str:
        """The name of the analyzer whose postings it is fitted on."""
        ...

    def fit(self, postings: SparseIndex) -> tuple[FittedEncoder, Vectors]:
        """Fit on a collection; return the encoder and the vectors of the documents."""
        ...

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> FittedEncoder:
        """Return the encoder of an earlier :meth:`fit` from the arrays that it saved, by name."""
        ...


AnyEncoder = Encoder | TrainableEncoder
