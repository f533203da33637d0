"""Dense retrieval: vectors of provisions, exact and approximate search, and Rocchio feedback."""
