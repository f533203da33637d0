"""Quoted words against the text of a provision."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache

from legalir.analysis.wording import words_for
from legalir.statutes.versions.difference import WordPart, word_parts

_LEFT_OUT = re.compile(
    r"\[?\s?(?:…|\.\.\.|⋯|· ?· ?·|\(중략\)|\(前略\)|\(中略\)|\(omissis\))\s?\]?|\[\s?[^\[\]]{0,40}\]"
)
"""Marks of words that a quotation leaves out, or that were put in by who quotes."""

_OPEN_END = re.compile(r"(?:…|\.\.\.|⋯)\W*\Z")
_EDGES = " .,;:。，、；\n"
_BEFORE, _BEHIND = 24, 120
"""Letters before and behind a quotation among which what it leaves out begins."""
_THOUSANDS = re.compile(
    r"(?<![\w.,/:-])[1-9]\d{0,2}(?:(?:,000)+|(?:\.000)+|(?:,\d{3}){2,}|(?:\.\d{3}){2,})(?![\d/:]|[.,]\d)"
)
"""Numbers that a sign divides into thousands: their last part is 000, or the sign comes twice."""
_SIZE = 4
"""Number of letters by which the place of a quotation is found."""

_ALIKE = 0.5
"""Share of such pieces of a quotation that the text must have for it to be a changed quotation of it."""


def letters(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits of a text in lower case, and the place of each; a sign between digits counts.

    Signs between thousands do not: ``50,000`` and ``50.000`` are ``50 000``.
    """
    kept, places = [], []
    thousands = {
        match.start() + at for match in _THOUSANDS.finditer(text) for at, sign in enumerate(match[0]) if sign in ".,"
    }
    for place, sign in enumerate(text):
        if place in thousands:
            continue
        inside = sign in ".,:/" and text[place - 1 : place].isdigit() and text[place + 1 : place + 2].isdigit()
        for each in unicodedata.normalize("NFKC", sign).casefold():
            if inside or each.isalnum() or unicodedata.category(each)[0] in "MS":
                kept.append(each)
                places.append(place)
    return "".join(kept), places


@cache
def _cut_words(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return a negation at the end of a text, and the beginning of a proviso."""
    code = language.partition("-")[0]
    negation = rf"(?:{words_for('not', code)})(?:\W+\w+)?\W*\Z"
    return re.compile(negation, re.IGNORECASE), re.compile(rf"[\W_]*{words_for('proviso', code)}", re.IGNORECASE)


def cut_off(quotation: str, text: str, language: str) -> tuple[str, str]:
    """Return what a quotation leaves out of its sentence, where it changes it: a negation before it, a proviso behind.

    Both are words of the text, empty if there are none. Behind a quotation that marks words as left out there is none.
    """
    whole, places = letters(text)
    pieces = [words for piece in _LEFT_OUT.split(quotation) if (words := letters(piece)[0])]
    start = whole.find(pieces[0]) if pieces else -1
    end = whole.find(pieces[-1], start) + len(pieces[-1]) if pieces else -1
    if start < 0 or end < start:
        return "", ""
    negation, proviso = _cut_words(language)
    before = re.split(r"[.;:。；\n]", text[: places[start]])[-1]
    stop = places[end - 1] + 1
    after = (
        text[stop : stop + _BEHIND] if re.search(r"\w\W{0,3}\Z", quotation) and not _OPEN_END.search(quotation) else ""
    )
    goes_on = proviso.match(after)
    return before.strip() if negation.search(before[-_BEFORE:]) else "", after.strip(_EDGES) if goes_on else ""


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
    parts = word_parts(" ".join(passage.split()), " ".join(quotation.split()))
    while parts and parts[0].kind == "removed":
        parts.pop(0)
    while parts and parts[-1].kind == "removed":
        parts.pop()
    return parts
