"""The measures of answers, in the terms of ``ir_measures``: ``ir_measures.parse_measure("CitationF1")``.

Their run is a frame of answers with one row per query: ``query_id`` (``qid`` in PyTerrier) and the columns that a
generator or a judge adds. ``pt.Experiment`` takes them over pipelines that end in a generator. A table of rankings and
answers side by side is that of ``legalir.experiments``.

- A judged query without a row counts as abstained. A query without judgements does not count.
- A failed reply is never good and never an abstention. It cites nothing, overlaps with nothing, is no correct choice,
  and has no verdict; Failed counts it.
- A value that is undefined is NaN, and averages leave it out: Verified of an answer without quotations, a verdict that
  a judge failed to give. Each value is a :class:`~legalir.measure.measures.Share`, so that the means of
  ``ir_measures`` and of ``pt.Experiment`` both do so. The tests of significance of ``pt.Experiment`` do not: with an
  undefined value their p is NaN.
- Measures whose names begin with Micro, and Ungrounded, RecallGap, Verified, Repaired, Uncited, Contradicted,
  RecallPerToken, YesF1 and RefusalP pool their counts, as MicroR does: the mean of a column of their per-query values
  is another number.
- An answer is *right* if its judge says so: ``judged_correct`` is 1, or, without that column, ``coverage`` is 1, or
  ``correctness`` is at least 4; or if its choice is right. An abstention is not right.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ir_measures.measures import Measure, ParamInfo
from ir_measures.measures.base import Agg

from legalir.measure.measures import PooledAgg


@dataclass(frozen=True)
class Kind:
    """Properties that the measures of one name share.

    Args:
        name: name of the measure.
        description: what the value of one query is.
        columns: columns of the answers that it needs.
        parameters: what can be set.
        pooled: whether averages add up counts before they divide.
        empty: value of 0 of 0: 0, or NaN where that is undefined.
    """

    name: str
    description: str
    columns: tuple[str, ...]
    parameters: Mapping[str, ParamInfo] = field(default_factory=dict)
    pooled: bool = False
    empty: float = math.nan


class DefinedAgg(Agg):
    """Aggregator of ``ir_measures`` that gives the mean of the values that are not NaN; NaN without any."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def add(self, value: float) -> None:
        """Add the value of one query."""
        if not math.isnan(value):
            self.values.append(float(value))

    def result(self) -> float:
        """Return the mean."""
        return math.fsum(self.values) / len(self.values) if self.values else math.nan


class AnswerMeasure(Measure):
    """A measure of answers.

    Args:
        kind: which one.
        params: values of its parameters.
    """

    def __init__(self, kind: Kind, **params: Any) -> None:
        super().__init__(**params)  # type: ignore[no-untyped-call]
        self.kind = kind
        self.NAME = self.__name__ = kind.name
        self.SUPPORTED_PARAMS = dict(kind.parameters)
        self.DEFAULT = kind.empty
        self.__doc__ = self.SHORT_DESC = kind.description

    def __call__(self, **params: Any) -> AnswerMeasure:
        """Return the same measure with other values of parameters."""
        return AnswerMeasure(self.kind, **{**self.params, **params})

    def aggregator(self) -> Agg:
        """Return the aggregator that pools counts, or leaves out what is undefined."""
        return PooledAgg(self.kind.name, self.kind.empty) if self.kind.pooled else DefinedAgg()


def _parameter(**settings: Any) -> ParamInfo:
    return ParamInfo(**settings)  # type: ignore[no-untyped-call]


_REL = {"rel": _parameter(dtype=int, default=1, desc="minimum relevance score of a gold provision (inclusive)")}
_ANALYZER = {"analyzer": _parameter(dtype=str, default="whitespace", desc="name of the analyzer that makes terms")}
_BERTSCORE = {
    "encoder": _parameter(dtype=str, required=True, desc="name or folder of the model"),
    "layer": _parameter(dtype=int, choices=range(1, 1000), default=None, desc="number of a layer of the model, from 1"),
}
_THRESHOLD = {"threshold": _parameter(dtype=(int, float), default=4, desc="lowest score of a correct answer")}

_CITATIONS, _CHOICES = ("citations",), ("choice", "key", "abstained", "context_docnos")
_TEXTS = ("qanswer", "answer")
_GIVEN = ("citations", "context_docnos")

_KINDS = (
    Kind("CitationP", "Share of the cited provisions that are gold.", _CITATIONS, _REL, empty=0.0),
    Kind("CitationR", "Share of the gold provisions that are cited.", _CITATIONS, _REL, empty=0.0),
    Kind("CitationF1", "Harmonic mean of CitationP and CitationR.", _CITATIONS, _REL, empty=0.0),
    Kind("MicroCitationP", "CitationP of all queries together.", _CITATIONS, _REL, pooled=True, empty=0.0),
    Kind("MicroCitationR", "CitationR of all queries together.", _CITATIONS, _REL, pooled=True, empty=0.0),
    Kind("MicroCitationF1", "CitationF1 of all queries together.", _CITATIONS, _REL, pooled=True, empty=0.0),
    Kind("Ungrounded", "Share of the citations that were not given.", _GIVEN, pooled=True),
    Kind(
        "RecallGap",
        "Gold provisions that were given without those that are cited, over all gold provisions.",
        ("citations", "context_docnos"),
        _REL,
        pooled=True,
    ),
    Kind("Verified", "Share of the quotations whose wording is in the provision.", ("quotes",), pooled=True),
    Kind(
        "Repaired", "Share of the quotations that were replaced by the provision's own words.", ("quotes",), pooled=True
    ),
    Kind("Uncited", "Share of the statements that cite no provision.", ("qanswer", "citations"), pooled=True),
    Kind(
        "Contradicted",
        "Share of the statements with quotations that these contradict.",
        ("qanswer", "citations", "quotes"),
        pooled=True,
    ),
    Kind("Partial", "1 if the answer says what it does not decide, else 0.", ("abstained", "reason")),
    Kind("Abstained", "1 if the answer is an abstention, else 0.", ("abstained",)),
    Kind("Failed", "1 if the model's reply failed, else 0.", ("reply_state",)),
    Kind("Correct", "1 if the choice is right in its context, else 0.", _CHOICES, _REL),
    Kind("Wrong", "1 if the choice is neither right nor an abstention nor unreadable, else 0.", _CHOICES, _REL),
    Kind("Invalid", "1 if the reply names no option, else 0.", ("choice", "abstained")),
    Kind("ROUGE1", "F1 of the terms that answer and reference share.", _TEXTS, _ANALYZER),
    Kind("ROUGE2", "F1 of the pairs of neighbouring terms that answer and reference share.", _TEXTS, _ANALYZER),
    Kind("ROUGEL", "F1 of the longest common subsequence of answer and reference.", _TEXTS, _ANALYZER),
    Kind("BERTScore", "F1 of the tokens of answer and reference, matched by their vectors.", _TEXTS, _BERTSCORE),
    Kind("RightWithAll", "1 if the answer is right and cites every gold provision, else 0.", _GIVEN, _REL),
    Kind("Hallucinated", "1 if the answer is right and cites no provision that it was given, else 0.", _GIVEN, _REL),
    Kind("RetrievalError", "1 if the answer is not right, and a gold provision was not given.", _GIVEN, _REL),
    Kind("ReadingError", "1 if the answer is not right, and a gold provision was given, but not cited.", _GIVEN, _REL),
    Kind("AnswerError", "1 if the answer is not right, though all gold provisions are cited.", _GIVEN, _REL),
    Kind(
        "RecallPerToken",
        "Share of the gold provisions that were given, per 1 000 tokens of the request.",
        ("context_docnos", "prompt_tokens"),
        _REL,
        pooled=True,
    ),
    Kind("YesF1", "F1 of the answer yes, of all yes/no items together.", ("choice", "key"), pooled=True),
    Kind(
        "RefusalP", "Share of the abstentions on questions without gold provisions.", ("abstained",), _REL, pooled=True
    ),
    Kind("RefusalR", "Share of the questions without gold provisions that get an abstention.", ("abstained",), _REL),
    Kind("WronglyRefused", "Share of the questions with gold provisions that get an abstention.", ("abstained",), _REL),
    Kind("Coverage", "How much of the reference the answer covers: 0, .5 or 1.", ("coverage",)),
    Kind("Contradiction", "1 if the answer contradicts the reference or itself, else 0.", ("contradiction",)),
    Kind("JudgedCorrect", "1 if the judge calls the answer correct, else 0.", ("judged_correct",)),
    Kind("Correctness", "The judge's score from 1 to 5.", ("correctness",)),
    Kind("AbsoluteCorrectness", "1 if the judge's score reaches the threshold, else 0.", ("correctness",), _THRESHOLD),
    Kind("Faithfulness", "Share of the answer's claims that the context supports.", ("faithfulness",)),
    Kind("AnswerRelevancy", "Mean cosine of the question and questions made from the answer.", ("answer_relevancy",)),
    Kind("ContextPrecision", "Precision of the context at its useful provisions.", ("context_precision",)),
    Kind("ContextRecall", "Share of the reference's claims that the context holds.", ("context_recall",)),
    Kind("AnswerCorrectness", "Weighted mean of the F1 of claims and of similarity.", ("answer_correctness",)),
    Kind("SupportR", "Share of the statements that their citations carry fully.", ("support_recall",)),
    Kind("SupportP", "Share of the citations that the support of their statement needs.", ("support_precision",)),
    Kind("WeightedSupportR", "Mean support of the statements, in part .5.", ("weighted_support_recall",)),
    Kind("WeightedSupportP", "Mean support by each citation alone, in part .5.", ("weighted_support_precision",)),
    Kind("NuggetRecall", "Share of the nuggets that the answer has, in part .5.", ("nugget_recall",)),
    Kind("VitalRecall", "Share of the vital nuggets that the answer has, in part .5.", ("vital_recall",)),
    Kind("ContextF1", "Harmonic mean of ContextPrecision and ContextRecall.", ("context_precision", "context_recall")),
    Kind("AnswerSimilarity", "Cosine of the answer and the reference.", ("answer_similarity",)),
    Kind("Win", "1 if the answer is preferred to the reference, .5 for a tie, else 0.", ("win",)),
)

MEASURES: Mapping[str, AnswerMeasure] = {kind.name: AnswerMeasure(kind) for kind in _KINDS}
"""The measures of answers by name."""

REFUSING = ("RefusalP", "RefusalR", "WronglyRefused")
"""Measures that also count questions without gold provisions."""

ALIASES: Mapping[str, AnswerMeasure] = {"Correct4": MEASURES["AbsoluteCorrectness"]}
"""Other names: the share of the answers with a score of at least 4 [hypa-rag]."""


class CitationScores(NamedTuple):
    """Precision, recall and F1, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class CitationCounts:
    """Counts of one answer, or of several together: ``+`` adds them up.

    [nitibench] pools its values: the counts of all questions are added up before they are divided (micro). The mean of
    the values of the questions (macro) is the other average. The released code exchanges precision and recall; this
    code does not. The order of citations does not matter, and a docno counts once.

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
