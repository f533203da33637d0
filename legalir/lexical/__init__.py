"""Lexical retrieval: postings, BM25, BM25F and TF-IDF."""
