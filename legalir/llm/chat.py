"""The contract of a chat model: a request in, a reply out; and what is read from the text of a reply."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
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
        finish_reason: ``stop``; ``length`` where `max_tokens` cut the text; ``content_filter``; other servers have
            other words, which :data:`FINISHES` lists.
        model: id of the model that the endpoint reports.
        prompt_tokens: number of tokens of the request.
        completion_tokens: number of tokens of the reply.
        seconds: time that the model took.
        refusal: the reason for a refusal, which some endpoints return apart from the text.
        logprobs: alternatives of each token with their log-probabilities, best first; empty if not requested.
        omitted: parameters of the request that the endpoint refused, so that it was sent without them.
    """

    text: str
    finish_reason: str = "stop"
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    refusal: str = ""
    logprobs: tuple[Mapping[str, float], ...] = ()
    omitted: tuple[str, ...] = ()

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> ChatReply:
        """Return the reply with the values of fields; other names, of another version of legalir, are left out.

        Raises:
            KeyError: there is no text.
        """
        known = {field.name: values[field.name] for field in fields(cls) if field.name in values}
        lists = {name: tuple(values.get(name, ())) for name in ("logprobs", "omitted")}
        return cls(**{**known, **lists, "text": values["text"]})


State = Literal["ok", "empty", "refused", "filtered", "cut", "invalid", "language", "too_long", "unavailable"]
"""State of a request. All states but ``ok`` are failed replies.

``empty``: no text except reasoning; ``refused``: the model refused; ``filtered``: a content filter cut in; ``cut``:
the text ends too early, mostly because `max_tokens` was reached; ``invalid``: not the JSON that was asked for;
``language``: another language than was asked for; ``too_long``: the request has more tokens than the model takes;
``unavailable``: the endpoint gave no reply.
"""

PASSING: tuple[State, ...] = ("empty", "cut", "too_long", "unavailable")
"""Failures that depend on the server and its settings: the same request may get a reply another time."""


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

    # A model may also have ``ready() -> None``: it is called before anything is sent, and raises a ModelError if
    # nothing can be, for example because a key is missing.

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one request; threads may call it at once.

        Raises:
            FailedReply: this request got no reply; others may.
            ModelError: no request can succeed, for example because a key is wrong.
        """
        ...


def estimated_tokens(text: str) -> int:
    """Return the tokens of a text, estimated as a third of its UTF-8 bytes, rounded up.

    A token of a large model is about four bytes of English and one syllable of Hangul, which has three bytes: the
    estimate is high for alphabets and about right for Korean, Chinese, Japanese and Thai.
    """
    return math.ceil(len(text.encode()) / 3)


def read_completion(body: Any, seconds: float) -> ChatReply:
    """Return the reply in the JSON of an endpoint.

    It is read in the form of chat completions; of the Responses API; or of a message alone, as Anthropic's, Ollama's
    and Cohere's own endpoints send it. The text may come in parts. Without a text, the arguments of a tool call are the
    text, or else a JSON object among the reasoning, where some servers put it.

    Raises:
        FailedReply: the JSON contains no reply.
    """
    try:
        choice = next(iter(body.get("choices") or ()), None) or body
        if choice.get("error"):
            raise FailedReply("unavailable", f"the endpoint broke off its reply: {json.dumps(choice['error'])[:300]}")
        message = next((choice[name] for name in ("message", "delta") if isinstance(choice.get(name), Mapping)), choice)
        content = next((message[name] for name in ("content", "output") if message.get(name)), None)
        if message is choice and not {"content", "output", "text"} & set(choice):
            raise TypeError
        if content is None and isinstance(message.get("text"), str):  # The older API of completions.
            content = message["text"]
        alternatives = (choice.get("logprobs") or {}).get("content") or ()
        usage = body.get("usage")
        usage = usage if isinstance(usage, Mapping) else {}
        return ChatReply(
            text=_text(content) or _arguments(message) or _object_in_reasoning(message),
            finish_reason=_finish(choice, body),
            model=_text(body.get("model")),
            prompt_tokens=_count(usage, "prompt_tokens", "input_tokens"),
            completion_tokens=_count(usage, "completion_tokens", "output_tokens"),
            seconds=seconds,
            refusal=_text(message.get("refusal")) or "".join(_parts(content, "refusal")),
            logprobs=tuple(
                {_text(one["token"]): float(one["logprob"]) for one in token.get("top_logprobs") or [token]}
                for token in alternatives
            ),
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        raise FailedReply("unavailable", f"the endpoint sent no reply, but {str(body)[:200]!r}") from None


def merged(chunks: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the body of a reply that was sent as the chunks of a stream.

    A stream that ends without a reason has the finish_reason ``incomplete``.
    """
    for chunk in reversed(chunks):
        if chunk.get("error"):
            return dict(chunk)
        if isinstance(chunk.get("response"), Mapping):
            return dict(chunk["response"])
    message: dict[str, Any] = {}
    choice: dict[str, Any] = {"message": message, "finish_reason": "incomplete"}
    body: dict[str, Any] = {"choices": [choice]}
    for chunk in chunks:
        body |= {name: chunk[name] for name in ("usage", "model") if chunk.get(name)}
        for one in list(chunk.get("choices") or ())[:1]:
            choice |= {name: value for name, value in one.items() if value and name not in ("delta", "message")}
            for name, piece in (one.get("delta") or one.get("message") or {}).items():
                if isinstance(piece, str | list):
                    message[name] = message[name] + piece if type(message.get(name)) is type(piece) else piece
    return body


def _text(value: object) -> str:
    """Return the text of a message, without parts that are reasoning or refusals.

    Raises:
        TypeError: it is a number.
    """
    if isinstance(value, str):
        return whole_characters(value)  # An emoji may be cut in two.
    if isinstance(value, list):
        return "".join(map(_text, value))
    if isinstance(value, Mapping):
        kind = value.get("type")
        if isinstance(kind, str) or set(value) <= {"text", "thought", "value"}:
            if value.get("thought") is True or re.search("reason|think|thought|refusal|tool|function", str(kind)):
                return ""
            return _text(next((value[name] for name in ("text", "content", "value") if name in value), None))
        return json.dumps(value, ensure_ascii=False)  # The server has read the JSON that was asked for.
    if value is None:
        return ""
    raise TypeError


def _parts(value: object, kind: str) -> Iterator[str]:
    """Yield what the parts of a kind have under its name, at any depth."""
    if isinstance(value, list):
        for one in value:
            yield from _parts(one, kind)
    elif isinstance(value, Mapping):
        if value.get("type") == kind:
            yield _text(value.get(kind))
        yield from _parts(value.get("content"), kind)


def _arguments(message: Mapping[str, Any]) -> str:
    """Return the arguments of the first tool call; the pieces of a stream have its index."""
    parts = message.get("content") or message.get("output")
    calls = [
        *(message.get("tool_calls") or ()),
        *([message["function_call"]] if message.get("function_call") else ()),
        *(one for one in parts or () if isinstance(one, Mapping) and one.get("type") in ("function_call", "tool_use")),
    ]
    first = calls[:1] if not calls or calls[0].get("index") is None else calls
    pieces = [one.get("function") or one for one in first if one.get("index") == calls[0].get("index")]
    given = [one.get("arguments", one.get("input")) for one in pieces]
    return "".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in given if one)


def _object_in_reasoning(message: Mapping[str, Any]) -> str:
    for name in ("reasoning_content", "reasoning", "thinking"):
        try:
            if isinstance(text := message.get(name), str) and isinstance(json.loads(text), dict):
                return whole_characters(text)
        except (ValueError, RecursionError):
            continue
    return ""


def _finish(choice: Mapping[str, Any], body: Mapping[str, Any]) -> str:
    """Return why the text ends, in the words of the server; a known reason that is not ``stop`` counts first."""
    details = body.get("incomplete_details") or {}
    names = ("native_finish_reason", "finish_reason", "stop_reason", "done_reason", "finishReason")
    given = [*(choice.get(name) for name in names), details.get("reason"), body.get("status")]
    reasons = [one for one in given if isinstance(one, str) and one]
    return next((one for one in reasons if one.lower() in FINISHES), next(reversed(reasons), "stop"))


def _count(usage: Mapping[str, Any], *names: str) -> int:
    """Return a number of tokens; 0 if there is none that can be true."""
    for name in names:
        count = usage.get(name)
        if isinstance(count, int | float) and 0 < count < 1e12:
            return int(count)
    return 0


_CUT: State = "cut"
FINISHES: dict[str, State] = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "max_length", "model_length", "token_limit"), _CUT),
    **dict.fromkeys(("model_context_window_exceeded", "context_length_exceeded", "incomplete", "time_limit"), _CUT),
    **dict.fromkeys(("content_filter", "content_filtered", "safety", "recitation", "blocklist", "spii"), "filtered"),
    **dict.fromkeys(("prohibited_content", "sensitive", "guardrail_intervened", "error_toxic"), "filtered"),
    "refusal": "refused",
    **dict.fromkeys(("error", "failed", "cancelled", "abort", "network_error", "eos_error"), "unavailable"),
    **dict.fromkeys(("insufficient_system_resource", "overloaded", "internal_error"), "unavailable"),
}
"""The state of a reply that ends for a reason, in small letters; any other reason is an end as it should be."""

_BEGINS = (
    r"\[THINK\]|◁think▷|<\|START_THINKING\|>|<\|begin_of_thought\|>|"
    r"<\|channel\|>(?:analysis|commentary)[^<]*<\|message\|>"
)
_ENDS = r"\[/THINK\]|◁/think▷|<\|END_THINKING\|>|<\|end_of_thought\|>|<\|channel\|>final[^<]*<\|message\|>"
_DIALECTS = re.compile(rf"({_BEGINS})|(?:{_ENDS})", re.IGNORECASE)
_TAG = r"think(?:ing)?|thoughts?|reason(?:ing)?|analysis|seed:think"
_REASONING = re.compile(rf"<({_TAG})(?:\s[^<>]*)?>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_REASONING_END = re.compile(rf"\A.*</(?:{_TAG})>", re.DOTALL | re.IGNORECASE)
_MARKS = re.compile(r"<\|start\|>assistant|<\|(?:end|return|(?:begin|end)_of_solution|(?:START|END)_RESPONSE)\|>")


def without_reasoning(text: str) -> str:
    """Return a reply without the text in reasoning tags; a tag that is never closed extends to the end.

    The tags and marks of the usual families of models are known: ``<think>``, ``[THINK]``, the channels of gpt-oss, and
    others.
    """
    text = _DIALECTS.sub(lambda mark: "<think>" if mark[1] else "</think>", text)
    return _MARKS.sub("", _REASONING_END.sub("", _REASONING.sub("", text))).strip()


def usable_text(reply: ChatReply, may_be_cut: bool = False) -> str:
    """Return the text of a reply without its reasoning.

    Args:
        reply: the reply.
        may_be_cut: whether a text that was cut is of use.

    Raises:
        FailedReply: the model refused, or the text is cut, filtered or empty.
    """
    if reply.refusal:
        raise FailedReply("refused", f"the model refused: {reply.refusal[:200]}")
    state = FINISHES.get(reply.finish_reason.lower())
    text = without_reasoning(reply.text)
    if state == "filtered":
        raise FailedReply(state, "a content filter cut in")
    if state == "cut" and not (may_be_cut and text):
        raise FailedReply(state, f"the reply was cut after {reply.completion_tokens} tokens")
    if state in ("refused", "unavailable"):
        raise FailedReply(state, f"the endpoint ended the reply with {reply.finish_reason!r}")
    if not text:
        raise FailedReply("empty", "the reply has no text" + (" except reasoning" if reply.text.strip() else ""))
    return text


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|(?P<open>\\?\Z))|[\[\]{}]', re.DOTALL)


def is_closed(text: str) -> bool:
    """Return True if each bracket and string of the JSON in a text is closed, or if there is no object in it.

    A quotation mark that is missing or too much does not count if the brackets are closed without regard to strings.
    """
    text = text[max(text.find("{"), 0) :]
    depth = 0
    for token in _TOKEN.finditer(text):
        if token["open"] is not None:  # A string that does not end, unless it is in the words after the object.
            break
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
    if depth and text.rstrip("` \t\r\n").endswith(("}", "]")):
        depth = sum(map(text.count, "[{")) - sum(map(text.count, "]}"))
    return depth <= 0


T = TypeVar("T", bound=BaseModel)


def read_json(text: str, kind: type[T]) -> T:
    """Return the value of `kind` in a reply.

    A JSON value inside other text or a code block is found, and slips such as a missing quote or a trailing comma are
    repaired by the package ``json-repair``; the value must then be of `kind`. JSON that does not close is not repaired:
    its last words may be half of a number, and what followed them is lost. The last candidate is the text itself, for
    kinds that read plain forms, such as the verdicts of judges.

    Raises:
        FailedReply: there is no such value, or the JSON does not close.
        MissingExtra: the reply needs repair, and ``json-repair`` is not installed.
    """
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
    if not is_closed(text):
        raise FailedReply("cut", "the JSON of the reply does not close: it was cut")
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
