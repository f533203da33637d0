"""What is learnt from: provisions, queries with their right provisions, and the dev queries to measure on.

What is measured must not have been learnt: splits that share no question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from legalir import datasets
from legalir.analysis.text import normalize
from legalir.datasets import StatuteDataset
from legalir.encode.hashed_ngrams import Features
from legalir.encode.static_model import term_weights
from legalir.errors import DataError
from legalir.train.batches import Gold
from legalir.train.pairs import Pairs, from_headings, from_judgements, from_references
from legalir.train.recipe import Recipe

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

__all__ = ["Material", "Questions", "check_disjoint", "dataset_name", "read_material", "same_question"]


def check_disjoint(train: StatuteDataset, dev: StatuteDataset) -> None:
    """Check that a split that is learnt from and the dev split judge no query in common.

    Raises:
        DataError: they do; says how many, and one of them.
    """
    shared = sorted({row.qid for row in train.judgements()} & {row.qid for row in dev.judgements()})
    if shared:
        raise DataError(
            f"{len(shared)} queries of the dev split {dev.id}, such as {shared[0]!r}, are judged in {train.id}, too, "
            f"and would be learnt: name a split that shares none."
        )


def same_question(query: str) -> str:
    """Return what two spellings of a question have in common: NFC, lower case, one middle dot, single spaces."""
    return " ".join(normalize(query).split())


_TEXTS = 4096

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Questions:
    """Queries, what is read of them, what is right for them, and what is no negative of them: that and what is near."""

    texts: tuple[str, ...]
    features: Features
    gold: Gold
    spared: Gold

    def digest(self) -> str:
        """Return a sha256 over texts and judgements."""
        found = hashlib.sha256("\0".join(self.texts).encode("utf-8", "surrogatepass"))
        for array in (*self.gold, *self.spared):
            found.update(array.astype("<i8").tobytes())
        return found.hexdigest()


@dataclass(frozen=True)
class Material:
    """All that a training learns from.

    Attributes:
        docnos: of the provisions, in the order of the corpus.
        documents: what is read of them, with term frequencies for counts.
        train: the queries of all sources, one source after the other.
        pairs: number of pairs of each source.
        dev: the queries to measure on.
        sources: what the card says of each source.
        data: digests of all of it.
    """

    docnos: tuple[str, ...]
    documents: Features
    train: Questions
    pairs: tuple[int, ...]
    dev: Questions | None
    sources: tuple[dict[str, Any], ...]
    data: dict[str, str]


def read_material(recipe: Recipe, collection: Collection, pool: Executor) -> Material:
    """Read what `recipe` learns from in `collection`, whose split is that of the judgements.

    A query whose text is that of a dev query is left out, and counted.

    Raises:
        DataError: nothing to learn from, or the dev split shares queries with the judgements.
    """
    documents = [(row.doc_id, row.default_text()) for row in collection.docs()]
    numbers = {docno: number for number, (docno, _) in enumerate(documents)}
    dev = None if recipe.dev is None else _dev_pairs(recipe, collection, numbers)
    held_out = frozenset() if dev is None else frozenset(map(same_question, dev.queries))
    texts: list[str] = []
    gold: list[Integers] = []
    near: list[Integers] = []
    sizes, sources = [], []
    for name in recipe.sources:
        found = _pairs(name, collection, numbers)
        kept = [number for number, text in enumerate(found.queries) if same_question(text) not in held_out]
        if not kept:
            raise DataError(
                f"{collection.id} gives no {name} to learn from that are not dev queries, too: name another dev split."
            )
        texts += [found.queries[number] for number in kept]
        gold += [found.gold[number] for number in kept]
        near += [found.near[number] for number in kept]
        sizes.append(sum(len(found.gold[number]) for number in kept))
        counts = {"queries": len(kept), "pairs": sizes[-1], "left_out": len(found.queries) - len(kept)}
        sources.append({"source": name, **counts, "notes": list(found.notes)})
    train = _questions(recipe, texts, gold, near, pool)
    measured = None if dev is None else _questions(recipe, dev.queries, dev.gold, dev.near, pool)
    data = {"corpus": collection.fingerprint(), "train": train.digest()}
    if measured is not None:
        data["dev"] = measured.digest()
    read = _features(recipe, [text for _, text in documents], pool)
    return Material(tuple(docno for docno, _ in documents), read, train, tuple(sizes), measured, tuple(sources), data)


def _pairs(source: str, collection: Collection, numbers: Mapping[str, int]) -> Pairs:
    if source == "judgements":
        return from_judgements(collection.source, numbers=numbers)
    return from_references(collection) if source == "citations" else from_headings(collection)


def _dev_pairs(recipe: Recipe, collection: Collection, numbers: Mapping[str, int]) -> Pairs:
    """Return the pairs of the dev split, which shares no query with the judgements that are learnt from."""
    dev = datasets.load(f"{collection.source.base_id}/{recipe.dev}")
    if "judgements" in recipe.sources:
        check_disjoint(collection.source, dev)
    return from_judgements(dev, numbers=numbers)


def _questions(
    recipe: Recipe, texts: Sequence[str], gold: Sequence[Integers], near: Sequence[Integers], pool: Executor
) -> Questions:
    spared = [np.union1d(right, beside) for right, beside in zip(gold, near, strict=True)]
    return Questions(tuple(texts), _features(recipe, texts, pool), _joined(gold), _joined(spared))


def _joined(parts: Sequence[Integers]) -> Gold:
    sizes = np.array([0, *map(len, parts)], dtype=np.int64)
    return Gold(np.cumsum(sizes), np.concatenate([np.zeros(0, np.int64), *parts]))


def _features(recipe: Recipe, texts: Sequence[str], pool: Executor) -> Features:
    ngrams = recipe.ngrams
    parts = list(pool.map(lambda first: ngrams.features(texts[first : first + _TEXTS]), range(0, len(texts), _TEXTS)))
    sizes = [np.zeros(1, np.int64), *(np.diff(part.indptr) for part in parts)]
    rows = np.concatenate([np.zeros(0, np.int32), *(part.rows for part in parts)])
    counts = np.concatenate([np.zeros(0, np.float32), *(part.counts for part in parts)])
    return Features(np.cumsum(np.concatenate(sizes)), rows, term_weights(counts, recipe.tf))


def dataset_name(collection: Collection) -> str:
    """Return what the card calls the collection: its id, or the name of its folder, which says where on no disk."""
    base = collection.source.base_id
    name = base if base.startswith("legalir/") else Path(base).resolve().name
    return name if collection.source.split is None else f"{name}/{collection.source.split}"
