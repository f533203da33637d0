"""Numbers of articles as collections write them: ``12``, ``12.2``, ``12/1``, ``12 bis``, ``第十二条``.

A number is digits of any script, or Han numerals. A word after it belongs to it where articles of the collection are
numbered with such words (``12 ทวิ``, ``65A``); the articles themselves show which words these are, there is no list.
The *key* of a number is the same for all its spellings: decimal digits, the parts joined by a dot, the word in lower
case directly after it (``12.2``, ``12ทวิ``). Roman numerals and numbers written as words are not read.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

_HAN = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {"零": 0}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_RUN = rf"\d+|[{''.join(_HAN)}{''.join(_HAN_UNITS)}]+"
_TAIL = re.compile(rf"(?:{_RUN})\W?([^\W\d_][^\s\d]*)\s*$")
_LONGEST = 12


class Token(NamedTuple):
    """A number in a text: its start, its end, and its key."""

    start: int
    end: int
    key: str


class Numbers:
    """Reader of the numbers of a collection.

    Args:
        articles: the article fields of the collection, from which the words after a number are learnt. A word that more
            than half of the articles have (``第十二条``) belongs to the reference, not to the number.
    """

    def __init__(self, articles: Iterable[str] = ()) -> None:
        total, words = 0, Counter[str]()
        for article in articles:
            total += 1
            if not article.isdecimal() and (tail := _TAIL.search(clean(article))):
                words[tail[1].lower()] += 1
        frequent = [word for word, count in words.items() if len(word) <= _LONGEST and count * 2 <= max(total, 2)]
        self.words = tuple(sorted(frequent, key=lambda word: (-len(word), word)))
        after = "|".join(map(_word_pattern, self.words))
        self._pattern = re.compile(f"({_RUN})" + (f"(?:{after})?" if after else ""), re.IGNORECASE)

    def tokens(self, text: str) -> list[Token]:
        """Return each number of a cleaned text, in order."""
        return [Token(match.start(), match.end(), _key(match[1], match[0])) for match in self._pattern.finditer(text)]

    def key(self, article: str) -> str:
        """Return the key of an article's number, empty if it has none: ``제308조의2`` and ``308.2`` have the same."""
        return ".".join(token.key for token in self.tokens(clean(article)))


def clean(text: str) -> str:
    """Return `text` in NFC with each run of white space as one space."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def tail_of(docno: str) -> str:
    """Return the part of a docno after the last ``-``, ``:`` or ``/`` if it starts with a digit, else nothing."""
    tail = re.split(r"[-:/]", docno)[-1]
    return tail if tail[:1].isdecimal() and tail != docno else ""


def order_of(key: str) -> tuple[int, ...]:
    """Return the numbers of a key, which order articles: ``12.2`` stands between ``12`` and ``13``."""
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
