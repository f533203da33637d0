"""The judges of correctness, and the comparison with another answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from judged import answers, judge, says, value_of
from scripted import Scripted

import legalir
from legalir.answer.generator import Answer
from legalir.answer.judges import CorrectJudge, CorrectnessJudge, WinJudge
from legalir.answer.ragas import absolute_correctness
from legalir.errors import ComponentError
from legalir.llm.chat import ChatRequest
from legalir.llm.client import Client

ABSTAINED = Answer("", abstained=True, reason="nothing found")
REFERENCE = "An exit is 90 centimetres wide."


def test_correct_or_not(tmp_path: Path) -> None:
    def reply(request: ChatRequest) -> str:
        text = value_of(request, "answer")
        return "perhaps" if text == "odd" else json.dumps({"reason": f"it is {text}", "correct": text == "right"})

    one, model = judge(CorrectJudge, tmp_path, reply)
    out = one.transform(answers("right", "wrong", "odd", ABSTAINED))
    assert out["judged_correct"].fillna(-1).tolist() == [1, 0, -1, 0]
    assert out["judge_correct_state"].tolist() == ["ok", "ok", "invalid", "not judged"]
    assert out["judge_correct_reason"].tolist()[:2] == ["it is right", "it is wrong"]
    assert value_of(model.requests[0], "reference") == REFERENCE


def test_scores_from_1_to_5(tmp_path: Path) -> None:
    """The worked scores 5 4 3 2 4: mean 3.6, three of five at 4 or more."""

    def reply(request: ChatRequest) -> str:
        score = value_of(request, "answer")
        # The released parser fails on a reply without a reason.
        return json.dumps({"score": int(score)} if score == "5" else {"score": int(score), "reason": "so"})

    one, _ = judge(CorrectnessJudge, tmp_path, reply)
    out = one.transform(answers("5", "4", "3", "2", "4", "6", "0", ABSTAINED))
    assert out["correctness"].fillna(-1).tolist() == [5, 4, 3, 2, 4, -1, -1, 1]
    assert out["judge_correctness_state"].tolist()[5:] == ["invalid", "invalid", "not judged"]
    mean, correct = absolute_correctness(out["correctness"].tolist()[:5])
    assert (mean.value, correct.value) == (3.6, 0.6)


def better(request: ChatRequest, *, prefers: str = "90") -> str:
    """Prefer the answer with these words; the first one if both or none have them."""
    first, second = (prefers in value_of(request, slot) for slot in ("answer_a", "answer_b"))
    return json.dumps({"reason": "so", "better": "B" if second and not first else "A"})


def test_the_better_one_wins_in_either_place(tmp_path: Path) -> None:
    one, model = judge(WinJudge, tmp_path, better)
    out = one.transform(answers(*["90 cm, one way"] * 8, reference="100 cm, always"))
    assert out["win"].tolist() == [1] * 8
    out = one.transform(answers(*["80 cm, one way"] * 8))
    assert out["win"].tolist() == [0] * 8
    places = [value_of(request, "answer_a").startswith("90 cm, one") for request in model.requests[:8]]
    assert set(places) == {True, False}
    assert one.transform(answers("90 cm", reference="80"))["judge_win_reason"].iloc[0] in ("as A: so", "as B: so")


def test_the_place_is_that_of_the_question(tmp_path: Path) -> None:
    def places(**params: Any) -> list[bool]:
        one, model = judge(WinJudge, tmp_path, better, **params)
        one.client.offline = False
        one.transform(answers(*["mine"] * 20))
        return [value_of(request, "answer_a") == "mine" for request in model.requests]

    first = places()
    (tmp_path / "llm.sqlite").unlink()
    assert places() == first
    (tmp_path / "llm.sqlite").unlink()
    assert places(seed=1) != first
    assert 3 < sum(first) < 17


def test_both_orders(tmp_path: Path) -> None:
    always_a, _ = judge(WinJudge, tmp_path / "a", says(better="A"), both_orders=True)
    assert always_a.transform(answers("x", "y", "z"))["win"].tolist() == [0.5] * 3
    one, model = judge(WinJudge, tmp_path / "b", better, both_orders=True)
    assert one.transform(answers("90", "80", reference="90 and 80"))["win"].tolist() == [0.5, 0]
    assert one.transform(answers("90", reference="80"))["win"].tolist() == [1]
    assert len(model.requests) == 6

    def fails_as_b(request: ChatRequest) -> str:
        return "?" if value_of(request, "answer_b") == "mine" else better(request)

    one, _ = judge(WinJudge, tmp_path / "c", fails_as_b, both_orders=True)
    out = one.transform(answers("mine", ABSTAINED))
    assert out["win"].fillna(-1).tolist() == [-1, 0]
    assert out["judge_win_state"].tolist() == ["invalid", "not judged"]


def test_against_another_run(tmp_path: Path) -> None:
    rows = [
        {"qid": "q1", "qanswer": "80 cm [a-1]", "citations": ["a-1"], "abstained": False, "reply_state": "ok"},
        {"qid": "q2", "qanswer": "", "abstained": True, "reply_state": "ok"},
        {"qid": "q3", "qanswer": "90 cm"},
        {"qid": "q4", "qanswer": "", "abstained": False, "reply_state": "cut"},
    ]
    path = tmp_path / "other.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    one, model = judge(WinJudge, tmp_path, better, against=str(path))
    frame = answers("90", ABSTAINED, ABSTAINED, ABSTAINED, "90").drop(columns="answer")
    out = one.transform(frame)
    # Better; both silent; silent; the reply of the other failed; the other run lacks q5.
    assert out["win"].fillna(-1).tolist() == [1, 0.5, 0, -1, -1]
    assert out["judge_win_state"].tolist() == ["ok", *["not judged"] * 3, "no reference"]
    (request,) = model.requests
    assert {value_of(request, "answer_a"), value_of(request, "answer_b")} == {"90", "80 cm"}
    before = one.fingerprint
    path.write_text(json.dumps(rows[2]) + "\n", encoding="utf-8")
    assert judge(WinJudge, tmp_path, better, against=str(path))[0].fingerprint != before


@pytest.mark.parametrize("text", ["{", '{"qid": "q1"}', "7", '{"qid": "q1", "qanswer": 7}', None])
def test_a_file_that_is_no_run_of_answers(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "other.jsonl"
    if text is not None:
        path.write_text(f"\n{text}\n", encoding="utf-8")
    fault = "cannot be read" if text is None else r"line 2: not an answer: it needs qid and qanswer"
    with pytest.raises(ComponentError, match=fault):
        judge(WinJudge, tmp_path, better, against=str(path))


def test_in_expressions(tmp_path: Path) -> None:
    def reply(request: ChatRequest) -> str:
        return json.dumps({"correct": True, "score": 4, "better": "A", "reason": request.prompt})

    client = Client(Scripted(reply), cache=tmp_path / "llm.sqlite")
    collection = legalir.Collection("legalir/firecode", cache=tmp_path, client=client)
    pipeline = collection.pipeline(
        "bm25 % 3 >> quote >> judge_correct >> judge_correctness >> judge_win(both_orders=True)"
    )
    out: pd.DataFrame = pipeline.transform(collection.topics().head(2))
    assert out[["judged_correct", "correctness", "win"]].to_numpy().tolist() == [[1, 4, 0.5]] * 2
    assert out["judge_correctness_reason"].tolist() == ["judge_correctness"] * 2


@pytest.mark.parametrize(
    ("kind", "reply", "value"),
    [
        *(
            (CorrectJudge, reply, 1)
            for reply in ("1", "Yes", "correct", "**1**\nFine.", "Reason: 0 is right\nCorrect: 1")
        ),
        *(
            (CorrectJudge, reply, 0)
            for reply in ("0", "No", "incorrect", "**0**\nFine.", "not correct", "No. It is late.")
        ),
        *(
            (CorrectJudge, reply, None)
            for reply in ("2", "perhaps", "1. A list.\n2. Of faults.", "It is right to ask.")
        ),
        *((WinJudge, reply, 1) for reply in ("X", "[[X]]", "Answer X", "X\nIt is better.", "Winner: X", "X, by far")),
        *((WinJudge, reply, None) for reply in ("[[C]]", "tie", "Both")),
        *(
            (CorrectnessJudge, reply, 4)
            for reply in ("4", "4\nMostly.", "Score: 4\nReason: 5 is too much", "4/5", "4.0")
        ),
        *((CorrectnessJudge, reply, None) for reply in ("4.5", "6", "4 of 5 points", "4\n2", "0")),
    ],
)
def test_plain_forms_of_published_prompts(tmp_path: Path, kind: Any, reply: str, value: float | None) -> None:
    def plain(request: ChatRequest) -> str:
        return reply.replace("X", "A" if value_of(request, "answer_a") == "mine" else "B")

    one, model = judge(kind, tmp_path, plain)
    out = one.transform(answers("mine"))
    found = out[one.columns[0]][0]
    assert out[f"{one.name}_state"][0] == ("invalid" if value is None else "ok")
    assert np.isnan(found) if value is None else found == value
    assert len(model.requests) == (2 if value is None else 1), "a plain reply is not asked for again"
