"""The words around a mention: what is taken out of a text, and which mentions make one list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Place", "lists_of", "without"]

Place = tuple[tuple[int, int], int]
"""Start and end of a mention, and the provision that it means."""

_QUOTED = re.compile(r"「[^「」]{1,80}」|『[^『』]{1,80}』|《[^《》]{1,80}》|〈[^〈〉]{1,80}〉")
_BETWEEN = 5


def without(text: str, spans: Iterable[tuple[int, int]], titles: Iterable[str]) -> str:
    """Return `text` with spaces, as many, for spans, for titles of laws in their quotes, and for `titles`."""
    taken = [*spans, *(found.span() for found in _QUOTED.finditer(text))]
    for title in titles:
        at = text.find(title)
        while at >= 0:
            taken.append((at, at + len(title)))
            at = text.find(title, at + len(title))
    pieces: list[str] = []
    end = 0
    for start, stop in sorted(taken):
        if stop > end:
            start = max(start, end)
            pieces += text[end:start], " " * (stop - start)
            end = stop
    pieces.append(text[end:])
    return "".join(pieces)


def lists_of(blank: str, places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield the mentions that stand together: at most `_BETWEEN` letters between one and the next (``, 및``, ``or``).

    Args:
        blank: the text without mentions and titles.
        places: of the mentions, in the order of the text.
    """
    group: list[Place] = []
    reach = 0
    for place in places:
        (start, end), _ = place
        if group and sum(map(str.isalnum, blank[reach:start])) > _BETWEEN:
            yield group
            group = []
        group.append(place)
        reach = max(end, reach)
    if group:
        yield group
