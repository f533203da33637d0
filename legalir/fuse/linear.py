"""Fusion of scores: their weighted sum, the sum times the number of lists, and the greatest [comb-sum]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, get_args

import numpy as np
import numpy.typing as npt

from legalir.contract import factory_of
from legalir.declared import check_choice
from legalir.errors import ComponentError
from legalir.frames.normalize import minmax, three_sigma, zscore
from legalir.fuse.fuser import Fuser, Lists, checked_weights

Normalize = Literal["minmax", "zscore", "dbsf", "none"]

_FUNCTIONS = {"minmax": minmax, "zscore": zscore, "dbsf": three_sigma}


class LinearFusion(Fuser, init=False):
    """Weighted sum of normalised scores: ``score(d) = Σ_m w_m · norm(s_m(d))``; a list that lacks d adds nothing.

    `normalize` is taken over the list that each pipeline returns for the query:

    - ``minmax``: ``(s − min)/(max − min)``.
    - ``zscore``: ``(s − mean)/σ`` minus the lowest of the list, so ``(s − min)/σ``. Half of all plain z-scores lie
      below 0, and a document that a list lacks would get more there than half of its results. Here it gets as much
      as the last result of the list; within a list, nothing else changes.
    - ``dbsf``: ``(s − mean + 3σ)/6σ``, which lies from 0 to 1 for scores within 3σ of the mean [dbsf]; σ is estimated
      from the list, with n − 1. Outliers do not press the other scores together, as they do under ``minmax``.
    - ``none``: the scores unchanged.

    Where all scores of a list are equal, as in a list of one, ``minmax`` and ``zscore`` make each of them 1, and
    ``dbsf`` ½. Each list may have its own: scores with the same meaning for each query, such as the scores of
    ``lookup``, are best left unchanged.
    """

    name = "linear"

    weights: Annotated[
        Sequence[float] | None,
        "one for each pipeline; finite, not all 0. They need not sum to 1, and one below 0 counts against a "
        "document. None for 1 each, so that the score is CombSUM",
    ] = None
    normalize: Annotated[
        Normalize | Sequence[Normalize],
        "``minmax``, ``zscore``, ``dbsf`` or ``none``; or a list of these, one for each pipeline",
    ] = "minmax"

    def __post_init__(self) -> None:
        super().__post_init__()
        most = len(self.pipelines)
        given = (1.0,) * most if self.weights is None else self.weights
        self.weights = self._weights = checked_weights(self.name, given, most)
        if not any(self._weights):
            message = f"{self.name}: every weight is 0: give one pipeline another weight."
            raise ComponentError(message, component=self.name, parameter="weights", value=self.weights)
        if isinstance(self.normalize, list):
            self.normalize = tuple(self.normalize)
        self._each = self.normalize if isinstance(self.normalize, tuple) else (self.normalize,) * most
        if len(self._each) != most:
            message = (
                f"{self.name}: there are {len(self._each)} names in normalize for {most} pipelines: give each pipeline "
                f"one, or give one name for all."
            )
            raise ComponentError(message, component=self.name, parameter="normalize", value=self.normalize)
        for one in self._each:
            check_choice(self.name, "normalize", one, get_args(Normalize))

    def _normalized(self, lists: Lists) -> npt.NDArray[np.float64]:
        score = lists.score
        for name, function in _FUNCTIONS.items():
            so = np.array([each == name for each in self._each])[lists.pipeline]
            if so.any():
                score = np.where(so, function(lists.score, lists.group), score)
        return score

    def _weighted(self, lists: Lists) -> npt.NDArray[np.float64]:
        return np.asarray(self._weights)[lists.pipeline] * self._normalized(lists)

    def contributions(self, lists: Lists) -> npt.NDArray[np.float64]:
        """Return weight times normalised score of each row."""
        return self._weighted(lists)

    def describe(self, lists: Lists, row: int) -> tuple[str, dict[str, object]]:
        """Return weight, normalised score, and the score before."""
        weight, score = self._weights[lists.pipeline[row]], float(lists.score[row])
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


class CombMNZ(LinearFusion, init=False):
    """CombMNZ [comb-sum]: ``score(d) = n(d) · Σ_m w_m · norm(s_m(d))``, n(d) the number of lists that have d.

    Same parameters and errors as :class:`LinearFusion`.
    """

    name = "combmnz"

    def contributions(self, lists: Lists) -> npt.NDArray[np.float64]:
        """Return number of lists times weight times normalised score of each row."""
        return lists.holders * self._weighted(lists)

    def describe(self, lists: Lists, row: int) -> tuple[str, dict[str, object]]:
        """Return the number of lists, and the explanation of the linear fusion."""
        how, detail = super().describe(lists, row)
        holders = int(lists.holders[row])
        return f"{holders} lists × {how}", {**detail, "lists": holders}


class CombMAX(LinearFusion, init=False):
    """CombMAX [comb-sum]: ``score(d) = max_m w_m · norm(s_m(d))`` over the lists that have d.

    Same parameters and errors as :class:`LinearFusion`. An explanation gives the score to the list that has the
    greatest value (the first one in a tie), and 0 to all other lists.
    """

    name = "combmax"

    def contributions(self, lists: Lists) -> npt.NDArray[np.float64]:
        """Return weight times normalised score of the greatest row of each document, and 0 of its other rows."""
        values, (pair, _) = self._weighted(lists), lists.pair
        order = np.lexsort((lists.pipeline, -values, pair))
        first = order[np.flatnonzero(np.diff(pair[order], prepend=-1))]
        out = np.zeros(len(values))
        out[first] = values[first]
        return out

    def describe(self, lists: Lists, row: int) -> tuple[str, dict[str, object]]:
        """Return the explanation of the linear fusion, and whether the row counts."""
        how, detail = super().describe(lists, row)
        pair, _ = lists.pair
        values = self._weighted(lists)
        rows = np.flatnonzero(pair == pair[row])
        counts = bool(rows[np.argmax(values[rows])] == row)
        return how if counts else f"{how}, not the greatest", {**detail, "counts": counts}


linear = factory_of(
    LinearFusion,
    'Weighted sum of normalised scores: ``linear(bm25, lsa, weights=[0.6, 0.4], normalize="zscore")``.',
)


dbsf = factory_of(
    LinearFusion,
    'Distribution-based score fusion: ``dbsf(bm25, lsa)``, which is ``linear(bm25, lsa, normalize="dbsf")``.',
    normalize="dbsf",
)
combmnz = factory_of(CombMNZ, "Sum of normalised scores times the number of lists: ``combmnz(bm25, lsa)``.")
combmax = factory_of(CombMAX, "Greatest normalised score: ``combmax(bm25, lsa)``.")
