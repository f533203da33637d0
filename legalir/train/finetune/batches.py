"""Batches without a false negative: no provision that is right for a query is among what it is told from.

Every anchor of a batch is told from the provisions of all others, their hard negatives included. So an anchor that
brings what is right for another, or to which another brings what is right for it, waits for the next batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from legalir.train.batches import Gold

__all__ = ["Anchor", "Composed", "anchors", "compose", "right_for"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Anchor:
    """A query, a provision that is right for it, and hard negatives, all by number."""

    query: int
    positive: int
    negatives: tuple[int, ...]

    @property
    def documents(self) -> tuple[int, ...]:
        """The provisions that it brings into a batch, the right one first."""
        return (self.positive, *self.negatives)


@dataclass(frozen=True)
class Composed:
    """The batches of an epoch.

    Attributes:
        batches: all of one size.
        moved: anchors that waited for a later batch than the one whose turn it was.
        left: anchors that are in none of the batches.
    """

    batches: tuple[tuple[Anchor, ...], ...]
    moved: int
    left: int


def right_for(gold: Gold, query: int) -> list[int]:
    """Return the document numbers of a query."""
    found: list[int] = gold.documents[gold.indptr[query] : gold.indptr[query + 1]].tolist()
    return found


def anchors(
    pairs: Integers, pool: npt.NDArray[np.int32], hard: int, spared: Gold, documents: int, rng: np.random.Generator
) -> Iterator[Anchor]:
    """Yield the anchors of pairs, each with exactly `hard` negatives.

    Args:
        pairs: query and document numbers, [n, 2].
        pool: wrong provisions of each query, the best first, -1 where there are no more; [q, h].
        hard: negatives of an anchor, drawn from its row; where there are too few, others are drawn from all provisions.
        spared: what is no negative of each query.
        documents: N, number of provisions.
        rng: draws.
    """
    for query, positive in pairs.tolist():
        row = pool[query][pool[query] >= 0]
        chosen = [int(document) for document in (row if len(row) <= hard else rng.permutation(row)[:hard])]
        right = set(right_for(spared, query))
        tries = 0
        while len(chosen) < hard and tries < 1000:
            drawn = int(rng.integers(0, documents))
            tries += 1
            if drawn not in right and drawn not in chosen:
                chosen.append(drawn)
        if len(chosen) == hard:
            yield Anchor(query, positive, tuple(chosen))


def compose(found: Iterable[Anchor], spared: Gold, size: int) -> Composed:
    """Put anchors, in their order, into batches of `size`, so that none holds a false negative.

    Args:
        found: the anchors.
        spared: what is no negative of each query: what is right for it, and perhaps more.
        size: anchors of a batch.
    """
    coming, waiting = iter(found), list[Anchor]()
    right: dict[int, frozenset[int]] = {}
    batches: list[tuple[Anchor, ...]] = []
    moved = 0
    while True:
        batch = _Batch(spared, right)
        waiting = _filled(batch, waiting, size)
        while len(batch.anchors) < size and (anchor := next(coming, None)) is not None:
            if not batch.take(anchor):
                waiting.append(anchor)
                moved += 1
        if len(batch.anchors) < size:
            return Composed(tuple(batches), moved, len(batch.anchors) + len(waiting))
        batches.append(tuple(batch.anchors))


def _filled(batch: _Batch, waiting: Sequence[Anchor], size: int) -> list[Anchor]:
    """Fill a batch with those that wait; return those that wait on."""
    later: list[Anchor] = []
    for place, anchor in enumerate(waiting):
        if len(batch.anchors) == size:
            return [*later, *waiting[place:]]
        if not batch.take(anchor):
            later.append(anchor)
    return later


class _Batch:
    """A batch that grows.

    Args:
        spared: what is no negative of each query.
        right: the same as sets, of the queries that were met; filled here.
    """

    def __init__(self, spared: Gold, right: dict[int, frozenset[int]]) -> None:
        self.anchors: list[Anchor] = []
        self._spared, self._right = spared, right
        self._brought: set[int] = set()
        self._kept_out: set[int] = set()

    def take(self, anchor: Anchor) -> bool:
        """Take an anchor, unless it or one that is here would get a false negative; return whether it was taken."""
        right = self._right.get(anchor.query)
        if right is None:
            right = self._right[anchor.query] = frozenset(right_for(self._spared, anchor.query))
        if not self._kept_out.isdisjoint(anchor.documents) or not self._brought.isdisjoint(right):
            return False
        self.anchors.append(anchor)
        self._brought.update(anchor.documents)
        self._kept_out |= right
        return True
