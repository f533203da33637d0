"""Indexes of other search engines: everything common to them, except storing rows and answering queries.

The author of an engine writes two methods: :meth:`EngineIndex.write` stores a row for each document, in files or on a
server, and :meth:`EngineRetriever.best`, or ``best_among``, answers with the best k of them. All else is here: the
index is built on first use by one process, whole or not at all; it says what it holds and is compared with what is
asked of it; docnos, days, filters and ties are the same as in legalir.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from os import PathLike
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from annotated_types import Ge

from legalir.collections import Collection
from legalir.errors import ArtifactError, ComponentError
from legalir.frames.as_of import days
from legalir.frames.columns import require_texts
from legalir.frames.ranking import Hits, RankedLists, ranked_lists
from legalir.frames.retriever import Retriever
from legalir.frames.where import masks, wheres
from legalir.progress import progress
from legalir.storage.artifact import IndexArtifact, Manifest, building, rebuild_hint
from legalir.storage.documents import counted, docno_of, indexed_text
from legalir.storage.strings import write_docnos
from legalir.storage.validity import Mask, dated


class EngineIndex(IndexArtifact):
    """An index of another engine, which stores a row for each document.

    The directory holds the docnos, the days on which versions are in force, the facts, and the files of an engine that
    has files. A document is called by its number, its place among those that were stored. An engine on a server keeps
    the rows there, under a name that the facts hold.

    A subclass sets `kind` and `version`, and writes :meth:`write`; :attr:`settings` where its rows depend on more than
    the documents.

    Args:
        path: directory of the artifact.
        collection: what is indexed on first use where nothing is built yet; None: nothing.
    """

    def __init__(self, path: str | PathLike[str], collection: Collection | None = None) -> None:
        super().__init__(str(path))
        self.collection = collection

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that determine the rows in addition to the documents, such as an analyzer: JSON values by name.

        They are stored with the facts, and a build with others is not opened. Messages show the ``name`` of a mapping.
        """
        return {}

    def write(self, documents: Iterator[Mapping[str, Any]], directory: Any) -> dict[str, Any]:
        """Store a row for each document; all or none, in place of any that an interrupted call has left.

        Args:
            documents: with ``docno``, ``indexed_text`` (title, newline, text; the text alone where there is no title)
                and the fields of the provision. They need not be read to the end.
            directory: folder for files. They are verified when the index is opened, and are then in :attr:`files`.

        Returns:
            Further facts about the build, JSON values by name.
        """
        raise NotImplementedError

    def check(self, facts: Mapping[str, Any]) -> None:
        """Compare a build that is opened with what is asked of it; for engines that have more to compare.

        Raises:
            ArtifactError: it was made for something else.
        """

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self, iter: Iterable[Mapping[str, Any]], *, corpus: str = ""
    ) -> Self:
        """Build the index; an existing index at the path is replaced only when the new one is complete.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            corpus: fingerprint of the collection, stored in the facts.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a date is invalid.
        """
        docnos: list[str] = []

        def named(documents: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
            for document in documents:
                docnos.append(docno_of(document))
                yield {**document, "docno": docnos[-1], "indexed_text": indexed_text(document)}

        with building(self.directory, self.kind, self.version) as (data, facts):
            documents = named(dated(iter, data))
            facts.update(self.write(documents, data))
            for _ in documents:
                pass
            write_docnos(data, docnos)
            facts.update(self.settings, documents=len(docnos), corpus=corpus)
        self.forget()
        return self

    @cached_property
    def _opened(self) -> tuple[Manifest, dict[str, npt.NDArray[Any]]]:
        if self.collection is not None:
            self.collection.cached(self, partial(_build, self.collection))
            self.fields = self.collection.fields  # The collection may have another object for this index.
        return super()._opened

    def _check(self, manifest: Manifest) -> None:
        asked = dict(self.settings)
        if self.collection is not None:
            asked["corpus"] = self.collection.fingerprint()
        for name, value in asked.items():
            if (held := manifest.facts.get(name)) != value:
                raise ArtifactError(
                    f"{self.directory} was built for another {name} ({_shown(held)}), not for {_shown(value)}: "
                    f"{rebuild_hint(self.directory)}"
                )
        self.check(manifest.facts)

    def _identity(self) -> tuple[object, ...]:
        return *super()._identity(), repr(self.settings)

    def _shown(self) -> str:
        return "".join(f", {name}={_shown(value)!r}" for name, value in self.settings.items())


def _build(collection: Collection, index: EngineIndex) -> None:
    documents = (provision._asdict() for provision in collection.docs())
    with progress(f"Indexing {collection.id} ({index.kind})", None) as advance:
        index.index(counted(documents, advance), corpus=collection.fingerprint())


def _shown(value: object) -> str:
    """Return a value of the facts in a few characters."""
    if isinstance(value, Mapping) and "name" in value:
        return f"{value['name']} {str(value.get('fingerprint', ''))[:8]}".strip()
    return str(value)[:12]


class EngineRetriever(Retriever):
    """The best documents of an index of another engine.

    A subclass sets `name`, which messages use, and writes :meth:`best`, or :meth:`best_among`. Its constructor has
    `index`, `num_results` and what else a question needs.

    Columns in: ``qid, query``. Columns out: the query columns, then ``docno, score, rank``. Given results, it scores
    their documents if a subclass has a ``scorer()``, and else refuses them. A query of white space finds nothing. Only
    documents in force on the day of a query that pass its filter are results, and equal scores are in the order of
    docnos, also at the cutoff: where an engine knows no days, filters or docnos, it is asked for twice as many until
    the best k are certain. An engine that can be asked for the best of some documents gets the numbers of those that
    pass a filter: with the first request if they are at most 10 000, else only if its answer has too few that pass.
    """

    name = "engine"
    ties_by_docno = False
    """Whether the engine itself gives equal scores in the order of docnos."""
    respects_as_of = respects_where = True

    index: Annotated[IndexArtifact, "the index"]
    num_results: Annotated[int, Ge(1), "number of results per query"] = 1000

    def best(self, queries: pd.DataFrame, days: Sequence[int] | None, k: int) -> Sequence[Hits]:
        """Return the numbers of the best `k` documents of each query, and their scores, best first; fewer if no more
        match.

        Args:
            queries: one row per query, at least one; ``qid``, ``query`` and any other columns.
            days: day of each query, as :meth:`datetime.date.toordinal` counts; None where all documents are always in
                force. An engine that filters by days saves work; one that cannot ignores them.
            k: at least 1, at most the number of documents.
        """
        raise NotImplementedError

    def best_among(
        self, queries: pd.DataFrame, days: Sequence[int] | None, k: int, among: Sequence[npt.NDArray[np.int64] | None]
    ) -> Sequence[Hits]:
        """Return what :meth:`best` does, for an engine that can be asked for the best of some documents.

        Args:
            queries: as of :meth:`best`.
            days: as of :meth:`best`.
            k: as of :meth:`best`.
            among: for each query the numbers of the documents in force that pass its filter, ascending, at least one,
                the same object for the same filter and day; None for a query without a filter, and at first where more
                than 10 000 pass. An answer need not heed them: then it is asked for twice as many.
        """
        return self.best(queries, days, k)

    def ranked(self, queries: pd.DataFrame) -> RankedLists:
        """Return the best documents of each query.

        Raises:
            ArtifactError: the index is damaged, was made for something else, or cannot be built.
            ComponentError: a query is not a string, a day is not a date, or the engine gives a score that is no number.
        """
        require_texts(queries, self.name)
        validity = self.index.validity
        asked = np.array(days(queries) if validity is not None else [0] * len(queries))
        wanted = masks(queries, self.index)
        nothing: Hits = np.zeros(0, dtype=np.int64), np.zeros(0)
        hits = [nothing] * len(queries)
        filters, k = wheres(queries), self.num_results
        among = _among(wanted, filters, _MOST_AMONG)
        rows = np.flatnonzero([
            bool(text.strip()) and (some is None or len(some) > 0)
            for text, some in zip(queries["query"], among, strict=True)
        ])  # fmt: skip
        depth = k if self.ties_by_docno else k + 1
        while len(rows) and (most := min(depth, len(self.index))):
            some = queries.iloc[rows].reset_index(drop=True)
            on = None if validity is None else asked[rows].tolist()
            answers = self.best_among(some, on, most, [among[row] for row in rows])
            uncertain = []
            for row, (documents, scores) in zip(rows.tolist(), answers, strict=True):
                there = slice(None) if (mask := wanted[row]) is None else mask[documents]
                hits[row] = documents[there], scores[there]
                more = len(documents) >= most < len(self.index)
                uncertain.append(more and not self._certain(hits[row][1], k))
            rows, depth = rows[uncertain], 2 * most
            among = _among(wanted, ["" if row not in rows else one for row, one in enumerate(filters)], len(self.index))
        return self._lists(queries, hits)

    def _certain(self, scores: npt.NDArray[np.floating], k: int) -> bool:
        """Return True if only the documents with `scores` can be among the best `k`."""
        return len(scores) >= k and (self.ties_by_docno or bool(scores[k - 1] > scores[-1]))

    def _lists(self, queries: pd.DataFrame, hits: Sequence[Hits]) -> RankedLists:
        query = np.repeat(np.arange(len(queries)), [len(documents) for documents, _ in hits])
        documents = np.concatenate([documents for documents, _ in hits], dtype=np.int64)
        scores = np.concatenate([scores for _, scores in hits], dtype=np.float64)
        if not np.isfinite(scores).all():
            raise ComponentError(f"{self.name}: the engine gave a score that is not a finite number.")
        return ranked_lists(queries, query, self.index.docno_table[documents], scores).head(self.num_results)


_MOST_AMONG = 10_000
"""Most documents whose numbers go to an engine at once; where more pass, it is first asked without them."""


def _among(wanted: Sequence[Mask | None], filters: Sequence[str], most: int) -> list[npt.NDArray[np.int64] | None]:
    """Return for each query the numbers of the documents that its filter lets pass, None for more than `most`."""
    masks = {id(mask): mask for mask, where in zip(wanted, filters, strict=True) if where and mask is not None}
    few = {one: np.flatnonzero(mask) for one, mask in masks.items() if np.count_nonzero(mask) <= most}
    return [few.get(id(mask)) if where else None for mask, where in zip(wanted, filters, strict=True)]
