"""Names of laws in a text: which law of a collection a reference means.

A law is known by its name, by its name without a year, a version or text in brackets at its end, and by abbreviations:
letters in brackets at the end of its name (``… Rules (AML)``), and beginnings of its words in their order, from the
first word to the last (``소방시설법`` for ``소방시설 설치 및 관리에 관한 법률``, ``FSMR``).
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from legalir.references.grammar import WrittenReference

_REACH = 6
"""Maximum number of characters between a law and an adjacent reference."""

_LONGEST = 60
"""Characters before a reference, or before a name, that are looked at; and of an abbreviation."""

_SHORTEST = 6
"""Letters that the name of a law must have at least in an alphabet."""

_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK")
_OPENING, _CLOSING = "《「『〈", "》」』〉"
_STATE = "国"
"""A title may begin with the name of its state: 中华人民共和国劳动法."""

_BRACKET = re.compile(r"[(（\[]([^()（）\[\]]*)[)）\]]\s*$")
_ACRONYM = re.compile(r"[^\W\d_]{2,12}")
_CODE = re.compile(r"[A-Z]{2,6}[ -]?\d{1,4}[A-Z]?")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|2[0-6])\d\d(?!\d)")
_WORD = re.compile(r"[^\W_]+")
_SIGNS_AFTER = re.compile(r"[\W_]+$")
_SIGNS_BEFORE = re.compile(rf"[\W_]{{1,{_REACH}}}")


class LawMention(NamedTuple):
    """A law that a text names.

    Attributes:
        start: in the text.
        end: in the text.
        laws: numbers of the laws that it may be; none for a law that is not in the collection.
    """

    start: int
    end: int
    laws: tuple[int, ...]


class LawNames:
    """The laws of a collection by name.

    Args:
        names: of the laws; the number of a law is its position.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names: dict[str, tuple[int, ...]] = {}
        self._acronyms: dict[str, tuple[int, ...]] = {}
        self._codes: dict[str, tuple[int, ...]] = {}
        self._by_letter: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        self._years = [set(_YEAR.findall(name)) for name in names]
        for number, name in enumerate(names):
            base = _base(name)
            for form in dict.fromkeys((name, base)):
                if _is_telling(form):
                    key = compact(form)
                    self._names[key] = (*self._names.get(key, ()), number)
            if (bracket := _BRACKET.search(name)) and _ACRONYM.fullmatch(bracket[1]):
                self._acronyms[bracket[1]] = (*self._acronyms.get(bracket[1], ()), number)
            elif bracket and _CODE.fullmatch(bracket[1]):
                self._codes[compact(bracket[1])] = (*self._codes.get(compact(bracket[1]), ()), number)
            words = tuple(filter(None, map(compact, _WORD.findall(base))))
            if len(words) > 1:
                self._by_letter.setdefault(words[0][0], []).append((number, words))
        sizes: dict[str, set[int]] = {}
        for key in self._names:
            sizes.setdefault(key[:2], set()).add(len(key))
        self._sizes = {head: sorted(of, reverse=True) for head, of in sizes.items()}

    def find(self, text: str) -> list[LawMention]:
        """Return the laws that a text names in full, in its order; of names that overlap, the first, then the longest.

        White space and signs do not matter, but a name is not found inside a word or inside a longer title in quotes.
        """
        letters, places = _letters(text)
        mentions, at = [], 0
        while at < len(letters):
            size = 1
            for length in self._sizes.get(letters[at : at + 2], ()):
                laws = self._names.get(letters[at : at + length])
                if laws and at + length <= len(letters):
                    start, end = places[at], places[at + length - 1] + 1
                    if _stands_alone(text, start, end):
                        mentions.append(LawMention(start, end, laws))
                        size = length
                        break
            at += size
        return mentions

    def named(self, name: str) -> tuple[int, ...]:
        """Return the laws that a name means: in full, without what is in brackets, by letters, or abbreviated.

        A law of another year is another law.
        """
        bracket = _BRACKET.search(name)
        for form in (name, *((bracket[1],) if bracket else ()), _base(name)):
            key = compact(form)
            if laws := self._names.get(key) or self._codes.get(key) or self._acronyms.get(form):
                years = set(_YEAR.findall(name))
                return tuple(law for law in laws if not years or not self._years[law] or years & self._years[law])
        return self._abbreviated("".join(_WORD.findall(name)))

    def of(self, text: str, references: Sequence[WrittenReference]) -> list[LawMention | None]:
        """Return the law of each reference in a text; None if the text names no law.

        A law directly before or after a reference is its law; else the law that was named last before it; else the
        first one that is named after it.
        """
        named = self.find(text)
        starts, ends = {law.start: law for law in named}, {law.end: law for law in named}
        order = [law.start for law in named]
        meant: list[LawMention | None] = []
        last: LawMention | None = None
        for one in references:
            law = None if one.same_law else self._before(text, one, ends) or self._after(text, one, starts)
            if law is None:
                place = bisect.bisect_left(order, one.start)
                earlier = [each for each in (last, named[place - 1] if place else None) if each is not None]
                law = max(earlier, key=lambda each: each.end) if earlier else named[place] if named[place:] else None
            else:
                last = law
            meant.append(law)
        return meant

    def _before(self, text: str, reference: WrittenReference, ends: Mapping[int, LawMention]) -> LawMention | None:
        low = max(0, reference.start - _REACH)
        end = low + len(_SIGNS_AFTER.sub("", text[low : reference.start]))
        # There may be one letter between law and number: 상법의 제3조, 劳动法的第三条.
        if law := ends.get(end) or ends.get(end - 1):
            return law
        words = _WORD.findall(text[max(0, end - _LONGEST) : end])
        phrase: list[str] = []
        while words and reference.endings and words[-1].endswith(reference.endings):
            phrase.insert(0, words.pop())
        for skipped in range(len(phrase)):
            if laws := self._abbreviated("".join(phrase[skipped:])):
                return LawMention(end - len(" ".join(phrase[skipped:])), end, laws)
        if phrase:  # the name of another law, or only a word for a law
            return None if phrase[-1] in reference.endings else LawMention(end - len(phrase[-1]), end, ())
        return self._acronym(words[-1], end - len(words[-1])) if words else None

    def _after(self, text: str, reference: WrittenReference, starts: Mapping[int, LawMention]) -> LawMention | None:
        for place in (reference.after, reference.law):
            if place is not None:
                word = _SIGNS_BEFORE.match(text, place)
                start = word.end() if word else place
                if law := starts.get(start):
                    return law
                if (word := _WORD.match(text, start)) and (law := self._acronym(word[0], start)):
                    return law
        return None if reference.law is None else LawMention(reference.end, reference.law, ())

    def _acronym(self, word: str, start: int) -> LawMention | None:
        """Return the law whose acronym is `word`, which must have two capitals; ``KUHPerdata`` is one."""
        if sum(map(str.isupper, word)) < 2:
            return None
        laws = self._acronyms.get(word) or (self._abbreviated(word) if len(word) > 2 else ())
        return LawMention(start, start + len(word), laws) if laws else None

    def _abbreviated(self, word: str) -> tuple[int, ...]:
        short = compact(word)[:_LONGEST]
        return tuple(number for number, words in self._by_letter.get(short[:1], ()) if abbreviates(short, words))


def compact(text: str) -> str:
    """Return the letters, marks and digits of a text in lower case."""
    return _letters(unicodedata.normalize("NFC", text))[0]


def abbreviates(short: str, words: Sequence[str]) -> bool:
    """Return True if `short` consists of beginnings of two or more `words` in order, from the first to the last.

    For the last word, its end may be used instead: ``초고층재난관리법`` for ``초고층 … 재난관리에 관한 특별법``.
    """
    last = len(words) - 1
    # Characters of `short` that the words up to here may have made.
    reached = {size for size in range(1, len(words[0]) + 1) if short.startswith(words[0][:size])}
    for word in words[1:last]:
        reached |= {
            at + size for at in reached for size in range(1, len(word) + 1) if short.startswith(word[:size], at)
        }
    return any(
        at < len(short) and (words[last].startswith(short[at:]) or words[last].endswith(short[at:])) for at in reached
    )


def _base(name: str) -> str:
    """Return a name without brackets, years and versions at its end."""
    words = _BRACKET.sub("", name.replace("_", " ")).split()
    while len(words) > 1 and (any(map(str.isdigit, words[-1])) or words[-1].endswith(".")):
        words.pop()
    return " ".join(words)


def _letters(text: str) -> tuple[str, list[int]]:
    """Return the letters, marks and digits of a text in lower case, and the place of each in the text."""
    letters, places = [], []
    for place, sign in enumerate(text):
        if sign.isalnum() or unicodedata.category(sign)[0] == "M":
            for letter in sign.casefold():
                letters.append(letter)
                places.append(place)
    return "".join(letters), places


def _script(sign: str) -> str:
    return unicodedata.name(sign, "").partition(" ")[0] if sign else ""


def _is_telling(name: str) -> bool:
    """Return True if a name cannot occur by accident: at least two characters, or two words in alphabetic scripts."""
    key = compact(name)
    if _script(key[:1]) in _ALPHABETS:
        return len(name.split()) > 1 and len(key) >= _SHORTEST
    return len(key) > 1


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return True if a name is not part of a longer word or of a longer title in quotes."""
    before, script = text[start - 1 : start], _script(text[start])
    if before.isalpha() and (script in _ALPHABETS or script == "HANGUL"):
        return False
    if script in _ALPHABETS and text[end : end + 1].isalpha():
        return False
    head = text[max(0, start - _LONGEST) : start]
    opened = max(map(head.rfind, _OPENING))
    quoted = head[opened + 1 :].strip() if opened > max(map(head.rfind, _CLOSING)) else ""
    return not quoted or quoted.endswith(_STATE)
