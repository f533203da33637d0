"""Components that find their best results themselves, where a rank cutoff follows them."""

from __future__ import annotations

import copy
from typing import Any, Self

from legalir.component import Component

__all__ = ["Cuttable"]


class Cuttable(Component):
    """A component whose results can be cut while they are made: ``component % k`` compiles to one step.

    For components whose scores and order do not depend on how many results are kept; a subclass keeps no more than
    `num_results` of a query, None for all. One whose constructor knows no `num_results` is not cut.
    """

    num_results: int | None = None

    def fuse_rank_cutoff(self, k: int) -> Self | None:
        """Return the component that keeps the best `k` itself; None for a `k` that keeps nothing."""
        if k < 1 or "num_results" not in self._arguments():
            return None
        if self.num_results is not None and k >= self.num_results:
            return self
        fused = copy.copy(self)
        fused.num_results = k
        return fused

    def _shown(self) -> dict[str, Any]:
        """Return the arguments but for a number of results that limits nothing."""
        arguments = self._arguments()
        if self.num_results is None:
            arguments.pop("num_results", None)
        return arguments

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self._shown().items())
        return f"{type(self).__name__}({inside})"
