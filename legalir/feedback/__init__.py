"""Pseudo-relevance feedback: the first results are taken as relevant, and the query is moved towards them."""
