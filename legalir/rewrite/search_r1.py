"""Search-R1 [search-r1]: a chat model thinks, writes queries in tags, reads what they find, and ends with an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from legalir.llm.chat import FailedReply
from legalir.rewrite.iterate import NextQuery, Steps
from legalir.rewrite.rewriter import asking_factory, known_numbers

_ACTION = re.compile(r"<(search|answer)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
"""A tag may be left open: a server that stops at the closing one does not return it."""

_THOUGHT = re.compile(r"<think>(.*?)</think>", re.DOTALL | re.IGNORECASE)
_TAGS = re.compile(r"<\s*/?\s*(?:think|search|information|answer)\b[^<>]*>", re.IGNORECASE)


class SearchR1(NextQuery):
    """Thinks in ``<think>``, then asks for a search in ``<search>`` or ends the loop with ``<answer>`` [search-r1].

    The model reads the question and its steps so far: each thought and query, and in ``<information>`` the provisions
    that the query found and that it has not read yet. The first tag of a reply counts; what a model invents behind it
    is dropped. A reply without one is a failed reply. The answer itself is not used: a generator may follow. The loop
    of the paper, with 3 results a search and at most 4 actions, is ``iterate(P % 3, search_r1, n=4, original=False)``.

    The paper's models go on with their own text; here they get it back in a new message, so that any chat model will
    do. Where a reply has no action, the paper lets the model think again; here it is asked again with another seed.
    Columns, arguments and errors as for :class:`~legalir.rewrite.iterate.NextQuery`.
    """

    name = "search_r1"
    max_tokens = 500

    def _slots(self, steps: Steps, lines: Mapping[str, str]) -> dict[str, str]:
        parts: list[str] = []
        for number, (new, text) in enumerate(steps):
            if new or number:
                found = "\n".join(_TAGS.sub("", lines[docno]) for docno in new)
                parts.append(f"<information>\n{found}\n</information>")
            parts.append(text)
        return {"steps": "\n".join(filter(None, parts))}

    def _text(self, reply: str, raw: str) -> str:
        action = _ACTION.search(reply)
        content = " ".join(_TAGS.sub(" ", action[2]).split()) if action else ""
        if action is None or not any(map(str.isalnum, content)):
            raise FailedReply("invalid", "the reply has neither <search> nor <answer> with words in it")
        thought = _THOUGHT.search(raw)
        before = f"<think>{_TAGS.sub('', thought[1]).strip()}</think>\n" if thought else ""
        tag = action[1].lower()
        return f"{before}<{tag}>{content}</{tag}>"

    def _query(self, text: str) -> str:
        action = _ACTION.search(_THOUGHT.sub("", text))
        return action[2] if action and action[1] == "search" else ""


search_r1 = asking_factory(
    SearchR1,
    "Think, search, read and think again: ``iterate(default % 3, search_r1, n=4, original=False)``.",
    "k",
    numbers=known_numbers,
)
