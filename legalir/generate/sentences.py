"""Sentences of a statute: lines, paragraphs that a circled number begins, and what ends with a full stop."""

from __future__ import annotations

import re

__all__ = ["sentences"]

_BREAK = re.compile(
    r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+"
    r"|(?=[①-⑳㉑-㉟㊱-㊿])"  # paragraphs of Korean and Japanese articles
    r"|(?<=[。！？])"
    # Not behind a digit or a single letter, which number an item, and not before a digit: "Art. 5", "2024. 1. 1.".
    r"|(?:(?<=[^\W\d]{2}[.!?])|(?<=[)\]」』”\"'][.!?])|(?<=[.!?][”\"'」』)]))[ \t\u3000]++(?!\d)"
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, without the white space around them; none is empty.

    Thai ends no sentence with a mark: there a sentence is a line.
    """
    return [sentence for part in _BREAK.split(text) if (sentence := part.strip())]
