"""The comparison of two outputs, with the place of the first difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from legalir.errors import shown

_RELATIVE, _ABSOLUTE = 1e-4, 1e-5
"""Tolerances of scores: float32 sums depend on the order of addition, and so on the batch."""


def difference(first: pd.DataFrame, second: pd.DataFrame, *, exact: bool = False) -> str | None:
    """Return the first difference between two outputs in words, or None.

    Columns that only one of them has, the order of queries and the order of rows are ignored.

    Args:
        first: the expected output; columns ``qid`` and any others.
        second: the actual output.
        exact: compare scores to the last bit.
    """
    columns = [column for column in first.columns if column in second.columns]
    for qid in dict.fromkeys([*first["qid"], *second["qid"]]):
        one, two = (frame.loc[(frame["qid"] == qid).to_numpy(), columns] for frame in (first, second))
        fault = _results(one, two, exact) if "docno" in columns else _values(one, two, columns)
        if fault is not None:
            return f"query {qid!r} has {fault}"
    return None


def _results(one: pd.DataFrame, two: pd.DataFrame, exact: bool) -> str | None:
    if len(one) != len(two):
        return f"{len(one)} results once and {len(two)} the other time"
    first, second = (dict(zip(frame["docno"], _scores(frame), strict=True)) for frame in (one, two))
    end = min(first.values(), default=0.0)
    for docno in [*first, *(docno for docno in second if docno not in first)]:
        scores = [scores[docno] for scores in (first, second) if docno in scores]
        # Of the nearly equal scores at the end of a list, any may be cut off.
        if len(scores) == 1 and (exact or not _close(scores[0], end)):
            return f"{docno!r} once and not the other time"
        if len(scores) == 2 and not (scores[0] == scores[1] if exact else _close(*scores)):
            return f"score {scores[0]!r} of {docno!r} once and {scores[1]!r} the other time"
    rest = [column for column in one.columns if column not in ("docno", "score", "rank")]
    return _values(one[rest].iloc[:1], two[rest].iloc[:1], rest) or _order(one, two, exact)


def _order(one: pd.DataFrame, two: pd.DataFrame, exact: bool) -> str | None:
    """Compare the scores rank by rank; documents with nearly equal scores may change places."""
    if "rank" not in one:
        return None
    first, second = (frame.assign(score=_scores(frame)).sort_values("rank") for frame in (one, two))
    for place, (a, b) in enumerate(zip(first["score"], second["score"], strict=True)):
        if not (a == b if exact else _close(a, b)):
            return f"score {a!r} at place {place + 1} once and {b!r} the other time"
    return None


def _values(one: pd.DataFrame, two: pd.DataFrame, columns: list[str]) -> str | None:
    if len(one) != len(two):
        return f"{len(one)} rows once and {len(two)} the other time"
    for column in columns:
        for a, b in zip(one[column].tolist(), two[column].tolist(), strict=True):
            if not equal(a, b):
                return f"{column} {shown(a)} once and {shown(b)} the other time"
    return None


def _scores(frame: pd.DataFrame) -> list[float]:
    return frame["score"].astype(float).tolist() if "score" in frame else [0.0] * len(frame)


def _close(a: float, b: float) -> bool:
    return a == b or bool(np.isclose(a, b, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True))


def equal(a: Any, b: Any) -> bool:
    """Return whether two values are equal; numbers nearly so."""
    if isinstance(a, float) and isinstance(b, float):
        return _close(a, b)
    if isinstance(a, list | np.ndarray) and isinstance(b, list | np.ndarray):
        return len(a) == len(b) and all(map(equal, a, b))
    return bool(a == b)
