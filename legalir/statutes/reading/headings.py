"""Statutes as plain lines of text: what PDF, Word and web pages without marks have in common.

A line opens a unit if it begins as the table of the jurisdiction says, and if its number continues the previous one:
a sentence that begins with "제3조에 따라" is not a heading. Paragraphs and items are recognised by their marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from legalir.declared import check_choice
from legalir.errors import DataError
from legalir.references.numbering import number_of, sort_key
from legalir.references.resolve import Kind
from legalir.statutes.jurisdictions import Heading, Jurisdiction, jurisdiction, jurisdictions, mark_repealed
from legalir.statutes.law import Law, Outline, Unit

_MARKS = {
    "circle": re.compile(r"\s*(?P<label>[①-⑳㉑-㉟㊱-㊿])\s*"),
    "bracketed number": re.compile(r"\s*(?P<label>[(（]\d{1,3}[a-z]?[)）])\s*"),
    "bracketed letter": re.compile(r"\s*(?P<label>[(（](?:[a-z]{1,2}|[가-힣]|[一-十百]{1,4})[)）])\s*"),
    "number": re.compile(r"\s*(?P<label>\d{1,3}(?:의\d{1,2})?[.．、)])\s+"),
    "letter": re.compile(r"\s*(?P<label>(?:[a-z]|[가-힣])[.)])\s+"),
    "kanji": re.compile(r"\s*(?P<label>[一二三四五六七八九十百]{1,5})[　\s、]\s*"),
}
_KINDS: tuple[Kind, ...] = ("paragraph", "item", "subitem")
_BELOW = 1000
"""Depth of the first level below an article; tables of jurisdictions are shorter."""

_AFTER_LABEL = re.compile(r"\s*$|\s*[(（.:—–\-【〔\[]|[\s　]")
_LONGEST_HEADING = 200
_ANNEX_NUMBER = r"(?:[\dIVX]+(?:의\d+)?|[A-Z](?!\w))?"
_RELATED = re.compile(r"[(（]([^()（）]*\d[^()（）]*)[)）]$")
"""The provision that an annex names in brackets at the end of its heading."""


class Line(NamedTuple):
    """A line of the text of a law: where it starts and ends, without the line break."""

    start: int
    end: int


def lines_of(text: str, start: int = 0) -> list[Line]:
    """Return the lines of a text from `start` on."""
    lines = []
    for line in text[start:].splitlines(keepends=True):
        lines.append(Line(start, start + len(line.rstrip())))
        start += len(line)
    return lines


def read_lines(law: Law, lines: Iterable[Line], table: Jurisdiction) -> None:
    """Read lines into units of a law.

    A table of contents, which repeats headings without text, is left out. Lines before the first heading are the
    preamble. An annex or a supplement begins with its word and goes to the next one; articles in it begin at 1 again.

    Args:
        law: units are added to its root.
        lines: in reading order; what is in no line is not read.
        table: of the jurisdiction.
    """
    rows = [line for line in lines if law.text[line.start : line.end].strip()]
    headings = [_heading(law.text[line.start : line.end], table) for line in rows]
    contents = _table_of_contents(headings)
    outline = Outline(law)
    last, marks = "", list[str]()
    for place, (line, heading) in enumerate(zip(rows, headings, strict=True)):
        words = law.text[line.start : line.end]
        if place in contents:
            law.leave_out(line.start, line.end, "table of contents")
        elif container := _container(words, table):
            last, marks = "", []
            _open(outline, line, words, container, 0, words.index(container.label) + len(container.label), table)
        elif heading and (heading.level.kind == "group" or sort_key(heading.number) > last):
            if heading.level.kind == "article":
                last = sort_key(heading.number)
            marks = []
            unit = Unit(heading.level.kind, heading.level.name, heading.number, heading.label)
            _open(outline, line, words, unit, 1 + heading.depth, heading.end, table)
        else:
            _text(outline, line, words, marks)
    mark_repealed(law, table)


def _heading(words: str, table: Jurisdiction) -> Heading | None:
    heading = table.heading(words)
    if heading is None or heading.level.kind not in ("group", "article"):
        return None
    after = words[len(words) - len(words.lstrip()) :].removeprefix(heading.label)
    return heading if _AFTER_LABEL.match(after) else None


def _table_of_contents(headings: Sequence[Heading | None]) -> frozenset[int]:
    """Return the places of headings that are repeated later, if there are only headings in between."""
    for first, heading in enumerate(headings):
        if heading is None:
            continue
        for again in range(first + 2, len(headings)):
            between = headings[first:again]
            if any(each is None for each in between):
                break
            other = headings[again]
            if other and (other.depth, other.number) == (heading.depth, heading.number):
                return frozenset(range(first, again))
        return frozenset()
    return frozenset()


def _container(words: str, table: Jurisdiction) -> Unit | None:
    """Return the annex or supplement that a line opens."""
    bare = words.strip(" \t[【〔")
    kinds: tuple[tuple[Kind, Sequence[str]], ...] = (("annex", table.annex), ("supplement", table.supplement))
    for kind, names in kinds:
        for name in names:
            match = re.match(rf"{re.escape(name)}(?![^\W\d_])\s*{_ANNEX_NUMBER}", bare, re.IGNORECASE)
            if match and len(bare) <= _LONGEST_HEADING and not bare.rstrip().endswith((".", ",", ";")):
                return Unit(kind, name, number_of(match[0].removeprefix(name)), match[0].strip())
    return None


def _open(outline: Outline, line: Line, words: str, unit: Unit, depth: int, end: int, table: Jurisdiction) -> None:
    """Open a unit whose label ends before `end` of the line; the rest is its heading, or its text."""
    start = line.start + len(words) - len(words.lstrip())
    rest = words[end:].strip()
    is_text = table.heading_in_brackets or rest.endswith((".", "。", ":", ";")) or table.is_repealed(rest)
    outline.enter(unit, depth)
    unit.add(start, line.start + end, "label")
    if unit.kind == "article" and (bracket := re.match(r"[(（【〔]\s*([^()（）]{1,120})\s*[)）】〕]\s*", words[end:])):
        unit.heading = bracket[1].strip()
        unit.add(line.start + end, line.start + end + bracket.end(), "heading")
        _text(outline, Line(line.start + end + bracket.end(), line.end), words[end + bracket.end() :], [])
    elif (unit.kind == "article" and is_text) or len(rest) > _LONGEST_HEADING:
        unit.add(line.start + end, line.end)
    else:
        unit.heading = " ".join(rest.strip(".:—–- \t]】〕").split())
        if unit.kind == "annex" and (related := _RELATED.search(unit.heading)):
            unit.related = (related[1].strip(),)
        unit.add(line.start + end, line.end, "heading")


def _text(outline: Outline, line: Line, words: str, marks: list[str]) -> None:
    """Add a line of text to the open unit; a line that begins with a mark opens a paragraph or an item."""
    if line.start >= line.end:
        return
    for name, form in _MARKS.items():
        match = form.match(words)
        if match and outline.inside("article" if not outline.inside("annex") else "annex"):
            if name not in marks:
                marks.append(name)
            del marks[marks.index(name) + 1 :]
            depth = marks.index(name)
            first = 1 if marks[0] in ("number", "letter") or outline.inside("annex") else 0
            unit = Unit(_KINDS[min(first + depth, 2)], number=number_of(match["label"]), label=match["label"])
            outline.enter(unit, _BELOW + depth)
            unit.add(line.start + match.start("label"), line.start + match.end("label"), "label")
            unit.add(line.start + match.end(), line.end)
            return
    if outline.unit is outline.law.root:
        outline.enter(Unit("preamble"), _BELOW)
    outline.unit.add_break()
    outline.unit.add(line.start, line.end)


def read_text(name: str, lines: Sequence[str], country: str, title: str, law_id: str) -> Law:
    """Return the law in lines of text from a file.

    Args:
        name: of the file, for messages.
        lines: in reading order.
        country: country whose table recognises headings; ``auto``: the country whose table recognises the most
            articles.
        title: of the law; empty: its first line.
        law_id: identifier of the law.

    Raises:
        DataError: no line opens an article.
    """
    words = [line.rstrip() for line in lines]
    chosen = country_of(words) if country == "auto" else country
    if not chosen:
        raise DataError(f'{name}: no line begins as an article does: name the country, such as country="kr".')
    table = jurisdiction(chosen)
    first = next((line.strip() for line in words if line.strip()), "")
    law = Law("\n".join(words) + "\n", title or first[:_LONGEST_HEADING], law_id, chosen, table.lang)
    rows = lines_of(law.text)
    if not title:
        place = next(place for place, line in enumerate(words) if line.strip())
        law.leave_out(*rows.pop(place), "title")
    read_lines(law, rows, table)
    if not any(unit.kind == "article" for unit in law.root.walk()):
        raise DataError(f"{name}: no line begins as an article of the country {chosen!r} does.")
    return law


def check_country(source: str, country: str) -> None:
    """Check a parameter of a source.

    Raises:
        ComponentError: `country` is neither ``auto`` nor has a table.
    """
    check_choice(source, "country", country, ("auto", *jurisdictions()))


def country_of(lines: Sequence[str]) -> str:
    """Return the country whose table recognises the most articles in lines of text; empty if there are none."""
    counts = {
        country: sum(
            (heading := _heading(line, table)) is not None and heading.level.kind == "article" for line in lines
        )
        for country, table in jurisdictions().items()
    }
    best = max(counts, key=lambda country: counts[country])
    return best if counts[best] else ""


def law_id_of(path: Path) -> str:
    """Return the identifier of a law without a publisher's identifier: its file name, in a form valid in docnos."""
    return re.sub(r"[^\w.]+", "-", path.stem).strip("-") or "law"
