"""The runs of an experiment, their fingerprints, latency and scores."""
