"""What runs code when it is unpickled."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


class Bomb:
    """Unpickles by making a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (str(self.path),)
