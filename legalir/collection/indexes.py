"""The indexes of one collection: built on first use, stored in its cache, opened once.

An index of terms is built from that of a former state of the same folder, where the cache has one, in time that depends
on what has changed. So do indexes of encoders that are not fitted: a text that was there is not encoded again.
"""

from __future__ import annotations

import contextlib
import glob
import itertools
import logging
import re
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Executor
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast

import numpy as np

from legalir.analysis.analyzer import Analyzer, get_analyzer
from legalir.datasets.provisions import Changes, changes
from legalir.errors import ArtifactError
from legalir.lexical.citing import Citing
from legalir.progress import progress
from legalir.storage.artifact import build_once
from legalir.storage.digest import cached_file_digest
from legalir.storage.documents import counted
from legalir.storage.files import cache_home
from legalir.storage.states import Hold, former_states, is_only_source, record_use, remove_part, remove_state

if TYPE_CHECKING:
    from legalir.datasets import Provision, StatuteDataset
    from legalir.datasets.provisions import ProvisionStore
    from legalir.dense.contract import AnyEncoder
    from legalir.dense.index import DenseIndex
    from legalir.graph.citation_graph import CitationGraph
    from legalir.graph.laws import LawTable
    from legalir.lexical.bm25f import FieldIndex
    from legalir.lexical.sparse import SparseIndex
    from legalir.m3.m3_encoder import M3Encoder
    from legalir.m3.m3_index import M3Index
    from legalir.m3.maxsim import Multi
    from legalir.references.lookup import NumberTable

_log = logging.getLogger("legalir")

_QUESTIONS = 200
"""Largest number of questions by which the recall of an approximate search is measured."""


class _Index(Protocol):
    @property
    def directory(self) -> Path: ...

    def built(self) -> bool: ...


class _Named(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...


_T = TypeVar("_T")
_I = TypeVar("_I", bound=_Index)
_TermsIndex = TypeVar("_TermsIndex", "SparseIndex", "FieldIndex")

_Documents = Callable[["Iterable[Provision]"], Iterator[dict[str, Any]]]
"""Makes the documents that are indexed of provisions."""


class _Change(NamedTuple):
    """Changes by which the index of a former state becomes that of the present one.

    Attributes:
        directory: that of the index.
        removed: docnos that are gone or changed.
        added: positions of provisions that are new or changed.
    """

    directory: Path
    removed: list[str]
    added: list[int]


class CollectionIndexes:
    """The indexes of one collection.

    Each is built when it is first needed, and stored under the sha256 of the corpus: collections with the same corpus
    share their indexes, whatever their names. What else an index depends on, such as the analyzer or the links, is in
    its own name. Threads that need one at the same
    time get one object, which one of them builds; of several processes, one builds and the others wait.

    Every method raises ArtifactError where the index is damaged or cannot be written.

    Args:
        source: the provisions, links and questions.
        cache: directory of the indexes of all collections; None: ``$LEGALIR_HOME``, else the platform's cache.
        collection: the collection that factories of analyzers and encoders are given.
        executor: its workers do the long work of a build: they count terms, and encode; None: this process does.
    """

    def __init__(
        self, source: StatuteDataset, cache: Path | None, collection: object, executor: Executor | None = None
    ) -> None:
        self.executor = executor
        self.source = source
        self.collection = collection
        self.base = cache
        self._opened: dict[Hashable, Any] = {}
        self._locks: dict[Hashable, threading.Lock] = {}
        self._holds: list[Hold] = []
        self._lock_of_locks = threading.Lock()

    @cached_property
    def corpus(self) -> str:
        """The sha256 of the corpus, as it was when it was first asked for."""
        return self.source.fingerprint()

    @property
    def home(self) -> Path:
        """Directory of everything that is stored for any collection."""
        return self.base if self.base is not None else cache_home()

    @property
    def directory(self) -> Path:
        """Directory of the indexes of this corpus."""
        return self.home / "collections" / self.corpus[:32]

    def sparse(self, analyzer: str | Analyzer = "auto") -> SparseIndex:
        """Return the sparse index of an analyzer, which may be given by name.

        Raises:
            AnalyzerError: there is no such analyzer.
        """
        from legalir.lexical.sparse import SparseIndex

        chosen = get_analyzer(analyzer, self.collection)

        place = self.directory / f"sparse-{_directory_name(chosen)}"

        def build(index: SparseIndex) -> None:
            self._build_terms(index, f"Indexing ({chosen.name})", self._former_sparse(index), _documents)

        return self._index(("sparse", chosen.fingerprint), lambda: SparseIndex(place, analyzer=chosen), build)

    def fields(self, analyzer: str | Analyzer = "auto") -> FieldIndex:
        """Return the field index of an analyzer, which may be given by name.

        Raises:
            AnalyzerError: there is no such analyzer.
            FormatError: a line of the links is faulty.
        """
        from legalir.lexical.bm25f import FieldIndex

        chosen = get_analyzer(analyzer, self.collection)

        stem = f"fields-{_directory_name(chosen)}"
        place = self.directory / f"{stem}-{self._links_digest}"

        def build(index: FieldIndex) -> None:
            citing = self._citing(self.source.store, self.graph)
            change = self._former_fields(index, stem, citing)
            links = self.graph.fingerprint()
            self._build_terms(index, f"Indexing fields ({chosen.name})", change, citing.add_to, links=links)

        return self._index(("fields", chosen.fingerprint), lambda: FieldIndex(place, analyzer=chosen), build)

    @property
    def laws(self) -> LawTable:
        """The law of each provision."""
        from legalir.graph.laws import LawTable

        return self._index(
            "laws",
            lambda: LawTable(self.directory / "laws"),
            lambda table: table.index_columns(*self._columns("law"), corpus=self.corpus),
        )

    @property
    def numbers(self) -> NumberTable:
        """The law and the number of each provision."""
        from legalir.references.lookup import NumberTable

        return self._index(
            "numbers",
            lambda: NumberTable(self.directory / "numbers", partial(getattr, self.source, "replaced")),
            lambda table: table.index_columns(*self._columns("law", "article"), corpus=self.corpus),
        )

    @property
    def graph(self) -> CitationGraph:
        """The citation graph, in which every provision is a node.

        Raises:
            FormatError: a line of the links is faulty.
        """
        from legalir.graph.citation_graph import CitationGraph

        def load() -> CitationGraph:
            self._hold_part()
            path = self.directory / f"graph-{self._links_digest}"
            build_once(path, CitationGraph(path).built, lambda: (former(path) or new()).save(path))
            return CitationGraph.load(path)

        def new() -> CitationGraph:
            return CitationGraph.from_dataset(self.source)

        def former(path: Path) -> CitationGraph | None:
            """Return the graph of the same links and provisions in a former state, if there is one."""
            store = self.source.store
            for state in store.former():
                graph = CitationGraph(self.directory.with_name(state.key) / path.name)
                if graph.built() and not store.dated and set(state.docnos.array) == set(store.docnos.array):
                    with contextlib.suppress(ArtifactError):  # It is damaged.
                        return graph.of(self.corpus)
            return None

        return self._once("graph", load)

    def dense(self, encoder: str | AnyEncoder = "lsa", *, approximate: str | None = None) -> DenseIndex:
        """Return the dense index of an encoder.

        Args:
            encoder: a name, a model, or an encoder.
            approximate: a search by FAISS, ``hnsw`` or ``ivf``, also with parameters; its recall is measured with the
                questions of the collection for which it is built, where that has any. None compares all vectors.

        Raises:
            ComponentError: there is no such encoder, or no such search.
            MissingExtra: FAISS is needed, and not installed.
        """
        from legalir.dense.contract import TrainableEncoder
        from legalir.dense.encoders import get_encoder
        from legalir.dense.index import DenseIndex

        chosen = get_encoder(encoder, self.collection)

        def build(index: DenseIndex) -> None:
            if isinstance(chosen, TrainableEncoder):
                # The texts were analysed once, for the sparse index.
                postings = self.sparse(chosen.analyzer)
                with progress(f"Fitting {chosen.name} on {self.source.id}", None):
                    index.index_postings(postings, corpus=self.corpus)
                return
            earlier = self._earlier(index.directory)
            with self._progress("Encoding", chosen.name) as advance:
                index.index(
                    _documents(self.source.docs()),
                    corpus=self.corpus,
                    reuse=earlier,
                    advance=advance,
                    executor=self.executor,
                )

        place = self.directory / f"dense-{_directory_name(chosen)}"
        exact = self._index(("dense", chosen.fingerprint), lambda: DenseIndex(place, encoder=chosen), build)
        return exact if approximate is None else self._approximate(exact, chosen, approximate)

    def _approximate(self, exact: DenseIndex, encoder: AnyEncoder, approximate: str) -> DenseIndex:
        from legalir.dense.approximate import read_approximate

        search = read_approximate(approximate)
        place = exact.directory.with_name(f"{exact.directory.name}-{search.name}-{search.fingerprint[:8]}")

        def build(index: DenseIndex) -> None:
            rows = self.source.queries() if self.source.has_topics() else ()
            questions = [str(row["query"]) for row in itertools.islice(rows, _QUESTIONS)]
            with progress(f"Building {search} for {self.source.id}", None):
                exact.approximated(search, place, queries=questions or None)

        return self._index(("dense", encoder.fingerprint, approximate), lambda: type(exact)(place, encoder), build)

    def m3(self, encoder: str | M3Encoder, multi: Multi | None = None) -> M3Index:
        """Return the index of BGE-M3's heads.

        Provisions that were encoded for another state of this collection, or for another one, are not encoded again.

        Args:
            encoder: an encoder, or the folder or hub name of its model.
            multi: type of the stored multi-vectors, ``float16``, ``float32`` or ``int8``; None where they are not
                needed, which an index with multi-vectors satisfies, too.

        Raises:
            ModelError: the model cannot be found, read, or computed with.
        """
        from legalir.m3.m3_encoder import M3Encoder
        from legalir.m3.m3_index import M3Index

        chosen = M3Encoder(encoder) if isinstance(encoder, str) else encoder

        def index() -> M3Index:
            name = f"m3-{Path(chosen.model).name[:32]}-{chosen.fingerprint[:8]}"
            kinds = ("float16", "float32", "int8", "none") if multi is None else (multi,)
            indexes = [M3Index(self.directory / f"{name}-{kind}", chosen) for kind in kinds]
            return next((one for one in indexes if one.built()), indexes[-1])

        def build(index: M3Index) -> None:
            earlier = self._earlier(index.directory)
            with self._progress("Encoding", chosen.model) as advance:
                index.index(
                    _documents(self.source.docs()),
                    multi=multi,
                    corpus=self.corpus,
                    reuse=earlier,
                    advance=advance,
                    executor=self.executor,
                )

        return self._index(("m3", chosen.fingerprint, chosen.query_max_length, multi), index, build)

    def _once(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return the object for `key`, which the first thread makes while others that need it wait."""
        with self._lock_of_locks:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._opened:
                self._opened[key] = make()
        return cast(_T, self._opened[key])

    def _index(self, key: Hashable, index: Callable[[], _I], build: Callable[[_I], object]) -> _I:
        """Return the index for `key`, built where it is not there yet."""

        def make() -> _I:
            self._hold_part()
            made = index()
            build_once(made.directory, made.built, lambda: build(made))
            return made

        return self._once(key, make)

    def _build_terms(
        self,
        index: _TermsIndex,
        action: str,
        change: _Change | None,
        documents: _Documents,
        **facts: str,
    ) -> None:
        """Build an index of terms from a former one, or of all provisions where there is none or it is damaged."""
        store = self.source.store
        if change is not None:
            added = documents(store.at(change.added))
            try:
                with progress(f"{action}: changes of {self.source.id}", len(change.added)) as advance:
                    index.update(
                        change.directory,
                        counted(added, advance),
                        change.removed,
                        validity=store.validity_of,
                        corpus=self.corpus,
                        **facts,
                    )
                return
            except ArtifactError as error:
                _log.info("%s is built of all provisions, because the former one cannot be used: %s", index.path, error)
        with progress(f"{action}: {self.source.id}", len(store)) as advance:
            index.index(
                counted(documents(self.source.docs()), advance), corpus=self.corpus, executor=self.executor, **facts
            )

    def _former_sparse(self, index: SparseIndex) -> _Change | None:
        """Return how an index of terms becomes that of the provisions; None where no former state has one."""
        for former in self.source.store.former():
            directory = self.directory.with_name(former.key) / index.directory.name
            if type(index)(directory).built():
                change = self.changes(former)
                return _Change(directory, change.removed.tolist(), change.added.tolist())
        return None

    def _former_fields(self, index: FieldIndex, stem: str, citing: Citing) -> _Change | None:
        """Return how an index of fields becomes that of the provisions and links; None where there is no former one.

        Args:
            index: the new index.
            stem: the name of its directory without the digest of the links.
            citing: of the new state.
        """
        from legalir.graph.citation_graph import CitationGraph

        store = self.source.store
        for former in (store, *store.former()):  # The links alone may have changed.
            state = self.directory.with_name(former.key)
            for directory in _newest_first(state.glob(f"{glob.escape(stem)}-*")):
                graph = CitationGraph(state / f"graph-{directory.name.removeprefix(f'{stem}-')}")
                if not (type(index)(directory).built() and graph.built()):
                    continue
                try:
                    before = self._citing(former, graph)
                except ArtifactError:  # The graph is damaged.
                    continue
                change = self.changes(former)
                others = citing.differing(before)
                there, here = former.docnos.numbers(others), store.docnos.numbers(others)
                removed = {*change.removed.tolist(), *former.docnos.array[there[there >= 0]].tolist()}
                added = np.union1d(change.added, here[here >= 0])
                return _Change(directory, sorted(removed), added.tolist())
        return None

    def changes(self, former: ProvisionStore) -> Changes:
        """Return the provisions that differ between a former state and this one."""
        return self._once(("changes", former.key), lambda: changes(former, self.source.store))

    def _citing(self, store: ProvisionStore, graph: CitationGraph) -> Citing:
        # Every provision is a node, and nodes are numbered by ascending docno.
        return Citing(graph, store.docnos.order, store.column("heading"))

    def _columns(self, *names: str) -> tuple[Any, ...]:
        """Return docnos, columns and validity of all provisions."""
        store = self.source.store
        return store.docnos.array.tolist(), *map(store.column, names), store.validity

    def _hold_part(self) -> None:
        """Hold the directory and the part of the links, so that no update removes them while this object lives."""
        if not self._holds:
            with contextlib.suppress(OSError):  # The build says why it cannot be written.
                self.directory.mkdir(parents=True, exist_ok=True)
            self._holds = [Hold(self.directory), Hold(self.directory, f"-{self._links_digest}")]
            record_use(self.directory, self.source.store.source)

    def remove_former(self) -> None:
        """Remove what was built for former states of the provisions or links, but for what somebody reads."""
        store = self.source.store
        for former in former_states(self.directory, store.source):
            remove_state(former, store.source)
        for part, paths in self._parts().items():
            if part != self._links_digest and is_only_source(self.directory):
                remove_part(self.directory, f"-{part}", paths)
        store.remove_former()

    def _parts(self) -> dict[str, list[Path]]:
        """Return the directories of indexes that depend on links, by the digest of the links."""
        parts: dict[str, list[Path]] = {}
        for pattern in ("graph-*", "fields-*"):
            for path in self.directory.glob(pattern):
                parts.setdefault(path.name.rpartition("-")[2], []).append(path)
        return parts

    def _progress(self, action: str, name: str) -> contextlib.AbstractContextManager[Callable[[int], None]]:
        return progress(f"{action} {self.source.id} ({name})", self.source.docs_count())

    @property
    def _links_digest(self) -> str:
        """A part of the name of each index that holds links, because links may change without the corpus."""
        links = self.source.folder.links
        return "none" if links is None else cached_file_digest(links)[:16]

    def _earlier(self, directory: Path) -> list[Path]:
        """Return the same index of other corpora, the newest first.

        What they share may be a former state of this collection, or any other collection: texts are told apart by their
        digests.
        """
        paths = self.directory.parent.glob(f"*/{glob.escape(directory.name)}")
        return _newest_first(path for path in paths if path != directory)


def _newest_first(paths: Iterable[Path]) -> list[Path]:
    dated = []
    for path in paths:
        with contextlib.suppress(OSError):  # Another process may have removed it.
            dated.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(dated, reverse=True)]


def _directory_name(part: _Named) -> str:
    """Return a name of a directory that tells one analyzer or encoder from others, whatever its own name holds."""
    name = re.sub(r"[^\w.-]+", "-", part.name)[:40]
    return f"{name}-{part.fingerprint[:8]}"


def _documents(provisions: Iterable[Provision]) -> Iterator[dict[str, Any]]:
    """Yield each provision as a dict."""
    return (provision._asdict() for provision in provisions)
