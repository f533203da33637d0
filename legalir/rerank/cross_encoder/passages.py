"""Scores of provisions by their best passages: windows of long ones, batches by length, the maximum.

Windows of a provision that is too long to be read at once.

Title and text of the provisions of a frame: from its own columns, or by their docnos.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.errors import ComponentError
from legalir.models.batching import by_length
from legalir.rerank.cross_encoder.model import CrossEncoder, Tokens
from legalir.rerank.cross_encoder.score_cache import Best
from legalir.storage.documents import title_and_text

if TYPE_CHECKING:
    from legalir.datasets import Provision

__all__ = ["Reading", "Texts", "Windows", "best_passages", "provision_texts", "readable", "windows"]

_SHORT = 4
"""A title is short if it takes at most one in so many of the tokens of a window."""


class Windows(NamedTuple):
    """What is read of a provision, one row a window.

    Attributes:
        head: the first so many tokens, the title, stand at the beginning of each window.
        spans: first token of the rest, and the one after its last, int64 [w, 2]; ascending, without gaps.
    """

    head: int
    spans: npt.NDArray[np.int64]


def windows(length: int, title: int, room: int, stride: int | None = None) -> Windows:
    """Return the windows of a provision; one that fits is a single window, in which the title is nothing special.

    All windows of a longer one have `room` tokens: the last begins early enough to end with the provision.

    Args:
        length: tokens of the provision.
        title: how many of them, at its beginning, are its title.
        room: tokens of a window, at least 1.
        stride: tokens from the beginning of a window to that of the next, at least 1; as many at most as leave no
            gap. None for half of what a window holds beside the title (Dai and Callan 2019).
    """
    if length <= room:
        return Windows(0, np.array([[0, length]]))
    head = title if title <= room // _SHORT else 0
    held = room - head
    step = min(max(held // 2, 1) if stride is None else stride, held)
    first = np.append(np.arange(head, length - held, step), length - held)
    return Windows(head, np.stack((first, first + held), axis=1))


class Texts(Protocol):
    """Where the text of a provision comes from: a :class:`~legalir.collection.collection.Collection`, for one."""

    def provisions(self, docnos: Iterable[str]) -> Mapping[str, Provision]:
        """Return the provisions with these docnos; an unknown docno is left out."""
        ...


def provision_texts(frame: pd.DataFrame, texts: Texts | Mapping[str, str] | None) -> list[tuple[str, str]]:
    """Return title and text of each row.

    They are those of the columns ``title`` and ``text``. A row without a text, or a frame without that column, has
    them from `texts`.

    Args:
        frame: with ``docno``.
        texts: knows provisions by their docnos, or says the text of each; None where the frame has all.

    Raises:
        ComponentError: a provision has no text anywhere.
    """
    docnos = frame["docno"].tolist()
    own = frame["text"].tolist() if "text" in frame.columns else [None] * len(frame)
    titles = frame["title"].tolist() if "title" in frame.columns else [None] * len(frame)
    missing = [docno for docno, text in zip(docnos, own, strict=True) if not isinstance(text, str)]
    found = _looked_up(list(dict.fromkeys(missing)), texts) if missing else {}
    return [
        (title if isinstance(title, str) else "", text) if isinstance(text, str) else found[docno]
        for docno, title, text in zip(docnos, titles, own, strict=True)
    ]


def _looked_up(docnos: Sequence[str], texts: Texts | Mapping[str, str] | None) -> dict[str, tuple[str, str]]:
    if texts is None:
        raise ComponentError(
            f"rerank: the provision {docnos[0]!r} has no text: give a column 'text', or texts=… to take it from."
        )
    found: dict[str, tuple[str, str]]
    if isinstance(texts, Mapping):
        found = {docno: ("", texts[docno]) for docno in docnos if docno in texts}
    else:
        found = {docno: (one.title, one.text) for docno, one in texts.provisions(docnos).items()}
    for docno in docnos:
        if docno not in found:
            where = "the given texts" if isinstance(texts, Mapping) else repr(texts)
            raise ComponentError(f"rerank: there is no provision {docno!r} in {where}.")
    return found


def readable(text: str) -> str:
    """Return a text as a model is given it: composed (NFC), and with ``?`` for what is no character."""
    return unicodedata.normalize("NFC", text).encode("utf-8", "replace").decode("utf-8")


Pair = tuple[str, str, str]
"""Query, title and text."""

_MOST = 512
"""Windows of a batch at most."""


class Reading(NamedTuple):
    """How pairs are read.

    Attributes:
        length: tokens of a pair at most, special ones included.
        passage: tokens of a window at most; None for what the query leaves.
        stride: see :func:`~legalir.rerank.cross_encoder.passages.windows`.
        batch_tokens: cells of a padded batch.
    """

    length: int
    passage: int | None
    stride: int | None
    batch_tokens: int


class _Windows(NamedTuple):
    """All windows of all pairs, one row each; those of a pair stand together, in order of the text."""

    pair: npt.NDArray[np.int64]
    number: npt.NDArray[np.int64]
    head: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]


def best_passages(model: CrossEncoder, pairs: Sequence[Pair], reading: Reading) -> Iterator[list[tuple[int, Best]]]:
    """Yield after each batch the numbers of the pairs whose windows have all been scored, and their best windows.

    Of windows with equal logits, the first is the best one. A query keeps its first ¾ of the length at most.

    Raises:
        ComponentError: the device's memory does not hold a batch.
        ModelError: a logit is no finite number.
    """
    query_tokens = _of_each(model, [query for query, _, _ in pairs], most=max(1, reading.length * 3 // 4))
    provision_tokens = _of_each(model, [title_and_text(title, text) for _, title, text in pairs])
    queries = [query_tokens[query] for query, _, _ in pairs]
    provisions = [provision_tokens[title_and_text(title, text)] for _, title, text in pairs]
    found = _cut(model, pairs, queries, provisions, reading)
    lengths = np.array([len(tokens) for tokens in queries], dtype=np.int64)[found.pair]
    lengths += model.template.special + found.head + found.last - found.first
    left = np.bincount(found.pair, minlength=len(pairs))
    windows_of = left.copy()
    best: dict[int, Best] = {}
    for batch in by_length(lengths, reading.batch_tokens, _MOST):
        logits = model.logits([_window(found, row, queries, provisions) for row in batch.tolist()])
        finished = []
        for row, logit in zip(batch.tolist(), logits.tolist(), strict=True):
            pair, number = int(found.pair[row]), int(found.number[row])
            known = best.get(pair)
            # Windows of a pair are equally long, and so come in their order.
            if known is None or logit > known.logit:
                span = int(found.first[row]), int(found.last[row])
                best[pair] = Best(logit, number, int(windows_of[pair]), *span)
            left[pair] -= 1
            if not left[pair]:
                finished.append((pair, best.pop(pair)))
        yield finished


def _of_each(model: CrossEncoder, texts: Sequence[str], most: int | None = None) -> dict[str, Tokens]:
    """Return the tokens of each text, the first `most` of them; a text that comes again is tokenised once."""
    distinct = list(dict.fromkeys(texts))
    return {text: tokens[:most] for text, tokens in zip(distinct, model.tokens(distinct), strict=True)}


def _cut(
    model: CrossEncoder,
    pairs: Sequence[Pair],
    queries: Sequence[Tokens],
    provisions: Sequence[Tokens],
    reading: Reading,
) -> _Windows:
    titles: dict[tuple[str, str], int] = {}
    rows: list[npt.NDArray[np.int64]] = []
    for number, ((_, title, text), query, provision) in enumerate(zip(pairs, queries, provisions, strict=True)):
        room = max(1, reading.length - model.template.special - len(query))
        room = room if reading.passage is None else min(room, reading.passage)
        of_title = 0
        if len(provision) > room and title:
            if (title, text) not in titles:
                titles[title, text] = _title_tokens(model, title, text)
            of_title = titles[title, text]
        head, spans = windows(len(provision), of_title, room, reading.stride)
        row = np.empty((len(spans), 5), dtype=np.int64)
        row[:, 0], row[:, 1], row[:, 2], row[:, 3:] = number, np.arange(len(spans)), head, spans
        rows.append(row)
    return _Windows(*np.ascontiguousarray(np.concatenate(rows).T))


def _title_tokens(model: CrossEncoder, title: str, text: str) -> int:
    """Return how many tokens at the beginning of a provision belong to its title and the newline behind it."""
    beyond = np.flatnonzero(model.ends(title_and_text(title, text))[:, 1] > len(title) + 1)
    return int(beyond[0]) if len(beyond) else 0


def _window(
    found: _Windows, row: int, queries: Sequence[Tokens], provisions: Sequence[Tokens]
) -> tuple[Tokens, Tokens]:
    pair = found.pair[row]
    tokens = provisions[pair]
    passage = tokens[found.first[row] : found.last[row]]
    if found.head[row]:
        passage = np.concatenate((tokens[: found.head[row]], passage))
    return queries[pair], passage
