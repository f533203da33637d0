"""Conventions for data frames: which columns, which order, which types.

Frames follow PyTerrier: queries are ``[qid, query]`` and results ``[qid, query, docno, score, rank]``,
`qid` and `docno` strings, `score` a finite float, `rank` an integer from 0. Results are ordered by score
descending and, where scores are equal, by docno ascending.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.errors import ComponentError

RESULT_COLUMNS = ("docno", "score", "rank")
"""Columns that a retriever adds to those of its queries."""

QUERY_PARTS = "query_parts"
"""Column with the texts whose mean vector is that of the query: a tuple of pairs ``(kind, text)``. The kind says
whether a text is encoded as a ``document`` or as a ``query``."""

_OF_DOCUMENTS = (*RESULT_COLUMNS, "docid", "title", "text")


def whole_characters(text: str) -> str:
    """Return `text` with U+FFFD for each half of a surrogate pair.

    A command line has such halves for bytes that are not UTF-8. Frames cannot hold them if pyarrow is installed.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def require_columns(frame: pd.DataFrame, columns: Sequence[str], component: str) -> None:
    """Check that `frame` has `columns`.

    Raises:
        ComponentError: with the component, the missing columns and the columns of the frame.
    """
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ComponentError(
            f"{component} needs the column(s) {', '.join(missing)}, "
            f"but was given {', '.join(map(str, frame.columns)) or 'none'}."
        )


def require_texts(queries: pd.DataFrame, component: str) -> None:
    """Check that every ``query`` is a string.

    Raises:
        ComponentError: with the component, the query and its qid.
    """
    for row, query in enumerate(queries["query"].tolist()):
        if not isinstance(query, str):
            raise ComponentError(f"{component}: the query {query!r} of {queries['qid'].iloc[row]!r} is not a string.")


def require_question(query: object, what: str) -> None:
    """Check that one question is a string.

    Raises:
        ComponentError: with `what` is asked, and the value.
    """
    if not isinstance(query, str):
        shown = " ".join(repr(query).split())[:60]  # A frame has several lines.
        raise ComponentError(
            f"{what}: the question must be one text, got {shown} ({type(query).__name__}); "
            f"for several questions, give a pipeline a data frame with the columns qid and query."
        )


@contextlib.contextmanager
def fed_with_questions(what: str) -> Iterator[None]:
    """Turn PyTerrier's error that a component of a whole pipeline lacks columns into a :class:`ComponentError`.

    Components leave that error as it is, because PyTerrier reads from it the columns that they need.
    """
    from pyterrier.validate import InputValidationError

    try:
        yield
    except InputValidationError as error:
        missing = error.modes[0].missing_columns
        names = f"{what}: a component needs the column(s) {', '.join(missing)}"
        if not set(missing) & set(_OF_DOCUMENTS):
            raise ComponentError(
                f"{names}, which neither the questions nor a component on its left has: take questions that have them, "
                f"or take the component away."
            ) from error
        raise ComponentError(
            f"{names}, which nothing on its left gives: put a retriever there, as in bm25 >> links, or fuse with "
            f"rrf(…) what '|' or '&' put together."
        ) from error


def drop_results(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the query columns of `frame`, one row a query, in order of first appearance.

    A retriever that follows another component gets result rows and needs their queries. The columns
    ``docid, title, text`` of result rows are dropped, too: they would end up beside other documents.
    """
    if "docno" in frame.columns:
        return query_columns(query_rows(frame, np.flatnonzero(~frame["qid"].duplicated())))
    return _without(frame, RESULT_COLUMNS)


def query_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a result frame that belong to its queries."""
    return _without(frame, _OF_DOCUMENTS)


def _without(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    kept = [column for column in frame.columns if column not in columns]
    # To select columns takes a tenth of the time of a search.
    return frame[kept] if len(kept) < len(frame.columns) else frame.copy(deep=False)


def query_rows(frame: pd.DataFrame, first: npt.NDArray[np.intp]) -> pd.DataFrame:
    """Return rows `first` of a result frame, which has a row for each query, with the columns of the queries whole.

    PyTerrier's ``+`` gives no query columns to rows that only its right side returned: a column that the first row of a
    query lacks is taken from the first row that has it.
    """
    rows = frame.iloc[first].reset_index(drop=True)
    for column in rows.columns[rows.isna().any()]:
        held = frame.loc[frame[column].notna().to_numpy(), ["qid", column]].drop_duplicates("qid")
        if len(held):
            of = rows["qid"].map(held.set_index("qid")[column])
            rows[column] = rows[column].where(rows[column].notna(), of)
    return rows


def empty_like(frame: pd.DataFrame) -> pd.DataFrame:
    """Return an empty result frame with the query columns of `frame` and the result columns."""
    out = drop_results(frame).iloc[:0].copy()
    out["docno"] = pd.Series(dtype=str)
    out["score"] = pd.Series(dtype=np.float64)
    out["rank"] = pd.Series(dtype=np.int64)
    return out


def check_queries(inp: pd.DataFrame, *columns: str) -> None:
    """Check that a frame has ``qid``, `columns`, and ``query`` or ``query_vec``."""
    with pt.validate.any(inp) as found:
        found.columns(includes=["qid", "query", *columns])
        found.columns(includes=["qid", "query_vec", *columns])
