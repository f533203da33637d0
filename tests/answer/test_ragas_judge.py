"""The judge of single claims, with the worked values of its measures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from judged import answers, value_of
from scripted import Scripted

import legalir
from legalir.answer.generator import Answer
from legalir.answer.ragas_judge import PROMPTS, RagasJudge
from legalir.errors import ComponentError
from legalir.llm.chat import ChatRequest
from legalir.llm.client import Client
from legalir.llm.prompts import load_prompt

REFERENCE = "An exit is 90 centimetres wide."
COSINES = {"1.0": 1.0, "a": 0.9, "b": 0.7, "c": 0.8, "d": -0.5, REFERENCE: 0.8}


class Angles:
    """An encoder that gives each text the angle that the test wants it to have to the others."""

    name, fingerprint = "angles", "1"

    def encode(self, texts: Sequence[str]) -> Any:
        cosines = np.array([COSINES.get(text, 1.0) for text in texts])
        return np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1).astype(np.float32)

    encode_queries = encode


def claims(*supported: bool) -> list[dict[str, object]]:
    return [{"claim": f"claim {number}", "supported": one} for number, one in enumerate(supported)]


REPLIES: dict[str, object] = {
    "answer": {"claims": claims(True, True, False, True, False)},
    "reference": {"claims": claims(True, True, False, True)},
    "judge_context": {"useful": [3, 1]},
    "judge_questions": {"questions": ["a", "b", "c"], "noncommittal": False},
    "judge_comparison": {
        "answer_claims": claims(True, False, True),
        "reference_claims": claims(True, False, False, False),
    },
}
"""3 of 5 claims supported, 3 of 4 attributable, verdicts 1 0 1 0, cosines .9 .7 .8, TP 2 FP 1 FN 3."""


@pytest.fixture(name="collection", scope="module")
def bundled_collection(tmp_path_factory: pytest.TempPathFactory) -> legalir.Collection:
    return legalir.Collection("legalir/firecode", cache=tmp_path_factory.mktemp("cache"))


CONTEXT = ("act-1", "act-2", "act-3", "act-4")


def judge(
    folder: Path, collection: legalir.Collection, replies: dict[str, object] | None = None, **params: Any
) -> tuple[RagasJudge, Scripted]:
    given = {**REPLIES, **(replies or {})}

    def reply(request: ChatRequest) -> str:
        name = request.prompt
        if name == "judge_claims":
            name = "reference" if value_of(request, "text") == REFERENCE else "answer"
        one = given[name]
        return one if isinstance(one, str) else json.dumps(one)

    model = Scripted(reply)
    client = Client(model, cache=folder / "llm.sqlite")
    prompts = {name: load_prompt(name, "en") for name in PROMPTS}
    return RagasJudge(client, prompts, collection, **{"encoder": Angles(), **params}), model


def test_the_worked_values(tmp_path: Path, collection: legalir.Collection) -> None:
    one, model = judge(tmp_path, collection)
    out = one.transform(answers(Answer("wide [act-1]", ("act-1",), context_docnos=CONTEXT)).assign(query="1.0"))
    row = out.iloc[0]
    assert row["faithfulness"] == 0.6
    assert row["answer_relevancy"] == pytest.approx(0.8, abs=1e-6)
    assert row["context_precision"] == pytest.approx((1 + 2 / 3) / 2)
    assert row["context_recall"] == 0.75
    assert row["answer_correctness"] == pytest.approx(0.75 * 2 / (2 + (1 + 3) / 2) + 0.25 * 0.8, abs=1e-6)
    assert row["answer_correctness"] == pytest.approx(0.575, abs=1e-6)
    assert row["answer_similarity"] == pytest.approx(0.8, abs=1e-6)
    assert row["noncommittal"] == 0
    assert row["judge_ragas_state"] == "ok"
    assert row["judge_ragas_reason"] == (
        "not in the context: claim 2; claim 4 | the context lacks: claim 2 | not in the reference: claim 1 | "
        "missing: claim 1; claim 2; claim 3"
    )
    assert [request.prompt for request in model.requests] == [
        *("judge_claims", "judge_claims", "judge_context", "judge_questions", "judge_comparison"),
    ]  # fmt: skip
    assert "1.0" not in model.requests[3].messages[1][1], "the questions are written from the answer alone"
    assert value_of(model.requests[3], "answer") == "wide"
    lines = value_of(model.requests[2], "provisions").split("\n")
    assert [line[:4] for line in lines] == ["[1] ", "[2] ", "[3] ", "[4] "]


def test_what_is_undefined(tmp_path: Path, collection: legalir.Collection) -> None:
    one, model = judge(tmp_path, collection, {"answer": {"claims": []}, "judge_context": {"useful": []}})
    abstained = Answer("", abstained=True, reason="it lacks the number", context_docnos=CONTEXT)
    nothing = Answer("", abstained=True, reason="nothing found")
    failed = Answer("", reply_state="cut")
    out = one.transform(answers(abstained, nothing, failed, Answer("wide", context_docnos=CONTEXT), "no context"))
    values = out[list(one.columns)].map(lambda value: not math.isnan(value)).to_numpy().tolist()
    assert values == [
        # faithfulness, relevancy, precision, recall, correctness, similarity, noncommittal
        [False, False, True, True, False, False, False],
        [False] * 7,
        [False] * 7,
        [False, True, True, True, True, True, True],
        [False, True, False, False, True, True, True],
    ]
    assert out["context_precision"].tolist()[0] == 0
    assert out["judge_ragas_state"].tolist() == [*["not judged"] * 3, "ok", "ok"]
    assert out["judge_ragas_reason"].tolist()[0].startswith("it abstains: it lacks the number | the context lacks")
    # Claims of one answer and of two references, two contexts, questions and comparisons of two answers.
    assert len(model.requests) == 1 + 2 + 2 + 2 + 2


def test_without_references(tmp_path: Path, collection: legalir.Collection) -> None:
    one, model = judge(tmp_path, collection)
    frame = answers(Answer("wide", context_docnos=CONTEXT)).drop(columns="answer")
    out = one.transform(frame)
    assert out[["faithfulness", "answer_relevancy"]].notna().all(axis=None)
    assert out[["context_precision", "context_recall", "answer_correctness"]].isna().all(axis=None)
    assert len(model.requests) == 2


def test_an_answer_without_commitment(tmp_path: Path, collection: legalir.Collection) -> None:
    replies: dict[str, object] = {"judge_questions": {"questions": ["a", "b", "c"], "noncommittal": True}}
    one, _ = judge(tmp_path, collection, replies)
    out = one.transform(answers(Answer("it depends", context_docnos=CONTEXT)))
    assert math.isnan(out["answer_relevancy"].iloc[0])
    assert out["noncommittal"].tolist() == [1]
    assert "noncommittal" in out["judge_ragas_reason"].iloc[0]


def test_a_negative_cosine_counts_0(tmp_path: Path, collection: legalir.Collection) -> None:
    replies: dict[str, object] = {"judge_questions": {"questions": ["d", "b"], "noncommittal": False}}
    one, _ = judge(tmp_path, collection, replies, n=2)
    out = one.transform(answers("wide").assign(query="1.0"))
    assert out["answer_relevancy"].iloc[0] == pytest.approx(0.35, abs=1e-6)


@pytest.mark.parametrize(
    ("replies", "lost"),
    [
        ({"answer": "?"}, {"faithfulness"}),
        ({"reference": '{"claims": [{"claim": "x"}]}'}, {"context_recall"}),
        ({"judge_context": {"useful": [5]}}, {"context_precision"}),
        ({"judge_context": {"useful": [0]}}, {"context_precision"}),
        ({"judge_questions": {"questions": ["a"], "noncommittal": False}}, {"answer_relevancy", "noncommittal"}),
        ({"judge_comparison": {"answer_claims": []}}, {"answer_correctness", "answer_similarity"}),
    ],
)
def test_a_failed_reply_costs_its_own_values(
    tmp_path: Path, collection: legalir.Collection, replies: dict[str, object], lost: set[str]
) -> None:
    one, _ = judge(tmp_path, collection, replies)
    out = one.transform(answers(Answer("wide", context_docnos=CONTEXT)))
    assert {column for column in one.columns if math.isnan(out[column].iloc[0])} == lost
    assert out["judge_ragas_state"].tolist() == ["invalid"]
    assert out["judge_ragas_reason"].iloc[0]


def test_parameters_and_identity(tmp_path: Path, collection: legalir.Collection) -> None:
    with pytest.raises(ComponentError, match="nowhere"):
        judge(tmp_path, collection, encoder="nowhere")
    encoder = Angles()
    one, _ = judge(tmp_path, collection, encoder=encoder)
    assert one == RagasJudge(one.client, one.prompts, collection, encoder=encoder)
    assert one != RagasJudge(one.client, one.prompts, collection, encoder=encoder, n=2)
    assert one.fingerprint != judge(tmp_path, collection, encoder="lsa")[0].fingerprint


def test_in_an_expression(tmp_path: Path) -> None:
    def reply(request: ChatRequest) -> str:
        name = "reference" if request.prompt == "judge_claims" else request.prompt
        return json.dumps(REPLIES[name])

    client = Client(Scripted(reply), cache=tmp_path / "llm.sqlite")
    collection = legalir.Collection("legalir/firecode", cache=tmp_path, client=client)
    out = collection.pipeline("bm25 % 3 >> quote >> judge_ragas").transform(collection.topics().head(2))
    assert out["faithfulness"].tolist() == [0.75, 0.75]
    assert out["judge_ragas_state"].tolist() == ["ok", "ok"]
    assert out["answer_relevancy"].between(0, 1).all()
