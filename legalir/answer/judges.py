"""Judges: answers in, the same answers with verdicts out.

A judge reads a question, its reference answer and an answer, and says how good the answer is. Its verdicts are columns
of numbers, NaN if there is no verdict. Next to them are ``<judge>_state``, which describes the state of the judge's own
reply, and ``<judge>_reason``.
"""

from __future__ import annotations

import json
import logging
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import numpy as np
import pandas as pd
import pyterrier as pt
from annotated_types import Ge
from pydantic import BaseModel, BeforeValidator, Field, model_validator

from legalir.answer.choices import YES_NO_WORDS
from legalir.answer.contexts import context, texts_of
from legalir.answer.generator import Generator, without_citations
from legalir.answer.ragas import win
from legalir.answer.statements import Statement, statements_of
from legalir.collections import Collection
from legalir.declared import check_choice
from legalir.errors import ComponentError
from legalir.frames.columns import require_texts, whole_characters
from legalir.frames.component import Component
from legalir.llm.asking import AsksModel
from legalir.llm.chat import REPLY_STATE, ChatModel
from legalir.llm.client import CheckedReply, Client
from legalir.rewrite.rewriter import asking_factory, original_questions
from legalir.storage.digest import digest

NOT_JUDGED = "not judged"
"""State for questions without an answer to judge: an abstention, or a failed reply."""

NO_REFERENCE = "no reference"
"""State of an answer to a question without a reference answer, which the judge needs."""

_log = logging.getLogger("legalir")
_told: set[str] = set()
"""Models that were reported as judges of their own answers."""


@dataclass(frozen=True)
class Judged:
    """An answer as a judge reads it.

    Attributes:
        qid: id of the question.
        question: the original question.
        text: the answer in one line, without its citations; empty if it abstains or its reply failed.
        reference: the reference answer on one line; empty if there is none.
        context_docnos: the provisions that the answer was made from, best first.
        silence: why `text` is empty.
        failed: whether the reply of its model failed. Such an answer is not judged.
        out_of_scope: whether the collection does not answer the question, so that saying nothing is right.
        statements: the statements of the answer, each with the provisions that it cites.
    """

    qid: str
    question: str
    text: str
    reference: str = ""
    context_docnos: tuple[str, ...] = ()
    silence: str = ""
    failed: bool = False
    out_of_scope: bool = False
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """Verdict of a judge on an answer.

    Attributes:
        values: a number for each column of the judge; a column that is missing is NaN.
        state: ``ok``; the state of a failed reply of the judge; :data:`NOT_JUDGED` or :data:`NO_REFERENCE`.
        reason: why, in the judge's words.
    """

    values: Mapping[str, float]
    state: str = "ok"
    reason: str = ""


class Judge(Component):
    """Component that adds verdicts to answers.

    Columns in: ``qid, query, qanswer``, and ``answer``, the reference answer of the question, if the judge needs one.
    The other columns of a generator are used if present. Columns out: the same, the columns of :attr:`columns`
    (float64), ``<name>_state`` and ``<name>_reason``.

    A judge does not read an abstention or an empty answer: these have the values of :attr:`of_silence` [nitibench],
    and of :attr:`of_refusal` where the column ``out_of_scope`` is True: the collection does not answer the question. An
    answer whose reply failed has no verdict, as in the measures: the values are NaN.

    A subclass implements :meth:`verdict`, for one answer, or :meth:`verdicts`, for all; this class handles the frames.
    """

    name = "judge"
    """Name in expressions; messages begin with it, and two columns."""

    columns: ClassVar[Sequence[str]] = ()
    """Columns of verdicts."""

    of_silence: ClassVar[Mapping[str, float]] = {}
    """Verdicts on an empty answer; missing columns are NaN."""

    of_refusal: ClassVar[Mapping[str, float]] = {}
    """The same where the question is out of scope."""

    needs_reference = True
    """Whether the judge compares with the reference answer."""

    def verdict(self, answer: Judged) -> Verdict:
        """Return the verdict on one answer."""
        raise NotImplementedError

    def verdicts(self, answers: Sequence[Judged]) -> list[Verdict]:
        """Return the verdict on each answer."""
        return [self.verdict(answer) for answer in answers]

    def unread(self, answer: Judged) -> Verdict | None:
        """Return the verdict on an answer that the judge does not read, or None if it reads the answer."""
        if self.needs_reference and not answer.reference:
            return Verdict({}, NO_REFERENCE, "the question has no reference answer")
        if not answer.text:
            values = self.of_refusal if answer.out_of_scope else self.of_silence
            return Verdict({} if answer.failed else values, NOT_JUDGED, answer.silence)
        return None

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the answers with verdicts.

        Raises:
            ComponentError: a query or an answer is not a string.
            ModelError: no request to a language model can succeed; see :meth:`legalir.llm.client.Client.ask`.
        """
        self._validate(inp)
        out = inp.reset_index(drop=True)
        answers = list(self._judged(out))
        verdicts = [self.unread(answer) for answer in answers]
        read = [row for row, verdict in enumerate(verdicts) if verdict is None]
        given = self.verdicts([answers[row] for row in read]) if read else []
        for row, verdict in zip(read, given, strict=True):
            verdicts[row] = verdict
        return self._with_verdicts(out, [verdict for verdict in verdicts if verdict is not None])

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no answers, with all columns."""
        self._validate(inp)
        return self._with_verdicts(inp.iloc[:0].reset_index(drop=True), [])

    def _validate(self, inp: pd.DataFrame) -> None:
        reference = ["answer"] if self.needs_reference else []
        pt.validate.columns(inp, includes=["qid", "query", "qanswer", *reference])

    def _with_verdicts(self, answers: pd.DataFrame, verdicts: Sequence[Verdict]) -> pd.DataFrame:
        values = {
            column: pd.Series([one.values.get(column, math.nan) for one in verdicts], dtype=np.float64)
            for column in self.columns
        }
        states = pd.Series([one.state for one in verdicts], dtype=str)
        reasons = pd.Series([" ".join(one.reason.split()) for one in verdicts], dtype=str)
        return answers.assign(**values, **{f"{self.name}_state": states, f"{self.name}_reason": reasons})

    def _judged(self, frame: pd.DataFrame) -> Iterator[Judged]:
        require_texts(frame, self.name)
        for question, row in zip(original_questions(frame), frame.to_dict("records"), strict=True):
            if not isinstance(row["qanswer"], str):
                raise ComponentError(
                    f"{self.name}: the answer to {row['qid']!r} must be a string, got {row['qanswer']!r}."
                )
            text, silence = answer_text(row)
            reference = row.get("answer")
            yield Judged(
                str(row["qid"]),
                question,
                text,
                _in_one_line(reference) if isinstance(reference, str) else "",
                tuple(row.get("context_docnos", ())),
                silence,
                row.get(REPLY_STATE, "ok") != "ok",
                row.get("out_of_scope") is True,
                tuple(statements_of(row["qanswer"], row.get("citations", ())) if text else ()),
            )


def answer_text(row: Mapping[Any, Any]) -> tuple[str, str]:
    """Return the text of an answer as judges read it, or an empty text and the reason.

    Args:
        row: ``qanswer``, and the other columns of a generator, if present.
    """
    if (state := row.get(REPLY_STATE, "ok")) != "ok":
        return "", f"the reply failed: {state}"
    if row.get("abstained", False):
        return "", f"it abstains: {row.get('reason') or 'no reason given'}"
    text = _in_one_line(without_citations(row["qanswer"], row.get("citations", ())))
    return text, "" if text else "the answer is empty"


def _in_one_line(text: str) -> str:
    """Return a text in NFC, with whole characters, in one line, so that it cannot look like several."""
    return " ".join(unicodedata.normalize("NFC", whole_characters(text)).split())


class ModelJudge(AsksModel, Judge):
    """Judge that asks a chat model, at temperature 0.

    The text of an answer is data to the model; the reply is JSON that is checked, or a plain form of published prompts
    (``1``, ``A``, a score and a reason on two lines, ``no-coverage``), so that these run by ``prompt=``. An unusable
    reply is not a verdict: its values are NaN, and ``<name>_state`` gives the reason.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: no model is named, or it is not allowed.
    """

    reply: ClassVar[type[BaseModel]]
    """Schema of the reply."""

    _: KW_ONLY
    max_tokens: Annotated[int, Ge(16), "tokens of the reply"] = 1024

    @property
    def fingerprint(self) -> str:
        """Digest of the model and the prompt."""
        return digest([self.client.model(self.llm).name, self.prompt.fingerprint])

    def values(self, answer: Judged) -> dict[str, object]:
        """Return the values of the prompt's slots."""
        return {"question": answer.question, "reference": answer.reference, "answer": answer.text}

    def read(self, reply: Any) -> Verdict:
        """Return the verdict in a reply, which is an object of type :attr:`reply`."""
        raise NotImplementedError

    def verdicts(self, answers: Sequence[Judged]) -> list[Verdict]:
        """Return the verdict on each answer, in one request each."""
        replies = self._ask([self.values(answer) for answer in answers])
        return [self.read(reply.value) if reply.state == "ok" else failed(reply) for reply in replies]

    def _ask(self, values: Sequence[Mapping[str, object]]) -> list[CheckedReply]:
        return self.client.ask(self.prompt, values, llm=self.llm, kind=self.reply, max_tokens=self.max_tokens)


def _provisions_of(answer: Judged, collection: Collection, component: str) -> str:
    """Return the provisions that an answer was made from, a line each.

    Raises:
        ComponentError: a provision is not in the collection.
    """
    docnos = answer.context_docnos
    return context(dict.fromkeys(docnos, ""), texts_of(docnos, collection, component)).text


def failed(reply: CheckedReply) -> Verdict:
    """Return the verdict of a reply that cannot be used: none."""
    return Verdict({}, reply.state, reply.reason)


def labels_of(**words: str) -> Mapping[str, str]:
    """Return the label of each word that means it."""
    return {word: label for label, these in words.items() for word in (label, *these.split("|"))}


_YES, _NO = ("|".join(word.casefold() for pair in YES_NO_WORDS.values() for word in pair[side]) for side in (0, 1))
_CONTRADICTION = labels_of(
    yes=f"{_YES}|true|1|contradiction|contradicts|contradictory|contradicted",
    no=f"{_NO}|false|0|none|no contradiction|non contradiction|not contradictory|non contradictory|does not contradict",
)
_COVERAGE = labels_of(
    none="no|no coverage|not covered|uncovered|zero coverage",
    partial="partially|partly|partial coverage|partially covered|partly covered",
    full="full coverage|fully|fully covered|complete|completely|complete coverage|completely covered",
)
_CORRECT = labels_of(
    true=f"{_YES}|1|correct|right|맞음|정답|正确|正しい",
    false=f"{_NO}|0|incorrect|not correct|wrong|틀림|오답|错误|誤り",
)
_BETTER = labels_of(a="answer a|답변 a|回答a|first", b="answer b|답변 b|回答b|second")
_SCORE = {str(score): str(score) for score in range(1, 6)}
_HEAD = re.compile(r"\W*([^\W\d][^:=\n]{0,24}?)\W*[:=]\s*(.+)", re.DOTALL)


def label_of(value: object, labels: Mapping[str, str]) -> str | None:
    """Return the label that a value is, ignoring case, signs and ``x/5``; None for another one."""
    if isinstance(value, bool | int | float):
        value = {True: "yes", False: "no"}[value] if isinstance(value, bool) else f"{value:g}"
    if not isinstance(value, str):
        return None
    words = re.sub(r"(\d) ?/ ?5$", r"\1", unicodedata.normalize("NFKC", value).casefold().strip(" \t*_`#\"'[](){}.!:"))
    words = re.sub(r"[\s_-]+", " ", words.removesuffix(".0"))
    return labels.get(words)


class PlainVerdict(BaseModel):
    """Reply of a judge: the JSON that the prompt asks for, or the plain forms of published prompts.

    A plain reply is a label alone, ``1``, ``A``, ``no-coverage``, or a label on the first or last line beside a reason,
    or a line ``name: label`` for each field. Labels of both sides are read in the same forms.
    """

    labels: ClassVar[Mapping[str, Mapping[str, str]]]
    """Accepted words of each verdict, by field."""

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        if isinstance(value, str):
            value = cls._of_text(value)
        elif not isinstance(value, Mapping):
            value = dict.fromkeys(list(cls.labels)[:1], value) if len(cls.labels) == 1 else value
        if not isinstance(value, Mapping):
            return value
        fields = {str(name).strip().casefold().replace(" ", "_"): one for name, one in value.items()}
        read = {name: label_of(fields.get(name), labels) for name, labels in cls.labels.items()}
        return {**fields, **{name: label for name, label in read.items() if label is not None}}

    @classmethod
    def _of_text(cls, text: str) -> object:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        heads = [match.groups() for line in lines if (match := _HEAD.fullmatch(line))]
        named = {name.strip().casefold(): value for name, value in heads}
        if all(name in named for name in cls.labels):
            return named
        if len(cls.labels) > 1 or not lines:
            return text
        [(field, labels)] = cls.labels.items()
        found: dict[str, int] = {}
        for place in (0, len(lines) - 1):
            head = _HEAD.fullmatch(lines[place])
            for part in (
                lines[place],
                *(head.groups()[1:] if head else ()),
                re.split(r"(?<!\d)[.)](?:\s|$)|[:,;–—-](?:\s|$)", lines[place])[0],
            ):
                if (label := label_of(part, labels)) is not None:
                    found.setdefault(label, place)
        if len(found) != 1:
            return text
        [(label, place)] = found.items()
        return {field: label, "reason": " ".join(line for number, line in enumerate(lines) if number != place)}


class _CoverageReply(PlainVerdict):
    labels = {"coverage": _COVERAGE, "contradiction": _CONTRADICTION}

    answer_points: list[str] = []
    reference_points: list[str] = []
    coverage_reason: str = ""
    coverage: Literal["none", "partial", "full"]
    contradiction_reason: str = ""
    contradiction: Literal["no", "yes"]


COVERAGE = {"none": 0.0, "partial": 0.5, "full": 1.0}
"""Value of each label of coverage [nitibench]."""

AGAINST = ("reference", "self", "law")
"""Texts that an answer can contradict: the reference answer, itself, or the provisions that it was made from."""


class CoverageJudge(ModelJudge):
    """Judge of how much of the reference answer an answer covers, and of whether it contradicts it [nitibench].

    The model splits both answers into points and compares them. Wrong or missing numbers of provisions count in
    neither verdict: measures of citations see them.

    Columns out: ``coverage``, 0 for no point of the reference, .5 for some, 1 for all; ``contradiction``, 1 if there
    is one; ``judge_coverage_state``, ``judge_coverage_reason``. An empty answer has coverage 0 and
    contradiction 0.

    The paper's prompt gives four examples and has temperature .3; its code reads a failed judge as *no coverage* and
    *no contradiction*. Here a failed judge is no verdict.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: no model is named, or it is not allowed.
    """

    name = "judge_coverage"
    columns = ("coverage", "contradiction")
    of_silence: ClassVar[Mapping[str, float]] = {"coverage": 0.0, "contradiction": 0.0}
    of_refusal: ClassVar[Mapping[str, float]] = {"coverage": 1.0, "contradiction": 0.0}
    reply = _CoverageReply

    collection: Annotated[Collection, "source of the provisions; used with ``law`` only"]
    against: Annotated[
        Sequence[str],
        "what counts as a contradiction, of :data:`AGAINST`: with the reference answer, with another point of "
        "the same answer, with the provisions that the answer was made from, which the model then reads",
    ] = ("reference", "self")
    _: KW_ONLY
    max_tokens: Annotated[int, Ge(16), "tokens of the reply"] = 2048

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.against, str) or not self.against:
            raise ComponentError(
                f"judge_coverage: against={self.against!r} is not a list of {', '.join(AGAINST)}: write ['reference']."
            )
        for one in self.against:
            check_choice("judge_coverage", "against", one, AGAINST)
        self.against = tuple(one for one in AGAINST if one in self.against)

    def values(self, answer: Judged) -> dict[str, object]:
        """Return the values of the prompt's slots.

        Raises:
            ComponentError: a provision is not in the collection.
        """
        provisions = _provisions_of(answer, self.collection, self.name) if "law" in self.against else ""
        return {**super().values(answer), "against": ", ".join(self.against), "provisions": provisions}

    def read(self, reply: _CoverageReply) -> Verdict:
        """Return coverage and contradiction."""
        values = {"coverage": COVERAGE[reply.coverage], "contradiction": float(reply.contradiction == "yes")}
        return Verdict(values, reason=f"{reply.coverage_reason} {reply.contradiction_reason}")


class _CorrectReply(PlainVerdict):
    labels = {"correct": _CORRECT}

    reason: str = ""
    correct: bool


class CorrectJudge(ModelJudge):
    """Judge of whether an answer is correct and complete enough, measured by the reference answer [searchfiresafety].

    Columns out: ``judged_correct``, 1 or 0; ``judge_correct_state``, ``judge_correct_reason``. An answer that says
    nothing has 0.

    The paper asks for one token without a reason, and counts an error of the endpoint as 0. Its judge is stricter than
    people, as it rejects detail that a short reference answer lacks; our prompt says that such detail is no fault.

    Same arguments as :class:`ModelJudge`.
    """

    name = "judge_correct"
    columns = ("judged_correct",)
    of_silence: ClassVar[Mapping[str, float]] = {"judged_correct": 0.0}
    of_refusal: ClassVar[Mapping[str, float]] = {"judged_correct": 1.0}
    reply = _CorrectReply

    def read(self, reply: _CorrectReply) -> Verdict:
        """Return True if the answer is correct."""
        return Verdict({"judged_correct": float(reply.correct)}, reason=reply.reason)


class _CorrectnessReply(PlainVerdict):
    labels = {"score": _SCORE}

    score: Annotated[int, Field(ge=1, le=5)]
    reason: str = ""


class CorrectnessJudge(ModelJudge):
    """Judge of how correct an answer is, from 1 to 5, measured by the reference answer [hypa-rag].

    The prompt has the content of the paper's second prompt: what each score means, an example of each, a checklist,
    and what to do with off-topic text, incomplete answers and further content.

    Columns out: ``correctness``, 1 to 5; ``judge_correctness_state``, ``judge_correctness_reason``. An empty
    answer has 1.

    Same arguments as :class:`ModelJudge`.
    """

    name = "judge_correctness"
    columns = ("correctness",)
    of_silence: ClassVar[Mapping[str, float]] = {"correctness": 1.0}
    of_refusal: ClassVar[Mapping[str, float]] = {"correctness": 5.0}
    reply = _CorrectnessReply

    def read(self, reply: _CorrectnessReply) -> Verdict:
        """Return the score."""
        return Verdict({"correctness": float(reply.score)}, reason=reply.reason)


class _WinReply(PlainVerdict):
    labels = {"better": _BETTER}

    reason: str = ""
    better: Annotated[Literal["A", "B"], BeforeValidator(lambda one: one.upper() if isinstance(one, str) else one)]


class WinJudge(ModelJudge):
    """Judge of whether an answer is better than another one to the same question [searchfiresafety].

    The other answer is the reference answer, or the answer of another run. Its place, first or second, is drawn at
    random, by the id of the question and `seed`, so that a judge that prefers a place wins half of the time.

    Columns out: ``win``, 1 for a win, 0 for a loss, .5 for a tie; ``judge_win_state``, ``judge_win_reason``. An answer
    that is empty loses, ties with another empty answer, and wins if only the other answer is empty; if the reply of
    either failed, there is no verdict.

    With `documents`, the judge also reads the provisions that the answer was made from, as the paper says; its
    released rows have none.

    Raises:
        ComponentError: a parameter is out of range, or the file cannot be read.
        ModelError: no model is named, or it is not allowed.
    """

    name = "judge_win"
    columns = ("win",)
    of_silence: ClassVar[Mapping[str, float]] = {"win": 0.0}
    reply = _WinReply

    collection: Annotated[Collection, "source of the provisions; used with `documents` only"]
    against: Annotated[
        str | None,
        "file of the answers of another run (``runs/NAME.jsonl`` of an experiment); None for the reference",
    ] = None
    both_orders: Annotated[bool, "ask in both orders, and count different verdicts as a tie"] = False
    seed: Annotated[int, Ge(0), "seed of the places"] = 0
    documents: Annotated[bool, "whether the judge reads the provisions that the answer was made from"] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.needs_reference = self.against is None
        if self.documents and "provisions" not in self.prompt.slots():
            raise ComponentError(
                "judge_win: documents=True needs a prompt with the slot {provisions}: add it, or leave out documents."
            )
        self._others = {} if self.against is None else _read_answers(Path(self.against))

    @property
    def fingerprint(self) -> str:
        """Digest of the model, the prompt and the other answers."""
        return digest([super().fingerprint, self._others])

    def unread(self, answer: Judged) -> Verdict | None:
        """Return the verdict if one or both of the answers are empty."""
        if self.against is None:
            return super().unread(answer)
        if answer.qid not in self._others:
            return Verdict({}, NO_REFERENCE, f"{self.against} has no answer to the question")
        other = self._others[answer.qid]
        if answer.text and other:
            return None
        if answer.failed or other is None:
            return Verdict({}, NOT_JUDGED, answer.silence or "the reply of the other answer failed")
        value = 0.5 if not answer.text and not other else float(bool(answer.text))
        return Verdict({"win": value}, NOT_JUDGED, answer.silence or "the other answer says nothing")

    def verdicts(self, answers: Sequence[Judged]) -> list[Verdict]:
        """Return the verdict on each answer, in one request each, or in two."""
        first = [int(digest([self.seed, answer.qid]), 16) % 2 == 0 for answer in answers]
        asked = list(zip(answers, first, strict=True))
        replies = self._ask([self._pair(*one) for one in asked])
        others: list[CheckedReply | None] = [None] * len(asked)
        if self.both_orders:
            others = list(self._ask([self._pair(answer, not is_first) for answer, is_first in asked]))
        return [
            self._verdict(reply, other, is_first) for reply, other, is_first in zip(replies, others, first, strict=True)
        ]

    def _pair(self, answer: Judged, first: bool) -> dict[str, object]:
        other = answer.reference if self.against is None else self._others[answer.qid] or ""
        a, b = (answer.text, other) if first else (other, answer.text)
        provisions = _provisions_of(answer, self.collection, self.name) if self.documents else ""
        return {"question": answer.question, "provisions": provisions or "-", "answer_a": a, "answer_b": b}

    def _verdict(self, reply: CheckedReply, other: CheckedReply | None, first: bool) -> Verdict:
        for one in (reply, other):
            if one is not None and one.state != "ok":
                return failed(one)
        chosen = (reply.value.better == "A") == first
        exchanged = None if other is None else (other.value.better == "B") == first
        reasons = [f"as {'A' if first else 'B'}: {reply.value.reason}"]
        if other is not None:
            reasons.append(f"as {'B' if first else 'A'}: {other.value.reason}")
        value = win(chosen, exchanged, both_orders=self.both_orders)
        return Verdict({"win": value}, reason="; ".join(reasons))


Row = TypeVar("Row")


def read_rows(path: Path, parameter: str, wanted: str, read: Callable[[Any], Row]) -> dict[str, Row]:
    """Return what each line of a file of JSON lines gives, by its qid.

    Args:
        path: the file.
        parameter: what names it, for errors: ``judge_win: against``.
        wanted: what a line must be, for errors.
        read: returns what a line gives; it fails for a line that is not as it must be.

    Raises:
        ComponentError: the file cannot be read, a line is not as it must be, or two lines have the same qid.
    """
    rows: dict[str, Row] = {}
    try:
        lines = path.expanduser().read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ComponentError(f"{parameter}={str(path)!r} cannot be read ({error}).") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            qid, one = str(row["qid"]), read(row)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ComponentError(f"{parameter}: {path}, line {number}: {wanted}.") from error
        if qid in rows:
            raise ComponentError(f"{parameter}: {path}, line {number}: the qid {qid!r} is there twice; keep one line.")
        rows[qid] = one
    return rows


def _read_answers(path: Path) -> dict[str, str | None]:
    """Return the text of each answer of a run by qid, as judges read it; None if its reply failed.

    Raises:
        ComponentError: as :func:`read_rows`.
    """
    return read_rows(
        path,
        "judge_win: against",
        "not an answer: it needs qid and qanswer, as in runs/NAME.jsonl of an experiment",
        lambda row: answer_text(row)[0] if row.get(REPLY_STATE, "ok") == "ok" else None,
    )


def warn_of_own_answers(name: str) -> Callable[..., Client]:
    """Return the function to the client of the judge `name`.

    It warns, once for each model, if the judge is the model that wrote the answers of the pipeline to its left. No
    warning is given if the writer is unknown: it is not a step of the pipeline, or not a language model.
    """

    def checked(
        collection: Collection, left: pt.Transformer | None = None, llm: str | ChatModel | None = None
    ) -> Client:
        own = collection.client.model(llm).name
        for step in left if isinstance(left, pt.Compose) else (left,):
            client = getattr(step, "client", None)
            if not isinstance(step, Generator) or not isinstance(client, Client):
                continue
            if client.model(getattr(step, "llm", None)).name == own and own not in _told:
                _told.add(own)
                _log.warning("%s: %s judges its own answers; name another model by llm=….", name, own)
        return collection.client

    return checked


judge_coverage = asking_factory(
    CoverageJudge,
    "Judge how much of the reference answer is covered: ``default % 5 >> quote >> judge_coverage``.",
    client=warn_of_own_answers("judge_coverage"),
)
judge_correct = asking_factory(
    CorrectJudge,
    "Judge whether an answer is correct: ``default % 5 >> quote >> judge_correct``.",
    client=warn_of_own_answers("judge_correct"),
)
judge_correctness = asking_factory(
    CorrectnessJudge,
    "Judge how correct an answer is, from 1 to 5: ``default % 5 >> quote >> judge_correctness``.",
    client=warn_of_own_answers("judge_correctness"),
)
judge_win = asking_factory(
    WinJudge,
    "Judge whether an answer is better than the reference: ``default % 5 >> quote >> judge_win(both_orders=True)``.",
    client=warn_of_own_answers("judge_win"),
)
