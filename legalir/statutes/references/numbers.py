"""Numbers of articles, however a collection writes them: ``12``, ``12.2``, ``12/1``, ``12 bis``, ``第十二条``.

A number is digits of any script, or Han numerals, and a word behind it where the articles of the collection
are numbered with such words (``12 ทวิ``, ``65A``); the words come from the articles, not from a list.
Its *key* is what two spellings have in common: decimal digits, the parts joined by a dot, the word in lower
case right behind it (``12.2``, ``12ทวิ``). Roman numerals and numbers in words are not read.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Numbers", "Token", "clean", "order_of", "tail_of"]

_HAN = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {"零": 0}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_RUN = rf"\d+|[{''.join(_HAN)}{''.join(_HAN_UNITS)}]+"
_TAIL = re.compile(rf"(?:{_RUN})\W?([^\W\d_][^\s\d]*)\s*$")
_LONGEST = 12


class Token(NamedTuple):
    """A number in a text: where it starts and ends, and its key."""

    start: int
    end: int
    key: str


class Numbers:
    """Reads the numbers of a collection.

    Args:
        articles: the article fields of the collection, from which the words behind a number are learnt. A
            word that more than half of the articles have (``第十二条``) belongs to the reference, not to the number.
    """

    def __init__(self, articles: Iterable[str] = ()) -> None:
        total, words = 0, Counter[str]()
        for article in articles:
            total += 1
            if not article.isdecimal() and (found := _TAIL.search(clean(article))):
                words[found[1].lower()] += 1
        kept = [word for word, count in words.items() if len(word) <= _LONGEST and count * 2 <= max(total, 2)]
        self.words = tuple(sorted(kept, key=lambda word: (-len(word), word)))
        behind = "|".join(_word_pattern(word) for word in self.words)
        self._pattern = re.compile(f"({_RUN})" + (f"(?:{behind})?" if behind else ""), re.IGNORECASE)

    def tokens(self, text: str) -> list[Token]:
        """Return every number of a cleaned text, in order."""
        return [Token(found.start(), found.end(), _key(found[1], found[0])) for found in self._pattern.finditer(text)]

    def key(self, article: str) -> str:
        """Return the key of an article's number, empty where it has none: ``제308조의2`` and ``308.2`` are one."""
        return ".".join(token.key for token in self.tokens(clean(article)))


def clean(text: str) -> str:
    """Return `text` in NFC with every run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def tail_of(docno: str) -> str:
    """Return what stands behind the last ``-``, ``:`` or ``/`` of a docno if it starts with a digit, else nothing."""
    tail = re.split(r"[-:/]", docno)[-1]
    return tail if tail[:1].isdecimal() and tail != docno else ""


def order_of(key: str) -> tuple[int, ...]:
    """Return the numbers of a key, in which articles are ordered: ``12.2`` stands between ``12`` and ``13``."""
    return tuple(int(part) for part in re.findall(r"\d+", key)[:4])


def _word_pattern(word: str) -> str:
    # One letter with a space before it is a word of its own: "section 12 a person".
    gap = "" if len(word) == 1 else r"\s?"
    end = r"(?![^\W\d_])" if word.isascii() or len(word) == 1 else ""
    return gap + re.escape(word) + end


def _key(number: str, whole: str) -> str:
    value = int(number[:18]) if number[0].isdecimal() else _han(number)
    return f"{value}{whole[len(number) :].strip().lower()}"


def _han(numeral: str) -> int:
    """Return the value of Han numerals: ``二十三`` as units, ``二三`` as digits."""
    if not any(character in _HAN_UNITS for character in numeral):
        return int("".join(str(_HAN[character]) for character in numeral[:18]))
    total = digit = 0
    for character in numeral:
        if character in _HAN_UNITS:
            total += (digit or 1) * _HAN_UNITS[character]
            digit = 0
        else:
            digit = _HAN[character]
    return total + digit
