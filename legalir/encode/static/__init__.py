"""Static models: a learned vector for each n-gram and word, summed. Searching with one needs numpy and scipy alone."""
