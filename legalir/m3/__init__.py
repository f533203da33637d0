"""BGE-M3 (Chen et al. 2024): encoder, three heads, index, retrievers, reranker."""
