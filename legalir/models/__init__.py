"""Files of language models: where they are, whether they are trusted, how they are loaded; presets, batches, caches."""
