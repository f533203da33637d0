"""Parts of provisions in chunks, and the information loss of a chunking [nitibench]."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class HeldPart(NamedTuple):
    """The part of a provision that a chunk contains.

    Attributes:
        chunk: place of the chunk.
        provision: place of the provision.
        complete: whether the chunk contains the whole provision.
        start: where its words begin in the chunk.
        characters: number of characters of the provision in the chunk.
    """

    chunk: int
    provision: int
    complete: bool
    start: int
    characters: int


def parts_of(chunks: Sequence[tuple[int, int]], provisions: Sequence[tuple[int, int]]) -> list[HeldPart]:
    """Return the contents of each chunk, by chunk and then by provision.

    Args:
        chunks: start and end of each, in any order.
        provisions: start and end of each, in order and without overlaps.
    """
    starts, ends = [start for start, _ in provisions], [end for _, end in provisions]
    parts = []
    for place, (start, end) in enumerate(chunks):
        for provision in range(bisect_right(ends, start), bisect_left(starts, end)):
            first, last = max(start, starts[provision]), min(end, ends[provision])
            complete = last - first == ends[provision] - starts[provision]
            parts.append(HeldPart(place, provision, complete, first - start, last - first))
    return parts


class InformationLoss(NamedTuple):
    """How much a chunking loses, as in Table 16 of [nitibench], whose definitions are only names.

    These definitions give its figures and the figures of the mapping that its authors released. A chunk is *kept* if it
    contains at least one complete provision; all other chunks fail. Values with a zero denominator are 0.

    Attributes:
        chunks: number of chunks.
        kept: number of kept chunks.
        provisions: number of provisions.
        whole: number of provisions contained completely in a chunk.
        per_chunk: mean over the kept chunks of the provisions that they touch (Section/Chunk).
        per_provision: mean over the provisions that kept chunks touch of the kept chunks that touch them
            (Chunk/Section).
        failed_chunks: share of the chunks that fail.
        failed_provisions: share of the provisions that no chunk contains completely.
        uncovered: share of the provisions that no kept chunk touches.
    """

    chunks: int
    kept: int
    provisions: int
    whole: int
    per_chunk: float
    per_provision: float
    failed_chunks: float
    failed_provisions: float
    uncovered: float


def information_loss(
    texts: Iterable[tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]]],
) -> InformationLoss:
    """Return the information loss over several texts together.

    Args:
        texts: for each text its chunks and its provisions, as in :func:`parts_of`.
    """
    chunks = provisions = kept = whole = touches = touched = 0
    for of_chunks, of_provisions in texts:
        parts = parts_of(of_chunks, of_provisions)
        complete = {part.chunk for part in parts if part.complete}
        met = [part.provision for part in parts if part.chunk in complete]
        chunks += len(of_chunks)
        provisions += len(of_provisions)
        kept += len(complete)
        whole += len({part.provision for part in parts if part.complete})
        touches += len(met)
        touched += len(set(met))
    return InformationLoss(
        chunks,
        kept,
        provisions,
        whole,
        _share(touches, kept),
        _share(touches, touched),
        _share(chunks - kept, chunks),
        _share(provisions - whole, provisions),
        _share(provisions - touched, provisions),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
