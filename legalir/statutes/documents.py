"""Documents of a law: which units become provisions, their docnos, and the address of each unit.

The unit of a document is a choice (`Cut`). Text outside the chosen units (the words before the first paragraph)
is a document of the unit that holds it, so that no text is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from legalir.references.numbering import numbers_of
from legalir.references.resolve import Address, Kind
from legalir.statutes.law import GivenLink, Law, Span, Unit

Cut = Literal["papers", "article", "paragraph", "item"]
"""The unit of a document.

- ``papers``: as the papers cut [sfs-b]_ [nitibench]_: an article (in Korean standards a decimal of the second level),
  and of an annex each item.
- ``article``: an article, and a whole annex.
- ``paragraph``: a paragraph of an article; of an annex, an item.
- ``item``: an item of a paragraph, or of an annex.
"""

_ALWAYS: tuple[Kind, ...] = ("group", "annex", "supplement", "preamble")
_OUTSIDE: dict[Cut, tuple[Kind, ...]] = {
    "papers": (*_ALWAYS, "article"),
    "article": (*_ALWAYS, "article"),
    "paragraph": (*_ALWAYS, "article", "paragraph"),
    "item": (*_ALWAYS, "article", "paragraph", "item"),
}
_IN_ANNEX: dict[Cut, tuple[Kind, ...]] = {
    "papers": (*_ALWAYS, "article", "item"),
    "article": (),
    "paragraph": (*_ALWAYS, "article", "item"),
    "item": (*_ALWAYS, "article", "item"),
}
_NAMES: dict[Kind, str] = {"annex": "annex", "supplement": "supp", "preamble": "preamble", "law": "text"}
_FIRST = 2
"""Largest number with which the numbers of a group begin again; § 1 may be repealed and gone."""

_MAIN = re.compile(r"\d{1,9}")
_UNFIT = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060\ufeff]+")


class Document(NamedTuple):
    """A unit that becomes a provision.

    Attributes:
        docno: ``law_id-number``; ``law_id-annex-4/1`` in an annex, ``law_id-supp-2/1`` in a supplement,
            ``law_id-3/2`` for paragraph 2 of article 3. A number that occurs twice gets ``~2``.
        unit: the unit.
        above: the units that hold it, from the root down.
        text: rendered, without the units inside that are documents of their own; empty if the unit is repealed.
        spans: spans of the text in the text of the law, also for a repealed unit.
    """

    docno: str
    unit: Unit
    above: tuple[Unit, ...]
    text: str
    spans: tuple[Span, ...] = ()


class CutLaw(NamedTuple):
    """A law as documents.

    Attributes:
        documents: in reading order.
        addresses: addresses of all units that are a document or inside a document.
        links: docno of the citing document, and the link that the publisher marks up.
        repeated: docnos of a second unit with the same number.
        related: docno of an annex, and the articles that it says it belongs to, as printed.
    """

    documents: list[Document]
    addresses: list[Address]
    links: list[tuple[str, GivenLink]]
    repeated: list[str]
    related: list[tuple[str, str]]


def cut(law: Law, unit: Cut = "papers") -> CutLaw:
    """Cut a law into documents.

    A repealed unit is a document with empty text. A unit that contains only other documents does not become a document
    itself. A table of contents, whatever format it comes from, is left out of the law first.
    """
    _leave_out_contents(law)
    cutter = _Cutter(law, unit)
    cutter.visit(law.root, (), (), _OUTSIDE[unit])
    return CutLaw(cutter.documents, cutter.addresses, cutter.links, cutter.repeated, cutter.related)


def _leave_out_contents(law: Law) -> None:
    """Skip headings without text that precede the same headings with text."""
    content = law.root.content
    opens = (
        place for place, each in enumerate(content) if isinstance(each, Unit) and each.kind in ("group", "article")
    )
    first = next(opens, len(content))
    headings: list[Unit] = []
    for again, part in enumerate(content[first:], first):
        if isinstance(part, Span) and part.role == "text":
            return
        if not isinstance(part, Unit):
            continue
        if len(headings) > 1 and part.number and (part.kind, part.number) == (headings[0].kind, headings[0].number):
            for span in (span for each in content[first:again] if isinstance(each, Unit) for span in each.spans()):
                law.leave_out(span.start, span.end, "table of contents")
            del content[first:again]
            return
        if part.repealed or any(span.role == "text" for span in part.spans()):
            return
        headings += part.walk()


class _Cutter:
    def __init__(self, law: Law, unit: Cut) -> None:
        self._law, self._cut = law, unit
        self._taken: Counter[str] = Counter()
        self.documents: list[Document] = []
        self.addresses: list[Address] = []
        self.links: list[tuple[str, GivenLink]] = []
        self.repeated: list[str] = []
        self.related: list[tuple[str, str]] = []
        self._parts: dict[int, str] = {}
        self._numbers(law.root, _OUTSIDE[unit])

    def _numbers(self, unit: Unit, cuts: tuple[Kind, ...]) -> list[str]:
        """Return the numbers in a unit, and find the groups in which they begin again: part 2 of a schedule.

        In an annex one number that two groups share is enough. In a law, most groups must begin again, or all of three
        or more must share a number, as chapters do that begin with section 1; else only the last groups may do so.
        """
        cuts = _IN_ANNEX[self._cut] if unit.kind == "annex" else cuts
        inside = [each for each in unit.units if each.kind in cuts]
        found = [self._numbers(each, cuts) for each in inside]
        groups = [
            (each, numbers) for each, numbers in zip(inside, found, strict=True) if each.kind == "group" and numbers
        ]
        sets = [set(numbers) for _, numbers in groups]
        if cuts == _OUTSIDE[self._cut]:
            anew = [_begins_anew(before, later) for (_, before), (_, later) in pairwise(groups)]
            shared = (len(sets) > 2 and bool(set.intersection(*sets))) or 2 * sum(anew) > len(anew)
            if len(groups) == 2 and len({(each.level, not each.number) for each, _ in groups}) == 2:
                shared = False  # A book and its transitional provisions.
            last = set() if shared else _last_anew(zip(inside, found, strict=True))
        else:
            shared, last = bool(sets) and sum(map(len, sets)) > len(set.union(*sets)), set()
        for place, (each, _) in enumerate(groups, 1):
            if shared or id(each) in last:
                self._parts[id(each)] = f"{each.level or 'part'} {each.number or place}"
        below = {id(each): [self._parts[id(each)]] if id(each) in self._parts else numbers for each, numbers in groups}
        return [
            number
            for each in inside
            for number in (below.get(id(each), []) if each.kind == "group" else [each.number] if each.number else [])
        ]

    def _path(self, unit: Unit, path: tuple[str, ...]) -> tuple[str, ...]:
        return (*path, self._parts[id(unit)]) if id(unit) in self._parts else _path(unit, path)

    def visit(self, unit: Unit, above: tuple[Unit, ...], path: tuple[str, ...], cuts: tuple[Kind, ...]) -> None:
        """Make the document of a unit, if it has one, and the documents of the units inside."""
        if unit.kind == "annex":
            cuts = _IN_ANNEX[self._cut]
        inside = [each for each in unit.units if each.kind in cuts]
        without = frozenset(map(id, inside))
        text = "" if unit.repealed else self._law.render(unit, without=without)
        holds_only = unit.kind in ("law", "group") or bool(inside)
        docno = self._docno(unit, path, above) if text or not holds_only else ""
        if docno:
            self.documents.append(Document(docno, unit, above, text, self._law.spans_of(unit, without=without)))
        first = len(self.documents)
        for each in inside:
            self.visit(each, (*above, unit), self._path(each, path), cuts)
        docno = docno or (self.documents[first].docno if len(self.documents) > first else "")
        if docno:
            self._address(unit, path, docno, without)

    def _docno(self, unit: Unit, path: tuple[str, ...], above: tuple[Unit, ...]) -> str:
        place = "/".join(path) or f"{_NAMES.get(unit.kind, unit.level or 'part')}-{unit.number}".rstrip("-")
        if unit.kind == "group" and unit.label and (not unit.number or unit.level == "provision"):
            place = unit.label  # Disposición adicional primera
        docno = _UNFIT.sub("-", f"{self._law.law_id}-{place}".replace("annex ", "annex-").replace("supp ", "supp-"))
        if unit.kind == "group" and path:  # The text below a heading of part 2 of a schedule.
            docno = _UNFIT.sub("-", "/".join([docno, *self._groups((*above, unit))]))
        self._taken[docno] += 1
        if self._taken[docno] > 1:
            docno = f"{docno}~{self._taken[docno]}"
            self.repeated.append(docno)
        return docno

    def _groups(self, units: Sequence[Unit]) -> Iterator[str]:
        """Yield level and number, or place, of the groups that the path of a unit does not name."""
        for holder, unit in pairwise(units):
            if unit.kind == "group" and id(unit) not in self._parts:
                place = [each is unit for each in holder.units if each.kind == "group"].index(True) + 1
                yield f"{unit.level or 'part'}-{unit.number or place}"

    def _address(self, unit: Unit, path: tuple[str, ...], docno: str, without: frozenset[int]) -> None:
        self.addresses.append(Address(path, unit.key, docno, unit.kind))
        if unit.kind == "article" and "-" in unit.number:  # It may stand for several: Art. 86 und 87.
            numbers = numbers_of(unit.label)
            self.addresses += [Address((*path[:-1], one), "", docno, unit.kind) for one in numbers if one != path[-1]]
        self.links += [(docno, link) for link in unit.links]
        self.related += [(docno, words) for words in unit.related]
        for each in unit.units:
            if id(each) not in without:
                self._address(each, _path(each, path), docno, without)


def _begins_anew(before: Sequence[str], later: Sequence[str]) -> bool:
    """Return True if the numbers of a group fall back to the first ones: 1, 2, 3 and 1, 2."""
    last, first = (int(match[0]) if (match := _MAIN.match(one)) else 0 for one in (before[-1], later[0]))
    return 0 < first <= _FIRST and first <= last and later[0] in before


def _last_anew(units: Iterable[tuple[Unit, list[str]]]) -> set[int]:
    """Return ``id()`` of the last groups of a law, where each begins with 1 again: transitional provisions."""
    known: set[str] = set()
    last: set[int] = set()
    for unit, numbers in units:
        if unit.kind == "group" and numbers[:1] == ["1"] and "1" in known:
            last.add(id(unit))
        elif unit.kind in ("group", "article") and (numbers or unit.number):
            last.clear()
        known |= {*numbers, *([unit.number] if unit.kind == "article" else [])}
    return last


def _path(unit: Unit, path: tuple[str, ...]) -> tuple[str, ...]:
    if unit.kind in ("law", "group"):
        return path
    name = _NAMES.get(unit.kind)
    return (*path, f"{name} {unit.number}".rstrip() if name else unit.number or unit.label or unit.key or "text")
