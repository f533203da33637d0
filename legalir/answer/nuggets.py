"""Nuggets: the facts that a good answer to a question has, fixed once, and a judge that looks for them in answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator

from legalir.answer.judges import (
    NO_REFERENCE,
    Judged,
    ModelJudge,
    Verdict,
    failed,
    label_of,
    labels_of,
    read_rows,
    warn_of_own_answers,
)
from legalir.collections import Collection
from legalir.llm.client import CheckedReply
from legalir.rewrite.rewriter import asking_factory
from legalir.storage.digest import digest

FILE = "nuggets.jsonl"
"""File of nuggets beside the questions of a collection."""

ASSIGNED = {"support": 1.0, "partial": 0.5, "not": 0.0}
"""Value of each label [trec-rag]."""

_LABELS = labels_of(
    **{
        "support": "full|full support|supported|fully supported|yes|1",
        "partial": "partial support|partially supported|partly",
        "not": "none|no|no support|not support|not supported|0",
    }
)


class Nugget(NamedTuple):
    """A fact that a good answer has, in one line; `vital` if an answer must have it."""

    text: str
    vital: bool


def read_nuggets(path: Path) -> dict[str, tuple[Nugget, ...]]:
    """Return the nuggets of each question by qid.

    A line of the file is a question, ``{"qid": …, "nuggets": [{"text": …, "importance": "vital" or "okay"}, …]}``, the
    form of TREC RAG's nuggetizer; further fields are ignored.

    Raises:
        ComponentError: as :func:`~legalir.answer.judges.read_rows`.
    """
    return read_rows(
        path,
        "judge_nuggets: nuggets",
        "it must be one question, with qid and nuggets, each with text and importance, 'vital' or 'okay'",
        _nuggets,
    )


def _nuggets(row: Any) -> tuple[Nugget, ...]:
    vital = {"vital": True, "okay": False}
    own = tuple(Nugget(" ".join(one["text"].split()), vital[one["importance"]]) for one in row["nuggets"])
    if not own or not all(one.text for one in own):
        raise ValueError
    return own


class _Reply(BaseModel):
    facts: list[
        Annotated[Literal["support", "partial", "not"], BeforeValidator(lambda one: label_of(one, _LABELS) or one)]
    ]


class NuggetJudge(ModelJudge):
    """Judge of which nuggets of its question an answer has [trec-rag].

    The nuggets of a question are fixed once, by people or by a model, and the same for every system; so two systems are
    measured by the same split of the reference, which :class:`~legalir.answer.judges.CoverageJudge` makes anew each
    time. One request for an answer.

    Columns out, each from 0 to 1, where a nugget in part counts .5: ``nugget_recall``, the mean over all nuggets of the
    question; ``vital_recall``, over the vital ones, NaN without any; ``judge_nuggets_state``, and
    ``judge_nuggets_reason``, which lists the nuggets that are missing or there in part. An answer that says nothing has
    0. A question without nuggets has the state ``no reference``.

    Raises:
        ComponentError: there is no file of nuggets, or it cannot be read.
        ModelError: no model is named, or it is not allowed.
    """

    name = "judge_nuggets"
    columns = ("nugget_recall", "vital_recall")
    of_silence: ClassVar[Mapping[str, float]] = {"nugget_recall": 0.0, "vital_recall": 0.0}
    needs_reference = False
    reply = _Reply

    collection: Annotated[Collection, "has the questions"]
    nuggets: Annotated[
        str | None,
        "file of nuggets (:func:`~legalir.answer.nuggets.read_nuggets`); None for ``nuggets.jsonl`` beside the "
        "questions",
    ] = None
    strict: Annotated[bool, "whether a nugget that is there in part counts 0"] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        path = self.collection.source.folder.root / FILE if self.nuggets is None else Path(self.nuggets)
        self._nuggets = read_nuggets(path)

    @property
    def fingerprint(self) -> str:
        """Digest of the model, the prompt and the nuggets."""
        return digest([super().fingerprint, sorted(self._nuggets.items())])

    def unread(self, answer: Judged) -> Verdict | None:
        """Return the verdict on an empty answer, or on an answer to a question without nuggets."""
        if answer.qid not in self._nuggets:
            return Verdict({}, NO_REFERENCE, "the question has no nuggets")
        verdict = super().unread(answer)
        if verdict is None or any(one.vital for one in self._nuggets[answer.qid]):
            return verdict
        return Verdict({k: v for k, v in verdict.values.items() if k != "vital_recall"}, verdict.state, verdict.reason)

    def values(self, answer: Judged) -> dict[str, object]:
        """Return the values of the prompt's slots."""
        facts = "\n".join(f"{number}. {one.text}" for number, one in enumerate(self._nuggets[answer.qid], start=1))
        return {"question": answer.question, "facts": facts, "answer": answer.text}

    def verdicts(self, answers: Sequence[Judged]) -> list[Verdict]:
        """Return the verdict on each answer, in one request each."""
        replies = self._ask([self.values(answer) for answer in answers])
        return [self._verdict(self._nuggets[one.qid], reply) for one, reply in zip(answers, replies, strict=True)]

    def _verdict(self, nuggets: Sequence[Nugget], reply: CheckedReply) -> Verdict:
        if reply.state != "ok":
            return failed(reply)
        labels = reply.value.facts
        if len(labels) != len(nuggets):
            return Verdict({}, "invalid", f"{len(labels)} labels for {len(nuggets)} nuggets")
        values = [float(ASSIGNED[label] == 1) if self.strict else ASSIGNED[label] for label in labels]
        vital = [value for one, value in zip(nuggets, values, strict=True) if one.vital]
        lacks = [f"{label}: {one.text}" for one, label in zip(nuggets, labels, strict=True) if label != "support"]
        recall = {"nugget_recall": sum(values) / len(values)}
        return Verdict(recall | ({"vital_recall": sum(vital) / len(vital)} if vital else {}), reason=" | ".join(lacks))


judge_nuggets = asking_factory(
    NuggetJudge,
    "Judge which nuggets an answer has: ``default % 5 >> quote >> judge_nuggets``.",
    client=warn_of_own_answers("judge_nuggets"),
)
