"""What is learnt from, as texts: provisions, queries with their right provisions, hard negatives, dev queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from legalir.train.batches import Gold, epoch_order, pairs_of
from legalir.train.finetune.batches import Composed, anchors, compose, right_for
from legalir.train.finetune.recipe import FineTuning
from legalir.train.loop import generator
from legalir.train.material import Material, read_material, same_question
from legalir.train.recipe import Recipe

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

__all__ = ["Dev", "Texts", "dev_of", "read_texts"]

_ORDER, _NEGATIVES, _DEV = 11, 12, 13
"""Places of random draws, beside those of a static training."""


@dataclass(frozen=True)
class Texts:
    """All that a fine-tuning learns from.

    Attributes:
        material: queries, judgements and what the card says of them.
        passages: texts of the provisions, in the order of the corpus.
        spared: what is no negative of each query: what is right or near for it, or for the same question asked again.
        pool: hard negatives of each query, int32 [q, h], -1 where there are no more.
    """

    material: Material
    passages: tuple[str, ...]
    spared: Gold
    pool: npt.NDArray[np.int32]

    def epoch(self, recipe: FineTuning, epoch: int) -> Composed:
        """Return the batches of an epoch, from 0; they depend on nothing but the recipe and the data."""
        pairs = pairs_of(self.material.train.gold)
        order = epoch_order(self.material.pairs, None, generator(recipe.seed, _ORDER, epoch))[: recipe.most_pairs]
        drawn = generator(recipe.seed, _NEGATIVES, epoch)
        found = anchors(pairs[order], self.pool, recipe.hard, self.spared, len(self.passages), drawn)
        return compose(found, self.spared, min(recipe.batch, len(order)))


@dataclass(frozen=True)
class Dev:
    """Queries to measure on, and the provisions among which theirs are sought.

    Attributes:
        queries: texts.
        passages: texts; all of the collection, or a part that holds what is right.
        gold: right provisions of each query, by their places in `passages`.
    """

    queries: tuple[str, ...]
    passages: tuple[str, ...]
    gold: Gold


def read_texts(
    recipe: FineTuning,
    collection: Collection,
    mine: Callable[[Sequence[str], Gold, Sequence[str]], npt.NDArray[np.int32]],
) -> Texts:
    """Read what `recipe` learns from in `collection`, whose split is that of the judgements.

    Args:
        recipe: the recipe.
        collection: the collection.
        mine: returns the pool of hard negatives of queries, given what is no negative of each, and all docnos.

    Raises:
        DataError: nothing to learn from, or the dev split shares queries with the judgements.
    """
    with ThreadPoolExecutor(1) as pool:
        material = read_material(_as_static(recipe), collection, pool)
    passages = tuple(row.default_text() for row in collection.docs())
    train = material.train
    spared = _asked_again(train.texts, train.spared)
    found = mine(train.texts, spared, material.docnos) if recipe.hard else np.full((len(train.texts), 1), -1, np.int32)
    return Texts(material, passages, spared, found)


def _as_static(recipe: FineTuning) -> Recipe:
    """Return a static model's recipe with the same data, which reads next to nothing of a text as features."""
    return Recipe(
        dataset=recipe.dataset,
        out=recipe.out,
        sources=recipe.sources,
        dev=recipe.dev,
        char=(),
        words=True,
        rows=1,
        max_characters=1,
    )


def _asked_again(queries: Sequence[str], spared: Gold) -> Gold:
    """Return what is spared, where equal questions under different ids spare what is right for any of them."""
    groups: dict[str, set[int]] = {}
    keys = [same_question(text) for text in queries]
    for number, key in enumerate(keys):
        groups.setdefault(key, set()).update(right_for(spared, number))
    rows = [np.array(sorted(groups[key]), dtype=np.int64) for key in keys]
    return Gold(np.cumsum([0, *map(len, rows)]).astype(np.int64), np.concatenate([np.zeros(0, np.int64), *rows]))


def dev_of(recipe: FineTuning, texts: Texts) -> Dev | None:
    """Return what each epoch is measured on, None where the recipe names no dev split."""
    dev = texts.material.dev
    if dev is None:
        return None
    most, everything = recipe.dev_provisions, len(texts.passages)
    if most is None or most >= everything:
        return Dev(dev.texts, texts.passages, dev.gold)
    right = np.unique(dev.gold.documents)
    others = np.setdiff1d(np.arange(everything), right)
    drawn = generator(recipe.seed, _DEV).permutation(others)[: max(0, most - len(right))]
    chosen = np.sort(np.concatenate((right, drawn)))
    gold = dev.gold._replace(documents=np.searchsorted(chosen, dev.gold.documents))
    return Dev(dev.texts, tuple(texts.passages[number] for number in chosen), gold)
