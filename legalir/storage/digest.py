"""Digests: the sha256 of JSON values and of files, as lower-case hex."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path


def digest(value: object) -> str:
    """Return the sha256 of a JSON value in its canonical form: keys in order, ASCII only.

    Raises:
        TypeError: it is not a JSON value.
    """
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def half_of(name: str) -> int:
    """Return 0 or 1, by the sha256 of a name, such as a qid: the half to choose on, and the half to confirm on."""
    return hashlib.sha256(name.encode()).digest()[-1] % 2


def file_digest(path: Path) -> str:
    """Return the sha256 of a file.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def cached_file_digest(path: Path) -> str:
    """Return the sha256 of a file, computed once per process while its size and modification time do not change.

    Raises:
        OSError: it cannot be read.
    """
    status = path.stat()
    return _digest_of(path.absolute(), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1024)
def _digest_of(path: Path, size: int, changed: int) -> str:
    return file_digest(path)
