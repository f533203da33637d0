"""Indexes: artifacts on disk, whole or absent, verified when opened, memory-mapped."""
