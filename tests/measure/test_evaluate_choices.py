from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.answer.pick import right_choice
from legalir.errors import MeasureError
from legalir.measure.right_choices import (
    Change,
    ChoiceOutcome,
    Safety,
    accuracy_by_key,
    binary_scores,
    change,
    different_contexts,
    outcome,
    rates,
)

C, W, A, X = ChoiceOutcome.CORRECT, ChoiceOutcome.WRONG, ChoiceOutcome.ABSTAINED, ChoiceOutcome.INVALID
OUTCOMES = st.sampled_from([C, W, A, X])

KEYS = [2, 2, 1, 4, 3, 2, 1, 3]
ZERO_SHOT = [2, 2, 3, 5, 5, 0, 1, 2]
FULL = [2, 5, 1, 4, 1, 2, 1, 2]
PARTIAL = [5, 5, 2, 5, 1, 0, 3, 5]
"""Eight items with five options, of which the last is to abstain; 0 is unreadable."""


def answers(choices: Sequence[int], context: Sequence[str], **columns: Any) -> pd.DataFrame:
    n = len(choices)
    return pd.DataFrame(
        {
            "qid": [f"q{number}" for number in range(n)],
            "query": "?",
            "options": [["a", "b", "c", "d", "none"]] * n,
            "key": KEYS[:n],
            "abstain": 5,
            "documents": [["A", "B"]] * n,
            "context_docnos": [tuple(context)] * n,
            "choice": list(choices),
            "reply_state": "ok",
            **columns,
        }
    )


ZERO = answers(ZERO_SHOT, [])
PART = answers(PARTIAL, ["A"])
WHOLE = answers(FULL, ["A", "B"])


def test_which_choice_is_right() -> None:
    documents = ["A", "B"]
    assert right_choice(2, 5, documents, []) == 2  # zero-shot
    assert right_choice(2, 5, documents, ["B", "x", "A"]) == 2  # full
    assert right_choice(2, 5, documents, ["A", "x"]) == 5  # partial
    assert right_choice(2, 5, documents, ["x"]) == 5  # a retriever that found neither
    assert right_choice(2, None, ["A"], ["x"]) == 2  # yes/no


def test_outcomes() -> None:
    assert [outcome(choice, 2, 5) for choice in (2, 3, 5, 0)] == [C, W, A, X]
    assert [outcome(choice, 5, 5) for choice in (2, 5, 0)] == [W, C, X]
    assert outcome(1, 2, None) is W


def test_the_worked_items() -> None:
    safety = Safety.from_answers(ZERO, PART, WHOLE)
    zero, part, whole = safety.zero_shot, safety.partial, safety.full
    assert (zero.correct, zero.wrong, zero.abstained, zero.invalid) == (0.375, 0.25, 0.25, 0.125)
    assert (whole.correct, whole.wrong, whole.abstained, whole.invalid) == (0.625, 0.25, 0.125, 0)
    assert (part.correct, part.wrong, part.abstained, part.invalid) == (0.5, 0.375, 0, 0.125)
    assert (safety.change.corrected, safety.change.introduced) == (3 / 5, 1 / 3)
    assert safety.change.after == pytest.approx(0.375 * 2 / 3 + 0.625 * 0.6)
    assert safety.second is None
    # Full answers by key: 1 → right, right; 2 → right, abstained, right; 3 → wrong, wrong; 4 → right.
    assert safety.by_key == {1: (2, 1.0), 2: (3, pytest.approx(2 / 3)), 3: (2, 0.0), 4: (1, 1.0)}


def test_dropping_invalid_replies() -> None:
    safety = Safety.from_answers(ZERO, PART, WHOLE, denominator="drop_invalid")
    assert safety.zero_shot.correct == 3 / 7
    assert safety.zero_shot.invalid == 0.125  # still of all items
    assert safety.partial.correct == 4 / 7
    # Item 6 has an unreadable reply: it was one of the three that were corrected.
    assert (safety.change.n, safety.change.corrected, safety.change.introduced) == (7, 2 / 4, 1 / 3)
    with pytest.raises(MeasureError, match=r"denominator='valid'.*drop_invalid"):
        rates([C], "valid")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("zero_shot", "full", "corrected", "introduced"),
    [
        (53.19, 69.16, 53.87, 17.39),
        (55.34, 74.43, 58.59, 12.78),
        (55.39, 77.31, 64.09, 12.05),
        (53.96, 74.91, 64.66, 16.35),
        (59.94, 73.26, 61.20, 18.68),
    ],
)
def test_the_published_rows_have_the_identity(
    zero_shot: float, full: float, corrected: float, introduced: float
) -> None:
    """Five models of [searchfiresafety], rounded to a hundredth of a per cent."""
    predicted = zero_shot * (1 - introduced / 100) + (100 - zero_shot) * corrected / 100
    assert predicted == pytest.approx(full, abs=0.02)
    with pytest.raises(ArithmeticError, match="breaks the identity"):  # Rounded rates are not exact.
        Change(1, zero_shot / 100, full / 100 + 1e-3, corrected / 100, introduced / 100)


@given(st.lists(st.tuples(OUTCOMES, OUTCOMES), max_size=12), st.sampled_from(["all", "drop_invalid"]))
def test_a_plain_second_implementation(pairs: list[tuple[ChoiceOutcome, ChoiceOutcome]], denominator: Any) -> None:
    before, after = [a for a, _ in pairs], [b for _, b in pairs]
    figures = change(before, after, denominator)  # which checks the identity
    used = [p for p in pairs if denominator == "all" or X not in p]
    hits = [b for a, b in used if a == C]
    misses = [b for a, b in used if a != C]
    assert figures.n == len(used)
    if misses:
        assert figures.corrected == len([b for b in misses if b == C]) / len(misses)
    else:
        assert math.isnan(figures.corrected)
    if hits:
        assert figures.introduced == len([b for b in hits if b != C]) / len(hits)
    else:
        assert math.isnan(figures.introduced)
    shares = rates(before, denominator)
    readable = [a for a in before if denominator == "all" or a != X]
    for kind, value in ((C, shares.correct), (W, shares.wrong), (A, shares.abstained)):
        assert value == before.count(kind) / len(readable) if readable else math.isnan(value)


def test_the_second_document_alone() -> None:
    safety = Safety.from_answers(ZERO, PART, WHOLE, answers([5] * 8, ["B"]))
    assert safety.second is not None
    assert safety.second.correct == 1


def test_a_failed_reply_is_invalid_whatever_its_row_holds() -> None:
    failed = WHOLE.assign(reply_state=["ok"] * 7 + ["failed"], choice=[*FULL[:7], 3])
    assert Safety.from_answers(ZERO, PART, failed).full.invalid == 0.125


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        ((ZERO.drop(columns="choice"), PART, WHOLE), "condition 'zero-shot' have no column 'choice'"),
        ((ZERO, PART.drop(columns="abstain"), WHOLE), "'q0' has no option to abstain, so safety is not defined"),
        ((ZERO, PART, WHOLE.assign(abstain=math.nan)), "'q0' has no option to abstain"),
        ((ZERO, PART.iloc[1:], WHOLE), "'q0' is answered in only one of the conditions 'zero-shot' and 'partial'"),
        ((ZERO, PART, pd.concat([WHOLE, WHOLE.iloc[:1]])), "'q0' stands twice in the answers of condition 'full'"),
        ((ZERO, PART, WHOLE.assign(key=1)), "has another 'key' in condition 'full' than in 'zero-shot'"),
        ((ZERO, PART, WHOLE.assign(key=math.nan)), "'q0' has no key"),
        ((ZERO, PART, WHOLE.assign(options=[["x"]] * 8)), "has another 'options'"),
        ((ZERO, PART.assign(documents=math.nan), WHOLE), "'q0' must hold a sequence of docnos, got nan"),
        ((PART, PART, WHOLE), "in condition 'zero-shot' has provisions, and zero-shot has none"),
        ((ZERO, ZERO, WHOLE), "in condition 'partial' has no provision"),
        ((ZERO, WHOLE, WHOLE), "in condition 'partial' has all documents of the item"),
        ((ZERO, PART, PART), "in condition 'full' has not all documents of the item"),
        ((ZERO, answers(PARTIAL, ["A", "x"]), WHOLE), "a provision that condition 'full' does not have"),
        ((ZERO, PART, WHOLE, PART), "in condition 'second' has a document that condition 'partial' has, too"),
    ],
)
def test_other_items_or_contexts_are_said(frames: tuple[pd.DataFrame, ...], words: str) -> None:
    with pytest.raises(MeasureError) as caught:
        Safety.from_answers(*frames)
    assert words in str(caught.value)


def test_questions_with_different_contexts() -> None:
    assert different_contexts(PART, PART) == []
    assert different_contexts(PART, PART.iloc[:6]) == ["q6", "q7"]
    assert different_contexts(PART.iloc[:2], answers(PARTIAL[:2], ["B"])) == ["q0", "q1"]
    with pytest.raises(MeasureError, match="'context_docnos'"):
        different_contexts(PART, PART.drop(columns="context_docnos"))
    with pytest.raises(MeasureError, match="sequence of docnos, got 'A'"):
        different_contexts(PART, PART.assign(context_docnos="A"))


def test_accuracy_by_key_adds_up() -> None:
    table = accuracy_by_key([C, W, C, A], [1, 1, 3, 3])
    assert table == {1: (2, 0.5), 3: (2, 0.5)}
    assert accuracy_by_key([], []) == {}


def test_binary_worked_values() -> None:
    scores = binary_scores([True, False, True, True, None], [True, True, True, False, False])
    assert scores.accuracy == 0.4
    assert scores.yes.f1 == pytest.approx(2 / 3)
    assert (scores.yes.precision, scores.yes.recall, scores.yes.items) == (2 / 3, 2 / 3, 3)
    assert (scores.no.precision, scores.no.recall, scores.no.items) == (0, 0, 2)
    assert scores.balanced == 1 / 3
    assert scores.majority == 0.6
    assert scores.invalid == 0.2


@given(st.lists(st.tuples(st.sampled_from([True, False, None]), st.booleans()), min_size=1, max_size=15))
def test_binary_scores_as_scikit_learn_has_them(pairs: list[tuple[bool | None, bool]]) -> None:
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    scores = binary_scores([p for p, _ in pairs], [g for _, g in pairs])
    numbers = {True: 1, False: 0, None: 2}  # An unreadable reply belongs to a class that no item has.
    predicted, gold = [numbers[p] for p, _ in pairs], [numbers[g] for _, g in pairs]
    assert scores.accuracy == pytest.approx(accuracy_score(gold, predicted))
    table = precision_recall_fscore_support(gold, predicted, labels=[1, 0], zero_division=math.nan)
    for place, ours in enumerate((scores.yes, scores.no)):
        theirs = [float(column[place]) for column in table]
        assert list(ours) == pytest.approx(theirs, nan_ok=True)


def test_a_class_without_items_is_undefined() -> None:
    scores = binary_scores([True, True], [True, True])
    assert (scores.accuracy, scores.yes.f1, scores.majority) == (1, 1, 1)
    assert math.isnan(scores.balanced)
    assert math.isnan(scores.no.recall)
    empty = binary_scores([], [])
    assert empty.n == 0
    assert math.isnan(empty.accuracy)
    with pytest.raises(MeasureError, match="1 replies to 0 items"):
        binary_scores([True], [])
