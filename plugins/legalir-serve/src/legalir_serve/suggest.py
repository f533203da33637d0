"""Suggestions while a question is typed: names of laws, and headings of provisions."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from legalir.extend import day_of

if TYPE_CHECKING:
    from legalir import Collection

SUGGESTIONS, TYPED = 8, 100
"""Most suggestions, and most letters that are looked at."""

_LAWS = 5
"""Most of them that are laws, if there are headings."""

_LOOKED_AT = 64
"""Most names with the letters inside them, of which those come first that have a word that begins with the letters."""

_IGNORED = re.compile(r"[^\w\n]|[_\u0300-\u036f]")
_WORD = re.compile(r"\w+")


def folded(text: str) -> str:
    """Return a text without capitals, blanks, signs and accents, Hangul as its letters: 민버 is a beginning of 민법."""
    return _IGNORED.sub("", unicodedata.normalize("NFKD", text).casefold())


class Suggestions:
    """The names of the laws of a collection and the headings of its provisions; titles, if it has neither.

    Args:
        collection: the collection; of one with versions, those in force today count.
    """

    def __init__(self, collection: Collection) -> None:
        self._store = store = collection.source.store
        rows = np.arange(len(store))
        if store.validity is not None:
            rows = rows[store.validity.on(day_of(collection.day(), "as_of"))]
        laws, headings = (store.column(name)[rows].tolist() for name in ("law", "heading"))
        if not any(laws) and not any(headings):
            headings = [record.title for record in store.at(rows.tolist())]
        self._names, self._counts, self._places = list[str](), list[int](), list[int]()
        for values in (laws, headings):
            first = {value: place for place, value in zip(rows[::-1].tolist(), values[::-1], strict=True)}
            for value, count in Counter(values).most_common():
                if value.strip():
                    self._names.append(" ".join(value.split()))
                    self._counts.append(count)
                    self._places.append(first[value])
            if values is laws:
                self._laws = len(self._names)
        self._text = folded("\n" + "\n".join(self._names) + "\n")
        self._starts = np.flatnonzero(np.frombuffer(self._text.encode("utf-32-le"), dtype=np.uint32) == ord("\n"))

    def of(self, typed: str) -> list[dict[str, Any]]:
        """Return at most 8 names that begin with what is typed, or have it inside.

        Returns:
            Each with ``text``; ``kind``, ``law`` or ``heading``; ``provisions``, how many have it; ``docno`` and
            ``title`` of the first provision of a law, or of the only one with a heading; else both are empty.
        """
        wanted = folded(typed[:TYPED].replace("\n", " "))
        if not wanted:
            return []
        laws, headings = self._found(wanted, 0, self._laws), self._found(wanted, self._laws, len(self._names))
        few = laws[: max(_LAWS, SUGGESTIONS - len(headings))]
        found = [*few, *headings][:SUGGESTIONS]
        single = [each for each in found if each < self._laws or self._counts[each] == 1]
        records = dict(zip(single, self._store.at(self._places[each] for each in single), strict=True))
        return [
            {
                "text": self._names[each],
                "kind": "law" if each < self._laws else "heading",
                "provisions": self._counts[each],
                "docno": records[each].doc_id if each in records else "",
                "title": records[each].title if each in records else "",
            }
            for each in found
        ]

    def _found(self, wanted: str, first: int, last: int) -> list[int]:
        """Return numbers of names, of those from `first` to `last`: the same, beginnings, words inside, the rest."""
        if first == last:
            return []
        begin, end = int(self._starts[first]), int(self._starts[last]) + 1
        same = [*self._hits(f"\n{wanted}\n", begin, end, 1)]
        beginning = [*self._hits(f"\n{wanted}", begin, end, SUGGESTIONS)]
        found = dict.fromkeys([*same, *beginning])
        if len(found) < SUGGESTIONS:
            inside = [each for each in self._hits(wanted, begin, end, _LOOKED_AT) if each not in found]
            inside.sort(key=lambda each: (not self._has_word(each, wanted), len(self._names[each])))
            found |= dict.fromkeys(inside)
        return [*found][:SUGGESTIONS]

    def _hits(self, letters: str, begin: int, end: int, most: int) -> Iterator[int]:
        for _ in range(most):
            place = self._text.find(letters, begin, end)
            if place < 0:
                return
            name = int(np.searchsorted(self._starts, place, side="right")) - 1
            yield name
            begin = int(self._starts[name + 1])

    def _has_word(self, name: int, wanted: str) -> bool:
        text = self._names[name]
        return any(folded(text[match.start() :]).startswith(wanted) for match in _WORD.finditer(text))
