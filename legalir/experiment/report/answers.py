"""An answer as the report shows it: its text with citations and quotations marked, its state, and its verdicts.

The text of an answer is never trusted: it is cut into pieces of plain text, which the template escapes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from legalir.answer.generator import ANSWER_COLUMNS, NOTHING_FOUND, Answer, citing
from legalir.experiment.runs.context import TOP, Context

CITATIONS = {
    "given": "cited",
    "not given": "cited, but was not given to the model",
    "unknown": "cited, but is not in the collection",
}
"""Kinds of citations, and their meaning."""


class Piece(NamedTuple):
    """A piece of an answer.

    Attributes:
        text: as it stands there.
        kind: ``text``; ``verified``, ``repaired`` or ``not found`` for a quotation; a kind of :data:`CITATIONS`.
        docno: the provision that is cited or quoted.
    """

    text: str
    kind: str = "text"
    docno: str = ""


class Source(NamedTuple):
    """A provision that an answer cites: docno, title, kind of citation, whether it is relevant, its text in pieces."""

    docno: str
    title: str
    kind: str
    gold: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class AnswerView:
    """One answer of a system.

    Attributes:
        pieces: the text of the answer.
        state: state of the reply where it failed, else empty.
        abstained: whether it is an abstention.
        reason: why.
        choice: number and text of the chosen option, empty where there are no options.
        quotes: quotations whose words do not stand in the answer.
        sources: the provisions that the answer cites, in order.
        given: number of provisions that it was made from.
        unread: titles of the first of these provisions that it does not cite.
        missing: titles of relevant provisions that it was not given, if there was retrieval.
        verdicts: name and text of each number of a judge.
        remarks: judge and text of each reason of a judge, and of each state that is not ``ok``.
    """

    pieces: tuple[Piece, ...]
    state: str
    abstained: bool
    reason: str
    choice: str
    quotes: tuple[Piece, ...]
    sources: tuple[Source, ...]
    given: int
    unread: tuple[str, ...]
    missing: tuple[str, ...]
    verdicts: tuple[tuple[str, str], ...]
    remarks: tuple[tuple[str, str], ...]


def answer_view(row: Mapping[str, Any], context: Context, qid: str) -> AnswerView:
    """Return an answer as the report shows it.

    Args:
        row: its row in the run.
        context: the words of the experiment.
        qid: the question.
    """
    answer = Answer.of_row(row)
    gold, titles = context.gold.get(qid, {}), context.titles
    kinds = {docno: citation_kind(docno, answer.context_docnos, titles) for docno in answer.citations}
    pieces, lost = pieces_of(answer, kinds)
    sources = []
    for docno, kind in kinds.items():
        words = [(words, state) for quoted, words, state in answer.quotes if quoted == docno and state != "not found"]
        text = marked(context.texts.get(docno, ""), [(word, state, docno) for word, state in words])[0]
        sources.append(Source(docno, titles.get(docno, docno), kind, docno in gold, text))
    retrieved = bool(answer.context_docnos) or answer.reason == NOTHING_FOUND
    unread = [docno for docno in answer.context_docnos if docno not in kinds][:TOP]
    missing = [docno for docno in gold if retrieved and docno not in answer.context_docnos]
    return AnswerView(
        pieces=pieces,
        state="" if answer.reply_state == "ok" else answer.reply_state,
        abstained=bool(answer.abstained),
        reason=answer.reason,
        choice=_choice(answer.choice, context.items.get(qid, {})),
        quotes=lost,
        sources=tuple(sources),
        given=len(answer.context_docnos),
        unread=tuple(titles.get(docno, docno) for docno in unread),
        missing=tuple(titles.get(docno, docno) for docno in missing),
        verdicts=tuple(_verdicts(row)),
        remarks=tuple(_remarks(row)),
    )


def citation_kind(docno: str, given: Collection[str], known: Collection[str]) -> str:
    """Return the kind of a citation, a key of :data:`CITATIONS`.

    Args:
        docno: what is cited.
        given: the provisions that the answer was made from.
        known: provisions that are in the collection.
    """
    return "given" if docno in given else "not given" if docno in known else "unknown"


def pieces_of(answer: Answer, kinds: Mapping[str, str]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return the text of an answer in pieces, and the quotations whose words are not in it."""
    marks = [(citing(docno), kind, docno) for docno, kind in kinds.items()]
    return marked(answer.text, [*marks, *((words, state, docno) for docno, words, state in answer.quotes)])


def marked(text: str, marks: Collection[tuple[str, str, str]]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return a text cut at the marks in it, and the marks that are not in it.

    Where two marks overlap, the one that begins first stands, and of two that begin together the longer one. Pieces
    together give the text.

    Args:
        text: the text.
        marks: words, kind and docno of each mark; all places of the words are marked.
    """
    places = []
    lost = []
    for words, kind, docno in marks:
        found = list(_places(text, words))
        places += [(start, Piece(words, kind, docno)) for start in found]
        lost += [] if found else [Piece(words, kind, docno)]
    pieces, end = [], 0
    for start, piece in sorted(places, key=lambda place: (place[0], -len(place[1].text))):
        if start >= end:
            pieces += [Piece(text[end:start])] if start > end else []
            pieces.append(piece)
            end = start + len(piece.text)
    pieces += [Piece(text[end:])] if end < len(text) else []
    return tuple(pieces), tuple(lost)


def _places(text: str, words: str) -> Iterator[int]:
    start = text.find(words) if words else -1
    while start >= 0:
        yield start
        start = text.find(words, start + len(words))


def _choice(choice: int, item: Mapping[str, Any]) -> str:
    options = item.get("options", [])
    if not options:
        return ""
    return f"{choice}. {options[choice - 1]}" if 0 < choice <= len(options) else "none"


def _verdicts(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        if name not in ANSWER_COLUMNS and isinstance(value, float) and not math.isnan(value):
            yield name, f"{value:.3g}"


def _remarks(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        judge, _, what = name.rpartition("_")
        if name in ANSWER_COLUMNS or not isinstance(value, str) or not value:
            continue
        if what == "reason" or (what == "state" and value != "ok"):
            yield judge, value
