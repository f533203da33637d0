"""What a killed process left behind where a folder is to be built."""

from __future__ import annotations

import shutil
from pathlib import Path

__all__ = ["clear_away"]


def clear_away(folder: Path) -> None:
    """Remove a folder, and the unfinished ones of its name beside it; for the process that holds its lock."""
    shutil.rmtree(folder, ignore_errors=True)
    for unfinished in folder.parent.glob(f".{folder.name}.*"):
        if unfinished.is_dir():
            shutil.rmtree(unfinished, ignore_errors=True)
