"""Cross-encoders: models that read a question and a provision together and say how well the one answers the other."""

from __future__ import annotations

from legalir.rerank.cross_encoder.factory import rerank
from legalir.rerank.cross_encoder.reranker import CrossEncoderReranker

__all__ = ["CrossEncoderReranker", "rerank"]
