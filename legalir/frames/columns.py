"""Conventions for data frames: which columns, which order, which types, and what a column belongs to.

Frames follow PyTerrier: queries are ``[qid, query]`` and results ``[qid, query, docno, score, rank]``,
`qid` and `docno` strings, `score` a finite float, `rank` an integer from 0. Results are ordered by score
descending and, where scores are equal, by docno ascending.

In a frame of results, a column belongs to the question or to the document of a row (:func:`query_names`). What brings
other documents, or answers, keeps the columns of the question alone; what keeps rows keeps all their columns.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.errors import ComponentError
from legalir.storage.documents import Provision

RESULT_COLUMNS = ("docno", "score", "rank")
"""Columns that a retriever adds to the query columns."""

AS_OF, WHERE = "as_of", "where"
"""Columns with the day of a query, and with the filter of its results."""

QUERY_PARTS = "query_parts"
"""Column with the texts whose mean vector is the query vector: a tuple of pairs ``(kind, text)``. The kind says
whether a text is encoded as a ``document`` or as a ``query``."""

QUERY_STEPS = "query_steps"
"""Column with what a model has read and written of a question in earlier steps: a tuple of pairs ``(docnos, text)``."""

QUERY_TOKS = "query_toks"
"""PyTerrier's column with the weighted terms of a query, which replace its text in a search: a dict."""

REPLY_STATE = "reply_state"
"""Column with the :data:`~legalir.llm.chat.State` of the reply that a row was made from."""

COMPLEXITY, REWRITES = "complexity", "rewrites"
"""Columns: class of a question, an integer from 0; number of its sub-queries, in place of the parameter ``n``."""

PATHS, KEYWORDS, CONTEXT = "paths", "keywords", "context"
"""Columns: number of walks, and of key words, of a question, in place of the parameters; the text of the walks."""

_OF_DOCUMENTS = frozenset((*RESULT_COLUMNS, "docid", "features", *Provision._fields))
"""Columns of results that belong to documents, whatever their values."""

_OF_QUERIES = frozenset(("qid", "query", AS_OF, WHERE, REPLY_STATE))
"""Columns that belong to queries, whatever their values; so do all whose names begin with ``query_``."""

_ADDED = frozenset((COMPLEXITY, REWRITES, PATHS, KEYWORDS, CONTEXT))
"""Columns that we add to queries under names that documents may have, too: their values decide."""

ASKED = "query_columns"
"""Key of the columns of the queries in ``attrs`` of a frame of results: they were there before the documents."""

_log = logging.getLogger("legalir")


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

    Components do not change that error, because PyTerrier reads from it the columns that they need.
    """
    from pyterrier.validate import InputValidationError

    try:
        yield
    except InputValidationError as error:
        missing = error.modes[0].missing_columns
        names = f"{what}: a component needs the column(s) {', '.join(missing)}"
        if not set(missing) & {*RESULT_COLUMNS, "docid", "title", "text"}:
            raise ComponentError(
                f"{names}, which neither the questions nor a component on its left has: take questions that have them, "
                f"or take the component away."
            ) from error
        raise ComponentError(
            f"{names}, which nothing on its left gives: put a retriever there, as in bm25 >> links and "
            f"bm25 % 100 >> (tfidf ** bm25f), or fuse with rrf(…) what '|' or '&' put together."
        ) from error


def drop_results(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the queries of `frame`, one row per query, in order of first appearance.

    Of result rows, only the query columns are returned (:func:`query_names`): others would end up next to other
    documents. Of query rows, all but ``docno, score, rank``.
    """
    if "docno" in frame.columns:
        return query_rows(frame, np.flatnonzero(~frame["qid"].duplicated()), query_names(frame))
    return _without(frame, RESULT_COLUMNS)


def unique_queries(frame: pd.DataFrame, component: str) -> pd.DataFrame:
    """Return the queries of `frame` as :func:`drop_results` does, and check that each qid occurs once.

    Raises:
        ComponentError: names the component and a qid that occurs twice.
    """
    queries = drop_results(frame)
    qids = queries["qid"].tolist()
    if len(set(qids)) < len(qids):
        twice = qids[int(queries["qid"].duplicated().to_numpy().argmax())]
        raise ComponentError(
            f"{component}: the qid {twice!r} was given twice: give each question a qid of its own, or search with the "
            f"sub-queries of a question by multi(…)."
        )
    return queries


def query_names(frame: pd.DataFrame) -> list[Any]:
    """Return the names of the columns that belong to the queries of `frame`.

    1. The fields of a provision and ``docno, docid, score, rank, features`` belong to documents.
    2. ``qid``, ``query``, ``query_…``, ``as_of``, ``where`` and ``reply_state`` belong to queries.
    3. Any other column belongs to documents if its value differs between two rows of any query, else to queries. Rows
       that lack a query (PyTerrier's ``+`` makes them) are not compared.

    Where no query has two rows, 3. cannot tell: the column stays with the queries, and a message says so unless
    ``attrs[ASKED]`` has it. A frame without ``docno``, such as the queries of ranked lists, has no rows to compare.
    """
    names = [name for name in frame.columns if name not in _OF_DOCUMENTS]
    unknown = [name for name in names if name not in _OF_QUERIES and not str(name).startswith("query_")]
    if not unknown or "docno" not in frame.columns or frame.empty:
        return names
    number = pd.factorize(frame["qid"], use_na_sentinel=False)[0]
    rows = np.argsort(number, kind="stable")
    asked = next((name for name in ("query", "query_vec") if name in frame.columns), "qid")
    rows = rows[frame[asked].notna().to_numpy()[rows]]
    differs = {name: _differs(frame[name], number, rows, name in _ADDED) for name in unknown}
    known = {*_ADDED, *frame.attrs.get(ASKED, ())}
    if undecided := [name for name, one in differs.items() if one is None and name not in known]:
        _log.warning(
            "No question has two results, so that %s may belong to the question or to the document of a row: it is "
            "kept as the question's; rename it to query_… if it is, or drop it before this step if it is not.",
            ", ".join(map(repr, undecided)),
        )
    return [name for name in names if not differs.get(name)]


def _differs(
    values: pd.Series[Any], number: npt.NDArray[np.intp], rows: npt.NDArray[np.intp], gaps: bool
) -> bool | None:
    """Return whether each value differs from the previous value of the same query; None if no query has two rows.

    Args:
        values: the column, [r].
        number: number of the query of each row, [r].
        rows: the rows to compare, with the rows of each query together.
        gaps: whether missing values are left out.
    """
    if gaps:
        rows = rows[values.notna().to_numpy()[rows]]
    second = np.flatnonzero(number[rows[1:]] == number[rows[:-1]])
    if not len(second):
        return None
    one, other = values.iloc[rows[second]], values.iloc[rows[second + 1]]
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "biufcmM":
        a, b = one.to_numpy(), other.to_numpy()
        return not bool(((a == b) | ((a != a) & (b != b))).all())  # NaN and NaT differ from themselves.
    left, right = one.tolist(), other.tolist()
    try:
        if left == right:
            return False
    except Exception:  # Values whose comparison is no truth value, such as arrays.
        pass
    return not all(map(_same, left, right))


def _same(one: Any, other: Any) -> bool:
    """Return True if two values of any type are the same; missing values are equal."""
    if one is other:
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if hasattr(one, "__array__") or hasattr(other, "__array__"):
        a, b = np.asarray(one), np.asarray(other)
        return a.shape == b.shape and all(map(_same, a.ravel().tolist(), b.ravel().tolist()))
    if pd.api.types.is_scalar(one) and pd.api.types.is_scalar(other) and pd.isna(one) and pd.isna(other):
        return True
    try:
        return bool(one == other)
    except Exception:  # A comparison without a truth value.
        return False


def query_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a frame that belong to its queries, according to :func:`query_names`."""
    names = query_names(frame)
    # To select columns takes a tenth of the time of a search.
    return frame[names] if len(names) < len(frame.columns) else frame.copy(deep=False)


def _without(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    kept = [column for column in frame.columns if column not in columns]
    return frame[kept] if len(kept) < len(frame.columns) else frame.copy(deep=False)


def query_rows(frame: pd.DataFrame, first: npt.NDArray[np.intp], names: Sequence[Any] | None = None) -> pd.DataFrame:
    """Return rows `first` of a result frame, which has a row for each query, with the columns of the queries whole.

    PyTerrier's ``+`` gives no query columns to rows that only its right side returned: a column that the first row of a
    query lacks is taken from the first row that has it.

    Args:
        frame: the result frame.
        first: number of a row of each query.
        names: the columns that are returned; None for all.
    """
    rows = frame.iloc[first].reset_index(drop=True)
    if names is not None and len(names) < len(rows.columns):
        rows = rows[names]
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


def push_queries(frame: pd.DataFrame) -> pd.DataFrame:
    """Return `frame` for a new text of its queries: the old one is in ``query_0``, as PyTerrier has it.

    Columns that were made from the old text (``query_parts``, ``query_toks``, ``query_vec``) are dropped: they would be
    searched for in place of the new one.
    """
    return pt.model.push_queries(frame).drop(columns=[QUERY_PARTS, QUERY_TOKS, "query_vec"], errors="ignore")


def check_queries(inp: pd.DataFrame, *columns: str, alternative: str = "query_vec") -> None:
    """Check that a frame has ``qid``, `columns`, and ``query`` or its `alternative`."""
    with pt.validate.any(inp) as found:
        found.columns(includes=["qid", "query", *columns])
        found.columns(includes=["qid", alternative, *columns])
