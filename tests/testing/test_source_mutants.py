"""One mutant a check of sources: that check fails, and no other."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import right_components as right

from legalir import testing


class Mutant(right.Register):
    """The right source with one attribute replaced."""

    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)


class Exhausted(right.Register):
    """Can be read once."""

    def __init__(self) -> None:
        self.rows = super().provisions()
        self.count = 0

    def provisions(self) -> Iterator[dict[str, str]]:
        # Only who reads the provisions twice, and nothing between, gets fewer.
        self.count += 1
        rows = list(super().provisions())
        return iter(rows if self.count == 1 else rows[:-1])


class NoLinks:
    """Has provisions, and no links."""

    name = "no links"
    provisions = right.Register.provisions


def changing(**fields: Any) -> Callable[..., Any]:
    """Return a source whose first provision has other fields."""

    def provisions() -> Iterator[dict[str, Any]]:
        first, *rest = right.Register().provisions()
        yield {**first, **fields}
        yield from rest

    return lambda collection: Mutant(provisions=provisions)


def linking(*links: Any) -> Callable[..., Any]:
    return lambda collection: Mutant(links=lambda: iter(links))


builds = itertools.count()


def another(collection: object) -> Mutant:
    rows = list(right.Register().provisions())[:: 1 if next(builds) % 2 else -1]
    return Mutant(provisions=lambda: iter(rows))


MUTANTS: dict[str, Callable[..., Any]] = {
    "name": lambda collection: Mutant(name=""),
    "first-use": lambda collection: Mutant(provisions=lambda: iter([][0])),
    "provisions": lambda collection: Mutant(provisions=lambda: iter(()), links=lambda: iter(())),
    "construction": lambda collection: NoLinks(),
    "docnos": lambda collection: Mutant(
        provisions=lambda: itertools.chain(right.Register().provisions(), [{"docno": "a-2", "text": "again"}])
    ),
    "docnos 2": lambda collection: Mutant(
        provisions=lambda: iter([{"docno": "a 1", "text": ""}]), links=lambda: iter(())
    ),
    "fields": changing(chapter="2"),
    "texts": changing(title=None),
    "texts 2": changing(text=b"bytes"),
    "texts 3": changing(text="half \ud800"),
    "dates": changing(effective_from="1.1.2030"),
    "dates 2": changing(effective_from="2030-01-01", effective_to="2029-12-31"),
    "links": linking(("a-1", "a-2")),
    "links 2": linking(("a-1", "a-2", None)),
    "links 3": linking(("a-1", "a-2", "cites\tnot")),
    "link-ends": linking(("b-9", "a-1", "cites")),
    "determinism": lambda collection: Exhausted(),
    "another-build": another,
}


@pytest.mark.parametrize("check", MUTANTS)
def test_a_mutant_is_caught_by_its_check_and_no_other(check: str) -> None:
    outcomes = testing.check("source", MUTANTS[check])
    assert {one.check: one.message for one in outcomes if not one.ok}.keys() == {check.partition(" ")[0]}, outcomes


def test_a_right_source_passes() -> None:
    assert {one.status for one in testing.check("source", right.register)} == {"passed"}
