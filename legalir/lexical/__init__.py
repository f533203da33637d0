"""Lexical retrieval: postings, BM25, BM25F, TF-IDF, and lookup by number."""
