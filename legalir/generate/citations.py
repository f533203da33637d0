"""How an answer cites: the docno in square brackets behind what it supports, ``… 층을 말한다. [act-2]``.

A docno has no white space, so a citation has none. Statutes have brackets of their own (``[별표 1]``,
``[전문개정]``): what is a citation is told by the docnos that were there to be cited.
"""

from __future__ import annotations

import re
from collections.abc import Collection

__all__ = ["cited", "citing"]

_OPEN = re.compile(r"\[(?=\S)")


def citing(docno: str) -> str:
    """Return the marker that cites a provision: ``[act-2]``."""
    return f"[{docno}]"


def cited(answer: str, docnos: Collection[str]) -> list[str]:
    """Return the provisions that an answer cites, each once, in the order of their first citations.

    Args:
        answer: the text of an answer.
        docnos: the provisions that can be cited: those that the generator was given, or a whole collection.
            Brackets around anything else are text.
    """
    known = docnos if isinstance(docnos, set | frozenset | dict) else set(docnos)
    found: dict[str, None] = {}
    for opened in _OPEN.finditer(answer):
        docno = _docno_at(answer, opened.end(), known)
        if docno is not None:
            found[docno] = None
    return list(found)


def _docno_at(answer: str, start: int, known: Collection[str]) -> str | None:
    """Return the longest of `known` that stands at `start` and is closed: a docno may hold brackets itself."""
    blank = re.compile(r"\s").search(answer, start)
    word = answer[start : blank.start() if blank else len(answer)]
    closed = [place for place, character in enumerate(word) if character == "]"]
    return next((word[:place] for place in reversed(closed) if word[:place] in known), None)
