"""Cutting a text into chunks: by characters, lines, separators, sentences, meaning, a pattern, or its provisions.

Each function takes a text and returns the places of its chunks, so that no character is copied or changed, and what a
chunk holds can be counted (:mod:`~legalir.chunks.coverage`). A chunk neither begins nor ends with white space,
and white space between chunks is in no chunk; otherwise the chunks of all functions except :func:`article` contain the
whole text.

Sizes and overlaps count characters, and tokens in :func:`sentence`. All functions are linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from legalir.analysis.text import BREAK
from legalir.declared import check_choice
from legalir.errors import ComponentError
from legalir.models.loading import load_tokenizer, shared

SEPARATORS = (r"\n[^\S\n]*\n\s*", r"\n", BREAK, r"\s")
"""Patterns at which :func:`recursive` splits, in order: blank line, line break, end of a sentence, space."""

SECTIONS = ("판시사항", "판결요지", "참조조문", "참조판례", "판례내용")
"""The sections of a Korean court decision, in the order of a published one."""

SECTION_NAMES = "|".join(r"[^\S\n]*".join(name) for name in (*SECTIONS, "전문"))
"""Pattern of their names, also with spaces; 전문 (full text) is another name of 판례내용."""

JUDGMENT = rf"(?m)^[^\S\n]*+[【\[(〔<#*]*+[^\S\n]*+(?:{SECTION_NAMES})[^\S\n]*[】\])〕>*:]*[^\S\n]*$"
"""Headings of a Korean court decision, each on its own line."""

PERCENTILE = 90.0
"""Percentile of the distances that a distance must pass for :func:`semantic` to split there [hypa-rag]."""


Unit = Literal["characters", "estimated_tokens"]
"""Unit of the sizes of :func:`sentence`."""


class Chunk(NamedTuple):
    """A part of a text.

    Attributes:
        start: the first character.
        end: after the last one.
    """

    start: int
    end: int


def article(provisions: Iterable[tuple[int, int]]) -> list[Chunk]:
    """Return one chunk per provision: the hierarchy-aware chunks of [nitibench].

    Args:
        provisions: start and end of each provision.
    """
    return [Chunk(start, end) for start, end in provisions if start < end]


def character(text: str, size: int = 1000, overlap: int = 0) -> list[Chunk]:
    """Return chunks of `size` characters, each beginning `size` - `overlap` characters after the one before.

    Args:
        text: the text.
        size: characters of a chunk; the last one may have fewer.
        overlap: characters that a chunk shares with the one before; less than `size`.
    """
    _check(size, overlap)
    return _trimmed(text, _windows(0, len(text), size, overlap))


def line(text: str, size: int = 1000, overlap: int = 0) -> list[Chunk]:
    """Return chunks of whole lines, as many as fit into `size`; a longer line becomes a separate chunk.

    A chunk repeats the last lines of the one before that have, with their line breaks, less than `overlap` characters
    and leave room for the next line. With 553 and 50 this is the best naive chunking of [nitibench]: it gives the
    counts of the chunks that its authors released.
    """
    _check(size, overlap)
    return _merged(_split(text, Chunk(0, len(text)), r"\n"), size, overlap)


def recursive(
    text: str, size: int = 1000, overlap: int = 0, separators: Sequence[str] = SEPARATORS, within: Chunk | None = None
) -> list[Chunk]:
    """Return chunks of at most `size` characters, split at the first separator that makes the parts short enough.

    The text is split at the first separator that it has. Parts that are longer than `size` are split at the next
    separators, and in the end after `size` characters; neighbours of one level that together fit into `size` are one
    chunk, and repeat parts of the chunk before as in :func:`line`. [rar-agent] leaves size, overlap and separators
    open; the defaults are ours.

    Args:
        text: the text.
        size: maximum number of characters in a chunk.
        overlap: most characters that a chunk repeats; less than `size`.
        separators: regular expressions, the most important first.
        within: the part of the text to cut; None for all of it.
    """
    _check(size, overlap)
    part = within or Chunk(0, len(text))
    rest = list(separators)
    parts = [part]
    while rest and len(parts) == 1:
        parts = _split(text, part, rest.pop(0))
    if len(parts) == 1 and not rest:
        only = parts[0]
        if only.end - only.start <= size:
            return _trimmed(text, [only])
        return _trimmed(text, _windows(only.start, only.end, size, overlap))
    chunks: list[Chunk] = []
    short: list[Chunk] = []
    for each in parts:
        if each.end - each.start <= size:
            short.append(each)
            continue
        chunks += _merged(short, size, overlap)
        short = []
        chunks += recursive(text, size, overlap, rest, each)
    return chunks + _merged(short, size, overlap)


def sentence(
    text: str,
    size: int = 512,
    overlap: int = 200,
    unit: Unit = "estimated_tokens",
    tokenizer: str | PathLike[str] | None = None,
) -> list[Chunk]:
    """Return windows of whole sentences, as many as fit into `size`; a longer sentence becomes a separate chunk.

    A window repeats the last sentences of the one before as :func:`line` repeats lines. [hypa-rag] uses 512 and 200
    tokens of OpenAI's cl100k_base. Without a tokenizer they are estimated: 512 estimated tokens are 1 536 bytes,
    which is about 380 of those tokens in English.

    Args:
        text: the text.
        size: length of a window.
        overlap: length that a window repeats; less than `size`.
        unit: unit of both: ``characters``, or ``estimated_tokens``, a third of the UTF-8 bytes.
        tokenizer: folder of a model whose tokens are counted instead of estimated ones.
    """
    _check(size, overlap)
    check_choice("sentence", "unit", unit, get_args(Unit))
    if unit == "characters" and tokenizer is not None:
        raise ComponentError("sentence: unit='characters' counts no tokens: leave out unit or tokenizer.")
    return _merged(sentences(text), size, overlap, None if unit == "characters" else tokens(text, tokenizer))


def semantic(
    text: str,
    encode: Callable[[Sequence[str]], npt.NDArray[np.float32]],
    buffer: int = 1,
    percentile: float = PERCENTILE,
) -> list[Chunk]:
    """Return runs of sentences, split where the meaning changes most.

    The group of a sentence is the sentence with `buffer` sentences on each side. Where the cosine distance between the
    groups of two neighbours is greater than the given percentile of all distances of the text, a chunk ends
    [hypa-rag]. Chunks have no limit of length.

    Args:
        text: the text.
        encode: returns vectors of length 1, one row per text.
        buffer: number of sentences on each side, at least 1.
        percentile: from 0 to 100.
    """
    if buffer < 1 or not 0 <= percentile <= 100:
        raise ComponentError(
            f"semantic: buffer must be at least 1 and percentile 0 to 100, got {buffer}, {percentile}."
        )
    parts = sentences(text)
    if len(parts) < 2:
        return parts
    ends = [min(place + buffer, len(parts) - 1) for place in range(len(parts))]
    groups = [text[parts[max(0, place - buffer)].start : parts[end].end] for place, end in enumerate(ends)]
    vectors = np.asarray(encode(groups), dtype=np.float64)
    distances = 1 - np.einsum("ij,ij->i", vectors[:-1], vectors[1:])
    splits = np.flatnonzero(distances > np.percentile(distances, percentile)) + 1
    bounds = [0, *splits.tolist(), len(parts)]
    return [Chunk(parts[first].start, parts[last - 1].end) for first, last in pairwise(bounds)]


def pattern(text: str, pattern: str = r"(?m)^§", size: int | None = None, overlap: int = 0) -> list[Chunk]:
    """Return chunks that each begin where a pattern matches; text before the first match is also a chunk.

    With the default, sections of American laws: a line break followed by "§" [hypa-rag]. With the headings of a court
    decision and a size, the chunks of [rar-agent].

    Args:
        text: the text.
        pattern: a regular expression.
        size: longer parts are split by :func:`recursive`; None does not split parts.
        overlap: for :func:`recursive`.
    """
    starts = [0, *(match.start() for match in re.finditer(pattern, text)), len(text)]
    parts = _trimmed(text, [Chunk(start, end) for start, end in pairwise(starts)])
    if size is None:
        return parts
    return [chunk for part in parts for chunk in recursive(text, size, overlap, within=part)]


def judgment(text: str, size: int = 1000, overlap: int = 0) -> list[Chunk]:
    """Return the sections of a court decision; sections longer than `size` are split further [rar-agent].

    A section begins at a line that is a heading of a Korean decision (:data:`JUDGMENT`), with or without brackets.
    """
    return pattern(text, JUDGMENT, size, overlap)


def sentences(text: str) -> list[Chunk]:
    """Return the sentences of a text; see :mod:`legalir.analysis.text`."""
    return _split(text, Chunk(0, len(text)), BREAK)


def tokens(text: str, tokenizer: str | PathLike[str] | None = None) -> list[int]:
    """Return the number of tokens of each beginning of a text.

    Args:
        text: the text.
        tokenizer: folder of the model whose tokens are counted; None for a third of the UTF-8 bytes, rounded up.

    Raises:
        MissingExtra: transformers is not installed.
        ModelError: the folder has no tokenizer.
    """
    if tokenizer is not None:
        folder = Path(tokenizer).expanduser()
        loaded = shared(("tokenizer", str(folder)), lambda: load_tokenizer(folder))
        offsets = loaded(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)["offset_mapping"]
        counts: list[int] = np.searchsorted([end for _, end in offsets], range(len(text) + 1), side="right").tolist()
        return counts
    widths = np.fromiter((len(sign.encode()) for sign in text), dtype=np.int64, count=len(text))
    return [0, *((np.cumsum(widths) + 2) // 3).tolist()]


def _check(size: int, overlap: int) -> None:
    if size < 1 or not 0 <= overlap < size:
        raise ComponentError(
            f"chunks: size must be at least 1 and overlap from 0 to size - 1, got {size} and {overlap}."
        )


def _windows(start: int, end: int, size: int, overlap: int) -> list[Chunk]:
    """Return windows of `size`; the last one ends at `end`, and no window lies inside the previous one."""
    last = max(end - overlap, start + 1)
    return [Chunk(first, min(first + size, end)) for first in range(start, last, size - overlap)]


def _trimmed(text: str, chunks: Iterable[Chunk]) -> list[Chunk]:
    """Return chunks without white space at their ends; drop chunks that are empty or lie inside another chunk.

    Args:
        text: the text.
        chunks: by start and by end.
    """
    out: list[Chunk] = []
    for start, end in chunks:
        words = text[start:end]
        if not (bare := words.strip()):
            continue
        first = start + len(words) - len(words.lstrip())
        last = first + len(bare)
        if out and first == out[-1].start:
            out.pop()
        if not out or last > out[-1].end:
            out.append(Chunk(first, last))
    return out


def _split(text: str, part: Chunk, separator: str) -> list[Chunk]:
    """Return the parts between the matches of a separator, without white space at their ends."""
    ends = [(match.start(), match.end()) for match in re.compile(separator).finditer(text, part.start, part.end)]
    starts = [part.start, *(end for _, end in ends)]
    return _trimmed(text, map(Chunk, starts, [*(start for start, _ in ends), part.end]))


def _merged(parts: Sequence[Chunk], size: int, overlap: int, lengths: Sequence[int] | None = None) -> list[Chunk]:
    """Return chunks of neighbouring parts.

    Args:
        parts: in order, without overlaps.
        size: maximum size of a chunk; a longer part becomes a separate chunk.
        overlap: what is repeated, up to the beginning of the first new part, is less than this.
        lengths: how much each beginning of the text measures; None counts characters.
    """

    def measure(start: int, end: int) -> int:
        return end - start if lengths is None else lengths[end] - lengths[start]

    chunks = []
    first = 0
    for place, (start, end) in enumerate(parts):
        if place > first and measure(parts[first].start, end) > size:
            chunks.append(Chunk(parts[first].start, parts[place - 1].end))
            while first < place and (
                measure(parts[first].start, start) >= overlap or measure(parts[first].start, end) > size
            ):
                first += 1
    if parts:
        chunks.append(Chunk(parts[first].start, parts[-1].end))
    return chunks
