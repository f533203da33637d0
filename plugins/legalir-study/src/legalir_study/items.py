"""Test items as rows of a query file, and the sieve that they go through: what is dropped stays, with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from legalir.extend import digest

Row = dict[str, Any]
"""An item: a row of a query file with ``qid``, ``query`` and ``documents``, the provisions that it was made from."""

Faults = Mapping[str, str]
"""The items that a filter drops, by qid, each with a clause about it; empty where there is nothing to say."""

FAILED = "failed reply"
"""Reason of an item that the model did not write: its reply is of no use."""

REASON, DETAIL = "reason", "detail"
"""Columns of a dropped item: the filter that dropped it, and a clause."""


class Sieve:
    """Items and the filters that they went through.

    Attributes:
        kept: items that passed each filter so far, in order.
        dropped: the others, in the order of the filters, with the columns ``reason`` and ``detail``.

    Args:
        items: all items.
    """

    def __init__(self, items: Iterable[Row]) -> None:
        self.kept: list[Row] = list(items)
        self.dropped: list[Row] = []
        self._filters: list[str] = []

    def drop(self, reason: str, faults: Faults) -> None:
        """Drop items.

        Args:
            reason: the filter that drops them.
            faults: the items by qid, each with a clause about it.
        """
        self._filters.append(reason)
        for row in self.kept:
            if row["qid"] in faults:
                self.dropped.append({**row, REASON: reason, DETAIL: faults[row["qid"]]})
        self.kept = [row for row in self.kept if row["qid"] not in faults]

    def counts(self) -> dict[str, int]:
        """Return the number of items that each filter dropped, in the order of the filters; 0 among them."""
        counts = Counter(row[REASON] for row in self.dropped)
        return {reason: counts[reason] for reason in dict.fromkeys(self._filters)}


T = TypeVar("T")


def sampled(population: Sequence[T], count: int, seed: int, key: str = "") -> list[T]:
    """Return `count` members in an order that follows from the seed alone.

    A larger count begins with the members of a smaller one, so that replies to those are stored already.

    Args:
        population: JSON values, each once; their order does not matter.
        count: number of members; all where there are fewer.
        seed: another seed gives another order.
        key: another key gives another order with the same seed.
    """
    return sorted(population, key=lambda one: digest([seed, key, one]))[:count]
