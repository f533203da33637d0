"""Text as every analyzer reads it, normalised, each character part of a word or a gap between words.

Text is brought to Unicode NFC and lower case, so that NFC and NFD input give the same terms. A word is a
longest run of word characters: letters and digits of any script, the underscore, and combining marks (Thai
vowels and tone marks are marks). All other characters separate words: white space, punctuation such as ``「」``,
symbols, emoji, control characters.

Korean statutes enumerate with the dot U+318D (``설치ㆍ유지``), which Unicode counts as a letter; people type
other middle dots. All of them become U+318D, a word character: n-grams across the dot improve results.
"""

from __future__ import annotations

import unicodedata

_DOT = "\u318d"
_DOTS = "\u00b7\u2022\u2027\u22c5\u30fb\uff65"


def lower(text: str) -> str:
    """Return `text` in NFC and lower case."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())


def normalize(text: str) -> str:
    """Return `text` in NFC and lower case, with every middle dot as U+318D."""
    text = lower(text)
    if text.isascii():
        return text
    for dot in _DOTS:
        text = text.replace(dot, _DOT)
    return text


def is_word_character(character: str) -> bool:
    """Return True if a character of normalised text belongs to a word."""
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"


class _Gaps(dict[int, str]):
    """A translation table, filled as characters are met: word characters stay, all others become a space."""

    def __missing__(self, codepoint: int) -> str:
        character = chr(codepoint)
        self[codepoint] = kept = character if is_word_character(character) else " "
        return kept


_GAPS = _Gaps()


def words(text: str) -> list[str]:
    """Return the words of `text`, normalised, in order."""
    return normalize(text).translate(_GAPS).split()


BREAK = (
    r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+"
    r"|(?=[①-⑳㉑-㉟㊱-㊿])"  # paragraphs of Korean and Japanese articles
    r"|(?<=[。！？])"
    # Not after a digit or a single letter, which number an item, and not before a digit: "Art. 5", "2024. 1. 1.".
    r"|(?:(?<=[^\W\d]{2}[.!?])|(?<=[)\]」』”\"'][.!?])|(?<=[.!?][”\"'」』)]))[ \t\u3000]++(?!\d)"
)
"""Regular expression that matches between two sentences."""
