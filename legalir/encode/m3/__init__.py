"""BGE-M3 (Chen et al. 2024): one pass of a transformer gives a vector, token weights and a vector for each token."""
