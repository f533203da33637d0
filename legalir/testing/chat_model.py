"""Checks of a chat model: messages in; a reply out, or an error that gives the reason."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, get_args

from legalir.errors import LegalIRError, shown
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply, State
from legalir.testing.checks import Failed, check_name, checks_of, construction, first_use, given
from legalir.testing.data import CHAT_REQUEST, ODD_TEXTS, long_text
from legalir.testing.new_interpreter import PROCESS_CHECKS
from legalir.testing.sandbox import Sandbox

_FINISHED = ("stop", "length", "content_filter")
_SCHEMA = {
    "type": "object",
    "properties": {"lamp": {"enum": ["lit", "out"]}},
    "required": ["lamp"],
    "additionalProperties": False,
}


def name(sandbox: Sandbox) -> None:
    """The name is a short text, the same for two of the same parameters."""
    first, second = _made(sandbox).name, _made(sandbox).name
    check_name(first, "give the id of the model; stored replies are found by it.")
    if first != second:
        raise Failed(f"two of the same parameters are {first!r} and {second!r}: make the name of the parameters only.")


def host(sandbox: Sandbox) -> None:
    """The host is a name or address without scheme, port, path and user; empty if texts stay in this process."""
    found = _made(sandbox).host
    if not isinstance(found, str) or not re.fullmatch(r"[\w.-]*|[0-9a-fA-F:.]+", found):
        raise Failed(f"the host is {shown(found)}: give the name alone, as urlsplit(url).hostname does.")


def concurrency(sandbox: Sandbox) -> None:
    """The number of requests at once is an integer of at least 1."""
    found = _made(sandbox).concurrency
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise Failed(f"concurrency is {shown(found)}: give an integer of at least 1.")


def no_keys(sandbox: Sandbox) -> None:
    """Neither name, host nor repr contains the value of an environment variable that ends in _API_KEY."""
    model = _made(sandbox)
    shown = f"{model.name} {model.host} {model!r}"
    for variable, value in os.environ.items():
        if variable.endswith("_API_KEY") and value and value in shown:
            raise Failed(f"the name, host or repr holds the value of ${variable}: they are printed and stored.")


def reply(sandbox: Sandbox) -> None:
    """The reply to a plain request is a ChatReply with a text."""
    answer = _made(sandbox).chat(CHAT_REQUEST)
    if not isinstance(answer, ChatReply):
        raise Failed(f"chat returned {shown(answer)}: return a ChatReply, or raise FailedReply.")
    if not isinstance(answer.text, str):
        raise Failed(f"the text of a reply is {shown(answer.text)}: return a string.")


def finish_reason(sandbox: Sandbox) -> None:
    """The reason why a reply ends is stop, length or content_filter."""
    answer = _made(sandbox).chat(CHAT_REQUEST)
    if answer.finish_reason not in _FINISHED:
        raise Failed(f"a reply ends by {shown(answer.finish_reason)}: use {', '.join(_FINISHED)}.")


def counts(sandbox: Sandbox) -> None:
    """Numbers of tokens are integers of at least 0, and the time is finite."""
    answer = _made(sandbox).chat(CHAT_REQUEST)
    for what in ("prompt_tokens", "completion_tokens"):
        count = getattr(answer, what)
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise Failed(f"{what} is {shown(count)}: count tokens, and return 0 if you cannot.")
    if not isinstance(answer.seconds, int | float) or not math.isfinite(answer.seconds) or answer.seconds < 0:
        raise Failed(f"seconds is {shown(answer.seconds)}: return the time that the model took.")


def max_tokens(sandbox: Sandbox) -> None:
    """A reply has at most max_tokens tokens."""
    answer = _made(sandbox).chat(CHAT_REQUEST)
    if answer.completion_tokens > CHAT_REQUEST.max_tokens:
        raise Failed(
            f"a reply has {answer.completion_tokens} tokens where {CHAT_REQUEST.max_tokens} were allowed: pass "
            f"max_tokens on, and end with finish_reason='length'."
        )


def odd_requests(sandbox: Sandbox) -> None:
    """Odd texts, a schema, several messages and a high temperature get a reply, or an error in one sentence."""
    model = _made(sandbox)
    for request in _odd():
        with given(request.messages[-1][1]):
            _check_answer(model, request)


def long_request(sandbox: Sandbox) -> None:
    """A request of 100 000 characters gets a reply, or an error in one sentence."""
    _check_answer(_made(sandbox), ChatRequest((("user", long_text()),), max_tokens=4))


def several_at_once(sandbox: Sandbox) -> None:
    """As many requests at once as the model allows get a reply each."""
    model = _made(sandbox)
    at_once = min(model.concurrency, 4)
    with ThreadPoolExecutor(at_once) as pool:
        answers = list(pool.map(lambda _: model.chat(CHAT_REQUEST), range(2 * at_once)))
    if not all(isinstance(answer, ChatReply) for answer in answers):
        raise Failed("requests of several threads got no reply: lock what threads share, or set concurrency to 1.")


def _odd() -> Iterator[ChatRequest]:
    for text in ODD_TEXTS:
        yield ChatRequest((("user", text),), max_tokens=4)
    question = CHAT_REQUEST.messages
    yield ChatRequest(question, _SCHEMA, max_tokens=16)
    yield ChatRequest((*question, ("assistant", "At dusk."), ("user", "Why?")), max_tokens=4)
    yield ChatRequest(question, temperature=1.5, seed=7, max_tokens=4)


def _check_answer(model: Any, request: ChatRequest) -> None:
    try:
        answer = model.chat(request)
    except FailedReply as failure:
        if failure.state not in get_args(State):
            raise Failed(f"a failed reply has the state {failure.state!r}: use {', '.join(get_args(State))}.") from None
        return
    except LegalIRError:
        return
    if not isinstance(answer, ChatReply):
        raise Failed(f"chat returned {shown(answer)}: return a ChatReply, or raise FailedReply.")


def _made(sandbox: Sandbox) -> Any:
    return sandbox.make(sandbox.collection())


CHAT_MODEL = checks_of(
    construction,
    first_use,
    *PROCESS_CHECKS,
    name,
    host,
    concurrency,
    no_keys,
    reply,
    finish_reason,
    counts,
    max_tokens,
    odd_requests,
    long_request,
    several_at_once,
)
"""All checks of a chat model, in the order in which they run."""
