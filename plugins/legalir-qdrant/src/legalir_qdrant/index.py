"""The index of a collection in Qdrant, and its retriever; the engine is in this process or on a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge

from legalir.errors import ArtifactError
from legalir.extend import Collection, EngineIndex, EngineRetriever, Hits
from legalir_qdrant.embedded import Embedded
from legalir_qdrant.server import Server
from legalir_qdrant.vectors import Vectors

__all__ = ["Qdrant", "QdrantIndex"]

_BATCH = 256
_SHARD = "shard"


class QdrantIndex(EngineIndex):
    """Vectors of provisions in Qdrant.

    The directory holds the docnos, the days and the facts; and the files of Qdrant's engine, if it runs in this
    process. A server holds the points, under a name that the facts have; where it holds the same points already, stored
    from another machine, they are used as they are.

    Args:
        path: directory of the artifact.
        vectors: the vectors.
        collection: what is indexed, on first use, where nothing is built yet; None: nothing.
        server: the server; None for the engine in this process.
    """

    kind = "qdrant_index"
    version = 1

    def __init__(
        self,
        path: str | PathLike[str],
        vectors: Vectors,
        collection: Collection | None = None,
        server: Server | None = None,
    ) -> None:
        super().__init__(path, collection)
        self.vectors = vectors
        self.server = server

    @property
    def settings(self) -> dict[str, Any]:
        """What made the vectors, and where they are."""
        return {**self.vectors.settings, "server": None if self.server is None else self.server.settings}

    def write(self, documents: Iterator[Mapping[str, Any]], directory: Path) -> dict[str, Any]:
        """Store a point for each document.

        Raises:
            ArtifactError: the server refuses the points.
            DataError: the server cannot be reached, or refuses.
        """
        docnos = [document["docno"] for document in documents]
        points = _points(self.vectors, docnos)
        facts = self.vectors.facts()
        if self.server is None:
            Embedded.write(directory / _SHARD, self.vectors.name, self.vectors.dimensions, points)
            return facts
        collection = self.collection
        corpus = "" if collection is None else collection.fingerprint()
        described = {**self.vectors.settings, **facts, "corpus": corpus, "documents": len(docnos)}
        return {**facts, "stored": self.server.store(self.vectors.name, described, points)}

    def check(self, facts: Mapping[str, Any]) -> None:
        """Compare the facts with the vectors, and with what the server holds."""
        for name, value in self.vectors.facts().items():
            if facts[name] != value:
                raise ArtifactError(
                    f"{self.directory} was built with other vectors ({name} {str(facts[name])[:12]}, not "
                    f"{str(value)[:12]}): remove the directory {self.directory} and build it again."
                )
        if self.server is not None:
            self.server.check(facts["stored"], self.directory)

    @cached_property
    def engine(self) -> Embedded | Server:
        """What answers: the engine in this process, or the server."""
        files, facts = self.files, self.manifest.facts
        if self.server is not None:
            return self.server
        return Embedded(files / _SHARD, self.vectors.name, facts["dimensions"])


class Point(NamedTuple):
    """A row: the number of a document, its vector, and what can be filtered by."""

    number: int
    vector: Any
    payload: dict[str, Any]


def _points(vectors: Vectors, docnos: Sequence[str]) -> Iterator[list[Point]]:
    """Yield the points of documents in batches; one without content has no vector and no point."""
    numbers = vectors.index.docno_table.numbers(docnos)
    validity = vectors.index.validity
    for first in range(0, len(docnos), _BATCH):
        some = numbers[first : first + _BATCH]
        payloads: list[dict[str, Any]] = [{"docno": docno} for docno in docnos[first : first + _BATCH]]
        if validity is not None:
            begins, ends = (_calendar(days[some]) for days in (validity.begin, validity.end))
            for payload, begin, end in zip(payloads, begins, ends, strict=True):
                payload.update({"from": begin, "to": end})
        rows = zip(range(first, first + len(some)), vectors.documents(some), payloads, strict=True)
        yield [Point(*row) for row in rows if row[1] is not None]


def _calendar(days: npt.NDArray[np.integer]) -> list[int]:
    """Return days as numbers that people can read, such as 20210301; open ends are 0 and 99999999."""
    return [
        0 if day < 1 else int(f"{date.fromordinal(day):%Y%m%d}") if day <= date.max.toordinal() else 99999999
        for day in days.tolist()
    ]


class Qdrant(EngineRetriever):
    """The provisions whose vectors in Qdrant are nearest to the question's vector.

    Columns in: ``qid, query``. Columns out: the query columns, then ``docno, score, rank``. Given results, it scores
    their provisions, from legalir's own index. Scores equal legalir's own index of the same vectors, up to the
    rounding of single precision: cosines, BM25, or mean greatest cosines of tokens.
    """

    index: Annotated[QdrantIndex, "the index"]
    exact: Annotated[
        bool,
        "compares all vectors. Without it, Qdrant searches a graph of neighbours (HNSW) where a segment is "
        "large, and compares all where it is small or few provisions pass the filter. Sparse search is always "
        "exact",
    ] = False
    ef: Annotated[
        int,
        Ge(1),
        "number of candidates that the graph is searched for; never below the number of results",
    ] = 128

    def __post_init__(self) -> None:
        self.name = f"qdrant_{self.index.vectors.name}"

    @property
    def label(self) -> str:
        """The retriever as in an expression."""
        return self.name

    def scorer(self) -> pt.Transformer:
        """Return a transformer that scores given documents like this retriever, from legalir's own index."""
        return self.index.vectors.scorer()

    def best_among(
        self,
        queries: pd.DataFrame,
        days: Sequence[int] | None,
        k: int,
        among: Sequence[npt.NDArray[np.int64] | None],
    ) -> list[Hits]:
        """Return the best documents of each question.

        Raises:
            ArtifactError: the index is damaged, or the server holds other vectors.
            DataError: the server cannot be reached, refuses, or lacks a shard.
        """
        questions = self.index.vectors.questions(queries)
        rows = [row for row, question in enumerate(questions) if question is not None]
        asked = [question for question in questions if question is not None]
        calendar = None if days is None else _calendar(np.array(days)[rows])
        stored = self.index.manifest.facts.get("stored")
        some = [among[row] for row in rows]
        answers = self.index.engine.search(
            [vector for vector, _ in asked], calendar, some, k, exact=self.exact, ef=self.ef, stored=stored
        )
        hits: list[Hits] = [(np.zeros(0, dtype=np.int64), np.zeros(0))] * len(questions)
        for row, (_, factor), (numbers, scores) in zip(rows, asked, answers, strict=True):
            hits[row] = np.array(numbers, dtype=np.int64), np.array(scores, dtype=np.float64) * factor
        return hits
