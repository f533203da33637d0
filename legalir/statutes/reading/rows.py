"""What a line of a statute looks like: a name, a caption, prose, one whose sentence goes on; the lines of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from legalir.references.resolve import Kind
from legalir.statutes.law import CELL
from legalir.statutes.reading.plain_text import CUT_OFF
from legalir.statutes.reading.sequence import SUPERSCRIPTS, Candidate

MARKS = {
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

NOTE = rf"(?:[,;.\s]?(?:[{SUPERSCRIPTS}]+\)?|[*†‡]+\)?|\[\d{{1,3}}\]))+"
"""Marks of footnotes behind a number or a heading."""

_PUNCTUATION = re.compile(rf"(?:{NOTE}|['’΄´ʹ])?[\s.:：—–\-]*")

TITLE_OPENED = re.compile(
    rf"\s*(?:\(\(|[\d{SUPERSCRIPTS}]{{0,2}}\[(?:[{SUPERSCRIPTS}]*\s?F\d|(?![^]]*]\s*$)))[\[{SUPERSCRIPTS}\d\s]*"
    r"(?=[^\Wa-zß-ÿ\d_])"
)
"""A bracket around a heading that was inserted later, which the text closes: ``[F2Fees``, ``((Tasse``."""

BRACKETS = re.compile(r"[(（【〔]\s*(?P<heading>[^()（）]{1,120})\s*[)）】〕]\s*")

BRACKETED = re.compile(r"[(（【〔\[][^()（）【】]{1,120}[)）】〕\]]")

NOTES = re.compile(rf"(?:\s*{BRACKETED.pattern})*\s*$")

CUT_LINES, LEAST_WIDTH = 4, 40
"""Rows that show how long lines are, and the least length at which they are cut."""

ENDS = (".", "。", ":", "：", ";", "；", ",", "、", "—", "–", " -", ":-")

SENTENCE = (".", ";", "”", "’", '"', ")")

STOPS = (*SENTENCE, ":", "—")

_NUMBER_INSIDE = re.compile(r"\s*\d[\w(),]*(?:\.?\s*\Z|\s+[^\W\dA-ZÀ-ÖØ-Þ])")
"""A number at the beginning of a line that is inside of a sentence: ``2016.``, ``6(2)(b) of the Act``."""

LONGEST_HEADING = 200

LONGEST_TITLE = 120

SHORT = 8
"""Words of a sentence that may be a heading."""

CAPTION = re.compile(r"(?:\(\(\s*)?[(（][^()（）\d]{1,60}[)）]\.?(?:\s*\)\))?")

RELATED = re.compile(r"[(（]([^()（）]*\d[^()（）]*|[^()（）]*第[一二三四五六七八九十百][^()（）]*)[)）]")
"""The provision that an annex names in brackets beside its heading."""

CHANGED = re.compile(
    r"(?:изм|доп|нов[аио]?|предиш\w*|в ред|amended|inserted|geändert|eingefügt|gewijzigd|ingevoegd|modifiée?|insérée?"
    r"|modificat[ao]|aggiunt[ao]|modificad[ao]|añadid[ao]|alterad[ao]|aditad[ao]|redação|əlavə|ek|yeniden düzenleme"
    r"|(?:başlığı ile birlikte )?değişik)\W.*\d",
    re.IGNORECASE,
)
"""What brackets behind a number say of its changes: ``Чл. 2. (Изм. - ДВ, бр. 7 от 2010 г.)``."""

OPENING, CLOSING = '‘“„«「『"', '’”“»」』"'

_QUOTED_LINES = 200


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


def of_kind(found: Iterable[Candidate], kind: Kind) -> list[Candidate]:
    """Return the candidates of one kind."""
    return [each for each in found if each.kind == kind]


def rows_of(found: Iterable[Candidate]) -> list[int]:
    """Return the rows of candidates."""
    return [each.row for each in found]


def quoted_rows(rows: Sequence[str]) -> set[int]:
    """Return the rows of quotations of several lines, such as articles that an act inserts elsewhere."""
    quoted: set[int] = set()
    for row, words in enumerate(rows):
        if row in quoted or words.lstrip()[:1] not in OPENING:
            continue
        closing = CLOSING[OPENING.index(words.lstrip()[0])]
        if closing in words.lstrip()[1:]:
            continue
        for end in range(row + 1, min(row + _QUOTED_LINES, len(rows))):
            if rows[end].rstrip(" .,;:。").endswith(closing):
                quoted.update(range(row, end + 1))
                break
    return quoted


def is_text(words: str) -> bool:
    """Return True for a line that is too long for a title, or a sentence."""
    return len(words) > LONGEST_TITLE or (words.endswith((".", "。")) and len(words.split()) > 3)


def words_behind(words: str, candidate: Candidate) -> str:
    """Return what is behind the label of a line, without punctuation before it."""
    return words[candidate.end + _PUNCTUATION.match(words[candidate.end :]).end() :].strip()  # type: ignore[union-attr]


def is_caption(words: str) -> bool:
    """Return True for a heading in brackets that is not the number of an act: （施行期日）, （令和五年法律第三号）."""
    return bool(CAPTION.fullmatch(words.strip())) and not RELATED.fullmatch(words.strip())


def without_last_stop(words: str) -> str:
    """Return a line without the full stop that ends a short note beside an article."""
    return words.rstrip().removesuffix(".") if len(words.split()) <= SHORT else words


def is_title(words: str) -> bool:
    """Return True if a line may be the heading of an article beside it: a script with capitals shows it."""
    words = words[opened.end() :] if (opened := TITLE_OPENED.match(words)) else words
    return words.lstrip()[:1].isupper() and is_name(words)


def is_name(words: str) -> bool:
    """Return True if a line may be the heading of a unit: it is short, no sentence, and no item."""
    words = words.strip()
    marked = any(form.match(words) for form in MARKS.values())
    capitals = words.isupper() and words.endswith(".") and 1 < len(words.split()) <= SHORT  # DISPOSICIONES GENERALES.
    said = NOTES.sub("", words.rstrip(f"]{CLOSING}")).endswith(ENDS) and not capitals
    cut = said or CUT_OFF.search(words)
    return len(words) <= LONGEST_TITLE and not (cut or CELL in words or words[0].islower() or marked)


def is_change(words: str) -> bool:
    """Return True for a note in brackets on the changes of a unit."""
    bracket = BRACKETS.fullmatch(words)
    return bracket is not None and CHANGED.match(bracket["heading"]) is not None


def is_prose(words: str) -> bool:
    """Return True for a line that ends as a sentence does, or is too long for a heading."""
    return NOTES.sub("", words).endswith(ENDS) or len(words) > LONGEST_HEADING


def is_inside(line: str) -> bool:
    """Return True if a line begins inside of a sentence: with a small letter, or a number in it."""
    return line.lstrip()[:1].islower() or _NUMBER_INSIDE.match(line) is not None


def is_open(line: str) -> bool:
    """Return True if a line is long and ends inside of a sentence."""
    return len(line) >= LEAST_WIDTH and not line.rstrip().endswith((*ENDS, *STOPS))
