"""References resolved to provisions: which documents of a collection each of them cites.

A number is looked up in the target's own list: ``前条`` is the previous article in the law, a range is all
units between its ends as the law has them, and ``2.18.1.1`` is cut to the longest number that the law has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Literal, NamedTuple

from legalir.references.law_names import LawNames
from legalir.references.numbering import number_of
from legalir.references.read import Reference, State

Kind = Literal["law", "group", "article", "paragraph", "item", "subitem", "annex", "supplement", "preamble"]
"""What a unit is in the order of every jurisdiction.

- ``law``: the root. ``group``: part, book, title, chapter, division: the levels above the articles.
- ``article``: the unit that is cited by a number of its own in the whole law: 조, 条, §, section, มาตรา, article.
- ``paragraph``, ``item``, ``subitem``: the levels inside, in this order; deeper levels are also ``subitem``.
- ``annex``: 별표, 別表, schedule, Anhang; its own units are ``item`` and ``subitem``.
- ``supplement``: 부칙, 附則, transitional provisions of one act; its own articles number from 1 again.
- ``preamble``: enacting words, recitals, table of contents that a publisher counts as text.
"""

_OPEN_LAWS = 64
_BETWEEN = 8
"""Maximum number of references between the ends of a range."""
_LEVELS = ("paragraph", "item", "subitem")
_HANGUL = re.compile(r"[가-힣]")
_DASHES = re.compile(r"[‐‑–—]|(?<=\d)之(?=\d)")  # Taiwan writes 15-1 above an article, and 十五條之一 in its text.
_LAST_TITLE = re.compile(r"schlu(?:ss|ß)titel|titre.final|titolo.finale", re.IGNORECASE)
"""A title whose articles begin with 1 again, though the others go on."""
_LAST_DECIMAL = re.compile(r"\.\d+$")
_ARTICLE = re.compile(r"article\b", re.IGNORECASE)
"""An article of a constitution whose articles hold sections: *section 1 of article I*."""
_SECTION = re.compile(r"sections?\b", re.IGNORECASE)
_ONE_ANNEX = re.compile(r"annex(?: \d+)?")
"""The key of an annex, and of nothing in it."""


class Address(NamedTuple):
    """A unit and the document that contains it, used to resolve references and links.

    Attributes:
        path: number of the article and of the units inside, ``("9의2", "1", "3")``; in an annex the first is
            ``annex 4``, in a supplement ``supp 2``.
        key: the publisher's identifier of the unit, empty if there is none.
        docno: of the document.
        kind: of the unit.
    """

    path: tuple[str, ...]
    key: str
    docno: str
    kind: Kind


class LawEntry(NamedTuple):
    """A law that references may cite.

    Attributes:
        law_id: its identifier.
        title: its name.
        names: its other names, identifiers and abbreviations.
        country: two letters.
        lang: its language, ISO 639-1.
        level: ``act``, ``decree``, ``rule``, ``standard``, or another word.
        addresses: of its units, in reading order, or a function that returns them whenever they are needed.
    """

    law_id: str
    title: str
    names: tuple[str, ...] = ()
    country: str = ""
    lang: str = ""
    level: str = ""
    addresses: Sequence[Address] | Callable[[], Iterable[Address]] = ()


class Resolved(NamedTuple):
    """A reference and what it cites.

    Attributes:
        reference: the reference.
        state: see :data:`legalir.references.read.State`; never ``read``.
        docnos: docnos of the provisions; for an ambiguous reference, all candidates.
        law_id: of the law, empty if it is not in the collection or not certain.
    """

    reference: Reference
    state: State
    docnos: tuple[str, ...] = ()
    law_id: str = ""


class _Book:
    """The units of one law by their paths, in reading order."""

    def __init__(self, law: LawEntry) -> None:
        self.law = law
        self.docnos: dict[tuple[str, ...], str] = {}
        self.nested: set[tuple[str, ...]] = set()
        for address in law.addresses() if callable(law.addresses) else law.addresses:
            self.docnos.setdefault(_key(address.path), address.docno)
            if address.kind == "article" and address.path[1:] and not address.path[0].startswith(("annex", "supp")):
                self.nested.add(_key(address.path))
        self.order = list(self.docnos)
        self.place = {path: place for place, path in enumerate(self.order)}
        self.articles = [path[0] for path in self.order if len(path) == 1 and not path[0].startswith(("annex", "supp"))]
        self.article_places = {article: place for place, article in enumerate(self.articles)}

    def neighbour(self, path: tuple[str, ...], step: int) -> str:
        """Return the article some steps away from the one at a path, or an empty string."""
        articles, places, article = self.articles, self.article_places, path[0]
        if article.startswith("supp"):
            articles = [each[1] for each in self.order if len(each) == 2 and each[0] == article]
            places, article = {each: place for place, each in enumerate(articles)}, "".join(path[1:2])
        if article not in places:
            return ""
        place = places[article] + step
        return articles[place] if 0 <= place < len(articles) else ""

    def above(self, reference: Reference, path: Sequence[str], before: Reference | None) -> tuple[str, ...] | None:
        """Return the article or part whose own article a reference means, nothing for one of the whole law.

        In laws whose articles or chapters hold articles that begin again with 1, ``§ 2`` is a section of the article
        named right before it, else of the article that contains the text; None if it cannot be one.
        """
        if not self.nested and _ARTICLE.match(reference.group):
            article = _key((number_of(reference.group),))  # Section 3 of Article I, a part of the provision.
            return article if article in self.docnos else None
        if not self.nested and before and _ARTICLE.match(before.surface) and _SECTION.match(reference.surface):
            article = _key((before.article,))  # Section 3 of Article 1
            return article if (*article, *_key((reference.article,))) in self.docnos else ()
        if not self.nested or not reference.article:
            return ()
        if _LAST_TITLE.match(reference.group):  # Artikel 1 des Schlusstitels
            holders = {path[0]: None for path in self.nested if path[-1] == _folded(reference.article)}
            return next(((one,) for one in holders if _LAST_TITLE.search(one)), None)
        if chapter := number_of(reference.group).casefold():
            holders = dict.fromkeys(path[0] for path in self.nested if path[-1] == _folded(reference.article))
            return next(((one,) for one in holders if one.rpartition(" ")[2] == chapter), None)
        for holder in () if before is None else (before.article, f"article {before.article}"):
            if _key((holder, reference.article)) in self.nested:
                return (holder,)
        if _ARTICLE.match(reference.surface) and any(holder.startswith("article ") for holder, *_ in self.nested):
            return None  # A constitution whose articles hold sections.
        if path and _key((path[0], reference.article)) in self.nested:
            return (path[0],) if " " in path[0] or reference.surface.startswith("§") else ()
        articles = any(" " not in holder for holder, *_ in self.nested)
        return None if articles and reference.surface.startswith("§") else ()

    def find(
        self, reference: Reference, above: tuple[str, ...] = (), at: tuple[str, ...] = ()
    ) -> list[tuple[str, ...]]:
        """Return the path of the unit, or of the lowest one above it that the law has; several if it may be any."""
        if not reference.supplement:
            return [path for path in (self._beside(reference, at) or self._in_text(reference, above),) if path]
        number = reference.supplement.partition(" ")[2]
        heads = [f"supp {number}"] if number else [each for each in ("supp", "supp 1") if (each,) in self.docnos]
        if not heads:
            heads = list(dict.fromkeys(path[0] for path in self.order if path[0].startswith("supp")))
        return [path for head in heads if (path := self._in_supplement(head, reference))]

    def _beside(self, reference: Reference, path: tuple[str, ...]) -> tuple[str, ...]:
        """Return the path of a number without its annex, *Nummer 5.2*, in the same section of it; empty without one."""
        inside = tuple(getattr(reference, level) for level in _LEVELS if getattr(reference, level))
        own = len(path) > 2 and path[0] == f"annex {reference.annex}".casefold()  # Written out, it has its word.
        if not (reference.annex and own and inside) or reference.row:
            return ()
        paths = (_key((*path[:size], *inside)) for size in range(len(path) - 1, 1, -1))
        return next((each for each in paths if each in self.docnos), ())

    def _in_supplement(self, head: str, reference: Reference) -> tuple[str, ...] | None:
        inside = [getattr(reference, level) for level in ("article", *_LEVELS)]
        path = _key((head, *(one for one in inside if one)))
        return next((path[:size] for size in range(len(path), 1, -1) if path[:size] in self.docnos), None)

    def _in_text(self, reference: Reference, above: tuple[str, ...]) -> tuple[str, ...] | None:
        inside = [getattr(reference, level) for level in _LEVELS]
        if reference.annex:
            number = number_of(reference.annex)
            head = f"annex {number}".rstrip()
            if number in ("", reference.annex) and (head,) not in self.docnos:  # 別表により: the only one
                annexes = {path[0] for path in self.order if path[0].startswith("annex")}
                head = next((each for each in annexes if len(annexes) == 1 and _ONE_ANNEX.fullmatch(each)), head)
            inside = [one for one in (_row(reference.row), *inside) if one]
        else:
            head = reference.article
        paths = [_key((*above, head, *(one for one in inside if one)))]
        if not reference.annex and not reference.paragraph and any(inside):
            paths.append(_key((*above, head, "1", *(one for one in inside if one))))
        while head:
            for path in paths:
                for size in range(len(path), len(above), -1):
                    if path[:size] in self.docnos and (size > len(above) + 1 or path is paths[-1]):
                        return path[:size]
            if not _LAST_DECIMAL.search(head):
                return None
            head = _LAST_DECIMAL.sub("", head)
            paths = [_key((*above, head))]
        return None

    def between(self, first: tuple[str, ...], last: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return the units after `first` up to `last` on the level of `last`."""
        low, high = self.place[first], self.place[last]
        if low > high or first[:-1] != last[:-1]:
            return [last]
        return [path for path in self.order[low + 1 : high + 1] if len(path) == len(last) and path[:-1] == last[:-1]]


class Resolver:
    """Finds the provisions that references cite.

    Args:
        laws: all laws of the collection. The units of a few are in memory at a time.
    """

    def __init__(self, laws: Iterable[LawEntry]) -> None:
        self._entries: list[LawEntry] = []
        names: list[str] = []
        owners: list[int] = []
        self._ids: dict[str, int] = {}
        for law in laws:
            number = len(self._entries)
            self._entries.append(law)
            self._ids[law.law_id] = number
            for name in dict.fromkeys((law.title, *law.names)):
                names.append(name)
                owners.append(number)
        self._names, self._owners = LawNames(names, owners), owners
        self._named: dict[tuple[str, bool], tuple[int, ...]] = {}
        entries = self._entries
        self._book = lru_cache(_OPEN_LAWS)(lambda number: _Book(entries[number]))

    def resolve(self, references: Sequence[Reference], law_id: str, path: Sequence[str] = ()) -> list[Resolved]:
        """Return what each reference of a text cites.

        Args:
            references: in the order of the text, as :func:`legalir.references.read.read` returns them.
            law_id: the law that contains the text.
            path: path of the unit that contains it, as in :class:`~legalir.statutes.documents.Address`.
        """
        found: list[Resolved] = []
        laws = frozenset(one.law for one in references if _HANGUL.match(one.law) and one.surface.startswith(one.law))
        last: Reference | None = None
        for reference, after in zip_longest(references, references[1:]):
            beside = last is not None and reference.surface[:1] == "§" and reference.start - last.end < 2
            named = last if beside else None
            if last and reference.start - last.end <= len(", ") and _ARTICLE.match(last.surface):
                named = last  # Article 2, section 4
            elif after and after.start - reference.end == len(" of ") and _ARTICLE.match(after.surface):
                named = after  # Section 4 of article 2
            opening = _opening(found, reference) if reference.range_end else None
            one = self._resolved(reference, law_id, path, opening, laws, named)
            inner = () if named is None else _key((named.article, reference.article))
            if inner and one.state == "resolved" and inner in self._book(self._ids[one.law_id]).nested:
                # Artikel 232 § 2 is one provision.
                found[-1] = found[-1]._replace(state=one.state, docnos=one.docnos, law_id=one.law_id)
            found.append(one)
            last = reference
        return found

    def _laws(self, reference: Reference, own: int | None, bare: frozenset[str]) -> tuple[int, ...]:
        if reference.law_kind in ("self", "relative") and own is not None:
            law = self._entries[own]
            if reference.law in ("", law.title):
                return (own,)
        named = reference.law, reference.law in bare
        if named not in self._named:
            words, numbers = reference.law, self._names.named(reference.law) if reference.law else ()
            while not numbers and named[1] and " " in words:
                # Words that precede a name without quotes may have been read as a part of it.
                words = words.partition(" ")[2]
                numbers = self._names.in_full(words)
            self._named[named] = tuple(sorted({self._owners[number] for number in numbers}))
        laws = self._named[named]
        if own is not None and len(laws) > 1:
            country = self._entries[own].country
            laws = tuple(law for law in laws if self._entries[law].country == country) or laws
        return laws

    def _resolved(
        self,
        reference: Reference,
        law_id: str,
        path: Sequence[str],
        opening: Resolved | None,
        bare: frozenset[str],
        named: Reference | None,
    ) -> Resolved:
        own = self._ids.get(law_id)
        laws = self._laws(reference, own, bare)
        if not laws:
            return Resolved(reference, "not in collection" if reference.law else "unparsed")
        law = self._entries[laws[0]].law_id if len(laws) == 1 else ""
        if reference.counted.startswith("article") and laws == (own,) and path:
            step = int(reference.counted.split()[1])
            article = self._book(laws[0]).neighbour(_key(path), step)
            if not article:
                return Resolved(reference, "not in collection", (), law)
            reference = reference._replace(article=article)
        if not (reference.article or reference.annex or (reference.supplement and reference.paragraph)):
            return Resolved(reference, "unparsed" if reference.group else "whole law", (), law)
        paths = []
        for book in map(self._book, laws):
            at = path if book.law.law_id == law_id else ()
            above = book.above(reference, at, named)
            if above is not None:
                paths += [(book, unit, above) for unit in book.find(reference, above, _key(at))]
        if not paths:
            return Resolved(reference, "not in collection", (), law)
        if len(paths) > 1:
            docnos = tuple(dict.fromkeys(book.docnos[unit] for book, unit, _ in paths))
            return Resolved(reference, "ambiguous", docnos)
        book, unit, above = paths[0]
        units = [unit]
        if opening is not None and opening.law_id == book.law.law_id and opening.docnos:
            first = book.find(opening.reference, above, _key(path) if book.law.law_id == law_id else ())
            units = book.between(first[0], unit) if first else units
        state: State = "ambiguous" if reference.law_kind == "likely" else "resolved"
        return Resolved(reference, state, tuple(dict.fromkeys(book.docnos[each] for each in units)), book.law.law_id)


def _opening(found: Sequence[Resolved], last: Reference) -> Resolved | None:
    """Return what opens a range; parts of it may be named between: 제1항(제3호는 제외한다)부터 제5항까지."""
    if not found:
        return None
    path, size = _numbers(found[-1].reference), len(_numbers(last))
    holds = (one for one in reversed(found[-_BETWEEN:]) if _numbers(one.reference) == path[:size])
    return next(holds, found[-1]) if len(path) > size else found[-1]


def _numbers(reference: Reference) -> tuple[str, ...]:
    """Return the law and the numbers of a reference."""
    inside = (getattr(reference, level) for level in _LEVELS)
    return (reference.law, *(one for one in (reference.article or reference.annex, *inside) if one))


def _key(path: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(_folded, path))


@lru_cache(1 << 14)
def _folded(part: str) -> str:
    return _DASHES.sub("-", part).casefold()


def _row(row: str) -> str:
    return number_of(row) if row else ""
