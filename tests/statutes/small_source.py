"""A source in memory, and the provisions that tests of an import begin with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

PROVISIONS: list[dict[str, Any]] = [
    {"docno": "act-1", "title": "창고안전법 제1조(목적)", "text": "이 법은 창고의 안전을 정한다.", "law": "창고안전법"},
    {
        "docno": "act-2",
        "title": "창고안전법 제2조",
        "text": "통로의 너비는 2미터로 한다.\n\u2028다만, 지하는 3미터로 한다.",
        "effective_from": "2024-01-31",
        "effective_to": "2024-12-31",
    },
    {"docno": "ประกาศ-3", "text": "ทางเดินต้องกว้าง 2 เมตร"},
]
LINKS = [("act-2", "act-1", "cites"), ("ประกาศ-3", "act-2", "")]


class Small:
    """Gives what it was made with."""

    name = "small"

    def __init__(self, provisions: Iterable[Any] = PROVISIONS, links: Iterable[Any] = LINKS) -> None:
        self._provisions = provisions
        self._links = links

    def provisions(self) -> Iterator[Mapping[str, str]]:
        yield from self._provisions

    def links(self) -> Iterator[tuple[str, str, str]]:
        yield from self._links
