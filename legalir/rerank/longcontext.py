"""Ranking by reading [nitibench]: a chat model reads all provisions of a list in one request and names the best."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import KW_ONLY
from functools import cache, partial
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from pydantic import BaseModel, Field, WithJsonSchema, create_model

from legalir.llm.chat import FailedReply
from legalir.rerank.chat_reranker import ChatReranker, Order, is_silent, named_places, number_of, prompt_values
from legalir.rerank.pairs import Pair
from legalir.rewrite.rewriter import asking_factory

_log = logging.getLogger("legalir")


@cache
def _reply(n: int, k: int) -> type[BaseModel]:
    """Return the type of a reply with up to k numbers from 1 to n; the schema is stricter than what is read."""
    provision: Any = Annotated[Any, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": n})]
    retrieved = create_model("Retrieved", reasoning=(str, ""), provision=(provision, ...))
    several: Any = Annotated[list[retrieved], Field(json_schema_extra={"minItems": 1, "maxItems": k})]  # type: ignore[valid-type]
    return create_model("Reply", reformulated_question=(str, ""), retrieved=(several, ...))


def _numbers(reply: Any) -> list[object]:
    return [one.provision for one in reply.retrieved]


def _check(n: int, reply: Any, question: str) -> None:
    if not named_places(_numbers(reply), n):
        raise FailedReply("invalid", f"the reply names none of the {n} provisions")


class LongContext(ChatReranker):
    """Ranks a list by letting a chat model read all of it, and keeps the best `k` [nitibench].

    One request a question has all provisions, whole. The model restates the question in legal terms, then names up to
    `k` provisions by their numbers, the best first, each with a reason. A number named before is dropped; a number out
    of range is dropped and counted in a message. The others are not returned: the list may be shorter than `k`.

    If the reply is missing, is not JSON or names no provision of the list, the first `k` provisions stay in their
    order, the failed reply is counted, and ``reply_state`` shows it; a fusion omits the list if it has another list.

    Columns in: ``qid, query, docno, score``, and ``title, text`` if `texts` is not given. Columns out: the same,
    ``score``, ``rank`` and ``reply_state``. The score of place p of n, from 0, is ``1 − p/n``.

    Deviations from [nitibench]: provisions are named by the number of their line instead of law and section; no example
    is requested with each; the question follows the provisions in the same message.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: no model is named, or it is not allowed.
    """

    name = label = "longcontext"

    _: KW_ONLY
    k: Annotated[int, Ge(1), Le(1000), "maximum number of results"] = 20
    max_tokens: Annotated[int, Ge(16), "tokens of the reply"] = 4096

    def _ordered(self, lists: Sequence[Order], pairs: Sequence[Pair]) -> list[tuple[Order, str]]:
        """Return the rows that the model named, in its order, and the state of its reply."""
        ordered = [(rows[: self.k], "empty") for rows in lists]  # Punctuation alone asks nothing.
        asked = [number for number, rows in enumerate(lists) if not is_silent(pairs[rows[0]])]
        unknown: list[object] = []
        for size in sorted({len(lists[number]) for number in asked}):
            chosen = [number for number in asked if len(lists[number]) == size]
            k = min(self.k, size)
            replies = self.client.ask(
                self.prompt,
                [{**prompt_values([pairs[row] for row in lists[number]]), "n": k} for number in chosen],
                llm=self.llm,
                kind=_reply(size, k),
                check=partial(_check, size),
                max_tokens=self.max_tokens,
            )
            for number, reply in zip(chosen, replies, strict=True):
                rows = lists[number]
                if reply.state == "ok":
                    named = _numbers(reply.value)
                    unknown += [one for one in named if not 1 <= (number_of(one) or 0) <= size]
                    rows = rows[np.array(named_places(named, size), dtype=np.int64)]
                ordered[number] = (rows[: self.k], reply.state)
        if unknown:
            _log.warning(
                "longcontext: %d provisions that the model named are not in the list and are left out, such as %r.",
                len(unknown),
                unknown[0],
            )
        return ordered


longcontext = asking_factory(
    LongContext,
    "Let a chat model read a whole list and name the best: ``full_context >> longcontext(k=20)``.",
    "llm",
    texts=lambda collection: collection,
)
longcontext.expected_failures = {"same-documents": "The model names the best; the others are dropped."}  # type: ignore[attr-defined]
