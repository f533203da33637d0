"""The text of a paragraph or item that a reference names: whether it is the same in two texts of a provision.

The units of a text are read from the labels at the beginnings of its lines. Where a language gives each level a form of
its own (``①``, ``1.``, ``가.``), the form decides; elsewhere, a form that was not seen before is a level below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from legalir.references.numbering import number_of
from legalir.references.read import Reference
from legalir.statutes.versions.timeline import content_of

Part = tuple[str, ...]
"""What is cited inside a provision: paragraph, item and subitem, each empty if it is not named."""

_TOKEN = (
    r"\d{1,3}(?:[a-z]|의\d{1,2}| ?(?:bis|ter|quater))?|(?P<letter>[a-z])(?P=letter)|[a-zA-Z]|[ivxlIVXL]{1,5}"
    r"|[가-하]|[ก-ฮ]|[一二三四五六七八九十]{1,3}|[ア-ヴ]"
)
_LABEL = re.compile(
    rf"\s*(?:(?P<circled>[①-⑳㉑-㉟])|(?P<open>[(（]?)(?P<number>{_TOKEN})(?P<end>[)）．、°]|\.(?![0-9a-zA-Z])|(?=\u3000)))"
)
_INSIDE = re.compile(r"[①-⑳]|[(（][\da-z一二三四五六七八九十]{1,2}[)）]")
_ARTICLE = re.compile(
    r"\s*(?:[제第]\s?[\d〇一二三四五六七八九十百千]+\s?[조条條](?:[의之の]\s?[\d一二三四五六七八九十]+)*\s*"
    r"(?:[(（【][^)）】\n]{1,80}[)）】])?|\d+[A-Z]*\.?[—–-](?=\())\s*"
)
_KINDS = (
    ("digit", re.compile(r"\d.*")),
    ("han", re.compile("[一二三四五六七八九十]+")),
    ("hangul", re.compile("[가-하]")),
    ("thai", re.compile("[ก-ฮ]")),
    ("kana", re.compile("[ア-ヴ]")),
    ("lower", re.compile("[a-z]+")),
    ("upper", re.compile("[A-Z]+")),
)
_FORMS: Mapping[str, Sequence[tuple[str, ...]]] = {
    "ko": (("circled",), ("digit.",), ("hangul.",), ("digit)",), ("hangul)",)),
    "ja": (("digit\u3000", "circled"), ("han\u3000",), ("kana\u3000",), ("(digit)",)),
    "de": (("(digit)",), ("digit.",), ("lower)",), ("lower2)",)),
    "it": (("digit.",), ("lower)",), ("digit)",)),
    "vi": (("digit.",), ("lower)",)),
    "fr": (("line", "upper."), ("digit°",), ("lower)",)),
    "zh": (("line",), ("(han)", "han、"), ("digit.", "(digit)")),
    "th": (("line",), ("(digit)",), ("(thai)",)),
}
"""Forms of the labels of paragraphs, items and subitems; ``line``: a line without a label is a paragraph."""


class _Unit(NamedTuple):
    """A unit of a text: its numbers by level, ``lines`` its own lines without those of the units below."""

    path: dict[int, str]
    lines: list[str]
    below: list[_Unit]


def part_of(reference: Reference, following: Reference | None = None) -> Part:
    """Return what a reference cites inside a provision; nothing for the whole provision, and for several parts of it.

    Args:
        reference: the reference.
        following: the next reference in the text, which may be the end of a range.
    """
    several = reference.range_end or reference.to or reference.counted or (following and following.range_end)
    part = (reference.paragraph, reference.item, reference.subitem)
    return () if several or reference.annex or reference.supplement or not any(part) else part


def has_parts(text: str) -> bool:
    """Return True if a text may have paragraphs or items: lines, or labels inside a line."""
    return "\n" in text.strip() or _INSIDE.search(text) is not None


def is_same(before: str, after: str, part: Part, lang: str) -> bool | None:
    """Return whether a part has the same words in two texts of a provision; None if it cannot be told.

    The words above it count as its own: those that introduce its list. So do lines without a label behind a list, but
    if they differ it cannot be told what they belong to.
    """
    texts = [_words(text, part, lang) for text in (before, after)]
    if any(each is None for each in texts):
        return None
    (old, rest), (new, more) = (each for each in texts if each is not None)
    if old != new:
        return False
    return True if rest == more and old else None


def text_of(text: str, part: Part, lang: str) -> str:
    """Return the lines of a part of a provision with those that introduce its list; empty if it is unclear."""
    found = _lines(text, part, lang)
    return "\n".join(line for lines in found for line in lines) if found else ""


def _words(text: str, part: Part, lang: str) -> tuple[str, str] | None:
    """Return the content of a part with what is above it, and of lines that may belong to it; None if it is unclear.

    Both are empty if the text has no such part.
    """
    found = _lines(text, part, lang)
    return None if found is None else (content_of("", "\n".join(found[0])), content_of("", "\n".join(found[1])))


def _lines(text: str, part: Part, lang: str) -> tuple[list[str], list[str]] | None:
    lang = lang.partition("-")[0]
    wanted = {level: _number(number) for level, number in enumerate(part) if number}
    top, units = _outline(text, lang)
    if lang not in _FORMS:  # Levels by their order, as the text has them.
        wanted = dict(enumerate(wanted.values()))
    found = [each for each in units if max(each.path) == max(wanted) and wanted.items() <= each.path.items()]
    if len(found) > 1 or not units:
        return None
    if not found:
        siblings = [each for each in units if max(each.path) == max(wanted)]
        return ([], []) if siblings else None
    one = found[0]
    above = [each for each in units if each.path.items() < one.path.items()]
    behind = zip(units, [*units[1:], None], strict=True)
    last = [line for each, then in behind if _may_close(each, then, one) for line in each.lines[1:]]
    return [*top, *(line for each in above for line in each.lines), *_all(one)], last


def _may_close(unit: _Unit, following: _Unit | None, one: _Unit) -> bool:
    """Return True if a line behind a unit may belong to a list that contains `one`, and not to the unit."""
    level = -1 if following is None else max(following.path)
    common = -1
    while common < max(one.path) and unit.path.get(common + 1) == one.path.get(common + 1):
        common += 1
    return common < max(unit.path) and level <= common


def _all(unit: _Unit) -> list[str]:
    return [*unit.lines, *(line for each in unit.below for line in _all(each))]


def _number(label: str) -> str:
    return (number_of(label) or label).casefold()


def _outline(text: str, lang: str) -> tuple[list[str], list[_Unit]]:
    """Return the lines before the first unit, and all units in order."""
    forms = {form: level for level, of in enumerate(_FORMS.get(lang, ())) for form in of}
    lines = [line for line in text[_head(text) :].splitlines() if line.strip()]
    labels = [_label(line) for line in lines]
    numbered = {_number(label[1]) for label in labels if label and forms.get(label[0]) == 0}
    bare = "line" in forms and not numbered
    top: list[str] = []
    units: list[_Unit] = []
    order: list[str] = []
    for line, label in zip(lines, labels, strict=True):
        if label is None and bare:
            unclear = lang == "fr" and any(max(one.path) for one in units)  # Some count the lines of a list, too.
            label = "line", "?" if unclear else str(sum(max(one.path) == 0 for one in units) + 1)
        elif label is None and forms and not units and "1" not in numbered:
            label = "", "1"  # A first, or only, paragraph may have no number.
        if label is None:
            (units[-1].lines if units else top).append(line)
            continue
        form, number = label
        level = forms.get(form, -1) if form else 0
        if level < 0:
            form = _letters(form, number, order, units)
            if form not in order:
                order.append(form)
            level = order.index(form) + (max(forms.values()) + 1 if forms else 0)
            del order[order.index(form) + 1 :]
        path = {each: value for each, value in (units[-1].path if units else {}).items() if each < level}
        one = _Unit({**path, level: _number(number)}, [line], [])
        for each in reversed(units):
            if each.path == path:
                each.below.append(one)
                break
        units.append(one)
    return top, units


def _head(text: str) -> int:
    head = _ARTICLE.match(text)
    return head.end() if head else 0


def _label(line: str) -> tuple[str, str] | None:
    """Return the form and the number of the label of a line."""
    match = _LABEL.match(line)
    if match is None:
        return None
    if match["circled"]:
        return "circled", match["circled"]
    number = match["number"]
    kind = next(kind for kind, pattern in _KINDS if pattern.fullmatch(number))
    end = {"）": ")", "．": ".", "": "\u3000"}.get(match["end"], match["end"])
    double = "2" if kind == "lower" and len(number) == 2 and number[0] == number[1] else ""
    return f"{'(' if match['open'] else ''}{kind}{double}{end}", number


def _letters(form: str, number: str, order: Sequence[str], units: Sequence[_Unit]) -> str:
    """Return the form of letters that may be Roman numerals: those that do not follow the letter before them."""
    if "lower" not in form or not re.fullmatch("[ivxl]+", number):
        return form
    roman = form.replace("2", "").replace("lower", "roman")
    before = next((one for one in reversed(units) if form in order), None)
    last = "" if before is None else max(before.path.items())[1]
    follows = len(number) == 1 and len(last) == 1 and ord(last) + 1 == ord(number)
    return form if follows and roman not in order else roman
