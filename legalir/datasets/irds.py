"""Our collections in the form of ir_datasets, and their registration, which importing this module does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

import ir_datasets
from ir_datasets import EntityType
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseDocs, BaseQrels, BaseQueries, GenericQuery, TrecQrel
from ir_datasets.indices.base import Docstore
from ir_datasets.util.metadata import MetadataComponent

from legalir.datasets.catalog import PREFIX, entries, load
from legalir.datasets.records import Provision

if TYPE_CHECKING:
    from legalir.datasets.dataset import StatuteDataset


def irds_dataset(dataset: StatuteDataset) -> Dataset:
    """Return the ir_datasets form of a collection or split; nothing is read until it is needed."""
    parts = Dataset(
        StatuteDocs(dataset),
        StatuteQueries(dataset) if dataset.has_topics() else None,
        StatuteQrels(dataset) if dataset.has_judgements() else None,
    )
    return Dataset(MetadataComponent(dataset.id, parts, _Metadata(dataset)), parts, _Documentation(dataset))


class _Documentation:
    """What ``dataset.yaml`` says, under the names that ir_datasets uses; facts that are not given are left out."""

    def __init__(self, dataset: StatuteDataset) -> None:
        self._dataset = dataset

    def documentation(self) -> dict[str, str]:
        """Return name, description, origin, terms of use and publication."""
        about = self._dataset.about
        facts = {
            "pretty_name": about.title,
            "desc": about.description,
            "source": about.source,
            "licence": about.licence,
            "citation": about.citation,
        }
        return {name: text.strip() for name, text in facts.items() if text}


class _Metadata:
    """The counts that ir_datasets asks for."""

    def __init__(self, dataset: StatuteDataset) -> None:
        self._dataset = dataset

    def get_metadata(self, dataset_id: str, kind: EntityType) -> dict[str, object]:
        """Return the count of documents, queries or judgements."""
        if kind == EntityType.docs:
            return {"count": self._dataset.docs_count()}
        if kind == EntityType.queries:
            return {"count": sum(1 for _ in self._dataset.queries())}
        if kind == EntityType.qrels:
            counts: dict[int, int] = {}
            for row in self._dataset.judgements():
                counts[row.label] = counts.get(row.label, 0) + 1
            return {"count": sum(counts.values()), "fields": {"relevance": {"counts_by_value": counts}}}
        return {}


class StatuteDocs(BaseDocs):  # type: ignore[misc]
    """The provisions of a collection. The splits of one collection have equal documents."""

    def __init__(self, dataset: StatuteDataset) -> None:
        self._dataset = dataset

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StatuteDocs) and self._dataset.base_id == other._dataset.base_id

    def __hash__(self) -> int:
        return hash(self._dataset.base_id)

    def docs_iter(self) -> DocsIter:
        """Return an iterator that can be sliced."""
        return DocsIter(self._dataset)

    def docs_cls(self) -> type[Provision]:
        """Return the record type."""
        return Provision

    def docs_count(self) -> int:
        """Return the number of provisions."""
        return self._dataset.docs_count()

    def docs_store(self) -> StatuteDocstore:
        """Return random access by identifier."""
        return StatuteDocstore(self._dataset)

    def docs_namespace(self) -> str:
        """Return the id of the collection: its splits share their documents."""
        return self._dataset.base_id

    def docs_lang(self) -> str | None:
        """Return the language code of the provisions."""
        return self._dataset.about.lang


class DocsIter:
    """Provisions in the order of the corpus; ``it[start:stop:step]`` and ``it[i]`` skip without parsing."""

    def __init__(self, dataset: StatuteDataset, positions: range | None = None) -> None:
        self._dataset = dataset
        self._positions = positions
        self._running: Iterator[Provision] | None = None

    def __iter__(self) -> DocsIter:
        return self

    def __next__(self) -> Provision:
        if self._running is None:
            if self._positions is None:
                self._running = self._dataset.docs()
            else:
                self._running = self._dataset.store.at(self._positions)
        return next(self._running)

    def __getitem__(self, key: int | slice) -> DocsIter | Provision:
        positions = range(self._dataset.docs_count()) if self._positions is None else self._positions
        if isinstance(key, int):
            return self._dataset.store[positions[key]]
        if key.step is not None and key.step <= 0:
            raise ValueError("step must be positive")
        start, stop = (_whole(bound, len(positions)) for bound in (key.start, key.stop))
        return DocsIter(self._dataset, positions[start : stop : key.step])


def _whole(bound: float | None, size: int) -> int | None:
    """Return a bound as an integer: in ir_datasets, a float is a share of the whole."""
    return math.floor(bound * size) if isinstance(bound, float) else bound


class StatuteDocstore(Docstore):  # type: ignore[misc]
    """Provisions by docno."""

    def __init__(self, dataset: StatuteDataset) -> None:
        super().__init__(Provision)
        self._dataset = dataset

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[Provision]:
        """Yield the provisions with these docnos; unknown docnos are skipped."""
        return self._dataset.store.get_many_iter(doc_ids)

    def built(self) -> bool:
        """Return True: the store is built when it is first used."""
        return True

    def count(self) -> int:
        """Return the number of provisions."""
        return self._dataset.docs_count()

    def __iter__(self) -> DocsIter:
        return DocsIter(self._dataset)


class StatuteQueries(BaseQueries):  # type: ignore[misc]
    """The questions of a collection or split."""

    def __init__(self, dataset: StatuteDataset) -> None:
        self._dataset = dataset

    def queries_iter(self) -> Iterator[GenericQuery]:
        """Yield identifier and text of every question."""
        for row in self._dataset.queries():
            yield GenericQuery(row["qid"], row["query"])

    def queries_cls(self) -> type[object]:
        """Return the record type: one text field, so that PyTerrier calls it `query`."""
        return GenericQuery  # type: ignore[no-any-return]

    def queries_namespace(self) -> str:
        """Return the id of the collection."""
        return self._dataset.base_id

    def queries_lang(self) -> str | None:
        """Return the language code of the questions."""
        return self._dataset.about.queries_lang(self._dataset.split)


class StatuteQrels(BaseQrels):  # type: ignore[misc]
    """The judgements of a collection or split."""

    def __init__(self, dataset: StatuteDataset) -> None:
        self._dataset = dataset

    def qrels_iter(self) -> Iterator[TrecQrel]:
        """Yield every judgement."""
        for row in self._dataset.judgements():
            yield TrecQrel(row.qid, row.docno, row.label, "0")

    def qrels_cls(self) -> type[object]:
        """Return the record type."""
        return TrecQrel  # type: ignore[no-any-return]

    def qrels_defs(self) -> dict[int, str]:
        """Return the meaning of each label."""
        return self._dataset.about.labels

    def qrels_path(self) -> str:
        """Return the judgement file."""
        return str(self._dataset.folder.qrels_of(self._dataset.split))


class Registry(Protocol):
    """The methods of ``ir_datasets.registry`` that registration uses."""

    def __iter__(self) -> Iterator[str]: ...

    def register(self, name: str, obj: object) -> None:
        """Add a dataset under a new name."""

    def register_pattern(self, pattern: str, initializer: object) -> None:
        """Add a function that makes the dataset of each name that matches."""


def register(registry: Registry) -> None:
    """Register every collection and every split under its id; doing it again is harmless.

    Only names of files are read, and nothing is fetched. A later id that begins with ``legalir/`` is looked up when it
    is asked for; an unknown one raises DatasetNotFound.
    """
    taken = set(registry)
    for entry in entries().values():
        for split in (None, *entry.splits):
            id = entry.id if split is None else f"{entry.id}/{split}"
            if id not in taken:
                registry.register(id, irds_dataset(entry.dataset(split)))
    if not getattr(registry, "_legalir_pattern", False):
        registry.register_pattern(f"^{PREFIX}.+$", lambda id, groups: irds_dataset(load(id)))
        registry._legalir_pattern = True  # type: ignore[attr-defined]


register(ir_datasets.registry)
