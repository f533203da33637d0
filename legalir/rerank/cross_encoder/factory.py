"""The cross-encoder in expressions: ``rerank``."""

from __future__ import annotations

from typing import Any

from legalir.errors import ComponentError
from legalir.rerank.cross_encoder.reranker import Activation, CrossEncoderReranker

__all__ = ["rerank"]


def rerank(
    collection: Any,
    *,
    model: str,
    passage: int | None = None,
    stride: int | None = None,
    max_length: int | None = None,
    activation: Activation = "sigmoid",
    batch_tokens: int | None = None,
    device: str | None = None,
    dtype: str | None = None,
    trust_remote_code: bool = False,
    cache: bool = True,
) -> CrossEncoderReranker:
    """Rerank by a cross-encoder: ``bm25 % 100 >> rerank("BAAI/bge-reranker-v2-m3")``.

    Args:
        model: a folder, or the name of a model on the hub.
        passage: tokens of a window of a long provision; None for what the question leaves of the model's limit.
        stride: tokens from the beginning of a window to that of the next; None for half of a window.
        max_length: tokens of question and window together; None for the model's limit.
        activation: ``sigmoid`` for scores in [0, 1], ``none`` for logits.
        batch_tokens: tokens that go through the model at once; None for what suits the device.
        device: such as ``cpu`` or ``cuda:1``; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
        trust_remote_code: whether Python code that comes with the model may be run.
        cache: whether scores are kept in the collection's cache.
    """
    if not isinstance(cache, bool):
        raise ComponentError(f"rerank: cache={cache!r} is neither True nor False.")
    return CrossEncoderReranker(
        model,
        texts=collection,
        passage=passage,
        stride=stride,
        max_length=max_length,
        activation=activation,
        batch_tokens=batch_tokens,
        device=device,
        dtype=dtype,
        trust_remote_code=trust_remote_code,
        cache=collection.cache if cache else None,
    )
