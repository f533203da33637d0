"""The data of a training: provisions, queries with their right provisions, and dev queries to measure on.

Queries come from judgements, from headings, and from the words around references
(:mod:`legalir.train.reference_contexts`).
"""

from __future__ import annotations

import hashlib
import logging
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir import datasets
from legalir.analysis.text import normalize
from legalir.datasets import Provision, StatuteDataset
from legalir.dense.cosine import best_cosines
from legalir.errors import DataError
from legalir.extras import require
from legalir.references.numbers import clean
from legalir.storage.digest import digest
from legalir.train.reference_contexts import ReferenceContexts

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

Integers = npt.NDArray[np.int64]

_log = logging.getLogger("legalir")

_LEAST_JUDGED, _LEAST_HELD_OUT, _MOST_HELD_OUT = 100, 20, 500
"""Numbers of questions: judged questions without the dev split, and held-out questions."""


class Gold(NamedTuple):
    """The right provisions of each query, as document numbers: for q, ``documents[indptr[q] : indptr[q + 1]]``.

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

    A query with the text of a dev query or a held-out query is skipped and counted. If the collection
    has no headings, or no links, the other sources are read, and a warning says so. If there are too few judged
    questions to hold some out, all are learnt from, and a note of the judgements says so.

    Args:
        collection: a collection; its split has the judgements.
        sources: some of ``judgements``, ``citations``, ``headings``.
        dev: the split to measure on; None: nothing is measured.
        hold_out: share of the judged questions that are held out, at most 0.5; if there is a dev split, its questions
            are held out instead. 0 holds out none.

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
        return from_judgements(collection.source, numbers)
    if source == "headings":
        return from_headings(collection.source.docs())
    return from_references(_Provisions(collection.source), collection.source.links())


def _dev_pairs(collection: Collection, sources: Sequence[str], dev: str, numbers: Mapping[str, int]) -> Pairs:
    """Return the pairs of the dev split, which shares no query with the judgements that are learnt from."""
    dataset = datasets.load(f"{collection.source.base_id}/{dev}")
    if "judgements" in sources:
        check_disjoint(collection.source, dataset)
    return from_judgements(dataset, numbers)


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
    """Return a card's facts about the collection: name, title, language and licence, without any path."""
    base, split, about = collection.source.base_id, collection.source.split, collection.source.about
    name = base if base.startswith("legalir/") else Path(base).resolve().name
    dataset = name if split is None else f"{name}/{split}"
    return {"dataset": dataset, "title": about.title, "lang": about.lang, "licence": about.licence}


@dataclass(frozen=True)
class Pairs:
    """Queries with their provisions, which are numbers in the order of the corpus.

    Attributes:
        queries: the texts.
        gold: right provisions of each query, ascending: to train towards, and never negatives.
        source: where they come from.
        near: provisions of each query that are neither trained towards nor negatives; empty if there are none.
        notes: what was left out or not found, one clause each.
    """

    queries: list[str]
    gold: list[Integers]
    source: str
    near: list[Integers] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.near:
            object.__setattr__(self, "near", [_numbers(())] * len(self.queries))
        for note in self.notes:
            logging.getLogger("legalir").info("%s: %s.", self.source, note)


def from_judgements(dataset: StatuteDataset, numbers: Mapping[str, int]) -> Pairs:
    """Return the judged questions with the provisions judged 1 or more.

    Args:
        dataset: a collection or split.
        numbers: docno to number in the order of the corpus.

    Raises:
        DataError: there are no judgements or no queries, or none of the questions has a provision of the corpus.
    """
    if not dataset.has_judgements():
        raise DataError(
            f"Judgements were asked for, but {dataset.id} has none: name a split that has, or other sources."
        )
    right: dict[str, list[int]] = {}
    unknown = 0
    for judgement in dataset.judgements():
        if judgement.label >= 1:
            gold = right.setdefault(judgement.qid, [])
            if judgement.docno in numbers:
                gold.append(numbers[judgement.docno])
            else:
                unknown += 1
    rows = [(str(row["query"]), right.get(str(row["qid"]), [])) for row in dataset.queries()]
    usable = [(query, gold) for query, gold in rows if gold]
    if not usable:
        raise DataError(f"No question of {dataset.id} has a provision of the corpus judged right: check its docnos.")
    notes = []
    if unknown:
        notes.append(f"{unknown} judgement(s) of {dataset.id} name a provision that the corpus does not have")
    if len(usable) < len(rows):
        notes.append(f"{len(rows) - len(usable)} question(s) of {dataset.id} have no right provision in the corpus")
    gold_numbers = [_numbers(gold) for _, gold in usable]
    return Pairs([query for query, _ in usable], gold_numbers, "judgements", notes=tuple(notes))


def from_headings(provisions: Iterable[Provision], most: int = 20) -> Pairs:
    """Return each heading as a query for the provisions that have it.

    Args:
        provisions: in the order of the corpus.
        most: a heading that more provisions have (``목적``, ``Definitions``) says too little: there the law's name and
            the heading are the query for the provision; without a law it is left out.

    Raises:
        DataError: no provision has a heading.
    """
    by_heading: dict[str, list[tuple[int, str]]] = {}
    for number, record in enumerate(provisions):
        if heading := clean(record.heading):
            by_heading.setdefault(heading, []).append((number, clean(record.law)))
    if not by_heading:
        raise DataError("Headings were asked for, but no provision of the collection has one: name other sources.")
    queries: dict[str, list[int]] = {}
    left_out = 0
    for heading, same in by_heading.items():
        for number, law in same:
            if len(same) <= most:
                queries.setdefault(heading, []).append(number)
            elif law:
                queries.setdefault(f"{law} {heading}", []).append(number)
            else:
                left_out += 1
    notes = (f"{left_out} heading(s) say too little and have no law to be named with",) if left_out else ()
    return Pairs(list(queries), [_numbers(gold) for gold in queries.values()], "headings", notes=notes)


def from_references(provisions: Iterable[Provision], links: Iterable[tuple[str, str, str]]) -> Pairs:
    """Return the words around each reference as a query for the provisions that are cited there.

    Recipes call this source ``citations``.

    Args:
        provisions: in the order of the corpus; read twice.
        links: source docno, target docno, kind.

    Raises:
        DataError: there are no links, or none of them is mentioned.
    """
    contexts = ReferenceContexts(provisions, links)
    queries: dict[str, tuple[set[int], set[int]]] = {}
    for context in contexts:
        gold, near = queries.setdefault(context.words, (set(), set()))
        gold.update(context.cited)
        near.update(context.near)
    notes = tuple(contexts.report.sentences())
    if not queries:
        raise DataError(f"Citations were asked for, but none can be used: {'; '.join(notes)}.")
    golds, nears = zip(*((_numbers(gold), _numbers(near - gold)) for gold, near in queries.values()), strict=True)
    return Pairs(list(queries), list(golds), "citations", list(nears), notes)


class _Provisions:
    """The provisions of a dataset, read again for each iteration."""

    def __init__(self, dataset: StatuteDataset) -> None:
        self._dataset = dataset

    def __iter__(self) -> Iterator[Provision]:
        return self._dataset.docs()


def _numbers(values: Iterable[int]) -> Integers:
    return np.array(sorted(set(values)), dtype=np.int64)


_K = 10


def dev_measures(queries: npt.NDArray[np.float32], documents: npt.NDArray[np.float32], gold: Gold) -> dict[str, float]:
    """Return the means of ``R@10``, ``nDCG@10`` (binary) and ``MultiHitRate@10`` over queries, as shares.

    Args:
        queries: vectors, [m, d]; one of zeros has no results and counts.
        documents: vectors, [n, d].
        gold: right provisions of each query, at least one.
    """
    order = np.arange(len(documents), dtype=np.int32)
    totals = np.zeros(3)
    for query, (best, _) in enumerate(best_cosines(documents, order, queries, _K)):
        totals += measures_of(best, gold.of(query))
    means = totals / max(1, len(queries))
    return {name: float(value) for name, value in zip(("R@10", "nDCG@10", "MultiHitRate@10"), means, strict=True)}


def measures_of(best: npt.NDArray[np.integer], right: npt.NDArray[np.int64]) -> tuple[float, float, float]:
    """Return R@10, nDCG@10 and MultiHitRate@10 of one query, from at most its first ten results."""
    hits = np.isin(best, right)
    gain = sum(1 / math.log2(place + 2) for place in np.flatnonzero(hits))
    ideal = sum(1 / math.log2(place + 2) for place in range(min(_K, len(right))))
    return float(hits.sum()) / len(right), gain / ideal, float(hits.sum() == len(right))
