"""Builds: tables of rows that are written once, whole or not at all, with a catalog that says what each is.

A build is one table, written in one transaction under an advisory lock, so that readers see all of it or nothing, and
a killed writer leaves nothing. Its name is a digest of what it holds: a changed corpus gets a table of its own, and
two computers that index the same find one table. The catalog ``builds`` of the schema has a line for each.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError, DataError
from legalir_postgres.server import Server

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

__all__ = [
    "FORMAT",
    "Build",
    "add_to_catalog",
    "check_build",
    "copy_rows",
    "date_bytes",
    "lock_schema",
    "row_of",
    "write_build",
    "written",
]

FORMAT = 1
"""Version of the layout of the tables and of the catalog."""

_OLDEST_VECTOR = (0, 8)
_CATALOG = """CREATE TABLE IF NOT EXISTS {catalog} (
    name text PRIMARY KEY, format integer NOT NULL, kind text NOT NULL, corpus text NOT NULL, settings jsonb NOT NULL,
    dimensions integer NOT NULL, rows integer NOT NULL, of_rows integer NOT NULL,
    written timestamptz NOT NULL DEFAULT now())"""
_EPOCH = 730_120
"""Ordinal of 2000-01-01, from which PostgreSQL counts days."""
_ALWAYS, _OPEN = -(2**31), 2**31 - 1


class Build(NamedTuple):
    """What a table of rows holds.

    Attributes:
        kind: ``dense`` or ``text``.
        corpus: fingerprint of the corpus.
        settings: settings that the rows depend on, in addition to the corpus; JSON values.
        dimensions: of a vector.
        rows: number of rows of this shard.
        of_rows: number of rows of all shards.
        shard: number of the shard, from 0.
        shards: number of shards.
    """

    kind: str
    corpus: str
    settings: dict[str, Any]
    dimensions: int
    rows: int
    of_rows: int
    shard: int
    shards: int

    @property
    def name(self) -> str:
        """Name of the table."""
        described = json.dumps([FORMAT, *self], sort_keys=True, ensure_ascii=False)
        return f"{self.kind}_{hashlib.sha256(described.encode()).hexdigest()[:20]}"


def write_build(
    server: Server,
    schema: str,
    build: Build,
    columns: str,
    rows: Iterable[bytes],
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> None:
    """Write the table of a build, unless it is there.

    Args:
        server: its primary writes.
        schema: schema of the tables; created if it is missing.
        build: what the rows are.
        columns: definition of the columns.
        rows: the rows in the binary format of COPY.
        before: statements before the rows are in, with ``{table}`` for the table.
        after: statements after the rows are in.

    Raises:
        DataError: the server takes no writes or refuses, pgvector is missing, or another process is writing for long.
    """
    from psycopg import sql

    with server.writing() as connection:
        _require_vector(connection, server)
        names = {"table": sql.Identifier(schema, build.name), "catalog": sql.Identifier(schema, "builds")}
        lock_schema(connection, schema)
        held = connection.execute(sql.SQL("SELECT rows FROM {catalog} WHERE name = %s").format(**names), [build.name])
        if held.fetchone() is not None and _dimensions(connection, schema, build.name) == build.dimensions:
            return
        connection.execute(sql.SQL("DROP TABLE IF EXISTS {table}").format(**names))
        connection.execute(sql.SQL("CREATE TABLE {table} (" + columns + ")").format(**names))
        for statement in before:
            connection.execute(sql.SQL(statement).format(**names))
        copy_rows(connection, names["table"], rows)
        for statement in after:
            connection.execute(sql.SQL(statement).format(**names))
        connection.execute(sql.SQL("ANALYZE {table}").format(**names))
        add_to_catalog(connection, schema, build, build.name)


def lock_schema(connection: psycopg.Connection[Any], schema: str) -> None:
    """Make this transaction the only writer of a schema with its catalog; create both if they are missing.

    The lock ends with the transaction, also if this process or its computer dies.
    """
    from psycopg import sql

    connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"legalir {schema}"])
    # IF NOT EXISTS alone would ask for a right that is not needed.
    if connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema]).fetchone() is None:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
    connection.execute(sql.SQL(_CATALOG).format(catalog=sql.Identifier(schema, "builds")))


def copy_rows(connection: psycopg.Connection[Any], table: sql.Composable, rows: Iterable[bytes]) -> None:
    """Write rows in the binary format of COPY into a table."""
    from psycopg import sql

    statement = sql.SQL("COPY {table} FROM STDIN (FORMAT BINARY)").format(table=table)
    with connection.cursor() as cursor, cursor.copy(statement) as stream:
        for block in _blocks(rows):
            stream.write(block)


def add_to_catalog(connection: psycopg.Connection[Any], schema: str, build: Build, name: str) -> None:
    """Add or replace the line of a build."""
    from psycopg import sql

    catalog = sql.Identifier(schema, "builds")
    connection.execute(sql.SQL("DELETE FROM {} WHERE name = %s").format(catalog), [name])
    line = (name, FORMAT, build.kind, build.corpus, json.dumps(build.settings), *build[3:6])
    insert = "INSERT INTO {} (name, format, kind, corpus, settings, dimensions, rows, of_rows) VALUES "
    connection.execute(sql.SQL(insert + "(%s, %s, %s, %s, %s, %s, %s, %s)").format(catalog), line)


def _require_vector(connection: psycopg.Connection[Any], server: Server) -> None:
    """Check that the database has pgvector, new enough.

    Raises:
        DataError: it has not.
    """
    row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    version = str(row[0]) if row else ""
    if not version:
        raise DataError(f"{server.place} lacks pgvector in this database: run CREATE EXTENSION vector there.")
    if tuple(map(int, version.split(".")[:2])) < _OLDEST_VECTOR:
        raise DataError(
            f"{server.place} has pgvector {version}, and 0.8 is needed: install it, and run "
            f"ALTER EXTENSION vector UPDATE."
        )


def written(server: Server, schema: str, build: Build) -> bool:
    """Return whether the table of a build is there, and of this format; any server of the database may say so."""
    from psycopg import errors

    def ask(connection: psycopg.Connection[Any]) -> bool:
        try:
            row = _held(connection, schema, build)
        except errors.UndefinedTable:
            return False  # There is no catalog yet; or not on this replica, and the primary knows better.
        return row is not None and row[0] == FORMAT and row[-1] == build.dimensions

    try:
        return server.read(ask)
    except DataError:
        return False  # The writer says what is wrong.


def check_build(server: Server, schema: str, build: Build, cure: str) -> None:
    """Check that the table of a build is there, and holds what the catalog says.

    Raises:
        ArtifactError: it is not there, or it is of a newer format, another corpus or another dimension.
        DataError: the server does not answer.
    """
    from psycopg import errors

    def ask(connection: psycopg.Connection[Any]) -> tuple[Any, ...]:
        row = _held(connection, schema, build)
        if row is None or (row[0] <= FORMAT and row[4] < 0):
            raise errors.UndefinedTable(build.name)  # On a replica that is behind; then the primary is asked.
        return row

    table = f"{schema}.{build.name} of {server.place}"
    try:
        row = server.read(ask)
    except ArtifactError:
        raise ArtifactError(f"There is no table {table}: {cure}") from None
    if row[0] > FORMAT:
        raise ArtifactError(
            f"The table {table} has the format {row[0]}, and this version reads {FORMAT}: upgrade legalir-postgres."
        )
    if row[1] != build.corpus:
        raise ArtifactError(f"The table {table} holds another corpus ({row[1][:12]}, not {build.corpus[:12]}): {cure}")
    if row[2:] != (build.rows, build.dimensions, build.dimensions):
        raise ArtifactError(
            f"The table {table} holds {row[2]} rows of {row[4]} dimensions, not {build.rows} of {build.dimensions}: "
            f"{cure}"
        )


def _held(connection: psycopg.Connection[Any], schema: str, build: Build) -> tuple[Any, ...] | None:
    """Return format, corpus, rows and dimensions of a build by the catalog, and the dimensions of its table, or -1."""
    from psycopg import sql

    select = sql.SQL("SELECT format, corpus, rows, dimensions FROM {} WHERE name = %s")
    row = connection.execute(select.format(sql.Identifier(schema, "builds")), [build.name]).fetchone()
    return None if row is None else (*row, _dimensions(connection, schema, build.name))


def _dimensions(connection: psycopg.Connection[Any], schema: str, table: str) -> int:
    select = "SELECT atttypmod FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = 'vector'"
    row = connection.execute(select, [f'"{schema}"."{table}"']).fetchone()
    return int(row[0]) if row else -1


def _blocks(rows: Iterable[bytes], size: int = 1 << 20) -> Iterable[bytes]:
    """Yield rows as blocks of the binary format of COPY, with its head and its end."""
    block, length = [b"PGCOPY\n\xff\r\n\0", b"\0" * 8], 0
    for row in rows:
        block.append(row)
        length += len(row)
        if length > size:
            yield b"".join(block)
            block, length = [], 0
    yield b"".join([*block, b"\xff\xff"])


def row_of(*fields: bytes) -> bytes:
    """Return a row of the binary format of COPY."""
    parts = [struct.pack(">h", len(fields))]
    for field in fields:
        parts += [struct.pack(">i", len(field)), field]
    return b"".join(parts)


def date_bytes(days: npt.NDArray[np.integer[Any]]) -> list[bytes]:
    """Return days, counted as :meth:`datetime.date.toordinal` does, as PostgreSQL has them; open ends as infinity."""
    wide = days.astype(np.int64)
    inner = np.clip(wide - _EPOCH, _ALWAYS + 1, _OPEN - 1)
    counted = np.where(wide == _ALWAYS, _ALWAYS, np.where(wide == _OPEN, _OPEN, inner))
    packed = counted.astype(">i4").tobytes()
    return [packed[place : place + 4] for place in range(0, len(packed), 4)]
