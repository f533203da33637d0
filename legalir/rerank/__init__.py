"""Reranking by a model that reads a question and a provision together."""
