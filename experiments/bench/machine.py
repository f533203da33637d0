"""What the figures were measured on, without naming the machine."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version


def describe() -> str:
    """Return the number of processors and the versions that matter."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "bm25s", "numba"))
    return f"{os.cpu_count()} processors, Python {platform.python_version()}, {packages}"
