"""Analysis: text to terms."""
