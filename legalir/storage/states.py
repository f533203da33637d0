"""States of a folder in the cache: which directories hold what was built for it, and their removal.

What is built for a folder is in a directory named by the content of the folder's files, so a changed folder gets a new
directory. A file ``.source-<16 hex>`` in each names the folder; its time is that of the last use.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import shutil
from pathlib import Path

_SOURCE, _GONE = ".source-", ".removed-"


def record_use(directory: Path, source: str) -> None:
    """Note that a directory, which exists, holds what was built for `source`, and is the newest that does.

    A cache that cannot be written is left as it is.
    """
    with contextlib.suppress(OSError):
        _record(directory, source).write_text(source, encoding="utf-8")


def former_states(directory: Path, source: str) -> list[Path]:
    """Return the directories beside `directory` that were built for `source`, the newest first; not `directory`."""
    records = directory.parent.glob(f"*/{_record(directory, source).name}")
    dated = []
    for path in records:
        with contextlib.suppress(OSError):  # Another process may have removed it.
            dated.append((path.stat().st_mtime_ns, path.parent))
    return [path for _, path in sorted(dated, reverse=True) if path != directory]


def is_only_source(directory: Path) -> bool:
    """Return whether at most one folder is known to use a directory."""
    return len(list(directory.glob(f"{_SOURCE}*"))) < 2


def _record(directory: Path, source: str) -> Path:
    return directory / f"{_SOURCE}{hashlib.sha256(source.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def remove_state(directory: Path, source: str) -> bool:
    """Remove a directory that was built for `source`, unless another folder has it; return whether it was removed."""
    with contextlib.suppress(OSError):
        _record(directory, source).unlink()
    return next(directory.glob(f"{_SOURCE}*"), None) is None and remove_directory(directory)


def remove_directory(directory: Path) -> bool:
    """Remove a directory; a kill in between leaves nothing under its name. Return whether it is gone."""
    for unfinished in directory.parent.glob(f"{_GONE}*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    gone = directory.with_name(f"{_GONE}{secrets.token_hex(8)}")
    try:
        directory.rename(gone)
    except OSError:  # Some systems do not remove what is open.
        return False
    shutil.rmtree(gone, ignore_errors=True)
    return True
