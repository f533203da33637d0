"""Statements of an answer: the numbers by which a model cites, refusals in prose, and what each statement cites.

All of it without a model. A statement is a line of an answer up to its citations; words behind the last citation of a
line are a statement of their own. Statements are also compared with their quotations.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast
from unicodedata import normalize

from legalir.analysis.wording import contradicts
from legalir.answer.choices import plain
from legalir.config import read_yaml

_WORD = normalize(
    "NFKC",
    r"(?:provision|source|document|doc|context|passage|excerpt|reference|ref|number|no|nr|n[°º]|#"
    r"|규정|조항|조문|법령|근거|자료|문서|출처|번호|規定|条項|条文|資料|文書|出典|番号|规定|条款|法条|资料|文件|来源|编号"
    r"|บทบัญญัติ|ข้อกำหนด|เอกสาร|แหล่งข้อมูล|หมายเลข|quy định|điều khoản|tài liệu|nguồn|số"
    r"|bestimmung|vorschrift|quelle|dokument|nummer|disposition|dispositions|numéro|disposición|fuente|documento|número"
    r"|disposizione|fonte|numero|disposição|dispositivo|przepis|źródło|numer)s?",
)
_TO = r"(?: ?(?:[-‐‑–—~～〜]|\.{2,3}|…|から|至|到|에서|ถึง) ?| (?:to|through|bis|à|a|al|tot|do|đến) )"
_ONE = re.compile(
    rf"(?:{_WORD}[ .:]{{0,2}})?[(\[]?(?P<first>\d{{1,4}})(?:\.0)?(?:[)\]]?{_TO}[(\[]?(?P<last>\d{{1,4}}))?[)\]]?"
    rf"(?: ?[번番號]| ?号(?= ?{_WORD}))?(?: ?{_WORD})?[.:]?"
)
_PARENT = re.compile(r",? ?\(?cited by \d{1,4}\)?", re.IGNORECASE)
_AND = re.compile(r"[\])]\s*(?=[\[(])| ?(?:[,;、،/&+]| and | und | et | y | e | i | và | และ|및 |과 |와 |と|和) ?")
_SQUARE = str.maketrans("［【］】", "[[]]")
_LABELLED = re.compile(
    rf"\[\s*(\d{{1,4}})(?:\s*,\s*cited by \d{{1,4}})?(?:,[^\[\]\d]*)?\](?!{_TO}\[)(?:\s*$|\s*[^\W\d])"
)
_BRACKET = r"[\[［【][^\[\]［］【】]{1,60}[\]］】]"
_BRACKETS = re.compile(rf"(?<!\s)\s*{_BRACKET}(?:(?:{_TO}|{_AND.pattern}|\s)?{_BRACKET})*", re.IGNORECASE)


def numbers_of(name: str) -> list[int]:
    """Return the numbers of the provisions that a name means, as they stand in the request; none for another name.

    Read are the label itself, ``[2]`` and ``[2, cited by 1]``, also with the line behind it; usual forms such as ``①``,
    ``1번``, ``Provision 1``; and lists and ranges of them. ``-1``, ``1.5`` and ``제1조`` mean no such number.
    """
    if label := _LABELLED.match(name):
        return [int(label[1])]
    text = " ".join(_PARENT.sub("", plain(name)).split())
    if text[:1] in "[(" and text[-1:] in "])" and _ONE.fullmatch(text) is None:
        text = text[1:-1]
    numbers: list[int] = []
    for part in _AND.split(text):
        one = _ONE.fullmatch(part.strip())
        if one is None:
            return []
        first, last = int(one["first"]), int(one["last"] or one["first"])
        if not first <= last < first + 20:
            return []
        numbers += range(first, last + 1)
    return numbers


def without_numbers(text: str, most: int) -> tuple[str, list[str]]:
    """Return a statement without the numbers of provisions in brackets, up to `most`, and these numbers."""
    named: list[str] = []

    def left_out(match: re.Match[str]) -> str:
        numbers = numbers_of(match[0].strip().translate(_SQUARE))
        if numbers and all(1 <= number <= most for number in numbers):
            named.extend(map(str, numbers))
            return ""
        # Some of several brackets may be a part of the text; a range with an end that is not there stays as it is.
        listed = len(re.findall(_BRACKET, match[0])) > 1 and not re.search(rf"[\]］】]{_TO}[\[［【]", match[0])
        return re.sub(rf"(?<!\s)\s*{_BRACKET}", left_out, match[0]) if listed else match[0]

    return _BRACKETS.sub(left_out, text), named


class Statement(NamedTuple):
    """A statement of an answer, in one line without citations, and the provisions that it cites."""

    text: str
    citations: tuple[str, ...]


def statements_of(text: str, citations: Collection[str]) -> list[Statement]:
    """Return the statements of an answer.

    Args:
        text: the answer, with its citations as ``[docno]``.
        citations: docnos that it cites; other brackets are text.
    """
    names = "|".join(re.escape(docno) for docno in sorted(citations, key=len, reverse=True))
    group = re.compile(rf"(?:\s*\[(?:{names})\])+" if names else r"(?!)")
    found = []
    for line in text.splitlines():
        start = 0
        for match in group.finditer(line):
            own = re.findall(rf"\[({names})\]", match[0])
            found.append(Statement(line[start : match.start()], tuple(dict.fromkeys(own))))
            start = match.end()
        found.append(Statement(line[start:], ()))
    return [Statement(" ".join(one.text.split()), one.citations) for one in found if re.search(r"\w", one.text)]


def quoting_statements(
    text: str, citations: Collection[str], quotes: Iterable[tuple[str, str, str]], question: str = ""
) -> list[tuple[str, str]]:
    """Return the statements with quotations, and why these contradict them; an empty string if they do not seem to.

    An answer does not say which of its statements a quotation belongs to: all quotations of the provisions that a
    statement cites are taken together (:func:`~legalir.analysis.wording.contradicts`). Words that the provision does
    not have prove nothing and do not count.

    Args:
        text, citations: as for :func:`statements_of`.
        quotes: docno, words and state of each quotation.
        question: what is asked; its numbers contradict nothing.
    """
    words: dict[str, list[str]] = {}
    for docno, quote, state in quotes:
        if state != "not found":
            words.setdefault(docno, []).append(quote)
    found = []
    for one in statements_of(text, citations):
        if own := [quote for docno in one.citations for quote in words.get(docno, ())]:
            found.append((one.text, contradicts(one.text, "\n".join(own), question) or ""))
    return found


@cache
def _refusals() -> re.Pattern[str]:
    words = cast(dict[str, list[str]], read_yaml(Path(__file__).with_name("refusals.yaml"), "a file of refusals"))
    phrases = "|".join(words["phrases"])
    for name in ("given", "sources"):
        phrases = phrases.replace(f"<{name}>", f"(?:{'|'.join(words[name])})")
    return re.compile(normalize("NFKC", phrases))


def refuses(text: str) -> bool:
    """Return True if a statement says that the question cannot be answered from what was given.

    It is read without a model, by phrases about answering or about the given texts: a law that says that somebody
    *cannot* do something is not a refusal. Use it for statements without a citation.
    """
    return _refusals().search(" ".join(normalize("NFKC", text).casefold().split())) is not None
