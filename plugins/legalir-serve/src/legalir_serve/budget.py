"""Replies within a budget of tokens, counted on the safe side, because the tokenizer of a reader is unknown."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

_PIECE = re.compile(r"[A-Za-z]{1,4}|[0-9]{1,2}|[!-/:-@\[-`{-~]{1,2}|\n|[^\x00-\x7f\s]")
"""What takes a token at most: four letters of English, two digits or marks, any other letter."""

_BEGINNING = (50, 25, 12)
"""Characters of the beginning of a part in a list of contents, the longest that fits."""


def tokens_of(value: object) -> int:
    """Return how many tokens a text, or a value as JSON, takes at most."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(_PIECE.findall(text))


def cut(text: str, tokens: int) -> str:
    """Return a text of at most `tokens` tokens, with an ellipsis if something is left out."""
    return text if tokens_of(text) <= tokens else text_parts(text, max(1, tokens - 2))[0] + " …"


def text_parts(text: str, tokens: int) -> list[str]:
    """Return a text in parts of at most `tokens` tokens, cut at lines where there are any, else at blanks."""
    ends = [match.end() for match in _PIECE.finditer(text)]
    parts, start, piece = list[str](), 0, 0
    while len(ends) - piece > tokens:
        end = ends[piece + tokens - 1]
        breaks = (text.rfind(sign, start + 1, end + 1) for sign in ("\n", " "))
        end = next((place for place in breaks if text[start : max(start, place)].strip()), end)
        parts.append(text[start:end].strip())
        start, piece = end, bisect_right(ends, end)
    rest = text[start:].strip()
    return [*parts, *([rest] if rest else [])] if parts else [text]


def page(rows: Sequence[Mapping[str, Any]], tokens: int) -> list[dict[str, Any]]:
    """Return the first rows that take at most `tokens` tokens; of a single one that takes more, its texts are cut."""
    shown, left = list[dict[str, Any]](), tokens
    for row in rows:
        left -= tokens_of(row)
        if left < 0 and shown:
            break
        shown.append(dict(row))
    if left < 0 and len(shown) == 1:
        texts = [name for name, value in shown[0].items() if isinstance(value, str)]
        shown[0] |= {name: cut(shown[0][name], tokens // len(texts)) for name in texts}
    return shown


def provision_reply(
    facts: Mapping[str, Any], further: Mapping[str, Any], text: str, part: int, tokens: int
) -> dict[str, Any]:
    """Return a provision with one part of its text, in at most `tokens` tokens.

    Args:
        facts: what every reply has; a long ``title`` is cut.
        further: what is in the reply as far as it fits, the most important first.
        text: the whole text.
        part: number of the part, from 1. The parts are the same for each `part`.
        tokens: the budget.

    Returns:
        `facts`, ``parts``, ``part``, ``text``; what fits of `further`, and in the first part of several ``contents``,
        the beginning of each part.

    Raises:
        IndexError: there is no such part; its argument is the number of parts.
    """
    reply: dict[str, Any] = {**facts, "title": cut(facts["title"], tokens // 4), "parts": 999, "part": 999, "text": ""}
    room = tokens - tokens_of(reply) - 2  # Marks beside the text may count apart.
    whole = tokens_of(text) <= room
    parts = [text] if whole else text_parts(text, max(8, room * 3 // 4))
    if part > len(parts):
        raise IndexError(len(parts))
    reply |= {"parts": len(parts), "part": part}
    del reply["text"]
    shown = {"text": parts[part - 1]}

    def fits(name: str, value: object) -> bool:
        return tokens_of({**reply, name: value, **shown}) <= tokens

    if len(parts) > 1 and part == 1:
        lists = ([" ".join(each.split())[:length] for each in parts] for length in _BEGINNING)
        further = {"contents": next((one for one in lists if fits("contents", one)), None), **further}
    for name, value in further.items():
        if value and fits(name, value):
            reply[name] = value
    return reply | shown
