"""What happened: runs, their fingerprints, latency and scores."""
