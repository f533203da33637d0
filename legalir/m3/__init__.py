"""BGE-M3 [bge-m3]: representations and scores of three heads, encoder, MaxSim, retrievers and reranker, index."""
