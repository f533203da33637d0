"""Retrieval by BGE-M3 (Chen et al. 2024): its three heads over an index, alone, together, and for given documents."""

from __future__ import annotations

from legalir.retrieve.m3.head import M3HeadRetriever
from legalir.retrieve.m3.index import M3Index
from legalir.retrieve.m3.maxsim import MaxSim
from legalir.retrieve.m3.retriever import M3Retriever
from legalir.retrieve.m3.scorer import M3Scorer

__all__ = ["M3HeadRetriever", "M3Index", "M3Retriever", "M3Scorer", "MaxSim"]
