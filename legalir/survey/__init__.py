"""Surveys: every provision on a matter, read batch by batch until the estimated recall is reached."""
