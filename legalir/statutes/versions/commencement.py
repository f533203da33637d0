"""Days on which the articles of a Korean act enter into force, from its addenda (부칙).

An act names one day for all of its changes, and often another one for some articles: ``이 법은 공포 후 1년이 경과한
날부터 시행한다. 다만, 제27조의2의 개정규정은 공포한 날부터 시행한다.``
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from legalir.statutes.dates import after, iso_date
from legalir.statutes.law import Law, Unit

_ACT = re.compile(r"(?ms)^[ \t]*부\s?칙[^\n<]*<제(?P<number>\d+)호.*?(?=^[ \t]*부\s?칙|\Z)")
_ARTICLE = re.compile(r"제(\d+)조(?:의(\d+))?((?:제\d+[항호]|[가-힣]목)*)(부터|까지)?")
_PIECE = re.compile(r"(?P<units>제\d+조.*?)의?\s*(?:개정|신설)\s*규정은\s*(?P<day>.+?)부터\s*시행")
_PERIOD = re.compile(r"공포\s*후\s*(\d+)\s*(년|개월|월|일)이\s*경과한\s*날")


class OtherDay(NamedTuple):
    """An article that begins on another day than its act.

    Attributes:
        article: its number, ``27의2``.
        whole: whether the whole article is meant; otherwise some paragraphs of it.
        day: ISO date.
    """

    article: str
    whole: bool
    day: str


def date_articles(law: Law) -> None:
    """Date the articles that enter into force on another day than the act of this file, according to its addenda.

    An article of which only some paragraphs begin on another day keeps the day of the act, and the law a note.
    """
    number = re.sub(r"\D", "", law.number).lstrip("0")
    clause = next((match[0] for match in _ACT.finditer(law.text) if match["number"].lstrip("0") == number), "")
    articles = {unit.number: unit for group in law.root.units for unit in _articles(group)}
    line = next((each for each in clause.splitlines()[1:] if "시행한다" in each), "")
    if not line or not law.promulgated:
        return
    for article, whole, day in exceptions(line, law.promulgated, list(articles)):
        if article in articles and whole:
            articles[article].effective_from = day
        elif article in articles:
            law.notes.append(
                f"{law.title}: a part of article {article} begins on {day}; it is dated {law.effective_from}."
            )


def _articles(unit: Unit) -> Iterator[Unit]:
    if unit.kind == "article":
        yield unit
    elif unit.kind == "group":
        for each in unit.units:
            yield from _articles(each)


def exceptions(clause: str, promulgated: str, articles: list[str]) -> list[OtherDay]:
    """Return the articles that begin on another day than the act.

    Args:
        clause: text of the article of the addenda on commencement (시행일).
        promulgated: ISO date of the act.
        articles: numbers of all articles of the law, in order: a range is expanded by them.
    """
    _, _, proviso = clause.partition("다만")
    proviso = re.sub(r"부칙\s*제\d+조(?:의\d+)?(?:제\d+항)?", "", proviso)
    found = []
    for piece in _PIECE.finditer(proviso):
        day = _day(piece["day"], promulgated)
        first = ""
        for number, branch, inside, end in _ARTICLE.findall(piece["units"]) if day else ():
            article = f"{number}의{branch}" if branch else number
            if end == "까지" and first in articles and article in articles:
                between = articles[articles.index(first) + 1 : articles.index(article)]
                found += [OtherDay(each, True, day) for each in between]
            first = article if end == "부터" else ""
            found.append(OtherDay(article, not inside, day))
    return found


def _day(words: str, promulgated: str) -> str:
    if match := _PERIOD.search(words):
        count, unit = int(match[1]), match[2]
        return after(
            promulgated,
            months=count * 12 if unit == "년" else count if unit != "일" else 0,
            days=count if unit == "일" else 0,
        )
    if "공포한 날" in words:
        return promulgated
    return iso_date(words)
