"""Texts as pages show them: words of the question marked, extracts, tables, and why a result is there."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any

from legalir.extend import CELL, stop_words

_WORD = re.compile(r"(?:[^\W_][\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u0900-\u0dff\u0e31-\u0e4e]*)+")
_WORDS, _LETTERS = 500, 40
"""Most words of a question that are marked, and most letters of a word that are compared."""

_HANGUL = re.compile("[\uac00-\ud7a3]")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff]{4,}|[\u3040-\u30ff\u3400-\u9fff々]{2,}")
_HAN = re.compile("[\u3400-\u9fff\u30a0-\u30ff\u0e00-\u0eff\u1780-\u17ff]")
_ASKING = ("요", "까", "니", "나")
"""Endings of Korean verbs in questions, whose stems are in every text."""


def telling(question: str, language: str) -> str:
    """Return the words of a question that say what it is about: without stop words, or all if there are no others."""
    stops = stop_words(language)
    return " ".join(word for word in question.split() if word.strip(".,;:?!").casefold() not in stops) or question


def marked(text: str, question: str) -> list[tuple[str, bool]]:
    """Return a text as parts, and whether each is in the question, too.

    In scripts with blanks a part is the beginning of a word; endings differ: 창문이 marks 창문은, doors marks door. Two
    letters of Hangul have to agree, or four of an alphabet. In scripts without blanks two characters in a row have to,
    neither of them Hiragana, or four of Thai. The time grows with the length of the text and of the question alone.
    """
    question = unicodedata.normalize("NFC", question)
    parts, end = [], 0
    for start, stop in _merged(sorted([*_beginnings(text, question), *_runs(text, question)])):
        parts += [(text[end:start], False), (text[start:stop], True)]
        end = stop
    return [part for part in [*parts, (text[end:], False)] if part[0]]


def _beginnings(text: str, question: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the beginnings of words that are beginnings of words of the question."""
    words = [word[:_LETTERS].casefold() for word in _WORD.findall(question)[:_WORDS] if not _UNSPACED.search(word)]
    words = [word for word in words if len(word) > 1 and not (_HANGUL.match(word) and word.endswith(_ASKING))]
    beginnings = {word[:length] for word in words for length in range(_shortest(word), len(word) + 1)}
    for match in _WORD.finditer(text) if beginnings else ():
        word = match[0][:_LETTERS].casefold()
        for length in range(len(word), _shortest(word) - 1, -1) if len(word) > 1 else ():
            if word[:length] in beginnings:
                whole = match.end() if length == len(word) else match.start() + length
                yield match.start(), min(whole, match.end())
                break


def _runs(text: str, question: str) -> Iterator[tuple[int, int]]:
    """Yield the places of characters in a row that the question has in a row, too, in scripts without blanks."""

    def grams(of: str) -> Iterator[tuple[int, str]]:
        for match in _UNSPACED.finditer(of):
            size = 2 if match[0][0] > "\u3000" else 4
            for place in range(match.start(), match.end() - size + 1):
                if all(map(_HAN.match, gram := of[place : place + size])):
                    yield place, gram

    asked = {gram for _, gram in grams(question)}
    for place, gram in grams(text) if asked else ():
        if gram in asked:
            yield place, place + len(gram)


def _merged(places: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield places without those that overlap or touch, which become one."""
    begin, end = -1, -1
    for start, stop in places:
        if start > end:
            if end > begin:
                yield begin, end
            begin = start
        end = max(end, stop)
    if end > begin:
        yield begin, end


def _shortest(word: str) -> int:
    return 2 if _HANGUL.match(word) else min(4, len(word))


def blocks(text: str) -> list[str | list[list[str]]]:
    """Return a text as its lines; lines of as many cells that follow each other are a table, a list of rows."""
    found: list[str | list[list[str]]] = []
    for line in filter(str.strip, text.splitlines()):
        cells = line.split(CELL)
        before = found[-1] if found else ""
        if len(cells) > 1 and not isinstance(before, str) and len(before[-1]) == len(cells):
            before.append(cells)
        else:
            found.append([cells] if len(cells) > 1 else line)
    return [CELL.join(one[0]) if not isinstance(one, str) and len(one) == 1 else one for one in found]


def extract(text: str, question: str, length: int = 280) -> str:
    """Return the stretch of a text with the most words of the question, cut at white space.

    The first of these words is near its beginning, where a small screen shows it.
    """
    flat = " ".join(text.split())
    places, at = [], 0
    for part, hit in marked(flat, question):
        if hit:
            places.append(at)
        at += len(part)
    start = max(places or [0], key=lambda place: bisect_left(places, place + length - 60) - bisect_left(places, place))
    start = max(0, min(start - 60, len(flat) - length // 3))
    start = flat.find(" ", start) + 1 if start and " " in flat[start : start + 40] else start
    end = start + length
    if end < len(flat) and " " in flat[end - 40 : end + 1]:  # Not within a word.
        end = flat.rindex(" ", start, end + 1)
    return ("… " if start else "") + flat[start:end].rstrip() + (" …" if end < len(flat) else "")


def reasons(explanation: Mapping[str, Any], question: str) -> list[tuple[str, str]]:
    """Return why a provision is a result, the largest contribution to its score first, each as a kind and a text.

    Kinds: ``word`` of the question; ``seed``, the docno of a result that cites the provision; ``law``, other provisions
    of the same law; ``named``, the question names it; ``meaning``, a vector without words.
    """
    weights = dict[tuple[str, str], float]()
    spans = dict[tuple[int, int], float]()
    question = unicodedata.normalize("NFC", question)

    def walk(node: Mapping[str, Any], share: float) -> None:
        total = sum(abs(part["value"]) for part in node["parts"]) or 1.0
        for part in node["parts"]:
            weight, detail = share * part["value"] / total, part["detail"]
            if part["source"] is not None:
                walk(part["source"], weight)
            elif weight > 0 and "term" in detail:
                for place in (places := _places(str(detail["term"]), question)):
                    spans[place] = spans.get(place, 0) + weight / len(places)
            elif weight > 0 and (reason := _reason(detail)):
                weights[reason] = weights.get(reason, 0) + weight

    walk(explanation, 1.0)
    for start, stop in _merged(sorted(spans)):
        within = sum(weight for (first, last), weight in spans.items() if start <= first and last <= stop)
        word = ("word", question[start:stop])
        weights[word] = weights.get(word, 0) + within
    return sorted(weights, key=lambda one: -weights[one])


def _reason(detail: Mapping[str, Any]) -> tuple[str, str] | None:
    if "seed" in detail:
        return "seed", str(detail["seed"])
    if "group" in detail:
        return "law", ""
    if "law" in detail:
        return "named", ""
    return ("meaning", "") if "encoder" in detail else None


def _places(term: str, question: str) -> list[tuple[int, int]]:
    """Return the places of the words of a question that a term of an index comes from.

    A term is a part of a word, a stem, several stems, or a part of words without the blank between them. In scripts
    without blanks the place is that of the term itself.
    """
    signs = [(place, sign) for place, char in enumerate(question) if char.isalnum() for sign in char.casefold()]
    letters = "".join(sign for _, sign in signs)
    words = [match.span() for match in _WORD.finditer(question)]
    found = set[tuple[int, int]]()
    for stem in unicodedata.normalize("NFC", term).casefold().split():
        wanted = "".join(filter(str.isalnum, stem))
        at = letters.find(wanted) if wanted else -1
        if at < 0 and len(wanted) > 4:  # The end of a stem may differ: happi, happy.
            wanted = wanted[:-1]
            at = letters.find(wanted)
        while at >= 0:
            start, stop = signs[at][0], signs[at + len(wanted) - 1][0] + 1
            if _UNSPACED.search(question[start:stop]) or (stop - start < 4 and _HAN.match(question[start])):
                found.add((start, stop))
            else:
                found |= {(first, last) for first, last in words if first < stop and start < last}
            at = letters.find(wanted, at + 1)
    return sorted(found)
