"""From links between docnos to links between numbers, with a count of everything that was left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.errors import DataError

__all__ = ["Left", "NumberedLinks", "number_links", "without_repeats"]

_KINDS = 256


class Left(NamedTuple):
    """What was left out of a graph.

    Attributes:
        self_loops: links from a provision to itself.
        dangling: links that have an end which is no provision of the collection.
        duplicates: links of a pair that is linked already; the first stays.
        unknown: the ends that are no provisions, each once; at most three, in order of appearance.
    """

    self_loops: int = 0
    dangling: int = 0
    duplicates: int = 0
    unknown: tuple[str, ...] = ()


class NumberedLinks(NamedTuple):
    """Links between nodes: `docnos` ascending; `source`, `target` int64 [m]; `kind` uint8 [m], a place in `kinds`."""

    docnos: list[str]
    source: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    kind: npt.NDArray[np.uint8]
    kinds: list[str]
    left: Left


def number_links(links: Iterable[Sequence[str]], docnos: Iterable[str] | None) -> NumberedLinks:
    """Number the ends of `links`; leave out, and count, self-loops, repeats and links to what is not there.

    Args:
        links: (source, target) or (source, target, kind), in any order.
        docnos: all provisions; None: those that a link has at an end.

    Raises:
        DataError: a link is no pair or triple of strings, or there are more than 256 kinds.
    """
    kinds: dict[str, int] = {}
    triples = [_triple(link, kinds) for link in links]
    if len(kinds) > _KINDS:
        raise DataError(f"The links have {len(kinds)} kinds, but a graph holds {_KINDS}: merge some.")
    ends = {end for source, target, _ in triples for end in (source, target)}
    known = sorted(ends if docnos is None else set(docnos))
    number = {docno: place for place, docno in enumerate(known)}
    rows = np.array(
        [(number.get(source, -1), number.get(target, -1), kind) for source, target, kind in triples], dtype=np.int64
    ).reshape(-1, 3)
    there = (rows[:, :2] >= 0).all(axis=1)
    unknown = dict.fromkeys(end for link in triples for end in link[:2] if end not in number)
    loops = there & (rows[:, 0] == rows[:, 1])
    kept = rows[there & ~loops]
    first = without_repeats(kept[:, 0], kept[:, 1], len(known))
    left = Left(int(loops.sum()), int((~there).sum()), len(kept) - len(first), tuple(unknown)[:3])
    source, target, kind = kept[first].T
    return NumberedLinks(known, source, target, kind.astype(np.uint8), list(kinds), left)


def without_repeats(source: npt.NDArray[np.int64], target: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
    """Return where each pair of `source` and `target` stands first, in ascending order."""
    return np.sort(np.unique(source * n + target, return_index=True)[1])


def _triple(link: Sequence[str], kinds: dict[str, int]) -> tuple[str, str, int]:
    if isinstance(link, str) or len(link) not in (2, 3) or not all(isinstance(part, str) for part in link):
        raise DataError(f"The link {link!r} is not (source, target) or (source, target, kind), all of them strings.")
    kind = link[2] if len(link) == 3 else ""
    return link[0], link[1], kinds.setdefault(kind, len(kinds))
