"""What went wrong in somebody else's code, in a few words."""

from __future__ import annotations

__all__ = ["describe"]


def describe(error: BaseException) -> str:
    """Return type and first line of an error, for a message of one sentence."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # The text of a plugin's error is the plugin's code, too.
        lines = []
    return f"{type(error).__name__}: {lines[0].rstrip('.')}" if lines else type(error).__name__
