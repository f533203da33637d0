"""The three heads of BGE-M3 ([bge-m3], section 3.2): representations of texts, and the weighted mean of their scores.

For a query q and a document p, with token vectors q_i and p_j (without the first token):

- dense: ``<q, p>``, the inner product of two vectors of length 1;
- sparse: ``Σ_t w_q(t) · w_p(t)`` over the token ids t of both;
- multi: ``1/N · Σ_i max_j <q_i, p_j>``, N tokens in the query.

FlagEmbedding's ``compute_score`` gives the same numbers for one pair at a time. In a batch it pads the shorter
documents with vectors of zeros, which take part in the maximum: a query token whose products with all tokens of a
document are negative then counts 0, so the score of a pair depends on the rest of the batch. Here it does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from legalir.declared import check_number
from legalir.errors import ComponentError, suggestion

Bounds = npt.NDArray[np.int64]
Tokens = npt.NDArray[np.int32]
Floats = npt.NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Representations:
    """Vectors, token weights and multi-vectors of n texts.

    Weights belong to token ids, not to their strings: different ids may have the same string.

    Attributes:
        dense: vector of each text, float32 [n, d], rows of length 1.
        bounds: text i has the token weights in ``[bounds[i], bounds[i + 1])``; int64 [n + 1].
        tokens: token ids, ascending within a text, each once; int32 [z].
        weights: weight of each token, above 0; float32 [z].
        vector_bounds: text i has the multi-vectors in ``[vector_bounds[i], vector_bounds[i + 1])``; int64 [n + 1];
            zeros if there are none.
        vectors: a vector of length 1 for each token but the first, the end mark included; float32 or float16 [t, d2];
            None if they were not requested.
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
        """Return the multi-vectors of one text, [t, d2]; they must have been requested."""
        assert self.vectors is not None
        return self.vectors[self.vector_bounds[number] : self.vector_bounds[number + 1]]

    def row(self, number: int) -> Representations:
        """Return one text alone, as a copy."""
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
    def concatenate(parts: Sequence[Representations]) -> Representations:
        """Return the texts of all parts in order; at least one part, all with or all without multi-vectors."""
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


def token_maxima(
    bounds: npt.NDArray[np.int64], ids: Tokens, weights: npt.NDArray[np.float32], dropped: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], Tokens, npt.NDArray[np.float32]]:
    """Return the greatest weight of each token id in each of n texts.

    Args:
        bounds: text i has the tokens in ``[bounds[i], bounds[i + 1])``; [n + 1].
        ids: id of each token, at least 0; [m].
        weights: weight of each token, [m]; tokens with a weight of 0 or less are left out.
        dropped: ids to leave out in all texts.

    Returns:
        Bounds [n + 1]; token ids, ascending within a text, each once, [z]; their weights, above 0, [z].
    """
    n = len(bounds) - 1
    rows = np.repeat(np.arange(n, dtype=np.int64), np.diff(bounds))
    keep = (weights > 0) & ~np.isin(ids, dropped)
    rows, ids, weights = rows[keep], ids[keep], weights[keep]
    keys = rows * (int(ids.max(initial=0)) + 1) + ids
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.bincount(rows[order[first]], minlength=n)
    row_bounds = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return row_bounds, ids[order[first]], np.maximum.reduceat(weights[order], first)


Head = Literal["dense", "sparse", "multi"]
HEADS = get_args(Head)
"""A vector of a text, a weight for each of its token ids, and a vector for each of its tokens."""

WEIGHTS: Mapping[str, float] = {"dense": 0.4, "sparse": 0.2, "multi": 0.4}
"""Default weights of the heads, from [nitibench]."""

_EXAMPLE = "{" + ", ".join(f'"{head}": {weight}' for head, weight in WEIGHTS.items()) + "}"
Score = TypeVar("Score", float, npt.NDArray[np.float32], npt.NDArray[np.float64])


def check_weights(component: str, weights: Any) -> dict[str, float]:
    """Return the weights above 0, in the order of :data:`HEADS`.

    Args:
        component: name of the component that has the weights, for the error.
        weights: numbers of at least 0 by head; a missing head has weight 0. They need not sum to 1.

    Raises:
        ComponentError: it is not a mapping, a key is not a head, a value is not such a number, or all are 0.
    """
    if not isinstance(weights, Mapping):
        raise ComponentError(
            f"{component}: weights={weights!r} is not a mapping from heads to numbers: write {_EXAMPLE}."
        )
    for head, weight in weights.items():
        if head not in HEADS:
            hint = suggestion(str(head), HEADS)
            raise ComponentError(
                f"{component}: weights name {head!r}, which is not one of {', '.join(HEADS)}.{hint} Write {_EXAMPLE}."
            )
        check_number(component, f"weights[{head}]", weight, low=0)
    positive = {head: float(weights[head]) for head in HEADS if weights.get(head, 0) > 0}
    if not positive:
        raise ComponentError(f"{component}: all weights are 0: give one head a weight above 0, as in {_EXAMPLE}.")
    return positive


def combine(scores: Mapping[str, Score], weights: Mapping[str, float]) -> Score:
    """Return ``Σ_h w_h · s_h / Σ_h w_h`` over the heads in `weights`.

    Args:
        scores: numbers, or arrays of one shape, by head; other heads are ignored.
        weights: as from :func:`check_weights`.
    """
    first, *others = weights
    total = weights[first] * scores[first]
    for head in others:
        total = total + weights[head] * scores[head]
    return total / sum(weights.values())
