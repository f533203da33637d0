"""Reranking: what is known of candidates beyond the query decides their order anew."""
