"""Statutes as plain lines of text: what PDF, Word, plain text and web pages without marks have in common.

A line may open a unit if it begins as the table of the jurisdiction says and is not a sentence. Of those lines the
sequence is chosen that goes on best; the other lines are text. Paragraphs and items are recognised by their marks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise, takewhile
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from legalir.analysis.language import UNKNOWN, identify, language_code, scripts
from legalir.declared import check_choice
from legalir.errors import ComponentError, DataError
from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.jurisdictions import (
    COUNTRIES,
    Jurisdiction,
    Level,
    jurisdiction,
    jurisdictions,
    mark_repealed,
    spelled,
)
from legalir.statutes.law import BREAK, CELL, Law, Outline, Span, Unit
from legalir.statutes.reading.page import (
    CONTENTS,
    TEXT,
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
from legalir.statutes.reading.sequence import (
    PARTS,
    SUPERSCRIPTS,
    Candidate,
    Chosen,
    Reading,
    begun_anew,
    chain,
    in_articles,
    main_number,
    parts_above,
    readings_of,
)
from legalir.statutes.reading.title import name_of_law, names_law

_MARKS = {
    "circle": re.compile(r"\s*(?P<label>[①-⑳㉑-㉟㊱-㊿])\s*"),
    "raised number": re.compile(rf"\s*(?P<label>[{SUPERSCRIPTS}]{{1,2}})\s+"),
    "bracketed number": re.compile(r"\s*(?P<label>[(（]\d{1,3}[a-z]?[)）])\s*"),
    "bracketed letter": re.compile(r"\s*(?P<label>[(（](?:[a-z]{1,2}|[가-힣]|[一-十百]{1,4})[)）])\s*"),
    "number": re.compile(
        r"\s*(?P<label>\d{1,3}(?:의\d{1,2})?[.．、)](?=\s)"
        r"|\d{1,3}[A-Z]{0,2}\.\s?[—–-](?=\s?\(1\)))\s*"  # 2.—(1) A lifebuoy
    ),
    "letter": re.compile(r"\s*(?P<label>(?:[a-z]|[가-힣])[.)])\s+"),
    "wide number": re.compile(r"\s*(?P<label>[０-９]{1,3}|\d{1,3}(?=　))[　\s]\s*"),
    "kanji": re.compile(r"\s*(?P<label>[一二三四五六七八九十百]{1,5}(?:、|(?=[　\s])))\s*"),
    "kana": re.compile(r"\s*(?P<label>[ア-ン])　\s*"),
}
_ADDITIONAL = "additional article"  # The level of Ek Madde 1, which has a number of its own.
_ITEMS = ("number", "letter", "kanji")
"""Marks that number items, even where no paragraph is numbered."""

_BARE_NUMBER = re.compile(r"\s*(?P<label>\d{1,3})(?:\s+(?=[A-Z“‘])|\s*(?=\(1\)))")
"""The number of a paragraph of a schedule without a full stop: ``2 (1) Each berth …``"""

_KINDS: tuple[Kind, ...] = ("paragraph", "item", "subitem")
_BELOW = 1000
"""Depth of the first level below an article; tables of jurisdictions are shorter."""

_NOTE = rf"(?:[,;.\s]?(?:[{SUPERSCRIPTS}]+\)?|[*†‡]+\)?|\[\d{{1,3}}\]))+"
"""Marks of footnotes behind a number or a heading."""

_AFTER_LABEL = re.compile(rf"(?:{_NOTE}|['’΄´ʹ](?=\s|$))?(?:\s*$|\s*[(（.:：—–\-【〔\[]|[\s　])")
_PUNCTUATION = re.compile(rf"(?:{_NOTE}|['’΄´ʹ])?[\s.:：—–\-]*")
_OPENED = re.compile(rf"\s*(?=\S{{0,2}}\[|F)(?:[\d{SUPERSCRIPTS}]{{0,2}}\[\s?)?(?:F\d{{1,4}}\s*)?")
"""A bracket around what was inserted later, with the number of its note: ``[F1 3A``, ``1[6A.``"""
_TITLE_OPENED = re.compile(
    rf"\s*(?:\(\(|[\d{SUPERSCRIPTS}]{{0,2}}\[(?:[{SUPERSCRIPTS}]*\s?F\d|(?![^]]*]\s*$)))[\[{SUPERSCRIPTS}\d\s]*"
    r"(?=[^\Wa-zß-ÿ\d_])"
)
"""The same before a heading, which the text closes: ``[F2Fees``, ``((Tasse``."""
_TEXT_CLOSED = re.compile(rf"(?:\]|\)\))[{SUPERSCRIPTS}]*\s*$")
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

_BRACKETS = re.compile(r"[(（【〔]\s*(?P<heading>[^()（）]{1,120})\s*[)）】〕]\s*")
_BRACKETED = re.compile(r"[(（【〔\[][^()（）【】]{1,120}[)）】〕\]]")
_NOTES = re.compile(rf"(?:\s*{_BRACKETED.pattern})*\s*$")
_MARK_OF_PARAGRAPH = re.compile(r"\s*[(（]?(?:\d{1,3}[a-z]?|[a-z]{1,2}|[ivx]{1,5})[.)）°]\)?\s")
_FIRST_ITEM = re.compile(r"\s*(?:1[.)]|[(（]?a[.)）])\s")
_MARK_ONLY = re.compile(r"\d{1,3}[a-z]?|[a-z]{1,2}|[ivx]+")
_DASHED = re.compile(
    r"(?P<heading>[^\W\d_](?:[^.;:—–]{1,120}(?=\.?\s?[—–])|[^.—–]{1,160}(?=\.[—–])))\.?\s?[—–]\s?(?=[(\w“\"])"
)
"""A heading that a dash parts from the text: ``Short title.—(1) This Act …``."""
_BEGUN = re.compile(r"\(\w{1,3}\)|\d{1,2}[.)]\s|[“\"]|[^\W\d_]")
"""The begin of a sentence."""

_IN_CAPITALS = re.compile(
    r"(?P<heading>[^\Wa-zß-ÿ\d_][^a-zß-ÿ.;:—–]{3,120})\.\s+(?=[<“\"]?[^\Wa-zß-ÿ\d_][a-zß-ÿ]?\s?[a-zß-ÿ]|\(\w{1,2}\) )"
)
"""A heading in capitals before the text: ``OBJETO. La presente ley …``."""

_CUT_LINES, _LEAST_WIDTH = 4, 40
"""Rows that show how long lines are, and the least length at which they are cut."""
_ENDS = (".", "。", ":", "：", ";", "；", ",", "、", "—", "–", " -", ":-")
_SENTENCE = (".", ";", "”", "’", '"', ")")
_STOPS = (*_SENTENCE, ":", "—")
_UNSPACED = re.compile("[\u0e00-\u0eff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]")
"""Signs of scripts whose lines may be cut inside a word."""
_NUMBER_INSIDE = re.compile(r"\s*\d[\w(),]*(?:\.?\s*\Z|\s+[^\W\dA-ZÀ-ÖØ-Þ])")
"""A number at the beginning of a line that is inside of a sentence: ``2016.``, ``6(2)(b) of the Act``."""
_WIDE_GAP = re.compile(r"\S\s{3,}\S")
"""What is between the columns of a table in plain text."""
_UNREAD_MARK = re.compile(r"\s*[(（][\w.]{1,6}[)）]\s")
_LONGEST_HEADING = 200
_NUMBERED_GROUP = re.compile(r"\s*(?:[IVX]{1,5}|[A-H])\.\s+[^\W\d_]")
"""A heading that only a Roman number or a letter numbers: ``III. Gebühren``."""
_PART_OF_GROUP = re.compile(r"\s*(?P<label>제\s?\d{1,2}항(?=\s)|§\s?(?:\d{1,2}\.)?\d{1,2}(?:er|\.?[º°])?(?=[.\s]))")
"""A heading below those of groups that have a word: ``제2항 재판``, ``§ 2.1. Het licht``."""
_PARTS_OF_GROUPS = ("항", "§")
_OFTEN = 3
"""So often a heading such as *Notes* comes that belongs to the article before it."""
_LONGEST_TITLE = 120
_SHORT = 8
"""Words of a sentence that may be a heading."""
_HAN = "〇一二三四五六七八九十百"
_UNREAD = re.compile(rf"[§|]|\bart\w{{0,6}}\.?\s?\d|제\s?\d+\s?조|第\s?[\d{_HAN}]+\s?[条條]", re.IGNORECASE)
"""An article in a heading, or a cell: it is no group."""
_ANNEX_NUMBER = (
    rf"\s*(?:(?:č|nr|no|n[º°]|núm)\.?\s?)?[第제]?[\d{_HAN}]+[A-Za-z]?(?:[의のノ之][\d{_HAN}]+)*(?:号|호서식)?"
    r"|\s+(?-i:[IVX]+[a-z]?|[A-Z])"
)
_ORDER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDER_BEHIND = (
    *("primer[oa]?", "segund[oa]", "tercer[oa]?", "cuart[oa]", "quint[oa]", "sext[oa]", "séptim[oa]", "octav[oa]"),
    *("primeir[oa]", "segund[oa]", "terceir[oa]", "quart[oa]", "quint[oa]", "sext[oa]", "sétim[oa]", "oitav[oa]"),
    *("pertama", "kedua", "ketiga", "keempat", "kelima", "keenam", "ketujuh", "kelapan"),
)
"""Words behind the word for an annex that number it, eight of each language."""
_CAPTION = re.compile(r"(?:\(\(\s*)?[(（][^()（）\d]{1,60}[)）]\.?(?:\s*\)\))?")
_RELATED = re.compile(r"[(（]([^()（）]*\d[^()（）]*|[^()（）]*第[一二三四五六七八九十百][^()（）]*)[)）]")
"""The provision that an annex names in brackets beside its heading."""

_BELGIAN_ANNEX = re.compile(r"\s*Art\.?\s?N(?P<number>\d{0,3}(?:/\d{1,2})?)\.?(?=\s|$)")
"""An annex as Belgium numbers them: ``Art. N.``, ``Art. N1.``"""
_ANNEXES = re.compile(
    r"(?:annexes?|bijlagen?|schedules|anhänge|anlagen|anexos|allegati|bilagor|załączniki|přílohy)\.?", re.IGNORECASE
)
"""The word above the first annex."""

_OF_COMPILATION = re.compile(r"\(\d+ ILCS [\w./-]+\)(?:\s*\(from [^()]*\))?")
"""What stands above a section in the statutes of Illinois."""

_SOURCE = re.compile(r"\s*\(?(?:1[89]|20)\d\d, c\. \d")
"""What stands below a section in the statutes of Québec: ``1970, c. 12, a. 1.``"""

_AMENDED = re.compile(
    r"(?i)\s*(?:<[^<>]*\d[^<>]*>|[(（](?:§+|art\w*\.?|sections?|стат\w+|ст\.)\s?(?:[lrd]\*?\.?\s?)?\d(?:[\d\s,.§–—/-]|(?<=[\d-])[^\W\d_]{1,6}|(?<=\s)(?:[lrd]\*?\.?\s?(?=\d)|(?:à|to|bis|und|and|et|al?|e|y|до|art\w*\.?)(?=\s)))*[)）])\s*$"
)
"""What is behind the name of a part: ``제2장 면허 <개정 2015. 5. 4.>``, ``Tarifs (Articles 3 à 5)``."""

_NOTED_NUMBER = re.compile(r"\s*\[?F(?P<label>\d{2,6}[A-Z]{0,2})(?=\s?\.\s?\.|\s+[A-Z(]|\(1\))")
_AMENDMENT = re.compile(
    r"\b(?:repealed|inserted|substituted|omitted|added|amended|renumbered|revoked|applied|modified)\b"
)
"""A section right behind the mark of a note, as legislation.gov.uk shows it: ``F13. . . .`` is 3 with note F1."""

_RESERVED = re.compile(r"(?:Secs?\.|Sections?|§+)\s*[\d.-]+\s*(?:[—–]|to|through)\s*[\d.-]+\.?\s*[-–—]?\s*Reserved\.?")
"""Numbers that a code keeps free: ``Secs. 12-3—12-20. - Reserved.``"""

_CHANGED = re.compile(
    r"(?:изм|доп|нов[аио]?|предиш\w*|в ред|amended|inserted|geändert|eingefügt|gewijzigd|ingevoegd|modifiée?|insérée?"
    r"|modificat[ao]|aggiunt[ao]|modificad[ao]|añadid[ao]|alterad[ao]|aditad[ao]|redação|əlavə|ek|yeniden düzenleme"
    r"|(?:başlığı ile birlikte )?değişik)\W.*\d",
    re.IGNORECASE,
)
"""What brackets behind a number say of its changes: ``Чл. 2. (Изм. - ДВ, бр. 7 от 2010 г.)``."""

_POINTS = re.compile(r"\s*(?:\.\s?){3}")
"""What stands in place of a text that is gone."""

_OF_ACT = re.compile(
    r"\s+(?:do (?:ustawy|rozporządzenia|uchwały|zarządzenia|obwieszczenia)|k (?:zákonu|vyhlášce|nařízení)|az?(?= \d)"
    r"|(?:à (?:l['’]|la )|au )(?:loi|arrêté|décret|règlement)|zu[mr] (?:gesetz|verordnung|satzung)"
    r"|bij (?:de|het) (?:wet|besluit|verordening))(?![^\W_])(?:$|.*\d|.* (?:z dnia|ze dne|du|vom|van)$)",
    re.IGNORECASE,
)
"""The act that an annex is of: ``Załącznik do ustawy z dnia …``, ``1. melléklet a 7/2014. … rendelethez``."""
_PROVISION = re.compile(
    r"(?:Section|Regulation|Article|Rule|Paragraph)s?\s\d(?:[\d(), ]|(?<=[\d(])[a-z]{1,5}|(?<=\s)(?:and|or|to)(?=\s))*",
    re.IGNORECASE,
)
"""The provision below the word for an annex: ``SCHEDULE 1``, ``Section 2``."""
_OF_PROVISION = re.compile(
    r"\s+(?:zu[mr]?|til|till|to|à|à l['’]|al|all['’]|bij|do|k)\s*"
    r"((?:(?:§+|Art|Sec)[\w.]*\s*\d+\s?[a-z]?|\d+\s?[a-z]?\s§)(?:[\s,]+(?:\d+|(?-i:[A-Z])\w*\.?))*)"
    r"(?:\s(?:van (?:de|het)\s|de la\s|de l['’]|du\s|des\s|der\s)"
    r"(?=\S{0,40}(?:wet|besluit|verordening|regeling|loi|décret|arrêté|ordonnance|code|gesetz|verordnung))"
    r"(?!.{0,120}\s(?:wordt|worden|is|zijn|vervalt|est|sont|wird|werden|ist|sind)(?![^\W_]))[^.:;]{3,120})?\s*$",
    re.IGNORECASE,
)
"""The provision that an annex is of, without brackets: ``Anlage 1 zu § 3``, ``Bijlage bij artikel 6 van de Wet …``."""
_LATIN = "\u0250"

_PLACE = re.compile(
    r"[\s.·…|]*(?:(?:(?:pag|pág|page|p|str|blz|s)\.?\s?)?\d+|[(（][^()（）]*[\d第][^()（）]*[)）])\s*$", re.IGNORECASE
)
"""What an entry of a table of contents ends in: a page, or the articles of a chapter."""

_FOLLOWS = re.compile(r"table of contents.*:\s*$", re.IGNORECASE)
"""A line of a section that the table of contents follows: ``The table of contents is as follows:``."""
_LAST = 3
"""Headings of contents, the last ones of a file, behind which a table of contents is looked for."""
_INSIDE_SENTENCE = re.compile(r"\s*[a-zà-öø-ÿ]+\s[^\W\d_]")
"""A line that goes on a sentence."""
_NAMES_ABOVE = 6
"""Rows before the first entry in which the words for a table of contents are looked for."""
_OPENING, _CLOSING = '‘“„«「『"', '’”“»」』"'
_NOTED = re.compile(r"\((?:Anm|Note|Nota|Anmerkung)\.?\s?:\s*|\{")
"""What opens a note in place of an article: ``(Anm.: § 4 aufgehoben durch …)``, ``{Статтю 3 виключено …}``."""
_BEHIND_ENTRIES = re.compile(
    rf"\.{{4,}}\s*\d{{1,4}}\s*$|^(?:{TEXT.pattern})$"
    r"|^\s*(?:art[^\W\d]*\.?|§+|sec[^\W\d]*\.?)\s*\d[\w./]*(?:[\s,–-]+(?:\d[\w./]*|à|tot|t/m|bis|to|und|and|en|et|al?|e|y))*\s*$",
    re.IGNORECASE,
)
"""Lines behind the last entry of contents: ``Historical notes ........ 6``, ``Art. 5, 5bis, 6``, ``Text``."""
_QUOTED_LINES = 200
_ROWS = 3000
"""Lines that are enough to choose the table."""

_OF_MANY = ("any", "ca", "eu")
"""Tables of laws in several languages."""

_SAMPLE = 1000
"""Letters that are enough to recognise a language against what a file says of itself."""

_NEAR = ({"da", "nb", "nn", "no"}, {"bs", "hr", "sr"}, {"id", "ms"})
"""Languages that are easily taken for each other."""


class Line(NamedTuple):
    """A line of the text of a law: where it starts and ends, without the line break."""

    start: int
    end: int


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


def lines_of(text: str, start: int = 0) -> list[Line]:
    """Return the lines of a text from `start` on."""
    lines = []
    for line in text[start:].splitlines(keepends=True):
        lines.append(Line(start, start + len(line.rstrip())))
        start += len(line)
    return lines


def layout(rows: Sequence[str], table: Jurisdiction) -> Layout:
    """Return which lines of a law are headings.

    Args:
        rows: the lines, none of them empty.
        table: of the jurisdiction.
    """
    quoted = _quoted(rows)
    places = [row for row in range(len(rows)) if row not in quoted]
    every = [each for row in places if (each := _candidate(rows, row, table))]
    by_number = table.numbered and any(_numbered(rows, row, table) for row in places)
    if quoted and not by_number and not _of(every, "article"):  # DECRETO: "… DECRETA: Artículo 1.- …": the law itself.
        places = list(range(len(rows)))
        every = [each for row in places if (each := _candidate(rows, row, table))]
    found, contents = _without_contents(every, rows)
    if table.numbered:
        numbered = _of_one_style([each for row in places if (each := _numbered(rows, row, table))], rows)
        bare, of_bare = _without_contents([*numbered, *(each for each in every if each.kind != "article")], rows)
        edges = [each.row for each in bare if each.depth < 0]
        words = [each for each in _of(found, "article") if not bisect_right(edges, each.row)]
        bare = _before_schedules(bare, edges)
        worded = chain(words, [])
        own = _of(bare, "article")
        only = len(own) == 1 and own[0].label == "1" and not _of(found, "article")
        if only or len(worded) < 2 <= len(own) or _go_through(own, words):
            found = sorted([*(each for each in found if each.kind == "article" and each not in words), *bare])
            # What a word numbers between them are groups of them, or notes of amendments.
            words = [each for each in words if each.row not in _rows(own)]
            groups = [each for each in words if not _is_prose(rows[each.row]) and not _is_note(each, own)]
            found = sorted([*found, *_as_groups(groups, table)])
            contents = of_bare
    found = [each for each in found if CELL not in rows[each.row]]
    unnamed = {each.row + 1 for each in found if each.kind == "group" and not _behind(rows[each.row], each)}
    found = [each for each in found if each.kind != "supplement" or each.row not in unnamed]  # TÍTULO III
    after = [*(each.row for each in found), len(rows)][1:]
    found = [
        each._replace(weight=each.weight + 0.25 * (bool(rows[each.row][each.end :].strip(" .")) or end > each.row + 1))
        for each, end in zip(found, after, strict=True)
    ]
    found = _nested(found, table)
    containers, groups = [each for each in found if each.depth < 0], _of(found, "group")
    beside = {each.row + more for each in containers for more in (1, 2)}  # SCHEDULE, Section 4: what it belongs to.
    found = [each for each in found if each.row not in beside or not _is_related(each, rows)]
    restarts = begun_anew(found)
    more = [each for each in found if each.level == _ADDITIONAL]
    found = [each for each in found if each not in more]
    found, inner = in_articles(found, rows) if table.lang == "de" else (found, [])
    groups = _of(found, "group")
    chosen = chain(_of(found, "article"), sorted([*_rows(containers), *restarts]), _rows(groups), through=0.5)
    for before, later in pairwise(chosen):
        if not later.anew:  # Numbers go through no annex.
            for each in [each for each in containers if before.candidate.row < each.row < later.candidate.row]:
                containers.remove(each)
                if each.kind == "supplement":
                    groups.append(each._replace(kind="group", depth=0, readings=()))
    taken = {each.candidate.series for each in chosen}
    chosen += chain(inner, sorted([*_rows(containers), *(each.candidate.row for each in chosen)]))
    parts = _parts_of_groups(rows, chosen, sorted([*_rows(containers), *_rows(groups)]), table)
    of_parts = {part.candidate.row for part in parts}
    rest = [each for each in _of(found, "article") if each.row not in of_parts]
    below = [each._replace(kind="paragraph") for each in rest if each.series not in taken]
    chosen += chain(below, sorted([*_rows(containers), *(each.candidate.row for each in chosen)]))  # Artikel 3 § 1
    for series in dict.fromkeys(each.series for each in more):
        chosen += chain([each for each in more if each.series == series], _rows(containers))
    for name in dict.fromkeys(each.level for each in containers):
        others = [each for each in containers if each.level != name]
        chosen += _sequence([each for each in containers if each.level == name], _rows(others))
    edges = [each.candidate.row for each in chosen if each.candidate.depth < bool(inner)]
    for depth in sorted({each.depth for each in groups}):
        others = [each for each in groups if each.depth != depth]
        own = sorted((each for each in groups if each.depth == depth), key=lambda each: each.row)
        chosen += _sequence(own, sorted([*edges, *_rows(others)]))
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
            if each.row == before.row + 1 and each.depth < lower < lowest:
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


def _go_through(bare: Sequence[Candidate], worded: Sequence[Candidate]) -> bool:
    """Return True if bare numbers go on behind what words number, as those of items in articles do not.

    Two parts are enough if their numbers are Roman ones.
    """
    words, least = _rows(worded), 2 if any(map(str.isdecimal, "".join(each.label for each in worded))) else 1
    chosen = {each.candidate.row for each in chain(bare, [])}
    parts: dict[int, int] = {}
    for each in bare:
        parts.setdefault(bisect_right(words, each.row), each.row)
    on = sum(row in chosen for row in parts.values())
    return len(words) > 1 and len(parts) > least and len(chosen) > len(words) and on * 3 >= len(parts) * 2


def _of(found: Iterable[Candidate], kind: Kind) -> list[Candidate]:
    return [each for each in found if each.kind == kind]


def _rows(found: Iterable[Candidate]) -> list[int]:
    return [each.row for each in found]


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
        level = next(each for each in _PARTS_OF_GROUPS if each in label)
        part = Candidate(row, "group", level, article.depth, label, match.end(), ())
        name = _behind(rows[row], part)
        listed = row > 0 and rows[row - 1].rstrip().endswith((":", ",", ";"))
        fits = name[:1].isalpha() and _is_name(name) and not table.is_repealed(name)
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


def _quoted(rows: Sequence[str]) -> set[int]:
    """Return the rows of quotations of several lines, such as articles that an act inserts elsewhere."""
    quoted: set[int] = set()
    for row, words in enumerate(rows):
        if row in quoted or words.lstrip()[:1] not in _OPENING:
            continue
        closing = _CLOSING[_OPENING.index(words.lstrip()[0])]
        if closing in words.lstrip()[1:]:
            continue
        for end in range(row + 1, min(row + _QUOTED_LINES, len(rows))):
            if rows[end].rstrip(" .,;:。").endswith(closing):
                quoted.update(range(row, end + 1))
                break
    return quoted


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
    if heading.level.kind == "group" and (after.endswith((",", ";", ":")) or len(after) > _LONGEST_HEADING):
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
        or words.lstrip()[0] in _OPENING
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
    if table.is_repealed(after) or re.match(rf"(?:{_NOTE})?\s*[.:—–\-]", after):
        return False
    note = re.match(_NOTE, after)
    if (bracket := _BRACKETED.match(after, note.end() if note else 0)) and _MARK_ONLY.fullmatch(bracket[0][1:-1]):
        return True
    brackets = re.match(rf"(?:{_NOTE})?(?:\s*{_BRACKETED.pattern})*\s*", after)
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


def _numbered(rows: Sequence[str], row: int, table: Jurisdiction) -> Candidate | None:
    """Return the section that a line opens by its bare number: ``1. Short title.``"""
    match = _NUMBERED.match(rows[row])
    if not match and row + 1 < len(rows) and rows[row + 1].lstrip().startswith("(1)"):
        match = _NUMBER_ALONE.match(rows[row])
    if not match and (noted := _NOTED_NUMBER.match(rows[row])) and not _AMENDMENT.search(rows[row]):
        digits = noted["label"]
        readings = [
            reading for at in range(1, len(digits)) if digits[at].isdigit() for reading in readings_of(digits[at:])
        ]
        label = digits[1:]
        return Candidate(row, "article", "section", len(_MARKS), label, noted.end("label"), tuple(readings), 0.9)
    if not match:
        several = _several(rows, row, table)
        return several and several._replace(
            label=re.sub(r"^\D+", "", several.label), level="section", depth=len(_MARKS)
        )
    label = match["label"]
    weight = 0.9 if rows[row].rstrip().endswith((",", ";")) else 1.0  # The item of a list.
    weight = 0.7 if match.re is _NUMBER_ALONE else weight
    return Candidate(row, "article", "section", len(_MARKS), label, match.end("label"), readings_of(label), weight)


def _of_one_style(found: Sequence[Candidate], rows: Sequence[str]) -> list[Candidate]:
    """Return candidates with less weight for ``1.`` where the one with the largest number is ``9``, and the reverse."""

    def dotted(each: Candidate) -> bool:
        return rows[each.row][each.end : each.end + 1] == "."

    last = max(reversed(found), key=lambda each: main_number(each.label), default=None)
    return [each if dotted(each) == dotted(last) else each._replace(weight=each.weight - 0.1) for each in found if last]


def _before_schedules(found: Sequence[Candidate], edges: Sequence[int]) -> list[Candidate]:
    """Return candidates without the numbered paragraphs of schedules, which begin at 1."""
    first: dict[int, int] = {}
    for each in _of(found, "article"):
        first.setdefault(bisect_right(edges, each.row), main_number(each.label))
    return [
        each
        for each in found
        if each.kind != "article" or not (part := bisect_right(edges, each.row)) or first[part] > 1
    ]


def _without_contents(found: Iterable[Candidate], rows: Sequence[str]) -> tuple[list[Candidate], range]:
    """Return candidates outside of the table of contents, in order, and its rows."""
    found = sorted(found)
    contents = _contents_behind(found, rows) or _contents(found, rows) or _contents(found, rows, named=True)
    return [each for each in found if each.row not in contents], contents


def _contents_behind(found: Sequence[Candidate], rows: Sequence[str]) -> range:
    """Return the rows of a table of contents behind the law, from its heading to the last entry that is one above."""
    own = {*_rows(found), len(rows)}
    named = [row for row, words in enumerate(rows) if CONTENTS.fullmatch(words.strip(" :."))]
    for row in named[-_LAST:]:
        end = next((at for at in range(row, len(rows)) if at not in own and _is_text(rows[at])), len(rows))
        entries, above = ([each for each in found if each.row in of] for of in (range(row, end), range(row)))
        again = [each for each in entries if any(_repeats(each, one, rows, each.row + 1 not in own) for one in above)]
        if len(again) > 1 and len(again) * 2 > len(entries):
            return range(row, again[-1].row + 1 + (again[-1].row + 1 not in own and not _entry(rows, again[-1])))
    return range(0)


def _contents(found: Sequence[Candidate], rows: Sequence[str], named: bool = False) -> range:
    """Return the rows of a table of contents: headings, with little text between, that come again with their text.

    Args:
        named: whether numbers alone may come again: below a heading of contents, of articles without text.
    """
    listed = next((at for at, each in enumerate(found) if each.row and _FOLLOWS.search(rows[each.row - 1])), 0)
    for first in [*found[listed : listed + 3], *found[:3]]:
        if named and not (first.row and CONTENTS.fullmatch(rows[first.row - 1].strip(" :."))):
            continue
        again_at = (each for each in found if each.row > first.row + 1)
        later = next((each for each in again_at if _repeats(first, each, rows, named=named)), None)
        if later is None:
            continue
        again: dict[tuple[str, ...], list[Candidate]] = defaultdict(list)
        for each in found:
            if each.row >= later.row:
                again[_key(each)].append(each)
        entries = [each for each in found if first.row <= each.row < later.row]
        bare = [each for each in entries if not _entry(rows, each)]
        headed = sum(each.row + 1 < end.row for each, end in pairwise([*entries, later]) if each in bare)
        below = headed * 2 > len(bare)
        repeated = [
            each for each in entries if any(_repeats(each, other, rows, below, named) for other in again[_key(each)])
        ]
        if named:
            entries = _without_text(entries, repeated, rows)
            repeated = [each for each in repeated if entries and each.row <= entries[-1].row]
        if len(repeated) < 2 or len(repeated) * 2 <= len(entries):
            continue
        last = repeated[-1]
        entries = [each for each in entries if each.row <= last.row]
        between = set(range(first.row, last.row)) - set(_rows(entries))
        texts = sum(_is_text(rows[row]) for row in between)
        if texts * 5 <= len(entries) >= len(between) / 3:
            steps = [b.row - a.row for a, b in pairwise(entries) if a.kind == last.kind]
            for each in found:  # Schedules whose own headings are not read.
                if each.depth < 0 and last.row < each.row <= min(last.row + 2, later.row - 1):
                    last = each
            start, end = first.row, last.row + min(steps, default=1)
            before = (each for each in reversed(found) if each.row < start)
            for each in takewhile(lambda each: any(_repeats(each, one, rows) for one in found if one < each), before):
                start = each.row  # The entry of the section that the contents are in.
            names = {compact(rows[each.row + 1]) for each in found if later.row < each.row < len(rows) - 1}
            if last.depth < 0 and end < later.row and compact(rows[end]) in names:  # Schedule, Fees
                end += 1
            while end < later.row and _BEHIND_ENTRIES.search(rows[end]):
                end += 1
            above = range(max(start - _NAMES_ABOVE, 0), start)  # Entries that no form reads may be between.
            words = next((row for row in above if CONTENTS.fullmatch(rows[row].strip(" :."))), start)
            start = start if any(_is_text(rows[row]) for row in range(words, start)) else words
            return range(start, min(end, later.row))
    return range(0)


def _without_text(entries: Sequence[Candidate], repeated: Sequence[Candidate], rows: Sequence[str]) -> list[Candidate]:
    """Return entries up to the last article or annex that comes again; none if they, or lines between, hold text."""
    end = max((each.row for each in repeated if each.kind != "group"), default=-1)
    found = [each for each in entries if each.row <= end]
    between = [rows[row] for a, b in pairwise(found) for row in range(a.row + 1, b.row)]
    named_below = sum(not _entry(rows, each) for each in found)
    texts = sum(_is_text(rows[each.row]) for each in found)
    text = texts * 2 > len(found) or len(between) > named_below or any(map(_is_prose, between))
    return [] if text or any(each.depth < 0 and each not in repeated for each in entries) else found


def _key(each: Candidate) -> tuple[str, ...]:
    number = each.readings[0].number if each.readings else ""
    return each.kind, each.level, str(main_number(number)) if re.fullmatch(r"\d+(?:-\d+)?", number) else number


def _entry(rows: Sequence[str], each: Candidate) -> str:
    """Return the name behind a number, without the number of a page or the articles of a chapter."""
    return compact(_PLACE.sub("", rows[each.row][each.end :]))


def _repeats(
    entry: Candidate, heading: Candidate, rows: Sequence[str], below: bool = False, named: bool = False
) -> bool:
    """Return True if a heading may be that of an entry of a table of contents: its number, and its name.

    Args:
        below: whether names may be on the line below their numbers.
        named: whether the number is enough.
    """
    if named or _key(entry) != _key(heading):
        return _key(entry) == _key(heading)
    name = _entry(rows, entry) or (compact(rows[entry.row + 1]) if below else "")
    above = rows[heading.row - 1] if heading.row not in (0, entry.row + 1) else ""
    words = "".join([above, rows[heading.row][heading.end :], *rows[heading.row + 1 : heading.row + 3]])
    return entry.depth < 0 or name in compact(words)


def _is_text(words: str) -> bool:
    return len(words) > _LONGEST_TITLE or (words.endswith((".", "。")) and len(words.split()) > 3)


def _container(row: int, words: str, table: Jurisdiction, above: str) -> Candidate | None:
    """Return the annex or supplement that a line opens; `above` is the line before it."""
    names_annexes = table.lang == "fr" or "Bijlage" in table.annex
    if names_annexes and (belgian := _BELGIAN_ANNEX.match(words)):
        name = "Annexe"
        return Candidate(row, "annex", name, -1, belgian[0].strip(), belgian.end(), readings_of(belgian["number"]))
    bare = re.sub(r"^\s*(?:■[^\[]*|\[?F\d{1,4}\s?(?=[A-Z]))", "", words).lstrip(" \t　[【〔<〈")
    form = _container_form(table.annex, table.supplement)
    match = form.match(bare)
    if not match or len(bare) > _LONGEST_HEADING or bare[0].islower():
        return None
    after = bare[match.end() :]
    inside = after.lstrip("]】〕>〉")
    if after == inside and not (_AFTER_LABEL.match(after) or after[0] == "<"):
        return None
    said = _is_sentence(inside, table) or match["before"] is not None
    of_provision = _OF_PROVISION.match(inside) and not (_is_open(above) or CUT_OFF.search(above))
    said = said and not (_OF_ACT.match(inside) or of_provision or (match["before"] and not inside.strip()))
    letter = inside[:2].strip()
    if match["supplement"] and (match["behind"] or (letter.isalpha() and letter < _LATIN)):
        return None  # Disposición final primera
    alone = not inside.strip(" .") and (bare.isupper() or not match["number"])  # SCHEDULE.
    alone = alone and above.endswith(_SENTENCE) and not form.fullmatch(above.strip(" ."))
    if said or (bare.rstrip().endswith((".", ",", ";", "。", "、")) and not (alone or _OF_ACT.match(inside))):
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


class _Titles(NamedTuple):
    """Where the headings of units are that are not behind their numbers, by the row of the number.

    Attributes:
        above: the row above.
        below: the row after the last one below.
        dotted: whether a short sentence behind the number is the heading, as in ``1. Short title.``
        seldom: whether paragraphs stand between blank lines, and few articles have what looks as a heading behind
            their number: it is a line of text.
        full: rows that may be cut off, where few articles have a heading that is not.
        cross: rows of headings without a number that several articles share.
        named: whether most articles have a heading behind their number.
    """

    above: dict[int, int]
    below: dict[int, int]
    dotted: bool
    seldom: bool
    full: frozenset[int]
    cross: frozenset[int]
    named: bool


def _titles(
    rows: Sequence[str],
    plan: Layout,
    table: Jurisdiction,
    marked: Mapping[int, int] = MappingProxyType({}),
    alone: Sequence[int] = (),
    full: frozenset[int] = frozenset(),
) -> _Titles:
    """Return where headings are, by the habit of the file.

    Args:
        marked: rows that it marks as headings, with their level.
        alone: rows between blank lines.
        full: rows of :func:`_full`.
    """

    quoted = set() if _quoted(rows) & plan.headings.keys() else _quoted(rows)

    def free(row: int) -> bool:
        return 0 <= row < len(rows) and not (row in plan.headings or row in plan.contents or row in quoted)

    def is_short(row: int) -> bool:
        short = len(rows[row].split()) <= _SHORT and not rows[row].rstrip().endswith(_SENTENCE)
        return short and not any(map(str.isdigit, rows[row]))  # The highest fine is £200; Vom 1. Juli 2012

    def begins_text(row: int) -> bool:
        if not free(row) or _is_name(rows[row]):
            return False
        mark = next(filter(None, (form.match(rows[row]) for form in _MARKS.values())), None)
        return rows[row][mark.end() if mark else 0 :].lstrip()[:1].isupper()

    def begins_list(row: int) -> bool:
        return free(row) and _FIRST_ITEM.match(rows[row]) is not None

    def followed(row: int) -> bool:
        return free(row) or row in lower

    articles = [row for row, each in plan.headings.items() if each.candidate.kind == "article"]
    top = min((plan.headings[row].candidate.depth for row in articles if table.lang == "de"), default=_BELOW)
    lower = {row for row, each in plan.headings.items() if each.candidate.kind == "paragraph"}
    lower |= {row for row, each in plan.headings.items() if each.candidate.depth > top}  # in Artikel
    behind = {row: _behind(rows[row], plan.headings[row].candidate) for row in plan.headings}
    behind = {
        row: "" if _OF_ACT.match(f" {words}") or _is_change(words) or not any(map(str.isalpha, words)) else words
        for row, words in behind.items()
    }
    bare = [
        row for row in articles if not behind[row] and not _POINTS.match(rows[row], plan.headings[row].candidate.end)
    ]
    names = {row: rows[row + 1] for row in bare if free(row + 1)}
    names = {row: each if plan.headings[row].candidate.series else _side_note(each) for row, each in names.items()}
    titled = [row for row, name in names.items() if _is_title(name) and followed(row + 2)]
    titled = [row for row in titled if not (free(row + 2) and _INSIDE_SENTENCE.match(rows[row + 2]))]
    seen = [row for row in titled if row + 1 not in full]
    titled = titled if len(seen) * 2 >= len(bare) - len(titled) + len(seen) else seen
    live = len(articles) - sum(table.is_repealed(behind[row] or names.get(row, "")) for row in articles)
    below = {row: row + 2 for row in titled} if len(titled) * 2 >= len(bare) else {}
    below |= {row: row + 2 for row in bare if free(row + 1) and _CAPTION.fullmatch(rows[row + 1].strip())}

    captions = [row for row in articles if free(row - 1) and _CAPTION.fullmatch(rows[row - 1].strip())]
    captions = captions if table.heading_in_brackets or len(captions) * 3 > live * 2 else []
    with_caption = {*captions}

    def is_named(row: int) -> bool:
        """Return True if the row below is a name and not all that the unit holds."""
        own, following = plan.headings[row].candidate, plan.headings.get(row + 2)
        name = rows[row + 1] if row + 1 < len(rows) else ""
        if rows[row].rstrip().endswith(".") and not behind[row] and own.level != "provision":  # PART I.
            ends = own.kind == "annex" or (own.kind == "group" and {row + 2, row + 3} & plan.headings.keys())
            name = _side_note(name) if ends else name
        if own.kind == "annex" and _PROVISION.fullmatch(name.rstrip(" .")):
            name = name.rstrip(" .")
        if not free(row + 1) or not _is_name(name) or row + 2 == len(rows) or row + 2 in with_caption:
            return False
        if own.kind == "supplement" and table.lang == "ja" and _is_caption(name):  # of its paragraph 1
            return False
        of_provision = _RELATED.fullmatch(behind[row]) or _OF_PROVISION.match(f" {behind[row]}")
        if own.kind == "annex" and of_provision:  # Anlage 1 (zu § 1)
            return _is_title(rows[row + 1]) and not any(map(str.isdigit, rows[row + 1]))
        if behind[row].strip("]】〕>〉 "):
            return False
        return following is None or following.candidate.depth > own.depth

    groups = [row for row, each in plan.headings.items() if each.candidate.kind not in ("article", "paragraph")]
    groups += [row for row in articles if top < _BELOW and {row + 2, row + 3} & lower - {row + 1}]
    groups = [row for row in groups if is_named(row)]
    below |= {row: row + 2 for row in groups}
    for row in groups:  # The provision that an annex is about, and then its name.
        of_annex = plan.headings[row].candidate.kind == "annex" and _PROVISION.fullmatch(rows[row + 1].strip(" ."))
        noted = (
            (_NOTES.fullmatch(rows[row + 1]) or of_annex)
            and free(row + 2)
            and _is_name(_side_note(rows[row + 2]) if rows[row + 1].endswith(".") else rows[row + 2])
            and row + 3 < len(rows)
        )
        if noted and (free(row + 3) or plan.headings[row + 3].candidate.depth > plan.headings[row].candidate.depth):
            below[row] = row + 3
    taken = {each for row, end in below.items() for each in range(row + 1, end)}
    above: dict[int, int] = {}
    dotted = tight = False
    if captions or table.heading_in_brackets:
        above = {row: row - 1 for row in captions}
    else:
        few = [row for row in articles if behind[row].endswith(".") and len(behind[row].split()) <= _SHORT]
        few = [row for row in few if not behind[row].startswith("(1)")]
        texts = (row + 1 if not (free(row + 1) and _is_name(rows[row + 1])) else row + 2 for row in few)
        headed = {row for row, at in zip(few, texts, strict=True) if free(at) and not _is_name(rows[at])}
        headed -= {row for row in headed if _SOURCE.match(rows[row + 1])}
        headed |= {row for row in articles if _dashed(behind[row])}
        dotted = len(headed) > 1 and len(headed) * 3 >= live * 2
        tight = dotted and 2 * len(headed & {*alone}) < len(headed)
        over = [row for row in articles if free(row - 1) and row - 1 not in taken]
        # Notes beside numbered sections end in a full stop.
        bare_number = {row: not plan.headings[row].candidate.series and bool(behind[row]) for row in over}
        over = [row for row in over if _is_title(_side_note(rows[row - 1]) if bare_number[row] else rows[row - 1])]
        over = [row for row in over if row not in below and not _is_named(behind[row], rows, row, full)]
        over = [row for row in over if not _NUMBERED_GROUP.match(rows[row - 1])] or over
        if not dotted and len(over) > 1 and len(over) * 3 >= live * 2:
            # What is behind such a number begins a list: § 2. In this Act, 1. ship: …
            others = {*articles} - {*over, *below}
            lists = [row for row in articles if row in others and begins_list(row + 1)]
            over += [row for row in lists if free(row - 1) and row - 1 not in taken and _is_title(rows[row - 1])]
            above = {row: row - 1 for row in over}
    for row in groups:  # A name may take two lines, if an article follows.
        two = free(row + 2) and _is_name(rows[row + 2]) and row + 3 in lower | {*articles}
        two = two and row + 2 not in above.values() and marked.get(row + 1) == marked.get(row + 2)
        if two and rows[row + 1].isupper() == rows[row + 2].isupper():
            below[row] = row + 3
    if not (above or dotted):  # § 1, Aim, This Act …: a line of text ends in a stop.
        below |= {row: row + 2 for row in seen if is_short(row + 1) and begins_text(row + 2)}
    taken = {each for row, end in below.items() for each in range(row, end)} | {*plan.headings}
    parts = _of((each.candidate for each in plan.headings.values()), "group")
    last_of_parts = {below.get(each.row, each.row + 1) - 1 for each in parts if each.level != "provision"}
    cross, has_above = set[int](), bool(above)
    for row in articles:
        at = above.get(row, row) - 1  # II. FEES, Amount, Article 3
        numbered = None if _NUMBERED_GROUP.match(rows[max(at - 1, -1)]) else _NUMBERED_GROUP.match(rows[max(at, 0)])
        own = has_above or row in below or dotted or (behind[row] and not _is_prose(behind[row]))
        ends = (
            (numbered and (at < 1 or rows[at].isupper()))
            or at - 1 in {*taken, *plan.contents}
            or rows[max(at - 1, 0)].endswith((*_STOPS, "]") if numbered else (*_SENTENCE, "]"))
        )
        amount = not numbered and any(map(str.isdigit, rows[at]))  # The highest fine is £200
        fits = free(at) and at not in taken and not amount and _is_title(rows[at]) and bool(numbered or not has_above)
        if fits and (own or rows[at].isupper()) and ends and (_unnumbered(table) >= 0 or numbered):
            cross.add(at)
        elif fits and at - 1 in last_of_parts and not (own or rows[at].isupper() or numbered or at in marked):
            above[row] = at  # A part has no text of its own.
    first_rows = {*articles, *above.values()} - {*above}
    heads = [
        row
        for row in alone
        if row + 1 in first_rows and free(row) and row not in taken and _is_title(rows[row]) and is_short(row)
    ]
    ended = taken - {*articles}
    cross |= {row for row in heads if row and (row - 1 in ended or rows[row - 1].endswith((*_SENTENCE, "]")))}
    others = {rows[row].isupper() for row in cross & {*heads}}
    # The first one, below the preamble.
    cross |= {row for row in heads if row + 1 == min(first_rows) and rows[row].isupper() in others}
    taken = {each for row, end in below.items() for each in range(row, end)} | {*above.values(), *plan.headings}
    end = min((row for row, each in plan.headings.items() if each.candidate.depth < 0), default=len(rows))
    begun, often = min(plan.headings, default=len(rows)), Counter(rows[row] for row in marked)
    opened = min(first_rows, default=-1) if begun in articles else -1
    shared = {marked[row] for row in marked if row > begun and free(row) and row not in taken}
    every = sorted({*marked, *parts_above(rows, articles)})
    every = _without_paragraphs(rows, every, {*plan.headings, *above.values()})
    for row in every:
        words, own = rows[row].strip(), row < end and free(row) and row not in taken
        first = {*range(row, begun)} <= {*every} and (_NUMBERED_GROUP.match(words) or PARTS.match(words)) is not None
        first = first or (row + 1 == opened and marked.get(row) in shared)
        own = own and (begun < row or first)
        named = len(words) <= _LONGEST_TITLE and not words.endswith(_ENDS) and not _UNREAD.search(words)
        if own and named and often[rows[row]] < _OFTEN and not table.is_repealed(words):
            cross.add(row)
    with_name = [row for row in articles if _is_named(behind[row], rows, row, full)]
    seldom = (
        not tight and len(alone) * 2 > len(articles) and len(with_name) * 2 < sum(bool(behind[row]) for row in articles)
    )
    without = [row for row in articles if behind[row] and not _is_named(behind[row], rows, row, ())]
    return _Titles(
        *(above, below, dotted, seldom, frozenset() if len(with_name) > len(without) else full, frozenset(cross)),
        named=2 * len(with_name) > len(articles),
    )


def _without_paragraphs(rows: Sequence[str], marked: Sequence[int], headings: Container[int]) -> list[int]:
    """Return marked rows without those with a mark such as ``(a)`` that is seldom above a heading: paragraphs."""
    parts, every = defaultdict[str, list[int]](list), {*marked}
    for row in marked:
        if row not in headings and (mark := _MARK_OF_PARAGRAPH.match(rows[row])):
            parts[re.sub("[a-z]+", "a", re.sub(r"\d+", "0", mark[0].strip()))].append(row)

    above = set[int]()
    for row in sorted(every, reverse=True):
        if row + 1 in headings or row + 1 in above:
            above.add(row)
    gone = {row for same in parts.values() if 2 * sum(row in above for row in same) < len(same) for row in same}
    return [row for row in marked if row not in gone]


def _unnumbered(table: Jurisdiction) -> int:
    """Return the place of the level of headings without a number, or -1."""
    levels = (place for place, level in enumerate(table.levels) if level.kind == "group" and not level.forms)
    return next(levels, -1)


def _behind(words: str, candidate: Candidate) -> str:
    return words[candidate.end + _PUNCTUATION.match(words[candidate.end :]).end() :].strip()  # type: ignore[union-attr]


def _is_named(behind: str, rows: Sequence[str], row: int, full: Container[int]) -> bool:
    """Return True if what is behind the number of an article may be its heading, and not the begin of its text."""
    goes_on = row in full or (row + 1 < len(rows) and (_is_inside(rows[row + 1]) or CUT_OFF.search(behind)))
    text = _is_prose(_TEXT_CLOSED.sub("", behind))
    return bool(behind) and not (text or goes_on or any(form.match(behind) for form in _MARKS.values()))


def _full(rows: Sequence[str], headings: Mapping[int, Chosen], ended: Container[int]) -> frozenset[int]:
    """Return the rows that are so long that the next word would not fit: their sentence may go on in the next row.

    How long they are is told by the rows inside of sentences; if these are of many lengths, nobody has cut the lines
    at one.

    Args:
        headings: rows that begin a unit.
        ended: rows before a blank line.
    """

    def wide(row: int) -> int:
        return len(rows[row].rstrip()) + 1 + len(rows[row + 1].split(maxsplit=1)[0])

    def inside(row: int) -> bool:
        after = rows[row + 1].lstrip()
        above = headings.get(row - 1)
        text = row not in headings and (above is None or bool(_behind(rows[row - 1], above.candidate)))
        text = text or after[:1].islower()
        return text and not (rows[row].rstrip().endswith(_ENDS) or any(form.match(after) for form in _MARKS.values()))

    pairs = [row for row in range(len(rows) - 1) if row not in ended and row + 1 not in headings]
    cut = [row for row in pairs if inside(row)]
    lengths = sorted(len(rows[row].rstrip()) for row in cut)
    width = lengths[len(lengths) * 9 // 10] if len(lengths) >= _CUT_LINES else 0
    if width < _LEAST_WIDTH or sum(wide(row) > width for row in cut) * 4 < len(cut) * 3:
        return frozenset()
    return frozenset(row for row in pairs if wide(row) > width)


def _is_caption(words: str) -> bool:
    """Return True for a heading in brackets that is not the number of an act: （施行期日）, （令和五年法律第三号）."""
    return bool(_CAPTION.fullmatch(words.strip())) and not _RELATED.fullmatch(words.strip())


def _side_note(words: str) -> str:
    """Return a line without the full stop that ends a short note beside an article."""
    return words.rstrip().removesuffix(".") if len(words.split()) <= _SHORT else words


def _is_title(words: str) -> bool:
    """Return True if a line may be the heading of an article beside it: a script with capitals shows it."""
    words = words[opened.end() :] if (opened := _TITLE_OPENED.match(words)) else words
    return words.lstrip()[:1].isupper() and _is_name(words)


def _is_name(words: str) -> bool:
    words = words.strip()
    marked = any(form.match(words) for form in _MARKS.values())
    capitals = words.isupper() and words.endswith(".") and 1 < len(words.split()) <= _SHORT  # DISPOSICIONES GENERALES.
    said = _NOTES.sub("", words.rstrip(f"]{_CLOSING}")).endswith(_ENDS) and not capitals
    cut = said or CUT_OFF.search(words)
    return len(words) <= _LONGEST_TITLE and not (cut or CELL in words or words[0].islower() or marked)


def _is_change(words: str) -> bool:
    bracket = _BRACKETS.fullmatch(words)
    return bracket is not None and _CHANGED.match(bracket["heading"]) is not None


def _is_prose(words: str) -> bool:
    return _NOTES.sub("", words).endswith(_ENDS) or len(words) > _LONGEST_HEADING


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
    full = _full(rows, plan.headings, [row for row, line in enumerate(places) if line.start in before_blank])
    text = (row for row in range(len(rows) - 1) if not {row, row + 1} & plan.headings.keys())
    blanks = sum(places[row].start in before_blank for row in text)
    parted = blanks > sum(rows[row].rstrip().endswith(_STOPS) for row in full)
    levels = {row: marked[line.start] for row, line in enumerate(places) if line.start in marked}
    titles = _titles(rows, plan, table, levels, alone, full)
    taken = {*titles.above.values(), *(each for row, end in titles.below.items() for each in range(row + 1, end))}
    paragraphs = _in_schedules(rows, plan.headings) if table.numbered else set()
    outline, marks = Outline(law), list[str]()
    numbered = {row: PARTS.match(rows[row].strip()) for row in titles.cross}
    parts = {row: label[1].count(".") for row, label in numbered.items() if label}
    deepest = max(parts.values(), default=0)
    annexes = {row for row, each in plan.headings.items() if each.candidate.kind == "annex" and each.candidate.readings}
    annexes |= {row for row in plan.headings if _BELGIAN_ANNEX.match(rows[row])}
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
            depth, groups = _unnumbered(table), [at for at, each in enumerate(table.levels) if each.kind == "group"]
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
            label = number if _NOTED_NUMBER.match(words) else candidate.label
            unit = Unit(candidate.kind, candidate.level, number, label)
            marks = []
            lowest = unit.kind == "group" and unit.level in _PARTS_OF_GROUPS  # between the groups and the articles
            depth = 2 + 2 * candidate.depth - lowest
            outline.enter(unit, depth if unit.kind != "paragraph" else _BELOW - 1)
            if row in titles.above:
                _add_title(unit, rows, places, titles.above[row])
            below = rows[row + 1] if row + 1 < len(rows) and line.start not in marked else ""
            as_heading = line.start in marked and row + 1 not in plan.headings
            heading = _is_heading(words, candidate, table, titles.dotted or as_heading, below, titles.named)
            seldom = titles.seldom and candidate.kind == "article"
            seldom = seldom and not (as_heading or _behind(words, candidate).isupper())
            heading = heading and not (seldom or row in titles.full or row in titles.above)
            _open(outline, line, words, candidate, table, marks, heading)
            for each in range(row + 1, titles.below.get(row, 0)):
                if table.is_repealed(rows[each]):
                    _text(outline, places[each], rows[each], marks)
                else:
                    _add_title(unit, rows, places, each)
        else:
            goes_on = row - 1 in full and _goes_on(rows[row - 1], words, parted)
            inside = row > 0 and _is_inside(words) and _is_open(rows[row - 1])
            goes_on = goes_on or (inside and CELL not in words + rows[row - 1])
            if table.lang == "ja" and outline.inside("supplement") and _is_caption(words):
                outline.leave(_BELOW)  # It is of the paragraph below.
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
    rest = _behind(words, candidate)
    if candidate.kind not in ("article", "paragraph"):
        if candidate.level == "provision":
            return False
        return len(rest) <= _LONGEST_HEADING
    if (
        table.heading_in_brackets
        or table.is_repealed(rest)
        or not (rest[:1].isupper() or (rest and rest[0] in _OPENING))
    ):
        return False
    goes_on = _is_inside(below) or (CUT_OFF.search(rest) and not named)
    return not (_is_prose(rest) or goes_on) or (dotted and len(rest.split()) <= _SHORT)


def _add_title(unit: Unit, rows: Sequence[str], places: Sequence[Line], row: int) -> None:
    """Add a line above or below a number as heading."""
    line, words = places[row], (_AMENDED.sub("", rows[row]) if unit.kind == "group" else rows[row]).strip()
    if unit.kind == "annex" and (related := _RELATED.search(words)):
        unit.related += (related[1].strip(),)
    elif unit.kind == "annex" and _PROVISION.fullmatch(words.strip(".")):
        unit.related += (words.strip("."),)
    bracket = _BRACKETS.fullmatch(re.sub(r"^\(\(\s*|(?<=\))\.?\s*\)\)$", "", words))  # (( (Registro). ))
    words = bracket["heading"] if bracket and unit.kind != "annex" else words
    words = _TEXT_CLOSED.sub("", words[opened.end() :]) if (opened := _TITLE_OPENED.match(words)) else words
    if words.isupper() or unit.label[:1].isdecimal() or unit.kind in ("group", "annex"):
        words = words.removesuffix(".")
    unit.heading = " ".join([*unit.heading.split(), *re.sub(rf"{_NOTE}$", "", words).split()])
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
    if note := re.match(_NOTE, words[candidate.end :]):
        law.leave_out(line.start + candidate.end, line.start + candidate.end + note.end(), "footnote mark")
    at = candidate.end + (note.end() if note else 0)
    signs = " \t\u3000.:：—–-" + ("'’΄´ʹ" if unit.kind == "group" else "")  # ΚΕΦΑΛΑΙΟ Α'
    points = re.match(r"\.?\s*(?=\.\s?\.\s?\.)", words[at:])  # They are the text of an article that is gone.
    stop = at + points.end() if points else len(words) - len(words[at:].lstrip(signs))
    unit.add(line.start + at, line.start + stop, "label")
    bracket = _BRACKETS.match(words, stop) if unit.kind == "article" else None
    dashed = (_dashed(words, stop) or _IN_CAPITALS.match(words, stop)) if unit.kind == "article" else None
    dashed = None if dashed and table.is_repealed(dashed["heading"]) else dashed
    if bracket and not (_MARK_ONLY.fullmatch(bracket["heading"].strip()) or _CHANGED.match(bracket["heading"])):
        if not table.is_repealed(bracket["heading"]) and any(map(str.isalpha, bracket["heading"])):
            unit.heading = bracket["heading"].strip()
            unit.add(line.start + stop, line.start + bracket.end(), "heading")
            stop = bracket.end()
            if note := re.match(_NOTE, words[stop:]):
                law.leave_out(line.start + stop, line.start + stop + note.end(), "footnote mark")
                stop += note.end()
    elif dashed and words[stop : stop + 1].isupper() and not table.heading_in_brackets:
        unit.heading = " ".join(dashed["heading"].split())
        unit.add(line.start + stop, line.start + dashed.end(), "heading")
        stop = dashed.end()
    elif heading:
        rest = words[stop:]
        if mark := re.search(rf"{_NOTE}$", rest):
            law.leave_out(line.start + stop + mark.start(), line.end, "footnote mark")
            rest = rest[: mark.start()]
        rest_without_note = _AMENDED.sub("", rest) if unit.kind == "group" else rest
        unit.heading = " ".join(rest_without_note.strip(".:—–- \t]】〕<>〈〉").split())
        related = _RELATED.search(unit.heading) or _OF_PROVISION.match(f" {unit.heading}")
        if unit.kind == "annex" and related:
            unit.related = (related[1].strip(),)
        unit.add(line.start + stop, line.start + stop + len(rest), "heading")
        return
    _text(outline, Line(line.start + stop, line.end), words[stop:], marks)


def _dashed(words: str, start: int = 0) -> re.Match[str] | None:
    """Return the heading that a dash parts from the text; the dash stands behind a full stop, or before a sentence."""
    match = _DASHED.match(words, start)
    begun = match and _BEGUN.match(words, match.end())
    behind_stop = match and match[0].endswith((".—", ".–"))
    return match if behind_stop or (begun and not begun[0][0].islower()) else None


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
    return parted or beside[1:].islower() or not row.rstrip().endswith(_STOPS)


def _is_inside(line: str) -> bool:
    """Return True if a line begins inside of a sentence: with a small letter, or a number in it."""
    return line.lstrip()[:1].islower() or _NUMBER_INSIDE.match(line) is not None


def _is_open(line: str) -> bool:
    """Return True if a line is long and ends inside of a sentence."""
    return len(line) >= _LEAST_WIDTH and not line.rstrip().endswith((*_ENDS, *_STOPS))


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
    for name, form in ({"number": _BARE_NUMBER} if bare_number else _MARKS).items():
        match = form.match(words)
        if match and (outline.inside("article") or outline.inside("annex") or outline.inside("supplement")):
            if name not in marks:
                marks.append(name)
            del marks[marks.index(name) + 1 :]
            depth = marks.index(name)
            first = 1 if marks[0] in _ITEMS or outline.inside("annex") else 0
            label = match["label"].rstrip(" —–-")
            outline.enter(Unit(_KINDS[min(first + depth, 2)], number=number_of(label), label=label), _BELOW + depth)
            unit = outline.unit
            unit.add(line.start + match.start("label"), line.start + match.end("label"), "label")
            unit.add(line.start + match.end(), line.end)
            return
    if outline.unit is outline.law.root:
        outline.enter(Unit("preamble"), _BELOW)
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
        page = f' The page is called "{" ".join(called.split())[:_LONGEST_TITLE]}": if it is a law,' if called else ""
        raise DataError(
            f"{name}: no line begins as an article does{'.' if page else ':'}{page} name the country, "
            'such as country="kr".'
        )
    table = jurisdiction(chosen)
    title, named, said = (title, range(0), True) if title else name_of_law(words, page_title, levels)
    opened = table.heading(title)
    if not title or (opened and not opened.label.isalpha()):  # It is the heading of a unit, and not RULES.
        title, named = law_id, range(0)
    law = Law("\n".join(words) + "\n", title[:_LONGEST_HEADING], law_id, chosen, table.lang)
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
        preamble = not said and any(map(_is_text, words[: named[0]]))
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
    articles = _of(headings, "article")
    others = sum(each.kind not in ("article", "paragraph") for each in headings)
    words = [each for each in articles if each.series]
    if len(articles) == 1 and not words and not any(map(names_law, rows[: articles[0].row])):
        return 0, 0, others  # It may be the first item of a list.
    if len(words) < 2:
        return 0, len(articles), others
    bare, _ = _without_contents((each for row in range(len(rows)) if (each := _numbered(rows, row, table))), rows)
    if _go_through(bare, words):
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
