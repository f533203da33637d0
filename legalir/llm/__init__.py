"""Asking a chat model: the protocol, endpoints, local files, recorded replies, cache, prompts and the one client."""
