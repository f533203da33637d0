"""The citation graph and its components: SAR, NitiLink, link expansion, family smoothing."""
