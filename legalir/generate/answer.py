"""An answer and what it was made from: a pipeline that ends in a generator, run step by step for one question."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd
import pyterrier as pt

from legalir.columns import RESULT_COLUMNS, empty_like, fed_with_questions, whole_characters
from legalir.errors import ComponentError
from legalir.generate.citations import cited

__all__ = ["Answer", "ask", "gives_answers"]


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes:
        query: the question.
        text: the answer, with citations such as ``[act-2]``; empty where nothing was found.
        sources: what the generator was given, best first: ``rank`` (from 0), ``score, docno, title, text``. A
            generator inside of another component keeps it to itself: then there are no rows.
    """

    query: str
    text: str
    sources: pd.DataFrame = field(repr=False, compare=False)

    @property
    def cited(self) -> list[str]:
        """Docnos of the sources that the answer cites, in the order of its citations."""
        return cited(self.text, set(self.sources["docno"]))

    def __str__(self) -> str:
        return self.text


def gives_answers(pipeline: pt.Transformer) -> bool:
    """Return whether a pipeline ends in a generator: whether what it gives has a column ``qanswer``."""
    return "qanswer" in (pt.inspect.transformer_outputs(pipeline, ["qid", "query"], strict=False) or ())


def ask(pipeline: pt.Transformer, query: str, expression: str) -> tuple[str, pd.DataFrame]:
    """Return the answer of a pipeline to one question, and the ranked list that it was made from.

    The list has ``rank, score, docno``, by rank; no rows where nothing was found, or where no step gave a list.

    Args:
        pipeline: ends in a generator.
        query: the question.
        expression: how messages call the pipeline.

    Raises:
        ComponentError: it does not end in a generator, or a component lacks columns.
    """
    frame = pd.DataFrame({"qid": ["1"], "query": [whole_characters(query)]})
    results = empty_like(frame)
    with fed_with_questions(f"answer: {expression!r}"):
        pipeline.transform(frame.iloc[:0])  # Before a model writes for nothing.
        if not gives_answers(pipeline):
            raise ComponentError(f"answer: {expression!r} ends in no generator: add one, such as '>> quote'.")
        for step in pipeline if isinstance(pipeline, pt.Compose) else (pipeline,):
            frame = step.transform(frame)
            if set(RESULT_COLUMNS) <= set(frame.columns):
                results = frame
    text = str(frame["qanswer"].iloc[0]) if len(frame) else ""
    return text, results.sort_values("rank", kind="stable")
