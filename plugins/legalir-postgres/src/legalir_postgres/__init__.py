"""PostgreSQL with pgvector as retrievers of legalir, and statutes as SQL tables.

Nothing is connected before the first question that has to be answered.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

from legalir.extend import Collection, parameters_of
from legalir_postgres.index import DenseTable, TextTable
from legalir_postgres.retrievers import PostgresDense, PostgresText
from legalir_postgres.statutes import write_statutes

__all__ = [
    "DenseTable",
    "PostgresDense",
    "PostgresText",
    "TextTable",
    "postgres_dense",
    "postgres_text",
    "write_statutes",
]


@parameters_of(PostgresDense, without=["index"])
def postgres_dense(
    collection: Collection, *, encoder: str = "lsa", dsn: str | None = None, schema: str = "legalir", **params: Any
) -> PostgresDense:
    """Vectors in PostgreSQL with pgvector: ``postgres_dense(encoder="lsa")``.

    Args:
        collection: whose provisions are stored, on the first question.
        encoder: the encoder that makes vectors of provisions and questions.
        dsn: connection string without password; by default ``LEGALIR_POSTGRES``.
        schema: the schema of the tables.
    """
    path = _path(collection, f"dense-{DenseTable.version}", encoder, dsn, schema)
    return PostgresDense(DenseTable(path, collection, encoder, dsn, schema), **params)


@parameters_of(PostgresText, without=["index"])
def postgres_text(
    collection: Collection,
    *,
    analyzer: str = "auto",
    k1: float = 0.9,
    b: float = 0.4,
    dsn: str | None = None,
    schema: str = "legalir",
    **params: Any,
) -> PostgresText:
    """BM25 in PostgreSQL over the terms of `analyzer`: ``postgres_text(analyzer="auto")``.

    Args:
        collection: whose provisions are stored, on the first question.
        analyzer: the analyzer that makes terms of provisions and questions.
        k1: saturation of term frequency, at least 0; another value makes another table.
        b: length normalisation, from 0 to 1; another value makes another table.
        dsn: connection string without password; by default ``LEGALIR_POSTGRES``.
        schema: the schema of the tables.
    """
    path = _path(collection, f"text-{TextTable.version}", analyzer, k1, b, dsn, schema)
    return PostgresText(TextTable(path, collection, analyzer, k1, b, dsn, schema), **params)


def _path(collection: Collection, kind: str, name: str, *more: object) -> Path:
    shown = re.sub(r"[^\w.-]+", "-", name)[:40]
    digest = hashlib.sha256(repr((name, *more)).encode()).hexdigest()[:10]
    return collection.cache / f"postgres-{kind}-{shown}-{digest}"
