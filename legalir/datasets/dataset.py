"""A statute collection: provisions, topics, judgements, links, each read when it is asked for.

Judgements and links that point to nothing: counted and reported, never dropped in silence.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from legalir.datasets.about import About, Known
from legalir.datasets.folder import Folder
from legalir.datasets.readers import Judgement, Link, count_rows, read_corpus, read_links, read_qrels, read_queries
from legalir.datasets.records import Provision
from legalir.datasets.shipped import verify_judgements
from legalir.errors import DataError, DatasetNotFound, suggestion
from legalir.storage.digest import cached_file_digest

if TYPE_CHECKING:
    from legalir.datasets.store import ProvisionStore

__all__ = ["Dangling", "StatuteDataset", "count_dangling", "report_once"]

_reported: set[tuple[Path, str | None]] = set()


class Dangling(NamedTuple):
    """Counts of what points to nothing, each with the first identifiers that are unknown."""

    judged_provisions: int
    judged_queries: int
    links: int
    examples: dict[str, list[str]]

    def sentences(self) -> Iterator[str]:
        """Yield one clause for each count that is not zero."""
        texts = {
            "judged_provisions": "judgement(s) name a provision that the corpus does not have",
            "judged_queries": "judged quer(y/ies) are in no query file",
            "links": "link(s) have an end that the corpus does not have",
        }
        for name, text in texts.items():
            count = getattr(self, name)
            if count:
                yield f"{count} {text} ({', '.join(self.examples[name])}{', …' if count > 3 else ''})"


def count_dangling(dataset: StatuteDataset) -> Dangling:
    """Count what points to nothing in a collection or split; reads the whole corpus if nobody has yet."""
    docnos, folder = dataset.docnos(), dataset.folder
    qrels, queries = folder.qrels_of(dataset.split), folder.queries_of(dataset.split)
    judgements = [] if qrels is None else list(read_qrels(qrels))
    asked = set() if queries is None else {str(row["qid"]) for row in read_queries(queries, dataset.about.query_field)}
    unknown = [row.docno for row in judgements if row.docno not in docnos]
    unasked = [qid for qid in dict.fromkeys(row.qid for row in judgements) if qid not in asked]
    links: list[str] = []
    if folder.links is not None:
        for source, target, _ in read_links(folder.links):
            if source not in docnos or target not in docnos:
                links.append(target if source in docnos else source)
    examples = {"judged_provisions": unknown[:3], "judged_queries": unasked[:3], "links": links[:3]}
    return Dangling(len(unknown), len(unasked), len(links), examples)


def report_once(dataset: StatuteDataset) -> None:
    """Log what points to nothing, once a process for each collection or split."""
    key = (dataset.folder.root, dataset.split)
    if key in _reported:
        return
    _reported.add(key)
    try:
        counts = count_dangling(dataset)
    except DataError:
        return  # the faulty file raises the same error where it is asked for
    for sentence in counts.sentences():
        logging.getLogger("legalir").warning("%s: %s.", dataset.id, sentence)


class StatuteDataset:
    """A collection, or one split of it. Nothing is read, and nothing fetched, before it is asked for.

    Args:
        id: what the user calls it, a ``legalir/<name>[/<split>]`` or a path.
        folder: finds the files; a published collection fetches them here.
        split: name of the split, None for the base.
        known: facts that are known without the files; None: look.

    Raises:
        DatasetNotFound: the split is none of the collection's.
    """

    def __init__(
        self,
        id: str,
        folder: Callable[[], Folder],
        split: str | None = None,
        known: Known | None = None,
    ) -> None:
        self.id = id
        self.split = split
        self._find = folder
        self._known = known
        self._docnos: frozenset[str] | None = None
        self._count: int | None = None
        if split is not None and split not in self.splits:
            there = f" Its splits: {', '.join(self.splits)}." if self.splits else " It has no splits."
            raise DatasetNotFound(f"{self.base_id} has no split {split!r}.{suggestion(split, self.splits)}{there}")

    def __repr__(self) -> str:
        return f"StatuteDataset({self.id!r})"

    @cached_property
    def folder(self) -> Folder:
        """The files, fetched first where that is needed."""
        return self._find()

    @property
    def fetched(self) -> bool:
        """Whether the files are on this machine, so that nothing has to be fetched."""
        return self._known is None or self._known.fetched()

    @property
    def base_id(self) -> str:
        """The id without the split."""
        return self.id if self.split is None else self.id.removesuffix(f"/{self.split}")

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits of the collection."""
        return (self._known or self.folder).splits

    @property
    def about(self) -> About:
        """What the collection says of itself."""
        return (self._known and self._known.about) or self.folder.about

    @property
    def title(self) -> str | None:
        """Its name in full."""
        return self.about.title

    @property
    def licence(self) -> str | None:
        """Terms of use."""
        return self.about.licence

    @property
    def lang(self) -> str | None:
        """Language of the provisions, as an ISO 639-1 code."""
        return self.about.lang

    @property
    def source(self) -> str | None:
        """Where the collection comes from."""
        return self.about.source

    def docs(self) -> Iterator[Provision]:
        """Yield every provision in the order of the corpus; only one is in memory at a time.

        Judgements and links that point nowhere are counted at the end, and logged once.

        Raises:
            FormatError: a line that is not a provision, or a docno that an earlier line has.
        """
        docnos = []
        for record in read_corpus(self.folder.corpus):
            docnos.append(record.doc_id)
            yield record
        self._docnos = frozenset(docnos)
        report_once(self)

    def docnos(self) -> frozenset[str]:
        """Return the docno of every provision; reads the corpus the first time."""
        if self._docnos is None:
            self._docnos = frozenset(record.doc_id for record in read_corpus(self.folder.corpus))
        return self._docnos

    def docs_count(self) -> int:
        """Return the number of provisions; reads the corpus the first time."""
        if self._count is None:
            self._count = count_rows(self.folder.corpus) if self._docnos is None else len(self._docnos)
        return self._count

    def provisions(self, docnos: Iterable[str]) -> dict[str, Provision]:
        """Return the provisions that have these docnos, in their order; an unknown docno is left out."""
        return self.store.get_many(docnos)

    @cached_property
    def store(self) -> ProvisionStore:
        """Provisions by docno or position, without reading the corpus for each."""
        from legalir.datasets.store import ProvisionStore

        return ProvisionStore(self.folder.corpus, self.fingerprint())

    def has_topics(self) -> bool:
        """Tell whether there is a query file for the base or split."""
        return _has(self.split, (self._known or self.folder).queries)

    def has_judgements(self) -> bool:
        """Tell whether there is a judgement file for the base or split."""
        return _has(self.split, (self._known or self.folder).qrels)

    def topics(self) -> pd.DataFrame:
        """Return the questions: columns ``qid, query`` and any other that the query file has.

        Where there are judgements, a query without any is no topic.

        Raises:
            DataError: the collection or split has no query file.
            FormatError: a line of it is faulty.
        """
        rows = list(self.queries())
        columns = None if rows else ["qid", "query"]
        return pd.DataFrame(rows, columns=columns).astype({"qid": str, "query": str})

    def queries(self) -> Iterator[dict[str, object]]:
        """Yield the rows of :meth:`topics`."""
        path = self.folder.queries_of(self.split)
        if path is None:
            raise DataError(f"{self.id} has no queries{self._elsewhere(self.folder.queries)}.")
        judged = None if self.folder.qrels_of(self.split) is None else {row.qid for row in self.judgements()}
        for row in read_queries(path, self.about.query_field):
            if judged is None or row["qid"] in judged:
                yield row

    def qrels(self) -> pd.DataFrame:
        """Return the judgements: columns ``qid, docno, label``, label an integer from 0.

        Judgements of unknown queries or provisions are kept: leaving them out would flatter every system.

        Raises:
            DataError: the collection or split has no judgements; says which splits have.
            FormatError: a line is faulty.
        """
        frame = pd.DataFrame(list(self.judgements()), columns=list(Judgement._fields))
        return frame.astype({"qid": str, "docno": str, "label": int})

    def judgements(self) -> Iterator[Judgement]:
        """Yield the rows of :meth:`qrels`."""
        path = self.folder.qrels_of(self.split)
        if path is None:
            raise DataError(f"{self.id} has no judgements{self._elsewhere(self.folder.qrels)}.")
        if not path.is_relative_to(self.folder.root):
            verify_judgements(path)
        yield from read_qrels(path)

    def _elsewhere(self, files: dict[str, Path]) -> str:
        ids = [f"{self.base_id}/{split}" for split in self.splits if split in files]
        return f" of its own: use {' or '.join(ids)}" if ids else ""

    def links(self) -> Iterator[Link]:
        """Yield source docno, target docno and kind of every link; nothing where there is no link file.

        Raises:
            FormatError: a line is faulty.
        """
        if self.folder.links is not None:
            yield from read_links(self.folder.links)

    def fingerprint(self) -> str:
        """Return the sha256 of the corpus file: the same content has the same fingerprint anywhere."""
        return cached_file_digest(self.folder.corpus)

    def topics_fingerprint(self) -> str:
        """Return a sha256 over queries, judgements and split."""
        digest = hashlib.sha256(repr((self.split, self.about.query_field)).encode())
        for path in (self.folder.queries_of(self.split), self.folder.qrels_of(self.split)):
            digest.update(b"-" if path is None else cached_file_digest(path).encode())
        return digest.hexdigest()

    def problems(self) -> Dangling:
        """Return how many judgements and links point to nothing; reads the corpus the first time."""
        return count_dangling(self)


def _has(split: str | None, known: Collection[str]) -> bool:
    """Tell whether a split has files of its own or else the base's."""
    return (split or "") in known or "" in known
