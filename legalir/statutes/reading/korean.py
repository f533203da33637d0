"""What all Korean publishers write alike: supplements (부칙), annexes (별표), and marks of paragraphs and items.

Supplements, annexes and administrative rules are running text: a number opens a unit there only if it is the next in
its order, because amended provisions are quoted with numbers of their own.
"""

from __future__ import annotations

import html
import re
from typing import Literal, NamedTuple

from legalir.references.numbering import number_of
from legalir.references.resolve import Kind
from legalir.statutes.dates import iso_day
from legalir.statutes.law import Law, Unit
from legalir.statutes.reading.plain_text import add_text, lines

_CIRCLED = "①-⑳㉑-㉟㊱-㊿"
_LETTERS = "가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허고노도로모보소오조초코토포호"
_ACT = re.compile(
    r"(?m)^[ \t]*부\s?칙\s*(?P<name>\(.*\))?\s*"
    r"<(?:제(?P<number>[^<>]*?)호,?\s*)?(?P<date>\d{4}\.\s*\d{1,2}\.\s*\d{1,2})\.?>"
)
_SUPPLEMENT_HEAD = re.compile(r"\s*(?P<label>부\s?칙(?:[ \t]*[(<〈][^\n]*[)>〉])?)[ \t]*(?:\n|\Z)")
_ARTICLE = re.compile(
    rf"""(?mx)(?:^[ \t]*|(?<=[.>)])|(?<=[.>)다]\ ))
    (?P<label>제(?P<main>\d+)조(?:의(?P<branch>\d+))?)
    (?:\s*(?:부터|내지|및|,|ㆍ|·)\s*제(?P<last>\d+)조(?:까지)?(?=\s*(?:생략|삭제))
      |\s?(?P<heading>\((?:[^()\n]|\([^()\n]*\))*\))
      |(?=\s+(?:생략|삭제|[{_CIRCLED}])))"""
)
_OMITTED = re.compile(
    r"(?:\s*(?:부터|내지|및|,|ㆍ|·)\s*제\d+조(?:까지)?)?\s*(?:\([^()\n]*\)\s*)?생략\.?(?=\s*(?:\n|\Z|제\d))"
)
_RELATED = re.compile(r"\((?P<places>[^()]*?)\s*관련\)")
_PLACES = re.compile(r"(?:\s*[,·ㆍ]\s*|\s+및\s+)(?=제\d+조)")
_AMENDED = re.compile(r"\s*<(?:개정|신설|전문개정|본조신설|제목개정)[^<>]*>\s*$")
_ANNEX_HEAD = re.compile(r"(?:■.*)?(?:\[별표[^\]]*\]|<별표[^>]*>).*|■.*")
_REMARKS = re.compile(r"(?m)^[ \t\u3000]*(?P<label>(?:※\s*)?비\s?고(?:\s*[:：.]|(?=\s*$)))")
_GAP = 3


class Mark(NamedTuple):
    """A way to number the units inside an article.

    Attributes:
        kind: of the unit.
        level: name of the level in the table of Korea.
        number: how the number is written.
        before: sign before it.
        after: sign after it.
    """

    kind: Kind
    level: str
    number: Literal["circled", "digits", "letter"]
    before: str = ""
    after: str = ""

    @property
    def pattern(self) -> str:
        """An expression of the label."""
        number = {"circled": rf"[{_CIRCLED}]|<\d{{1,3}}>", "digits": r"\d{1,3}(?:의\d+)*", "letter": f"[{_LETTERS}]"}
        return rf"{re.escape(self.before)}(?:{number[self.number]}){re.escape(self.after)}"


MARKS = (
    Mark("paragraph", "항", "circled"),
    Mark("item", "호", "digits", after="."),
    Mark("subitem", "목", "letter", after="."),
    Mark("subitem", "목", "digits", after=")"),
    Mark("subitem", "목", "letter", after=")"),
    Mark("subitem", "목", "digits", "(", ")"),
    Mark("subitem", "목", "letter", "(", ")"),
)
"""From the highest down."""

_LABEL = "|".join(f"(?P<m{place}>{mark.pattern})" for place, mark in enumerate(MARKS))
_WHOLE_LABEL = re.compile(_LABEL)
_RANGE = (
    rf"(?:\s*(?:부터|내지|및|~)\s*(?P<last>[{_CIRCLED}]|<\d+>|\d+\.|[{_LETTERS}]\.)(?:까지)?(?=\s*<?(?:생략|삭제)))?"
)
_AT_LINE = re.compile(rf"(?m)^[ \t\u3000]*(?:{_LABEL}){_RANGE}(?!\d)")
_INLINE = re.compile(rf"(?m)(?:^[ \t\u3000]*|(?<=\s)|(?<=[.>)\]])(?=[{_CIRCLED}]))(?:{_LABEL}){_RANGE}(?!\d)")


def label_mark(label: str) -> int:
    """Return the place in `MARKS` of a label such as ``1.``, ``가.``, ``②``, or -1."""
    match = _WHOLE_LABEL.fullmatch(label)
    return int(str(match.lastgroup)[1:]) if match else -1


def add_marked(
    law: Law, unit: Unit, start: int, end: int, *, inline: bool, highest: int = 0, deepest: int = len(MARKS)
) -> None:
    """Add a part of the text of a law to a unit, and split it into paragraphs, items and subitems.

    Args:
        law: the law.
        unit: the article, annex or addendum.
        start: the first character.
        end: after the last one.
        inline: whether a mark may be inside a line; else only at the start of a line, and small gaps are allowed.
        highest: place in `MARKS` of the first to look for.
        deepest: place after the last one.
    """
    open_: list[tuple[int, tuple[int, int], Unit]] = []
    place = start
    for match in (_INLINE if inline else _AT_LINE).finditer(law.text, start, end):
        level = next(place for place in range(len(MARKS)) if match[f"m{place}"])
        label = match[f"m{level}"]
        value = _value(MARKS[level], label)
        before = next((number for depth, number, _ in open_ if depth == level), None)
        gap = 1 if inline else _GAP
        if (
            not highest <= level < deepest
            or not _follows(before, value, gap)
            or (inline and _in_brackets(law.text, match.start()))
        ):
            continue
        add_text(law, open_[-1][2] if open_ else unit, place, match.start(f"m{level}"))
        while open_ and open_[-1][0] >= level:
            open_.pop()
        mark = MARKS[level]
        opened = Unit(mark.kind, mark.level, number_of(label), label)
        (open_[-1][2] if open_ else unit).content.append(opened)
        opened.add(*match.span(f"m{level}"), "label")
        open_.append((level, _value(mark, match["last"]) if match["last"] else value, opened))
        place = match.end(f"m{level}")
    add_text(law, open_[-1][2] if open_ else unit, place, end)


def add_supplements(law: Law, start: int, end: int, number: str = "", day: str = "") -> None:
    """Add the supplements in a part of the text of a law to its root: one for each act, each with its articles.

    Args:
        law: the law.
        start: the first character.
        end: after the last one.
        number: of the act, for a text that does not name it.
        day: of its promulgation, likewise.
    """
    acts = list(_ACT.finditer(law.text, start, end))
    first = acts[0].start() if acts else end
    if law.text[start:first].strip():
        unit = Unit("supplement", "부칙", number.lstrip("0").replace(" ", ""), "부칙", promulgated=iso_day(day))
        law.root.content.append(unit)
        if head := _SUPPLEMENT_HEAD.match(law.text, start, first):
            unit.add(*head.span("label"), "label")
            unit.label, start = " ".join(head["label"].split()), head.end()
        _add_articles(law, unit, start, first)
    for act, stop in zip(acts, [*(each.start() for each in acts), end][1:], strict=True):
        date = iso_day(act["date"])
        number = (act["number"] or date).lstrip("0").replace(" ", "")
        taken = {each.number for each in law.root.units if each.kind == "supplement"}
        unit = Unit(
            "supplement",
            "부칙",
            number if number not in taken else f"{number}-{date}",
            " ".join(act[0].split()),
            promulgated=date,
        )
        law.root.content.append(unit)
        unit.add(*act.span(), "label")
        _add_articles(law, unit, act.end(), stop)


def _add_articles(law: Law, supplement: Unit, start: int, end: int) -> None:
    unit, place, last = supplement, start, (0, 0)
    for match in _ARTICLE.finditer(law.text, start, end):
        value = int(match["main"]), int(match["branch"] or 0)
        if not _follows(last, value, 1):
            continue
        add_marked(law, unit, place, match.start("label"), inline=True, deepest=1)
        last = (int(match["last"]), 0) if match["last"] else value
        if omitted := _OMITTED.match(law.text, match.end("label"), end):
            law.leave_out(match.start("label"), omitted.end(), "omitted by the publisher")
            place = omitted.end()
            continue
        unit = Unit("article", "조", number_of(match["label"]), match["label"], heading=bare_heading(match["heading"]))
        supplement.content.append(unit)
        unit.add(*match.span("label"), "label")
        place = match.end("label")
        if match["heading"]:
            unit.add(*match.span("heading"), "heading")
            place = match.end("heading")
    add_marked(law, unit, place, end, inline=True, deepest=1)


def annex(law: Law, number: str, branch: str, start: int, end: int) -> Unit:
    """Return an annex whose title is in the text of a law.

    What the title says in brackets about the article, ``(제25조제1항 관련)``, is text; the rest is heading.

    Args:
        law: the law.
        number: of the annex, ``0001``; ``0000`` where the law has one only.
        branch: ``02`` for ``별표 1의2``, ``00`` for none.
        start: of the title.
        end: after it.
    """
    title = law.text[start:end]
    main, second = (int(each) if each.isdecimal() else 0 for each in (number.strip(), branch.strip()))
    digits = (str(main) if main else "") + (f"의{second}" if second else "")
    unit = Unit("annex", "별표", digits, f"별표 {digits}".rstrip())
    related = list(_RELATED.finditer(title))
    unit.related = tuple(place for match in related for place in _PLACES.split(match["places"]))
    heading, place = [], start
    for match in related:
        unit.add(place, start + match.start(), "heading")
        heading.append(title[place - start : match.start()])
        place = start + match.end()
        unit.add_break()
        unit.add(start + match.start(), place)
    unit.add(place, end, "heading")
    heading.append(title[place - start :])
    unit.heading = " ".join(html.unescape("".join(heading)).split())
    if unit.heading.startswith("삭제"):
        unit.repealed, unit.heading = True, ""
    return unit


def add_annex_text(law: Law, unit: Unit, title: str, start: int, end: int) -> None:
    """Add the text of an annex: its items; the title, which the text repeats, is left out, remarks (비고) are an item.

    Args:
        law: the law.
        unit: the annex.
        title: as the publisher gives it, next to the text.
        start: the first character of the text.
        end: after the last one.
    """
    rest, text = _compact(title), law.text
    for line, stop in lines(text, start, end):
        words = _compact(text[line:stop])
        if _ANNEX_HEAD.match(text, line, stop):
            law.leave_out(line, stop, "title repeated")
        elif rest and words and rest.startswith(words):
            law.leave_out(line, stop, "title repeated")
            rest = rest[len(words) :]
        else:
            break
        start = stop
    remarks = list(_REMARKS.finditer(text, start, end))[-1:]
    add_marked(law, unit, start, remarks[0].start() if remarks else end, inline=False, highest=1)
    for match in remarks:
        remark = Unit("item", "호", "비고", "비고")
        unit.content.append(remark)
        remark.add(*match.span("label"), "label")
        add_text(law, remark, match.end("label"), end)


def _compact(words: str) -> str:
    return re.sub(r"[\sㆍ·]", "", words)


def bare_heading(words: str | None) -> str:
    """Return a heading without brackets around it and without the mark of an amendment behind it."""
    bare = _AMENDED.sub("", " ".join((words or "").split()))
    while bare.startswith("(") and bare.endswith(")") and _encloses(bare):
        bare = bare[1:-1].strip()
    return bare[1:-1].strip() if bare.startswith("[") and bare.endswith("]") else bare


def _encloses(words: str) -> bool:
    depth = 0
    for place, sign in enumerate(words):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return place == len(words) - 1
    return False


def _value(mark: Mark, label: str) -> tuple[int, int]:
    """Return a number and its branch as integers; letters by their order."""
    if mark.number == "letter":
        return next(place for place, sign in enumerate(_LETTERS, 1) if sign in label), 0
    main, _, branch = number_of(label).partition("의")
    return int(main), int(branch.partition("의")[0] or 0)


def _follows(last: tuple[int, int] | None, value: tuple[int, int], gap: int) -> bool:
    if last is None:
        return value == (1, 0)
    if value[1]:
        return value[0] == last[0] and value[1] == (last[1] + 1 if last[1] else 2)
    return 0 < value[0] - last[0] <= gap


def _in_brackets(text: str, place: int) -> bool:
    """Return True if a place is inside ``<…>``, which contains dates of amendments."""
    return text.rfind("<", max(0, place - 300), place) > text.rfind(">", max(0, place - 300), place)
