"""The indexes of one collection: built on first use, stored in its cache, opened once."""

from __future__ import annotations

import contextlib
import glob
import itertools
import re
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from legalir.analysis.analyzer import Analyzer, get_analyzer
from legalir.progress import progress
from legalir.storage.artifact import build_once
from legalir.storage.digest import cached_file_digest
from legalir.storage.documents import counted
from legalir.storage.files import cache_home

if TYPE_CHECKING:
    from legalir.datasets import StatuteDataset
    from legalir.dense.index import DenseIndex
    from legalir.encode.contract import AnyEncoder
    from legalir.graph.citation_graph import CitationGraph
    from legalir.graph.laws import LawTable
    from legalir.lexical.bm25f import FieldIndex
    from legalir.lexical.lookup import NumberTable
    from legalir.lexical.sparse import SparseIndex
    from legalir.m3.m3_encoder import M3Encoder
    from legalir.m3.m3_index import M3Index
    from legalir.m3.maxsim import Multi

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
    """

    def __init__(self, source: StatuteDataset, cache: Path | None, collection: object) -> None:
        self._source = source
        self._collection = collection
        self._cache = cache
        self._opened: dict[Hashable, Any] = {}
        self._locks: dict[Hashable, threading.Lock] = {}
        self._lock_of_locks = threading.Lock()

    @cached_property
    def corpus(self) -> str:
        """The sha256 of the corpus, as it was when it was first asked for."""
        return self._source.fingerprint()

    @property
    def home(self) -> Path:
        """Directory of everything that is stored for any collection."""
        return self._cache if self._cache is not None else cache_home()

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

        chosen = get_analyzer(analyzer, self._collection)

        def build(index: SparseIndex) -> None:
            with self._progress("Indexing", chosen.name) as advance:
                index.index(counted(self._documents(), advance), corpus=self.corpus)

        place = self.directory / f"sparse-{_directory_name(chosen)}"
        return self._index(("sparse", chosen.fingerprint), lambda: SparseIndex(place, analyzer=chosen), build)

    def fields(self, analyzer: str | Analyzer = "auto") -> FieldIndex:
        """Return the field index of an analyzer, which may be given by name.

        Raises:
            AnalyzerError: there is no such analyzer.
            FormatError: a line of the links is faulty.
        """
        from legalir.lexical.bm25f import FieldIndex

        chosen = get_analyzer(analyzer, self._collection)

        def build(index: FieldIndex) -> None:
            graph = self.graph
            with self._progress("Indexing the fields of", chosen.name) as advance:
                documents = counted(with_citing(self._source, graph), advance)
                index.index(documents, corpus=self.corpus, links=graph.fingerprint())

        place = self.directory / f"fields-{_directory_name(chosen)}-{self._links_digest}"
        return self._index(("fields", chosen.fingerprint), lambda: FieldIndex(place, analyzer=chosen), build)

    @property
    def laws(self) -> LawTable:
        """The law of each provision."""
        from legalir.graph.laws import LawTable

        return self._index(
            "laws",
            lambda: LawTable(self.directory / "laws"),
            lambda table: table.index(self._documents(), corpus=self.corpus),
        )

    @property
    def numbers(self) -> NumberTable:
        """The law and the number of each provision."""
        from legalir.lexical.lookup import NumberTable

        return self._index(
            "numbers",
            lambda: NumberTable(self.directory / "numbers", lambda: self._source.replaced),
            lambda table: table.index(self._documents(), corpus=self.corpus),
        )

    @property
    def graph(self) -> CitationGraph:
        """The citation graph, in which every provision is a node.

        Raises:
            FormatError: a line of the links is faulty.
        """
        from legalir.graph.citation_graph import CitationGraph

        def load() -> CitationGraph:
            path = self.directory / f"graph-{self._links_digest}"
            build_once(path, CitationGraph(path).built, lambda: CitationGraph.from_dataset(self._source).save(path))
            return CitationGraph.load(path)

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
        from legalir.dense.index import DenseIndex
        from legalir.encode.contract import TrainableEncoder
        from legalir.encode.lookup import get_encoder

        chosen = get_encoder(encoder, self._collection)

        def build(index: DenseIndex) -> None:
            if isinstance(chosen, TrainableEncoder):
                # The texts were analysed once, for the sparse index.
                postings = self.sparse(chosen.analyzer)
                with progress(f"Fitting {chosen.name} on {self._source.id}", None):
                    index.index_postings(postings, corpus=self.corpus)
                return
            earlier = self._earlier(index.directory)
            with self._progress("Encoding", chosen.name) as advance:
                index.index(self._documents(), corpus=self.corpus, reuse=earlier, advance=advance)

        place = self.directory / f"dense-{_directory_name(chosen)}"
        exact = self._index(("dense", chosen.fingerprint), lambda: DenseIndex(place, encoder=chosen), build)
        return exact if approximate is None else self._approximate(exact, chosen, approximate)

    def _approximate(self, exact: DenseIndex, encoder: AnyEncoder, approximate: str) -> DenseIndex:
        from legalir.dense.approximate import read_approximate

        search = read_approximate(approximate)
        place = exact.directory.with_name(f"{exact.directory.name}-{search.name}-{search.fingerprint[:8]}")

        def build(index: DenseIndex) -> None:
            rows = self._source.queries() if self._source.has_topics() else ()
            questions = [str(row["query"]) for row in itertools.islice(rows, _QUESTIONS)]
            with progress(f"Building {search} for {self._source.id}", None):
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
                index.index(self._documents(), multi=multi, corpus=self.corpus, reuse=earlier, advance=advance)

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
            made = index()
            build_once(made.directory, made.built, lambda: build(made))
            return made

        return self._once(key, make)

    def _documents(self) -> Iterator[dict[str, Any]]:
        return (provision._asdict() for provision in self._source.docs())

    def _progress(self, action: str, name: str) -> contextlib.AbstractContextManager[Callable[[int], None]]:
        return progress(f"{action} {self._source.id} ({name})", self._source.docs_count())

    @property
    def _links_digest(self) -> str:
        """A part of the name of each index that holds links, because links may change without the corpus."""
        links = self._source.folder.links
        return "none" if links is None else cached_file_digest(links)[:16]

    def _earlier(self, directory: Path) -> list[Path]:
        """Return the same index of other corpora, the newest first.

        What they share may be a former state of this collection, or any other collection: texts are told apart by their
        digests.
        """
        paths = self.directory.parent.glob(f"*/{glob.escape(directory.name)}")
        return sorted(
            (path for path in paths if path != directory), key=lambda path: path.stat().st_mtime, reverse=True
        )


def _directory_name(part: _Named) -> str:
    """Return a name of a directory that tells one analyzer or encoder from others, whatever its own name holds."""
    name = re.sub(r"[^\w.-]+", "-", part.name)[:40]
    return f"{name}-{part.fingerprint[:8]}"


def with_citing(source: StatuteDataset, graph: CitationGraph) -> Iterator[dict[str, Any]]:
    """Yield each provision as a dict: its fields, and ``citing``, the headings of the provisions that cite it."""
    headings = {record.doc_id: record.heading for record in source.docs()} if graph.links_count() else {}
    citing = citing_headings(graph, headings)
    for record in source.docs():
        yield {**record._asdict(), "citing": citing.get(record.doc_id, "")}


def citing_headings(graph: CitationGraph, headings: Mapping[str, str], most: int = 40) -> dict[str, str]:
    """Return the headings of the provisions that cite each cited provision, a line each.

    A search engine uses the text of links in the same way: it is how others call a page.

    Args:
        graph: the citations.
        headings: heading of each provision by docno; a missing one counts as empty.
        most: largest number of headings of one provision, the first by docno of the citing provision. A definition
            that a whole code cites would be longer than any provision.
    """
    sources = graph.adjacency("in")
    by_node = [headings.get(docno, "") for docno in graph.docnos.tolist()]
    citing = {}
    for node, docno in enumerate(graph.docnos.tolist()):
        lines = [heading for source in sources.row(node).tolist() if (heading := by_node[source])]
        if lines:
            citing[docno] = "\n".join(lines[:most])
    return citing
