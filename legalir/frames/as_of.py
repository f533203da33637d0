"""Query column ``as_of``: the day of a query, for collections of versions of provisions.

A value is text as ``2021-03-01`` or a date; without one, today is meant. Retrievers rank the documents of an index that
are in force on the day of a query, and no others: documents are masked before the best are chosen, so that a list is
exact and as long as it would be without other versions. What counts over all documents, such as the number of documents
with a term, stays the same as in the whole index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Annotated

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.frames.columns import AS_OF as AS_OF
from legalir.frames.columns import WHERE, whole_characters
from legalir.frames.component import Component
from legalir.frames.ranking import RankedLists
from legalir.storage.validity import Mask, Validity, day_of, iso_date


def today() -> int:
    """Return the default day of a query."""
    return date.today().toordinal()


def named_day(value: object) -> int:
    """Return the day of a date that a person gives; ``today`` is one.

    Raises:
        ComponentError: it is not a date.
    """
    return today() if value == "today" else day_of(value, AS_OF)


def days(queries: pd.DataFrame) -> list[int]:
    """Return the day of each row; today if it has none.

    Raises:
        ComponentError: a value is not a date.
    """
    if AS_OF not in queries.columns:
        return [today()] * len(queries)
    values = queries[AS_OF].tolist()
    # A missing value is not equal to itself, or is None, or an empty text.
    given = {value: day_of(value, AS_OF) for value in set(values) if value == value and value not in (None, "")}
    now = today() if len(given) < len(set(values)) else 0
    return [given.get(value, now) for value in values]


def asked_once(query: str, as_of: str | None, where: str = "") -> pd.DataFrame:
    """Return the frame of one query, with its day and filter if it has them."""
    frame = pd.DataFrame({"qid": ["1"], "query": [whole_characters(query)]})
    frame = frame if as_of is None else with_as_of(frame, as_of)
    return frame.assign(**{WHERE: where}) if where else frame


def day_masks(queries: pd.DataFrame, validity: Validity | None) -> Sequence[tuple[int | None, Mask | None]]:
    """Return for each query its day, and which documents are in force on it; None where all documents always are.

    Args:
        queries: one row per query.
        validity: of the documents; None for documents that are no versions.

    Raises:
        ComponentError: a value of ``as_of`` is not a date.
    """
    if validity is None:
        return [(None, None)] * len(queries)
    return [(day, validity.on(day)) for day in days(queries)]


def by_day(lists: RankedLists, change: Callable[[int, RankedLists], RankedLists]) -> RankedLists:
    """Change the lists of each day together, and return all of them in the order of their queries.

    Args:
        lists: lists of queries that may have several days.
        change: returns the new lists for a day and the lists of its queries.
    """
    asked = np.array(days(lists.queries), dtype=np.int64)
    parts = []
    for day in np.unique(asked).tolist():
        numbers, rows = np.flatnonzero(asked == day), np.flatnonzero(asked[lists.query] == day)
        queries = lists.queries.iloc[numbers].reset_index(drop=True)
        own = lists.rows(rows)
        own = own._replace(queries=queries, query=np.searchsorted(numbers, own.query).astype(np.int64))
        parts.append((numbers, change(day, own)))
    if len(parts) == 1:
        return parts[0][1]
    queries = pd.concat([part.queries.set_axis(numbers) for numbers, part in parts]).sort_index()
    query = np.concatenate([numbers[part.query] for numbers, part in parts])
    order = np.argsort(query, kind="stable")
    docno, score = (np.concatenate([getattr(part, name) for _, part in parts]) for name in ("docno", "score"))
    return RankedLists(queries, query[order], docno[order], score[order])


class AsOf(Component):
    """Gives a default day to queries without a date.

    Columns in: ``qid`` and any others. Columns out: the same and ``as_of``, where it is missing or empty.

    Raises:
        ComponentError: it is not a date.
    """

    as_of: Annotated[str | date, "the day, text as ``2021-03-01`` or a date"]

    def __post_init__(self) -> None:
        self.as_of = iso_date(day_of(self.as_of, AS_OF))

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        pt.validate.columns(inp, includes=["qid"])
        return inp if AS_OF in inp.columns else inp.assign(**{AS_OF: pd.Series(dtype=str)})

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows with a day."""
        pt.validate.columns(inp, includes=["qid"])
        return with_as_of(inp, str(self.as_of))


def with_as_of(queries: pd.DataFrame, as_of: str) -> pd.DataFrame:
    """Return the rows of queries; those without a day get `as_of`."""
    if AS_OF not in queries.columns:
        return queries.assign(**{AS_OF: as_of})
    values = [as_of if value != value or value in (None, "") else value for value in queries[AS_OF].tolist()]
    return queries.assign(**{AS_OF: pd.Series(values, index=queries.index, dtype=object)})
