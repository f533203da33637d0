"""The data of a training: provisions, queries with their right provisions, and dev queries to measure on."""

from __future__ import annotations

import hashlib
import logging
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir import datasets
from legalir.analysis.text import normalize
from legalir.datasets import StatuteDataset
from legalir.errors import DataError
from legalir.extras import require
from legalir.storage.digest import digest
from legalir.train.pairs import Pairs, from_headings, from_judgements, from_references

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

Integers = npt.NDArray[np.int64]

_log = logging.getLogger("legalir")

_LEAST_JUDGED, _LEAST_HELD_OUT, _MOST_HELD_OUT = 100, 20, 500
"""Numbers of questions: judged ones, without a dev split, and those that are held out."""


class Gold(NamedTuple):
    """The right provisions of each query, as document numbers: those of q are ``documents[indptr[q] : indptr[q + 1]]``.

    Attributes:
        indptr: int64 [q + 1].
        documents: int64 [g].
    """

    indptr: Integers
    documents: Integers

    @classmethod
    def joined(cls, rows: Sequence[Integers]) -> Gold:
        """Return the document numbers of queries, given one array for each query."""
        sizes = np.array([0, *map(len, rows)], dtype=np.int64)
        return cls(np.cumsum(sizes), np.concatenate([np.zeros(0, np.int64), *rows]))

    def of(self, query: int) -> Integers:
        """Return the document numbers of a query."""
        return self.documents[self.indptr[query] : self.indptr[query + 1]]


def pairs_of(gold: Gold) -> Integers:
    """Return query and document of each pair, int64 [g, 2]."""
    queries = np.repeat(np.arange(len(gold.indptr) - 1), np.diff(gold.indptr))
    return np.stack((queries, gold.documents), axis=1)


@dataclass(frozen=True)
class Questions:
    """Queries and their provisions.

    Attributes:
        texts: the queries.
        gold: right provisions of each query.
        spared: provisions that are never negatives of a query: right ones, and those near them.
    """

    texts: tuple[str, ...]
    gold: Gold
    spared: Gold

    def digest(self) -> str:
        """Return a sha256 of texts and provisions."""
        total = hashlib.sha256("\0".join(self.texts).encode("utf-8", "surrogatepass"))
        for array in (*self.gold, *self.spared):
            total.update(array.astype("<i8").tobytes())
        return total.hexdigest()


class HeldOut(NamedTuple):
    """Judged questions that training does not see.

    Attributes:
        texts: the questions.
        gold: right provisions of each.
        seen: share of these provisions, those of each question counted, that are right for a judged question that is
            learnt from.
    """

    texts: tuple[str, ...]
    gold: Gold
    seen: float


@dataclass(frozen=True)
class Material:
    """All data of a training.

    Attributes:
        docnos: of the provisions, in the order of the corpus.
        passages: texts of the provisions.
        train: the queries of all sources, one source after the other.
        pairs: number of pairs of each source.
        dev: the queries to measure on.
        held_out: the questions that choose the weight of the model in ``default``; None: nothing chooses it.
        sources: facts about each source for the card.
        data: digests of all of it.
    """

    docnos: tuple[str, ...]
    passages: tuple[str, ...]
    train: Questions
    pairs: tuple[int, ...]
    dev: Questions | None
    held_out: HeldOut | None
    sources: tuple[dict[str, Any], ...]
    data: dict[str, str]


def read_material(collection: Collection, sources: Sequence[str], dev: str | None, hold_out: float = 0.0) -> Material:
    """Read the data of a training from a collection.

    A query whose text is that of a dev query, or of one that is held out, is left out and counted. If the collection
    has no headings, or no links, the other sources are read, and a warning says so. If there are too few judged
    questions to hold some out, all are learnt from, and a note of the judgements says so.

    Args:
        collection: its split is that of the judgements.
        sources: some of ``judgements``, ``citations``, ``headings``.
        dev: the split to measure on; None: nothing is measured.
        hold_out: share of the judged questions that are held out, at most 0.5; those of the dev split are held out
            instead where there is one. 0: none.

    Raises:
        DataError: there is nothing to learn from, or the dev split shares queries with the judgements.
    """
    documents, headings = [], False
    for row in collection.docs():
        documents.append((row.doc_id, row.default_text()))
        headings = headings or bool(row.heading.strip())
    absent = _absent(collection, sources, headings)
    numbers = {docno: number for number, (docno, _) in enumerate(documents)}
    dev_pairs = None if dev is None else _dev_pairs(collection, sources, dev, numbers)
    by_source = {name: absent[name] if name in absent else _pairs(name, collection, numbers) for name in sources}
    chooses = hold_out > 0 and "judgements" in by_source
    held_out, reason = _held_out(by_source["judgements"], dev_pairs, hold_out) if chooses else (None, "")
    both = [pairs for pairs in (dev_pairs, held_out) if pairs is not None]
    unseen = frozenset(same_question(query) for pairs in both for query in pairs.queries)
    texts: list[str] = []
    gold: list[Integers] = []
    near: list[Integers] = []
    sizes, facts = [], []
    for name, pairs in by_source.items():
        usable = [number for number, text in enumerate(pairs.queries) if same_question(text) not in unseen]
        if not usable and name not in absent:
            raise DataError(
                f"{collection.id} gives no {name} to learn from that are not dev queries, too: name another dev split."
            )
        texts += [pairs.queries[number] for number in usable]
        gold += [pairs.gold[number] for number in usable]
        near += [pairs.near[number] for number in usable]
        sizes.append(sum(len(pairs.gold[number]) for number in usable))
        counts = {"queries": len(usable), "pairs": sizes[-1], "left_out": len(pairs.queries) - len(usable)}
        reasons = [reason] if reason and name == "judgements" else []
        facts.append({"source": name, **counts, "notes": [*pairs.notes, *reasons]})
    train = _questions(texts, gold, near)
    measured = None if dev_pairs is None else _questions(dev_pairs.queries, dev_pairs.gold, dev_pairs.near)
    data = {"corpus": collection.fingerprint(), "train": train.digest()}
    if measured is not None:
        data["dev"] = measured.digest()
    docnos, passages = zip(*documents, strict=True)
    chosen_by = None if held_out is None else _with_share(held_out, by_source["judgements"], unseen)
    return Material(docnos, passages, train, tuple(sizes), measured, chosen_by, tuple(facts), data)


def _held_out(judged: Pairs, dev: Pairs | None, share: float) -> tuple[Pairs | None, str]:
    """Return the questions that are held out, chosen by the hash of their text; None, and why, if too little is known.

    Questions of the same text are all held out, or all learnt from.
    """
    pool, kind, least = (judged, "judged", _LEAST_JUDGED) if dev is None else (dev, "dev", _LEAST_HELD_OUT)
    questions = sorted({same_question(query) for query in pool.queries}, key=digest)
    most = (
        _MOST_HELD_OUT if dev is not None else min(max(round(share * len(questions)), _LEAST_HELD_OUT), _MOST_HELD_OUT)
    )
    chosen = frozenset(questions[:most])
    rows = [row for row in zip(pool.queries, pool.gold, strict=True) if same_question(row[0]) in chosen]
    reason = ""
    if len(questions) < least:
        reason = f"there are {len(questions)} {kind} questions, and {least} are needed"
    elif len(np.unique(np.concatenate([gold for _, gold in rows]))) == 1:
        reason = f"all {kind} questions that would choose it have one and the same right provision"
    if reason:
        _log.warning("The weight of the model in default is not measured: %s.", reason)
        return None, f"the weight in default is not measured: {reason}"
    return Pairs([query for query, _ in rows], [gold for _, gold in rows], pool.source), ""


def _with_share(held_out: Pairs, judged: Pairs, unseen: frozenset[str]) -> HeldOut:
    learnt = [
        gold for query, gold in zip(judged.queries, judged.gold, strict=True) if same_question(query) not in unseen
    ]
    gold = Gold.joined(held_out.gold)
    return HeldOut(tuple(held_out.queries), gold, float(np.isin(gold.documents, np.concatenate(learnt)).mean()))


def _absent(collection: Collection, sources: Sequence[str], headings: bool) -> dict[str, Pairs]:
    """Return an empty source in place of each that the collection lacks, with a warning; nothing if it lacks all."""
    lacks = {}
    if "headings" in sources and not headings:
        lacks["headings"] = "no provision has a heading"
    if "citations" in sources and next(iter(collection.source.links()), None) is None:
        lacks["citations"] = "there are no links"
    if len(lacks) == len(sources):
        return {}
    rest = " and ".join(name for name in sources if name not in lacks)
    for name, reason in lacks.items():
        _log.warning(
            "%s were asked for, but %s in %s: training goes on with %s.", name.capitalize(), reason, collection.id, rest
        )
    return {name: Pairs([], [], name, notes=(reason,)) for name, reason in lacks.items()}


def _pairs(source: str, collection: Collection, numbers: Mapping[str, int]) -> Pairs:
    if source == "judgements":
        return from_judgements(collection.source, numbers=numbers)
    return from_references(collection) if source == "citations" else from_headings(collection)


def _dev_pairs(collection: Collection, sources: Sequence[str], dev: str, numbers: Mapping[str, int]) -> Pairs:
    """Return the pairs of the dev split, which shares no query with the judgements that are learnt from."""
    dataset = datasets.load(f"{collection.source.base_id}/{dev}")
    if "judgements" in sources:
        check_disjoint(collection.source, dataset)
    return from_judgements(dataset, numbers=numbers)


def _questions(texts: Sequence[str], gold: Sequence[Integers], near: Sequence[Integers]) -> Questions:
    spared = [np.union1d(right, beside) for right, beside in zip(gold, near, strict=True)]
    return Questions(tuple(texts), Gold.joined(gold), Gold.joined(spared))


def check_disjoint(train: StatuteDataset, dev: StatuteDataset) -> None:
    """Check that a split that is learnt from and the dev split judge no query in common.

    Raises:
        DataError: they do; names their number and one of them.
    """
    shared = sorted({row.qid for row in train.judgements()} & {row.qid for row in dev.judgements()})
    if shared:
        raise DataError(
            f"{len(shared)} queries of the dev split {dev.id}, such as {shared[0]!r}, are judged in {train.id}, too, "
            f"and would be learnt: name a split that shares none."
        )


def same_question(query: str) -> str:
    """Return what all spellings of a question share: NFC, lower case, one middle dot, single spaces."""
    return " ".join(normalize(query).split())


def random_numbers(seed: int, *place: int) -> np.random.Generator:
    """Return the random numbers of one place of a training; they do not depend on what was drawn before."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=place))


@contextmanager
def own_random_numbers() -> Iterator[None]:
    """Restore the states of Python's, numpy's and torch's global generators, on each device, at the end."""
    torch = require("torch", extra="dense")
    python, arrays = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(arrays)


def epoch_order(sizes: Sequence[int], weights: Sequence[float] | None, rng: np.random.Generator) -> Integers:
    """Return the pair numbers of an epoch in the order of training; as many as there are pairs.

    Each source is in a random order of its own, and the sources are interleaved evenly, so that each stretch has them
    in proportion.

    Args:
        sizes: pairs of each source, whose numbers follow each other.
        weights: share of each source; None: each pair once. A source whose share is more than its pairs begins again,
            in another order. A source without pairs has no share.
        rng: source of random numbers.
    """
    total = sum(sizes)
    shares = np.where(np.array(sizes) > 0, sizes if weights is None else weights, 0.0)
    ends = np.rint(np.cumsum(shares) / shares.sum() * total).astype(np.int64)
    numbers, places = [], []
    for first, size, count in zip(np.cumsum([0, *sizes]), sizes, np.diff(ends, prepend=0), strict=False):
        rounds = [rng.permutation(size) for _ in range(-(-int(count) // max(1, size)))]
        numbers.append(first + np.concatenate([np.zeros(0, np.int64), *rounds])[:count])
        places.append((np.arange(count) + rng.random(count)) / max(1, count))
    return np.concatenate(numbers)[np.argsort(np.concatenate(places), kind="stable")]


def dataset_facts(collection: Collection) -> dict[str, Any]:
    """Return what a card says about the collection: name, title, language and licence, without any path."""
    base, split, about = collection.source.base_id, collection.source.split, collection.source.about
    name = base if base.startswith("legalir/") else Path(base).resolve().name
    dataset = name if split is None else f"{name}/{split}"
    return {"dataset": dataset, "title": about.title, "lang": about.lang, "licence": about.licence}
