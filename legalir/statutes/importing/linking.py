"""The links that publishers give: marked up in the text, or stated of an annex; resolved over all laws of an import.

A law is named by its identifier, its title or another of its names. A unit is named by its key; where no unit has this
key, the nearest unit that holds it is meant, which the key without its last part names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from legalir.statutes.importing.parsing import Stored
from legalir.statutes.jurisdictions import jurisdiction

_CUT = re.compile(r"[/\-_.#][^/\-_.#]*\Z")
_EXAMPLES = 5
_OPEN_LAWS = 64
_LARGE = ("law", "group")


class _Law(NamedTuple):
    """A law of an import: the file that contains it, and its position in that file."""

    path: Path
    position: int
    country: str


class _Units(NamedTuple):
    """Document of each unit of a law, by the publisher's key and by its numbers, and the kind of larger units."""

    by_key: dict[str, str]
    by_path: dict[tuple[str, ...], str]
    whole: dict[str, str]


class GivenLinks:
    """The publishers' links in parsed files; only the names of laws, and the units of a few, are in memory.

    Args:
        stored: where the parsed files lie.

    Attributes:
        states: number of links by kind and state: ``resolved``, ``nearest unit`` (resolved, to a unit that holds the
            cited one), ``itself``, ``whole law``, ``whole part``, ``no such unit``, ``not in collection``.
        examples: the first links of each state that are not resolved: docno, words, law and key.
    """

    def __init__(self, stored: Sequence[Path]) -> None:
        self._stored = stored
        self._laws: dict[str, _Law] = {}
        others: dict[str, _Law] = {}
        for path in stored:
            for position, facts in enumerate(Stored(path).part("facts")):
                law = _Law(path, position, facts["country"])
                self._laws.setdefault(facts["law_id"], law)
                for name in (facts["title"], *facts["names"]):
                    others.setdefault(name, law)
        self._laws = {**others, **self._laws}
        self._units = lru_cache(_OPEN_LAWS)(_units)
        self.states: dict[str, Counter[str]] = {"marked": Counter(), "annexes": Counter()}
        self.examples: dict[str, list[str]] = {}

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        """Yield docno, docno and kind of each link that is resolved, once."""
        self.states, self.examples = {"marked": Counter(), "annexes": Counter()}, {}
        for path in self._stored:
            yield from self.of(path)

    def of(self, path: Path) -> Iterator[tuple[str, str, str]]:
        """Yield the links of a file."""
        file = Stored(path)
        for position, (facts, given) in enumerate(zip(file.part("facts"), file.part("links"), strict=True)):
            own = _Law(path, position, facts["country"])
            links: dict[tuple[str, str, str], None] = {}
            for docno, words, law, key, kind in given["marked"]:
                target, state = self._resolved(own, law, key)
                state = "itself" if target == docno else state
                self._count("marked", state, f"{docno}: {words or key} ({' '.join(filter(None, (law, key)))})")
                if target and target != docno:
                    links[docno, target, kind] = None
            for docno, words in given["related"]:
                links |= dict.fromkeys(self._related(own, docno, words))
            yield from links

    def report(self) -> dict[str, object]:
        """Return the states and examples, as plain values."""
        return {**{kind: dict(states) for kind, states in self.states.items() if states}, "examples": self.examples}

    def _count(self, kind: str, state: str, example: str) -> None:
        self.states[kind][state] += 1
        if state not in ("resolved", "nearest unit"):
            examples = self.examples.setdefault(state, [])
            if len(examples) < _EXAMPLES and example not in examples:
                examples.append(example)

    def _resolved(self, own: _Law, name: str, key: str) -> tuple[str, str]:
        law = self._laws.get(name) if name else own
        if law is None:
            return "", "not in collection"
        if not key:
            return "", "whole law"
        units, _, whole = self._units(law.path, law.position)
        if key in units:
            return units[key], "resolved"
        if key in whole:
            return "", whole[key]
        while shorter := _CUT.sub("", key):
            if shorter == key:
                break
            key = shorter
            if key in units:
                return units[key], "nearest unit"
        return "", "no such unit"

    def _related(self, own: _Law, docno: str, words: str) -> Iterator[tuple[str, str, str]]:
        """Yield the links of an annex to the articles of its own law that it names as its basis."""
        units = self._units(own.path, own.position).by_path
        articles = [each for each in jurisdiction(own.country).levels if each.kind == "article"]
        for path in _paths(own.country, words) if articles else ():
            target = units.get(path, "")
            self._count("annexes", "resolved" if target else "no such unit", f"{docno}: {words}")
            if target:
                yield docno, target, "cites"


def _paths(country: str, words: str) -> list[tuple[str, ...]]:
    """Return the paths of the articles that a text names; ``Artikel 232 § 2`` is the second of article 232."""
    table = jurisdiction(country)
    paths: list[tuple[str, ...]] = []
    at = end = 0
    while at < len(words):
        heading = table.heading(words[at:])
        if heading and heading.level.kind == "article":
            below = paths and heading.label[0] == "§" and not words[end:at].strip()
            paths.append((*paths.pop(), heading.number) if below else (heading.number,))
            at = end = words.index(heading.label[0], at) + len(heading.label)
        else:
            at += 1
    return list(dict.fromkeys(paths))


def _units(path: Path, position: int) -> _Units:
    for place, addresses in enumerate(Stored(path).part("addresses")):
        if place == position:
            by_key: dict[str, str] = {}
            by_path: dict[tuple[str, ...], str] = {}
            whole = {
                key: "whole law" if kind == "law" else "whole part" for _, key, _, kind in addresses if kind in _LARGE
            }
            for numbers, key, docno, kind in addresses:
                if kind not in _LARGE:
                    by_path.setdefault(tuple(numbers), docno)
                    if key:
                        by_key.setdefault(key, docno)
            return _Units(by_key, by_path, whole)
    raise AssertionError(f"{path} has no law {position}")
