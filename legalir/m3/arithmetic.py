"""The three heads by name, and how their scores become one.

What the three heads say about n texts.

The arithmetic of the three heads of BGE-M3 (Chen et al. 2024, section 3.2), over arrays.

Between a query q and a document p, with q_i and p_j the vectors of their tokens without the first:

- dense: ``<q, p>`` of their vectors of length 1;
- sparse: ``Σ_t w_q(t) · w_p(t)`` over the token ids t of both;
- multi: ``1/N · Σ_i max_j <q_i, p_j>``, N tokens in the query.

FlagEmbedding's ``compute_score`` gives the same numbers for one pair at a time. In a batch, it fills up the shorter
documents with vectors of zeros and lets these take part in the maximum: a query token whose products with all tokens of
a document are negative then counts 0, and the score of a pair depends on what else is in the batch. Here it does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from legalir.errors import ComponentError, suggestion
from legalir.frames.component import check_number

__all__ = [
    "HEADS",
    "WEIGHTS",
    "Representations",
    "check_weights",
    "combined",
    "dense_score",
    "multi_score",
    "pair_scores",
    "sparse_score",
    "token_maxima",
]

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


def token_maxima(
    bounds: npt.NDArray[np.int64], ids: Tokens, weights: npt.NDArray[np.float32], dropped: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], Tokens, npt.NDArray[np.float32]]:
    """Return the greatest weight of each token id in each of n texts, in compressed rows.

    Args:
        bounds: tokens of text i are those in ``[bounds[i], bounds[i + 1])``; [n + 1].
        ids: of all tokens of all texts, at least 0; [m].
        weights: of the tokens, [m]; one of 0 or less is none.
        dropped: ids that have no weight in any text.

    Returns:
        Bounds [n + 1]; token ids, ascending within a text, each once, [z]; their weights, above 0, [z].
    """
    n = len(bounds) - 1
    rows = np.repeat(np.arange(n, dtype=np.int64), np.diff(bounds))
    kept = (weights > 0) & ~np.isin(ids, dropped)
    rows, ids, weights = rows[kept], ids[kept], weights[kept]
    keys = rows * (int(ids.max(initial=0)) + 1) + ids
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.bincount(rows[order[first]], minlength=n)
    found = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return found, ids[order[first]], np.maximum.reduceat(weights[order], first)


def dense_score(query: Floats, document: Floats) -> float:
    """Return the inner product of two vectors, [d] each."""
    return float(query.astype(np.float64) @ document.astype(np.float64))


def sparse_score(query: tuple[Tokens, Floats], document: tuple[Tokens, Floats]) -> float:
    """Return the sum of the products of the weights that two texts give to the same token ids.

    Args:
        query: token ids, each once, and their weights.
        document: the same.
    """
    _, left, right = np.intersect1d(query[0], document[0], assume_unique=True, return_indices=True)
    return float(query[1][left].astype(np.float64) @ document[1][right].astype(np.float64))


def multi_score(query: Floats, document: Floats) -> float:
    """Return the greatest inner product of each vector of the query with those of the document, averaged.

    Args:
        query: [N, d], at least one.
        document: [M, d], at least one.
    """
    products = query.astype(np.float64) @ document.astype(np.float64).T
    return float(products.max(axis=1).mean())


def pair_scores(queries: Representations, query: int, documents: Representations, document: int) -> Mapping[str, float]:
    """Return the score that each head gives one query and one document, by the head's name.

    Without multi-vectors on both sides, there is no ``multi``.
    """
    scores = {
        "dense": dense_score(queries.dense[query], documents.dense[document]),
        "sparse": sparse_score(queries.sparse_row(query), documents.sparse_row(document)),
    }
    if queries.vectors is not None and documents.vectors is not None:
        scores["multi"] = multi_score(queries.multi_row(query), documents.multi_row(document))
    return scores


HEADS = ("dense", "sparse", "multi")
"""A vector for a text, a weight for each of its token ids, and a vector for each of its tokens."""

WEIGHTS: Mapping[str, float] = {"dense": 0.4, "sparse": 0.2, "multi": 0.4}
"""What the scores of the heads count unless anything else is said."""

Score = TypeVar("Score", float, npt.NDArray[np.float32], npt.NDArray[np.float64])


def check_weights(component: str, weights: Any) -> dict[str, float]:
    """Return what each head counts, in the order of :data:`HEADS`, without those that count nothing.

    Args:
        component: what the weights were given to, for the error.
        weights: numbers of at least 0 by head; a head that is not named counts nothing. They need not sum to 1.

    Raises:
        ComponentError: it is no mapping, a key is no head, a value is no such number, or all are 0.
    """
    if not isinstance(weights, Mapping):
        raise ComponentError(f"{component}: weights={weights!r} is no mapping from heads to numbers: {_example()}.")
    for head, weight in weights.items():
        if head not in HEADS:
            hint = suggestion(str(head), HEADS)
            raise ComponentError(
                f"{component}: weights name {head!r}, which is not one of {', '.join(HEADS)}.{hint} Write {_example()}."
            )
        check_number(component, f"weights[{head}]", weight, low=0)
    counting = {head: float(weights[head]) for head in HEADS if weights.get(head, 0) > 0}
    if not counting:
        raise ComponentError(f"{component}: no head counts anything: give one a weight above 0, as in {_example()}.")
    return counting


def combined(scores: Mapping[str, Score], weights: Mapping[str, float]) -> Score:
    """Return ``Σ_h w_h · s_h / Σ_h w_h`` over the heads in `weights`.

    Args:
        scores: numbers, or arrays of one shape, by head; those of other heads are not looked at.
        weights: as :func:`check_weights` returns them.
    """
    first, *others = weights
    whole = weights[first] * scores[first]
    for head in others:
        whole = whole + weights[head] * scores[head]
    return whole / sum(weights.values())


def _example() -> str:
    return "{" + ", ".join(f'"{head}": {weight}' for head, weight in WEIGHTS.items()) + "}"
