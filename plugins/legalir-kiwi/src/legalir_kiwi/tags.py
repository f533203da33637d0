"""Terms from morphemes: the part-of-speech tags of Kiwi that make terms, and the term of each morpheme.

The tags are those of the Sejong corpus with Kiwi's additions: ``W_…`` for serial numbers, addresses of the web and of
mail, hashtags and mentions, and a suffix ``-I`` or ``-R`` where a verb is conjugated irregularly or regularly.
"""

from __future__ import annotations

import functools
import re

__all__ = ["SETTINGS", "term"]

# Nouns, common, proper and bound; roots; numerals and digits; Latin and Chinese words.
_NOUNS = frozenset({"NNG", "NNP", "NNB", "XR", "NR", "SN", "SL", "SH"})
_PATTERNS = frozenset({"W_SERIAL", "W_URL", "W_EMAIL", "W_HASHTAG", "W_MENTION"})
_STEMS = frozenset({"VV", "VA"})

SETTINGS: dict[str, frozenset[str] | None] = {
    "content": _NOUNS | _PATTERNS | _STEMS,
    "nouns": _NOUNS | _PATTERNS,
    "all": None,
}
"""The tags that each setting keeps; None: every morpheme that has a letter or a digit."""

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")


@functools.lru_cache(maxsize=1 << 17)
def term(form: str, tag: str, setting: str) -> str:
    """Return the term that a morpheme is under one of :data:`SETTINGS`, or nothing if it is not a term.

    A term is the form alone: tags are guesses, and a noun that is once taken for a name should still be found.
    ``1,500`` becomes ``1500``. Symbols (``SW``) are terms where they have a letter: Kiwi calls words of scripts that it
    does not read, such as Thai, symbols.
    """
    kept = SETTINGS[setting]
    if not any(map(str.isalnum, form)):
        return ""
    if kept is not None and tag.partition("-")[0] not in kept and not (tag == "SW" and any(map(str.isalpha, form))):
        return ""
    # Names of several words come in one piece, with any white space between them.
    return _THOUSANDS.sub("", " ".join(form.split()))
