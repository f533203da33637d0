"""The last stage of a system: its run, checked, cut and handed over."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.columns import rank_results
from legalir.errors import ExperimentError
from legalir.experiment.evaluation import scorable
from legalir.experiment.runfile import RUN_COLUMNS

__all__ = ["Keep"]


class Keep(pt.Transformer):
    """The last stage of a system: hands its results, cut to `depth`, to `keep`.

    ``pt.Experiment`` shares prefixes only in its tree plan, which returns no runs; this stage collects them.
    It is equal to nothing but itself, so that two systems of one expression stay two.
    """

    def __init__(self, system: str, depth: int, topics: pd.DataFrame, keep: Callable[[str, pd.DataFrame], None]):
        self.system, self.depth, self.topics, self.keep = system, depth, topics, keep

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Hand over the run; return it in the form in which it is scored."""
        run = _checked_run(self.system, inp, self.depth)
        self.keep(self.system, run)
        return scorable(run, self.topics)


def _checked_run(system: str, results: pd.DataFrame, depth: int) -> pd.DataFrame:
    missing = [column for column in ("qid", "docno", "score") if column not in results.columns]
    if missing:
        raise ExperimentError(
            f"The system {system!r} returned no column {missing[0]!r}: it must end in documents with scores."
        )
    run = results[["qid", "docno", "score"]].astype({"qid": str, "docno": str, "score": np.float64})
    if not np.isfinite(run["score"].to_numpy()).all():
        raise ExperimentError(f"The system {system!r} returned a score that is not a finite number.")
    repeated = run[run.duplicated(["qid", "docno"])]
    if len(repeated):
        docno, qid = repeated["docno"].iloc[0], repeated["qid"].iloc[0]
        raise ExperimentError(f"The system {system!r} returned {docno} twice for the query {qid}.")
    run = rank_results(run)
    return run.loc[run["rank"] < depth, list(RUN_COLUMNS)].reset_index(drop=True)
