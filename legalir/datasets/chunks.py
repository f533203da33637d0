"""Map from the chunks of a chunk collection to the provisions that they contain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from legalir.datasets.readers import Holding

Rule = Literal["complete", "any"]
"""Which provisions of a chunk count: only complete provisions [nitibench], or also provisions contained in part."""


class ChunkMap:
    """Map from each chunk to the provisions that it contains.

    Args:
        holdings: in any order; the holdings of each chunk are sorted by their place in its text.
    """

    def __init__(self, holdings: Iterable[Holding]) -> None:
        self._held: dict[str, list[Holding]] = {}
        for holding in holdings:
            self._held.setdefault(holding.chunk, []).append(holding)
        for of_chunk in self._held.values():
            of_chunk.sort(key=lambda holding: holding.start)

    def __getitem__(self, chunk: str) -> Sequence[Holding]:
        """Return the provisions of a chunk, in the order of its text; an empty tuple for other documents."""
        return self._held.get(chunk, ())

    def provisions(self, rule: Rule = "complete") -> Mapping[str, Sequence[str]]:
        """Return the provisions of each chunk, in the order of its text."""
        return {
            chunk: tuple(holding.provision for holding in of_chunk if holding.complete or rule == "any")
            for chunk, of_chunk in self._held.items()
        }

    def held(self, docnos: Iterable[str]) -> tuple[str, ...]:
        """Replace chunks with the provisions they contain, completely or in part, each once; keep other documents."""
        named = ([part.provision for part in self[docno]] or [docno] for docno in docnos)
        return tuple(dict.fromkeys(provision for of_chunk in named for provision in of_chunk))

    def judgeable(self) -> frozenset[str]:
        """Return all provisions that chunks contain, completely or in part."""
        return frozenset(holding.provision for of_chunk in self._held.values() for holding in of_chunk)

    def cited(self, chunk: str, start: int | None = None, end: int | None = None) -> tuple[str, ...]:
        """Return the provisions that a citation of a chunk means.

        Args:
            chunk: docno of the chunk.
            start: where quoted words begin in its text; None for a citation without words.
            end: after the quoted words.

        Returns:
            The provisions that contain the quoted words; without words, the provisions that the chunk contains
            completely, or, if there are none, the provision of which it contains most.
        """
        held = self[chunk]
        if start is not None and end is not None:
            quoted = [one.provision for one in held if one.start < end and start < one.start + one.characters]
            if quoted:
                return tuple(quoted)
        whole = tuple(one.provision for one in held if one.complete)
        return whole or tuple(one.provision for one in sorted(held, key=lambda one: -one.characters)[:1])
