"""How long a user waits before anything happens: importing the package, and one search from the shell."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from material import folder

# PyTerrier imports every entry point of the group ``pyterrier.modules``, so where legalir is installed it is part
# of ``import pyterrier``. The interpreter below finds an empty distribution of that name first, which hides the entry
# points, and imports legalir afterwards.
_IMPORT = """
import importlib.metadata as metadata, sys, time

class Empty(metadata.Distribution):
    def read_text(self, filename): return "Name: legalir" if filename == "METADATA" else None
    def locate_file(self, path): return path

class Finder(metadata.DistributionFinder):
    def find_spec(self, *_): return None
    def find_distributions(self, context): return [] if context.name else [Empty()]

sys.meta_path.insert(0, Finder())
import pyterrier
assert "legalir" not in sys.modules
start = time.perf_counter()
import legalir
print(time.perf_counter() - start)
"""
_QUESTION = "무창층에 설치하는 비상구의 기준은 무엇인가요?"


def import_seconds(repeat: int) -> float:
    """Return the median seconds that ``import legalir`` takes after ``import pyterrier``."""
    command = [sys.executable, "-c", _IMPORT]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(repeat + 1)]
    return median(float(run.stdout) for run in runs[1:])  # the first one may write byte code


def search_seconds(repeat: int) -> tuple[str, float]:
    """Return what was searched, and the median seconds of a warm ``legalir search`` from start to exit."""
    place = folder("searchfiresafety")
    name = "searchfiresafety" if place else "legalir/firecode"
    command = [*_command(), "search", str(place or name), _QUESTION]
    with tempfile.TemporaryDirectory() as home:
        seconds = []
        for _ in range(repeat + 1):
            start = time.perf_counter()
            subprocess.run(command, env={**os.environ, "LEGALIR_HOME": home}, capture_output=True, check=True)
            seconds.append(time.perf_counter() - start)
    return name, median(seconds[1:])  # the first one built the index


def _command() -> list[str]:
    script = Path(sys.executable).with_name("legalir")
    return [str(script)] if script.exists() else [sys.executable, "-m", "legalir.cli.main"]
