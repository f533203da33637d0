"""Rows of an array on disk that are worked on together, in pieces that stand together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Block", "Floats", "Ints"]

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.signedinteger[Any]]


class Block(NamedTuple):
    """Rows in p pieces.

    Attributes:
        starts: first row of each piece, [p].
        sizes: number of rows of each piece, none 0, [p].
    """

    starts: Ints
    sizes: Ints

    @property
    def rows(self) -> int:
        """Number of rows, r."""
        return int(self.sizes.sum())

    @property
    def firsts(self) -> Ints:
        """The number of the first row of each piece, counted within the block, [p]."""
        return np.cumsum(self.sizes) - self.sizes

    def positions(self) -> Ints:
        """Return the rows, [r]."""
        return np.repeat(self.starts - self.firsts, self.sizes) + np.arange(self.rows)

    @property
    def run(self) -> slice | None:
        """The rows, where each piece begins at the end of the one before it; else None."""
        together = (self.starts[1:] == self.starts[:-1] + self.sizes[:-1]).all()
        return slice(int(self.starts[0]), int(self.starts[-1] + self.sizes[-1])) if together else None
