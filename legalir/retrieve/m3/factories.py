"""BGE-M3 in expressions: ``m3``, one head alone, and as a reranker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from legalir.encode.m3.encoder import M3Encoder
from legalir.encode.m3.heads import WEIGHTS, check_weights
from legalir.index.m3 import Multi
from legalir.retrieve.m3.head import M3HeadRetriever
from legalir.retrieve.m3.index import M3Index
from legalir.retrieve.m3.retriever import M3Retriever, check_candidates
from legalir.retrieve.m3.scorer import M3Scorer

__all__ = ["m3", "m3_dense", "m3_multi", "m3_rerank", "m3_sparse"]


def m3(
    collection: Any,
    *,
    model: str,
    weights: Mapping[str, float] | None = None,
    k: int = 100,
    num_results: int = 1000,
    multi: Multi = "float16",
    max_length: int = 8192,
    device: str | None = None,
    dtype: str | None = None,
) -> M3Retriever:
    """All heads of BGE-M3: ``m3("BAAI/bge-m3", weights={"dense": 0.4, "sparse": 0.2, "multi": 0.4}, k=100)``.

    Args:
        model: a folder, or the name of a model on the hub.
        weights: what each head counts; one that is not named counts nothing, and is not computed.
        k: candidates that each of the dense and the sparse head finds.
        num_results: results a query, at least 1.
        multi: what multi-vectors are stored as, ``float16``, ``float32`` or ``int8``.
        max_length: tokens that are read of a provision.
        device: as torch names it; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
    """
    counting = check_weights("m3", WEIGHTS if weights is None else weights)
    check_candidates(counting)
    index = _index(collection, M3Encoder(model, max_length=max_length, device=device, dtype=dtype), counting, multi)
    return M3Retriever(index, weights=counting, k=k, num_results=num_results)


def m3_dense(
    collection: Any,
    *,
    model: str,
    num_results: int = 1000,
    max_length: int = 8192,
    device: str | None = None,
    dtype: str | None = None,
) -> M3HeadRetriever:
    """The dense head of BGE-M3: ``m3_dense("BAAI/bge-m3")``.

    Args:
        model: a folder, or the name of a model on the hub.
        num_results: results a query, at least 1.
        max_length: tokens that are read of a provision.
        device: as torch names it; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
    """
    encoder = M3Encoder(model, max_length=max_length, device=device, dtype=dtype)
    return M3HeadRetriever(_index(collection, encoder, {"dense": 1.0}), "dense", num_results=num_results)


def m3_sparse(
    collection: Any,
    *,
    model: str,
    num_results: int = 1000,
    max_length: int = 8192,
    device: str | None = None,
    dtype: str | None = None,
) -> M3HeadRetriever:
    """The sparse head of BGE-M3, by token id: ``m3_sparse("BAAI/bge-m3")``.

    Args:
        model: a folder, or the name of a model on the hub.
        num_results: results a query, at least 1.
        max_length: tokens that are read of a provision.
        device: as torch names it; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
    """
    encoder = M3Encoder(model, max_length=max_length, device=device, dtype=dtype)
    return M3HeadRetriever(_index(collection, encoder, {"sparse": 1.0}), "sparse", num_results=num_results)


def m3_multi(
    collection: Any,
    *,
    model: str,
    num_results: int = 1000,
    multi: Multi = "float16",
    max_length: int = 8192,
    device: str | None = None,
    dtype: str | None = None,
) -> M3HeadRetriever:
    """The multi-vector head of BGE-M3 over all provisions: ``m3_multi("BAAI/bge-m3")``.

    Args:
        model: a folder, or the name of a model on the hub.
        num_results: results a query, at least 1.
        multi: what multi-vectors are stored as, ``float16``, ``float32`` or ``int8``.
        max_length: tokens that are read of a provision.
        device: as torch names it; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
    """
    encoder = M3Encoder(model, max_length=max_length, device=device, dtype=dtype)
    return M3HeadRetriever(_index(collection, encoder, {"multi": 1.0}, multi), "multi", num_results=num_results)


def m3_rerank(
    collection: Any,
    *,
    model: str,
    weights: Mapping[str, float] | None = None,
    multi: Multi = "float16",
    max_length: int = 8192,
    device: str | None = None,
    dtype: str | None = None,
) -> M3Scorer:
    """Heads of BGE-M3 score what is given: ``bm25 % 100 >> m3_rerank("BAAI/bge-m3")``.

    Args:
        model: a folder, or the name of a model on the hub.
        weights: what each head counts; one that is not named counts nothing.
        multi: what multi-vectors are stored as, ``float16``, ``float32`` or ``int8``.
        max_length: tokens that are read of a provision.
        device: as torch names it; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
    """
    counting = check_weights("m3_rerank", WEIGHTS if weights is None else weights)
    index = _index(collection, M3Encoder(model, max_length=max_length, device=device, dtype=dtype), counting, multi)
    return M3Scorer(index, counting)


def _index(collection: Any, encoder: M3Encoder, weights: Mapping[str, float], multi: Multi | None = None) -> M3Index:
    """Return the index of a collection, with multi-vectors if they count."""
    index: M3Index = collection.m3(encoder, multi=multi if "multi" in weights else None)
    return index
