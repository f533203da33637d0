"""A dataset, its indexes, and questions to it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from datetime import date
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from legalir import datasets
from legalir.answer.generator import Answer
from legalir.collection.language import Writing, writing_of
from legalir.collection.results import SearchResult, answer_with, gives_answers, search_with
from legalir.collection.updating import Update, record_use, update
from legalir.collections import Built, Index
from legalir.errors import ComponentError
from legalir.frames.as_of import AsOf, today
from legalir.frames.chain import Chain
from legalir.frames.columns import require_question
from legalir.llm.client import Client
from legalir.storage.artifact import build_once
from legalir.storage.digest import cached_file_digest
from legalir.storage.files import cache_home
from legalir.storage.validity import day_of, iso_date

if TYPE_CHECKING:
    import pyterrier as pt
    from ir_datasets.datasets.base import Dataset

    from legalir.analysis.analyzer import Analyzer
    from legalir.datasets import Provision, StatuteDataset
    from legalir.datasets.chunks import ChunkMap
    from legalir.dense.contract import AnyEncoder
    from legalir.dense.index import DenseIndex
    from legalir.graph.citation_graph import CitationGraph
    from legalir.lexical.sparse import SparseIndex


class Collection:
    """A statute collection with its indexes.

    Args:
        id_or_path: an id such as ``legalir/firecode/test``, or the path of a folder in the folder format.
        cache: directory of the indexes; by default ``$LEGALIR_HOME``, else the platform's cache. Indexes stand
            under the sha256 of the corpus, so a changed corpus never meets an old index. Safe to delete.
        client: asks language models for components; by default one for ``$LEGALIR_LLM``.
        as_of: the day for questions without a date, for a collection of versions; None for today.
        executor: its workers do the long work of building indexes: they count terms, and encode texts. They need
            legalir with the same plugins and models. It stays open. None: this process does the work.

    Attributes:
        source: the provisions, questions, judgements and links.
        as_of: the day, as ``2021-03-01``, or None.
        executor: does the long work of building indexes.

    Raises:
        ComponentError: `as_of` is not a date, or the collection has no versions.
        DatasetNotFound: nothing has this id, or there is no such folder.
    """

    def __init__(
        self,
        id_or_path: str | PathLike[str],
        cache: str | PathLike[str] | None = None,
        client: Client | None = None,
        as_of: str | date | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.source: StatuteDataset = datasets.load(id_or_path)
        self.as_of = None if as_of is None else self._checked(as_of)
        self._own_client = client
        self.executor = executor
        self._base = None if cache is None else Path(cache).expanduser().absolute()
        self._chunked: dict[Hashable, Collection] = {}
        self._indexes: dict[Built, tuple[Built, threading.Lock]] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        # An executor does not travel. The client, which knows its collection, follows in the state.
        return Collection, (self.id, self._base, None, self.as_of), {"client": self.client}

    def _identity(self) -> tuple[object, ...]:
        return self.source, self.home, self.as_of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collection) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"Collection({self.id!r})" if self.as_of is None else f"Collection({self.id!r}, as_of={self.as_of!r})"

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
        return iso_date(day_of(as_of, "as_of"))

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

    @cached_property
    def client(self) -> Client:
        """What asks language models for components."""
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

        Raises:
            ExpressionError: the expression cannot be read, or names something unknown.
        """
        from legalir import pipeline

        built = pipeline.build(expr, self)
        return built if self.as_of is None else Chain(AsOf(self.as_of), built)

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
        self, query: str, expr: str = "default", k: int = 10, *, as_of: str | date | None = None
    ) -> SearchResult:
        """Return the best `k` provisions for one question.

        Args:
            query: the question.
            expr: a pipeline that gives scores and ranks.
            k: number of provisions, at least 1.
            as_of: the day of the question; None for the day of the collection, or today.

        Returns:
            A data frame with the columns ``rank`` (from 0), ``score, docno, title, text``, and ``effective_from,
            effective_to`` for a collection of versions; ``result.explain()`` says why each provision has its score.

        Raises:
            ComponentError: `query` is not a string, `k` is not a positive integer, the pipeline gives no scores and
                ranks, or `as_of` is not a date.
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
        self.warn_of(query, day)
        return search_with(pipeline, query, expr, k, self.provisions, day)

    def answer(
        self,
        query: str,
        expr: str = "default % 5 >> quote",
        told: Callable[[str], None] = lambda words: None,
        *,
        as_of: str | date | None = None,
    ) -> Answer:
        """Return the answer to one question, with the provisions that the generator received.

        Args:
            query: the question.
            expr: a pipeline that ends in a generator.
            told: called with a short message after each step.
            as_of: the day of the question; None for the day of the collection, or today.

        Raises:
            ComponentError: `query` is not a string, the pipeline does not end in a generator, a component lacks
                columns, or `as_of` is not a date.
        """
        require_question(query, "answer")
        pipeline = self.pipeline(expr)
        day = self.day(as_of)
        self.warn_of(query, day)
        return answer_with(pipeline, query, expr, self.provisions, told, day)

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
