"""What the three heads say about n texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Representations"]

Bounds = npt.NDArray[np.int64]
Tokens = npt.NDArray[np.int32]
Floats = npt.NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Representations:
    """Vectors, token weights and multi-vectors of n texts.

    Token ids, and never their strings, are what the weights belong to: different ids may stand for the same string.

    Attributes:
        dense: vector of each text, float32 [n, d], rows of length 1.
        bounds: token weights of text i are those in ``[bounds[i], bounds[i + 1])``; int64 [n + 1].
        tokens: token ids, ascending within a text, each once; int32 [z].
        weights: their weights, above 0; float32 [z].
        vector_bounds: vectors of text i are those in ``[vector_bounds[i], vector_bounds[i + 1])``; int64 [n + 1]; zeros
            where there are none.
        vectors: one of length 1 for each token but the first, the mark of the end included; float32 or float16
            [t, d2]. None where they were not asked for.
        truncated: whether a text was longer than the limit, so that only its beginning was read; bool [n].
    """

    dense: npt.NDArray[np.float32]
    bounds: Bounds
    tokens: Tokens
    weights: npt.NDArray[np.float32]
    vector_bounds: Bounds
    vectors: Floats | None
    truncated: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.dense)

    def sparse_row(self, number: int) -> tuple[Tokens, npt.NDArray[np.float32]]:
        """Return the token ids of one text, ascending, and their weights."""
        inside = slice(self.bounds[number], self.bounds[number + 1])
        return self.tokens[inside], self.weights[inside]

    def multi_row(self, number: int) -> Floats:
        """Return the multi-vectors of one text, [t, d2]; there are some only where they were asked for."""
        assert self.vectors is not None
        return self.vectors[self.vector_bounds[number] : self.vector_bounds[number + 1]]

    def row(self, number: int) -> Representations:
        """Return one text alone, in memory of its own."""
        tokens, weights = self.sparse_row(number)
        vectors = None if self.vectors is None else self.multi_row(number).copy()
        return Representations(
            dense=self.dense[number : number + 1].copy(),
            bounds=np.array([0, len(tokens)], dtype=np.int64),
            tokens=tokens.copy(),
            weights=weights.copy(),
            vector_bounds=np.array([0, 0 if vectors is None else len(vectors)], dtype=np.int64),
            vectors=vectors,
            truncated=self.truncated[number : number + 1].copy(),
        )

    @staticmethod
    def joined(parts: Sequence[Representations]) -> Representations:
        """Return the texts of all `parts`, one part after the other; at least one part, all with or without vectors."""
        vectors = [part.vectors for part in parts if part.vectors is not None]
        assert len(vectors) in (0, len(parts))
        return Representations(
            dense=np.concatenate([part.dense for part in parts]),
            bounds=_bounds([part.bounds for part in parts]),
            tokens=np.concatenate([part.tokens for part in parts]),
            weights=np.concatenate([part.weights for part in parts]),
            vector_bounds=_bounds([part.vector_bounds for part in parts]),
            vectors=np.concatenate(vectors) if vectors else None,
            truncated=np.concatenate([part.truncated for part in parts]),
        )


def _bounds(parts: Sequence[Bounds]) -> Bounds:
    counts = np.concatenate([np.diff(part) for part in parts])
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
