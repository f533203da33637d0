"""Picking an option without a model: baselines whose figures are known before they run."""

from __future__ import annotations

from collections import abc
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import pandas as pd

from legalir.answer.generator import Answer, Generator
from legalir.contract import factory_of
from legalir.errors import ComponentError

ABSTAINED = "chose to abstain"
"""Reason for an abstention by choosing the option to abstain."""

By = Literal["abstain", "longest", "right"]


def right_choice(key: int, abstain: int | None, documents: abc.Collection[str], context: abc.Collection[str]) -> int:
    """Return the number of the option that is right in this context.

    Args:
        key: the option that is right for someone who has all documents.
        abstain: the option "cannot be answered"; None if the item has none.
        documents: what the item needs.
        context: the provisions that the model received.
    """
    if abstain is None or not context or set(documents) <= set(context):
        return key
    return abstain


class Pick(Generator):
    """Generator that picks an option by a rule: a baseline for ``mcq``, and a check of the measures.

    - ``abstain`` always abstains: right in each partial context, never right otherwise.
    - ``longest`` takes the option with most characters, the first of several, the one to abstain left out: right as
      often as the key is the longest option, and never in a partial context.
    - ``right`` takes the key if none or all of the provisions that the item needs are present, and abstains otherwise:
      always right.

    Columns in: ``qid, query, options, key, abstain, documents``, and ``docno, score, rank`` if there is a ranked
    list. Columns out: :data:`~legalir.answer.generator.ANSWER_COLUMNS`.

    Raises:
        ComponentError: `by` is not one of these, or a question has no options.
    """

    name = "pick"
    needs_provisions = False

    by: Annotated[By, "the option to abstain, the longest one, or the right one"] = "abstain"

    def answers(self, asked: pd.DataFrame, lists: Sequence[Sequence[str]]) -> list[Answer]:
        """Return the option of each question."""
        for column in ("options", "key", "abstain", "documents"):
            if column not in asked.columns:
                raise ComponentError(
                    f"pick: the questions have no column {column!r}: ask multiple-choice items, such as those of "
                    f"legalir/firecode/multihop."
                )
        rows = asked[["options", "key", "abstain", "documents"]].itertuples(index=False)
        return [self._answer(row, docnos) for row, docnos in zip(rows, lists, strict=True)]

    def _answer(self, row: Any, docnos: Sequence[str]) -> Answer:
        abstain = int(row.abstain)
        if self.by == "abstain":
            choice = abstain
        elif self.by == "right":
            choice = right_choice(int(row.key), abstain, row.documents, docnos)
        else:
            numbers = [number for number in range(1, len(row.options) + 1) if number != abstain]
            choice = max(numbers, key=lambda number: len(row.options[number - 1]))
        abstained = choice == abstain
        return Answer(
            row.options[choice - 1],
            abstained=abstained,
            reason=ABSTAINED if abstained else "",
            context_docnos=tuple(docnos),
            choice=choice,
        )


pick = factory_of(Pick, 'Pick an option by a rule, without a model: ``golden >> pick(by="right")``.')
