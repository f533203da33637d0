"""Provisions, their versions and their links as SQL tables, for a team's own queries."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from legalir import CitationGraph
from legalir.errors import ArtifactError
from legalir.extend import Collection, dated
from legalir_postgres.builds import FORMAT, Build, add_to_catalog, copy_rows, date_bytes, lock_schema, row_of
from legalir_postgres.server import servers

__all__ = ["write_statutes"]

_FIELDS = ("title", "text", "law", "law_id", "level", "article", "heading", "path")
_TABLES = (
    'CREATE TABLE {provisions} (docno text COLLATE "C" PRIMARY KEY, '
    # The key of a version key@2021-03-01; any other docno is its own key.
    'provision text COLLATE "C" GENERATED ALWAYS AS '
    "(regexp_replace(docno, '@[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}$', '')) STORED, "
    + ", ".join(f"{field} text NOT NULL" for field in _FIELDS)
    + ", effective_from date NOT NULL, effective_to date NOT NULL)",
    'CREATE TABLE {links} (source text COLLATE "C" NOT NULL, target text COLLATE "C" NOT NULL, kind text NOT NULL)',
)
_INDEXES = (
    "CREATE INDEX ON {provisions} (provision, effective_from)",
    "CREATE INDEX ON {provisions} (law)",
    "CREATE INDEX ON {links} (source)",
    "CREATE INDEX ON {links} (target)",
    "ANALYZE {provisions}",
    "ANALYZE {links}",
)
_VIEWS = (
    "CREATE OR REPLACE VIEW {view}.provisions AS SELECT * FROM {provisions}",
    "CREATE OR REPLACE VIEW {view}.links AS SELECT * FROM {links}",
    """CREATE OR REPLACE FUNCTION {view}.in_force(day date) RETURNS SETOF {view}.provisions
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
        SELECT * FROM {view}.provisions WHERE effective_from <= day AND day < effective_to
    $$""",
    """CREATE OR REPLACE FUNCTION {view}.links_in_force(day date) RETURNS SETOF {view}.links
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
        SELECT DISTINCT one.docno, other.docno, link.kind FROM {view}.links link
        JOIN {view}.in_force(day) one ON link.source IN (one.docno, one.provision)
        JOIN {view}.in_force(day) other ON link.target IN (other.docno, other.provision)
    $$""",
)


def write_statutes(collection: Collection, dsn: str | None = None, schema: str = "legalir") -> int:
    """Write the provisions and links of a collection as SQL tables, and return the number of provisions.

    The schema then has the views ``provisions`` (``docno, provision, title, text, law, law_id, level, article,
    heading, path, effective_from, effective_to``) and ``links`` (``source, target, kind``), and the functions
    ``in_force(day)`` and ``links_in_force(day)``. Days are dates, and open ends ``infinity``; a version ends where the
    next one begins. All is written in one transaction: a reader sees the old tables or the new ones, and views of
    others over them remain.

    Args:
        collection: the collection.
        dsn: connection string without password; of several shards, the first has the tables. None: that of
            ``LEGALIR_POSTGRES``.
        schema: one schema holds one collection.

    Raises:
        ArtifactError: the tables are of a newer format.
        ComponentError: the connection string cannot be read or holds a password.
        DataError: the server takes no writes or refuses.
    """
    from psycopg import sql

    server = servers(dsn)[0]
    with tempfile.TemporaryDirectory() as scratch:
        docnos = [
            str(document["doc_id"]) for document in dated((row._asdict() for row in collection.docs()), Path(scratch))
        ]
        files = [Path(scratch) / f"effective.{end}.npy" for end in ("from", "to")]
        open_ends = (np.full(len(docnos), -(2**31)), np.full(len(docnos), 2**31 - 1))
        days = [np.load(file) if file.exists() else open_end for file, open_end in zip(files, open_ends, strict=True)]
    bounds = list(zip(*map(date_bytes, days), strict=True))

    def provisions() -> Iterator[bytes]:
        for record, (begin, end) in zip(collection.docs(), bounds, strict=True):
            fields = [_text(getattr(record, field)) for field in _FIELDS]
            yield row_of(record.doc_id.encode(), *fields, begin, end)

    def links() -> Iterator[bytes]:
        for source, target, kind in CitationGraph.of(collection).links():
            yield row_of(source.encode(), target.encode(), kind.encode())

    build = secrets.token_hex(8)
    names = {kind: sql.Identifier(schema, f"{kind}_{build}") for kind in ("provisions", "links")}
    names |= {"view": sql.Identifier(schema), "catalog": sql.Identifier(schema, "builds")}
    columns = sql.SQL(", ").join(map(sql.Identifier, ("docno", *_FIELDS, "effective_from", "effective_to")))
    with server.writing() as connection:
        lock_schema(connection, schema)
        select = sql.SQL("SELECT name, format FROM {catalog} WHERE kind = 'statutes'").format(**names)
        earlier = connection.execute(select).fetchall()
        if any(version > FORMAT for _, version in earlier):
            raise ArtifactError(
                f"The tables of the schema {schema} of {server.place} were written by a newer "
                f"legalir-postgres: upgrade it."
            )
        for statement in _TABLES:
            connection.execute(sql.SQL(statement).format(**names))
        copy_rows(connection, sql.SQL("{provisions} ({columns})").format(columns=columns, **names), provisions())
        copy_rows(connection, names["links"], links())
        # The views change last: they are locked for an instant alone.
        for statement in (*_INDEXES, *_VIEWS):
            connection.execute(sql.SQL(statement).format(**names))
        for name, _ in earlier:
            for kind in ("provisions", "links"):
                old = sql.Identifier(schema, name.replace("statutes", kind))
                connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(old))
        connection.execute(sql.SQL("DELETE FROM {catalog} WHERE kind = 'statutes'").format(**names))
        own = Build("statutes", collection.fingerprint(), {}, 0, len(docnos), len(docnos), 0, 1)
        add_to_catalog(connection, schema, own, f"statutes_{build}")
    return len(docnos)


def _text(value: str) -> bytes:
    """Return a text for PostgreSQL, which stores no NUL and no half of a surrogate pair."""
    return value.replace("\0", "").encode("utf-8", "replace")
