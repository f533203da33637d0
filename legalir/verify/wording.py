"""Quoted words against the text of a provision."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from legalir.statutes.versions.difference import WordPart, word_parts

_LEFT_OUT = re.compile(
    r"\[?\s?(?:…|\.\.\.|⋯|· ?· ?·|\(중략\)|\(前略\)|\(中略\)|\(omissis\))\s?\]?|\[\s?[^\[\]]{0,40}\]"
)
"""Marks of words that a quotation leaves out, or that were put in by who quotes."""

_SIZE = 4
"""Number of letters by which the place of a quotation is found."""

_ALIKE = 0.5
"""Share of such pieces of a quotation that the text must have for it to be a changed quotation of it."""


def letters(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits of a text in lower case, and the place of each; a sign between digits counts."""
    kept, places = [], []
    for place, sign in enumerate(text):
        inside = sign in ".,:/" and text[place - 1 : place].isdigit() and text[place + 1 : place + 2].isdigit()
        for each in unicodedata.normalize("NFKC", sign).casefold():
            if inside or each.isalnum() or unicodedata.category(each)[0] in "MS":
                kept.append(each)
                places.append(place)
    return "".join(kept), places


def differing(quotation: str, text: str) -> list[WordPart] | None:
    """Return the words in which a quotation differs from the passage that it is like; none if it is like none.

    None if the text has its words, in their order; signs, blanks and capitals do not count, nor words that marks show
    to be left out. Of the parts, ``removed`` are words that the quotation lacks, ``added`` those that the text lacks.
    """
    whole, places = letters(text)
    at = 0
    for piece in _LEFT_OUT.split(quotation):
        words, _ = letters(piece)
        found = whole.find(words, at)
        if found < 0:
            break
        at = found + len(words)
    else:
        return None
    words, _ = letters(quotation)
    grams = [words[n : n + _SIZE] for n in range(max(1, len(words) - _SIZE + 1))]
    where: dict[str, list[int]] = {}
    wanted = set(grams)
    for n in range(len(whole) - _SIZE + 1):
        if (gram := whole[n : n + _SIZE]) in wanted:
            where.setdefault(gram, []).append(n)
    share = sum(gram in where for gram in grams) / len(grams)
    if share < _ALIKE:
        return []
    # The passage begins where most pieces say so, give or take a quarter of the quotation.
    step = max(1, len(words) // 4)
    votes = Counter((n - at) // step for at, gram in enumerate(grams) for n in where.get(gram, ())[:20])
    begin = max(votes, key=lambda one: (votes[one] + votes.get(one + 1, 0), -one)) * step
    first, last = max(0, begin - step // 2), min(len(places) - 1, begin + len(words) + 2 * step)
    passage = text[places[min(first, len(places) - 1)] : places[last] + 1]
    parts = word_parts(passage, " ".join(quotation.split()) if "\n" not in passage else quotation)
    while parts and parts[0].kind == "removed":
        parts.pop(0)
    while parts and parts[-1].kind == "removed":
        parts.pop()
    return parts
