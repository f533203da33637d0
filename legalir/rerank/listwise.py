"""Listwise reranking [rankgpt]: a chat model orders a window of provisions, which slides from the end to the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from functools import cache, partial
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict, WithJsonSchema, create_model

from legalir.declared import check_number
from legalir.llm.chat import FailedReply
from legalir.rerank.chat_reranker import ChatReranker, Order, is_silent, named_places, prompt_values
from legalir.rerank.pairs import Pair
from legalir.rewrite.rewriter import asking_factory

_TOKENS = 10
"""Tokens of the reply for each provision."""


def windows(length: int, window: int, stride: int) -> list[slice]:
    """Return the windows over a list, from its end to its front, all of the same size; the last window is the front.

    The code of the paper stops before a window that would begin in front of the list, and so may leave out the first
    rows; here that window begins with the first row.

    Args:
        length: number of rows of the list; with fewer than 2 there is nothing to order.
        window: rows of a window; a shorter list is one window.
        stride: rows from the start of a window to the start of the next.
    """
    size = min(window, length)
    starts = [*range(length - size, 0, -stride), 0] if length > 1 else []
    return [slice(start, start + size) for start in starts]


def permutation(order: Sequence[object], n: int) -> Order:
    """Return all places in the order that a model wrote, [n]; omitted places follow in their original order."""
    named = named_places(order, n)
    return np.array([*named, *(place for place in range(n) if place not in set(named))], dtype=np.int64)


@cache
def _order(n: int) -> type[BaseModel]:
    """Return the type of a reply with the numbers from 1 to n; the schema is stricter than what is read."""
    number = {"type": "integer", "minimum": 1, "maximum": n}
    schema = WithJsonSchema({"type": "array", "items": number, "minItems": 1, "maxItems": n})
    order: Any = Annotated[list[Any], schema]
    return create_model("Order", __config__=ConfigDict(extra="forbid"), order=(order, ...))


def _check(n: int, reply: Any, question: str) -> None:
    if not named_places(reply.order, n):
        raise FailedReply("invalid", f"the reply names none of the {n} provisions")


class Listwise(ChatReranker):
    """Reranks with a chat model that puts the provisions of a window in order [rankgpt].

    The first window contains the end of the list; each further one begins `stride` rows nearer to its front, until the
    front is reached: so a good provision can rise through the whole list. A list of 100 takes 9 requests, one after the
    other; lists of several questions are ordered at once.

    The model returns the numbers of the provisions, the best first. A number out of range or named before is dropped;
    provisions that the model left out follow in their order. A window whose reply has no such number keeps its order,
    and is counted as a failed reply.

    Columns in: ``qid, query, docno, score``, and ``title, text`` if `texts` is not given. Columns out: the same,
    ``score``, ``rank`` and ``reply_state``. The score of place p of n, from 0, is ``1 − p/n``. ``reply_state`` is
    ``ok``, or the state of the first failed reply if the replies for all windows of a list failed; an earlier state
    that is not ``ok`` stays.

    The paper writes the order as ``[2] > [1]`` in a conversation with a message for each provision, and cuts provisions
    at 300 words; here it is one message, JSON, and a number of characters, as words mean little in some scripts.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: no model is named, or it is not allowed.
    """

    name = label = "listwise"

    _: KW_ONLY
    window: Annotated[int, Ge(2), Le(1000), "number of provisions that the model reads at once"] = 20
    stride: Annotated[int, Ge(1), "number of rows that a window moves, at most `window`"] = 10
    max_characters: Annotated[int, Ge(20), "maximum number of characters that the model reads of a provision"] = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("listwise", "stride", self.stride, low=1, high=self.window, integer=True)

    def _ordered(self, lists: Sequence[Order], pairs: Sequence[Pair]) -> list[tuple[Order, str]]:
        """Return all rows of each list in the model's order, and the state of the list."""
        lists = [rows.copy() for rows in lists]
        silent = [is_silent(pairs[rows[0]]) for rows in lists]
        slides = [
            [] if nothing else windows(len(rows), self.window, self.stride)
            for rows, nothing in zip(lists, silent, strict=True)
        ]
        failures: list[list[str]] = [[] for _ in lists]
        for turn in range(max(map(len, slides))):
            current = {number: slide[turn] for number, slide in enumerate(slides) if turn < len(slide)}
            for size in sorted({one.stop - one.start for one in current.values()}):
                chosen = [number for number, one in current.items() if one.stop - one.start == size]
                answers = self.client.ask(
                    self.prompt,
                    [
                        prompt_values([pairs[row] for row in lists[number][current[number]]], self.max_characters)
                        for number in chosen
                    ],
                    llm=self.llm,
                    kind=_order(size),
                    check=partial(_check, size),
                    max_tokens=_TOKENS * (size + 5),
                )
                for number, answer in zip(chosen, answers, strict=True):
                    if answer.state == "ok":
                        held = lists[number][current[number]]
                        lists[number][current[number]] = held[permutation(answer.value.order, size)]
                    else:
                        failures[number].append(answer.state)
        whole = [len(failed) == len(slide) > 0 for failed, slide in zip(failures, slides, strict=True)]
        return [
            (rows, "empty" if nothing else failed[0] if lost else "ok")
            for rows, nothing, failed, lost in zip(lists, silent, failures, whole, strict=True)
        ]


listwise = asking_factory(
    Listwise,
    "Let a chat model put the results in order: ``bm25 % 100 >> listwise(window=20, stride=10)``.",
    "llm",
    texts=lambda collection: collection,
)
