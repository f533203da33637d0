"""Statutes as plain lines of text: what PDF, Word, plain text and web pages without marks have in common.

The lines that open units and their headings are found first; paragraphs and items are recognised by their marks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from legalir.analysis.language import UNKNOWN, identify, language_code, scripts
from legalir.declared import check_choice
from legalir.errors import ComponentError, DataError
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.jurisdictions import COUNTRIES, Jurisdiction, Level, jurisdiction, jurisdictions, mark_repealed
from legalir.statutes.law import BREAK, CELL, Law, Outline, Span, Unit
from legalir.statutes.reading.contents import without_contents
from legalir.statutes.reading.headings import (
    BELGIAN_ANNEX,
    MARK_ONLY,
    NOTED_NUMBER,
    OF_PROVISION,
    PARTS_OF_GROUPS,
    Layout,
    go_through,
    layout,
    numbered_section,
)
from legalir.statutes.reading.page import (
    changes_of,
    dated_notes,
    days_above,
    foot_of,
    notes_behind,
    notes_of,
    signatures_of,
    tools_above,
)
from legalir.statutes.reading.plain_text import CUT_OFF, compact, without_columns
from legalir.statutes.reading.rows import (
    BRACKETS,
    CHANGED,
    LONGEST_HEADING,
    LONGEST_TITLE,
    MARKS,
    NOTE,
    OPENING,
    RELATED,
    SHORT,
    STOPS,
    TITLE_OPENED,
    Line,
    is_caption,
    is_inside,
    is_open,
    is_prose,
    is_text,
    lines_of,
    of_kind,
    words_behind,
)
from legalir.statutes.reading.sequence import PARTS, SUPERSCRIPTS, Candidate, Chosen
from legalir.statutes.reading.title import name_of_law, names_law
from legalir.statutes.reading.unit_titles import (
    BELOW,
    PROVISION,
    TEXT_CLOSED,
    dashed_heading,
    full_rows,
    titles_of,
    unnumbered_level,
)

_ITEMS = ("number", "letter", "kanji")
"""Marks that number items, even where no paragraph is numbered."""

_BARE_NUMBER = re.compile(r"\s*(?P<label>\d{1,3})(?:\s+(?=[A-Z“‘])|\s*(?=\(1\)))")
"""The number of a paragraph of a schedule without a full stop: ``2 (1) Each berth …``"""

_KINDS: tuple[Kind, ...] = ("paragraph", "item", "subitem")

_IN_CAPITALS = re.compile(
    r"(?P<heading>[^\Wa-zß-ÿ\d_][^a-zß-ÿ.;:—–]{3,120})\.\s+(?=[<“\"]?[^\Wa-zß-ÿ\d_][a-zß-ÿ]?\s?[a-zß-ÿ]|\(\w{1,2}\) )"
)
"""A heading in capitals before the text: ``OBJETO. La presente ley …``."""

_UNSPACED = re.compile("[\u0e00-\u0eff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]")
"""Signs of scripts whose lines may be cut inside a word."""

_WIDE_GAP = re.compile(r"\S\s{3,}\S")
"""What is between the columns of a table in plain text."""

_UNREAD_MARK = re.compile(r"\s*[(（][\w.]{1,6}[)）]\s")

_ANNEXES = re.compile(
    r"(?:annexes?|bijlagen?|schedules|anhänge|anlagen|anexos|allegati|bilagor|załączniki|přílohy)\.?", re.IGNORECASE
)
"""The word above the first annex."""

_OF_COMPILATION = re.compile(r"\(\d+ ILCS [\w./-]+\)(?:\s*\(from [^()]*\))?")
"""What stands above a section in the statutes of Illinois."""

_AMENDED = re.compile(
    r"(?i)\s*(?:<[^<>]*\d[^<>]*>|[(（](?:§+|art\w*\.?|sections?|стат\w+|ст\.)\s?(?:[lrd]\*?\.?\s?)?\d(?:[\d\s,.§–—/-]|(?<=[\d-])[^\W\d_]{1,6}|(?<=\s)(?:[lrd]\*?\.?\s?(?=\d)|(?:à|to|bis|und|and|et|al?|e|y|до|art\w*\.?)(?=\s)))*[)）])\s*$"
)
"""What is behind the name of a part: ``제2장 면허 <개정 2015. 5. 4.>``, ``Tarifs (Articles 3 à 5)``."""

_RESERVED = re.compile(r"(?:Secs?\.|Sections?|§+)\s*[\d.-]+\s*(?:[—–]|to|through)\s*[\d.-]+\.?\s*[-–—]?\s*Reserved\.?")
"""Numbers that a code keeps free: ``Secs. 12-3—12-20. - Reserved.``"""

_ROWS = 3000
"""Lines that are enough to choose the table."""

_OF_MANY = ("any", "ca", "eu")
"""Tables of laws in several languages."""

_SAMPLE = 1000
"""Letters that are enough to recognise a language against what a file says of itself."""

_NEAR = ({"da", "nb", "nn", "no"}, {"bs", "hr", "sr"}, {"id", "ms"})
"""Languages that are easily taken for each other."""


def read_lines(
    law: Law, lines: Iterable[Line], table: Jurisdiction, marked: Mapping[int, int] = MappingProxyType({})
) -> None:
    """Read lines into units of a law.

    A table of contents, which repeats headings without text, is left out. Lines before the first heading are the
    preamble. An annex or a supplement begins with its word and goes to the next one; articles in it begin at 1 again.
    A heading may be behind its number, or on a line of its own above or below it. A note says which lines look like
    headings and do not go on.

    Args:
        law: units are added to its root.
        lines: in reading order; what is in no line is not read.
        table: of the jurisdiction.
        marked: starts of lines that the file marks as headings, with their level: one without a number is that of
            what follows it.
    """
    every = list(lines)
    blank = [not law.text[line.start : line.end].strip() for line in every]
    places = [line for line, empty in zip(every, blank, strict=True) if not empty]
    between = {line.start for at, line in enumerate(every[:-1]) if at and blank[at - 1] and blank[at + 1]}
    alone = [row for row, line in enumerate(places) if line.start in between]
    rows = [law.text[line.start : line.end] for line in places]
    plan = layout(rows, table)
    before_blank = {line.start for at, line in enumerate(every[:-1]) if blank[at + 1]}
    full = full_rows(rows, plan.headings, [row for row, line in enumerate(places) if line.start in before_blank])
    text = (row for row in range(len(rows) - 1) if not {row, row + 1} & plan.headings.keys())
    blanks = sum(places[row].start in before_blank for row in text)
    parted = blanks > sum(rows[row].rstrip().endswith(STOPS) for row in full)
    levels = {row: marked[line.start] for row, line in enumerate(places) if line.start in marked}
    titles = titles_of(rows, plan, table, levels, alone, full)
    taken = {*titles.above.values(), *(each for row, end in titles.below.items() for each in range(row + 1, end))}
    paragraphs = _in_schedules(rows, plan.headings) if table.numbered else set()
    outline, marks = Outline(law), list[str]()
    numbered = {row: PARTS.match(rows[row].strip()) for row in titles.cross}
    parts = {row: label[1].count(".") for row, label in numbered.items() if label}
    deepest = max(parts.values(), default=0)
    annexes = {row for row, each in plan.headings.items() if each.candidate.kind == "annex" and each.candidate.readings}
    annexes |= {row for row in plan.headings if BELGIAN_ANNEX.match(rows[row])}
    listed = _listed(rows, plan.headings)
    names: dict[str, str] = {}
    for row, (line, words) in enumerate(zip(places, rows, strict=True)):
        if row in plan.contents or row in listed:
            law.leave_out(line.start, line.end, "table of contents")
        elif row in taken:
            continue
        elif _OF_COMPILATION.fullmatch(words.strip()):
            law.leave_out(line.start, line.end, "citation above a section")
        elif _RESERVED.fullmatch(words.strip()):
            law.leave_out(line.start, line.end, "numbers without a section")
        elif row + 1 in plan.headings and words.strip() == plan.headings[row + 1].candidate.label:
            law.leave_out(line.start, line.end, "number that comes again")  # 4 §, 4 § on kumottu
        elif row + 1 in annexes and _ANNEXES.fullmatch(words.strip()):
            law.leave_out(line.start, line.end, "heading of annexes")
        elif row in titles.cross:
            depth, groups = (
                unnumbered_level(table),
                [at for at, each in enumerate(table.levels) if each.kind == "group"],
            )
            level, depth = (table.levels[depth].name, depth) if depth >= 0 else ("heading", groups[-1])
            depth = max(depth - deepest + parts.get(row, deepest), 0)  # 2. above 2.1.
            unit = outline.enter(Unit("group", level, heading=" ".join(_AMENDED.sub("", words).split())), 2 + 2 * depth)
            unit.add(line.start, line.end, "heading")
        elif chosen := plan.headings.get(row):
            candidate, number = chosen.candidate, chosen.reading.number
            if candidate.kind == "supplement" and any(each.kind == "supplement" for each in law.root.units):
                number = number or str(sum(each.kind == "supplement" for each in law.root.units) + 1)
            if candidate.kind == "annex" and names.setdefault(number, candidate.level) != candidate.level:
                number = f"{candidate.level}{number}"
            label = number if NOTED_NUMBER.match(words) else candidate.label
            unit = Unit(candidate.kind, candidate.level, number, label)
            marks = []
            lowest = unit.kind == "group" and unit.level in PARTS_OF_GROUPS  # between the groups and the articles
            depth = 2 + 2 * candidate.depth - lowest
            outline.enter(unit, depth if unit.kind != "paragraph" else BELOW - 1)
            if row in titles.above:
                _add_title(unit, rows, places, titles.above[row])
            below = rows[row + 1] if row + 1 < len(rows) and line.start not in marked else ""
            as_heading = line.start in marked and row + 1 not in plan.headings
            heading = _is_heading(words, candidate, table, titles.dotted or as_heading, below, titles.named)
            seldom = titles.seldom and candidate.kind == "article"
            seldom = seldom and not (as_heading or words_behind(words, candidate).isupper())
            heading = heading and not (seldom or row in titles.full or row in titles.above)
            _open(outline, line, words, candidate, table, marks, heading)
            for each in range(row + 1, titles.below.get(row, 0)):
                if table.is_repealed(rows[each]):
                    _text(outline, places[each], rows[each], marks)
                else:
                    _add_title(unit, rows, places, each)
        else:
            goes_on = row - 1 in full and _goes_on(rows[row - 1], words, parted)
            inside = row > 0 and is_inside(words) and is_open(rows[row - 1])
            goes_on = goes_on or (inside and CELL not in words + rows[row - 1])
            if table.lang == "ja" and outline.inside("supplement") and is_caption(words):
                outline.leave(BELOW)  # It is of the paragraph below.
            _text(outline, line, words, marks, goes_on, row in paragraphs)
    bare = [each for each in plan.headings.values() if each.candidate.kind == "article" and not each.candidate.series]
    if (parted_in := sum(each.anew for each in bare)) > 1:
        law.notes.append(f"{law.title}: numbers begin at 1 again in {parted_in} parts: the part belongs to the number.")
    if plan.doubts:
        some = ", ".join(f'"{rows[row].strip()[:40]}"' for row in plan.doubts[:3])
        begun = "1 line begins" if len(plan.doubts) == 1 else f"{len(plan.doubts)} lines begin"
        law.notes.append(
            f"{law.title}: {begun} as a heading does, with a number that is not read, or does not go on from the one "
            f"before; read as text: {some}{', …' if len(plan.doubts) > 3 else ''}."
        )
    mark_repealed(law, table)


def _listed(rows: Sequence[str], headings: Mapping[int, Chosen]) -> set[int]:
    """Return the rows of a table above the first article that have numbers and names of articles below."""
    articles = [row for row, each in headings.items() if each.candidate.kind == "article"]
    first = min(articles, default=0)
    cells = [row for row in range(first) if CELL in rows[row]]
    named = {compact(rows[row]) for row in articles} if cells else set()
    named |= {compact(rows[row] + rows[row + 1]) for row in articles if cells and row + 1 < len(rows)}
    found = {row for row in cells if compact(rows[row]) in named}
    return found if len(found) > 1 else set()


def _in_schedules(rows: Sequence[str], headings: Mapping[int, Chosen]) -> set[int]:
    """Return the rows of paragraphs of annexes whose bare numbers count from 1 on."""
    found: set[int] = set()
    counted, inside = list[int](), False
    for row, words in enumerate(rows):
        if row in headings and headings[row].candidate.kind not in ("group", "paragraph"):
            counted, inside = [], headings[row].candidate.kind == "annex"
        elif inside and CELL not in words and (match := _BARE_NUMBER.match(words)):
            counted += [row] if int(match["label"]) == len(counted) + 1 else []
            found.update(counted if len(counted) > 1 else [])
    return found


def _is_heading(words: str, candidate: Candidate, table: Jurisdiction, dotted: bool, below: str, named: bool) -> bool:
    """Return True if what is behind a number is a heading, and not text.

    Args:
        dotted: whether short sentences are headings in this file.
        below: the next line; if it begins with a small letter, the sentence goes on.
        named: whether most articles have a heading there: it may end in a small word, *Who may go in*.
    """
    rest = words_behind(words, candidate)
    if candidate.kind not in ("article", "paragraph"):
        if candidate.level == "provision":
            return False
        return len(rest) <= LONGEST_HEADING
    if (
        table.heading_in_brackets
        or table.is_repealed(rest)
        or not (rest[:1].isupper() or (rest and rest[0] in OPENING))
    ):
        return False
    goes_on = is_inside(below) or (CUT_OFF.search(rest) and not named)
    return not (is_prose(rest) or goes_on) or (dotted and len(rest.split()) <= SHORT)


def _add_title(unit: Unit, rows: Sequence[str], places: Sequence[Line], row: int) -> None:
    """Add a line above or below a number as heading."""
    line, words = places[row], (_AMENDED.sub("", rows[row]) if unit.kind == "group" else rows[row]).strip()
    if unit.kind == "annex" and (related := RELATED.search(words)):
        unit.related += (related[1].strip(),)
    elif unit.kind == "annex" and PROVISION.fullmatch(words.strip(".")):
        unit.related += (words.strip("."),)
    bracket = BRACKETS.fullmatch(re.sub(r"^\(\(\s*|(?<=\))\.?\s*\)\)$", "", words))  # (( (Registro). ))
    words = bracket["heading"] if bracket and unit.kind != "annex" else words
    words = TEXT_CLOSED.sub("", words[opened.end() :]) if (opened := TITLE_OPENED.match(words)) else words
    if words.isupper() or unit.label[:1].isdecimal() or unit.kind in ("group", "annex"):
        words = words.removesuffix(".")
    unit.heading = " ".join([*unit.heading.split(), *re.sub(rf"{NOTE}$", "", words).split()])
    unit.add_break()
    unit.add(line.start, line.end, "heading")


def _open(
    outline: Outline,
    line: Line,
    words: str,
    candidate: Candidate,
    table: Jurisdiction,
    marks: list[str],
    heading: bool,
) -> None:
    """Read the line of a unit: its label; what is behind it is its heading, or its text."""
    law, unit = outline.law, outline.unit
    start, end = line.start + len(words) - len(words.lstrip()), candidate.end
    high = re.search(f"[{SUPERSCRIPTS}]+$", words[:end])
    if high and not unit.number.endswith(high[0]):
        law.leave_out(line.start + high.start(), line.start + end, "footnote mark")
        unit.label, end = unit.label.removesuffix(high[0]), high.start()
    unit.add(start, line.start + end, "label")
    if note := re.match(NOTE, words[candidate.end :]):
        law.leave_out(line.start + candidate.end, line.start + candidate.end + note.end(), "footnote mark")
    at = candidate.end + (note.end() if note else 0)
    signs = " \t\u3000.:：—–-" + ("'’΄´ʹ" if unit.kind == "group" else "")  # ΚΕΦΑΛΑΙΟ Α'
    points = re.match(r"\.?\s*(?=\.\s?\.\s?\.)", words[at:])  # They are the text of an article that is gone.
    stop = at + points.end() if points else len(words) - len(words[at:].lstrip(signs))
    unit.add(line.start + at, line.start + stop, "label")
    bracket = BRACKETS.match(words, stop) if unit.kind == "article" else None
    dashed = (dashed_heading(words, stop) or _IN_CAPITALS.match(words, stop)) if unit.kind == "article" else None
    dashed = None if dashed and table.is_repealed(dashed["heading"]) else dashed
    if bracket and not (MARK_ONLY.fullmatch(bracket["heading"].strip()) or CHANGED.match(bracket["heading"])):
        if not table.is_repealed(bracket["heading"]) and any(map(str.isalpha, bracket["heading"])):
            unit.heading = bracket["heading"].strip()
            unit.add(line.start + stop, line.start + bracket.end(), "heading")
            stop = bracket.end()
            if note := re.match(NOTE, words[stop:]):
                law.leave_out(line.start + stop, line.start + stop + note.end(), "footnote mark")
                stop += note.end()
    elif dashed and words[stop : stop + 1].isupper() and not table.heading_in_brackets:
        unit.heading = " ".join(dashed["heading"].split())
        unit.add(line.start + stop, line.start + dashed.end(), "heading")
        stop = dashed.end()
    elif heading:
        rest = words[stop:]
        if mark := re.search(rf"{NOTE}$", rest):
            law.leave_out(line.start + stop + mark.start(), line.end, "footnote mark")
            rest = rest[: mark.start()]
        rest_without_note = _AMENDED.sub("", rest) if unit.kind == "group" else rest
        unit.heading = " ".join(rest_without_note.strip(".:—–- \t]】〕<>〈〉").split())
        related = RELATED.search(unit.heading) or OF_PROVISION.match(f" {unit.heading}")
        if unit.kind == "annex" and related:
            unit.related = (related[1].strip(),)
        unit.add(line.start + stop, line.start + stop + len(rest), "heading")
        return
    _text(outline, Line(line.start + stop, line.end), words[stop:], marks)


def _goes_on(row: str, after: str, parted: bool) -> bool:
    """Return True if a row that lines are cut to goes on in the one after it, in scripts with blanks between words.

    Args:
        row: in which the next word would not fit.
        after: the row behind it.
        parted: whether blank lines part the paragraphs of the file: else a new one may begin behind a full stop.
    """
    beside = row.rstrip()[-1:] + after.lstrip()[:1]
    if _UNSPACED.search(beside) or _UNREAD_MARK.match(after) or CELL in row + after or _WIDE_GAP.search(row):
        return False
    return parted or beside[1:].islower() or not row.rstrip().endswith(STOPS)


def _text(
    outline: Outline, line: Line, words: str, marks: list[str], goes_on: bool = False, bare_number: bool = False
) -> None:
    """Add a line of text to the open unit; a line that begins with a mark opens a paragraph or an item.

    Args:
        goes_on: whether the line before it was cut at a length, so that it is no line of its own.
        bare_number: whether the number that it begins with is a mark.
    """
    if line.start >= line.end:
        return
    bare = words.strip(" \t|")
    if bare and "|" in words and "|" not in bare:  # the only cell of a row with words
        first = line.end - len(words) + words.index(bare)
        for start, end in ((line.start, first), (first + len(bare), line.end)):
            outline.law.leave_out(start, end, "markup")
        line, words = Line(first, first + len(bare)), bare
    for name, form in ({"number": _BARE_NUMBER} if bare_number else MARKS).items():
        match = form.match(words)
        if match and (outline.inside("article") or outline.inside("annex") or outline.inside("supplement")):
            if name not in marks:
                marks.append(name)
            del marks[marks.index(name) + 1 :]
            depth = marks.index(name)
            first = 1 if marks[0] in _ITEMS or outline.inside("annex") else 0
            label = match["label"].rstrip(" —–-")
            outline.enter(Unit(_KINDS[min(first + depth, 2)], number=number_of(label), label=label), BELOW + depth)
            unit = outline.unit
            unit.add(line.start + match.start("label"), line.start + match.end("label"), "label")
            unit.add(line.start + match.end(), line.end)
            return
    if outline.unit is outline.law.root:
        outline.enter(Unit("preamble"), BELOW)
    last = outline.unit.content[-1] if outline.unit.content else None
    goes_on = goes_on and isinstance(last, Span) and last.role == "text"
    behind_label = outline.unit.kind == "paragraph" and isinstance(last, Span) and last.role == "label"  # § 1º O mestre
    if not behind_label:
        outline.unit.add_break(" " if goes_on else BREAK)
    outline.unit.add(line.start + (len(words) - len(words.lstrip()) if goes_on else 0), line.end)


def read_text(
    name: str,
    lines: Sequence[str],
    country: str,
    title: str,
    law_id: str,
    lang: str = "",
    left_out: Mapping[str, str] = MappingProxyType({}),
    page_title: str = "",
    levels: Mapping[int, int] = MappingProxyType({}),
) -> Law:
    """Return the law in lines of text from a file.

    Args:
        name: of the file, for messages.
        lines: in reading order.
        country: country whose table recognises headings; ``auto``, or a country without a table: the table of the
            language that recognises the most articles.
        title: of the law; empty: as :func:`~legalir.statutes.reading.title.name_of_law` finds it, or `law_id`.
        law_id: identifier of the law.
        lang: language that the file says it is in; its words decide where they are many, or in another script.
        left_out: words of the file that are not read, by the reason.
        page_title: what a page says that it is called.
        levels: lines that the file marks as headings, by their place, with their level.

    Raises:
        DataError: there is no text, or no line opens an article.
    """
    words = [line.rstrip() for line in lines]
    if not any(map(str.strip, words)):
        raise DataError(f"{name} has no text.")
    foot = foot_of(words)
    words, left_out = words[:foot], {**left_out, "foot of a page": "\n".join(words[foot:])}
    gone = {"tools of a page": tools_above(words), "signatures": signatures_of(words)}
    dated = dated_notes(words)
    gone |= {"table of changes": changes_of(words), "notes of the site": [*notes_of(words), *dated]}
    gone |= {"notes behind the law": notes_behind(words)}
    left_out |= {reason: "\n".join(words[at] for at in places) for reason, places in gone.items() if places}
    every = {at for places in gone.values() for at in places}
    kept = [at for at in range(foot) if at not in every]
    filled = [at for at in kept if words[at].strip()]
    below = {filled[bisect_right(filled, note) - 1]: each for note, each in dated.items()}
    days = {new: below[at] for new, at in enumerate(kept) if at in below}
    words, levels = [words[at] for at in kept], {new: levels[at] for new, at in enumerate(kept) if at in levels}
    found = _language(words, lang)
    chosen = country if country in jurisdictions() else country_of(words, found)
    if not chosen:
        called = page_title or next((words[at] for at in sorted(levels)), "")
        page = f' The page is called "{" ".join(called.split())[:LONGEST_TITLE]}": if it is a law,' if called else ""
        raise DataError(
            f"{name}: no line begins as an article does{'.' if page else ':'}{page} name the country, "
            'such as country="kr".'
        )
    table = jurisdiction(chosen)
    title, named, said = (title, range(0), True) if title else name_of_law(words, page_title, levels)
    opened = table.heading(title)
    if not title or (opened and not opened.label.isalpha()):  # It is the heading of a unit, and not RULES.
        title, named = law_id, range(0)
    law = Law("\n".join(words) + "\n", title[:LONGEST_HEADING], law_id, chosen, table.lang)
    if chosen in _OF_MANY and found != UNKNOWN:
        law.lang = found
        table = table.model_copy(update={"lang": found})  # whose words of repeal are looked for
    if country != "auto":
        law.country = country
    places = rows = lines_of(law.text)
    marked = {rows[at].start: level for at, level in levels.items() if at not in named}
    if named:
        first, last = rows[named[0]], rows[named[-1]]
        law.leave_out(first.start, last.end, "title")
        preamble = not said and any(map(is_text, words[: named[0]]))
        above = [] if preamble else rows[: named[0]]
        if any(law.text[line.start : line.end].strip() for line in above):
            law.leave_out(0, first.start, "before the title")
        rows = [*rows[len(above) : named[0]], *rows[named[-1] + 1 :]]
    for reason, text in ((reason, text) for reason, text in left_out.items() if text):
        start = len(law.text)
        law.text += text + "\n"
        law.leave_out(start, len(law.text), reason)
    read_lines(law, rows, table, marked)
    law.effective_from, law.effective_to, law.promulgated = days_above(words)
    _set_days(law, {places[at].start: each for at, each in days.items()})
    if notes := sum(len(text) for reason, text in left_out.items() if reason.startswith("footnote")):
        law.notes.append(f"{law.title}: footnotes are left out: {notes} characters.")
    if not any(unit.kind == "article" for unit in _of_the_law(law.root)):
        inside = [each for each in law.root.units if any(one.kind == "article" for one in each.walk())]
        cure = f"leave out country={country!r}" if country in jurisdictions() else 'name it, such as country="fr"'
        cure = f'remove the line "{inside[0].label}" if it is of a table of contents' if inside else cure
        raise DataError(f"{name}: no line outside of annexes begins as an article of country {chosen!r} does: {cure}.")
    return law


def _set_days(law: Law, days: Mapping[int, tuple[str, str]]) -> None:
    """Set the days of the provisions whose number is in the line that begins at each place."""
    for unit in law.root.walk() if days else ():
        label = next((each for each in unit.content if isinstance(each, Span) and each.role == "label"), None)
        start = law.text.rfind("\n", 0, label.start) + 1 if label else -1
        if start in days and unit.kind in ("article", "annex"):
            unit.effective_from, unit.effective_to = days[start]


def _of_the_law(unit: Unit) -> Iterator[Unit]:
    """Yield the units inside a unit that are in no annex or supplement."""
    for child in unit.units:
        if child.kind not in ("annex", "supplement"):
            yield child
            yield from _of_the_law(child)


def in_columns(pages: Sequence[Sequence[str]]) -> tuple[list[list[str]], str]:
    """Return pages whose lines are in reading order, and a note if they are in two columns.

    Pages that look so are read column by column if more articles go on than across the page.
    """
    columns = [without_columns(page) for page in pages]
    if columns == [[row.expandtabs() for row in page] for page in pages]:
        return [list(page) for page in pages], ""
    parted, across = (_articles_of([row for page in each for row in page]) for each in (columns, pages))
    if parted > across:
        return columns, "read in two columns, the left one of a page first: look at the result."
    return [list(page) for page in pages], (
        "lines have a wide gap at one place, as two columns have, but no more articles go on from column to column: "
        "read across the page: look at the result."
    )


def _articles_of(lines: Sequence[str]) -> int:
    rows = [line for line in lines if line.strip()]
    country = country_of(rows)
    plan = layout(rows, jurisdiction(country)) if country else Layout({}, range(0), [])
    return sum(each.candidate.kind == "article" for each in plan.headings.values())


def check_country(source: str, country: str) -> None:
    """Check a parameter of a source.

    Raises:
        ComponentError: `country` is neither ``auto`` nor a country of ISO 3166, nor has a table.
    """
    if country == "gb":
        raise ComponentError(f'{source}: country="gb" is called "uk" here: write country="uk".')
    if not re.fullmatch("[a-z]{2}", country):
        check_choice(source, "country", country, ("auto", *jurisdictions()))
    elif country not in {*COUNTRIES.split(), *jurisdictions()}:
        raise ComponentError(f"{source}: country={country!r} is no country of ISO 3166: leave it out, or correct it.")


def country_of(lines: Sequence[str], lang: str = "") -> str:
    """Return the country whose table recognises the most articles in lines of text; empty if there are none.

    A number that a word opens counts more than a bare one. On equal counts, the table that recognises more other
    headings is better; then one of the language `lang`, and of English, which many countries share, the one of no
    country.
    """
    rows = [line for line in lines if line.strip()][:_ROWS]
    lang = lang or _language(rows, "")
    tables = jurisdictions()
    worded = [country for country, table in tables.items() if any(_opens(level) for level in table.levels)]
    own = [country for country in worded if tables[country].lang == lang and country not in _OF_MANY]
    order = ["any", *own, "eu"] if lang == "en" else [*own, "any", "eu"]
    counts = {country: _count(rows, tables[country]) for country in order if country in tables}
    if not any(articles for _, articles, _ in counts.values()):
        counts = {country: _count(rows, table) for country, table in tables.items()}
    best = max(counts, key=lambda country: counts[country])
    return best if counts[best][1] else ""


def _opens(level: Level) -> bool:
    return level.kind == "article" and bool(level.forms)


def _count(rows: Sequence[str], table: Jurisdiction) -> tuple[int, int, int]:
    """Return the number of articles that a word opens, of all articles, and of other headings."""
    headings = [each.candidate for each in layout(rows, table).headings.values()]
    articles = of_kind(headings, "article")
    others = sum(each.kind not in ("article", "paragraph") for each in headings)
    words = [each for each in articles if each.series]
    if len(articles) == 1 and not words and not any(map(names_law, rows[: articles[0].row])):
        return 0, 0, others  # It may be the first item of a list.
    if len(words) < 2:
        return 0, len(articles), others
    bare, _ = without_contents((each for row in range(len(rows)) if (each := numbered_section(rows, row, table))), rows)
    if go_through(bare, words):
        return 0, len(articles) - len(words), others
    return len(words), len(articles), others


def _language(lines: Sequence[str], declared: str) -> str:
    """Return the language of lines of text: by its script, by what the file says, and by its words."""
    shares = scripts(lines)
    if shares.get("Hiragana", 0) + shares.get("Katakana", 0) > 0.05:
        return "ja"
    for script, lang in (("Hangul", "ko"), ("Thai", "th"), ("Han", "zh")):
        if shares.get(script, 0) > 0.3:
            return lang
    declared = language_code(declared)
    if declared in ("ja", "ko", "th", "zh"):
        declared = ""
    if declared and sum(map(len, lines)) < (_SAMPLE if declared != "en" else _SAMPLE // 20):
        return declared  # Pages in all languages say that they are English.
    found = identify(lines)
    return declared if any({declared, found} <= near for near in _NEAR) else found


def law_id_of(path: Path) -> str:
    """Return the identifier of a law without a publisher's identifier: its file name, in a form valid in docnos."""
    return re.sub(r"[^\w.]+", "-", path.stem).strip("-") or "law"
