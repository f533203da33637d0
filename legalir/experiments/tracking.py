"""Use of processors, memory and energy while systems run, as the package tirex-tracker records it [tirex-tracker]."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_log = logging.getLogger("legalir")

# Of its measures those of the process: the others describe the machine, the command, and whoever runs it.
_MEASURES = {
    "TIME_ELAPSED_WALL_CLOCK_MS": ("recorded", "wallclock", " ms"),
    "TIME_ELAPSED_USER_MS": ("recorded", "user", " ms"),
    "TIME_ELAPSED_SYSTEM_MS": ("recorded", "system", " ms"),
    "CPU_USED_PROCESS_PERCENT": ("cpu", "used process", " %"),
    "CPU_ENERGY_SYSTEM_JOULES": ("cpu", "energy used system", " J"),
    "RAM_USED_PROCESS_KB": ("ram", "used process", " KB"),
    "RAM_ENERGY_SYSTEM_JOULES": ("ram", "energy used system", " J"),
    "GPU_USED_PROCESS_PERCENT": ("gpu", "used process", " %"),
    "GPU_VRAM_USED_PROCESS_MB": ("gpu", "vram used process", " MB"),
    "GPU_ENERGY_SYSTEM_JOULES": ("gpu", "energy used system", " J"),
}


@contextmanager
def tracked(wanted: bool = True) -> Iterator[dict[str, dict[str, object]]]:
    """Yield a mapping that has parts of ir_metadata's ``resources`` after the block: ``cpu, ram, gpu, recorded``.

    It stays empty if it is not `wanted`, without the package, and outside the main thread, where the package cannot
    work. Child processes count. What the machine does not measure is left out.
    """
    resources: dict[str, dict[str, object]] = {}
    tracker: Any = None
    wanted = wanted and threading.current_thread() is threading.main_thread()
    if wanted and importlib.util.find_spec("tirex_tracker"):
        try:
            package = importlib.import_module("tirex_tracker")
            tracker = package.tracking([package.Measure[name] for name in _MEASURES])
        except Exception as error:
            _log.warning("tirex-tracker cannot record the use of processors and memory here: %s", error)
    try:
        yield resources
    finally:
        if tracker is not None:
            for measure, entry in tracker.stop().items():
                part, name, unit = _MEASURES[measure.name]
                if (value := _read(entry.value, unit)) is not None:
                    resources.setdefault(part, {})[name] = value
            resources.setdefault("recorded", {})["by"] = f"tirex-tracker=={importlib.metadata.version('tirex-tracker')}"


def _read(text: str | bytes, unit: str) -> object:
    """Return a value with its unit, or the maximum and mean of a series; None if nothing was measured."""
    value = json.loads(text)
    if isinstance(value, dict):
        return {name: f"{value[name]}{unit}" for name in ("max", "avg")}
    return None if value is None else f"{value}{unit}"
