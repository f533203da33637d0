"""The last question of a conversation, written so that it stands alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Annotated

import pandas as pd
import pyterrier as pt

from legalir.errors import ComponentError
from legalir.explanation import Explanation, Upstream
from legalir.frames.columns import push_queries, require_texts
from legalir.llm.asking import AsksModel
from legalir.llm.chat import REPLY_STATE, FailedReply
from legalir.rewrite.rewriter import asking_factory, check_script, composed
from legalir.storage.digest import digest

HISTORY, LAST_TURN = "history", "last_turn"
"""Columns of a question: the earlier turns of the conversation, and the question as it was asked."""

_TOKENS = 200


class Standalone(AsksModel):
    """Lets a chat model write the last question of a conversation so that it can be understood without the rest.

    From here on this is the question, also for generators, rerankers, judges and ``refuse``, which read the original
    question elsewhere: "What are they?" alone asks nothing. A question without earlier turns is left as it is.

    Earlier turns are a text, or a list of texts or of ``{"role": …, "content": …}``, the oldest first; a text is a turn
    of the user. The reply must be a question where the last turn ends in a question mark, not a turn of the assistant,
    and without numbers that the conversation does not have. If it fails, the turns of the user stand before the
    question.

    Columns in: ``qid, query``, and the earlier turns. Columns out: the same without former texts of the question
    (``query_0``, …), the question as it was asked in ``last_turn``, and ``reply_state``.

    Raises:
        ComponentError: in a search, the named column is missing, or a cell of it is something else.
        ModelError: no model is named, or it is not allowed.
    """

    name = "standalone"

    _: KW_ONLY
    history: Annotated[str | None, "column of the earlier turns; None for ``history``, if it is there"] = None
    join: Annotated[bool, "ask no model: put the turns of the user before the question"] = False

    def __post_init__(self) -> None:
        if not self.join:
            super().__post_init__()

    @property
    def fingerprint(self) -> str:
        """Digest of the model and the prompt."""
        return digest([None if self.join else self.client.model(self.llm).name, self.prompt.fingerprint])

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the questions, each of which stands alone.

        Raises:
            ComponentError: a query is not a string, or as the class.
            ModelError: no request can succeed; see :meth:`legalir.llm.client.Client.ask`.
        """
        self._validate(inp)
        require_texts(inp, self.name)
        asked = [composed(query) for query in inp["query"]]
        column = self.history or HISTORY
        cells = inp[column].tolist() if column in inp.columns else [None] * len(inp)
        turns = [self._turns(qid, cell) for qid, cell in zip(inp["qid"], cells, strict=True)]
        rows = [row for row, earlier in enumerate(turns) if earlier]
        texts, states = list(asked), ["ok"] * len(inp)
        for row in rows:
            texts[row] = " ".join([*(text for role, text in turns[row] if role == "user"), asked[row]])
        if rows and not self.join:
            talks = ["\n".join(f"{role}: {text}" for role, text in [*turns[row], ("user", asked[row])]) for row in rows]
            values = [{"question": talk} for talk in talks]
            replies = self.client.ask(self.prompt, values, llm=self.llm, check=_check, max_tokens=_TOKENS)
            for row, reply in zip(rows, replies, strict=True):
                states[row] = reply.state
                if reply.state == "ok":
                    texts[row] = " ".join(reply.value.split())
        return self._with(inp, texts, asked, states)

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no questions, with all columns."""
        self._validate(inp)
        return self._with(inp, [], [], [])

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return nothing: a question has no score."""
        return {}

    def _validate(self, inp: pd.DataFrame) -> None:
        pt.validate.columns(inp, includes=["qid", "query", *([self.history] if self.history else [])])

    def _with(
        self, inp: pd.DataFrame, texts: Sequence[str], asked: Sequence[str], states: Sequence[str]
    ) -> pd.DataFrame:
        out = push_queries(inp)
        former = [name for name in out.columns if re.fullmatch(r"query_\d+", name)]
        columns = {"query": texts, LAST_TURN: asked, REPLY_STATE: states}
        return out.drop(columns=former).assign(
            **{name: pd.Series(values, index=inp.index, dtype=str) for name, values in columns.items()}
        )

    def _turns(self, qid: object, cell: object) -> list[tuple[str, str]]:
        """Return role and text of each earlier turn, each in one line."""
        if cell is None or (isinstance(cell, float) and cell != cell):
            return []
        turns = []
        for turn in [cell] if isinstance(cell, str) else cell if isinstance(cell, Sequence) else [None]:
            role, text = (turn.get("role"), turn.get("content")) if isinstance(turn, Mapping) else ("user", turn)
            if role not in ("user", "assistant", "system") or not isinstance(text, str):
                raise ComponentError(
                    f"standalone: {self.history or HISTORY}={cell!r} of the question {qid!r} has no turns: give texts, "
                    f"or {{'role': 'user' or 'assistant', 'content': text}}."
                )
            if role != "system" and text.strip():
                turns.append((role, " ".join(composed(text).split())))
        return turns


_NUMBER, _MARKS = re.compile(r"\d+"), ("?", "？", "؟")


def _check(text: str, conversation: str) -> None:
    """Check that a text asks, that it is not a turn of the assistant, and has no other script and numbers.

    Raises:
        FailedReply: it is not the question.
    """
    check_script(text, conversation)
    *earlier, last = conversation.splitlines()
    if last.endswith(_MARKS) and not text.rstrip(" \"'”’」*").endswith(_MARKS):
        raise FailedReply("invalid", "the reply is not a question, as the last turn is")
    if f"assistant: {' '.join(text.split())}" in earlier:
        raise FailedReply("invalid", "the reply repeats a turn of the assistant")
    numbers = [set(_NUMBER.findall(unicodedata.normalize("NFKC", one))) for one in (text, conversation)]
    if more := sorted(numbers[0] - numbers[1]):
        raise FailedReply("invalid", f"the question has the number {more[0]}, which the conversation does not have")


standalone = asking_factory(
    Standalone, "Let the last question of a conversation stand alone: ``standalone >> default``."
)
