"""A page, an HTTP API and tools for agents, over one service."""
