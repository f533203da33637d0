"""Which lines of a statute open a unit.

A line may open one if it begins as the table of the jurisdiction says and is not a sentence. Of those lines the
sequence is chosen that goes on best; the other lines are text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.jurisdictions import Jurisdiction, spelled
from legalir.statutes.law import CELL
from legalir.statutes.reading.contents import without_contents
from legalir.statutes.reading.plain_text import CUT_OFF, compact
from legalir.statutes.reading.rows import (
    BRACKETED,
    LONGEST_HEADING,
    MARKS,
    NOTE,
    OPENING,
    SENTENCE,
    is_name,
    is_open,
    is_prose,
    of_kind,
    quoted_rows,
    rows_of,
    words_behind,
)
from legalir.statutes.reading.sequence import (
    NAMED_BELOW,
    SUPERSCRIPTS,
    Candidate,
    Chosen,
    Reading,
    begun_anew,
    chain,
    in_articles,
    main_number,
    readings_of,
)

_ADDITIONAL = "additional article"  # The level of Ek Madde 1, which has a number of its own.

_AFTER_LABEL = re.compile(rf"(?:{NOTE}|['’΄´ʹ](?=\s|$))?(?:\s*$|\s*[(（.:：—–\-【〔\[]|[\s　])")

_OPENED = re.compile(rf"\s*(?=\S{{0,2}}\[|F)(?:[\d{SUPERSCRIPTS}]{{0,2}}\[\s?)?(?:F\d{{1,4}}\s*)?")
"""A bracket around what was inserted later, with the number of its note: ``[F1 3A``, ``1[6A.``"""

_IN_ROUND = re.compile(r"\s*[(（]\s*")
"""Another such bracket, if nothing follows the number: ``( Art. 2bis.``"""

_IN_QUOTES = re.compile(r"\s*[\"“«](?=[^\"”»]*$)")
"""A law that another text quotes whole, as those of Chile: ``"Título I``."""

_NUMBERED = re.compile(
    rf"\s*(?:[\d{SUPERSCRIPTS}]{{0,2}}\[\s?)?(?:F\d{{1,4}}\s+)?"
    r"(?P<label>\d{1,3}[A-Z]?(?:\.\d{1,2})?-\d{1,3}[A-Z]?(?:\.\d{1,2})?-\d{1,4}[A-Z]?(?:\.\d{1,2})?(?=\.?\s+[A-Z])"
    r"|\d{1,3}[A-Z]?\.\d{2,3}[A-Z]?\.\d{3}(?=\s*$)"  # RCW 88.12.010
    r"|(?:[A-Z]{2,4}\s(?=\d+[A-Z]?\.\d))?\d{1,4}(?:[A-Z](?=\.\d))?(?:\.\d{1,4})*[A-Z]{0,3}|\d{1,4}-\d{2,4}[A-Z]{0,2}(?=\.)|(?:[A-Z]{2,4}\s)?\d{1,3}[A-Z]?-\d{2,4}-\d{3,4}(?=\s*$|\s+[A-Z]))(?:\.(?=\s*$|\s+[A-Z“\"‘(\[]|\s+(?:[.*]\s?){3}|\s*[—–\-]|[A-Z])|(?=\s+(?:[A-Z“\"‘(\[]|(?:\.\s?){3}))|(?=\s*[—–]\s*\(|\(1\)\s?[A-Z“\"‘])"
    r"|(?<=\.\d\d)(?=\s+[-–—]\s+[A-Z])|(?<=\.\d{3})(?=\s+[-–—]\s+[A-Z])|(?<=-\d{3})(?=\s*$|\s+[A-Z])|(?<=\d\.\d{3})(?=\s*$)(?<=\d[\dA-Z]\.\d{3}))"
)

_NUMBER_ALONE = re.compile(r"\s*\[?(?P<label>\d{1,3}[A-Z]{0,2})(?=\s*$)")
"""The number of a section above its first subsection."""

_RANGE = re.compile(
    r"(?P<joint>\s*(?:[-–,]|부터|내지|및|から|乃至|及び|至|和)\s*|\s+(?:bis|und|u\.|to|and|à|au|et|a|al|e|y|i|do|t/m|en)\s+)"
    r"(?:§+|Art(?:ikel|icle|icolo|ículo|igo)?\.?|제|第|Sections?)?\s*"
    r"(?P<last>[\d〇一二三四五六七八九十百]+[a-z]?)(?:[조条條](?:까지|まで)?|(?![^\W_⁰¹²³⁴-⁹]))",
    re.IGNORECASE,
)

_ONE = r"\d{1,4}[A-Za-zа-я]{0,2}(?:\.?[ºª°])?"

_SEVERAL = re.compile(
    r"\s*[\[({]?\s*(?P<word>(?:§+|Art[ts]?\.?|Art(?:ikel|i?cl|icol|[íi]cul|ig[oa]|yk|iklu?r)\w*"
    r"|(?:Section|Rule|Regulation|Clause|Reg|Sec|S)s?\.?|Статьи|Стат(?:ті|тю|ью)|Членове|Чл\.|Čl\w*\.?|Άρθρα|Madde\w*|Pasal|Điều)"
    r"\s*(?:(?:da|dal|de|del|do|von|from|van|fra)\s)?)?\s*"
    rf"(?P<first>{_ONE})(?:\s*,\s*{_ONE})*(?:\s*[-–—,&]\s*|,?\s+(?:bis|und|u\.|sowie|to|and|à|au|et|ou|a|al|ao|e|y|o|i|do"
    r"|ja|och|og|till?|t/m|tot en met|en|şi|și|по|и|та|έως|και|il[aâ]|ve|až)\s+)"
    rf"(?:§+\s*|Art\.\s*)?(?P<last>{_ONE})(?:\.?\s?§+)?(?![^\W_])",
    re.IGNORECASE,
)
"""Several provisions in one line, which are repealed together: ``3 to 5. (Repealed)``, ``Artt. 3-5 (abrogati)``."""

_GOES_ON = re.compile(
    r"제\d+[조항호]|중\s|및|또는|내지|부터|의\s|에\s|第[\d一二三四五六七八九十]+[項号款项]|及び|又は|วรรค|และ|หรือ|แห่ง|ถึง"
    r"|(?:Abs(?:atz|\.)|Satz|Nr\.|Nummer|Buchst|Unterabs|Halbs|Ziff|lit\.|al\.|par\.|alin)(?![^\W_])"
)
"""Words behind a number that make it a reference in a sentence."""

_PARTICLE = re.compile(r"(?:에서?|의|[을를과와])\s|に|の|を|及び")
"""The same behind a heading in brackets: ``제5조(벌칙)에 따라``."""

MARK_ONLY = re.compile(r"\d{1,3}[a-z]?|[a-z]{1,2}|[ivx]+")

_PART_OF_GROUP = re.compile(r"\s*(?P<label>제\s?\d{1,2}항(?=\s)|§\s?(?:\d{1,2}\.)?\d{1,2}(?:er|\.?[º°])?(?=[.\s]))")
"""A heading below those of groups that have a word: ``제2항 재판``, ``§ 2.1. Het licht``."""

PARTS_OF_GROUPS = ("항", "§")

HAN = "〇一二三四五六七八九十百"

_ANNEX_NUMBER = (
    rf"\s*(?:(?:č|nr|no|n[º°]|núm)\.?\s?)?[第제]?[\d{HAN}]+[A-Za-z]?(?:[의のノ之][\d{HAN}]+)*(?:号|호서식)?"
    r"|\s+(?-i:[IVX]+[a-z]?|[A-Z])"
)

_ORDER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

_ORDER_BEHIND = (
    *("primer[oa]?", "segund[oa]", "tercer[oa]?", "cuart[oa]", "quint[oa]", "sext[oa]", "séptim[oa]", "octav[oa]"),
    *("primeir[oa]", "segund[oa]", "terceir[oa]", "quart[oa]", "quint[oa]", "sext[oa]", "sétim[oa]", "oitav[oa]"),
    *("pertama", "kedua", "ketiga", "keempat", "kelima", "keenam", "ketujuh", "kelapan"),
)
"""Words behind the word for an annex that number it, eight of each language."""

BELGIAN_ANNEX = re.compile(r"\s*Art\.?\s?N(?P<number>\d{0,3}(?:/\d{1,2})?)\.?(?=\s|$)")
"""An annex as Belgium numbers them: ``Art. N.``, ``Art. N1.``"""

NOTED_NUMBER = re.compile(r"\s*\[?F(?P<label>\d{2,6}[A-Z]{0,2})(?=\s?\.\s?\.|\s+[A-Z(]|\(1\))")

_AMENDMENT = re.compile(
    r"\b(?:repealed|inserted|substituted|omitted|added|amended|renumbered|revoked|applied|modified)\b"
)
"""A section right behind the mark of a note, as legislation.gov.uk shows it: ``F13. . . .`` is 3 with note F1."""

OF_ACT = re.compile(
    r"\s+(?:do (?:ustawy|rozporządzenia|uchwały|zarządzenia|obwieszczenia)|k (?:zákonu|vyhlášce|nařízení)|az?(?= \d)"
    r"|(?:à (?:l['’]|la )|au )(?:loi|arrêté|décret|règlement)|zu[mr] (?:gesetz|verordnung|satzung)"
    r"|bij (?:de|het) (?:wet|besluit|verordening))(?![^\W_])(?:$|.*\d|.* (?:z dnia|ze dne|du|vom|van)$)",
    re.IGNORECASE,
)
"""The act that an annex is of: ``Załącznik do ustawy z dnia …``, ``1. melléklet a 7/2014. … rendelethez``."""

OF_PROVISION = re.compile(
    r"\s+(?:zu[mr]?|til|till|to|à|à l['’]|al|all['’]|bij|do|k)\s*"
    r"((?:(?:§+|Art|Sec)[\w.]*\s*\d+\s?[a-z]?|\d+\s?[a-z]?\s§)(?:[\s,]+(?:\d+|(?-i:[A-Z])\w*\.?))*)"
    r"(?:\s(?:van (?:de|het)\s|de la\s|de l['’]|du\s|des\s|der\s)"
    r"(?=\S{0,40}(?:wet|besluit|verordening|regeling|loi|décret|arrêté|ordonnance|code|gesetz|verordnung))"
    r"(?!.{0,120}\s(?:wordt|worden|is|zijn|vervalt|est|sont|wird|werden|ist|sind)(?![^\W_]))[^.:;]{3,120})?\s*$",
    re.IGNORECASE,
)
"""The provision that an annex is of, without brackets: ``Anlage 1 zu § 3``, ``Bijlage bij artikel 6 van de Wet …``."""

_LATIN = "\u0250"

_NOTED = re.compile(r"\((?:Anm|Note|Nota|Anmerkung)\.?\s?:\s*|\{")
"""What opens a note in place of an article: ``(Anm.: § 4 aufgehoben durch …)``, ``{Статтю 3 виключено …}``."""


class Layout(NamedTuple):
    """What the lines of a law are.

    Attributes:
        headings: the lines that open a unit, by row.
        contents: rows of the table of contents.
        doubts: rows that look like headings, but whose numbers do not go on.
    """

    headings: dict[int, Chosen]
    contents: range
    doubts: list[int]


def layout(rows: Sequence[str], table: Jurisdiction) -> Layout:
    """Return which lines of a law are headings.

    Args:
        rows: the lines, none of them empty.
        table: of the jurisdiction.
    """
    quoted = quoted_rows(rows)
    places = [row for row in range(len(rows)) if row not in quoted]
    every = [each for row in places if (each := _candidate(rows, row, table))]
    by_number = table.numbered and any(numbered_section(rows, row, table) for row in places)
    if (
        quoted and not by_number and not of_kind(every, "article")
    ):  # DECRETO: "… DECRETA: Artículo 1.- …": the law itself.
        places = list(range(len(rows)))
        every = [each for row in places if (each := _candidate(rows, row, table))]
    found, contents = without_contents(every, rows)
    if table.numbered:
        numbered = _of_one_style([each for row in places if (each := numbered_section(rows, row, table))], rows)
        bare, of_bare = without_contents([*numbered, *(each for each in every if each.kind != "article")], rows)
        edges = [each.row for each in bare if each.depth < 0]
        words = [each for each in of_kind(found, "article") if not bisect_right(edges, each.row)]
        bare = _before_schedules(bare, edges)
        worded = chain(words, [])
        own = of_kind(bare, "article")
        only = len(own) == 1 and own[0].label == "1" and not of_kind(found, "article")
        if only or len(worded) < 2 <= len(own) or go_through(own, words):
            found = sorted([*(each for each in found if each.kind == "article" and each not in words), *bare])
            # What a word numbers between them are groups of them, or notes of amendments.
            words = [each for each in words if each.row not in rows_of(own)]
            groups = [each for each in words if not is_prose(rows[each.row]) and not _is_note(each, own)]
            found = sorted([*found, *_as_groups(groups, table)])
            contents = of_bare
    found = [each for each in found if CELL not in rows[each.row]]
    unnamed = {each.row + 1 for each in found if each.kind == "group" and not words_behind(rows[each.row], each)}
    found = [each for each in found if each.kind != "supplement" or each.row not in unnamed]  # TÍTULO III
    after = [*(each.row for each in found), len(rows)][1:]
    found = [
        each._replace(weight=each.weight + 0.25 * (bool(rows[each.row][each.end :].strip(" .")) or end > each.row + 1))
        for each, end in zip(found, after, strict=True)
    ]
    found = _nested(found, table)
    containers, groups = [each for each in found if each.depth < 0], of_kind(found, "group")
    beside = {each.row + more for each in containers for more in (1, 2)}  # SCHEDULE, Section 4: what it belongs to.
    found = [each for each in found if each.row not in beside or not _is_related(each, rows)]
    restarts = begun_anew(found)
    more = [each for each in found if each.level == _ADDITIONAL]
    found = [each for each in found if each not in more]
    found, inner = in_articles(found, rows) if table.lang == "de" else (found, [])
    groups = of_kind(found, "group")
    chosen = chain(of_kind(found, "article"), sorted([*rows_of(containers), *restarts]), rows_of(groups), through=0.5)
    for before, later in pairwise(chosen):
        if not later.anew:  # Numbers go through no annex.
            for each in [each for each in containers if before.candidate.row < each.row < later.candidate.row]:
                containers.remove(each)
                if each.kind == "supplement":
                    groups.append(each._replace(kind="group", depth=0, readings=()))
    taken = {each.candidate.series for each in chosen}
    chosen += chain(inner, sorted([*rows_of(containers), *(each.candidate.row for each in chosen)]))
    parts = _parts_of_groups(rows, chosen, sorted([*rows_of(containers), *rows_of(groups)]), table)
    of_parts = {part.candidate.row for part in parts}
    rest = [each for each in of_kind(found, "article") if each.row not in of_parts]
    below = [each._replace(kind="paragraph") for each in rest if each.series not in taken]
    chosen += chain(below, sorted([*rows_of(containers), *(each.candidate.row for each in chosen)]))  # Artikel 3 § 1
    for series in dict.fromkeys(each.series for each in more):
        chosen += chain([each for each in more if each.series == series], rows_of(containers))
    for name in dict.fromkeys(each.level for each in containers):
        others = [each for each in containers if each.level != name]
        chosen += _sequence([each for each in containers if each.level == name], rows_of(others))
    edges = [each.candidate.row for each in chosen if each.candidate.depth < bool(inner)]
    for depth in sorted({each.depth for each in groups}):
        others = [each for each in groups if each.depth != depth]
        own = sorted((each for each in groups if each.depth == depth), key=lambda each: each.row)
        chosen += _sequence(own, sorted([*edges, *rows_of(others)]))
    headings = {each.candidate.row: each for each in [*chosen, *parts]}
    read = {each.row for each in every}
    doubts = [each.row for each in (*found, *more, *inner) if each.row not in headings and each.weight >= 1]
    # A number that no form reads.
    doubts += [row for row in places if row not in read and row not in contents and table.begins_as_article(rows[row])]
    return Layout(headings, contents, sorted(doubts))


def _is_note(each: Candidate, bare: Sequence[Candidate]) -> bool:
    """Return True for a line with the number of the section before it: ``[Section 5 amended by …]``."""
    at = bisect_right([one.row for one in bare], each.row)
    decimal = any(map(str.isdecimal, each.label))  # SECTION II is none behind 2.
    return decimal and at > 0 and not {*bare[at - 1].readings}.isdisjoint(each.readings)


def _as_groups(words: Sequence[Candidate], table: Jurisdiction) -> list[Candidate]:
    """Return candidates for articles as those for groups, the series that begins first as the highest level."""
    series = [*dict.fromkeys(each.series for each in words)]
    first = max(min((each.depth for each in words), default=0) - len(series), 0)
    depths = {each.row: first + series.index(each.series) for each in words}
    return [
        each._replace(kind="group", depth=depths[each.row], level=table.levels[depths[each.row]].name) for each in words
    ]


def _nested(found: Sequence[Candidate], table: Jurisdiction) -> list[Candidate]:
    """Return candidates with groups below those that they first stand directly behind, ``ARTICLE II``, ``DIVISION 1``.

    The order of the levels of the table counts elsewhere.
    """
    lowest = max((at for at, level in enumerate(table.levels) if level.kind == "group"), default=-1)
    below: dict[int, int] = {}
    first: dict[int, Candidate] = {}
    for before, each in pairwise(found):
        if each.kind == "group" and first.setdefault(each.depth, each) is each and before.kind == "group":
            lower = below.get(before.depth, before.depth)
            if each.row - before.row <= NAMED_BELOW and each.depth < lower < lowest:
                below[each.depth] = lower + 1
    return [
        each._replace(depth=below[each.depth]) if each.kind == "group" and each.depth in below else each
        for each in found
    ]


def _is_related(each: Candidate, rows: Sequence[str]) -> bool:
    words = rows[each.row].strip()
    alone = each.kind == "article" and not rows[each.row][each.end :].strip(" .])）】")
    noted = words[0] in "[(（【" and words[-1] in "])）】"  # [Section 1.]
    return alone and each.series != "" and (noted or main_number(each.readings[0].number) > 1)


def go_through(bare: Sequence[Candidate], worded: Sequence[Candidate]) -> bool:
    """Return True if bare numbers go on behind what words number, as those of items in articles do not.

    Two parts are enough if their numbers are Roman ones.
    """
    words, least = rows_of(worded), 2 if any(map(str.isdecimal, "".join(each.label for each in worded))) else 1
    chosen = {each.candidate.row for each in chain(bare, [])}
    parts: dict[int, int] = {}
    for each in bare:
        parts.setdefault(bisect_right(words, each.row), each.row)
    on = sum(row in chosen for row in parts.values())
    return len(words) > 1 and len(parts) > least and len(chosen) > len(words) and on * 3 >= len(parts) * 2


def _sequence(candidates: Sequence[Candidate], anew: Sequence[int]) -> list[Chosen]:
    """Return the candidates whose numbers go on, and those without a number."""
    bare = [Chosen(each, Reading("", ""), True) for each in candidates if not each.readings]
    return chain([each for each in candidates if each.readings], anew, most=0.9) + bare


def _parts_of_groups(
    rows: Sequence[str], chosen: Sequence[Chosen], anew: Sequence[int], table: Jurisdiction
) -> list[Chosen]:
    """Return the headings right above articles that count from 1 on: ``제1항 합의``, ``§ 1. Dei moli``.

    Paragraphs of articles begin so, too, but end in a full stop, and do not count through the last lines of articles.

    Args:
        chosen: the articles.
        anew: rows of groups, behind which they begin at 1 again, in order.
    """
    runs: list[list[Chosen]] = []
    taken, group = {each.candidate.row for each in chosen}, -1
    for article in sorted(each.candidate for each in chosen):
        row = article.row - 1
        if row < 0 or row in taken or not (match := _PART_OF_GROUP.match(rows[row])):
            continue
        label, number = match["label"], number_of(match["label"])
        level = next(each for each in PARTS_OF_GROUPS if each in label)
        part = Candidate(row, "group", level, article.depth, label, match.end(), ())
        name = words_behind(rows[row], part)
        listed = row > 0 and rows[row - 1].rstrip().endswith((":", ",", ";"))
        fits = name[:1].isalpha() and is_name(name) and not table.is_repealed(name)
        if listed or not fits or _is_sentence(rows[row][part.end :], table):
            continue
        above, _, last = number.rpartition(".")
        if last == "1" or bisect_right(anew, row) != group:
            runs.append([])
        group = bisect_right(anew, row)
        beside = runs[-1][0].reading.number if runs[-1] else number
        if int(last) == len(runs[-1]) + 1 and beside.rpartition(".")[0] == above:
            runs[-1].append(Chosen(part, Reading(number, number), False))
    return [each for run in runs if len(run) > 1 for each in run]


def _candidate(rows: Sequence[str], row: int, table: Jurisdiction) -> Candidate | None:
    words = re.sub(r"^(\s*)(§+)\[(?=\d)", r"\1[\2", rows[row])  # §[12. Repealed. …]
    if container := _container(row, words, table, rows[row - 1] if row else ""):
        return container
    heading, several = table.heading(words), _several(rows, row, table)
    worded = several and (words[several.end - 1] == "§" or not several.label[0].isdigit())
    if several and worded and (heading is None or heading.end < several.end):
        return several
    for opens in (_OPENED, _IN_ROUND, _NOTED, _IN_QUOTES) if heading is None else ():
        if (opened := opens.match(words)) and (heading := table.heading(words[opened.end() :])):
            heading = heading._replace(end=heading.end + opened.end())
            rest = words[heading.end :]
            nothing = not rest.strip(" .") if opens is _IN_ROUND else table.is_repealed(rest)
            heading = heading if nothing or opens in (_OPENED, _IN_QUOTES) else None
            break
    if heading is None or heading.level.kind not in ("group", "article"):
        return None
    label, end, last = heading.label, len(words[: heading.end].rstrip()), ""
    if (more := _RANGE.match(words, end)) and _is_range(heading.number, more, words[more.end() :], table):
        label, end, last = " ".join(words[: more.end()].split()), more.end(), number_of(more["last"])
    after = words[end:]
    if not _AFTER_LABEL.match(after) or _is_sentence(after, table):
        return None
    if heading.level.kind == "group" and (after.endswith((",", ";", ":")) or len(after) > LONGEST_HEADING):
        return None
    if heading.level.kind == "group" and label[0].isdigit() and after.lstrip()[:1].isdigit():
        return None  # 2. Teil 4 des Hafengesetzes
    shown = heading.label if number_of(heading.label) == heading.number else heading.number  # 4. gr. a
    additional = heading.level.name == _ADDITIONAL
    readings = (Reading(label, label),) if additional else readings_of(label if last else shown, last)
    if not readings and heading.level.kind == "article":  # Article unique, but not SECTIONS
        if " " not in label:
            return None
        only = label.lower().split()[-1 if table.heading(f"{label.split()[0]} 1") else 0]  # Enig artikel
        readings = (Reading(only, only),)
    below = rows[row + 1] if row + 1 < len(rows) else ""
    doubtful = (
        label[0].islower()
        or words.lstrip()[0] in OPENING
        or (row > 0 and (CUT_OFF.search(rows[row - 1]) or rows[row - 1].rstrip().endswith(":")))  # § 12 is to read:
        or (not after.strip() and below.lstrip()[:1].islower())
    )
    kind, level = heading.level.kind, heading.level.name
    return Candidate(row, kind, level, heading.depth - additional, label, end, readings, 0.4 if doubtful else 1.0)


def _is_range(first: str, more: re.Match[str], after: str, table: Jurisdiction) -> bool:
    """Return True if a label names several units: ``§§ 3 bis 5 (weggefallen)``."""
    if main_number(number_of(more["last"])) <= main_number(first):
        return False
    if more["joint"].strip().isalpha() and more["joint"][0].isspace() and more["joint"].isascii():
        return not _is_sentence(after, table)
    return not after.strip() or table.is_repealed(after) or after.lstrip()[0] in "(.:["


def _is_sentence(after: str, table: Jurisdiction) -> bool:
    """Return True if the words behind a number make it a reference in a sentence: ``Article 19 is replaced …``."""
    if table.is_repealed(after) or re.match(rf"(?:{NOTE})?\s*[.:—–\-]", after):
        return False
    note = re.match(NOTE, after)
    if (bracket := BRACKETED.match(after, note.end() if note else 0)) and MARK_ONLY.fullmatch(bracket[0][1:-1]):
        return True
    brackets = re.match(rf"(?:{NOTE})?(?:\s*{BRACKETED.pattern})*\s*", after)
    bare = after[brackets.end() :] if brackets else after
    return bare[:1].islower() or (_PARTICLE if "(" in after[:2] else _GOES_ON).match(bare) is not None


def _several(rows: Sequence[str], row: int, table: Jurisdiction) -> Candidate | None:
    """Return the provisions that a line, or the one below it, says to be repealed together, as one."""
    match = _SEVERAL.match(rows[row])
    if not match:
        return None
    after = rows[row][match.end() :]
    after = after if after.strip(" .:]") or row + 1 == len(rows) else rows[row + 1]
    first, last = number_of(match["first"]), number_of(match["last"])
    rises = (main_number(first), first) < (main_number(last), last)
    if not rises or not table.is_repealed(after):
        return None
    depth, level = next((at, each) for at, each in enumerate(table.levels) if each.kind == "article")
    label = " ".join(rows[row][match.start("word" if match["word"] else "first") : match.end()].split())
    readings = (Reading(f"{first}-{last}", last),)
    return Candidate(row, "article", level.name, depth, label, match.end(), readings)


def numbered_section(rows: Sequence[str], row: int, table: Jurisdiction) -> Candidate | None:
    """Return the section that a line opens by its bare number: ``1. Short title.``"""
    match = _NUMBERED.match(rows[row])
    if not match and row + 1 < len(rows) and rows[row + 1].lstrip().startswith("(1)"):
        match = _NUMBER_ALONE.match(rows[row])
    if not match and (noted := NOTED_NUMBER.match(rows[row])) and not _AMENDMENT.search(rows[row]):
        digits = noted["label"]
        readings = [
            reading for at in range(1, len(digits)) if digits[at].isdigit() for reading in readings_of(digits[at:])
        ]
        label = digits[1:]
        return Candidate(row, "article", "section", len(MARKS), label, noted.end("label"), tuple(readings), 0.9)
    if not match:
        several = _several(rows, row, table)
        return several and several._replace(label=re.sub(r"^\D+", "", several.label), level="section", depth=len(MARKS))
    label = match["label"]
    weight = 0.9 if rows[row].rstrip().endswith((",", ";")) else 1.0  # The item of a list.
    weight = 0.7 if match.re is _NUMBER_ALONE else weight
    return Candidate(row, "article", "section", len(MARKS), label, match.end("label"), readings_of(label), weight)


def _of_one_style(found: Sequence[Candidate], rows: Sequence[str]) -> list[Candidate]:
    """Return candidates with less weight for ``1.`` where the one with the largest number is ``9``, and the reverse."""

    def dotted(each: Candidate) -> bool:
        return rows[each.row][each.end : each.end + 1] == "."

    last = max(reversed(found), key=lambda each: main_number(each.label), default=None)
    return [each if dotted(each) == dotted(last) else each._replace(weight=each.weight - 0.1) for each in found if last]


def _before_schedules(found: Sequence[Candidate], edges: Sequence[int]) -> list[Candidate]:
    """Return candidates without the numbered paragraphs of schedules, which begin at 1."""
    first: dict[int, int] = {}
    for each in of_kind(found, "article"):
        first.setdefault(bisect_right(edges, each.row), main_number(each.label))
    return [
        each
        for each in found
        if each.kind != "article" or not (part := bisect_right(edges, each.row)) or first[part] > 1
    ]


def _container(row: int, words: str, table: Jurisdiction, above: str) -> Candidate | None:
    """Return the annex or supplement that a line opens; `above` is the line before it."""
    names_annexes = table.lang == "fr" or "Bijlage" in table.annex
    if names_annexes and (belgian := BELGIAN_ANNEX.match(words)):
        name = "Annexe"
        return Candidate(row, "annex", name, -1, belgian[0].strip(), belgian.end(), readings_of(belgian["number"]))
    bare = re.sub(r"^\s*(?:■[^\[]*|\[?F\d{1,4}\s?(?=[A-Z]))", "", words).lstrip(" \t　[【〔<〈")
    form = _container_form(table.annex, table.supplement)
    match = form.match(bare)
    if not match or len(bare) > LONGEST_HEADING or bare[0].islower():
        return None
    after = bare[match.end() :]
    inside = after.lstrip("]】〕>〉")
    if after == inside and not (_AFTER_LABEL.match(after) or after[0] == "<"):
        return None
    said = _is_sentence(inside, table) or match["before"] is not None
    of_provision = OF_PROVISION.match(inside) and not (is_open(above) or CUT_OFF.search(above))
    said = said and not (OF_ACT.match(inside) or of_provision or (match["before"] and not inside.strip()))
    letter = inside[:2].strip()
    if match["supplement"] and (match["behind"] or (letter.isalpha() and letter < _LATIN)):
        return None  # Disposición final primera
    alone = not inside.strip(" .") and (bare.isupper() or not match["number"])  # SCHEDULE.
    alone = alone and above.endswith(SENTENCE) and not form.fullmatch(above.strip(" ."))
    if said or (bare.rstrip().endswith((".", ",", ";", "。", "、")) and not (alone or OF_ACT.match(inside))):
        return None
    kind: Kind = "annex" if match["annex"] else "supplement"
    names = table.annex if match["annex"] else table.supplement
    name = next(
        each
        for each in (name.removeprefix("N ") for name in names)
        if re.fullmatch(spelled(compact(each)), compact(match[kind]))
    )
    end = len(words) - len(bare) + match.end()
    if match["annex"] and (amended := re.match(r"[\]】〕>〉]*\s*<[^<>]*>", words[end:])):
        end += amended.end()
    label = " ".join(match[0].split())
    order, behind = match["order"], match["behind"]
    number = match["number"] or match["before"] or ""
    if order:
        number = str(_ORDER.index(order.lower()) + 1)
    elif behind:
        places = (at for at, form in enumerate(_ORDER_BEHIND) if re.fullmatch(form, behind, re.IGNORECASE))
        number = str(next(places) % 8 + 1)
    return Candidate(row, kind, name, -1, label, end, readings_of(number))


@cache
def _container_form(annex: tuple[str, ...], supplement: tuple[str, ...]) -> re.Pattern[str]:
    def names(words: tuple[str, ...]) -> str:
        longest = sorted(words, key=len, reverse=True)
        forms = ("[\\s\u3000]?".join(map(re.escape, each)) if each[0] > "⺀" else spelled(each) for each in longest)
        return "|".join(forms) or "(?!)"

    behind_number = names(tuple(each[2:] for each in annex if each.startswith("N ")))
    annex = tuple(each.removeprefix("N ") for each in annex)
    order = rf"(?:the\s+)?(?:(?P<order>{'|'.join(_ORDER)})\s+|(?P<before>\d{{1,3}})\.?\s+(?={behind_number}))?"
    number = rf"(?P<number>{_ANNEX_NUMBER})|\s+(?P<behind>{'|'.join(_ORDER_BEHIND)})"
    form = rf"{order}(?:(?P<annex>{names(annex)})|(?P<supplement>{names(supplement)}))"
    return re.compile(rf"{form}(?:(?:{number})(?![^\W_])|(?![^\W\d_])|(?=\s*抄))", re.IGNORECASE)
