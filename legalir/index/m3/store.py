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
    multi.scales                float32 [t]                         for int8 (see legalir.index.m3.quantized)
    truncated                   bool [n]                            the text was longer than the encoder reads
    digests                     uint8 [n, 16]                       of the indexed text

and the docnos (see :mod:`legalir.index.docnos`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.arrays import widened
from legalir.index.base import IndexArtifact
from legalir.index.m3.quantized import restored
from legalir.index.m3.representations import Multi

__all__ = ["Grouped", "M3Store", "MultiVectors"]


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
    """What the three heads say of every document of a collection; built by :func:`legalir.index.m3.build.build`."""

    kind, version = "m3_index", 1

    @property
    def dense(self) -> npt.NDArray[np.floating[Any]]:
        """Dense vector of each document, float16 or float32 [n, d], rows of length 1."""
        return self._array("dense")

    @property
    def sparse(self) -> Grouped:
        """Token weights of each document."""
        return Grouped(*(self._array(f"sparse.{name}") for name in ("bounds", "tokens", "weights")))

    @property
    def postings(self) -> Grouped:
        """Documents of each token, and the weight of the token in each."""
        return Grouped(*(self._array(f"token.{name}") for name in ("bounds", "documents", "weights")))

    @property
    def multi(self) -> MultiVectors | None:
        """Vectors of the tokens of each document; None where the index was built without."""
        if self.multi_kind is None:
            return None
        scales = self.arrays.get("multi.scales")
        return MultiVectors(self._array("multi.bounds"), self._array("multi.vectors"), scales)

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
        return len(self._array("token.bounds")) - 1

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
        return self._array("digests")

    def __len__(self) -> int:
        return len(self.dense)
