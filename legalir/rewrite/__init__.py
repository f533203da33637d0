"""Query rewriting."""
