"""Queries and the provisions that are right for them: from judgements, from headings, from references."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from legalir.datasets import Provision, StatuteDataset
from legalir.errors import DataError
from legalir.references.numbers import clean
from legalir.train.reference_contexts import ReferenceContexts

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

Integers = npt.NDArray[np.int64]


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


def from_judgements(dataset: StatuteDataset, numbers: Mapping[str, int] | None = None) -> Pairs:
    """Return the judged questions with the provisions judged 1 or more.

    Args:
        dataset: a collection or split.
        numbers: docno to number in the order of the corpus; None: read the corpus.

    Raises:
        DataError: there are no judgements or no queries, or none of the questions has a provision of the corpus.
    """
    if not dataset.has_judgements():
        raise DataError(
            f"Judgements were asked for, but {dataset.id} has none: name a split that has, or other sources."
        )
    if numbers is None:
        numbers = {record.doc_id: number for number, record in enumerate(dataset.docs())}
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


def from_headings(provisions: Collection | StatuteDataset | Iterable[Provision], most: int = 20) -> Pairs:
    """Return each heading as a query for the provisions that have it.

    Args:
        provisions: of a collection, in the order of the corpus.
        most: a heading that more provisions have (``목적``, ``Definitions``) says too little: there the law's name and
            the heading are the query for the provision; without a law it is left out.

    Raises:
        DataError: no provision has a heading.
    """
    by_heading: dict[str, list[tuple[int, str]]] = {}
    for number, record in enumerate(_provisions(provisions)):
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


def from_references(
    provisions: Collection | StatuteDataset | Iterable[Provision],
    links: Iterable[tuple[str, str, str]] | None = None,
    before: int = 50,
    after: int = 90,
    most: int = 10,
) -> Pairs:
    """Return the words around each reference as a query for the provisions that are cited there.

    Recipes call this source ``citations``.

    Args:
        provisions: of a collection, in the order of the corpus; read twice.
        links: source docno, target docno, kind; None for the collection's links.
        before: characters before a mention that belong to the query.
        after: characters after it.
        most: longer lists of references are left out.

    Raises:
        DataError: there are no links, or none of them is mentioned.
    """
    if links is None:
        dataset = _dataset(provisions)
        links = () if dataset is None else dataset.links()
    contexts = ReferenceContexts(_provisions(provisions), links, before, after, most)
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


def _dataset(provisions: Collection | StatuteDataset | Iterable[Provision]) -> StatuteDataset | None:
    from legalir.collection.collection import Collection

    if isinstance(provisions, Collection):
        return provisions.source
    return provisions if isinstance(provisions, StatuteDataset) else None


def _provisions(provisions: Collection | StatuteDataset | Iterable[Provision]) -> Iterable[Provision]:
    dataset = _dataset(provisions)
    if dataset is not None:
        return _Provisions(dataset)
    return provisions  # type: ignore[return-value]  # neither of the other two


def _numbers(values: Iterable[int]) -> Integers:
    return np.array(sorted(set(values)), dtype=np.int64)
