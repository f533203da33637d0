"""Where a model computes, and with which numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from legalir.errors import ModelError
from legalir.extras import require

__all__ = ["DTYPES", "Placement", "placement"]

DTYPES = ("float32", "float16", "bfloat16")


@dataclass(frozen=True)
class Placement:
    """A device such as ``cpu`` or ``cuda:1``, and the type of the weights: ``float32``, ``float16`` or ``bfloat16``."""

    device: str
    dtype: str

    @property
    def torch_dtype(self) -> Any:
        """The type as torch has it."""
        return getattr(require("torch", extra="dense"), self.dtype)


def placement(device: str | None = None, dtype: str | None = None) -> Placement:
    """Return where to compute.

    Args:
        device: a device as torch names it; None for ``cuda`` where there is one, else ``mps``, else ``cpu``.
        dtype: type of the weights; None for ``float16`` on ``cuda`` and ``float32`` elsewhere.

    Raises:
        ModelError: this machine has no such device, or there is no such type.
        MissingExtra: torch is not installed.
    """
    torch = require("torch", extra="dense")
    if dtype is not None and dtype not in DTYPES:
        raise ModelError(f"dtype={dtype!r} is not one of {', '.join(DTYPES)}.")
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    else:
        _check_device(torch, device)
    default = "float16" if device.split(":")[0] == "cuda" else "float32"
    return Placement(device, default if dtype is None else dtype)


def _check_device(torch: Any, device: str) -> None:
    try:
        kind, number = torch.device(device).type, torch.device(device).index or 0
    except (RuntimeError, TypeError):
        raise ModelError(f"device={device!r} is no device: give 'cpu', 'cuda', 'cuda:1' or 'mps'.") from None
    counts = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    if number >= counts.get(kind, 0):
        have = [name for name, count in counts.items() if count]
        raise ModelError(f"device={device!r} is not on this machine, which has {', '.join(have)}: leave device out.")
