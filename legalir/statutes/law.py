"""A law as its publisher writes it: the text of a file, and the tree of units in this text.

A reader of a format turns a file into a :class:`Law`. It never copies text: each unit holds *spans* of the text of the
file, in reading order, and what belongs to no unit is left out by a span and a reason. So each character of the file is
accounted for (`Law.unread` must be empty), and every provision can be found again in its source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from legalir.references.resolve import Kind

BREAK = "\n"
"""A line break between spans; white space inside spans is one space."""

CELL = " | "
"""Stands between the cells of a row of a table."""

NOT_YET = "9999-12-31"
"""The date from which a text applies that is not in force and whose date is not fixed: later than any question's."""

_WIDE = "、）"
"""Signs behind which Chinese has no blank: ``一、灯塔``."""
_SPACE = re.compile(r"[^\S\x1e]+")
_LINES = re.compile(r" *\x1e[\x1e ]*")
_BLANKS = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype="<u4")


class Span(NamedTuple):
    """A part of the text of a law.

    Attributes:
        start: the first character.
        end: after the last one.
        role: ``text``; or ``label`` (the printed number) and ``heading``, which a unit shows in its title.
    """

    start: int
    end: int
    role: Literal["text", "label", "heading"] = "text"


class LeftOut(NamedTuple):
    """A part of the text that belongs to no unit, and the reason: ``markup``, ``metadata``, ``editor's note``, …"""

    start: int
    end: int
    reason: str


class GivenLink(NamedTuple):
    """A link that the publisher marks up.

    Attributes:
        start: of the words that carry it.
        end: after them.
        law: identifier of the law that is cited, as in :attr:`Law.names`; empty for the law itself.
        key: key of the unit that is cited, as in :attr:`Unit.key`; empty for the whole law.
        kind: ``cites``, ``delegates``, ``amends`` or ``defines``.
    """

    start: int
    end: int
    law: str
    key: str
    kind: str = "cites"


@dataclass(slots=True)
class Unit:
    """A unit of a law, with all its contents in reading order.

    Attributes:
        kind: see `Kind`.
        level: name of the level in its jurisdiction, such as ``chapter`` or ``article``; see ``tables/``.
        number: by :func:`legalir.references.numbering.number_of`; empty where a unit has none.
        label: the number as printed, ``제9조의2``, ``§ 823a``; white space as one space.
        heading: without brackets around it.
        key: the publisher's own identifier, empty if there is none.
        content: spans, units, and the strings `BREAK` and `CELL`, in reading order. A unit starts a line by itself.
        repealed: whether the whole unit is repealed: it keeps its place, and is never in force.
        effective_from: ISO date from which this wording applies, if the publisher dates the unit.
        effective_to: ISO date from which it no longer applies.
        promulgated: ISO date of the act whose supplement it is.
        replaced_by: the unit that holds its matter now, ``law_id-number``, if the publisher says so.
        related: articles that an annex says it belongs to, as printed: ``제25조제1항``.
        links: links that the publisher marks up.
    """

    kind: Kind
    level: str = ""
    number: str = ""
    label: str = ""
    heading: str = ""
    key: str = ""
    content: list[Span | Unit | str] = field(default_factory=list)
    repealed: bool = False
    effective_from: str = ""
    effective_to: str = ""
    promulgated: str = ""
    replaced_by: str = ""
    related: tuple[str, ...] = ()
    links: list[GivenLink] = field(default_factory=list)

    @property
    def units(self) -> list[Unit]:
        """The units directly inside."""
        return [part for part in self.content if isinstance(part, Unit)]

    def walk(self) -> Iterator[Unit]:
        """Yield the unit and all units inside, in reading order."""
        yield self
        for unit in self.units:
            yield from unit.walk()

    def spans(self) -> Iterator[Span]:
        """Yield the spans of the unit and of all units inside, in reading order."""
        parts = self.content[::-1]
        while parts:
            part = parts.pop()
            if isinstance(part, Span):
                yield part
            elif isinstance(part, Unit):
                parts += part.content[::-1]

    def add(self, start: int, end: int, role: Literal["text", "label", "heading"] = "text") -> None:
        """Add a span; an empty span is ignored, and a span that continues the last one is joined to it."""
        if start >= end:
            return
        last = self.content[-1] if self.content else None
        if isinstance(last, Span) and last.end == start and last.role == role:
            self.content[-1] = Span(last.start, end, role)
        else:
            self.content.append(Span(start, end, role))

    def add_break(self, mark: str = BREAK) -> None:
        """Add a line break, or another mark, unless there is nothing before it."""
        if self.content:
            self.content.append(mark)


@dataclass(slots=True)
class Law:
    """One version of one law.

    Attributes:
        text: the text of the file, as it was read.
        title: name of the law.
        law_id: the publisher's identifier, the same for all versions; no white space.
        country: two letters, ISO 3166-1, lower case (``eu`` for the Union); selects the table of the jurisdiction.
        lang: ISO 639-1.
        root: the unit of kind ``law``.
        level: place in the order of laws: ``act``, ``decree``, ``rule``, ``standard``, or another word.
        kind: the publisher's word for it: ``대통령령``, ``政令``.
        names: other identifiers and names: IRIs, short titles, abbreviations.
        number: of the act, as printed: ``법률 제21065호``.
        promulgated: ISO date of the act; of a version, of the act that made it, where the publisher names that day.
        effective_from: ISO date from which this version applies.
        effective_to: ISO date from which it no longer applies.
        published: ISO date of this copy.
        amended_by: name or number of the act that made this version.
        announced: ISO dates on which acts begin that the text does not show yet, by their names.
        left_out: what belongs to no unit.
        notes: sentences for the report: what the reader could not decide.
    """

    text: str
    title: str
    law_id: str
    country: str
    lang: str
    root: Unit = field(default_factory=lambda: Unit("law"))
    level: str = ""
    kind: str = ""
    names: tuple[str, ...] = ()
    number: str = ""
    promulgated: str = ""
    effective_from: str = ""
    effective_to: str = ""
    published: str = ""
    amended_by: str = ""
    announced: dict[str, str] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def leave_out(self, start: int, end: int, reason: str) -> None:
        """Say that a part of the text belongs to no unit."""
        if start < end:
            self.left_out.append(LeftOut(start, end, reason))

    def render(self, unit: Unit, *, own_title: bool = False, without: frozenset[int] = frozenset()) -> str:
        """Return the text of a unit: one line for each unit inside, white space as single spaces.

        Args:
            unit: the unit.
            own_title: whether its own label and heading are in the text; labels and headings of inner units always are.
            without: ``id()`` of units inside that are left out, because they are documents of their own.
        """
        pieces: list[str] = []
        self._render(unit, own_title, without, pieces)
        text = _SPACE.sub(" ", "".join(pieces))
        return _LINES.sub("\n", text).strip()

    def _render(self, unit: Unit, titled: bool, without: frozenset[int], pieces: list[str]) -> None:
        for part, following in zip(unit.content, [*unit.content, ""][1:], strict=True):
            if isinstance(part, Unit):
                if id(part) not in without:
                    pieces.append("\x1e")
                    self._render(part, True, without, pieces)
                    pieces.append("\x1e")
            elif isinstance(part, str):
                pieces.append("\x1e" if part == BREAK else part)
            elif titled or part.role == "text":
                pieces.append(self.text[part.start : part.end])
                beside = isinstance(following, Span) and following.start == part.end
                if beside and part.role == "label" and self.lang == "zh" and self.text[part.end - 1] in _WIDE:
                    continue
                if part.role != "text" and (isinstance(following, (Unit, str)) or following.role != part.role):
                    pieces.append(" ")

    def spans_of(self, unit: Unit, *, without: frozenset[int] = frozenset()) -> tuple[Span, ...]:
        """Return the spans that :meth:`render` shows of a unit, without its own title; see there."""
        return tuple(self._spans(unit, False, without))

    def _spans(self, unit: Unit, titled: bool, without: frozenset[int]) -> Iterator[Span]:
        for part in unit.content:
            if isinstance(part, Unit):
                if id(part) not in without:
                    yield from self._spans(part, True, without)
            elif isinstance(part, Span) and (titled or part.role == "text"):
                yield part

    def unread(self) -> list[tuple[int, int]]:
        """Return the parts of the text that are in no unit and were not omitted; white space does not count."""
        open_ = self._visible()
        for span in self.root.spans():
            open_[span.start : span.end] = False
        for start, end, _ in self.left_out:
            open_[start:end] = False
        return _runs(open_)

    def counts(self) -> tuple[int, int, Counter[str]]:
        """Return the characters of the file, those in units, and those left out by reason; white space not counted."""
        visible = self._visible()
        total = int(visible.sum())
        used = np.zeros(len(visible), dtype=bool)
        for span in self.root.spans():
            used[span.start : span.end] = True
        inside = int((visible & used).sum())
        visible &= ~used
        reasons: Counter[str] = Counter()
        for start, end, reason in self.left_out:
            count = int(visible[start:end].sum())
            if count:
                reasons[reason] += count
            visible[start:end] = False
        return total, inside, reasons

    def _visible(self) -> NDArray[np.bool_]:
        codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        return ~np.isin(codes, _BLANKS)


def _runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], mask.view(np.int8), [0]))))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


class Outline:
    """The open units of a law while its text is read from top to bottom, for formats whose headings do not nest.

    Args:
        law: the law; units are added to its root.
    """

    def __init__(self, law: Law) -> None:
        self.law = law
        self._open: list[tuple[int, Unit]] = [(-1, law.root)]

    @property
    def unit(self) -> Unit:
        """The innermost open unit, to which text belongs."""
        return self._open[-1][1]

    @property
    def open(self) -> list[Unit]:
        """The open units, from the root down."""
        return [unit for _, unit in self._open]

    def enter(self, unit: Unit, depth: int) -> Unit:
        """Close all units of this depth or deeper, and open `unit` in what remains.

        Args:
            unit: the unit.
            depth: 0 for the highest; a depth may be skipped.
        """
        self.leave(depth)
        self.unit.content.append(unit)
        self._open.append((depth, unit))
        return unit

    def leave(self, depth: int) -> None:
        """Close all units of this depth or deeper."""
        while self._open[-1][0] >= depth:
            self._open.pop()

    def close(self, unit: Unit) -> None:
        """Close an open unit with all units inside."""
        self.leave(next(depth for depth, each in self._open if each is unit))

    def inside(self, kind: Kind) -> Unit | None:
        """Return the innermost open unit of a kind, or None."""
        return next((unit for _, unit in reversed(self._open) if unit.kind == kind), None)
