"""A statute collection with its indexes, and questions to it."""
