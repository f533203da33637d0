"""One mutant a check of chat models: that check fails, and no other."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import right_components as right

from legalir import testing
from legalir.errors import ModelError
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply

KEY = "sk-of-the-test-4711"


class Mutant(right.Echo):
    """The right model with some attributes replaced."""

    def __init__(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)


class Shown(right.Echo):
    def __repr__(self) -> str:
        return f"Shown({KEY!r})"


class Crowded(right.Echo):
    """Gives nothing to who asks while it answers."""

    def __init__(self) -> None:
        self.busy, self.met = threading.Lock(), threading.Barrier(2)

    def chat(self, request: ChatRequest) -> ChatReply:
        if threading.current_thread() is not threading.main_thread():
            self.met.wait(10)
            return None  # type: ignore[return-value]
        return super().chat(request)


def answering(**changes: Any) -> Callable[..., Any]:
    """Return a model whose replies have other fields."""
    return chatting(lambda self, request: replace(right.Echo.chat(self, request), **changes))


def chatting(chat: Callable[[Any, ChatRequest], Any]) -> Callable[..., Any]:
    model = type("Chatting", (right.Echo,), {"chat": chat})
    return lambda collection: model()


def refusing(when: Callable[[ChatRequest], bool], error: Callable[[], Exception]) -> Callable[..., Any]:
    def chat(self: Any, request: ChatRequest) -> ChatReply:
        if when(request):
            raise error()
        return right.Echo.chat(self, request)

    return chatting(chat)


builds = itertools.count()

MUTANTS: dict[str, Callable[..., Any]] = {
    "construction": lambda collection: right.pairs(collection),
    "first-use": chatting(lambda self, request: ChatReply("x" * [][0])),
    "name": lambda collection: Mutant(name=" "),
    "name 2": lambda collection: Mutant(name=f"model {next(builds)}"),
    "host": lambda collection: Mutant(host="https://api.example.org/v1"),
    "host 2": lambda collection: Mutant(host=None),
    "concurrency": lambda collection: Mutant(concurrency=True),
    "no-keys": lambda collection: Shown(),
    "reply": chatting(
        lambda self, request: right.Echo.chat(self, request) if request.max_tokens == 4 else ChatReply(b"x")  # type: ignore[arg-type]
    ),
    "finish-reason": answering(finish_reason="done"),
    "counts": answering(prompt_tokens=None),
    "counts 2": answering(completion_tokens=True),
    "counts 3": answering(seconds=float("inf")),
    "max-tokens": answering(completion_tokens=9),
    "odd-requests": refusing(lambda request: request.schema is not None, lambda: KeyError("schema")),
    "odd-requests 2": refusing(
        lambda request: "\x00" in request.messages[-1][1],
        lambda: FailedReply("odd", "odd"),  # type: ignore[arg-type]
    ),
    "odd-requests 3": chatting(
        lambda self, request: "At dusk." if len(request.messages) > 3 else right.Echo.chat(self, request)
    ),
    "long-request": refusing(lambda request: len(request.messages[-1][1]) > 50_000, lambda: MemoryError("too long")),
    "several-at-once": lambda collection: Crowded(),
}


@pytest.mark.parametrize("check", MUTANTS)
def test_a_mutant_is_caught_by_its_check_and_no_other(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_API_KEY", KEY)
    outcomes = testing.check("llm", MUTANTS[check])
    assert {one.check: one.message for one in outcomes if not one.ok}.keys() == {check.partition(" ")[0]}, outcomes


def test_right_models_pass() -> None:
    assert {one.status for one in testing.check("llm", right.echo)} == {"passed"}


def test_a_reply_that_is_none() -> None:
    outcomes = testing.check("llm", chatting(lambda self, request: None))
    failed = {one.check: one.message for one in outcomes if not one.ok}
    assert failed["reply"].startswith("chat returned None: return a ChatReply")


def test_an_error_in_a_sentence_is_an_answer() -> None:
    picky = refusing(lambda request: len(request.messages) != 2, lambda: ModelError("picky: one question only."))
    assert all(one.ok for one in testing.check("llm", picky))
