"""The labels at the beginnings of the lines of a text, and how they nest: ``(1)``, in it ``(a)``, in it ``(i)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from legalir.references.numbering import roman_value

_LABELS = re.compile(r"^[ \t\xa0]{0,8}(?=[(\w])", re.MULTILINE)
_LABEL = re.compile(
    r"(\(?)(\d{1,3}[A-Za-z]{0,3}|[a-z]{1,5}|[A-Z]{1,4})(\.?\)|\.[-–—]?(?!\d)|[°º]|)"
    r"(?:(?<=\.[-–—])|[ \t\xa0](?![|])|(?=\()|$)"
)
_ROMAN = re.compile(r"(?=[ivxl])(x{0,3}l?x{0,3})(ix|iv|v?i{0,3})", re.IGNORECASE)
_JUMP = 3
"""The most by which a label is above the one before it in its list: items between them may be repealed."""


class Label(NamedTuple):
    """A label at the beginning of a line, or behind another one there.

    Attributes:
        start: where it begins.
        numbers: of the labels that it is in, the highest first, and its own.
    """

    start: int
    numbers: tuple[str, ...]


class _Reading(NamedTuple):
    """One way to read a label: its marks and alphabet (``()a``), its place in the alphabet, and what is printed."""

    form: str
    place: int
    number: str


def outline(text: str, quotations: Sequence[tuple[int, int]] = ()) -> list[Label]:
    """Return the labels of a text in order.

    A label without a mark (``a in subsection (3)``) counts if its neighbour in the list (``b``) begins a line, too. An
    ``i`` is a letter if ``h`` is before it, and a Roman numeral if ``ii`` is the next label.

    Args:
        text: the text.
        quotations: start and end of what is quoted, in order: labels inside are none of the text.
    """
    found = _found(text, quotations)
    bare = {(one.form, one.place) for _, marks, number in found if not marks for one in _readings("", number)}
    found = [(start, marks, number) for start, marks, number in found if marks or _is_listed(number, bare)]
    labels: list[Label] = []
    open_: list[_Reading] = []
    for place, (start, marks, number) in enumerate(found):
        following = found[place + 1][1:] if place + 1 < len(found) else ("", "")
        readings = _readings(marks, number)
        if readings and _enter(open_, readings, following):
            labels.append(Label(start, tuple(each.number for each in open_)))
    return labels


def _found(text: str, quotations: Sequence[tuple[int, int]]) -> list[tuple[int, str, str]]:
    """Return start, marks and number of what may be labels, outside quotations."""
    found: list[tuple[int, str, str]] = []
    inside = iter((*quotations, (len(text), len(text))))
    opened, closed = next(inside)
    for line in _LABELS.finditer(text):
        while closed < line.end():
            opened, closed = next(inside)
        place = line.end()
        while opened >= place and (label := _LABEL.match(text, place)):
            if label[1] and ")" not in label[3]:
                break
            found.append((place, label[1] + label[3], label[2]))
            place = label.end()
            if text[place : place + 1] != "(":
                break
    return found


def _is_listed(number: str, bare: set[tuple[str, int]]) -> bool:
    """Return True if the number before one without marks, or behind it, begins a line, too."""
    return any((one.form, one.place + step) in bare for one in _readings("", number) for step in (-1, 1))


def _readings(marks: str, number: str) -> list[_Reading]:
    """Return what a label may be, with the marks of its form."""
    if digits := re.match(r"\d+", number):
        return [_Reading(f"{marks}1", int(digits[0]), number)]
    case, letter = "a" if number.islower() else "A", ord(number[0].lower()) - 96
    doubled = marks and len(number) > 1 and set(number) == {number[0]}
    found = [_Reading(marks + 2 * case, letter, number)] if doubled else []
    if len(number) < 2 + bool(marks):
        found.append(_Reading(marks + case, letter, number))
    if (roman := _ROMAN.match(number)) and len(number) - roman.end() < 2:
        found.append(_Reading(marks + "iI"[case == "A"], roman_value(roman[0].upper()), number))
    return found


def _enter(open_: list[_Reading], readings: Sequence[_Reading], following: tuple[str, str]) -> bool:
    """Put a label in its place behind those that are open, and close what ends with it; return whether it has one."""
    first = next((one for one in readings if one.place == 1), None)
    nested = next((one for one in readings if one.place == 1 and _is_next(one, following)), None)
    alike = [(depth, one) for depth, last in enumerate(open_) for one in readings if one.form == last.form]
    goes_on = [(depth, one) for depth, one in alike if _goes_on(open_[depth], one)]
    if goes_on and (nested is None or nested.form == goes_on[-1][1].form):
        depth, reading = goes_on[-1]
    elif (new := nested or first) and all(one.form != new.form for _, one in alike):
        depth, reading = len(open_), new
    elif alike:
        depth, reading = alike[-1]  # Another list of the same form
    elif not open_:
        depth, reading = 0, readings[0]
    else:
        return False
    open_[depth:] = [reading]
    return True


def _goes_on(last: _Reading, one: _Reading) -> bool:
    return last.place <= one.place <= last.place + _JUMP and one.number != last.number


def _is_next(one: _Reading, label: tuple[str, str]) -> bool:
    """Return True if a label is the second of the list of which one is the first."""
    return any(each.form == one.form and each.place == 2 for each in _readings(*label)) if label[1] else False
