"""The contract of a chat model: a request in, a reply out; and what is read from the text of a reply."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ValidationError

from legalir.errors import ModelError
from legalir.extras import require
from legalir.frames.columns import REPLY_STATE as REPLY_STATE
from legalir.frames.columns import whole_characters
from legalir.storage.digest import digest

Json = Mapping[str, Any]
"""A JSON object, such as a JSON schema."""


@dataclass(frozen=True)
class ChatRequest:
    """A request to a chat model.

    Attributes:
        messages: roles (``system``, ``user``, ``assistant``) and texts, in order.
        schema: JSON schema of the reply; None for plain text.
        temperature: 0 takes the most likely token each time.
        seed: seed of the sampling.
        max_tokens: maximum number of tokens of the reply.
        logprobs: number of alternatives whose log-probability is returned for each token; 0 returns none.
        prompt: name of the prompt.
        fingerprint: sha256 of the prompt's file.
        question: the question that the messages were made from.
        settings: further fields of a request to a service that is not a chat model; None for none.
    """

    messages: tuple[tuple[str, str], ...]
    schema: Json | None = None
    temperature: float = 0.0
    seed: int = 0
    max_tokens: int = 512
    logprobs: int = 0
    prompt: str = ""
    fingerprint: str = ""
    question: str = ""
    settings: Json | None = None

    def canonical(self) -> dict[str, Any]:
        """Return the fields that are not empty, 0 or None.

        A field that is added later must change nothing while it is empty: so replies keep their keys.
        """
        return {name: value for name, value in vars(self).items() if value}

    def key(self, model: str) -> str:
        """Return the sha256 of the canonical request to `model`; it contains neither a host nor a key."""
        return digest({"model": model, **self.canonical()})


@dataclass(frozen=True)
class ChatReply:
    """A reply as the model gave it.

    Attributes:
        text: the text, reasoning included.
        finish_reason: ``stop``; ``length`` where `max_tokens` cut the text; ``content_filter``.
        model: id of the model that the endpoint reports.
        prompt_tokens: number of tokens of the request.
        completion_tokens: number of tokens of the reply.
        seconds: time that the model took.
        refusal: the reason for a refusal, which some endpoints return apart from the text.
        logprobs: alternatives of each token with their log-probabilities, best first; empty if not requested.
    """

    text: str
    finish_reason: str = "stop"
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    refusal: str = ""
    logprobs: tuple[Mapping[str, float], ...] = ()

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> ChatReply:
        """Return the reply with the values of fields; other names, of another version of legalir, are left out.

        Raises:
            KeyError: there is no text.
        """
        known = {field.name: values[field.name] for field in fields(cls) if field.name in values}
        return cls(**{**known, "text": values["text"], "logprobs": tuple(values.get("logprobs", ()))})


State = Literal["ok", "empty", "refused", "filtered", "cut", "invalid", "language", "too_long", "unavailable"]
"""State of a request. All states but ``ok`` are failed replies.

``empty``: no text except reasoning; ``refused``: the model refused; ``filtered``: a content filter cut in; ``cut``:
`max_tokens` was reached; ``invalid``: not the JSON that was asked for; ``language``: another language than was asked
for; ``too_long``: the request has more tokens than the model takes; ``unavailable``: the endpoint gave no reply.
"""


class FailedReply(ModelError):  # noqa: N818  (reads as what it is)
    """A request without a usable reply; others may succeed.

    Attributes:
        state: a :data:`State`.
    """

    def __init__(self, state: State, reason: str) -> None:
        super().__init__(reason)
        self.state = state


@runtime_checkable
class ChatModel(Protocol):
    """A chat model: all that a plugin of the role ``llm`` must provide."""

    @property
    def name(self) -> str:
        """Id of the model; it changes whenever the same request could get another reply."""
        ...

    @property
    def host(self) -> str:
        """The host that questions are sent to; empty if they stay in this process."""
        ...

    @property
    def concurrency(self) -> int:
        """Number of requests that may be under way at once."""
        ...

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one request; threads may call it at once.

        Raises:
            FailedReply: this request got no reply; others may.
            ModelError: no request can succeed, for example because a key is wrong.
        """
        ...


def read_completion(body: Any, seconds: float) -> ChatReply:
    """Return the reply in the JSON of an OpenAI-compatible endpoint.

    Raises:
        FailedReply: the JSON contains no reply.
    """
    try:
        choice = body["choices"][0]
        message, usage = choice["message"], body.get("usage") or {}
        tokens = (choice.get("logprobs") or {}).get("content") or ()
        return ChatReply(
            text=_text(message.get("content") or ""),
            finish_reason=_text(choice.get("finish_reason") or "stop"),
            model=_text(body.get("model") or ""),
            prompt_tokens=int(usage.get("prompt_tokens") or 0),
            completion_tokens=int(usage.get("completion_tokens") or 0),
            seconds=seconds,
            refusal=_text(message.get("refusal") or ""),
            logprobs=tuple(
                {_text(one["token"]): float(one["logprob"]) for one in token.get("top_logprobs") or [token]}
                for token in tokens
            ),
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        raise FailedReply("empty", "the endpoint returned no choice with a message") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return whole_characters(value)  # An emoji may be cut in two.


_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_REASONING_END = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """Return a reply without the text in reasoning tags; a tag that is never closed extends to the end."""
    return _REASONING_END.sub("", _REASONING.sub("", text)).strip()


T = TypeVar("T", bound=BaseModel)


def read_json(text: str, kind: type[T]) -> T:
    """Return the value of `kind` in a reply.

    A JSON value inside other text or a code block is found, and slips such as a missing quote or a trailing comma are
    repaired by the package ``json-repair``; the value must then be of `kind`. The last candidate is the text itself,
    for kinds that read plain forms, such as the verdicts of judges.

    Raises:
        FailedReply: there is no such value.
        MissingExtra: the reply needs repair, and ``json-repair`` is not installed.
    """
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
    try:
        value = require("json_repair", extra="llm").loads(text)
    except (RecursionError, ValueError):  # Brackets in brackets without end.
        value = None
    # Several JSON values in one reply are returned as a list; the last one is the answer.
    for candidate in (*reversed(value if isinstance(value, list) else [value]), text):
        try:
            return kind.model_validate(candidate)
        except ValidationError:
            continue
    place = ".".join(map(str, fault["loc"]))
    raise FailedReply("invalid", f"the reply is not the JSON that was asked for ({place}: {fault['msg']})")
