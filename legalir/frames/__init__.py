"""Data frames of queries and results: columns, components, ranking, pair scorers."""
