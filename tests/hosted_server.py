"""A local server of embeddings and of scores, for hosted encoders and rerankers."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import numpy as np
from chat_server import Handler

Body = dict[str, Any]


def vector(text: str, dimensions: int = 8) -> list[float]:
    """Return a vector of a text, the same each time."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    numbers: list[float] = np.random.default_rng(seed).normal(size=dimensions).astype(np.float32).tolist()
    return numbers


def embeddings(handler: Handler, body: Body) -> Body:
    """Answer as OpenAI does, in the order of the texts and in base64."""
    rows = [np.array(vector(text, body.get("dimensions", 8)), dtype="<f4") for text in body["input"]]
    assert body["encoding_format"] == "base64"
    data = [{"index": place, "embedding": base64.b64encode(row.tobytes()).decode()} for place, row in enumerate(rows)]
    return {"model": "e-2031", "data": data, "usage": {"prompt_tokens": 10 * len(rows), "total_tokens": 10 * len(rows)}}


def shared_words(query: str, document: str) -> float:
    """Return the share of the words of a question that a provision has."""
    words = set(query.split())
    return len(words & set(document.split())) / max(1, len(words))


def scores(handler: Handler, body: Body) -> Body:
    """Answer as Cohere does: the best first."""
    found = [
        {"index": place, "relevance_score": shared_words(body["query"], document)}
        for place, document in enumerate(body["documents"])
    ]
    return {"id": "1", "results": sorted(found, key=lambda one: -one["relevance_score"]), "usage": {"total_tokens": 7}}
