"""A statute collection: provisions, topics, judgements and links, each read on first use."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from legalir.datasets.chunks import ChunkMap
from legalir.datasets.folder import ALIASES, OUT_OF_SCOPE, About, Folder, FolderOutline, verify_judgements
from legalir.datasets.readers import (
    Judgement,
    Link,
    read_aliases,
    read_chunks,
    read_corpus,
    read_links,
    read_origins,
    read_qrels,
    read_queries,
)
from legalir.datasets.records import Provision
from legalir.errors import DataError, DatasetNotFound, suggestion
from legalir.executors import Portable
from legalir.storage.digest import cached_file_digest
from legalir.storage.validity import names_version, provision_key

if TYPE_CHECKING:
    from legalir.datasets.provisions import ProvisionStore

_reported: set[tuple[Path, str | None]] = set()
"""Folder and split of the collections whose dangling judgements and links were logged by this process."""


class Dangling(NamedTuple):
    """Counts of judgements and links that point to nothing.

    Attributes:
        judged_provisions: judgements of a provision that the corpus does not have.
        judged_queries: judged queries that are in no query file.
        links: links with an end that the corpus does not have.
        examples: the first three unknown identifiers of each.
    """

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


class StatuteDataset(Portable):
    """A collection, or one split of it. Nothing is read or fetched before it is needed.

    Args:
        id: a ``legalir/<name>[/<split>]`` or a path, as the user wrote it.
        open_folder: returns the files; a published collection fetches them here.
        split: name of the split, None for the base.
        outline: facts that are there without the files; None: they are read from the folder.

    Raises:
        DatasetNotFound: the collection has no split of this name.
    """

    def __init__(
        self,
        id: str,
        open_folder: Callable[[], Folder],
        split: str | None = None,
        outline: FolderOutline | None = None,
    ) -> None:
        self.id = id
        self.split = split
        self._open_folder = open_folder
        self._outline = outline
        if split is not None and split not in self.splits:
            there = f" Its splits: {', '.join(self.splits)}." if self.splits else " It has no splits."
            raise DatasetNotFound(f"{self.base_id} has no split {split!r}.{suggestion(split, self.splits)}{there}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StatuteDataset) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"StatuteDataset({self.id!r})"

    @cached_property
    def folder(self) -> Folder:
        """The files, fetched first where that is needed."""
        return self._open_folder()

    @property
    def outline(self) -> FolderOutline:
        """The splits and other facts, from before the files are read where that is possible."""
        return self._outline or self.folder.outline

    @property
    def base_id(self) -> str:
        """The id without the split."""
        return self.id if self.split is None else self.id.removesuffix(f"/{self.split}")

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits of the collection."""
        return self.outline.splits

    @property
    def about(self) -> About:
        """Title, licence, language and the like."""
        return self.outline.about or self.folder.about

    def docs(self) -> Iterator[Provision]:
        """Yield every provision in the order of the corpus; only one is in memory at a time.

        Judgements and links that point to nothing are counted at the end, and logged once.

        Raises:
            FormatError: a line is not a provision, or repeats the docno of an earlier line.
        """
        docnos = []
        for record in self.store if self.store.built() else read_corpus(self.folder.corpus):
            docnos.append(record.doc_id)
            yield record
        self._report_dangling(frozenset(docnos))

    def docnos(self) -> frozenset[str]:
        """Return the docno of every provision; reads the corpus the first time."""
        return frozenset(self.store.docnos.array)

    @property
    def dated(self) -> bool:
        """Whether any docno has a version date (`key@YYYY-MM-DD`)."""
        return self.store.dated

    def docs_count(self) -> int:
        """Return the number of provisions; reads the corpus the first time."""
        return len(self.store)

    def provisions(self, docnos: Iterable[str]) -> dict[str, Provision]:
        """Return the provisions that have these docnos, in their order; an unknown docno is left out.

        In a chunk collection these are chunks, and the provisions that were cut into them.

        Raises:
            DataError: `docnos` is one text, or no list.
        """
        if isinstance(docnos, str) or not isinstance(docnos, Iterable):  # The letters of a text would be docnos.
            raise DataError(f"provisions: docnos must be a list of texts, got {docnos!r}: write [{str(docnos)!r}].")
        wanted = list(docnos)
        records = self.store.get_many(wanted)
        if self.cut_store is not None and len(records) < len(wanted):
            records |= self.cut_store.get_many(docno for docno in wanted if docno not in records)
            records = {docno: records[docno] for docno in wanted if docno in records}
        return records

    @cached_property
    def store(self) -> ProvisionStore:
        """Provisions by docno or position, without reading the corpus for each."""
        from legalir.datasets.provisions import ProvisionStore

        return ProvisionStore(self.folder.corpus, self.fingerprint())

    @cached_property
    def cut_store(self) -> ProvisionStore | None:
        """The provisions that were cut into chunks."""
        from legalir.datasets.provisions import ProvisionStore

        path = self.folder.provisions
        return None if path is None else ProvisionStore(path, cached_file_digest(path))

    @cached_property
    def chunks(self) -> ChunkMap | None:
        """Map from each chunk to the provisions that it contains; None if the documents are provisions.

        Raises:
            FormatError: a line of ``chunks.tsv`` is faulty.
        """
        return None if self.folder.chunks is None else ChunkMap(read_chunks(self.folder.chunks))

    def has_topics(self) -> bool:
        """Return True if the base or split has a query file."""
        return self._has(self.outline.queries)

    def has_judgements(self) -> bool:
        """Return True if the base or split has a judgement file."""
        return self._has(self.outline.qrels)

    def _has(self, splits: Collection[str]) -> bool:
        # A split without its own files uses the base's files.
        return (self.split or "") in splits or "" in splits

    def topics(self) -> pd.DataFrame:
        """Return the questions: columns ``qid, query`` and any other that the query file has.

        Where there are judgements, a query without any is not a topic.

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

    def out_of_scope(self) -> pd.DataFrame:
        """Return the questions that the collection does not answer: columns as :meth:`topics`.

        Raises:
            DataError: the folder has no ``out_of_scope.jsonl``.
            FormatError: a line of it is faulty.
        """
        path = self.folder.root / OUT_OF_SCOPE
        if not path.is_file():
            raise DataError(f"{self.id} has no questions out of its scope: add {path}, a line {{qid, query}} each.")
        return pd.DataFrame(read_queries(path, self.about.query_field)).astype({"qid": str, "query": str})

    def qrels(self) -> pd.DataFrame:
        """Return the judgements: columns ``qid, docno, label``, label an integer from 0.

        Judgements of unknown queries or provisions are kept: leaving them out would flatter every system.

        Raises:
            DataError: the collection or split has no judgements; the message lists the splits that have.
            FormatError: a line is faulty.
        """
        frame = pd.DataFrame(list(self.judgements()), columns=list(Judgement._fields))
        return frame.astype({"qid": str, "docno": str, "label": int})

    def answers(self) -> pd.DataFrame:
        """Return the reference answers of the topics: columns ``qid, gold_answer``, one row an answer.

        Raises:
            DataError: the collection or split has no query file, or no question has an answer.
            FormatError: a line of it is faulty.
        """
        rows = [(row["qid"], row.get("answer")) for row in self.queries()]
        frame = pd.DataFrame(rows, columns=["qid", "gold_answer"]).explode("gold_answer").dropna()
        if frame.empty:
            raise DataError(f"{self.id} has no reference answers: no question has the field answer.")
        return frame.reset_index(drop=True)

    def judgements(self, negative: bool = False) -> Iterator[Judgement]:
        """Yield the rows of :meth:`qrels`; with `negative`, a relevance below 0 as it is."""
        path = self.folder.qrels_of(self.split)
        if path is None:
            raise DataError(f"{self.id} has no judgements{self._elsewhere(self.folder.qrels)}.")
        if not path.is_relative_to(self.folder.root):
            verify_judgements(path)
        yield from read_qrels(path, negative=negative)

    def _elsewhere(self, files: dict[str, Path]) -> str:
        ids = [f"{self.base_id}/{split}" for split in self.splits if split in files]
        return f" of its own: use {' or '.join(ids)}" if ids else ""

    def links(self) -> Iterator[Link]:
        """Yield source docno, target docno and kind of every link; nothing if there is no link file.

        Raises:
            FormatError: a line is faulty.
        """
        if self.folder.links is not None:
            yield from read_links(self.folder.links)

    @cached_property
    def replaced(self) -> dict[str, str]:
        """Map from provisions that were renumbered or moved to their new keys, from ``origin.jsonl``.

        Raises:
            FormatError: a line is faulty.
        """
        origins = read_origins(self.folder.root, '"replaced_by"')
        return {str(origin["docno"]): str(new) for origin in origins if (new := origin.get("replaced_by"))}

    @cached_property
    def aliases(self) -> list[tuple[str, str]]:
        """Other names of laws, each with the name of its law, from ``aliases.tsv``; those of unknown laws are left out.

        Raises:
            FormatError: a line is faulty.
        """
        path = self.folder.root / ALIASES
        if not path.is_file():
            return []
        given = [(alias, law) for _, alias, law in read_aliases(path)]
        names = {law: law for law in self.store.column("law").tolist() if law}
        if any(law not in names for _, law in given):
            names = {record.law_id: record.law for record in self.docs() if record.law_id} | names
        return [(alias, names[law]) for alias, law in given if law in names]

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
        """Count the judgements and links that point to nothing; reads the corpus the first time."""
        return self._problems(self.docnos())

    def _problems(self, docnos: frozenset[str]) -> Dangling:
        folder = self.folder
        if any(map(names_version, docnos)):  # A judgement or a link may name a provision by its key.
            docnos = docnos | {provision_key(docno) for docno in docnos}
        judgeable = docnos if self.chunks is None else self.chunks.judgeable()
        qrels, queries = folder.qrels_of(self.split), folder.queries_of(self.split)
        judgements = [] if qrels is None else list(read_qrels(qrels))
        qids = set() if queries is None else {str(row["qid"]) for row in read_queries(queries, self.about.query_field)}
        unknown = {
            "judged_provisions": [row.docno for row in judgements if row.docno not in judgeable],
            "judged_queries": [qid for qid in dict.fromkeys(row.qid for row in judgements) if qid not in qids],
            "links": [
                target if source in docnos else source
                for source, target, _ in self.links()
                if source not in docnos or target not in docnos
            ],
        }
        counts = {name: len(identifiers) for name, identifiers in unknown.items()}
        return Dangling(**counts, examples={name: identifiers[:3] for name, identifiers in unknown.items()})

    def _report_dangling(self, docnos: frozenset[str]) -> None:
        """Log the judgements and links that point to nothing, once a process."""
        key = (self.folder.root, self.split)
        if key in _reported:
            return
        _reported.add(key)
        try:
            dangling = self._problems(docnos)
        except DataError:
            return  # the faulty file raises the same error when it is read
        for sentence in dangling.sentences():
            logging.getLogger("legalir").warning("%s: %s.", self.id, sentence)
