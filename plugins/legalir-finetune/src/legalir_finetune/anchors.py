"""Anchors of a fine-tuning, and their batches.

The negatives of an anchor are its hard negatives and all provisions of the other anchors in its batch. With `objective:
dense`, the loss leaves those out that are right for it. FlagEmbedding's loss of three heads cannot: there an anchor
waits for the next batch if one of its provisions is right for another anchor, or if another anchor has a provision that
is right for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from legalir.extend import (
    Display,
    Gold,
    Material,
    epoch_order,
    mine_by_expression,
    random_numbers,
    read_material,
    same_question,
)
from legalir_finetune.recipes import FineTuning

if TYPE_CHECKING:
    from legalir import Collection

Integers = npt.NDArray[np.int64]

_ORDER, _NEGATIVES, _DEV = 11, 12, 13
"""Keys of the random numbers; the training of a static encoder uses other keys."""


@dataclass(frozen=True)
class Anchor:
    """A query, a right provision, and hard negatives, all by number."""

    query: int
    positive: int
    negatives: tuple[int, ...]

    @property
    def documents(self) -> tuple[int, ...]:
        """The provisions that it brings into a batch, the right one first."""
        return (self.positive, *self.negatives)


@dataclass(frozen=True)
class EpochBatches:
    """The batches of an epoch.

    Attributes:
        batches: all of one size.
        moved: number of anchors that waited for a later batch.
        left: number of anchors that are in no batch.
    """

    batches: tuple[tuple[Anchor, ...], ...]
    moved: int
    left: int


def anchors(
    pairs: Integers, pool: npt.NDArray[np.int32], hard: int, spared: Gold, documents: int, rng: np.random.Generator
) -> Iterator[Anchor]:
    """Yield the anchors of pairs, each with exactly `hard` negatives.

    Args:
        pairs: query and document numbers, [n, 2].
        pool: wrong provisions of each query, the best first, -1 where there are no more; [q, h].
        hard: number of negatives of an anchor, drawn from its row; missing ones are drawn from all provisions.
        spared: provisions that are never negatives of a query.
        documents: N, number of provisions.
        rng: source of random numbers.
    """
    for query, positive in pairs.tolist():
        row = pool[query][pool[query] >= 0]
        chosen = [int(document) for document in (row if len(row) <= hard else rng.permutation(row)[:hard])]
        right = set(spared.of(query).tolist())
        tries = 0
        while len(chosen) < hard and tries < 1000:
            drawn = int(rng.integers(0, documents))
            tries += 1
            if drawn not in right and drawn not in chosen:
                chosen.append(drawn)
        if len(chosen) == hard:
            yield Anchor(query, positive, tuple(chosen))


def compose(source: Iterable[Anchor], spared: Gold, size: int) -> EpochBatches:
    """Put anchors into batches, in their order, so that no batch contains a false negative.

    Args:
        source: the anchors.
        spared: provisions that are never negatives of a query: right ones, and perhaps more.
        size: anchors of a batch.
    """
    coming, waiting = iter(source), list[Anchor]()
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
            return EpochBatches(tuple(batches), moved, len(batch.anchors) + len(waiting))
        batches.append(tuple(batch.anchors))


def _filled(batch: _Batch, waiting: Sequence[Anchor], size: int) -> list[Anchor]:
    """Fill a batch with waiting anchors; return the anchors that still wait."""
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
        spared: provisions that are never negatives of a query.
        right: a cache of the same as sets.
    """

    def __init__(self, spared: Gold, right: dict[int, frozenset[int]]) -> None:
        self.anchors: list[Anchor] = []
        self._spared, self._right = spared, right
        self._brought: set[int] = set()
        self._excluded: set[int] = set()

    def take(self, anchor: Anchor) -> bool:
        """Add an anchor unless that makes a false negative; return whether it was added."""
        right = self._right.get(anchor.query)
        if right is None:
            right = self._right[anchor.query] = frozenset(self._spared.of(anchor.query).tolist())
        if not self._excluded.isdisjoint(anchor.documents) or not self._brought.isdisjoint(right):
            return False
        self.anchors.append(anchor)
        self._brought.update(anchor.documents)
        self._excluded |= right
        return True


@dataclass(frozen=True)
class AnchorSource:
    """All data of a fine-tuning.

    Attributes:
        material: provisions, queries and their right provisions.
        spared: provisions that are never negatives of a query: right and near ones of all equal questions.
        pool: wrong provisions of each query, as in :func:`anchors`.
    """

    material: Material
    spared: Gold
    pool: npt.NDArray[np.int32]

    def epoch(self, recipe: FineTuning, epoch: int) -> EpochBatches:
        """Return the batches of an epoch, from 0; they depend only on the recipe and the data."""
        gold, documents = self.material.train.gold, len(self.material.docnos)
        queries = np.repeat(np.arange(len(gold.indptr) - 1), np.diff(gold.indptr))
        pairs = np.stack((queries, gold.documents), axis=1)
        order = epoch_order(self.material.pairs, None, random_numbers(recipe.seed, _ORDER, epoch))[: recipe.most_pairs]
        drawn = random_numbers(recipe.seed, _NEGATIVES, epoch)
        source = anchors(pairs[order], self.pool, recipe.hard, self.spared, documents, drawn)
        size = min(recipe.batch, len(order))
        if recipe.objective == "unified":
            return compose(source, self.spared, size)
        every = tuple(source)
        left = len(every) % size
        starts = range(0, len(every) - left, size)
        return EpochBatches(tuple(every[start : start + size] for start in starts), 0, left)


def read_anchor_source(recipe: FineTuning, collection: Collection, display: Display) -> AnchorSource:
    """Read the data of a recipe, and search hard negatives.

    Raises:
        DataError: there is nothing to learn from, or the dev split shares queries with the judgements.
    """
    material = read_material(collection, recipe.sources, recipe.dev)
    queries = material.train.texts
    spared = _same_questions_spared(queries, material.train.spared)
    pool = np.full((len(queries), 1), -1, np.int32)
    if recipe.hard:
        display.phase(f"Searching negatives with {recipe.negatives}", len(queries))
        pool = mine_by_expression(
            recipe.negatives, collection, queries, spared, material.docnos, recipe.depth, display.advance
        )
    return AnchorSource(material, spared, pool)


def _same_questions_spared(queries: Sequence[str], spared: Gold) -> Gold:
    """Return `spared` such that equal questions with different ids spare the provisions of all of them."""
    groups: dict[str, set[int]] = {}
    keys = [same_question(text) for text in queries]
    for query, key in enumerate(keys):
        groups.setdefault(key, set()).update(spared.of(query).tolist())
    return Gold.joined([np.array(sorted(groups[key]), dtype=np.int64) for key in keys])


@dataclass(frozen=True)
class DevSet:
    """Queries to measure on, and the provisions to rank for them.

    Attributes:
        queries: texts.
        passages: texts; all of the collection, or a part that holds the right ones.
        gold: right provisions of each query, by their places in `passages`.
    """

    queries: tuple[str, ...]
    passages: tuple[str, ...]
    gold: Gold


def dev_set(recipe: FineTuning, material: Material) -> DevSet | None:
    """Return the dev set of a recipe, None if it names no dev split."""
    dev, total, most = material.dev, len(material.passages), recipe.dev_provisions
    if dev is None:
        return None
    if most is None or most >= total:
        return DevSet(dev.texts, material.passages, dev.gold)
    right = np.unique(dev.gold.documents)
    others = np.setdiff1d(np.arange(total), right)
    drawn = random_numbers(recipe.seed, _DEV).permutation(others)[: max(0, most - len(right))]
    chosen = np.sort(np.concatenate((right, drawn)))
    gold = dev.gold._replace(documents=np.searchsorted(chosen, dev.gold.documents))
    return DevSet(dev.texts, tuple(material.passages[number] for number in chosen), gold)
