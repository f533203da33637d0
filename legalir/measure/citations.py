"""Arithmetic of citations: precision, recall and F1, citations outside the context, and the recall gap.

``cited`` are the provisions that an answer cites, ``gold`` the provisions that it should cite, and ``context`` the
provisions that the generator received. All three are docnos; the order does not matter, and a docno counts once.

[nitibench] pools its values: the counts of all questions are added up before they are divided (micro). The mean of the
values of the questions (macro) is the other average. The released code exchanges precision and recall; this code does
not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = [
    "CitationCounts",
    "CitationScores",
    "citation_counts",
    "macro_scores",
    "micro_scores",
    "recall_gap",
    "share",
    "ungrounded",
]


class CitationScores(NamedTuple):
    """Precision, recall and F1, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class CitationCounts:
    """Counts of one answer, or of several together: ``+`` adds them up.

    Attributes:
        correct: |cited ∩ gold|.
        cited: |cited|.
        gold: |gold|.
    """

    correct: int
    cited: int
    gold: int

    def __add__(self, other: CitationCounts) -> CitationCounts:
        return CitationCounts(self.correct + other.correct, self.cited + other.cited, self.gold + other.gold)

    @property
    def scores(self) -> CitationScores:
        """P = correct/cited, R = correct/gold, F1 = 2·correct/(cited + gold); each is 0 if its denominator is 0.

        F1 is the harmonic mean of P and R.
        """
        return CitationScores(
            share(self.correct, self.cited, empty=0.0),
            share(self.correct, self.gold, empty=0.0),
            share(2 * self.correct, self.cited + self.gold, empty=0.0),
        )


def citation_counts(cited: Iterable[str], gold: Iterable[str]) -> CitationCounts:
    """Return the counts of one answer."""
    cites, should = set(cited), set(gold)
    return CitationCounts(len(cites & should), len(cites), len(should))


def micro_scores(counts: Iterable[CitationCounts]) -> CitationScores:
    """Return the scores of the pooled counts, as [nitibench] publishes them.

    An answer without citations adds nothing to the cited provisions; its gold provisions count.
    """
    return sum(counts, CitationCounts(0, 0, 0)).scores


def macro_scores(counts: Sequence[CitationCounts]) -> CitationScores:
    """Return the means of the scores of the questions; NaN without questions.

    An answer without citations has precision 0, and a question without gold provisions has recall 0. Both count.
    """
    if not counts:
        return CitationScores(math.nan, math.nan, math.nan)
    columns = zip(*(count.scores for count in counts), strict=True)
    return CitationScores(*(math.fsum(column) / len(counts) for column in columns))


def ungrounded(cited: Iterable[str], context: Iterable[str]) -> tuple[int, int]:
    """Return |cited ∖ context| and |cited|: the number of citations outside the context, and of all citations.

    The rate over several answers is the sum of the first by the sum of the second; without citations it is undefined.
    """
    cites = set(cited)
    return len(cites - set(context)), len(cites)


def recall_gap(gold: Iterable[str], context: Iterable[str], cited: Iterable[str]) -> tuple[int, int]:
    """Return |gold ∩ context| - |gold ∩ cited| and |gold|.

    The gap over several answers is the sum of the first by the sum of the second: recall of the retriever without
    recall of the citations [nitibench]. It is negative if answers cite gold provisions outside the context.
    """
    should = set(gold)
    return len(should & set(context)) - len(should & set(cited)), len(should)


def share(part: float, whole: float, *, empty: float = math.nan) -> float:
    """Return part/whole; `empty` where both are 0."""
    return part / whole if whole else empty
