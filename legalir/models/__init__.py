"""Files of language models: found, checked, loaded; presets, batches, cached queries."""
