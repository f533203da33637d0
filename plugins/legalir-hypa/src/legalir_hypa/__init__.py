"""HyPA-RAG: parameters that depend on the complexity of a question, and a search in a graph of facts [hypa-rag]."""
