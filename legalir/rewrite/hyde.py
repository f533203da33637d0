"""HyDE [hyde]: a chat model writes the provision that would answer the question, and that text is searched with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any

import pandas as pd
from annotated_types import Ge, Le

from legalir.frames.columns import QUERY_PARTS
from legalir.llm.chat import REPLY_STATE
from legalir.rewrite.rewriter import Rewriter, asking_factory, known_numbers

_MAX_TOKENS = 400
_SEEDS = 100
"""Distance of the seeds of several texts, so that further attempts have seeds of their own."""


class HyDE(Rewriter):
    """Searches with hypothetical provisions in place of the question [hyde].

    A dense retriever that follows searches with the mean of the vectors of the n texts, each encoded as a document; a
    retriever of terms searches with the texts one after the other. It must directly precede the retriever.

    Columns in: ``qid, query``. Columns out: the same, ``query_0``, ``reply_state`` and ``query_parts``. A question
    without any usable reply is searched for unchanged.

    SearchFireSafety uses it without naming model, prompt or n [searchfiresafety].

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: no model is named, or it is not allowed.
    """

    name = "hyde"
    columns = (*Rewriter.columns, QUERY_PARTS)

    _: KW_ONLY
    n: Annotated[
        int,
        Ge(1),
        Le(100),
        "number of provisions; with more than one they are sampled at temperature 0.7 [hyde]",
    ] = 1
    include_query: Annotated[bool, "whether the question itself counts as one more text, as in the paper"] = False

    def _rewritten(self, inp: pd.DataFrame, questions: Sequence[str]) -> dict[str, list[Any]]:
        values = [{"question": question} for question in questions]
        temperature = 0.0 if self.n == 1 else 0.7
        rounds = [
            self._ask(values, max_tokens=_MAX_TOKENS, temperature=temperature, seed=number * _SEEDS)
            for number in range(self.n)
        ]
        columns: dict[str, list[Any]] = {name: [] for name in self.columns}
        for question, answers in zip(questions, zip(*rounds, strict=True), strict=True):
            texts = [self._cleaned(answer.value) for answer in answers if answer.state == "ok"]
            asked = [question] if self.include_query or not texts else []
            columns["query"].append("\n".join(asked + texts))
            columns[REPLY_STATE].append("ok" if texts else answers[0].state)
            columns[QUERY_PARTS].append((*(("query", one) for one in asked), *(("document", one) for one in texts)))
        return columns


hyde = asking_factory(HyDE, "Search with a hypothetical provision: ``hyde(n=1) >> dense``.", numbers=known_numbers)
