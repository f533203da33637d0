"""Dates as publishers print them, in four calendars, as ISO dates.

``2021. 3. 1.``, ``20210301``, ``2021年3月1日``, ``令和4年6月17日``, ``一百十二年六月二十一日`` (Republic of China),
``12 มีนาคม พ.ศ. 2535``, ``19.12.2022``, ``March 1, 2021``.
"""

from __future__ import annotations

import calendar as _calendar
import re
import unicodedata
from collections.abc import Iterator
from datetime import MAXYEAR, MINYEAR, date, timedelta
from typing import Literal, NamedTuple

from legalir.errors import FormatError
from legalir.references.numbering import number_of

Calendar = Literal["christian", "roc", "buddhist"]
"""How years count that bear no name of an era: ``roc`` from 1912, ``buddhist`` 543 years more than ours."""

_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018, "民國": 1911, "民国": 1911}
_ERA = "|".join(_ERAS)
_COUNT = r"(?:\d{1,9}|[〇零一二三四五六七八九十百千]{1,9})"
_MONTHS = """
    january february march april may june july august september october november december
    มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
    januar februar märz april mai juni juli august september oktober november dezember
    janvier février mars avril mai juin juillet août septembre octobre novembre décembre
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
    januari februari maart april mei juni juli augustus september oktober november december
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
    januari februari maret april mei juni juli agustus september oktober november desember
    jan feb mar apr may jun jul aug sep oct nov dec
"""
MONTHS = {unicodedata.normalize("NFKC", name): place % 12 + 1 for place, name in enumerate(_MONTHS.split())}
"""Names of months in many languages, with their number."""
_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_BUDDHIST = unicodedata.normalize("NFKC", r"พ\.\s?ศ\.|พุทธศักราช")
_MONTH_YEAR = rf"(?P<month>{_NAMES})\.?,?\s+(?:de |del |of )?(?P<era>{_BUDDHIST})?\s*(?P<year>\d{{4}})"
_EARLIEST, NEVER = "1200", "2500"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<era>{_ERA})\s*(?P<year>{_COUNT}|元)\s*年\s*(?P<month>{_COUNT})\s*月\s*(?P<day>{_COUNT})\s*日",
        rf"(?<!\d)(?P<year>{_COUNT})\s*[年년]\s*(?P<month>{_COUNT})\s*[月월]\s*(?P<day>{_COUNT})\s*[日일]",
        r"(?P<year>\d{4})\s*[-./]\s*(?P<month>\d{1,2})\s*[-./]\s*(?P<day>\d{1,2})",
        r"(?<!\d)(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?!\d)",
        r"(?<!\d)(?P<day>\d{1,2})\s*[./]\s*(?P<month>\d{1,2})\s*[./]\s*(?P<year>\d{4})",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?\s+(?:de |of )?{_MONTH_YEAR}",
        rf"(?P<month>{_NAMES})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})",
        r"(?P<day>\d{1,2}) tháng (?P<month>\d{1,2}) năm (?P<year>\d{4})",
    )
)
_MONTHS_AND_YEARS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<era>{_ERA})\s*(?P<year>{_COUNT}|元)\s*年(?:\s*(?P<month>{_COUNT})\s*月)?",
        rf"(?<!\d)(?P<year>\d{{4}}|[〇零一二三四五六七八九]{{4}})\s*[年년](?:\s*(?P<month>{_COUNT})\s*[月월])?",
        r"(?<![\d./-])(?P<year>\d{4})\s?[-./]\s?(?P<month>1[0-2]|0?[1-9])(?![\d/-]|\.\d)",
        r"(?<![\d./-])(?P<month>1[0-2]|0?[1-9])[./](?P<year>(?:19|20)\d\d)(?!\d)",
        rf"(?<![^\W\d_]){_MONTH_YEAR}(?!\d)",
        r"tháng (?P<month>\d{1,2}) năm (?P<year>\d{4})",
        rf"(?P<era>{_BUDDHIST})\s*(?P<year>\d{{4}})",
        r"(?<![\d./:-])(?P<year>(?:1[6-9]|20)\d\d)(?![\d/:-]|\.\d)",
    )
)


def iso_date(text: str, calendar: Calendar = "christian") -> str:
    """Return the first date in a text as ``YYYY-MM-DD``, or an empty string.

    Args:
        text: digits of any script, Han numerals; year, month, day in this order, or day, month, year.
        calendar: of years that name no era.

    Raises:
        FormatError: there is no such day, such as 31 February, or no such year.
    """
    text = unicodedata.normalize("NFKC", text)
    match = next(filter(None, (form.search(text) for form in _FORMS)), None)
    return _iso(match, calendar) if match else ""


class Period(NamedTuple):
    """A day, a month or a year that a text names.

    Attributes:
        start: of its first character.
        end: after its last one.
        first: ISO date of its first day; empty if there is no such day: 31 February.
        last: of its last day.
    """

    start: int
    end: int
    first: str
    last: str


def periods_in(text: str, *, only_days: bool = False) -> Iterator[Period]:
    """Yield the days, months and years that a text names, or only the days, in order."""
    forms = _FORMS if only_days else (*_FORMS, *_MONTHS_AND_YEARS)
    found = (match for form in forms for match in form.finditer(text))
    end = 0
    for match in sorted(found, key=lambda match: (match.start(), -match.end())):
        if match.start() < end:
            continue
        end, named = match.end(), match.groupdict()
        try:
            first = last = _iso(match, "christian")
        except FormatError:
            yield Period(*match.span(), "", "")
            continue
        if not named.get("day"):
            year, month = int(first[:4]), int(first[5:7]) if named.get("month") else 12
            last = date(year, month, _calendar.monthrange(year, month)[1]).isoformat()
        if _EARLIEST <= first < NEVER:
            yield Period(*match.span(), first, last)


def _iso(match: re.Match[str], calendar: Calendar) -> str:
    era = match.groupdict().get("era") or ""
    year = 1 if match["year"] == "元" else int(number_of(match["year"]))
    if era in _ERAS:
        year += _ERAS[era]
    elif era or calendar == "buddhist":
        year -= 543
    elif calendar == "roc":
        year += 1911
    if not MINYEAR <= year <= MAXYEAR:
        raise FormatError(f"{match[0]!r} is not a date: there is no year {year}.")
    name, number = (match.groupdict().get(unit) or "1" for unit in ("month", "day"))
    month, day = MONTHS.get(name.lower()) or int(number_of(name)), int(number_of(number))
    if not 1 <= month <= 12:
        raise FormatError(f"{match[0]!r} is not a date: there is no month {month}.")
    last = _calendar.monthrange(year, month)[1]
    if not 1 <= day <= last:
        raise FormatError(f"{match[0]!r} is not a date: {_calendar.month_name[month]} {year} has {last} days.")
    return date(year, month, day).isoformat()


def iso_day(text: str) -> str:
    """Return the first date in a text as :func:`iso_date` does; empty, too, if there is no such day, or never was.

    Publishers write 0001-01-01, 1001-01-01, 2999-12-31 or 9999-12-31 for a day that is not known, or never comes.
    """
    try:
        day = iso_date(text)
    except FormatError:
        return ""
    return day if _EARLIEST <= day < NEVER else ""


def after(day: str, *, months: int = 0, days: int = 0) -> str:
    """Return the day after a period has passed since an ISO date: 6 months after 2011-05-30 is 2011-12-01."""
    start = date.fromisoformat(day)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    last = _calendar.monthrange(year, month + 1)[1]
    return (date(year, month + 1, min(start.day, last)) + timedelta(days=days + 1)).isoformat()
