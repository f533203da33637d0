"""What an experiment asks: datasets, measures, systems, values."""
