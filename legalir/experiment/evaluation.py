"""The one door to ``pt.Experiment``, and the form in which runs go through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np
import pandas as pd
import pyterrier as pt

__all__ = ["evaluate", "scorable"]


def evaluate(
    systems: Mapping[str, pd.DataFrame | pt.Transformer],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    measures: Sequence[object],
    **options: object,
) -> pd.DataFrame:
    """Call ``pt.Experiment`` quietly: nothing printed, and no inspection, which plugins need not support."""
    call = cast("Callable[..., pd.DataFrame]", pt.Experiment)
    return call(dict(systems), topics, qrels, list(measures), validate="ignore", verbose=False, **options)


def scorable(run: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """Return `run` in the form in which it is scored: by its ranks.

    The evaluators break ties in their own ways and some compare scores in single precision; with one score a
    rank, every measure sees the order of the run. ``pt.Experiment`` refuses a system that returned nothing at
    all: such a run gets one row that names no document, and so scores 0.
    """
    if run.empty:
        return pd.DataFrame({"qid": [str(topics["qid"].iloc[0])], "docno": [""], "score": [0.0], "rank": [0]})
    return run.assign(score=-run["rank"].astype(np.float64))
