"""Retrieval: queries in, ranked provisions out."""
