"""The index of BGE-M3's three heads: dense vectors, token weights and, if asked for, a vector for every token."""

from __future__ import annotations

from legalir.index.m3.build import build
from legalir.index.m3.representations import M3Encoding, Multi, Representations
from legalir.index.m3.store import Grouped, M3Store, MultiVectors

__all__ = ["Grouped", "M3Encoding", "M3Store", "Multi", "MultiVectors", "Representations", "build"]
