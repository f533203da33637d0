"""Judge that splits answer and reference into claims: which does the context support, and which do both share?

A chat model gives verdicts on single claims; the figures follow from them by the arithmetic of
:mod:`legalir.answer.ragas`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Le
from pydantic import BaseModel, Field, create_model

from legalir.answer.contexts import context, texts_of
from legalir.answer.judges import NOT_JUDGED, Judge, Judged, Verdict, warn_of_own_answers
from legalir.answer.ragas import (
    answer_correctness,
    answer_relevancy,
    context_precision,
    context_recall,
    faithfulness,
)
from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.dense.contract import AnyEncoder, Encoder, TrainableEncoder
from legalir.dense.encoders import get_encoder
from legalir.dense.index import DenseIndex
from legalir.errors import ComponentError
from legalir.llm.chat import ChatModel
from legalir.llm.client import CheckedReply, Client
from legalir.llm.prompts import Prompt
from legalir.rewrite.rewriter import prompt_of
from legalir.storage.digest import digest

PROMPTS = ("judge_claims", "judge_context", "judge_questions", "judge_comparison")
"""The prompts of this judge."""


class _Claim(BaseModel):
    claim: str
    supported: bool


class _Claims(BaseModel):
    claims: list[_Claim]


class _Context(BaseModel):
    useful: list[int]


class _Comparison(BaseModel):
    answer_claims: list[_Claim]
    reference_claims: list[_Claim]


@cache
def _questions(n: int) -> type[BaseModel]:
    questions: Any = (list[str], Field(min_length=n, max_length=n))
    return create_model("_Questions", questions=questions, noncommittal=(bool, ...))


class _Part(NamedTuple):
    """Verdict of one request on an answer: values by column, and remarks."""

    values: Mapping[str, float]
    remarks: Sequence[str] = ()


class RagasJudge(Judge):
    """Judge of faithfulness, relevancy, context and correctness by single claims [ragas].

    Columns out, each from 0 to 1, and NaN where it is undefined:

    - ``faithfulness``: share of the claims of the answer that the provisions of its context support.
    - ``answer_relevancy``: mean cosine between the question and `n` questions that the model writes from the answer
      alone; a negative cosine counts 0. NaN for an answer that commits itself to nothing: ``noncommittal`` is 1.
    - ``context_precision``: precision of the context at the ranks of the provisions that the reference answer rests on.
    - ``context_recall``: share of the claims of the reference answer that the context supports.
    - ``answer_correctness``: .75 · F1 of the claims + .25 · cosine of answer and reference [rar-agent].
    - ``answer_similarity``: that cosine.
    - ``judge_ragas_state``, ``judge_ragas_reason``: the state of the first failed reply, and the claims that are not
      supported. A failed reply makes its own values NaN, and no others.

    The values of the context need only a reference answer, so abstentions have them, too; all other values are
    undefined for an empty answer. Without the column ``answer`` the values that need a reference are NaN.

    The reference library of [ragas] splits a text in one request and judges its claims in another, and asks about each
    provision alone: there are five requests to an answer here. There an answer without commitment has relevancy 0.

    Raises:
        ComponentError: a parameter is out of range, or there is no such encoder.
        ModelError: no model is named, or it is not allowed.
    """

    name = "judge_ragas"
    columns = (
        "faithfulness",
        "answer_relevancy",
        "context_precision",
        "context_recall",
        "answer_correctness",
        "answer_similarity",
        "noncommittal",
    )
    needs_reference = False

    client: Annotated[Client, "asks the model"]
    prompts: Annotated[Mapping[str, Prompt], "the prompts, by the names of :data:`PROMPTS`"]
    collection: Annotated[Collection, "source of the provisions; it has the index of an encoder that learns from it"]
    llm: Annotated[str | ChatModel | None, "a model, or its name or call; None for the client's model"] = None
    encoder: Annotated[str | AnyEncoder, "the encoder of the cosines, or its name or call"] = "lsa"
    n: Annotated[int, Ge(1), Le(20), "number of questions that are written from an answer"] = 3
    max_tokens: Annotated[int, Ge(16), "tokens of the reply"] = 2048

    def __post_init__(self) -> None:
        get_encoder(self.encoder, self.collection)
        self.prompts = dict(self.prompts)
        self.client.model(self.llm)  # Report a missing or forbidden model at once.

    @property
    def fingerprint(self) -> str:
        """Digest of the model, the prompts and the encoder."""
        prompts = [self.prompts[name].fingerprint for name in PROMPTS]
        encoder = get_encoder(self.encoder, self.collection).fingerprint
        return digest([self.client.model(self.llm).name, *prompts, encoder])

    def unread(self, answer: Judged) -> Verdict | None:
        """Return the verdict on an empty answer whose context cannot be judged."""
        if answer.text or (answer.reference and answer.context_docnos):
            return None
        return Verdict({}, NOT_JUDGED, answer.silence)

    def verdicts(self, answers: Sequence[Judged]) -> list[Verdict]:
        """Return the verdict on each answer, in up to five requests each.

        Raises:
            ComponentError: a provision is not in the collection, or the index has no encoder.
        """
        encoder = self._query_encoder()
        provisions = [self._provisions(answer) for answer in answers]
        texts = [answer.text for answer in answers]
        references = [answer.reference for answer in answers]
        parts: list[list[_Part | CheckedReply]] = [[] for _ in answers]

        def ask(
            prompt: str,
            kind: type[BaseModel],
            rows: Sequence[int],
            values: Callable[[int], dict[str, object]],
            read: Callable[[int, Any], _Part | CheckedReply],
        ) -> None:
            asked = [{"question": answers[row].question, **values(row)} for row in rows]
            replies = self.client.ask(self.prompts[prompt], asked, llm=self.llm, kind=kind, max_tokens=self.max_tokens)
            for row, reply in zip(rows, replies, strict=True):
                parts[row].append(read(row, reply.value) if reply.state == "ok" else reply)

        def rows_with(*needed: Sequence[object]) -> list[int]:
            return [row for row in range(len(answers)) if all(values[row] for values in needed)]

        ask(
            "judge_claims",
            _Claims,
            rows_with(texts, provisions),
            lambda row: {"text": texts[row], "provisions": provisions[row]},
            lambda row, reply: _of_answer(reply),
        )
        ask(
            "judge_claims",
            _Claims,
            rows_with(references, provisions),
            lambda row: {"text": references[row], "provisions": provisions[row]},
            lambda row, reply: _of_reference(reply),
        )
        ask(
            "judge_context",
            _Context,
            rows_with(references, provisions),
            lambda row: {
                "reference": references[row],
                "provisions": provisions[row],
                "n": len(answers[row].context_docnos),
            },
            lambda row, reply: _of_context(reply, len(answers[row].context_docnos)),
        )
        ask(
            "judge_questions",
            _questions(self.n),
            rows_with(texts),
            lambda row: {"answer": texts[row], "n": self.n},
            lambda row, reply: _of_questions(answers[row].question, reply, encoder),
        )
        ask(
            "judge_comparison",
            _Comparison,
            rows_with(texts, references),
            lambda row: {"reference": references[row], "answer": texts[row]},
            lambda row, reply: _of_comparison(texts[row], references[row], reply, encoder),
        )
        return [_verdict(answer, of_answer) for answer, of_answer in zip(answers, parts, strict=True)]

    def _provisions(self, answer: Judged) -> str:
        docnos = answer.context_docnos
        return context(dict.fromkeys(docnos, ""), texts_of(docnos, self.collection, self.name)).text if docnos else ""

    def _query_encoder(self) -> Encoder:
        encoder = get_encoder(self.encoder, self.collection)
        if not isinstance(encoder, TrainableEncoder):
            return encoder
        fitted: Encoder | None = DenseIndex.of(self.collection, self.encoder).encoder
        if fitted is None:
            raise ComponentError(f"judge_ragas: the index of {self.encoder!r} has no encoder: name another one.")
        return fitted


def _cosines(vector: Any, others: Any) -> list[float]:
    """Return the cosine of a vector, [d], with each of others, [n, d], all of length 1, from 0 to 1."""
    products = np.asarray(others, dtype=np.float64) @ np.asarray(vector, dtype=np.float64)
    return [float(cosine) for cosine in np.clip(products, 0.0, 1.0)]


def _unsupported(claims: Sequence[_Claim]) -> list[str]:
    return [one.claim for one in claims if not one.supported]


def _listed(what: str, claims: Sequence[str]) -> list[str]:
    return [f"{what}: {'; '.join(claims)}"] if claims else []


def _of_answer(reply: _Claims) -> _Part:
    value = faithfulness([one.supported for one in reply.claims])
    return _Part({"faithfulness": value}, _listed("not in the context", _unsupported(reply.claims)))


def _of_reference(reply: _Claims) -> _Part:
    value = context_recall([one.supported for one in reply.claims])
    return _Part({"context_recall": value}, _listed("the context lacks", _unsupported(reply.claims)))


def _of_context(reply: _Context, n: int) -> _Part | CheckedReply:
    if odd := [number for number in reply.useful if not 1 <= number <= n]:
        return CheckedReply(None, "invalid", f"there is no provision {odd[0]} among {n}")
    return _Part({"context_precision": context_precision([number in reply.useful for number in range(1, n + 1)])})


def _of_questions(question: str, reply: Any, encoder: Encoder) -> _Part:
    vectors = encoder.encode_queries([question, *reply.questions])
    relevancy = answer_relevancy(_cosines(vectors[0], vectors[1:]), [reply.noncommittal])
    values = {"answer_relevancy": relevancy.value, "noncommittal": float(relevancy.noncommittal)}
    return _Part(values, ["noncommittal"] if relevancy.noncommittal else [])


def _of_comparison(text: str, reference: str, reply: _Comparison, encoder: Encoder) -> _Part:
    vectors = encoder.encode([text, reference])
    wrong, missing = _unsupported(reply.answer_claims), _unsupported(reply.reference_claims)
    tp = len(reply.answer_claims) - len(wrong)
    similarity = _cosines(vectors[0], vectors[1:])[0]
    value = answer_correctness(tp, len(wrong), len(missing), similarity)
    values = {"answer_correctness": value, "answer_similarity": similarity}
    remarks = [*_listed("not in the reference", wrong), *_listed("missing", missing)]
    return _Part(values, remarks)


def _verdict(answer: Judged, parts: Sequence[_Part | CheckedReply]) -> Verdict:
    """Return the verdict in the parts of an answer; a part is a failed reply, or has values."""
    values: dict[str, float] = {}
    remarks: list[str] = []
    failures = [part for part in parts if isinstance(part, CheckedReply)]
    for part in parts:
        if isinstance(part, _Part):
            values |= part.values
            remarks += part.remarks
    if failures:
        return Verdict(values, failures[0].state, " | ".join([*(one.reason for one in failures), *remarks]))
    if not answer.text:
        return Verdict(values, NOT_JUDGED, " | ".join([answer.silence, *remarks]))
    return Verdict(values, "ok", " | ".join(remarks))


def _prompts(collection: Collection, language: str = "auto") -> dict[str, Prompt]:
    """Return the prompts by name.

    Args:
        language: language of the prompts; ``auto`` for the collection's language.
    """
    return {name: prompt_of(name)(collection, language=language) for name in PROMPTS}


judge_ragas = factory_of(
    RagasJudge,
    'Judge answers by single claims: ``default % 5 >> quote >> judge_ragas(encoder="lsa")``.',
    prompts=_prompts,
    client=warn_of_own_answers("judge_ragas"),
)
