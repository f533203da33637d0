"""The sha256 of a file, computed once a process as long as the file stays the same."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from legalir.files import sha256_of

__all__ = ["digest_of"]


def digest_of(path: Path) -> str:
    """Return the sha256 of a file; its size and time of change tell whether it is still the same."""
    status = path.stat()
    return _digest(path.absolute(), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=256)
def _digest(path: Path, size: int, changed: int) -> str:
    return sha256_of(path)
