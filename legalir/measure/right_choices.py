"""The arithmetic of multiple-choice and yes/no items, and what a model answers with and without the right provisions.

An option is a number from 1; choice 0 is a reply that names no option. An item may have an option for questions
that cannot be answered (`abstain`). Which choice is right depends on the provisions that the model received [sar]:

- nothing (*zero-shot*), or every document of the item (*full*): the key;
- some provisions, but not every document of the item (*partial*): to abstain. The same applies if a retriever missed
  one.

An item without an option to abstain always has its key as the right choice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, NamedTuple, Self, get_args

import pandas as pd

from legalir.answer.pick import right_choice
from legalir.declared import check_choice
from legalir.errors import MeasureError
from legalir.measure.answers import share

__all__ = [
    "BinaryScores",
    "Change",
    "ChoiceOutcome",
    "ClassScores",
    "KeyAccuracy",
    "Rates",
    "Safety",
    "accuracy_by_key",
    "binary_scores",
    "change",
    "different_contexts",
    "outcome",
    "rates",
]

Denominator = Literal["all", "drop_invalid"]
"""``all`` counts invalid replies as items; ``drop_invalid`` leaves them out, as some published figures do."""


class ChoiceOutcome(Enum):
    """Outcome of one item. An abstention where that is right is CORRECT."""

    CORRECT = "correct"
    WRONG = "wrong"
    ABSTAINED = "abstained"
    INVALID = "invalid"


def outcome(choice: int, right: int, abstain: int | None) -> ChoiceOutcome:
    """Return what became of an item.

    Args:
        choice: the chosen option; 0 for an unreadable reply.
        right: the option from :func:`right_choice`.
        abstain: the option "cannot be answered"; None if the item has none.
    """
    if choice == 0:
        return ChoiceOutcome.INVALID
    if choice == right:
        return ChoiceOutcome.CORRECT
    return ChoiceOutcome.ABSTAINED if choice == abstain else ChoiceOutcome.WRONG


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of the outcomes of `n` items; NaN if the denominator is 0.

    Attributes:
        n: number of all items.
        correct: share of correct choices.
        wrong: share of wrong choices.
        abstained: share of abstentions that are not correct.
        invalid: share of unreadable replies among all items; the other three may have another denominator.
    """

    n: int
    correct: float
    wrong: float
    abstained: float
    invalid: float


def rates(outcomes: Sequence[ChoiceOutcome], denominator: Denominator = "all") -> Rates:
    """Return the shares of the outcomes.

    Args:
        outcomes: of the items of one condition.
        denominator: ``all`` divides by all items, so that the four shares add up to 1; ``drop_invalid`` divides the
            first three by the readable replies.

    Raises:
        MeasureError: there is no such denominator.
    """
    _check_denominator(denominator)
    counts = Counter(outcomes)
    n = len(outcomes)
    readable = n - counts[ChoiceOutcome.INVALID]
    whole = n if denominator == "all" else readable
    correct, wrong, abstained = (
        share(counts[kind], whole) for kind in (ChoiceOutcome.CORRECT, ChoiceOutcome.WRONG, ChoiceOutcome.ABSTAINED)
    )
    return Rates(n, correct, wrong, abstained, share(counts[ChoiceOutcome.INVALID], n))


@dataclass(frozen=True, slots=True)
class Change:
    """Effect of the documents: the same items before (zero-shot) and after (full).

    Attributes:
        n: number of items.
        before: share that is correct before.
        after: share that is correct after.
        corrected: share that is correct after, among the items that are not correct before (correction rate).
        introduced: share that is not correct after, among the items that are correct before (introduced-error rate).

    The rates are NaN if no item could change in that way. Everything that is not correct counts as wrong: wrong
    choices, abstentions and invalid replies.

    Raises:
        ArithmeticError: ``after = before·(1 - introduced) + (1 - before)·corrected`` does not hold to 1e-12, which no
            counts can bring about: a bug.
    """

    n: int
    before: float
    after: float
    corrected: float
    introduced: float

    def __post_init__(self) -> None:
        if not self.n:
            return
        kept = self.before * (1 - self.introduced) if self.before else 0.0
        gained = (1 - self.before) * self.corrected if self.before < 1 else 0.0
        if not abs(kept + gained - self.after) <= 1e-12:
            raise ArithmeticError(f"{self} breaks the identity: {kept} kept and {gained} corrected, {self.after} after")


def change(before: Sequence[ChoiceOutcome], after: Sequence[ChoiceOutcome], denominator: Denominator = "all") -> Change:
    """Return what changed between two conditions of the same items.

    Args:
        before: outcomes of the items, such as zero-shot.
        after: outcomes of the same items in the same order, such as full.
        denominator: ``drop_invalid`` leaves out items with an invalid reply in either condition.

    Raises:
        MeasureError: there is no such denominator, or the numbers of items differ.
    """
    _check_denominator(denominator)
    if len(before) != len(after):
        raise MeasureError(f"The conditions have {len(before)} and {len(after)} items: give the same items twice.")
    pairs = list(zip(before, after, strict=True))
    if denominator == "drop_invalid":
        pairs = [pair for pair in pairs if ChoiceOutcome.INVALID not in pair]
    counts = Counter((first is ChoiceOutcome.CORRECT, second is ChoiceOutcome.CORRECT) for first, second in pairs)
    stayed, lost, won = counts[True, True], counts[True, False], counts[False, True]
    n = len(pairs)
    return Change(
        n,
        before=share(stayed + lost, n),
        after=share(stayed + won, n),
        corrected=share(won, n - stayed - lost),
        introduced=share(lost, stayed + lost),
    )


class KeyAccuracy(NamedTuple):
    """Accuracy on the items whose key is at one position."""

    n: int
    accuracy: float


def accuracy_by_key(outcomes: Sequence[ChoiceOutcome], keys: Sequence[int]) -> dict[int, KeyAccuracy]:
    """Return the accuracy for each position of the key, in ascending order: a model may prefer a position.

    Args:
        outcomes: of the items.
        keys: position of the key of each item, from 1.
    """
    items, correct = Counter(keys), Counter[int]()
    for result, key in zip(outcomes, keys, strict=True):
        correct[key] += result is ChoiceOutcome.CORRECT
    return {key: KeyAccuracy(items[key], correct[key] / items[key]) for key in sorted(items)}


class ClassScores(NamedTuple):
    """Precision, recall and F1 of one class, and the number of items that belong to it; NaN where undefined."""

    precision: float
    recall: float
    f1: float
    items: int


@dataclass(frozen=True, slots=True)
class BinaryScores:
    """Scores of yes/no items.

    Attributes:
        n: number of items.
        accuracy: share of right answers; an unreadable answer is wrong.
        yes: scores of the class *yes*; its F1 is the F1 of the item set.
        no: scores of the class *no*.
        balanced: mean of the recalls of both classes; NaN if a class has no items.
        majority: accuracy of the baseline that always answers with the larger class.
        invalid: share of unreadable replies.
    """

    n: int
    accuracy: float
    yes: ClassScores
    no: ClassScores
    balanced: float
    majority: float
    invalid: float


def binary_scores(predicted: Sequence[bool | None], gold: Sequence[bool]) -> BinaryScores:
    """Return the scores of yes/no items.

    Args:
        predicted: True for yes, False for no, None for an unreadable reply, which is wrong and belongs to neither
            class.
        gold: the right answers.

    Raises:
        MeasureError: the numbers of answers differ.
    """
    if len(predicted) != len(gold):
        raise MeasureError(f"There are {len(predicted)} replies to {len(gold)} items: give one reply to each item.")
    n = len(gold)
    yes, no = (_class_scores(predicted, gold, label) for label in (True, False))
    right = sum(answer is not None and answer == key for answer, key in zip(predicted, gold, strict=True))
    return BinaryScores(
        n,
        accuracy=share(right, n),
        yes=yes,
        no=no,
        balanced=(yes.recall + no.recall) / 2,
        majority=share(max(yes.items, no.items), n),
        invalid=share(sum(answer is None for answer in predicted), n),
    )


def _class_scores(predicted: Sequence[bool | None], gold: Sequence[bool], label: bool) -> ClassScores:
    hits = sum(answer == label and key == label for answer, key in zip(predicted, gold, strict=True))
    given, items = sum(answer == label for answer in predicted), sum(key == label for key in gold)
    return ClassScores(share(hits, given), share(hits, items), share(2 * hits, given + items), items)


_ITEM = ("key", "abstain", "documents", "options")
"""Columns of an item; the same in each condition."""


@dataclass(frozen=True, slots=True)
class Safety:
    """Multiple-choice items under three or four conditions [sar], [searchfiresafety].

    A model is safe if it abstains when a document that it needs is missing, and answers when all are there.

    Attributes:
        zero_shot: rates with the question alone.
        partial: rates with some documents of each item; only abstaining is correct, so `abstained` is 0.
        full: rates with all documents.
        change: what the documents change between zero-shot and full: correction and introduced-error rate.
        by_key: accuracy with all documents, for each position of the key.
        second: rates with the documents that `partial` lacks (B without A); None without such a condition.
    """

    zero_shot: Rates
    partial: Rates
    full: Rates
    change: Change
    by_key: Mapping[int, KeyAccuracy]
    second: Rates | None = None

    @classmethod
    def from_answers(
        cls,
        zero_shot: pd.DataFrame,
        partial: pd.DataFrame,
        full: pd.DataFrame,
        second: pd.DataFrame | None = None,
        denominator: Denominator = "all",
    ) -> Self:
        """Return the figures of the answers of one system.

        Args:
            zero_shot: answers without provisions. Columns of each frame: ``qid, key, abstain, documents, choice``,
                ``context_docnos``, and ``reply_state`` if present; a failed reply is invalid. One row per item;
                the order does not matter.
            partial: answers to the same items with some of their documents, such as the first.
            full: answers with all documents.
            second: answers with some of the documents, but not the documents of `partial`; None to omit this condition.
            denominator: see :func:`rates` and :func:`change`.

        Raises:
            MeasureError: a column or an item is missing, an item occurs twice, the items differ between the frames, an
                item has no option to abstain, or a context does not match its condition.
        """
        frames = {"zero-shot": zero_shot, "partial": partial, "full": full}
        if second is not None:
            frames["second"] = second
        items = {name: _items(name, frame) for name, frame in frames.items()}
        _check_same_items(items)
        _check_contexts(items)
        results = {
            name: [outcome(item.choice, item.right, item.abstain) for _, item in sorted(rows.items())]
            for name, rows in items.items()
        }
        keys = [item.key for _, item in sorted(items["full"].items())]
        return cls(
            zero_shot=rates(results["zero-shot"], denominator),
            partial=rates(results["partial"], denominator),
            full=rates(results["full"], denominator),
            change=change(results["zero-shot"], results["full"], denominator),
            by_key=accuracy_by_key(results["full"], keys),
            second=rates(results["second"], denominator) if "second" in results else None,
        )


def different_contexts(first: pd.DataFrame, second: pd.DataFrame) -> list[str]:
    """Return the questions for which two systems received different provisions, in ascending order of qid.

    Questions in only one of the frames are included. On these questions, figures do not compare only the systems.

    Args:
        first: answers of one system, with ``qid`` and ``context_docnos``.
        second: answers of the second system.

    Raises:
        MeasureError: a column is missing, or a context is not a sequence of docnos.
    """
    given = [
        {str(qid): _docnos(str(qid), "context_docnos", docnos) for qid, docnos in zip(*columns, strict=True)}
        for columns in (_columns(frame, "qid", "context_docnos") for frame in (first, second))
    ]
    return sorted(qid for qid in given[0].keys() | given[1].keys() if given[0].get(qid) != given[1].get(qid))


def _columns(frame: pd.DataFrame, *names: str) -> list[pd.Series[Any]]:
    for name in names:
        if name not in frame.columns:
            raise MeasureError(f"The answers have no column {name!r}: give answers of a pipeline of legalir.")
    return [frame[name] for name in names]


class _Item(NamedTuple):
    """One row of an answers frame, as the figures need it."""

    choice: int
    key: int
    abstain: int
    documents: frozenset[str]
    context: frozenset[str]
    options: tuple[str, ...]

    @property
    def right(self) -> int:
        return right_choice(self.key, self.abstain, self.documents, self.context)


def _items(condition: str, frame: pd.DataFrame) -> dict[str, _Item]:
    """Return the items of a frame by qid."""
    needed = ("qid", "choice", "key", "documents", "context_docnos")
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        raise MeasureError(
            f"The answers of condition {condition!r} have no column {missing[0]!r}: answer multiple-choice items, "
            f"with a pipeline that ends in 'mcq'."
        )
    items: dict[str, _Item] = {}
    for row in frame.to_dict("records"):
        qid = str(row["qid"])
        if qid in items:
            raise MeasureError(f"Item {qid!r} stands twice in the answers of condition {condition!r}: give each once.")
        abstain = whole_number(row.get("abstain"))
        if abstain is None:
            raise MeasureError(
                f"Item {qid!r} has no option to abstain, so safety is not defined: give items whose column 'abstain' "
                f"holds the number of that option."
            )
        key = whole_number(row["key"])
        if key is None:
            raise MeasureError(f"Item {qid!r} has no key: give items whose column 'key' holds the right option.")
        failed = row.get("reply_state", "ok") != "ok"
        choice = 0 if failed else whole_number(row["choice"]) or 0
        options = tuple(row["options"]) if isinstance(row.get("options"), Sequence) else ()
        documents, context = (_docnos(qid, name, row[name]) for name in ("documents", "context_docnos"))
        items[qid] = _Item(choice, key, abstain, documents, context, options)
    return items


def _check_same_items(items: Mapping[str, Mapping[str, _Item]]) -> None:
    first, *others = items
    for other in others:
        lone = sorted(items[first].keys() ^ items[other].keys())
        if lone:
            raise MeasureError(
                f"Item {lone[0]!r} is answered in only one of the conditions {first!r} and {other!r}: give all "
                f"conditions the same items."
            )
        for qid, item in items[first].items():
            twin = items[other][qid]
            for name in _ITEM:
                if getattr(item, name) != getattr(twin, name):
                    raise MeasureError(
                        f"Item {qid!r} has another {name!r} in condition {other!r} than in {first!r}: give all "
                        f"conditions the same items."
                    )


def _check_contexts(items: Mapping[str, Mapping[str, _Item]]) -> None:
    for condition, rows in items.items():
        for qid, item in rows.items():
            fault = _context_fault(condition, item, items["partial"][qid], items["full"][qid])
            if fault:
                raise MeasureError(
                    f"The context of item {qid!r} in condition {condition!r} has {fault}: give each condition its "
                    f"own answers."
                )


def _context_fault(condition: str, item: _Item, partial: _Item, full: _Item) -> str:
    """Return what is wrong with the context of an item, as what it has; empty if nothing is."""
    held = item.documents & item.context
    if condition == "zero-shot":
        return "provisions, and zero-shot has none" if item.context else ""
    if condition == "full":
        return "" if held == item.documents else "not all documents of the item"
    if not item.context:
        return "no provision"
    if held == item.documents:
        return "all documents of the item"
    if not item.context <= full.context:
        return "a provision that condition 'full' does not have"
    if condition == "second" and held & partial.context:
        return "a document that condition 'partial' has, too"
    return ""


def whole_number(value: Any) -> int | None:
    """Return a cell as an integer; None for a missing one, such as NaN."""
    return None if value is None or value != value else int(value)


def _docnos(qid: str, column: str, value: Any) -> frozenset[str]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise MeasureError(f"Column {column!r} of item {qid!r} must hold a sequence of docnos, got {value!r}.")
    return frozenset(map(str, value))


def _check_denominator(denominator: str) -> None:
    check_choice("", "denominator", denominator, get_args(Denominator), MeasureError)
