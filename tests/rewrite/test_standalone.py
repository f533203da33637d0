"""The last question of a conversation: what the model reads, and what becomes of its reply."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt
import pytest
from scripted import Scripted

import legalir
from legalir.errors import ComponentError, ExpressionError
from legalir.llm.client import Client
from legalir.rewrite.rewriter import original_questions

TALK = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I have two questions\non exit doors."},
    {"role": "assistant", "content": "Which ones?"},
]
ASKED = pd.DataFrame(
    {"qid": ["1", "2"], "query": ["How wide are they?", "Who lights a lamp?"], "history": [TALK, None]}
)
GOOD = "How wide are exit doors?"


def made(
    tmp_path: Path, reply: str, frame: pd.DataFrame = ASKED, expression: str = "standalone"
) -> tuple[Any, Scripted]:
    model = Scripted(lambda request: reply)
    client = Client(model, cache=tmp_path / "llm.sqlite")
    opened = legalir.Collection("legalir/firecode", cache=tmp_path / "cache", client=client)
    return opened.pipeline(expression).transform(frame), model


def test_the_new_question_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    out, model = made(tmp_path, f" {GOOD}\n", expression="focus >> standalone")
    assert out["query"].tolist() == original_questions(out) == [GOOD, "Who lights a lamp?"]
    assert out["last_turn"].tolist() == ASKED["query"].tolist()
    assert out["reply_state"].tolist() == ["ok", "ok"]
    talk = "user: I have two questions on exit doors.\nassistant: Which ones?\nuser: How wide are they?"
    assert [request.question for request in model.requests] == [talk]
    assert f"<question>\n{talk}\n</question>" in model.requests[0].messages[1][1]
    assert set(made(tmp_path, GOOD, ASKED.iloc[:0])[0].columns) == set(out.columns)


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        ("How wide are the 7 doors?", "invalid"),
        ("Exit doors are wide.", "invalid"),
        ("Which  ones?", "invalid"),
        ("", "empty"),
    ],
)
def test_a_reply_that_is_another_question_is_not_used(tmp_path: Path, reply: str, state: str) -> None:
    out, _ = made(tmp_path, reply)
    assert out["reply_state"].tolist() == [state, "ok"]
    assert out["query"][0] == "I have two questions on exit doors. How wide are they?"


@pytest.mark.parametrize(
    ("history", "query"),
    [
        ("Who owns the 2 doors?", "Who owns the 2 doors? How wide are they?"),
        (["Who owns the doors?", "", "Why?"], "Who owns the doors? Why? How wide are they?"),
        ([{"role": "assistant", "content": "Hello."}], "How wide are they?"),
        ((), "How wide are they?"),
        (float("nan"), "How wide are they?"),
    ],
)
def test_turns_are_joined_without_a_model(tmp_path: Path, history: object, query: str) -> None:
    frame = pd.DataFrame({"qid": ["1"], "query": ["How wide are they?"], "talk": [history]})
    pipeline = legalir.Collection("legalir/firecode", cache=tmp_path).pipeline('standalone(join=True, history="talk")')
    assert pipeline.transform(frame)["query"].tolist() == [query]


@pytest.mark.parametrize("history", [3, [3], [{"role": "judge", "content": "x"}], [{"content": "x"}], {"role": "user"}])
def test_a_cell_without_turns_is_an_error(tmp_path: Path, history: object) -> None:
    frame = ASKED.head(1).assign(history=[history])
    with pytest.raises(ComponentError, match=r"standalone: history=.*question '1' has no turns"):
        made(tmp_path, GOOD, frame)


def test_a_named_column_must_be_there_and_the_default_one_need_not(tmp_path: Path) -> None:
    plain = ASKED[["qid", "query"]]
    out, model = made(tmp_path, GOOD, plain)
    assert out["query"].tolist() == plain["query"].tolist() and not model.requests
    with pytest.raises(pt.validate.InputValidationError, match="talk"):
        made(tmp_path, GOOD, ASKED, 'standalone(history="talk")')
    with pytest.raises(ExpressionError, match="No language model"):
        legalir.Collection("legalir/firecode", cache=tmp_path).pipeline("standalone")
