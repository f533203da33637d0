"""A dataset and what is built for it: indexes made on first use, kept in a cache, reused while they fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from legalir import datasets
from legalir.analysis import Analyzer, get_analyzer
from legalir.errors import ComponentError
from legalir.files import cache_home
from legalir.generate.answer import Answer, ask
from legalir.index.base import build_once
from legalir.index.documents import counted
from legalir.progress import progress
from legalir.search_result import SearchResult, ranked, with_texts

if TYPE_CHECKING:
    import pyterrier as pt
    from ir_datasets.datasets.base import Dataset

    from legalir.datasets import Provision, StatuteDataset
    from legalir.encode import AnyEncoder
    from legalir.index.fields import FieldIndex
    from legalir.index.graph import CitationGraph
    from legalir.index.laws import LawTable
    from legalir.retrieve.dense_index import DenseIndex
    from legalir.retrieve.sparse import SparseIndex

__all__ = ["Collection"]


class Collection:
    """A statute collection with its indexes.

    Args:
        id_or_path: an id such as ``legalir/firecode/test``, or the path of a folder in the folder format.
        cache: directory for what is built; by default ``$LEGALIR_HOME``, else the platform's cache. Indexes
            are kept under the sha256 of the corpus, so a changed corpus never meets an old index. Safe to
            delete.

    Raises:
        DatasetNotFound: nothing has this id, or there is no such folder.
    """

    def __init__(self, id_or_path: str | PathLike[str], cache: str | PathLike[str] | None = None) -> None:
        self.source: StatuteDataset = datasets.load(id_or_path)
        self._cache = None if cache is None else Path(cache).expanduser().absolute()
        self._sparse: dict[str, SparseIndex] = {}
        self._dense: dict[str, DenseIndex] = {}
        self._fields: dict[str, FieldIndex] = {}

    def __repr__(self) -> str:
        return f"Collection({self.id!r})"

    @property
    def id(self) -> str:
        """The id or path that the collection was opened by."""
        return self.source.id

    @cached_property
    def dataset(self) -> Dataset:
        """The collection as an ``ir_datasets`` dataset."""
        return self.source.irds()

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
        """Return the sha256 of the corpus."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        return self.source.fingerprint()

    @property
    def cache(self) -> Path:
        """Directory of everything that is built for this corpus."""
        base = self._cache if self._cache is not None else cache_home()
        name = re.sub(r"[^\w.-]+", "-", self.source.base_id.rstrip("/").rsplit("/", 1)[-1]) or "collection"
        # 40 characters of any script fit into the 255 bytes that a file name may have.
        return base / "collections" / f"{name[:40]}-{self._fingerprint[:16]}"

    def sparse(self, analyzer: str | Analyzer = "jamo3") -> SparseIndex:
        """Return the sparse index under `analyzer`, built on first use.

        Raises:
            AnalyzerError: there is no such analyzer.
            ArtifactError: the index is damaged or cannot be written.
        """
        from legalir.retrieve.sparse import SparseIndex

        chosen = get_analyzer(analyzer, self)
        if chosen.fingerprint not in self._sparse:
            index = SparseIndex(self.cache / f"sparse-{_directory_name(chosen)}", analyzer=chosen)
            build_once(index.directory, index.built, lambda: self._build_sparse(index))
            self._sparse[chosen.fingerprint] = index
        return self._sparse[chosen.fingerprint]

    def _build_sparse(self, index: SparseIndex) -> None:
        with progress(f"Indexing {self.id} ({index.analyzer.name})", self.source.docs_count()) as advance:
            index.index(counted(_rows(self.source), advance), corpus=self._fingerprint)

    def fields(self, analyzer: str | Analyzer = "char2") -> FieldIndex:
        """Return the field index under `analyzer`, built on first use.

        Raises:
            AnalyzerError: there is no such analyzer.
            ArtifactError: the index is damaged or cannot be written.
        """
        from legalir.index.fields import FieldIndex

        chosen = get_analyzer(analyzer, self)
        if chosen.fingerprint not in self._fields:
            name = f"fields-{_directory_name(chosen)}-{self._links_digest}"
            index = FieldIndex(self.cache / name, analyzer=chosen)
            build_once(index.directory, index.built, lambda: self._build_fields(index))
            self._fields[chosen.fingerprint] = index
        return self._fields[chosen.fingerprint]

    def _build_fields(self, index: FieldIndex) -> None:
        from legalir.index.citing import with_citing

        graph = self.graph
        label = f"Indexing the fields of {self.id} ({index.analyzer.name})"
        with progress(label, self.source.docs_count()) as advance:
            rows = counted(with_citing(self.source, graph), advance)
            index.index(rows, corpus=self._fingerprint, links=graph.fingerprint())

    @cached_property
    def laws(self) -> LawTable:
        """The law of each provision, built on first use.

        Raises:
            ArtifactError: the table is damaged or cannot be written.
        """
        from legalir.index.laws import LawTable

        table = LawTable(self.cache / "laws")
        build_once(table.directory, table.built, lambda: table.index(_rows(self.source), corpus=self._fingerprint))
        return table

    def dense(self, encoder: str | AnyEncoder = "lsa") -> DenseIndex:
        """Return the dense index under `encoder`, built on first use.

        Raises:
            ArtifactError: the index is damaged or cannot be written.
            ComponentError: there is no such encoder.
        """
        from legalir.encode import get_encoder
        from legalir.retrieve.dense_index import DenseIndex

        chosen = get_encoder(encoder, self)
        if chosen.fingerprint not in self._dense:
            index = DenseIndex(self.cache / f"dense-{_directory_name(chosen)}", encoder=chosen)
            build_once(index.directory, index.built, lambda: self._build_dense(index, chosen))
            self._dense[chosen.fingerprint] = index
        return self._dense[chosen.fingerprint]

    def _build_dense(self, index: DenseIndex, encoder: AnyEncoder) -> None:
        from legalir.encode import TrainableEncoder

        if isinstance(encoder, TrainableEncoder):
            # The texts were analysed once, for the sparse index.
            postings = self.sparse(encoder.analyzer)
            with progress(f"Fitting {encoder.name} on {self.id}", None):
                index.index_postings(postings, corpus=self._fingerprint)
            return
        with progress(f"Encoding {self.id} ({encoder.name})", self.source.docs_count()) as advance:
            index.index(counted(_rows(self.source), advance), corpus=self._fingerprint)

    @cached_property
    def graph(self) -> CitationGraph:
        """The citation graph, built on first use; every provision is a node.

        Raises:
            ArtifactError: the graph is damaged or cannot be written.
            FormatError: a line of the links is faulty.
        """
        from legalir.index.graph import CitationGraph

        path = self.cache / f"graph-{self._links_digest}"
        build_once(path, CitationGraph(path).built, lambda: CitationGraph.from_dataset(self.source).save(path))
        return CitationGraph.load(path)

    @property
    def _links_digest(self) -> str:
        """What names something that was made with the links: the cache is kept by corpus, and they may change alone."""
        from legalir.datasets.digests import digest_of

        links = self.source.folder.links
        return "none" if links is None else digest_of(links)[:16]

    def pipeline(self, expression: str) -> pt.Transformer:
        """Return the pipeline that an expression describes, such as ``bm25(k1=1.5) % 10``.

        Raises:
            ExpressionError: the expression cannot be read, or names something unknown.
        """
        from legalir import pipeline

        return pipeline.build(expression, self)

    def search(self, query: str, expression: str = "bm25", k: int = 10) -> SearchResult:
        """Return the best `k` provisions for one question.

        Returns:
            A data frame with the columns ``rank`` (from 0), ``score, docno, title, text``, which also says why each
            provision has its score: ``result.explain()``.

        Raises:
            ComponentError: `k` is no positive integer, or the pipeline makes no scores and ranks of a question.
        """
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise ComponentError(f"search: k={k!r} is not a positive integer.")
        pipeline = self.pipeline(expression)
        results = ranked(pipeline, query, expression).head(k)
        found = SearchResult(with_texts(results, self.provisions(results["docno"])))
        found._searched = (pipeline, query)
        return found

    def answer(self, query: str, expression: str = "default % 5 >> quote") -> Answer:
        """Return the answer to one question, with the provisions that it was made from.

        Raises:
            ComponentError: the pipeline does not end in a generator, or a component lacks columns.
        """
        text, results = ask(self.pipeline(expression), query, expression)
        return Answer(query, text, with_texts(results, self.provisions(results["docno"])))


def _directory_name(part: Analyzer | AnyEncoder) -> str:
    """Return what tells one analyzer or encoder from others, whatever its name holds."""
    name = re.sub(r"[^\w.-]+", "-", part.name)[:40]
    return f"{name}-{part.fingerprint[:8]}"


def _rows(source: StatuteDataset) -> Iterator[dict[str, Any]]:
    return (provision._asdict() for provision in source.docs())
