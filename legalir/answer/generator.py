"""Generators: a ranked list in, one answer a question out; and the answer of a pipeline to one question.

An answer cites a provision by its docno in square brackets, after the words it supports: ``… 층을 말한다. [act-2]``.
A docno has no white space, so a citation has none either. Statutes have brackets of their own (``[별표 1]``,
``[전문개정]``): brackets are a citation only if they contain the docno of a provision that can be cited.
"""

from __future__ import annotations

import math
import re
from collections import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.collections import Collection
from legalir.errors import ComponentError
from legalir.frames.columns import (
    RESULT_COLUMNS,
    drop_results,
    empty_like,
    fed_with_questions,
    require_texts,
    unique_queries,
)
from legalir.frames.component import Component
from legalir.llm.chat import REPLY_STATE
from legalir.rewrite.rewriter import original_questions

if TYPE_CHECKING:
    from legalir.datasets.chunks import ChunkMap

ANSWER_COLUMNS = {
    "qanswer": str,
    "citations": object,
    "quotes": object,
    "abstained": bool,
    "reason": str,
    REPLY_STATE: str,
    "context_docnos": object,
    "confidence": np.float64,
    "choice": np.int64,
    "option_probs": object,
    "prompt_tokens": np.int64,
    "completion_tokens": np.int64,
}
"""Columns that a generator adds, with their types; see the fields of :class:`Answer`."""

PARTLY = "context_partly"
"""Column of provisions in ``context_docnos`` that the model read only in part and that are not in the ranking."""

EVIDENCE, REFUSAL = "query_evidence", "query_refusal"
"""Columns of :class:`~legalir.answer.refuse.Refuse`: the evidence that the collection answers a question, and the
reason not to answer it; empty if it may be answered."""

GAP = " … "
"""Sign between two parts of a quotation, for words of the provision that are left out."""

NOTHING_FOUND = "nothing found"
"""Reason for the abstention if a question has no results."""

REASON_KINDS = {
    "nothing_found": NOTHING_FOUND,
    "repealed": "all provisions that were found are repealed",
    "absent": "this collection does not have what the question names, or not as law in force",
    "not_covered": "nothing in this collection seems to answer the question",
    "undecided": "the provisions do not decide the question",
}
"""The reasons that no model wrote, or their first words, by kind: pages translate them."""

_OPEN = re.compile(r"\[(?=\S)")
_BLANK = re.compile(r"\s")


def citing(docno: str) -> str:
    """Return the marker that cites a provision: ``[act-2]``."""
    return f"[{docno}]"


def cited(answer: str, docnos: abc.Collection[str]) -> list[str]:
    """Return the provisions that an answer cites, each once, in the order of their first citations.

    Args:
        answer: the text of an answer.
        docnos: the provisions that can be cited: the provisions that the generator received, or a whole collection.
            Brackets around anything else are text.
    """
    citable = docnos if isinstance(docnos, set | frozenset | dict) else set(docnos)
    citations = (_docno_at(answer, bracket.end(), citable) for bracket in _OPEN.finditer(answer))
    return list(dict.fromkeys(docno for docno in citations if docno is not None))


def without_citations(answer: str, citations: abc.Collection[str]) -> str:
    """Return the text of an answer without the markers of its citations, as measures and judges read it."""
    for docno in citations:
        answer = answer.replace(f" {citing(docno)}", "").replace(citing(docno), "")
    return answer


def _docno_at(answer: str, start: int, citable: abc.Collection[str]) -> str | None:
    """Return the longest docno of `citable` from `start` to a closing bracket; a docno may itself contain brackets."""
    blank = _BLANK.search(answer, start)
    word = answer[start : blank.start() if blank else len(answer)]
    ends = [place for place, character in enumerate(word) if character == "]"]
    return next((word[:end] for end in reversed(ends) if word[:end] in citable), None)


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes:
        text: the answer, a statement a line, each with its citations such as ``[act-2]`` at the end; empty if it
            abstains or its reply failed. Where the question has options, the text of the chosen one, also of the one
            that abstains.
        citations: docnos that the answer cites, each once, in the order of its citations; a model may cite provisions
            that it did not receive, or that do not exist.
        quotes: ``(docno, words, state)`` of each quotation; the state is ``verified`` if the provision has these
            words: they occur, no more;
            ``repaired`` if they were replaced by the provision's own, which differ a little, and ``not found``.
        abstained: whether this is a refusal to answer.
        reason: why it abstains; of a partial answer, what it does not decide.
        reply_state: state of the reply of a language model (:data:`legalir.llm.chat.State`); ``ok`` without one.
        context_docnos: the provisions that the answer was made from, best first.
        confidence: score of the first provision in the ranked list; NaN without a list. Scores of different pipelines
            do not compare. After ``refuse``, its evidence, which compares.
        choice: number of the chosen option, from 1, if the question has options; 0 if none was chosen.
        option_probs: probability of each option, in the order of the item, if the choice was made by them.
        prompt_tokens, completion_tokens: tokens of the requests to a language model, and of its replies.
        query: the question; empty in the answers that a generator makes.
        sources: the provisions that the generator received, best first: ``rank`` (from 0), ``score, docno, title,
            text``. No rows if the generator is inside another component, which does not show its input.
        as_of: the day of the question, as ``2021-03-01``; empty if the collection has no versions.
        where: the filter of the question; empty if it has none.
    """

    text: str
    citations: tuple[str, ...] = ()
    quotes: tuple[tuple[str, str, str], ...] = ()
    abstained: bool = False
    reason: str = ""
    reply_state: str = "ok"
    context_docnos: tuple[str, ...] = ()
    confidence: float = field(default=math.nan, compare=False)
    choice: int = 0
    option_probs: tuple[float, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    query: str = ""
    sources: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False, compare=False)
    as_of: str = ""
    where: str = ""

    def __str__(self) -> str:
        return self.text

    def row(self) -> dict[str, Any]:
        """Return the values of :data:`ANSWER_COLUMNS`."""
        return {"qanswer": self.text, **{name: getattr(self, name) for name in list(ANSWER_COLUMNS)[1:]}}

    @classmethod
    def of_row(cls, row: Mapping[Any, Any], **more: Any) -> Answer:
        """Return the answer in a row of a frame; `more` gives other fields. Columns that are missing are defaults."""
        held = {name: row[name] for name in list(ANSWER_COLUMNS)[1:] if name in row}
        return cls(str(row["qanswer"]), **held, **more)


class Generator(Component):
    """Component that writes an answer to each question from the provisions in its ranked list.

    Columns in: ``qid, query, docno, score, rank``; a generator that needs no provisions (`needs_provisions` is False)
    also takes questions alone, ``qid, query``. Columns out: the query columns and :data:`ANSWER_COLUMNS`, one row a
    query, in order of first appearance. A query without results has no row in, and therefore no row out.

    Over a chunk collection, citations and quotations name provisions (:func:`citing_provisions`).

    The generator answers the original question. If earlier components rewrote the question, PyTerrier keeps the
    original in ``query_0``, or in the ``query_N`` with the highest number.

    A question that ``refuse`` marked is not asked: the answer abstains, with its reason.

    A subclass implements :meth:`answer`, for one question, or :meth:`answers`, for all; this class handles the frames.
    """

    name = "generator"
    """Name in expressions; messages begin with it."""

    needs_provisions = True
    """Whether the generator needs ranked lists."""

    def answer(self, query: str, docnos: Sequence[str]) -> str | Answer:
        """Return the answer to one question.

        A text cites a provision by its docno in square brackets (:func:`legalir.answer.generator.citing`).

        Args:
            query: the question.
            docnos: the provisions in the ranked list, best first, each once; at least one.
        """
        raise NotImplementedError

    def answers(self, asked: pd.DataFrame, lists: Sequence[Sequence[str]]) -> list[Answer]:
        """Return the answer to each question.

        Args:
            asked: one row per question: ``qid``, ``query`` (the original question, in NFC), and its other columns.
            lists: the provisions of each question, best first; empty if there was no ranked list.

        Raises:
            ComponentError: an answer is not a string.
        """
        return [
            self._checked(qid, self.answer(query, docnos), docnos)
            for qid, query, docnos in zip(asked["qid"], asked["query"], lists, strict=True)
        ]

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return an empty frame with all columns."""
        self._validate(inp)
        out = drop_results(inp).iloc[:0].drop(columns=[EVIDENCE, REFUSAL], errors="ignore")
        return _with_answers(out, [])

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return one answer per query.

        Raises:
            ComponentError: a query or an answer is not a string, or a provision occurs twice in a list.
        """
        self._validate(inp)
        out = unique_queries(inp, self.name).reset_index(drop=True)
        require_texts(out, self.name)
        asked = out.assign(query=pd.Series(original_questions(out), dtype=str))
        if "docno" not in inp.columns:
            return _with_answers(out, self.answers(asked, [[] for _ in range(len(out))]))
        best = inp.sort_values("rank", kind="stable").drop_duplicates("qid")
        confidence = dict(zip(best["qid"], best.get(EVIDENCE, best["score"]).astype(float), strict=True))
        refusals = asked.get(REFUSAL, pd.Series("", index=asked.index)).tolist()
        lists = [docnos for docnos, refusal in zip(self._lists(inp), refusals, strict=True) if not refusal]
        answered = asked[[not refusal for refusal in refusals]].drop(columns=[EVIDENCE, REFUSAL], errors="ignore")
        written = iter(self.answers(answered.reset_index(drop=True), lists) if lists else [])
        answers = [
            Answer("", abstained=True, reason=refusal) if refusal else self._citing_provisions(next(written))
            for refusal in refusals
        ]
        pairs = zip(answers, out["qid"], strict=True)
        out = out.drop(columns=[EVIDENCE, REFUSAL], errors="ignore")
        return _with_answers(out, [replace(answer, confidence=confidence[qid]) for answer, qid in pairs])

    def _validate(self, inp: pd.DataFrame) -> None:
        if self.needs_provisions:
            pt.validate.columns(inp, includes=["qid", "query", "docno", "score", "rank"])
            return
        with pt.validate.any(inp) as accepted:
            accepted.columns(includes=["qid", "query"], excludes=["docno"])
            accepted.columns(includes=["qid", "query", "docno", "score", "rank"])

    def _lists(self, inp: pd.DataFrame) -> Iterator[list[str]]:
        """Yield the docnos of each query, best first, in order of the queries' first appearance."""
        if (twice := inp.duplicated(["qid", "docno"])).any():
            row = inp[twice].iloc[0]
            raise ComponentError(f"{self.name}: {row['docno']!r} occurs twice in the list of query {row['qid']!r}.")
        query = pd.factorize(inp["qid"])[0]
        order = np.lexsort((inp["docno"].to_numpy(dtype=str), inp["rank"].to_numpy(), query))
        docnos = inp["docno"].to_numpy(dtype=object)[order]
        for of_query in np.split(docnos, np.flatnonzero(np.diff(query[order])) + 1):
            yield of_query.tolist()

    def _citing_provisions(self, answer: Answer) -> Answer:
        """Return an answer from chunks with citations of provisions."""
        collection = getattr(self, "collection", None)
        if collection is None or (chunks := collection.chunks) is None:
            return answer
        return citing_provisions(answer, chunks, collection)

    def _checked(self, qid: str, answer: object, docnos: Sequence[str]) -> Answer:
        if isinstance(answer, Answer):
            return answer
        if not isinstance(answer, str):
            raise ComponentError(
                f"{self.name}: the answer to {qid!r} must be a string, got a value of type {type(answer).__name__}."
            )
        return Answer(answer, tuple(cited(answer, docnos)), context_docnos=tuple(docnos))


def citing_provisions(answer: Answer, chunks: ChunkMap, collection: Collection) -> Answer:
    """Return an answer whose citations and quotations name provisions instead of chunks.

    A citation of a chunk becomes a citation of the provisions that contain the words quoted from it; without such
    words, of the provisions that :meth:`~legalir.datasets.chunks.ChunkMap.cited` gives. ``context_docnos`` stay chunks.

    Args:
        answer: cites chunks; citations of provisions stay.
        chunks: the provisions that each chunk contains.
        collection: has the texts of the chunks.
    """
    cut = [docno for docno in answer.citations if chunks[docno]]
    if not cut:
        return answer
    records = collection.provisions(cut)
    meant: dict[str, dict[str, None]] = {docno: {} for docno in cut}
    quotes = []
    for docno, words, state in answer.quotes:
        place = _place(words, records[docno].text) if docno in records else None
        provisions = chunks.cited(docno, *place) if place else ()
        if docno in meant:
            meant[docno] |= dict.fromkeys(provisions)
        quotes.append((next(iter(provisions or chunks.cited(docno)), docno), words, state))
    text = answer.text
    citations: dict[str, None] = {}
    for docno in answer.citations:
        named = [*meant[docno]] or chunks.cited(docno) if docno in meant else (docno,)
        citations |= dict.fromkeys(named)
        text = text.replace(citing(docno), "".join(map(citing, named)))
    return replace(answer, text=text, citations=tuple(citations), quotes=tuple(quotes))


def _place(words: str, text: str) -> tuple[int, int] | None:
    """Return the place of words in a text, ignoring white space; None if they are not in it."""
    parts = (r"\s*".join(map(re.escape, part.split())) for part in words.split(GAP))
    match = re.search(".*?".join(parts), text, re.DOTALL) if words.strip() else None
    return match.span() if match else None


def _with_answers(asked: pd.DataFrame, answers: Sequence[Answer]) -> pd.DataFrame:
    rows = [answer.row() for answer in answers]
    columns = {name: pd.Series([row[name] for row in rows], dtype=kind) for name, kind in ANSWER_COLUMNS.items()}
    return asked.assign(**columns)


def with_unanswered(answers: pd.DataFrame, asked: pd.DataFrame, reason: str = NOTHING_FOUND) -> pd.DataFrame:
    """Return one row per question: its answer, or an abstention because nothing was found.

    Args:
        answers: what a pipeline that ends in a generator returned; other columns stay.
        asked: the questions, in order: ``qid, query`` and their other columns.
        reason: why questions without a row have no answer.
    """
    missing = asked[~asked["qid"].isin(answers["qid"])].reset_index(drop=True)
    if missing.empty:
        return answers
    nothing = Answer("", abstained=True, reason=reason)
    rows = pd.concat([answers, _with_answers(missing, [nothing] * len(missing))], ignore_index=True)
    place = {qid: number for number, qid in enumerate(asked["qid"])}
    return rows.sort_values("qid", key=lambda qids: qids.map(place), kind="stable", ignore_index=True)


def _counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 provision``, ``2 provisions``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def ask(
    pipeline: pt.Transformer,
    asked: pd.DataFrame,
    expression: str,
    told: Callable[[str], None] = lambda words: None,
    repealed: Callable[[Sequence[str]], abc.Collection[str]] = lambda docnos: (),
) -> Answer:
    """Return the answer of a pipeline to one question.

    Its sources have ``rank, score, docno``, by rank; no rows if the question has no results, or if no step gave a list.

    Args:
        pipeline: a pipeline that ends in a generator.
        asked: a frame of one question.
        expression: the pipeline as messages show it.
        told: called with a short message after each step: retrieved, asked, checked.
        repealed: returns those of some provisions from which no answer is to be made.

    Raises:
        ComponentError: the pipeline does not end in a generator, or a component lacks columns.
    """
    frame = asked
    results = empty_like(frame)
    nothing = NOTHING_FOUND
    with fed_with_questions(f"answer: {expression!r}"):
        # Find faults before a model writes an answer.
        if "qanswer" not in pipeline.transform(frame.iloc[:0]).columns:
            raise ComponentError(f"answer: {expression!r} does not end in a generator: add one, such as '>> quote'.")
        steps = tuple(pipeline) if isinstance(pipeline, pt.Compose) else (pipeline,)
        for step in steps:
            if step is steps[-1] and len(steps) > 1:
                told(f"Retrieved {_counted(len(results), 'provision')}")
            if isinstance(step, Generator) and step.needs_provisions and not any(frame.get(REFUSAL, ())):
                kept = frame[~frame["docno"].isin([*repealed(frame["docno"].tolist())])]
                nothing = REASON_KINDS["repealed"] if len(frame) and not len(kept) else nothing
                frame = kept
            frame = step.transform(frame)
            if set(RESULT_COLUMNS) <= set(frame.columns):
                results = frame
    row = with_unanswered(frame, asked, nothing).iloc[0].to_dict()
    if tokens := row["prompt_tokens"] + row["completion_tokens"]:
        told(f"Asked a language model, {tokens:,} tokens")
    if row["quotes"]:
        held = sum(state != "not found" for _, _, state in row["quotes"])
        told(f"Checked the wording of {held} of {_counted(len(row['quotes']), 'quotation')}")
    return Answer.of_row(row, query=asked["query"].iloc[0], sources=results.sort_values("rank", kind="stable"))
