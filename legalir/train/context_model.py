"""The characters around a number as evidence of what the number is: learnt by counting, for any language.

A context is the characters before a number and the one after it, with one sign in place of each number. How often an
outcome was seen in a context is mixed with its probability in the next shorter context, as if that had been seen
`WEIGHT` times (interpolation with a Dirichlet prior [dirichlet]): a long context decides if it was seen often, else the
shorter one does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from legalir.references.numbers import Token

NUMBER = "\0"
"""Stands for each number in a skeleton."""

LENGTHS = (0, 1, 2, 3, 4, 6, 8, 12)
"""Numbers of characters before a number that make its contexts, shortest first."""

WEIGHT = 4.0

NEVER = 0.05
"""A context that is seen often and less probable than this refutes the shorter ones: ``พ.ศ. 2535`` is a year."""


def skeleton(text: str, tokens: Sequence[Token]) -> tuple[str, list[int]]:
    """Return `text` with one sign for each number, and the place of each number in it."""
    pieces, places, end, length = [], [], 0, 0
    for token in tokens:
        piece = text[end : token.start]
        pieces.append(piece)
        length += len(piece)
        places.append(length)
        length += 1
        end = token.end
    pieces.append(text[end:])
    bones = NUMBER.join(pieces)
    lower = bones.lower()
    return (lower if len(lower) == len(bones) else bones), places


class ContextModel:
    """Probability of each outcome in a context.

    Args:
        observations: skeleton, place of a number in it, and the outcome: what the number turned out to be.
    """

    def __init__(self, observations: Iterable[tuple[str, int, str]]) -> None:
        counts: dict[str, Counter[str]] = {}
        overall = Counter[str]()
        for text, place, outcome in observations:
            overall[outcome] += 1
            for length in LENGTHS:
                if length <= place:
                    counts.setdefault(text[place - length : place + 2], Counter())[outcome] += 1
        self._counts = counts
        # Ten times is often enough to trust a context, less in a collection with few references.
        self._enough = min(10, max(2, overall.total() // 100))
        self._prior = {outcome: count / overall.total() for outcome, count in overall.items()}
        self._cache: dict[tuple[str, str], tuple[float, float]] = {}

    def probability(self, text: str, place: int, outcome: str) -> float:
        """Return the probability that the number at `place` of a skeleton is `outcome`."""
        return self._both(text, place, outcome)[0]

    def form(self, text: str, place: int, outcome: str) -> float:
        """Return the highest probability of `outcome` among the contexts that were seen often.

        The longest context is more informative than the form of a reference: laws that are not in the collection are
        cited in the same form, yet seldom linked. The form shows in some shorter context.
        """
        return self._both(text, place, outcome)[1]

    def _both(self, text: str, place: int, outcome: str) -> tuple[float, float]:
        longest, contexts = "", []
        for length in LENGTHS:
            key = text[place - length : place + 2]
            if length > place or key not in self._counts:
                break
            contexts.append(key)
            longest = key
        if (cached := self._cache.get((longest, outcome))) is not None:
            return cached
        value, highest, before = self._prior.get(outcome, 0.0), 0.0, 0
        for key in contexts:
            here = self._counts[key]
            total = here.total()
            if total != before:  # else the longer context saw the same cases as the shorter: no new evidence
                value = (here[outcome] + WEIGHT * value) / (total + WEIGHT)
            before = total
            if total >= self._enough:
                highest = value if here[outcome] < NEVER * total else max(highest, value)
        self._cache[longest, outcome] = value, highest
        return value, highest


class Edges:
    """Characters of a mention on one side of its number: ``제`` before it and ``조`` after it.

    Learnt character by character: the next character belongs to the mention if at least a share of the mentions that
    reach this far have it.

    Args:
        sides: the text on each side of a mention's number, from the number outwards.
        longest: no mention reaches further.
        share: share of the mentions that must agree.
        branches: whether a fifth that is a twentieth of all is enough, too, as for ``section`` and ``sections``.
    """

    def __init__(self, sides: Iterable[str], longest: int, share: float, branches: bool) -> None:
        counts = Counter[str]()
        for side in sides:
            for length in range(min(longest, len(side)) + 1):
                counts[side[:length]] += 1
        self._counts = {side: count for side, count in counts.items() if count > 1}
        self._longest, self._share, self._branches = longest, share, branches
        self._all = counts[""]

    def reach(self, side: str) -> int:
        """Return how many characters of `side` belong to the mention."""
        here = self._all
        longest = min(self._longest, len(side))
        for length in range(1, longest + 1):
            more = self._counts.get(side[:length], 0)
            branch = self._branches and more * 5 >= here and more * 20 >= self._all
            if not more or side[length - 1] == NUMBER or not (branch or more >= here * self._share):
                return length - 1
            here = more
        return longest
