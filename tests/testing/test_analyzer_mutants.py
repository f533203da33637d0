"""One mutant a check of analyzers: that check fails, and no other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import right_components as right
from fake_plugins import Install, install_plugin  # noqa: F401  (a fixture)

from legalir import testing
from legalir.analysis.analyzer import TermCounts, count_terms
from legalir.testing.data import TEXTS

Terms = Callable[["Mutant", str], list[Any]]


class Mutant(right.Pairs):
    """The right analyzer with one attribute replaced."""

    def __init__(self, least: int = 1, *, terms: Terms | None = None, **attributes: Any) -> None:
        super().__init__(least)
        self.spoiled = terms
        self.memory: list[str] = []
        for name, value in attributes.items():
            setattr(self, name, value)

    def right(self, text: str) -> list[str]:
        return super().terms(text)

    def terms(self, text: str) -> list[Any]:
        return self.right(text) if self.spoiled is None else self.spoiled(self, text)


class Counting(Mutant):
    """Counts by itself, and in the wrong order."""

    def count(self, texts: Sequence[str]) -> TermCounts:
        right_counts = count_terms(right.Pairs(), texts)
        return TermCounts(
            right_counts.terms[::-1],
            right_counts.indptr,
            right_counts.documents,
            right_counts.frequencies,
            right_counts.lengths,
        )


class OtherTypes(Mutant):
    """Counts by itself, in numbers of another type."""

    def count(self, texts: Sequence[str]) -> TermCounts:
        found = count_terms(right.Pairs(), texts)
        return TermCounts(found.terms, found.indptr, found.documents, found.frequencies.astype("int64"), found.lengths)


def with_terms(terms: Terms) -> Callable[..., Any]:
    return lambda collection: Mutant(terms=terms)


def raising(self: Mutant, text: str) -> list[str]:
    if "\x00" in text:
        raise ValueError("cannot cope")
    return self.right(text)


def twice_longer(self: Mutant, text: str) -> list[str]:
    """Repeat the terms of one text where it is the same as the one before."""
    again = self.memory[-1:] == [text] and "종의" in text
    self.memory.append(text)
    return self.right(text) * (2 if again else 1)


def carried_over(self: Mutant, text: str) -> list[str]:
    """Repeat the terms of a text for good once the last of the kit's was read before it."""
    if text == TEXTS[-1] and not self.memory:
        self.memory.append(text)
    return self.right(text) * (2 if self.memory and text != TEXTS[-1] else 1)


numbers = itertools.count()

MUTANTS: dict[str, Callable[..., Any]] = {
    "construction": lambda collection: Callable,
    "first-use": with_terms(lambda self, text: [][0]),
    "name": lambda collection: Mutant(name=""),
    "name 2": lambda collection: Mutant(name="a\nb"),
    "fingerprint": lambda collection: Mutant(fingerprint="version 3"),
    "fingerprint 2": lambda collection: Mutant(fingerprint=f"{next(numbers):08x}"),
    "fingerprint-of-parameters": lambda collection, least=1: Mutant(least, fingerprint="0123456789abcdef"),
    "terms": with_terms(lambda self, text: [*self.right(text), ""] if "fog" in text else self.right(text)),
    "terms 2": with_terms(lambda self, text: [hash(term) for term in self.right(text)]),
    "terms 3": with_terms(lambda self, text: tuple(self.right(text))),  # type: ignore[arg-type, return-value]
    "terms 4": with_terms(lambda self, text: []),
    "no-terms": with_terms(lambda self, text: self.right(text) or ["<nothing>"]),
    "odd-texts": with_terms(raising),
    "long-text-is-read": with_terms(lambda self, text: self.right(text[:50_000])),
    "composed-text": with_terms(lambda self, text: re.findall(r"\w+", text)),
    "determinism": with_terms(twice_longer),
    "company": with_terms(carried_over),
    "counts": lambda collection: Counting(),
    "counts 2": lambda collection: OtherTypes(),
}


@pytest.mark.parametrize("check", MUTANTS)
def test_a_mutant_is_caught_by_its_check_and_no_other(check: str) -> None:
    outcomes = testing.check("analyzer", MUTANTS[check])
    assert {one.check: one.message for one in outcomes if not one.ok}.keys() == {check.partition(" ")[0]}, outcomes


def test_a_right_analyzer_passes() -> None:
    outcomes = testing.check("analyzer", right.pairs)
    assert [one for one in outcomes if one.status != "passed"] == [
        ("counts", "not applicable", "it has no method 'count'")
    ]


def test_the_name_of_an_installed_analyzer_makes_it_again(install: Install) -> None:
    install("acme", {"analyzer.pairs": "right_components:pairs", "analyzer.other": "right_components:pairs"})
    assert all(one.ok for one in testing.check("analyzer", "pairs(least=2)"))
    install("acme2", {"analyzer.careless": "acme2_module:careless"}, CARELESS)
    failed = [one for one in testing.check("analyzer", "careless(least=2)") if not one.ok]
    assert [one.check for one in failed] == ["name"]
    assert "write the parameters into it" in failed[0].message


CARELESS = """
import right_components

def careless(collection, least=1):
    made = right_components.Pairs(least)
    made.name = "careless"
    return made
"""
