"""Fusion: several ranked lists in, one out."""
