"""Late interaction: ColBERT models of PyLate as a retriever and a reranker of legalir."""

from legalir_pylate.colbert import Colbert, ColbertIndex, ColbertScorer, LateInteraction, colbert, colbert_rerank

__all__ = ["Colbert", "ColbertIndex", "ColbertScorer", "LateInteraction", "colbert", "colbert_rerank"]
