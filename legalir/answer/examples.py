"""Examples for a prompt: judged questions of the other half of a collection, with their reference answers."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, NamedTuple

import pandas as pd
from annotated_types import Ge

from legalir.answer.given import Golden, golden
from legalir.collections import Collection
from legalir.declared import Declared
from legalir.errors import ComponentError
from legalir.rewrite.rewriter import composed
from legalir.storage.digest import digest, half_of


class Example(NamedTuple):
    """A judged question: its qid, its text, its reference answer, and its judged provisions, best first."""

    qid: str
    question: str
    answer: str
    docnos: tuple[str, ...]


class Examples(Declared):
    """Examples of answers for the prompt of a question, drawn from the half of the collection that it is not in.

    The half of a question follows from its qid alone, as ``part`` of an experiment: on the part ``held-out``, all
    examples are of the part ``dev``. The examples of a half are the same for all questions of the other, except that a
    question with the text of an example gets the next one in its place.

    Raises:
        ComponentError: the collection has no judged questions of its own.
    """

    component = "answer"

    judged: Annotated[Golden, "the judged provisions of each question"]
    examples: Annotated[int, Ge(1), "number of examples for a question"]
    seed: Annotated[int, Ge(0), "seed of the draw"] = 0

    @property
    def fingerprint(self) -> str:
        """Digest of the examples and their draw."""
        return digest([self.examples, self.seed, *self._halves])

    @cached_property
    def _halves(self) -> tuple[list[Example], list[Example]]:
        """The judged questions of each half with a reference answer, in the order of the draw."""
        rows = {str(row["qid"]): row for row in self.judged.dataset.queries()}
        questions = pd.DataFrame({"qid": [*rows], "query": [row["query"] for row in rows.values()]})
        judged = self.judged.transform(questions).sort_values("rank")
        docnos: dict[str, tuple[str, ...]] = {}
        for qid, docno in zip(judged["qid"], judged["docno"], strict=True):
            docnos[qid] = (*docnos.get(qid, ()), docno)
        halves: tuple[list[Example], list[Example]] = ([], [])
        for qid in sorted(rows, key=lambda qid: digest([self.seed, qid])):
            answer = rows[qid].get("answer")
            if qid in docnos and isinstance(answer, str) and answer.strip():
                question = composed(rows[qid]["query"])
                halves[half_of(qid)].append(Example(qid, question, " ".join(composed(answer).split()), docnos[qid]))
        return halves

    def of(self, qid: str, question: str) -> tuple[Example, ...]:
        """Return the examples for a question.

        Raises:
            ComponentError: the other half has fewer.
        """
        asked = question.casefold().split()
        others = [one for one in self._halves[1 - half_of(qid)] if one.question.casefold().split() != asked]
        if len(others) < self.examples:
            raise ComponentError(
                f"answer: examples={self.examples}, but the half of {self.judged.dataset.id} without the question "
                f"{qid!r} has {len(others)} judged questions with a reference answer (column 'answer'): give at most "
                f"that many."
            )
        return tuple(others[: self.examples])


def examples_of(collection: Collection, examples: int = 0, seed: int = 0) -> Examples | None:
    """Return the examples of a collection; None for none.

    Args:
        examples: number of examples in the prompt: judged questions of the half (``part``) that the question is not
            in, with their judged provisions and reference answers; 0 for none.
        seed: seed of the draw of the examples.

    Raises:
        ComponentError: the collection has no judged questions.
    """
    if not examples:
        return None
    try:
        judged = golden(collection)
    except ComponentError as error:
        raise ComponentError(f"answer: examples={examples} needs judged questions. {error}") from None
    return Examples(judged, examples, seed)
