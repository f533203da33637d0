"""A dataset, its indexes, and questions to it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from legalir import datasets
from legalir.collection.indexes import CollectionIndexes
from legalir.collection.results import SearchResult, answer_with, search_with
from legalir.collection.writing import Writing, writing_of
from legalir.errors import ComponentError
from legalir.generate.generator import Answer, gives_answers
from legalir.llm.client import Client

if TYPE_CHECKING:
    import pyterrier as pt
    from ir_datasets.datasets.base import Dataset

    from legalir.analysis.analyzer import Analyzer
    from legalir.datasets import Provision, StatuteDataset
    from legalir.dense.index import DenseIndex
    from legalir.encode.contract import AnyEncoder
    from legalir.graph.citation_graph import CitationGraph
    from legalir.lexical.sparse import SparseIndex


class Collection:
    """A statute collection with its indexes.

    Args:
        id_or_path: an id such as ``legalir/firecode/test``, or the path of a folder in the folder format.
        cache: directory of the indexes; by default ``$LEGALIR_HOME``, else the platform's cache. Indexes stand
            under the sha256 of the corpus, so a changed corpus never meets an old index. Safe to delete.
        client: asks language models for components; by default one for ``$LEGALIR_LLM``.

    Attributes:
        source: the provisions, questions, judgements and links.
        indexes: builds and opens what a pipeline needs.
        client: asks language models for components.

    Raises:
        DatasetNotFound: nothing has this id, or there is no such folder.
    """

    def __init__(
        self, id_or_path: str | PathLike[str], cache: str | PathLike[str] | None = None, client: Client | None = None
    ) -> None:
        self.source: StatuteDataset = datasets.load(id_or_path)
        self.client = (client or Client()).over(self)
        base = None if cache is None else Path(cache).expanduser().absolute()
        self.indexes = CollectionIndexes(self.source, base, self)

    def __repr__(self) -> str:
        return f"Collection({self.id!r})"

    @property
    def id(self) -> str:
        """The id or path that the collection was opened by."""
        return self.source.id

    @cached_property
    def dataset(self) -> Dataset:
        """The collection as an ``ir_datasets`` dataset."""
        from legalir.datasets.irds import irds_dataset

        return irds_dataset(self.source)

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
        return self.indexes.corpus

    @cached_property
    def writing(self) -> Writing:
        """The language of the provisions, and the share of each script in their letters."""
        return writing_of(self.source, self.cache)

    @property
    def language(self) -> str:
        """Code of the language of the provisions, ``und`` if it cannot be told."""
        return self.writing.language

    @property
    def cache(self) -> Path:
        """Directory of everything that is built for this corpus."""
        return self.indexes.directory

    def sparse(self, analyzer: str | Analyzer = "auto") -> SparseIndex:
        """Return the sparse index of an analyzer; see :meth:`~legalir.collection.indexes.CollectionIndexes.sparse`."""
        return self.indexes.sparse(analyzer)

    def dense(self, encoder: str | AnyEncoder = "lsa", *, approximate: str | None = None) -> DenseIndex:
        """Return the dense index of an encoder; see :meth:`~legalir.collection.indexes.CollectionIndexes.dense`."""
        return self.indexes.dense(encoder, approximate=approximate)

    @property
    def graph(self) -> CitationGraph:
        """The citation graph; see :attr:`~legalir.collection.indexes.CollectionIndexes.graph`."""
        return self.indexes.graph

    def pipeline(self, expr: str) -> pt.Transformer:
        """Return the pipeline that an expression describes, such as ``bm25(k1=1.5) % 10``.

        Raises:
            ExpressionError: the expression cannot be read, or names something unknown.
        """
        from legalir import pipeline

        return pipeline.build(expr, self)

    def search(self, query: str, expr: str = "default", k: int = 10) -> SearchResult:
        """Return the best `k` provisions for one question.

        Returns:
            A data frame with the columns ``rank`` (from 0), ``score, docno, title, text``;
            ``result.explain()`` says why each provision has its score.

        Raises:
            ComponentError: `k` is not a positive integer, or the pipeline gives no scores and ranks.
        """
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise ComponentError(f"search: k={k!r} is not a positive integer.")
        pipeline = self.pipeline(expr)
        if gives_answers(pipeline):
            raise ComponentError(
                f"search: {expr!r} ends in a generator, whose answer is not a list of results: "
                f"take the generator away, or ask with Collection.answer."
            )
        self.warn_of(query)
        return search_with(pipeline, query, expr, k, self.provisions)

    def answer(
        self, query: str, expr: str = "default % 5 >> quote", told: Callable[[str], None] = lambda words: None
    ) -> Answer:
        """Return the answer to one question, with the provisions that the generator was given.

        Args:
            query: the question.
            expr: a pipeline that ends in a generator.
            told: called with a few words about each step that is done.

        Raises:
            ComponentError: the pipeline does not end in a generator, or a component lacks columns.
        """
        pipeline = self.pipeline(expr)
        self.warn_of(query)
        return answer_with(pipeline, query, expr, self.provisions, told)

    def warn_of(self, query: str) -> None:
        """Warn if a question has no terms, or is written in a script that the provisions hardly have."""
        if objection := self.writing.objection(query):
            logging.getLogger("legalir").warning(objection)
