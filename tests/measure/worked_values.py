"""The worked values of FACTS §7 and how they come about; x, y, z and t to w are not relevant.

Each case: ranking, T, k, and by measure the value of that one query.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Case(NamedTuple):
    ranking: str
    relevant: str
    k: int
    values: dict[str, Fraction]


def case(ranking: str, relevant: str, k: int, hit: int, recall: Fraction, mrr: Fraction, multi: Fraction) -> Case:
    values = {"MultiHitRate": Fraction(hit), "MicroR": recall, "R": recall, "RR": mrr, "MultiMRR": multi}
    return Case(ranking, relevant, k, values)


CASES = [
    # Ranks 2 and 4: (1/2 + 1/(4-1)) / 2 = 5/12.
    case("xaybz", "ab", 5, 1, Fraction(1), Fraction(1, 2), Fraction(5, 12)),
    # Ranks 1 and 4, c missing: (1 + 1/(4-1)) / 3 = 4/9.
    case("axybz", "abc", 5, 0, Fraction(2, 3), Fraction(1), Fraction(4, 9)),
    # Cut at 3, only rank 1 is left: 1 / 3.
    case("axybz", "abc", 3, 0, Fraction(1, 3), Fraction(1), Fraction(1, 3)),
    # Ranks 3 to 6, each relieved to 3: (4 · 1/3) / 4 = 1/3.
    case("xyabcdz", "abcd", 10, 1, Fraction(1), Fraction(1, 3), Fraction(1, 3)),
    # Ranks 2, 4, 7, d missing: (1/2 + 1/3 + 1/5) / 4 = (31/30) / 4 = 31/120.
    case("xaybzwcvut", "abcd", 10, 0, Fraction(3, 4), Fraction(1, 2), Fraction(31, 120)),
    # Nothing found.
    case("xyz", "a", 3, 0, Fraction(0), Fraction(0), Fraction(0)),
]

MEANS_OF = (0, 1, 5)
"""The cases whose averages FACTS gives."""

MEANS = {
    "MultiHitRate": Fraction(1, 3),  # (1 + 0 + 0) / 3
    "MicroR": Fraction(2, 3),  # (2 + 2 + 0) / (2 + 3 + 1)
    "R": Fraction(5, 9),  # (1 + 2/3 + 0) / 3
    "MultiMRR": Fraction(31, 108),  # (5/12 + 4/9 + 0) / 3
}


def run_of(ranking: str) -> dict[str, float]:
    """Scores that put `ranking` in its order."""
    return {docno: float(len(ranking) - place) for place, docno in enumerate(ranking)}
