"""Vectors in eight bits: a symmetric grid for each vector, of which the greatest component is an end.

With m the greatest absolute component of a vector x, the scale is s = m / 127 and component i is stored as the integer
qᵢ nearest to xᵢ / s. What is read back is x̂ = s·q, for which

- ``|xᵢ − x̂ᵢ| ≤ s / 2 = m / 254``, so at most 1/254 ≈ 0.004 for a vector of length 1;
- ``|⟨u, x⟩ − ⟨u, x̂⟩| ≤ ‖u‖₁ · m / 254 ≤ √d · m / 254`` for any u of length 1, d the number of dimensions. Errors of
  independent components mostly cancel: their standard deviation is about m / 440, which for d = 1024 and m = 0.15 is
  0.0003, where the bound is 0.019.

Both bounds hold up to the rounding of float32, a relative 10⁻⁷. The MaxSim of a text is a mean of such inner products
and keeps the bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["quantized", "restored"]

_HIGHEST = 127
_ROWS = 1024
"""Vectors that are worked on at a time."""


def quantized(vectors: npt.NDArray[np.floating[Any]]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Return `vectors` [t, d] in eight bits, and the scale of each, float32 [t]; a vector of zeros has scale 0."""
    grid = np.empty(vectors.shape, dtype=np.int8)
    scales = np.empty(len(vectors), dtype=np.float32)
    for first in range(0, len(vectors), _ROWS):
        rows = slice(first, first + _ROWS)
        wide = vectors[rows].astype(np.float32)
        scales[rows] = np.abs(wide).max(axis=1, initial=0) / np.float32(_HIGHEST)
        wide /= np.where(scales[rows] > 0, scales[rows], 1)[:, None]
        grid[rows] = np.clip(np.rint(wide), -_HIGHEST, _HIGHEST)
    return grid, scales


def restored(grid: npt.NDArray[np.int8], scales: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the vectors, float32 [t, d], that :func:`quantized` was given, up to its error."""
    return grid.astype(np.float32) * scales[:, None]
