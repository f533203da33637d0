"""Words that decide what a provision says: numbers with units, comparisons, negations, duties, and provisos.

The words of all languages are in ``wording.yaml``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from legalir.config import read_yaml

KINDS = ("ge", "le", "gt", "lt", "not", "must", "may")
"""Kinds of words that decide, beside numbers: at least, at most, more than, less than, negations, duties, options."""

_SCALES = {10**power for power in range(1, 13)}
_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8}
_DIGITS = {sign: value for value, signs in enumerate(("〇零", "一壱", "二弐两兩", *"三四五六七八九")) for sign in signs}
_HANGUL = {"십": 10, "백": 100, "천": 1000, "만": 10**4, "억": 10**8}
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
_WORD = rf"[^\W{_UNSPACED}]"


class Term(NamedTuple):
    """A word that decides: its kind ``number`` or one of :data:`KINDS`; the value and the unit of a number."""

    kind: str
    value: float = 0.0
    unit: str = ""


@cache
def _file() -> dict[str, dict[str, Any]]:
    return cast(dict[str, dict[str, Any]], read_yaml(Path(__file__).with_name("wording.yaml"), "wording"))


@cache
def words_for(key: str, language: str | None = None) -> str:
    """Return a regular expression for any of the words of a key of ``wording.yaml``, in all languages or in one."""
    codes = _file().keys() - {"units"} if language is None else _file().keys() & {language}
    return any_of(str(one) for code in codes for one in _file()[code].get(key, ())) if codes else "(?!)"


def any_of(expressions: Iterable[str]) -> str:
    """Return an expression that matches one of several, the longest first.

    What begins or ends in a letter of a writing with blanks between words begins or ends there with a word. This is
    looked up once for all that need it, since it takes milliseconds to compile. A word is read up to 40 letters, so
    that the time is linear in a text that is one long word.
    """
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in sorted(set(expressions), key=lambda one: (-len(one), one)):
        bare = one.rstrip("?*+")
        spaced = not re.match(rf"[{_UNSPACED}]", bare) and re.match(r"[^\W_]|\(\?:", one)
        ends = re.search(r"[^\W_]\)?$|\w$", bare) and not re.search(rf"[{_UNSPACED}]\)?$", bare)
        bounded = one.replace(r"\w*", r"\w{0,40}").replace(r"\w+", r"\w{1,40}")
        groups[rf"(?-i:(?<!{_WORD}))" if spaced else "", rf"(?-i:(?!{_WORD}))" if ends else ""].append(bounded)
    parts = (f"{before}(?:{'|'.join(own)}){after}" for (before, after), own in sorted(groups.items(), reverse=True))
    return f"(?:{'|'.join(parts)})"


@cache
def _numbers() -> dict[str, int]:
    words = {
        str(word): int(value)
        for code, rows in _file().items()
        if code != "units"
        for word, value in rows.get("numbers", {}).items()
    }
    return {"quatre-vingt": 80, **words, **_POWERS, **_DIGITS, **_HANGUL}


@cache
def _expression() -> re.Pattern[str]:
    spelled = any_of(word for word in _numbers() if len(word) > 1 or not "\u3000" < word < "\ue000")
    myriads = f"[{''.join(_HANGUL)}{''.join(_POWERS)}]"
    number = (
        rf"\d(?:\d|[.,'’\u00a0\u202f](?=\d))*(?:\s?{myriads})*(?:\s?{spelled})*"
        rf"|[{''.join(_DIGITS)}{''.join(_POWERS)}]+|{spelled}(?:[ -]?(?:und |and |et )?{spelled})*"
    )
    units = "|".join(f"(?P<{name}>{any_of(ones)})" for name, ones in _file()["units"].items())
    # A comparison may contain a negation: the kinds are tried in this order.
    kinds = "|".join(f"(?P<{kind}_>{words_for(kind)})" for kind in KINDS)
    not_negation = rf"(?!{words_for('not')})"  # In Thai, "must not" begins with "five".
    return re.compile(rf"{not_negation}(?P<number>{number})(?:\s?-?(?:{units}))?|{kinds}", re.IGNORECASE)


def decisive(text: str) -> list[Term]:
    """Return the numbers, comparisons, negations, duties and options of a text, in order."""
    text = unicodedata.normalize("NFKC", text)
    found = []
    for match in _expression().finditer(text):
        name = str(match.lastgroup)
        if name.endswith("_"):
            found.append(Term(name[:-1]))
        else:
            found.append(Term("number", number_value(match["number"]), "" if name == "number" else name))
    return found


def number_value(text: str) -> float:
    """Return the value of a number in figures, in words, or in both: ``1,000``, ``3만``, ``二十``, ``twenty-one``."""
    values = _numbers()
    parts: list[float] = []
    keys = "|".join(map(re.escape, sorted(values, key=len, reverse=True)))
    for piece in re.findall(rf"\d[\d.,'’\u00a0\u202f]*|{keys}", text.lower()):
        value = values[piece] if piece in values else _figure(piece)
        if value in _SCALES:  # It multiplies the smaller values before it.
            lower = 0.0
            while parts and parts[-1] < value:
                lower += parts.pop()
            value *= lower or 1
        parts.append(value)
    return sum(parts)


def _figure(text: str) -> float:
    """Return the value of figures; a point or comma before three figures groups them."""
    text = re.sub(r"['’\u00a0\u202f]|[.,](?=\d{3}(?!\d))", "", text).replace(",", ".").rstrip(".")
    head, _, tail = text.partition(".")
    return float(f"{head}.{tail.replace('.', '') or 0}")


def contradicts(statement: str, quote: str, question: str = "") -> str | None:
    """Return why a statement contradicts the words that it quotes, or None if no contradiction is found.

    Found without a model: a quantity of the quotation with another number, unit or comparison; and, where the statement
    repeats most of a sentence, a negation that only one of them has, or an option for a duty. Other contradictions are
    not found. A statement that repeats each line of the quotation does not contradict it, nor do numbers of the
    question, which a statement applies the law to.
    """
    flat = " ".join(statement.split())
    if all(" ".join(line.split()) in flat for line in quote.splitlines()):
        return None
    said, quoted = _quantities(decisive(statement)), _quantities(decisive(quote))
    pairs, values = {one[:2] for one in quoted}, {one[:2] for one in said}
    asked = {one[:2] for one in _quantities(decisive(question))}
    for value, unit, compared in said:
        if (value, unit) in asked:
            continue
        same = [one for one in quoted if one[:2] == (value, unit)]
        if same:
            kinds = {one[2] for one in same}
            if compared and "" not in kinds and compared not in kinds:
                return f"comparison: {_NAMES[compared]}, quoted: {_NAMES[kinds.pop()]}"
        elif others := sorted(one for one in pairs if one[0] == value and one not in values):
            return f"unit: {value:,.12g} {unit}, quoted: {others[0][0]:,.12g} {others[0][1]}"
        elif others := sorted(one for one in pairs if one[1] == unit and one not in values):
            return f"number: {value:,.12g} {unit}, quoted: {others[0][0]:,.12g} {unit}"
    own, all_quoted = ([term.kind for term in decisive(one)] for one in (statement, quote))
    for sentence in re.split(r"(?<=[.!?。;])\s*|\n", quote):
        alike = _alike(statement, sentence)
        if alike < 0.6 or sentence in flat:
            continue
        terms = [term.kind for term in decisive(sentence)]
        # What the statement has and this sentence has not may come from another sentence.
        negations = (own.count("not"), terms.count("not") if own.count("not") == 0 else all_quoted.count("not"))
        if min(negations) == 0 and max(negations) % 2:
            return "negation: only one of the two is negated"
        duties = [{"must", "may"}.intersection(one) for one in (own, terms)]
        if alike >= 0.7 and sorted(map(sorted, duties)) == [["may"], ["must"]] and not duties[0] & {*all_quoted}:
            return "duty: one is a duty, the other an option"
    return None


_NAMES = {"ge": "at least", "le": "at most", "gt": "more than", "lt": "less than"}


def _quantities(terms: list[Term]) -> list[tuple[float, str, str]]:
    """Return value, unit and comparison of each number with a unit; a comparison is next to its number."""
    found, taken = [], -1
    for place, term in enumerate(terms):
        if term.kind != "number" or not term.unit:
            continue
        near = [one for one in (place + 1, place - 1) if 0 <= one < len(terms) and one != taken]
        compared = next((one for one in near if terms[one].kind in _NAMES and not _of_next(terms, one, place)), -1)
        taken = max(taken, compared)
        kind = terms[compared].kind if compared >= 0 else ""
        # "May not exceed" means "at most", but the negation may belong to other words: undecided.
        around = terms[max(0, compared - 2) : compared + 3]
        negated = kind in ("gt", "lt") and any(one.kind == "not" for one in around)
        found.append((term.value, term.unit, "" if negated else kind))
    return found


def _of_next(terms: list[Term], compared: int, place: int) -> bool:
    """Return True if a comparison after a number belongs to the number after it."""
    first = compared > 0 and terms[0].kind in _NAMES
    return first and compared > place and compared + 1 < len(terms) and terms[compared + 1].kind == "number"


def _alike(one: str, other: str) -> float:
    """Return the Dice coefficient of the pairs of letters of two texts."""
    pairs = [
        {word[at : at + 2] for word in re.findall(r"\w+", text.lower()) for at in range(max(1, len(word) - 1))}
        for text in (one, other)
    ]
    return 2 * len(pairs[0] & pairs[1]) / max(1, sum(map(len, pairs)))


def same_wording(words: str, passage: str) -> bool:
    """Return True if words differ from a passage in nothing that decides, nor in the words after numbers."""
    after = [re.findall(r"\d\W?([^\W\d]{0,2})", unicodedata.normalize("NFKC", one)) for one in (words, passage)]
    return after[0] == after[1] and decisive(words) == decisive(passage)
