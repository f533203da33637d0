"""Artifacts on disk: files replaced whole, locks, digests, manifests, arrays, shards."""
