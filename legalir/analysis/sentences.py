"""Sentence boundaries in statutes.

A sentence is a line, a paragraph that begins with a circled number, or text that ends with a full stop. Thai has no
mark at the end of a sentence: each line is one sentence.
"""

from __future__ import annotations

import re

BREAK = (
    r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+"
    r"|(?=[①-⑳㉑-㉟㊱-㊿])"  # paragraphs of Korean and Japanese articles
    r"|(?<=[。！？])"
    # Not after a digit or a single letter, which number an item, and not before a digit: "Art. 5", "2024. 1. 1.".
    r"|(?:(?<=[^\W\d]{2}[.!?])|(?<=[)\]」』”\"'][.!?])|(?<=[.!?][”\"'」』)]))[ \t\u3000]++(?!\d)"
)
"""Regular expression that matches between two sentences."""

_BREAK = re.compile(BREAK)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, without the white space around them; empty ones are left out."""
    return [sentence for part in _BREAK.split(text) if (sentence := part.strip())]
