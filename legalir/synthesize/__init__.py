"""Test items that a language model writes from the provisions of a collection, and their filters."""
