"""Days of the law that a text names: *as in force on 1 March 2019*, *2021. 3. 1. 당시*; not the days of events.

A day is one of the law if words of ``words.yaml`` stand directly before or behind it. In a question, months and years
are read, too, and words that may as well begin the facts of a case are read more strictly (:func:`asked_day`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from legalir.config import read_yaml
from legalir.frames.as_of import today
from legalir.statutes.dates import Period, periods_in
from legalir.storage.validity import iso_date

_JOINS = re.compile(
    r"\s*(?:[,、/&~–—-]|and|or|to|with|und|oder|bis|et|ou|à|y|e|o|a|i|en|dan|và|และ|년|에서|부터|[와과및]|と|から|や|和|[与與至到])"
    r"\s*(?:in\s|the\s|en\s|im\s(?:jahr\s)?|nel\s)?",
    re.IGNORECASE,
)
"""What joins two days that are asked for together."""

_NUMBERED = re.compile(
    r"(?P<number>\d+(?:[-–/.]\d+)*)\s?(?:号|號|호)?[\s,，、(（]{0,3}"
    r"(?:(?:du|de|del|dell['’]|do|of|vom|van|z dnia)\s?)?\Z",
    re.IGNORECASE,
)
_NUMBER_BEHIND = re.compile(
    r"[\s,，]{0,3}(?:n[.ro°º]{0,3}|法律第|政令第|법률\s?제|대통령령\s?제)\s?(?P<number>[\d〇一二三四五六七八九十百千]+(?:[-–/.]\d+)*)",
    re.IGNORECASE,
)
"""The number of a law directly before its day, and behind it."""

_DAY_OF_YEAR = re.compile(r"(?<=/)(?P<year>(?:1[89]|20)\d\d)(?P<day>,?\sde\s\d{1,2}\.?º?\sde\s[^\W\d]++)(?!\s+de\s+\d)")
"""The day of a law whose year is in its number: *Ley 39/2015, de 1 de octubre*."""

_SENTENCE = re.compile(r"[?？!！。]+|(?<=[^\W\d_]{2})\.\s|\n")
_TIME = re.compile(
    r"(?<![^\W_])(?:in|during|before|after|since|until|between|from|im Jahre?|vor|seit|bis|en|avant|depuis|antes de|"
    r"nel|em|w|roku|tahun|năm|ปี)\s\Z|[年년]\s?\Z",
    re.IGNORECASE,
)
_SHORT_YEAR = re.compile(r"(?<!\d)['’]?\d\d[年년]\s?\d{1,2}[月월](?!\w*[間간])")
_ENDS = re.compile(r"\s*[,;:.)\]]*\s*(?:\Z|\n)")
_ASKS = re.compile(
    r"\s*,\s*(?:what|which|who|whom|whose|how|when|where|why|is|are|was|were|do|does|did|must|may|can|could|shall|"
    r"should|has|have|had|under)(?![^\W_])|\s*[底末]?[，、]",
    re.IGNORECASE,
)


class AskedDay(NamedTuple):
    """The day of the law that a question asks for.

    Attributes:
        day: ISO date; empty if the question names none, or none that can be taken.
        note: one sentence: which day was taken, or why a day that the question names was not; empty if it names none.
    """

    day: str = ""
    note: str = ""


@cache
def _words() -> dict[str, Any]:
    return cast(dict[str, Any], read_yaml(Path(__file__).with_name("words.yaml"), "words beside citations"))


def state_beside(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the state that is named directly beside a citation, and a pattern of words of its law for it.

    ``§ 8 HfG Hessen``, ``Harbour Act 1998 (NSW)``, ``NRW, § 4 HfG``. Both are empty for none.
    """
    before, behind, inside = _beside_states()
    found = (
        behind.match(text, end)
        or inside.search(text, start, end)
        or before.search(text, 0, start)
        or before.match(text, start, end)
    )
    return (found["state"], _words()["states"][found["state"]]) if found else ("", "")


@cache
def _beside_states() -> tuple[re.Pattern[str], ...]:
    names = "|".join(re.escape(name) for name in sorted(_words()["states"], key=len, reverse=True))
    state = rf"(?P<state>{names})"
    before = rf"(?:^|(?<=[.;:(]\s)|(?<=\())(?:Land )?{state}(?:\s?[,:]\s?\Z|, (?=\S{{1,10}} ?\d))"
    behind = rf"\s(?:des Landes |von )?[(\[]?{state}(?![\w-])"
    return tuple(map(re.compile, (before, behind, rf"[(\[]{state}[)\]]")))


@cache
def words_of(key: str) -> re.Pattern[str]:
    """Return the pattern of one list of ``words.yaml``, at the place where its words stand."""
    words = _words()[key]
    either = "|".join(re.escape(word).replace(r"\ ", r"\s") for word in sorted(words, key=len, reverse=True))
    if key == "day_before":
        article = r"the\s(?:year\s)?|dem\s|il\s|el\s|dnia\s|ngày\s|วันที่\s"
        return re.compile(rf"(?<![^\W_])({either})[\s:]{{0,2}}(?:{article})?\Z", re.IGNORECASE)
    if key == "day_after":
        return re.compile(rf"[.\s]{{0,2}}(?:자로 |자 |도 |말 |에 |の|に)?({either})", re.IGNORECASE)
    if key in ("tells", "relative"):
        return re.compile(rf"(?:(?<![^\W_])(?=[a-zà-ÿ])|(?=[^a-zà-ÿ]))(?:{either})(?![a-zà-ÿ])", re.IGNORECASE)
    if key == "old_before":
        return re.compile(rf"(?:(?<![^\W_])|(?=[旧改修原]))({either})\s?[「『《]?\Z", re.IGNORECASE)
    if key == "old_after":
        either = either.replace("…", r"(?=[^\n;]{0,40}\d)[^\n;]{1,40}?")
        alone = "|".join(re.escape(word) for word in words if " " not in word)
        # Behind a comma, one word begins something else: article 4, ancien salarié.
        signs = rf"(?:[\s(]{{0,2}}|[\s,(]{{1,3}}(?!(?:{alone})\s))(?<![^\W_])"
        return re.compile(rf"{signs}({either}|(?-i:aF))(?![^\W_]|\sby\s)", re.IGNORECASE)
    if key == "no_heading":
        return re.compile(rf"(?:{either})(?![a-z가-힣])|[^\w]|.*\d{{2}}", re.IGNORECASE)
    return re.compile(either if key.endswith("transitional") else rf"(?:{either})\Z", re.IGNORECASE)


def numbered_days(name: str) -> dict[str, str]:
    """Return the days of laws that stand beside their numbers, ISO dates by number: *loi n° 2018-455 du 12 juin 2018*.

    The day of a version, a publication or an amendment is not beside the number.
    """
    name = _DAY_OF_YEAR.sub(r"\g<year>\g<day> de \g<year>", name)
    found: dict[str, str] = {}
    for one in periods_in(name, only_days=True):
        number = _NUMBERED.search(name, max(0, one.start - 40), one.start) or _NUMBER_BEHIND.match(name, one.end)
        if number and one.first and not _named(name, one):
            found.setdefault(number["number"], one.first)
    return found


def law_days(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and ISO date of each day that is named as one of the law; its words behind it are part of it.

    The date is empty if there is no such day.
    """
    for one in periods_in(text, only_days=True):
        if named := _named(text, one):
            yield one.start, max(one.end, named.end()), one.first


def _named(text: str, one: Period) -> re.Match[str] | None:
    """Return the words that make a period one of the law."""
    before = words_of("day_before").search(text, max(0, one.start - 40), one.start)
    return words_of("day_after").match(text, one.end) or before


def asked_day(question: str, option: str = "as_of", now: str = "") -> AskedDay:
    """Return the day of the law that a question asks for, as far as its words say so.

    *in force on*, *version of*, *시행* are about the law. *as of*, *당시*, *時点* may also begin the facts of a case:
    they count in the sentence that asks, if it tells nothing of a person. A month or a year means its last day; the
    present one, today. A day that is not taken is named in the note.

    Args:
        question: the words.
        option: what the caller names a day by, for the note.
        now: the present day, ISO date; empty for today.
    """
    now = now or iso_date(today())
    asked: dict[str, str] = {}
    left: dict[str, str] = {}
    before: Period | None = None
    for one in periods_in(question):
        words = question[one.start : one.end]
        if not one.first:
            return AskedDay("", f"The question names {words}, which is not a day: today's law is meant.")
        day = min(one.last, now) if one.first <= now else one.first
        joined = before is not None and _JOINS.fullmatch(question, before.end, one.start) is not None
        if _is_of_law(question, one):
            asked |= {words: day, **(left if joined else {})}
        elif joined and asked:
            asked[words] = day
        elif (
            one.first[:7] == one.last[:7]
            or _TIME.search(question[max(0, one.start - 12) : one.start])
            or words[-1] in "年년"
        ):
            left[words] = day
        before = one
    names, days = ", ".join(asked), {*asked.values()}
    if len(days) > 1:
        return AskedDay("", f"The question names several days ({names}): today's law is meant; choose one by {option}.")
    for day in days:
        if day > now:
            return AskedDay(
                "", f"The question names {names}, which is to come: today's law is meant; {option} {day} for then."
            )
        return AskedDay(day, f"As of {day}, from the question ({names}); {option} today for today's law.")
    for words, day in left.items():
        unclear = f"The question names {words}, not clearly as a day of the law: today's law is meant"
        return AskedDay("", f"{unclear}; {option} {day} for that day.")
    if relative := words_of("relative").search(question) or _SHORT_YEAR.search(question):
        return AskedDay(
            "", f"The question names {relative[0]}, without a date: today's law is meant; give it by {option}."
        )
    return AskedDay()


def _is_of_law(text: str, one: Period) -> bool:
    named = _named(text, one)
    if not named:
        return False
    if not words_of("may_tell").match(named[1]):
        return True
    breaks = [match.span() for match in _SENTENCE.finditer(text)]
    first = max((end for _, end in breaks if end <= one.start), default=0)
    last = min((start for start, _ in breaks if start >= one.end), default=len(text))
    asks = text[last : last + 1] in ("?", "？") or not text[last:].strip(" !！。.\n")
    if not asks or words_of("tells").search(text, first, last):
        return False
    # "As of 1 March I was …" begins a fact; "As of 1 March, what is …" asks.
    return named.end() > one.start or bool(_ENDS.match(text[one.end : last]) or _ASKS.match(text, one.end, last))
