"""Sentence encoders: transformers whose hidden states are pooled into one vector a text."""

from __future__ import annotations

from legalir.encode.sentence.encoder import SentenceEncoder, sentence_encoder

__all__ = ["SentenceEncoder", "sentence_encoder"]
