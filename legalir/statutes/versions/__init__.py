"""Laws through time: from which day a text is in force, and what changed between two days."""
