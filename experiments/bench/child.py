"""Running the scripts of the bench, each in a fresh process with every thread pool held to one thread."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_POOLS = ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM", "NUMEXPR")


def environment() -> dict[str, str]:
    """Return this process's environment with one thread in every pool."""
    return {**os.environ, **{f"{pool}_NUM_THREADS": "1" for pool in _POOLS}}


def run_script(name: str, *arguments: object) -> Any:
    """Run ``<name>.py`` of this folder and return the JSON of its last line, None if it prints nothing."""
    command = [sys.executable, str(HERE / f"{name}.py"), *map(str, arguments)]
    done = subprocess.run(command, env=environment(), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else None
