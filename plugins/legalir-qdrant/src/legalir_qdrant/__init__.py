"""Qdrant as retrievers of legalir: dense, sparse and multi-vectors, in this process or on a server.

Vectors are made by legalir, and Qdrant stores and searches them. Neither of its packages is imported before the first
question.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from legalir import DenseIndex, SparseIndex
from legalir.extend import Collection, check_number, parameters_of
from legalir_qdrant.index import Qdrant, QdrantIndex
from legalir_qdrant.server import Server
from legalir_qdrant.vectors import Dense, Multi, Sparse, Vectors

__all__ = ["Qdrant", "QdrantIndex", "Server", "qdrant_dense", "qdrant_multi", "qdrant_sparse"]


def _index(
    collection: Collection, vectors: Vectors, path: str | None, url: str | None, params: dict[str, Any]
) -> QdrantIndex:
    """Return the index of a collection in Qdrant; remove the parameters of the server."""
    server = Server.of(url, {name: params.pop(name) for name in Server.PARAMETERS if name in params})
    told = json.dumps([vectors.settings, None if server is None else server.settings], sort_keys=True)
    name = f"qdrant-{QdrantIndex.version}-{vectors.name}-{hashlib.sha256(told.encode()).hexdigest()[:12]}"
    place = collection.cache if path is None else Path(path).expanduser().absolute() / collection.fingerprint()[:32]
    return QdrantIndex(place / name, vectors, collection, server)


@parameters_of(Qdrant, Server, without=["index", "url"])
def qdrant_dense(
    collection: Collection, *, encoder: str = "lsa", url: str | None = None, path: str | None = None, **params: Any
) -> Qdrant:
    """The vectors of any encoder in Qdrant: ``qdrant_dense(encoder="lsa", url="http://localhost:6333")``.

    Args:
        encoder: the encoder that makes vectors of provisions and questions.
        url: address of a Qdrant server; None for Qdrant's engine in this process.
        path: folder of the index; None for the cache of the collection.
    """
    return Qdrant(_index(collection, Dense(DenseIndex.of(collection, encoder)), path, url, params), **params)


@parameters_of(Qdrant, Server, without=["index", "url", "exact", "ef"])
def qdrant_sparse(
    collection: Collection,
    *,
    analyzer: str = "auto",
    k1: float = 0.9,
    b: float = 0.4,
    url: str | None = None,
    path: str | None = None,
    **params: Any,
) -> Qdrant:
    """BM25 of legalir as sparse vectors in Qdrant: ``qdrant_sparse(analyzer="auto", k1=1.5)``.

    Args:
        analyzer: the analyzer that makes terms of provisions and questions.
        k1: saturation of term frequency, at least 0; another value needs another index.
        b: length normalisation, from 0 to 1; another value needs another index.
        url: address of a Qdrant server; None for Qdrant's engine in this process.
        path: folder of the index; None for the cache of the collection.
    """
    check_number("qdrant_sparse", "k1", k1, low=0)
    check_number("qdrant_sparse", "b", b, low=0, high=1)
    vectors = Sparse(SparseIndex.of(collection, analyzer).bm25(k1=float(k1), b=float(b)))
    return Qdrant(_index(collection, vectors, path, url, params), exact=True, **params)


@parameters_of(Qdrant, Server, without=["index", "url"])
def qdrant_multi(
    collection: Collection, *, model: str, url: str | None = None, path: str | None = None, **params: Any
) -> Qdrant:
    """The multi-vectors of BGE-M3 in Qdrant, by MaxSim: ``qdrant_multi("BAAI/bge-m3")``.

    Args:
        model: folder or hub name of a BGE-M3 model.
        url: address of a Qdrant server; None for Qdrant's engine in this process.
        path: folder of the index; None for the cache of the collection.
    """
    from legalir import M3Encoder, M3Index

    vectors = Multi(M3Index.of(collection, M3Encoder(model), multi="float16"))
    return Qdrant(_index(collection, vectors, path, url, params), **params)
