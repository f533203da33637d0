"""The expression language: ``bm25(k1=1.5) >> sar(beta=0.3)``, ``rrf(bm25, lsa) % 100``.

An expression is a Python expression of a few kinds: names of components, calls with nested pipelines as arguments,
named parameters (literals or pipelines), and PyTerrier's operators. It is read and never evaluated.
"""

from legalir.pipeline.builder import Builder, build, canonical, names

__all__ = ["Builder", "build", "canonical", "names"]
