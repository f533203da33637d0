"""Retrieval with a static model, trained by ``legalir train static``."""

from __future__ import annotations

from typing import Any

from legalir.encode.static.encoder import static_encoder
from legalir.retrieve.dense import DenseRetriever

__all__ = ["static"]


def static(collection: Any, *, model: str | None = None, num_results: int = 1000) -> DenseRetriever:
    """Cosine of the vectors of a trained static model: ``static(model="FOLDER", num_results=100)``.

    Args:
        model: folder of a model that ``legalir train static`` wrote, or of a ``StaticEmbedding`` of
            sentence-transformers; the name of a model in the collection's folder ``static``; None for the collection's
            own.
        num_results: results a query, at least 1.
    """
    return DenseRetriever(collection.dense(static_encoder(collection, model=model)), num_results=num_results)
