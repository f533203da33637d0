"""The definition of an experiment: datasets, measures, systems, values."""
