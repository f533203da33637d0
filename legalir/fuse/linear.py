"""Linear fusion of scores [comb-sum]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from legalir.errors import ComponentError
from legalir.frames.component import check_choice
from legalir.frames.normalize import minmax, zscore
from legalir.fuse.fuser import Fuser, Lists, checked_weights
from legalir.plugins import parameters_of

Normalize = Literal["minmax", "zscore", "none"]


class LinearFusion(Fuser):
    """Weighted sum of normalised scores: ``score(d) = Σ_m w_m · norm(s_m(d))``; a list that lacks d adds nothing.

    `normalize` is taken over the list that each pipeline returns for the query:

    - ``minmax``: ``(s − min)/(max − min)``.
    - ``zscore``: ``(s − mean)/σ`` minus the lowest of the list, so ``(s − min)/σ``. Half of all plain z-scores lie
      below 0, and a document that a list lacks would get more there than half of its results. Here it gets as much
      as the last result of the list; within a list, nothing else changes.
    - ``none``: the scores as they are.

    Where all scores of a list are equal, as in a list of one, ``minmax`` and ``zscore`` make each of them 1. Each list
    may have its own: scores that mean the same for each query, such as those of ``lookup``, are best left as they are.

    Args:
        pipelines: the pipelines to fuse, at least one.
        weights: one for each pipeline; finite, not all 0. They need not sum to 1, and one below 0 counts against a
            document.
        normalize: ``minmax``, ``zscore`` or ``none``; or a list of these, one for each pipeline.
        num_results: results a query, at least 1; None for all.

    Raises:
        ComponentError: a parameter is not one of these.
    """

    name = "linear"

    def __init__(
        self,
        *pipelines: pt.Transformer,
        weights: Sequence[float],
        normalize: Normalize | Sequence[Normalize] = "minmax",
        num_results: int | None = None,
    ) -> None:
        self.pipelines = pipelines
        self.num_results = num_results
        self.check_pipelines()
        self.weights = checked_weights(self.name, weights, len(pipelines))
        self.normalize = tuple(normalize) if isinstance(normalize, list | tuple) else normalize
        if not any(self.weights):
            raise ComponentError(f"{self.name}: every weight is 0: give one pipeline another weight.")
        self._each = self.normalize if isinstance(self.normalize, tuple) else (self.normalize,) * len(pipelines)
        if len(self._each) != len(pipelines):
            raise ComponentError(
                f"{self.name}: there are {len(self._each)} names in normalize for {len(pipelines)} pipelines: give "
                f"each pipeline one, or give one name for all."
            )
        for one in self._each:
            check_choice(self.name, "normalize", one, get_args(Normalize))

    def _normalized(self, lists: Lists) -> npt.NDArray[np.float64]:
        score = lists.score
        for name, function in (("minmax", minmax), ("zscore", zscore)):
            so = np.array([each == name for each in self._each])[lists.pipeline]
            if so.any():
                score = np.where(so, function(lists.score, lists.group), score)
        return score

    def contributions(self, lists: Lists) -> npt.NDArray[np.float64]:
        """Return weight times normalised score of each row."""
        return np.asarray(self.weights)[lists.pipeline] * self._normalized(lists)

    def describe(self, lists: Lists, row: int) -> tuple[str, dict[str, object]]:
        """Return weight, normalised score, and the score before."""
        weight, score = self.weights[lists.pipeline[row]], float(lists.score[row])
        normalized = float(self._normalized(lists)[row])
        normalize = self._each[lists.pipeline[row]]
        origin = "" if normalize == "none" else f" ({normalize} of {score:.4g})"
        detail = {
            "rank": int(lists.rank[row]),
            "score": score,
            "weight": weight,
            "normalize": normalize,
            "normalized": normalized,
        }
        return f"{weight:g} × {normalized:.4g}{origin}", detail


@parameters_of(LinearFusion)
def linear(collection: Any, *pipelines: pt.Transformer, **params: Any) -> LinearFusion:
    """Weighted sum of normalised scores: ``linear(bm25, lsa, weights=[0.6, 0.4], normalize="zscore")``."""
    return LinearFusion(*pipelines, **params)
