"""The values of the measures of answers: a frame of answers and the judgements in, a share for each query out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd
from ir_measures import Metric, providers
from ir_measures.measures import Measure
from ir_measures.util import TYPE_RUN

from legalir.answer.choices import YES_NO_WORDS
from legalir.answer.generator import without_citations
from legalir.answer.pick import right_choice
from legalir.answer.statements import quoting_statements, statements_of
from legalir.errors import MeasureError
from legalir.measure.answers import REFUSING, AnswerMeasure, CitationCounts, citation_counts, recall_gap, ungrounded
from legalir.measure.measures import Share
from legalir.measure.overlap import BertScore, Rouge
from legalir.measure.right_choices import ChoiceOutcome, outcome, whole_number

__all__ = ["AnswerEvaluator"]


@dataclass(frozen=True)
class Case:
    """One judged query and its answer.

    Args:
        row: the cells of the answer, by column; None if the run has no row, which counts as an abstention.
        labels: label of each judged provision.
    """

    row: Mapping[str, Any] | None
    labels: Mapping[str, int]

    def cell(self, column: str, default: Any = None) -> Any:
        """Return a cell; `default` if the row or the column is not there, or the cell is empty."""
        value = default if self.row is None else self.row.get(column, default)
        return default if isinstance(value, float) and math.isnan(value) else value

    def items(self, column: str) -> list[Any]:
        """Return the items of a cell that contains a tuple, a list or an array."""
        value = self.cell(column)
        return [] if value is None else list(value)

    def gold(self, measure: AnswerMeasure) -> set[str]:
        """Return the gold provisions: those with at least the label `rel`."""
        return {docno for docno, label in self.labels.items() if label >= measure["rel"]}

    @property
    def failed(self) -> bool:
        """Whether the model's reply failed."""
        return str(self.cell("reply_state", "ok")) != "ok"

    @property
    def abstained(self) -> bool:
        """Whether the answer is an abstention."""
        return not self.failed and bool(self.cell("abstained", self.row is None))

    @property
    def chose(self) -> bool:
        """Whether the answer is an option and nothing else; it cites nothing and rests on what it was given."""
        options = [str(option).strip() for option in self.items("options")]
        return bool(whole_number(self.cell("choice"))) and (
            not options or str(self.cell("qanswer", "")).strip() in ("", *options)
        )

    @property
    def cited(self) -> list[str]:
        """The provisions that the answer cites."""
        return [] if self.failed else self.items("citations")

    @property
    def words(self) -> str:
        """The text of the answer without the markers of its citations; empty if the reply failed."""
        return "" if self.failed else without_citations(str(self.cell("qanswer", "")), self.cited)


class AnswerEvaluator(providers.Evaluator):
    """Scores runs of answers against one set of judgements.

    Args:
        measures: what to compute.
        qrels: relevance by query and provision.

    Raises:
        ValueError: a measure is not a measure of answers.
    """

    def __init__(self, measures: Iterable[Measure], qrels: Mapping[str, Mapping[str, int]]) -> None:
        measures = list(measures)
        super().__init__(measures, set(qrels))
        self._measures = [measure for measure in measures if isinstance(measure, AnswerMeasure)]
        if len(self._measures) < len(measures):
            raise ValueError(f"unsupported measures {[m for m in measures if m not in self._measures]}")
        self._qrels = qrels

    def _iter_calc(self, run: TYPE_RUN) -> Iterator[Metric]:
        rows = _rows(run, self._measures)
        cases = [Case(rows.get(qid), labels) for qid, labels in self._qrels.items()]
        for measure in self._measures:
            values = _FORMULAS[measure.NAME](cases, measure)
            for qid, value in zip(self._qrels, values, strict=True):
                yield Metric(query_id=qid, measure=measure, value=value)


_GENERATOR = "end the pipeline in a generator, such as '>> answer'"
CURES = {
    "choice": "answer multiple-choice items, with a pipeline that ends in 'mcq' or 'yesno'",
    "key": "answer multiple-choice items, whose column 'key' holds the right option",
    "answer": "ask questions that have a reference answer in the column 'answer'",
    **dict.fromkeys(("coverage", "contradiction"), "end the pipeline in '>> judge_coverage'"),
    "judged_correct": "end the pipeline in '>> judge_correct'",
    "correctness": "end the pipeline in '>> judge_correctness'",
    **dict.fromkeys(
        ("support_recall", "support_precision", "weighted_support_recall", "weighted_support_precision"),
        "end the pipeline in '>> judge_support'",
    ),
    **dict.fromkeys(("nugget_recall", "vital_recall"), "end the pipeline in '>> judge_nuggets'"),
    "win": "end the pipeline in '>> judge_win'",
    **dict.fromkeys(
        (
            "faithfulness",
            "answer_relevancy",
            "context_precision",
            "context_recall",
            "answer_correctness",
            "answer_similarity",
        ),
        "end the pipeline in '>> judge_ragas'",
    ),
}
"""How a run gets a column that a measure needs, by column."""


def _rows(run: Any, measures: Sequence[AnswerMeasure]) -> dict[str, dict[str, Any]]:
    """Return the answers by query.

    Raises:
        MeasureError: the run is not a frame of answers, lacks a column, or has two answers to a query.
    """
    if not isinstance(run, pd.DataFrame):
        if isinstance(run, Mapping) and not run:
            return {}
        raise MeasureError(
            f"{measures[0]} measures answers, and the run is ranked lists ({type(run).__name__}): "
            f"give a data frame of answers; {_GENERATOR}."
        )
    if run.empty:
        return {}
    for measure in measures:
        for column in ("query_id", *measure.kind.columns):
            if column not in run.columns:
                cure = CURES.get(column, _GENERATOR)
                if column == "query_id" and "qid" in run.columns:
                    cure = "rename 'qid' with pt.model.to_ir_measures"
                raise MeasureError(
                    f"{measure} measures answers and needs the column {column!r}, which the run does not have (its "
                    f"columns: {', '.join(map(str, run.columns))}): {cure}."
                )
    if (twice := run["query_id"].duplicated()).any():
        raise MeasureError(
            f"Query {run['query_id'][twice].iloc[0]!r} has two rows in the run: give one answer to each query."
        )
    return {str(row["query_id"]): {str(k): v for k, v in row.items()} for row in run.to_dict("records")}


_Formula = Callable[[Sequence[Case], AnswerMeasure], list[Share]]


def _each(value: Callable[[Case, AnswerMeasure], Share]) -> _Formula:
    """Return the formula that computes each case alone."""
    return lambda cases, measure: [value(case, measure) for case in cases]


def _defined(value: float | None) -> Share:
    """Return a value that counts 1, or, for None and NaN, an undefined one."""
    if value is None or math.isnan(value):
        return Share(0, 0, empty=math.nan)
    return Share(float(value), 1, empty=math.nan)


def _counts(case: Case, measure: AnswerMeasure) -> CitationCounts:
    return citation_counts(case.cited, case.gold(measure))


def _citation_share(case: Case, measure: AnswerMeasure) -> Share:
    """Return the counts behind MicroCitationP, MicroCitationR or MicroCitationF1."""
    counts = _counts(case, measure)
    if measure.NAME == "MicroCitationP":
        return Share(counts.correct, counts.cited)
    if measure.NAME == "MicroCitationR":
        return Share(counts.correct, counts.gold)
    return Share(2 * counts.correct, counts.cited + counts.gold)


def _quotations(case: Case, measure: AnswerMeasure) -> Share:
    """Return the share of quotations in the state that the measure is named after."""
    states = [] if case.failed else [state for _, _, state in case.items("quotes")]
    return Share(states.count(str(measure.NAME).lower()), len(states), empty=math.nan)


def _said(case: Case) -> str:
    """Return the text of an answer; empty for a failed reply, an abstention or a choice."""
    silent = case.failed or case.abstained or case.chose
    return "" if silent else str(case.cell("qanswer", ""))


def _contradicted(case: Case, measure: AnswerMeasure) -> Share:
    question = str(case.cell("query_0", case.cell("query", "")))
    statements = quoting_statements(_said(case), case.cited, case.items("quotes"), question)
    return Share(sum(bool(reason) for _, reason in statements), len(statements), empty=math.nan)


def _uncited(case: Case, measure: AnswerMeasure) -> Share:
    statements = statements_of(_said(case), case.cited)
    return Share(sum(not one.citations for one in statements), len(statements), empty=math.nan)


def _partial(case: Case, measure: AnswerMeasure) -> Share:
    answered = case.row is not None and not (case.failed or case.abstained)
    return _defined(float(answered and bool(str(case.cell("reason", "")).strip())))


def _outcome(case: Case, measure: AnswerMeasure) -> ChoiceOutcome | None:
    """Return what became of an item; None if it has no key."""
    if case.row is None:
        return ChoiceOutcome.ABSTAINED
    key, abstain = whole_number(case.cell("key")), whole_number(case.cell("abstain"))
    if key is None:
        return None
    documents = case.items("documents") or case.gold(measure)
    right = right_choice(key, abstain, documents, case.items("context_docnos"))
    choice = 0 if case.failed else whole_number(case.cell("choice")) or 0
    if choice == 0 and case.abstained:  # The search found nothing, and no model was asked.
        return ChoiceOutcome.CORRECT if right == abstain else ChoiceOutcome.ABSTAINED
    return outcome(choice, right, abstain)


def _is_outcome(kind: ChoiceOutcome) -> _Formula:
    def value(case: Case, measure: AnswerMeasure) -> Share:
        result = _outcome(case, measure)
        return _defined(None if result is None else float(result is kind))

    return _each(value)


def _invalid(case: Case, measure: AnswerMeasure) -> Share:
    unreadable = case.failed or not (whole_number(case.cell("choice")) or case.abstained)
    return _defined(float(case.row is not None and unreadable))


_RIGHT = {"judged_correct": 1.0, "coverage": 1.0, "correctness": 4.0}
"""Columns of judges that say whether an answer is right, and the lowest value that does; the first one counts."""


def _right(case: Case, measure: AnswerMeasure) -> bool | None:
    """Return True if the answer is right; None without a verdict."""
    if whole_number(case.cell("key")) is not None:
        result = _outcome(case, measure)
        return None if result is None else result is ChoiceOutcome.CORRECT
    if case.abstained:
        return False
    column = next((name for name in _RIGHT if case.row is not None and name in case.row), None)
    verdict = None if column is None or case.failed else case.cell(column)
    return None if column is None or verdict is None else float(verdict) >= _RIGHT[column]


def _in_part(case: Case, measure: AnswerMeasure) -> Share:
    """Return the value of RightWithAll, Hallucinated, or of one kind of error; the errors and a right answer exclude
    each other."""
    right, gold, given = _right(case, measure), case.gold(measure), set(case.items("context_docnos"))
    if right is None or not gold:
        return _defined(None)
    cites = given if case.chose else set(case.cited)
    error = "RetrievalError" if gold - given - cites else "ReadingError" if gold - cites else "AnswerError"
    if measure.NAME == "RightWithAll":
        return _defined(float(right and gold <= cites))
    if measure.NAME == "Hallucinated":
        return _defined(float(right and not cites & given))
    return _defined(float(not right and error == measure.NAME))


def _per_token(case: Case, measure: AnswerMeasure) -> Share:
    gold, tokens = case.gold(measure), float(case.cell("prompt_tokens", 0))
    if not gold or not tokens:
        return Share(0, 0, empty=math.nan)
    return Share(len(gold & set(case.items("context_docnos"))) / len(gold), tokens / 1000, empty=math.nan)


def _yes(case: Case, measure: AnswerMeasure) -> Share:
    """Return 2·TP and the number of replies and keys that are *yes*: the first option, unless it is a word for no."""
    key, options = whole_number(case.cell("key")), case.items("options")
    if key not in (1, 2) or len(options) not in (0, 2):
        return Share(0, 0, empty=math.nan)
    noes = {word.casefold() for _, words in YES_NO_WORDS.values() for word in words}
    yes = 2 if options and str(options[0]).strip().casefold() in noes else 1
    choice = 0 if case.failed else whole_number(case.cell("choice")) or 0
    return Share(2 * (choice == key == yes), (choice == yes) + (key == yes), empty=math.nan)


def _refusal(case: Case, measure: AnswerMeasure) -> Share:
    due = bool(case.gold(measure)) == (measure.NAME == "WronglyRefused")
    if measure.NAME != "RefusalP":
        return Share(due and case.abstained, due, empty=math.nan)
    return Share(due and case.abstained, case.abstained, empty=math.nan)


def _context_f1(case: Case, measure: AnswerMeasure) -> Share:
    parts = [None if case.failed else case.cell(column) for column in measure.kind.columns]
    precision, recall = (None if part is None else float(part) for part in parts)
    if precision is None or recall is None:
        return _defined(None)
    return _defined(2 * precision * recall / (precision + recall) if precision + recall else 0.0)


def _texts(cases: Sequence[Case]) -> list[tuple[str, str] | None]:
    """Return the answer, without citation markers, and the reference of each case; None without a row."""
    return [None if case.row is None else (case.words, str(case.cell("answer", "") or "")) for case in cases]


def _rouge(kind: int | str) -> _Formula:
    def values(cases: Sequence[Case], measure: AnswerMeasure) -> list[Share]:
        score = _rouge_of(measure["analyzer"]).score
        return [_defined(0.0 if pair is None else score(*pair, kind).f1) for pair in _texts(cases)]

    return values


def _bertscore(cases: Sequence[Case], measure: AnswerMeasure) -> list[Share]:
    pairs = _texts(cases)
    given = [pair for pair in pairs if pair is not None]
    scores = iter(
        _bertscore_of(measure["encoder"], measure["layer"]).score(*map(list, zip(*given, strict=True))) if given else []
    )
    return [_defined(0.0 if pair is None else next(scores).f1) for pair in pairs]


@lru_cache(maxsize=8)
def _rouge_of(analyzer: str) -> Rouge:
    return Rouge(analyzer)


@lru_cache(maxsize=1)
def _bertscore_of(encoder: str, layer: int | None) -> BertScore:
    return BertScore(encoder, layer)


def _verdict(case: Case, measure: AnswerMeasure) -> Share:
    """Return a judge's verdict on the answer; a failed reply has no verdict."""
    return _defined(None if case.failed else case.cell(measure.kind.columns[0]))


def _reaches_threshold(case: Case, measure: AnswerMeasure) -> Share:
    score = None if case.failed else case.cell("correctness")
    return _defined(None if score is None else float(score >= measure["threshold"]))


_FORMULAS: Mapping[str | None, _Formula] = {
    "CitationP": _each(lambda case, measure: _defined(_counts(case, measure).scores.precision)),
    "CitationR": _each(lambda case, measure: _defined(_counts(case, measure).scores.recall)),
    "CitationF1": _each(lambda case, measure: _defined(_counts(case, measure).scores.f1)),
    **dict.fromkeys(("MicroCitationP", "MicroCitationR", "MicroCitationF1"), _each(_citation_share)),
    "Ungrounded": _each(
        lambda case, measure: Share(*ungrounded(case.cited, case.items("context_docnos")), empty=math.nan)
    ),
    "RecallGap": _each(
        lambda case, measure: Share(
            *recall_gap(case.gold(measure), case.items("context_docnos"), case.cited), empty=math.nan
        )
    ),
    **dict.fromkeys(("Verified", "Repaired"), _each(_quotations)),
    "Uncited": _each(_uncited),
    "Contradicted": _each(_contradicted),
    "Partial": _each(_partial),
    "Abstained": _each(lambda case, measure: _defined(float(case.abstained))),
    "Failed": _each(lambda case, measure: _defined(float(case.failed))),
    "Correct": _is_outcome(ChoiceOutcome.CORRECT),
    "Wrong": _is_outcome(ChoiceOutcome.WRONG),
    "Invalid": _each(_invalid),
    **dict.fromkeys(("RightWithAll", "Hallucinated", "RetrievalError", "ReadingError", "AnswerError"), _each(_in_part)),
    "RecallPerToken": _each(_per_token),
    "YesF1": _each(_yes),
    **dict.fromkeys(REFUSING, _each(_refusal)),
    "ContextF1": _each(_context_f1),
    "ROUGE1": _rouge(1),
    "ROUGE2": _rouge(2),
    "ROUGEL": _rouge("L"),
    "BERTScore": _bertscore,
    "AbsoluteCorrectness": _each(_reaches_threshold),
    **dict.fromkeys(
        (
            *("Coverage", "Contradiction", "JudgedCorrect", "Correctness", "Win"),
            *("Faithfulness", "AnswerRelevancy", "ContextPrecision", "ContextRecall", "AnswerCorrectness"),
            *("AnswerSimilarity", "SupportR", "SupportP", "WeightedSupportR", "WeightedSupportP"),
            *("NuggetRecall", "VitalRecall"),
        ),
        _each(_verdict),
    ),
}
