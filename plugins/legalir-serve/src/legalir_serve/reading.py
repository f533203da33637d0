"""The text of a provision as a page shows it: items below their paragraphs, anchors, and marks of words in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from legalir.extend import jurisdiction, number_of
from legalir_serve.passages import blocks

Mark = Mapping[str, Any]
"""A stretch of a text (``start``, ``end``), and what is known of it: the ``docno`` that it cites, or a ``term``."""

_LABEL = re.compile(
    r"(?P<circle>[①-⑳㉑-㉟㊱-㊿])|(?P<wide>[０-９]{1,3})[　 ]"
    r"|(?P<open>[(（])(?:(?P<figure>\d{1,3}(?:의\d+|[a-zA-Z]{1,2})?)|(?P<roman>[ivx]{1,5})|(?P<small>[a-z]{1,2})"
    r"|(?P<large>[A-Z]{1,2})|(?P<han>[〇一二三四五六七八九十]{1,5})|(?P<hangul>[가-하ก-ฮ]))[)）]"
    r"|(?P<digits>\d{1,3}(?:의\d+|[a-z]{1,2})?)[.．](?!\d)|(?P<degree>\d{1,3})°|(?P<closed>\d{1,3})\)"
    r"|(?P<letter>[a-z]{1,2})\)|(?P<dotted>[a-z])\.(?=\s)|(?P<syllable>[가-하])(?P<end>[.)])"
    r"|(?P<number>[一二三四五六七八九十]{1,3})[、　 ]|(?P<kana>[イロハニホヘトチリヌ])[　 ]"
)
_PARAGRAPH = ("circle", "wide")
"""Labels of paragraphs alone; others are of whatever level they are used for."""

_DEEPEST = 3


class Block(NamedTuple):
    """A line of a provision, or a table.

    Attributes:
        rows: the cells of a table; empty for a line.
        parts: a line in pieces, each with its mark, or None.
        depth: 0 for a paragraph, 1 for an item of it, 2 and 3 for what is below that.
        anchor: numbers of its paragraph, item and so on, ``2.3``; empty if it has none of its own.
        repealed: whether it only says that it is repealed.
    """

    rows: list[list[str]]
    parts: list[tuple[str, Mark | None]]
    depth: int
    anchor: str
    repealed: bool


def paragraphs(text: str, language: str, marks: Iterable[Mark] = ()) -> list[Block]:
    """Return the lines and tables of a provision, in order.

    Args:
        text: of the provision.
        language: of the text, ISO 639-1.
        marks: stretches of the text; where two overlap, the one that begins first counts.
    """
    shown = blocks(text)
    chosen = sorted(marks, key=lambda mark: (mark["start"], -mark["end"]))
    table, end, found = jurisdiction("any"), 0, list[Block]()
    lines = [one for one in shown if isinstance(one, str)]
    places = _places(lines)
    for one in shown:
        if not isinstance(one, str):
            found.append(Block(one, [], 0, "", False))
            continue
        depth, anchor, body = next(places)
        start = text.index(one, end)
        end = start + len(one)
        parts = _parts(text, start, end, chosen)
        found.append(Block([], parts, depth, anchor, table.is_repealed(body.strip(), language)))
    return found


def unit_of(text: str, language: str, anchor: str) -> str:
    """Return the lines of a paragraph or item of a provision, and above them the lines that it belongs to.

    Args:
        text: of the provision.
        language: of the text, ISO 639-1.
        anchor: see :class:`Block`; where there is none of this name, the unit above it counts, at last the whole text.
    """
    found = paragraphs(text, language)
    places = {one.anchor: place for place, one in enumerate(found) if one.anchor}
    while anchor and anchor not in places:
        anchor = anchor.rpartition(".")[0]
    if not anchor:
        return text
    first = places[anchor]
    chosen, depth = [first], found[first].depth
    for place in range(first - 1, -1, -1):
        if found[place].depth < depth:
            chosen, depth = [place, *chosen], found[place].depth
    for place in range(first + 1, len(found)):
        if not found[place].rows and found[place].depth <= found[first].depth:
            break
        chosen.append(place)
    lines = ["".join(words for words, _ in found[place].parts) for place in chosen]
    return "\n".join(filter(None, lines))


def _parts(text: str, start: int, end: int, marks: Sequence[Mark]) -> list[tuple[str, Mark | None]]:
    """Return a stretch of a text in pieces, each with its mark."""
    at, parts = start, list[tuple[str, Mark | None]]()
    for one in marks:
        if at <= one["start"] < one["end"] <= end:
            parts += [(text[at : one["start"]], None), (text[one["start"] : one["end"]], one)]
            at = one["end"]
    return [part for part in [*parts, (text[at:end], None)] if part[0]]


def _places(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield of each line its depth, its anchor, and its words after the label; a new kind of label is one below."""
    labels = [_LABEL.match(line.lstrip()) for line in lines]
    first = bool(labels) and labels[0] is None
    kinds, numbers, used = list[str](), list[str](), set[str]()
    if first and any(label and _kind(label, "") in _PARAGRAPH for label in labels):
        kinds, numbers, first = [_PARAGRAPH[0]], ["1"], False  # The first paragraph has no number in Japan.
        used.add("1")
    last = ""
    for place, (line, label) in enumerate(zip(lines, labels, strict=True)):
        if label is None:
            yield 0, "1" if place == 0 and numbers else "", line
            continue
        words = line.lstrip()[label.end() :]
        kind = _kind(label, last)
        if kind in _PARAGRAPH:
            kinds, numbers = [], []
        depth = kinds.index(kind) if kind in kinds else len(kinds)
        last = label[0].strip("(（)）.．、　 ")
        kinds[depth:], numbers[depth:] = [kind], [number_of(last) or last]
        anchor = ".".join(numbers)
        yield min(depth + first, _DEEPEST), "" if anchor in used else anchor, words
        used.add(anchor)


def _kind(label: re.Match[str], before: str) -> str:
    """Return the kind of a label; an i after an h is a letter, and else a Roman number."""
    name = next(name for name in label.re.groupindex if name not in ("open", "end") and label[name])
    if name == "circle" or name == "wide":
        return _PARAGRAPH[0]
    if name == "roman" and len(label[name]) == 1 and before and ord(before[-1]) == ord(label[name]) - 1:
        return "small"
    return f"{name}{label['end'] or ''}"
