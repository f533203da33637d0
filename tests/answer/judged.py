"""Answers to judge, and a judge whose model the test writes down."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
from scripted import Scripted

from legalir.answer.generator import ANSWER_COLUMNS, Answer
from legalir.answer.judges import CoverageJudge, ModelJudge, WinJudge
from legalir.llm.chat import ChatReply, ChatRequest
from legalir.llm.client import Client
from legalir.llm.prompts import load_prompt

Reply = Callable[[ChatRequest], str | ChatReply]
J = TypeVar("J", bound=ModelJudge)


def answers(*given: Answer | str, reference: str = "An exit is 90 centimetres wide.") -> pd.DataFrame:
    """Return answers to questions q1, q2, …, all with the same reference answer."""
    rows = [one if isinstance(one, Answer) else Answer(one) for one in given]
    frame = pd.DataFrame([one.row() for one in rows], columns=list(ANSWER_COLUMNS))
    qids = [f"q{number}" for number in range(1, len(rows) + 1)]
    return frame.assign(qid=qids, query=[f"How wide is exit {qid}?" for qid in qids], answer=reference)


def value_of(request: ChatRequest, slot: str) -> str:
    """Return what stands between the tags of a slot."""
    return request.messages[1][1].partition(f"<{slot}>\n")[2].partition(f"\n</{slot}>")[0]


def judge(kind: type[J], folder: Path, reply: Reply, **params: Any) -> tuple[J, Scripted]:
    """Return a judge with the English prompt, and its model."""
    model = Scripted(reply)
    client = Client(model, cache=folder / "llm.sqlite")
    if kind in (CoverageJudge, WinJudge):
        params.setdefault("collection", None)
    return kind(client, load_prompt(kind.name, "en"), **params), model


def says(**values: object) -> Reply:
    """Return a model that always replies with the same JSON."""
    return lambda request: json.dumps(values)
