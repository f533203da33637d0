"""Random numbers of the whole process, which transformers seeds, are left as they were."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from legalir.extras import require

__all__ = ["own_random_numbers"]


@contextmanager
def own_random_numbers() -> Iterator[None]:
    """Give back the states of Python's, numpy's and torch's global generators, on every device, at the end."""
    torch = require("torch", extra="dense")
    python, arrays = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            yield
    finally:
        random.setstate(python)
        np.random.set_state(arrays)
