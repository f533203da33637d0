"""Indexes whose rows are tables of PostgreSQL: vectors with a graph of pgvector, and weighted terms."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from legalir import DenseIndex, SparseIndex
from legalir.errors import ArtifactError, ComponentError
from legalir.extend import Collection, EngineIndex, Hits, check_number, get_analyzer
from legalir_postgres.builds import Build, check_build, date_bytes, row_of, write_build, written
from legalir_postgres.server import Server, servers

__all__ = ["DenseTable", "PostgresIndex", "TextTable"]

_MOST_DIMENSIONS = 4000
"""Most dimensions of a halfvec that pgvector can index."""
_MOST_TERMS = 16_000
"""Most terms of a row that a sparsevec holds."""
_COLUMNS = (
    'number integer PRIMARY KEY, docno text COLLATE "C" NOT NULL UNIQUE, effective_from date NOT NULL, '
    "effective_to date NOT NULL, vector "
)


class PostgresIndex(EngineIndex):
    """Rows in PostgreSQL: number and docno of each document, the days on which it is in force, and a vector.

    The rows come from legalir's own index of the collection, which is built first.

    Args:
        path: directory of data outside the tables: docnos, days, and the names of the tables.
        collection: the collection.
        dsn: connection strings without password; None for ``LEGALIR_POSTGRES``.
        schema: the schema of the tables.

    Raises:
        ComponentError: a connection string cannot be read or holds a password, or `schema` is not a name.
    """

    rows: ClassVar[str]
    """Kind of the rows, with which the names of tables begin."""

    def __init__(
        self, path: str | Path, collection: Collection, dsn: str | None = None, schema: str = "legalir"
    ) -> None:
        super().__init__(path, collection)
        if not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", schema):
            raise ComponentError(
                f"{self.kind}: schema={schema!r} is not a name of lower-case letters, digits and underscores."
            )
        self.source = collection
        self.dsn = dsn
        self.schema = schema

    def _identity(self) -> tuple[object, ...]:
        return *super()._identity(), self.dsn, self.schema

    @property
    def servers(self) -> tuple[Server, ...]:
        """The server of each shard."""
        return servers(self.dsn)

    @cached_property
    def builds(self) -> tuple[Build, ...]:
        """The table of each shard, for the searches of an open index."""
        return tuple(Build(**build) for build in self.manifest.facts["builds"])

    def write(self, documents: Iterator[Mapping[str, Any]], directory: Path) -> dict[str, Any]:
        """Write the tables that are not there yet; each is whole or absent, and a search waits for all.

        Raises:
            ComponentError: the vectors are too long for pgvector.
            DataError: a server takes no writes or refuses, or pgvector is missing.
        """
        shards = self.servers
        own, dimensions = self._own()
        docnos = [document["docno"] for document in documents]
        places = own.docno_table.numbers(docnos)
        validity = own.validity
        begin = np.full(len(docnos), -(2**31)) if validity is None else validity.begin[places]
        end = np.full(len(docnos), 2**31 - 1) if validity is None else validity.end[places]
        days = list(zip(date_bytes(begin), date_bytes(end), strict=True))

        def rows(shard: int) -> Iterator[bytes]:
            numbers = range(shard, len(docnos), len(shards))
            for number, vector in zip(numbers, self._vectors(places[list(numbers)]), strict=True):
                yield row_of(struct.pack(">i", number), docnos[number].encode(), *days[number], vector)

        def write(shard: int) -> Build:
            count = len(range(shard, len(docnos), len(shards)))
            build = Build(
                self.rows, self.source.fingerprint(), self._described(), dimensions, count, len(docnos), shard,
                len(shards),
            )  # fmt: skip
            if not written(shards[shard], self.schema, build):
                columns = _COLUMNS + self._column.format(dimensions=dimensions)
                write_build(shards[shard], self.schema, build, columns, rows(shard), self._before, self._after)
            return build

        return {"builds": [write(shard)._asdict() for shard in range(len(shards))]}

    _column: ClassVar[str]
    """Definition of the column of vectors."""
    _before: ClassVar[tuple[str, ...]] = ()
    _after: ClassVar[tuple[str, ...]] = ()
    """Statements before and after the rows are in."""

    def _own(self) -> tuple[DenseIndex | SparseIndex, int]:
        """Return legalir's own index and the number of its dimensions."""
        raise NotImplementedError

    def _described(self) -> dict[str, Any]:
        """Return what the rows depend on, for the name of the table."""
        return dict(self.settings)

    def _vectors(self, places: npt.NDArray[np.int64]) -> Iterator[bytes]:
        """Yield the vectors of documents of legalir's own index as pgvector stores them."""
        raise NotImplementedError

    def check(self, facts: Mapping[str, Any]) -> None:
        """Compare the tables with what was written."""
        cure = f"remove the directory {self.directory}, and the next search builds it again."
        builds = [Build(**build) for build in facts["builds"]]
        if len(builds) != len(self.servers):
            raise ArtifactError(
                f"{self.directory} was built on {len(builds)} shard(s), and {len(self.servers)} are given: correct "
                f"the connection strings, or {cure}"
            )
        for server, build in zip(self.servers, builds, strict=True):
            if build.settings != self._described():
                raise ArtifactError(f"{self.directory} was built for other vectors: {cure}")
            check_build(server, self.schema, build, cure)

    def best(
        self,
        vectors: list[str],
        days: list[date] | None,
        among: list[npt.NDArray[np.int64] | None],
        k: int,
        candidates: int,
        order: str,
        timeout: float,
    ) -> list[Hits]:
        """Return the numbers and scores of the best `k` rows of each vector, from all shards.

        Args:
            vectors: vectors as pgvector writes them.
            days: day of each, as a date; None for rows that are always in force.
            among: numbers of the rows that each may find, which are then compared exactly; None for all rows.
            k: at least 1.
            candidates: number of candidates of a graph, as pgvector's ``hnsw.ef_search``; 0 for an exact search.
            order: further order of rows of the same score.
            timeout: limit of a question, in seconds.

        Raises:
            ArtifactError: a table is missing.
            DataError: a shard does not answer, or not in time: a part of the results is never returned.
        """
        shards = list(zip(self.servers, self.builds, strict=True))
        found = []
        with ThreadPoolExecutor(len(shards)) as pool:
            for place, vector in enumerate(vectors):
                values = {"vector": vector, "day": None if days is None else days[place], "among": None}
                graph = candidates
                if (numbers := among[place]) is not None:  # They are in force.
                    values |= {"day": None, "among": f"{{{','.join(map(str, numbers.tolist()))}}}"}
                    graph = 0

                def ask(
                    shard: tuple[Server, Build], values: dict[str, Any] = values, graph: int = graph
                ) -> npt.NDArray[np.float64]:
                    return self._ask(*shard, values, k, graph, order, timeout)

                parts = pool.map(ask, shards) if len(shards) > 1 else map(ask, shards)
                found.append(self._merged(list(parts), k))
        return found

    def _ask(
        self, server: Server, build: Build, values: dict[str, Any], k: int, candidates: int, order: str, timeout: float
    ) -> npt.NDArray[np.float64]:
        """Return numbers and scores of the best rows of one shard; [at most k, 2]."""
        from psycopg import sql

        column = self._column.format(dimensions=build.dimensions).partition("(")[0]
        within = "" if values["day"] is None else "WHERE effective_from <= %(day)s AND %(day)s < effective_to "
        if values["among"] is not None:
            within = "WHERE number = ANY(%(among)s::integer[]) "
        statement = sql.SQL(
            "SELECT number, -(vector <#> %(vector)s::{type}) FROM {table} "
            + within
            + "ORDER BY vector <#> %(vector)s::{type}"
            + order
            + " LIMIT {k}"
        ).format(table=sql.Identifier(self.schema, build.name), type=sql.SQL(column), k=sql.Literal(k))

        def read(settings: dict[str, str]) -> npt.NDArray[np.float64]:
            rows = server.read(lambda one: one.execute(statement, values, binary=True).fetchall(), timeout, settings)
            return np.array(rows, dtype=np.float64).reshape(-1, 2)

        if candidates:
            rows = read({"enable_indexscan": "on", "hnsw.ef_search": str(candidates)})
            if len(rows) == min(k, build.rows):
                return rows
            # The graph gave up before it had k, or no more are in force: all rows are compared.
        return read({"enable_indexscan": "off"})

    def _merged(self, parts: list[npt.NDArray[np.float64]], k: int) -> Hits:
        rows = np.concatenate(parts)
        numbers, scores = rows[:, 0].astype(np.int64), rows[:, 1]
        if len(parts) > 1:
            order = np.lexsort((self.arrays["order"][numbers], -scores))[:k]
            numbers, scores = numbers[order], scores[order]
        return numbers, scores


class DenseTable(PostgresIndex):
    """Vectors of an encoder in half precision, with pgvector's graph (HNSW) for inner products.

    Args:
        path: as :class:`PostgresIndex`.
        collection: the collection.
        encoder: name of an encoder.
        dsn: as :class:`PostgresIndex`.
        schema: as :class:`PostgresIndex`.
    """

    kind, version, rows = "postgres_dense", 1, "dense"
    _column = "halfvec({dimensions}) NOT NULL"
    _after = ("CREATE INDEX ON {table} USING hnsw (vector halfvec_ip_ops)",)

    def __init__(
        self,
        path: str | Path,
        collection: Collection,
        encoder: str = "lsa",
        dsn: str | None = None,
        schema: str = "legalir",
    ) -> None:
        super().__init__(path, collection, dsn, schema)
        self.encoder = encoder

    @property
    def settings(self) -> dict[str, Any]:
        """The encoder."""
        return {"encoder": self.encoder}

    @cached_property
    def vectors(self) -> DenseIndex:
        """Legalir's own index of the same vectors, which encodes the questions."""
        return DenseIndex.of(self.source, self.encoder)

    def _described(self) -> dict[str, Any]:
        # An encoder that was fitted on another computer may have other axes.
        return {**self.settings, "vectors": self.vectors.fingerprint()}

    def _own(self) -> tuple[DenseIndex, int]:
        dimensions = self.vectors.dimensions
        if dimensions > _MOST_DIMENSIONS:
            raise ComponentError(
                f"postgres_dense: the encoder {self.encoder!r} has {dimensions} dimensions, and pgvector indexes "
                f"{_MOST_DIMENSIONS}: choose another encoder."
            )
        return self.vectors, dimensions

    def _vectors(self, places: npt.NDArray[np.int64]) -> Iterator[bytes]:
        head = struct.pack(">hh", self.vectors.dimensions, 0)
        for place in places:
            yield head + self.vectors.vectors[place].astype(">f2").tobytes()


class TextTable(PostgresIndex):
    """Terms of an analyzer with their BM25 weights, as sparse vectors.

    Args:
        path: as :class:`PostgresIndex`.
        collection: the collection.
        analyzer: name of an analyzer.
        k1: saturation of term frequency, at least 0.
        b: length normalisation, from 0 to 1.
        dsn: as :class:`PostgresIndex`.
        schema: as :class:`PostgresIndex`.
    """

    kind, version, rows = "postgres_text", 1, "text"
    _column = "sparsevec({dimensions}) NOT NULL"
    # In the rows themselves, not beside them, where there is room: a search reads all of them.
    _before = (
        "ALTER TABLE {table} SET (toast_tuple_target = 8160)",
        "ALTER TABLE {table} ALTER COLUMN vector SET STORAGE MAIN",
    )

    def __init__(
        self,
        path: str | Path,
        collection: Collection,
        analyzer: str = "auto",
        k1: float = 0.9,
        b: float = 0.4,
        dsn: str | None = None,
        schema: str = "legalir",
    ) -> None:
        check_number(self.kind, "k1", k1, low=0)
        check_number(self.kind, "b", b, low=0, high=1)
        super().__init__(path, collection, dsn, schema)
        self.analyzer = get_analyzer(analyzer, collection)
        self.k1 = float(k1)
        self.b = float(b)

    @property
    def settings(self) -> dict[str, Any]:
        """The analyzer and the parameters of the weights."""
        analyzer = {"name": self.analyzer.name, "fingerprint": self.analyzer.fingerprint}
        return {"analyzer": analyzer, "k1": self.k1, "b": self.b}

    @cached_property
    def terms(self) -> SparseIndex:
        """Legalir's own index of the same terms, which numbers the terms of questions."""
        return SparseIndex.of(self.source, self.analyzer)

    def _own(self) -> tuple[SparseIndex, int]:
        return self.terms, max(1, len(self.terms.terms))

    def _vectors(self, places: npt.NDArray[np.int64]) -> Iterator[bytes]:
        own = self.terms
        weights, documents = own.bm25(self.k1, self.b).posting_weights(), np.asarray(own.documents)
        # Numbered from the last term on: pgvector then adds a score up in the order in which legalir does, and
        # gives the same sum to the last bit.
        dimensions = max(1, len(own.terms))
        terms = np.repeat(np.arange(len(own.terms) - 1, -1, -1, dtype=np.int32), np.diff(own.indptr))
        order = len(terms) - 1 - np.argsort(documents[::-1], kind="stable")
        terms, weights = terms[order].astype(">i4"), weights[order].astype(">f4")
        bounds = np.concatenate([[0], np.cumsum(np.bincount(documents, minlength=len(own)))])
        for place in places:
            first, last = bounds[place], bounds[place + 1]
            if last - first > _MOST_TERMS:
                raise ComponentError(
                    f"postgres_text: {own.docnos[place]!r} has {last - first} different terms, and pgvector stores "
                    f"{_MOST_TERMS}: cut the text into provisions."
                )
            head = struct.pack(">iii", dimensions, last - first, 0)
            yield head + terms[first:last].tobytes() + weights[first:last].tobytes()
