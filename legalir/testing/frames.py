"""Checks of every pipeline role: what a component does to columns, types and its input.

Whether two frames say the same, and where they do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.errors import LegalIRError
from legalir.testing.checks import Failed, Function, NotApplicable
from legalir.testing.trial import Trial

__all__ = ["FRAME_CHECKS", "difference", "without_left"]

_RELATIVE, _ABSOLUTE = 1e-4, 1e-5
"""What the same scores may differ by where they were computed in another company: float32 adds up in other orders."""


def difference(first: pd.DataFrame, second: pd.DataFrame, *, exact: bool = False) -> str | None:
    """Return where `second` says something else than `first` of a query, or None.

    Columns that only one of them has, the order of queries and the order of rows do not count.

    Args:
        first: what is expected; columns ``qid`` and any others.
        second: what was found.
        exact: whether scores have to be the same to the last bit.
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
        # Of what ends a list with nearly equal scores, the one or the other may fall off.
        if len(scores) == 1 and (exact or not _close(scores[0], end)):
            return f"{docno!r} once and not the other time"
        if len(scores) == 2 and not (scores[0] == scores[1] if exact else _close(*scores)):
            return f"score {scores[0]!r} of {docno!r} once and {scores[1]!r} the other time"
    rest = [column for column in one.columns if column not in ("docno", "score", "rank")]
    return _values(one[rest].iloc[:1], two[rest].iloc[:1], rest) or _order(one, two, exact)


def _order(one: pd.DataFrame, two: pd.DataFrame, exact: bool) -> str | None:
    """Compare the scores place by place: nearly equal ones may change places."""
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
            if not _equal(a, b):
                return f"{column} {_short(a)} once and {_short(b)} the other time"
    return None


def _scores(frame: pd.DataFrame) -> list[float]:
    return frame["score"].astype(float).tolist() if "score" in frame else [0.0] * len(frame)


def _close(a: float, b: float) -> bool:
    return a == b or bool(np.isclose(a, b, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True))


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return _close(a, b)
    if isinstance(a, list | np.ndarray) and isinstance(b, list | np.ndarray):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


_EXTRA: dict[str, Any] = {"asked_on": ["2031-05-02", "", "2030-01-01", "2031-05-02"], "weight": [0.5, 1.5, 2.5, 3.5]}


def without_left(trial: Trial) -> None:
    """A factory that takes `left` works at the start of a pipeline, where it is None, or refuses in a sentence."""
    if not trial.subject.takes_left:
        raise NotApplicable("the factory has no keyword-only parameter 'left'")
    try:
        trial.subject.make(trial.collection(), None)
    except LegalIRError:  # It says what it needs.
        return


def declared_columns(trial: Trial) -> None:
    """PyTerrier's inspection foretells the columns of the output."""
    ran = trial.ran()
    declared = pt.inspect.transformer_outputs(ran.component, list(ran.inp.columns))
    _same_columns(list(ran.out.columns), list(declared or []), "inspection foretells")


def empty_frame(trial: Trial) -> None:
    """A frame of no rows gives no rows, and the columns and types of a full one."""
    ran = trial.ran()
    out = ran.component.transform(ran.inp.iloc[:0].copy())
    if len(out):
        raise Failed(f"no rows gave {len(out)}: return an empty frame for an empty frame.")
    _same_columns(list(ran.out.columns), list(out.columns), "an empty frame gives")
    for column in ("score", "rank"):
        if column in out and out[column].dtype != ran.out[column].dtype:
            raise Failed(
                f"{column} is {out[column].dtype} in an empty frame and {ran.out[column].dtype} in a full one: "
                f"give the column its type, as legalir.frames.columns.empty_like does."
            )


def input_unchanged(trial: Trial) -> None:
    """The frame that is given keeps its values, index, columns and types."""
    collection = trial.collection()
    component = trial.component(collection)
    inp = trial.input(collection, component)
    before = inp.copy(deep=True)
    component.transform(inp)
    if list(inp.columns) != list(before.columns):
        raise Failed(f"the input's columns became {', '.join(map(str, inp.columns))}: {_COPY}")
    if inp.index.tolist() != before.index.tolist():
        raise Failed(f"the input's index was changed: {_COPY}")
    for column in before:
        if inp[column].dtype != before[column].dtype or inp[column].tolist() != before[column].tolist():
            raise Failed(f"the input's column {column!r} was changed: {_COPY}")


_COPY = "copy a frame before writing into it."


def index_labels(trial: Trial) -> None:
    """Labels of the input's index mean nothing: they may repeat and be in any order."""
    ran = trial.ran()
    labels = [(7 * row + 3) % 3 for row in range(len(ran.inp))]
    out = ran.component.transform(ran.inp.set_axis(labels, axis=0))
    if (fault := difference(ran.out, out)) is not None:
        raise Failed(f"with another index, {fault}: work on values, or call reset_index(drop=True) first.")


def extra_columns(trial: Trial) -> None:
    """Columns that a question brings are on all its rows, whatever they are called."""
    queries = trial.queries.assign(**{name: values[: len(trial.queries)] for name, values in _EXTRA.items()})
    ran = trial.ran(queries)
    for column in _EXTRA:
        if column not in ran.out:
            raise Failed(f"the column {column!r} of the questions is lost: keep what is not yours to make.")
        _check_column(ran.out, column, queries["qid"], queries[column])
    asked = next((column for column in ("query_0", "query") if column in ran.out), None)
    if asked is None:
        raise Failed("the column 'query' is lost: keep it, or what it was in 'query_0'.")
    _check_column(ran.out, asked, queries["qid"], queries["query"])


def _check_column(out: pd.DataFrame, column: str, qids: pd.Series[str], values: pd.Series[Any]) -> None:
    wanted = dict(zip(qids, values, strict=True))
    for qid, value in zip(out["qid"], out[column], strict=True):
        if qid in wanted and value != wanted[qid]:
            raise Failed(f"{column!r} of query {qid!r} became {value!r} from {wanted[qid]!r}: carry it by qid.")


def string_ids(trial: Trial) -> None:
    """A qid stays the string that it was, also where it looks like a number."""
    qids = ["007", "8", "1e3", "-0"][: len(trial.queries)]
    out = trial.ran(trial.queries.assign(qid=qids)).out
    for qid in out["qid"]:
        if not isinstance(qid, str) or qid not in qids:
            raise Failed(f"qid {qid!r} ({type(qid).__name__}) is none of those asked: never convert a qid.")


def _same_columns(wanted: list[str], found: list[str], what: str) -> None:
    if wanted != found:
        raise Failed(
            f"{what} the columns {', '.join(map(str, found)) or 'none'}, but the output has {', '.join(wanted)}: "
            f"let both have the same columns in the same order."
        )


FRAME_CHECKS: tuple[Function, ...] = (
    declared_columns,
    empty_frame,
    input_unchanged,
    index_labels,
    extra_columns,
    string_ids,
)
