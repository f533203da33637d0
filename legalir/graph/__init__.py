"""The citation graph, and what uses it: SAR, NitiLink, link expansion, family smoothing."""
