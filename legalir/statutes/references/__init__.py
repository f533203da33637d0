"""References in statute text, and the links they stand for."""
