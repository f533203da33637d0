"""Encoders: text to vectors."""
