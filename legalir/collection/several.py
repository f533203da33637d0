"""Questions to several collections at once: their lists in turn, and the collection that has a cited provision."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import date
from itertools import accumulate
from os import PathLike
from typing import TYPE_CHECKING

import pandas as pd

from legalir.collection.collection import Collection
from legalir.errors import ComponentError

if TYPE_CHECKING:
    from legalir.verify import Checked

_K = 60
"""The constant of reciprocal rank fusion."""

Collections = Sequence[Collection | str | PathLike[str]]
"""Collections, or their ids or paths."""


def search(
    collections: Collections, query: str, expr: str = "default", k: int = 10, *, as_of: str | date | None = None
) -> pd.DataFrame:
    """Return the best `k` provisions of several collections for one question.

    Scores of different collections cannot be compared, so the lists are fused by rank: the first of each collection in
    the order of `collections`, then the second ones. A provision that the question cites (:func:`find`) comes first. A
    provision that two collections have is there twice. A collection in other letters than those of the question has its
    results behind those of the others.

    Args:
        collections: two or more, each once.
        query: the question.
        expr: a pipeline that gives scores and ranks.
        k: number of provisions, at least 1.
        as_of: the day of the question, for the collections with versions; None for the day of each, or today.

    Returns:
        The columns of :meth:`legalir.Collection.search` and ``collection``, the id of the collection of each row;
        ``score`` is 1/(60 + its rank there), or behind the others, and 1 for a cited provision.

    Raises:
        ComponentError: as :meth:`legalir.Collection.search`; a collection is named twice, or no collection has versions
            and there is an `as_of`.
    """
    opened = _opened(collections, as_of)
    cited = {(one.id, found.shows) for one, found in find(opened, query, as_of=as_of) if found.state == "right"}
    lists = [
        pd.DataFrame(one.search(query, expr, k, as_of=as_of if one.dated else None)).assign(collection=one.id)
        for one in opened
    ]
    named = [[*zip(hits["collection"], hits["docno"], strict=True)] for hits in lists]
    behind = {number for number, one in enumerate(opened) if one.writing.foreign(query)}
    order = in_turn(named, cited, behind)[:k]
    starts = [*accumulate(map(len, lists), initial=0)]
    fused = pd.concat(lists).iloc[[starts[number] + place for _, number, place in order]].reset_index(drop=True)
    fused = fused.assign(rank=range(len(fused)), score=[score for score, _, _ in order])
    columns = ["rank", "score", "collection"]
    return fused[[*columns, *(name for name in fused if name not in columns)]].fillna("")


def in_turn(
    lists: Sequence[Sequence[tuple[str, str]]], cited: Container[tuple[str, str]], behind: Container[int] = ()
) -> list[tuple[float, int, int]]:
    """Return the order of the results of several collections, as :func:`search` has it.

    Args:
        lists: the name of a collection and the docno of each of its results, best first, of each collection.
        cited: those that the question cites.
        behind: numbers of the lists that come behind the others.

    Returns:
        Score, number of the list, and place in it from 0, of each result.
    """
    longest = max((len(each) for number, each in enumerate(lists) if number not in behind), default=0)
    fused = [
        (1.0 if one in cited else 1 / (_K + place + 1 + longest * (number in behind)), number, place)
        for number, each in enumerate(lists)
        for place, one in enumerate(each)
    ]
    return sorted(fused, key=lambda one: (-one[0], one[1]))


def find(
    collections: Collections, citation: str, *, as_of: str | date | None = None
) -> list[tuple[Collection, Checked]]:
    """Return the collections that know a citation, each with what :meth:`legalir.Collection.find` knows of it.

    If one has the provision, only those that have it are returned; none if the words are no citation alone.

    Raises:
        ComponentError: a collection is named twice, or no collection has versions and there is an `as_of`.
    """
    each = [(one, one.find(citation, as_of=as_of if one.dated else None)) for one in _opened(collections, as_of)]
    known = [(one, found) for one, found in each if found is not None]
    return [pair for pair in known if pair[1].shows] or known


def _opened(collections: Collections, as_of: str | date | None) -> list[Collection]:
    if isinstance(collections, Collection | str | PathLike):
        raise ComponentError(
            f"search: {str(collections)!r} is one collection: put it in a list, or use its own search."
        )
    opened = [one if isinstance(one, Collection) else Collection(one) for one in collections]
    names = [one.id for one in opened]
    if twice := [name for place, name in enumerate(names) if name in names[:place]]:
        raise ComponentError(f"search: the collection {twice[0]!r} is named twice: name each once.")
    if not opened:
        raise ComponentError("search: there is no collection: name at least one.")
    if as_of is not None and not any(one.dated for one in opened):
        opened[0].day(as_of)  # It says what is missing.
    return opened
