"""Sentence encoders: transformers whose hidden states are pooled into one vector per text."""
