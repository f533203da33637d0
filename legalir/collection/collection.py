"""A dataset, its indexes, and questions to it; last, updates for the present state of a folder's files.

What is built for a folder is in a directory named by the content of the folder's files, so a changed folder gets a new
directory. A file ``.source-<16 hex>`` in each names the folder; its time is that of the last use.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import suppress
from datetime import date
from functools import cached_property, partial
from importlib.metadata import entry_points
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pandas as pd

from legalir import datasets
from legalir.analysis.language import Writing, writing_of
from legalir.answer.generator import Answer
from legalir.collection.results import SearchResult, answer_with, gives_answers, search_with
from legalir.collections import Built, Index
from legalir.datasets.provisions import changes
from legalir.errors import ComponentError, MissingExtra, ModelError, PluginError
from legalir.frames.as_of import AsOf, named_day, today
from legalir.frames.chain import Chain
from legalir.frames.columns import require_question
from legalir.frames.where import Conditions, Where, canonical
from legalir.llm.client import Client
from legalir.storage.artifact import MANIFEST, build_once, unseal
from legalir.storage.digest import cached_file_digest
from legalir.storage.files import cache_home, cache_lock
from legalir.storage.validity import day_of, iso_date

if TYPE_CHECKING:
    import pyterrier as pt
    from ir_datasets.datasets.base import Dataset

    from legalir.analysis.analyzer import Analyzer
    from legalir.collection.beside import Beside
    from legalir.collection.fields import FieldTable
    from legalir.datasets import Provision, StatuteDataset
    from legalir.datasets.chunks import ChunkMap
    from legalir.dense.contract import AnyEncoder
    from legalir.dense.index import DenseIndex
    from legalir.graph.citation_graph import CitationGraph
    from legalir.lexical.sparse import SparseIndex
    from legalir.verify import Checked, Verification, Verifier
    from legalir.verify.days import AskedDay
    from legalir.verify.impact import Impact


class Collection:
    """A statute collection with its indexes.

    Args:
        id_or_path: an id such as ``legalir/firecode/test``, or the path of a folder in the folder format.
        cache: directory of the indexes; by default ``$LEGALIR_HOME``, else the platform's cache. Indexes stand
            under the sha256 of the corpus, so a changed corpus never meets an old index. Safe to delete.
        client: asks language models for components; by default one for ``$LEGALIR_LLM``.
        as_of: the day for questions without a date, for a collection of versions; None for today.
        where: filter of all questions: ``level=act|decree, law!="Fire Act"``, or ``{"level": ["act", "decree"]}``
            (:mod:`legalir.frames.where`); None for all provisions.
        executor: its workers do the long work of building indexes: they count terms, and encode texts. They need
            legalir with the same plugins and models. It stays open. None: this process does the work.

    Attributes:
        source: the provisions, questions, judgements and links.
        as_of: the day, as ``2021-03-01``, or None.
        where: the filter in its canonical form; empty for all provisions.
        executor: does the long work of building indexes.

    Raises:
        ComponentError: `as_of` is not a date, or the collection has no versions; or `where` cannot be read, or names a
            field or value that no provision has.
        DatasetNotFound: nothing has this id, or there is no such folder.
    """

    def __init__(
        self,
        id_or_path: str | PathLike[str],
        cache: str | PathLike[str] | None = None,
        client: Client | None = None,
        as_of: str | date | None = None,
        executor: Executor | None = None,
        where: Conditions | None = None,
    ) -> None:
        self.source: StatuteDataset = datasets.load(id_or_path)
        self.as_of = None if as_of is None else self._checked(as_of)
        self._own_client = client
        self.executor = executor
        self._base = None if cache is None else Path(cache).expanduser().absolute()
        self._chunked: dict[Hashable, Collection] = {}
        self._indexes: dict[Built, tuple[Built, threading.Lock]] = {}
        self._lock = threading.Lock()
        self.where = ""
        self.where = self.filter(where)

    def __reduce__(self) -> tuple[Any, ...]:
        # An executor does not travel. The client, which knows its collection, follows in the state.
        return Collection, (self.id, self._base, None, self.as_of, None, self.where), {"client": self.client}

    def _identity(self) -> tuple[object, ...]:
        return self.source, self.home, self.as_of, self.where

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collection) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        day = "" if self.as_of is None else f", as_of={self.as_of!r}"
        return f"Collection({self.id!r}{day}{f', where={self.where!r}' if self.where else ''})"

    @property
    def id(self) -> str:
        """The id or path that the collection was opened by."""
        return self.source.id

    @property
    def dated(self) -> bool:
        """Whether the collection contains versions of provisions."""
        return self.source.dated

    def _checked(self, as_of: str | date) -> str:
        """Return the text of a date, for a collection of versions."""
        if not self.dated:
            raise ComponentError(
                f"as_of={str(as_of)!r} needs versions, and {self.id} has none: its docnos are not of the form "
                f"key@YYYY-MM-DD; leave the date out."
            )
        return iso_date(named_day(as_of))

    def day(self, as_of: str | date | None = None) -> str | None:
        """Return the day of a question: `as_of`, else the day of the collection, else today.

        Returns:
            The day, as ``2021-03-01``; None if the collection has no versions.

        Raises:
            ComponentError: `as_of` is not a date, or the collection has no versions.
        """
        if as_of is not None:
            return self._checked(as_of)
        return (self.as_of or iso_date(today())) if self.dated else None

    def filter(self, where: Conditions | None = None) -> str:
        """Return the text of the filter of a question: `where`, and the filter of the collection.

        Raises:
            ComponentError: it cannot be read, or names a field or value that no provision has.
        """
        text = canonical(*(one for one in (self.where, where) if one))
        if text != self.where:
            fields = self.fields()
            fields.lets_pass(text, [])  # What it names is checked now.
        return text

    def fields(self) -> FieldTable:
        """Return the fields of the provisions, for filters; see :class:`~legalir.collection.fields.FieldTable`."""
        from legalir.collection.fields import FieldTable

        return FieldTable.of(self)

    @cached_property
    def client(self) -> Client:
        """The client by which components ask language models."""
        return (self._own_client or Client()).over(self)

    @cached_property
    def dataset(self) -> Dataset:
        """The collection as an ``ir_datasets`` dataset."""
        from legalir.datasets.irds import irds_dataset

        return irds_dataset(self.source)

    @property
    def chunks(self) -> ChunkMap | None:
        """Map from each chunk to the provisions that it contains; None if the documents are provisions."""
        return self.source.chunks

    def chunked(self, by: str = "line", **options: object) -> Collection:
        """Return the collection of the chunks into which the laws are cut; its questions and judgements are the same.

        Its folder is in the cache, and is written when it is first needed.

        Args:
            by: the method: ``article``, ``character``, ``line``, ``recursive``, ``sentence``, ``semantic``, ``pattern``
                or ``judgment``.
            options: parameters of the method, such as ``size=553``; None is the default of the method.

        Raises:
            ComponentError: there is no such method, it does not have a parameter, or the collection has versions.
            DataError: this is a chunk collection itself, or the folder cannot be written.
        """
        key = (by, *sorted((name, value) for name, value in options.items() if value is not None))
        from legalir.chunks.cache import chunk_folder

        if key not in self._chunked:
            folder = chunk_folder(self, by, **options)
            split = "" if self.source.split is None else f"/{self.source.split}"
            self._chunked[key] = chunks = Collection(f"{folder}{split}", self.home)
            chunks.client = self.client  # Share this collection's requests and stored replies.
        return self._chunked[key]

    def docs(self) -> Iterator[Provision]:
        """Yield every provision."""
        return self.source.docs()

    def topics(self) -> pd.DataFrame:
        """Return the questions: ``qid, query`` and any other column of the query file."""
        return self.source.topics()

    def qrels(self) -> pd.DataFrame:
        """Return the judgements: ``qid, docno, label``."""
        return self.source.qrels()

    def provisions(self, docnos: Iterable[str]) -> dict[str, Provision]:
        """Return the provisions with these docnos; an unknown docno is left out."""
        return self.source.provisions(docnos)

    def fingerprint(self) -> str:
        """Return the sha256 of the corpus at the time of the first call."""
        return self._corpus

    @cached_property
    def _corpus(self) -> str:
        return self.source.fingerprint()

    @cached_property
    def writing(self) -> Writing:
        """The language of the provisions, and the share of each script in their letters."""
        return writing_of(self.source, self.cache)

    @property
    def language(self) -> str:
        """Code of the language of the provisions, ``und`` if it is not recognised."""
        return self.writing.language

    @property
    def home(self) -> Path:
        """Directory of everything that is stored for any collection."""
        return cache_home() if self._base is None else self._base

    @property
    def cache(self) -> Path:
        """Directory of everything that is built for this corpus."""
        return self.home / "collections" / self._corpus[:32]

    @property
    def links_cache(self) -> Path:
        """Directory in :attr:`cache` of what depends on the links, too."""
        links = self.source.folder.links
        return self.cache / f"links-{'none' if links is None else cached_file_digest(links)[:16]}"

    def cached(self, index: Index, build: Callable[[Index], object]) -> Index:
        """Return an index of the cache, built first unless it is there; of equal indexes always the same object.

        If several threads or processes need it at the same time, one builds it and all others wait.

        Args:
            index: in :attr:`cache` or :attr:`links_cache`; it may be built or not.
            build: builds it.

        Raises:
            ArtifactError: it cannot be written.
        """
        if not self._indexes:
            self._record_use()
        with self._lock:
            first, lock = self._indexes.setdefault(index, (index, threading.Lock()))
        index = cast(Index, first)
        with lock:
            if not index.built():
                self._record_use()
            try:
                build_once(index.directory, index.built, lambda: build(index))
            except BaseException:
                self._indexes.pop(index, None)  # The next caller's object may have other settings, such as a key.
                raise
            index.build_again = partial(self._build_again, index, build)
            if index.fields is None:
                index.fields = self.fields
        return index

    def _build_again(self, index: Index, build: Callable[[Index], object]) -> None:
        """Build an index that an update has removed, unless the links that it depends on have changed."""
        if index.directory.parent in (self.cache, self.links_cache):
            self.cached(index, build)

    def _record_use(self) -> None:
        """Note that the cache holds what was built for this folder."""
        with suppress(OSError):  # The build says why it cannot be written.
            self.cache.mkdir(parents=True, exist_ok=True)
        store = self.source.store
        _ = store.dated  # It is open from now on, and can be read after an update has removed it.
        record_use(self.cache, store.source)

    def sparse(self, analyzer: str | Analyzer = "auto") -> SparseIndex:
        """Return the sparse index of an analyzer; see :meth:`legalir.SparseIndex.of`."""
        from legalir.lexical.sparse import SparseIndex

        return SparseIndex.of(self, analyzer)

    def dense(self, encoder: str | AnyEncoder = "lsa", *, approximate: str | None = None) -> DenseIndex:
        """Return the dense index of an encoder; see :meth:`legalir.DenseIndex.of`."""
        from legalir.dense.index import DenseIndex

        return DenseIndex.of(self, encoder, approximate=approximate)

    @property
    def graph(self) -> CitationGraph:
        """The citation graph, in which every provision is a node."""
        from legalir.graph.citation_graph import CitationGraph

        return CitationGraph.of(self)

    def pipeline(self, expr: str) -> pt.Transformer:
        """Return the pipeline that an expression describes, such as ``bm25(k1=1.5) % 10``.

        Each query uses the day in its column ``as_of``; a query without a day uses the day of the collection, or today.
        It may find what passes both the filter in its column ``where`` and the filter of the collection.

        Raises:
            ExpressionError: the expression cannot be read, or names something unknown.
        """
        from legalir import pipeline

        built = pipeline.build(expr, self)
        given = [*([AsOf(self.as_of)] if self.as_of else []), *([Where(self.where)] if self.where else [])]
        return Chain(*given, built) if given else built

    def update(self) -> Update:
        """Rebuild everything that was built for the folder from the present state of its files; remove the old builds.

        An encoder encodes only texts that are new or have changed. This object and its pipelines continue with the
        state that they have opened; open the collection again for the new state. An index that nobody updates is built
        for the present state when it is first used.

        Raises:
            ArtifactError: an index cannot be written.
            FormatError: a line of the corpus or of the links is faulty.
        """
        new = Collection(self.id, self.home, executor=self.executor)
        return update(new, lambda: new.pipeline("default"))

    def search(
        self,
        query: str,
        expr: str = "default",
        k: int = 10,
        *,
        as_of: str | date | None = None,
        where: Conditions | None = None,
    ) -> SearchResult:
        """Return the best `k` provisions for one question.

        Words of the question in quotation marks are a phrase that each result has in its title or text, and ``-word``
        is a word that none has (:meth:`asked`). A pipeline that is given a data frame reads no such marks.

        Args:
            query: the question.
            expr: a pipeline that gives scores and ranks.
            k: number of provisions, at least 1.
            as_of: the day of the question; None for the day of the collection, or today.
            where: the filter of the question, in addition to the filter of the collection.

        Returns:
            A data frame with the columns ``rank`` (from 0), ``score, docno, title, text``, and ``effective_from,
            effective_to, upcoming`` for a collection of versions; ``result.explain()`` says why each provision has its
            score.

        Raises:
            ComponentError: `query` is not a string, `k` is not a positive integer, the pipeline gives no scores and
                ranks, or brings provisions that do not pass; `as_of` is not a date, or `where` is not a filter of this
                collection.
        """
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise ComponentError(f"search: k={k!r} is not a positive integer.")
        require_question(query, "search")
        pipeline = self.pipeline(expr)
        if gives_answers(pipeline):
            raise ComponentError(
                f"search: {expr!r} ends in a generator, whose answer is not a list of results: "
                f"take the generator away, or ask with Collection.answer."
            )
        day = self.day(as_of)
        query, filter, notes = self.asked(query, where)
        for note in notes:
            logging.getLogger("legalir").warning("%s", note)
        self.warn_of(query, day)
        hits = search_with(pipeline, query, expr, k, self.provisions, day, where=filter, fields=self.fields)
        if day is not None:
            beside = self.beside(hits["docno"], day)
            hits["upcoming"] = pd.Series([beside[docno].get("upcoming", "") for docno in hits["docno"]], dtype=str)
        return hits

    def answer(
        self,
        query: str,
        expr: str = "default % 5 >> refuse >> quote",
        told: Callable[[str], None] = lambda words: None,
        *,
        as_of: str | date | None = None,
        where: Conditions | None = None,
    ) -> Answer:
        """Return the answer to one question, with the provisions that the generator received.

        No answer is made from repealed provisions, unless the question names them by number and they have words.

        Args:
            query: the question.
            expr: a pipeline that ends in a generator.
            told: called with a short message after each step.
            as_of: the day of the question; None for the day of the collection, or today.
            where: the filter of the question, in addition to the filter of the collection. Quotation marks in the
                question are no filter.

        Raises:
            ComponentError: `query` is not a string, the pipeline does not end in a generator, a component lacks
                columns, or brings provisions that do not pass; `as_of` is not a date, or `where` is not a filter of
                this collection.
        """
        require_question(query, "answer")
        pipeline = self.pipeline(expr)
        day = self.day(as_of)
        self.warn_of(query, day)
        options: dict[str, Any] = {"where": self.filter(where), "fields": self.fields, "repealed": self.repealed}
        return answer_with(pipeline, query, expr, self.provisions, told, day, **options)

    def verify(self, text: str, *, as_of: str | date | None = None, lang: str = "", law: str = "") -> Verification:
        """Return each citation of a text with its state: right, or what is wrong with it.

        Args:
            text: any text, such as a letter, or the answer of a language model.
            as_of: the day of the law; None for the day of the collection, or today. A day that the text names for a
                citation goes before.
            lang: language of the text, ISO 639-1; empty: it is recognised.
            law: name of the law that citations without one mean; empty: the one named last in the same paragraph.

        Raises:
            ComponentError: `as_of` is not a date, or there is no law `law`.
            DataError: there is no grammar of references in the language of the text, nor in that of the collection.
        """
        return self._verifier.verify(text, as_of=self.as_of if as_of is None else as_of, lang=lang, law=law)

    def find(self, citation: str, *, as_of: str | date | None = None) -> Checked | None:
        """Return the provision that a citation means; see :meth:`legalir.verify.Verifier.find`.

        Args:
            citation: a law and a number as people type them, ``민법 750조``, or a docno.
            as_of: the day of the law; None for the day of the collection, or today.

        Returns:
            What is known of it, ``right`` with its docnos if the law has it; None if the words are no citation alone.

        Raises:
            ComponentError: `as_of` is not a date.
        """
        return self._verifier.find(citation, as_of=self.as_of if as_of is None else as_of)

    def impact(
        self, start: str | date, end: str | date, documents: Mapping[str, str] | None = None, *, law: str = ""
    ) -> Impact:
        """Return what changed between two days: the provisions, those that cite them, and the passages of documents.

        Args:
            start: the first day.
            end: the second day, not before the first.
            documents: texts by name; their citations are read as :meth:`verify` reads them, as of both days.
            law: name or identifier of the law whose changes are meant; empty for all.

        Raises:
            ComponentError: a day is not one, the second is before the first, the collection has no versions, or no
                such law.
            DataError: there is no grammar of references in the language of a document, nor in that of the collection.
        """
        from legalir.verify.impact import impact_of

        if not self.dated:
            raise ComponentError(
                f"impact: {self.id} has no versions of provisions to compare: import them with history(path=…)."
            )
        first, last = (
            iso_date(today() if day == "today" else day_of(day, name))
            for day, name in ((start, "the first day"), (end, "the second day"))
        )
        return impact_of(self, self._verifier, first, last, documents, law)

    @cached_property
    def _verifier(self) -> Verifier:
        from legalir.verify import Verifier

        return Verifier(self)

    @cached_property
    def _beside(self) -> Beside:
        from legalir.collection.beside import Beside

        return Beside(self)

    def repealed(self, docnos: Iterable[str], as_of: str | date | None = None, query: str = "") -> dict[str, str]:
        """Return why provisions are repealed, by docno, such as ``It ended on 2020-05-01.``; others are left out.

        Args:
            docnos: of provisions.
            as_of: the day; None for the day of the collection, or today.
            query: a question: provisions that it names by number are left out, too.

        Raises:
            ComponentError: `as_of` is not a date, or the collection has no versions.
        """
        return self._beside.repealed(docnos, self.day(as_of), query)

    def beside(self, docnos: Iterable[str], as_of: str | date | None = None) -> dict[str, dict[str, Any]]:
        """Return what stands beside provisions in time, by docno.

        Args:
            docnos: of provisions.
            as_of: the day; None for the day of the collection, or today.

        Returns:
            ``repealed``, the reason (see :meth:`repealed`); ``upcoming``, such as ``amended from 2027-01-01``,
            ``repealed from …``, ``moves to KEY from …``; ``transitional``, the supplements in force that name the
            provision, newest first: ``docno, title``. What a provision lacks is left out.

        Raises:
            ComponentError: `as_of` is not a date, or the collection has no versions.
        """
        return self._beside.of(docnos, self.day(as_of))

    def upcoming(
        self, query: str, k: int = 10, *, as_of: str | date | None = None, where: Conditions | None = None
    ) -> list[Provision]:
        """Return the provisions that match a question and are not in force yet in any version.

        They are in no results. ``bm25`` looks for them, among the first `k` of the day when the last of them begins.

        Args:
            query: the question.
            k: number of provisions that are looked at, at least 1.
            as_of: the day; None for the day of the collection, or today.
            where: the filter of the question, in addition to the filter of the collection.

        Raises:
            ComponentError: `as_of` is not a date, the collection has no versions, or `where` is not a filter of it.
        """
        day = self.day(as_of)
        return [] if day is None else self._beside.not_yet(query, k, day, self.filter(where))

    def asked_day(self, query: str, option: str = "as_of") -> AskedDay:
        """Return the day of the law that a question asks for, and a note; nothing for a collection without versions.

        Pipelines and :meth:`search` do not look for it: give it as `as_of`.

        Args:
            query: the question.
            option: what the caller names a day by, for the note.
        """
        from legalir.verify.days import AskedDay, asked_day

        return asked_day(query, option) if self.dated else AskedDay()

    def asked(self, query: str, where: Conditions | None = None) -> tuple[str, str, list[str]]:
        """Return the words to search for and the filter of a question, with what it quotes and excludes.

        A phrase that no provision has, or none that passes the rest, is searched for without its marks.

        Args:
            query: the question.
            where: its filter.

        Returns:
            Words, filter, and a sentence for each mark that is not part of the filter.

        Raises:
            ComponentError: as :meth:`filter`.
        """
        from legalir.collection.fields import marked

        filter, (words, phrases), notes = self.filter(where), marked(query), []
        for phrase in phrases:
            try:
                narrowed = self.filter(canonical(*([filter] if filter else []), phrase))
                if not self.fields().any_passes(narrowed):
                    raise ComponentError(f"where: no provision of {self.id} passes {narrowed}.")
                filter = narrowed
            except ComponentError as error:
                fault = str(error).removeprefix("where: ")
                notes.append(f"{fault[0].upper()}{fault[1:]} Searched without it.")
        return words, filter, notes

    def warn_of(self, query: str, as_of: str | None = None) -> None:
        """Warn if a question has no terms, is in a script that the provisions hardly have, or no provision is in force.

        Args:
            query: the question.
            as_of: the day of the question; None for a collection without versions.
        """
        if objection := self.writing.objection(query):
            logging.getLogger("legalir").warning(objection)
        from legalir.graph.laws import LawTable

        validity = None if as_of is None else LawTable.of(self).validity
        if as_of is not None and validity is not None and not validity.on(day_of(as_of, "as_of")).any():
            first = "" if validity.first is None else f": the first version applies from {iso_date(validity.first)}"
            logging.getLogger("legalir").warning("No provision of %s is in force on %s%s.", self.id, as_of, first)


_SOURCE, _GONE = ".source-", ".removed-"


class Update(NamedTuple):
    """Result of an update.

    Attributes:
        added: number of new provisions, of all if nothing was built before.
        changed: number of provisions whose line in the corpus is another one.
        removed: number of provisions that are gone.
        seconds: time that each index took, by its name; an index that was up to date took nearly none.
        left: indexes that cannot be built, by name, and why; the former state then stays.
        former: whether a former state stays, for the sake of `left`.
    """

    added: int
    changed: int
    removed: int
    seconds: dict[str, float]
    left: dict[str, str]
    former: bool


def update(collection: Collection, default: Callable[[], object]) -> Update:
    """Build every index of the newest former state for the present state of the files, then remove the former states.

    If nothing was built for the folder before, `default` is called. One process at a time
    updates a folder; a killed update leaves the former state, and the next update builds what is missing. Who has
    opened an index of a former state reads on: the system keeps removed files until they are closed.

    Args:
        collection: opened after the files have changed.
        default: builds what is built where nothing was.

    Raises:
        ArtifactError: an index cannot be written.
        FormatError: a line of the corpus or of the links is faulty.
    """
    store, cache = collection.source.store, collection.cache
    name = hashlib.sha256(store.source.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    with cache_lock(collection.home / "collections" / f"update-{name}"):
        difference = next((changes(former, store) for former in store.former()), None)
        former, new = former_states(cache, store.source), not any(_builds(cache))
        builds = next((found for state in (*former, cache) if (found := list(_builds(state)))), [])
        seconds, left = dict[str, float](), dict[str, str]()
        for label, build in builds or [("default", lambda _: default())]:
            start = time.perf_counter()
            try:
                build(collection)
            except (ComponentError, MissingExtra, ModelError, PluginError) as error:
                left[label] = str(error)
            else:
                # Indexes of one encoder with other parameters have one label.
                seconds[label] = round(seconds.get(label, 0) + time.perf_counter() - start, 3)
        if not left:  # Else a former state has vectors that nothing else has.
            _remove_former(collection)
        stays = bool(former_states(cache, store.source))
    first = len(store) if new else 0
    added, removed, both = (first, 0, 0) if difference is None else difference.counts()
    return Update(added - both, both, removed - both, seconds, left, stays)


def _remove_former(collection: Collection) -> None:
    """Delete indexes of earlier states of the provisions or links."""
    store, cache = collection.source.store, collection.cache
    for state in former_states(cache, store.source):
        remove_state(state, store.source)
    if is_only_source(cache):  # Another folder may have the same provisions and other links.
        for path in set(cache.glob("links-*")) - {collection.links_cache}:
            remove_directory(path)
    store.remove_former()


def _builds(state: Path) -> Iterator[tuple[str, Callable[[Collection], object]]]:
    """Yield a label of each index of a state, and the function that builds it for another state.

    Indexes of a kind that has no method ``again`` are built when they are used.
    """
    for path in sorted((*state.glob(f"*/{MANIFEST}"), *state.glob(f"links-*/*/{MANIFEST}"))):
        try:
            content = unseal(json.loads(path.read_text(encoding="utf-8")))
            (entry,) = entry_points(group="pyterrier.artifact", name=f"{content['kind']}.legalir")
            if (again := getattr(entry.load(), "again", None)) is not None:
                yield _label(content), partial(again, facts=content["facts"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # It is damaged, or of a plugin that is gone, and built when it is used.


def _label(content: Mapping[str, Any]) -> str:
    """Return the kind of an index, and what made it: ``sparse index (char2)``."""
    facts = content["facts"]
    maker = facts.get("analyzer") or facts.get("encoder") or {}
    search = (facts.get("approximate") or {}).get("search", "")
    inside = ", ".join(filter(None, [maker.get("name", ""), search]))
    kind = str(content["kind"]).replace("_", " ")
    return f"{kind} ({inside})" if inside else kind


def record_use(directory: Path, source: str) -> None:
    """Note that a directory, which exists, holds what was built for `source`, and is the newest that does.

    A cache that cannot be written is left as it is.
    """
    with contextlib.suppress(OSError):
        _record(directory, source).write_text(source, encoding="utf-8")


def former_states(directory: Path, source: str) -> list[Path]:
    """Return the directories beside `directory` that were built for `source`, the newest first; not `directory`."""
    records = directory.parent.glob(f"*/{_record(directory, source).name}")
    dated = []
    for path in records:
        with contextlib.suppress(OSError):  # Another process may have removed it.
            dated.append((path.stat().st_mtime_ns, path.parent))
    return [path for _, path in sorted(dated, reverse=True) if path != directory]


def is_only_source(directory: Path) -> bool:
    """Return whether at most one folder is known to use a directory."""
    return len(list(directory.glob(f"{_SOURCE}*"))) < 2


def _record(directory: Path, source: str) -> Path:
    return directory / f"{_SOURCE}{hashlib.sha256(source.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def remove_state(directory: Path, source: str) -> bool:
    """Remove a directory that was built for `source`, unless another folder has it; return whether it was removed."""
    with contextlib.suppress(OSError):
        _record(directory, source).unlink()
    return next(directory.glob(f"{_SOURCE}*"), None) is None and remove_directory(directory)


def remove_directory(directory: Path) -> bool:
    """Remove a directory; a kill in between leaves nothing under its name. Return whether it is gone."""
    for unfinished in directory.parent.glob(f"{_GONE}*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    gone = directory.with_name(f"{_GONE}{secrets.token_hex(8)}")
    try:
        directory.rename(gone)
    except OSError:  # Some systems do not remove what is open.
        return False
    shutil.rmtree(gone, ignore_errors=True)
    return True
