"""The comparison of two outputs, with the place of the first difference."""

from __future__ import annotations

import math
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from legalir.errors import shown

_Row: TypeAlias = dict[str, Any]

_OF_A_RESULT = frozenset({"docno", "score", "rank"})
"""Columns that differ between the results of a question."""

_RELATIVE, _ABSOLUTE = 1e-4, 1e-5
"""Tolerances of scores: float32 sums depend on the order of addition, and so on the batch."""


def difference(first: pd.DataFrame, second: pd.DataFrame, *, exact: bool = False) -> str | None:
    """Return the first difference between two outputs in words, or None.

    Columns in only one of them, the order of queries and the order of rows are ignored.

    Args:
        first: the expected output; columns ``qid`` and any others.
        second: the actual output.
        exact: compare scores to the last bit.
    """
    columns = [column for column in first.columns if column in second.columns]
    compare = _results if "docno" in columns else _values
    one, two = (_by_query(frame, columns) for frame in (first, second))
    for qid in dict.fromkeys([*one, *two]):
        if (fault := compare(one.get(qid, []), two.get(qid, []), exact)) is not None:
            return f"query {qid!r} has {fault}"
    return None


def _by_query(frame: pd.DataFrame, columns: list[str]) -> dict[object, list[_Row]]:
    queries: dict[object, list[_Row]] = {}
    for values in zip(*(frame[column].tolist() for column in columns), strict=True):
        row = dict(zip(columns, values, strict=True))
        queries.setdefault(row["qid"], []).append(row)
    return queries


def _results(one: list[_Row], two: list[_Row], exact: bool) -> str | None:
    if len(one) != len(two):
        return f"{len(one)} results once and {len(two)} the other time"
    first, second = ({row["docno"]: _score(row) for row in rows} for rows in (one, two))
    end = min(first.values(), default=0.0)
    for docno in [*first, *(docno for docno in second if docno not in first)]:
        scores = [scores[docno] for scores in (first, second) if docno in scores]
        # Of the nearly equal scores at the end of a list, any may be cut off.
        if len(scores) == 1 and (exact or not _close(scores[0], end)):
            return f"{docno!r} once and not the other time"
        if len(scores) == 2 and not (scores[0] == scores[1] if exact else _close(*scores)):
            return f"score {scores[0]!r} of {docno!r} once and {scores[1]!r} the other time"
    rest = [{key: value for key, value in row.items() if key not in _OF_A_RESULT} for row in (*one[:1], *two[:1])]
    return _values(rest[:1], rest[1:], exact) or _order(one, two, exact)


def _order(one: list[_Row], two: list[_Row], exact: bool) -> str | None:
    """Compare the scores rank by rank; documents with nearly equal scores may change places."""
    if "rank" not in one[0]:
        return None
    first, second = (map(_score, sorted(rows, key=itemgetter("rank"))) for rows in (one, two))
    for place, (a, b) in enumerate(zip(first, second, strict=True)):
        if not (a == b if exact else _close(a, b)):
            return f"score {a!r} at place {place + 1} once and {b!r} the other time"
    return None


def _values(one: list[_Row], two: list[_Row], _: bool) -> str | None:
    if len(one) != len(two):
        return f"{len(one)} rows once and {len(two)} the other time"
    for column in one[0]:
        for a, b in zip(one, two, strict=True):
            if not equal(a[column], b[column]):
                return f"{column} {shown(a[column])} once and {shown(b[column])} the other time"
    return None


def _score(row: _Row) -> float:
    return float(row.get("score", 0.0))


def _close(a: float, b: float) -> bool:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= _ABSOLUTE + _RELATIVE * abs(b)


def equal(a: Any, b: Any) -> bool:
    """Return True if two values are equal; numbers may differ slightly."""
    if isinstance(a, float) and isinstance(b, float):
        return _close(a, b)
    if isinstance(a, list | np.ndarray) and isinstance(b, list | np.ndarray):
        return len(a) == len(b) and all(map(equal, a, b))
    return bool(a == b)
