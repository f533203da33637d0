"""OpenAI-compatible endpoints: chat models, and the requests of hosted encoders and rerankers."""

from __future__ import annotations

import html
import json
import logging
import math
import os
import re
import threading
import weakref
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any
from urllib.parse import urlsplit

from annotated_types import Ge, Le

from legalir.contract import factory_of
from legalir.declared import Declared, check_number
from legalir.errors import ComponentError, ModelError, describe
from legalir.executors import Portable
from legalir.extras import require
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply, Json, merged, read_completion
from legalir.storage.digest import digest

OPENAI_URL = "https://api.openai.com/v1"
"""Default address."""

MOST_BYTES = 4_000_000
"""Size of the largest reply that is read."""

_READ = 20_000
"""Characters of a refusal that are read: the time for markup that does not close grows with the square."""

_log = logging.getLogger("legalir")


class Endpoint(Portable):
    """An address that takes JSON and returns JSON; retries, time limits and errors are the same for all its users.

    A request is tried again after a lost connection, a time-out, 429 and 5xx, with growing pauses or after the time
    that ``Retry-After`` says; not where the quota is used up. The key is read from the environment and is never shown;
    what the endpoint says about a failure is.

    Args:
        base_url: address before ``/chat/completions``; None for ``$OPENAI_BASE_URL``, else OpenAI's.
        key: name of the environment variable with the key, which ends in ``_API_KEY``; a variable of this name with
            ``_FILE`` may hold the path of a file with the key. None for ``OPENAI_API_KEY`` where `base_url` is None,
            else no key is sent.
        timeout: seconds after which a request without a whole reply fails.
        retries: number of further tries.
        component: name of the component that asks, for errors.

    Raises:
        ModelError: the address is not an http or https address, or the variable has another name.
    """

    def __init__(
        self,
        base_url: str | None = None,
        key: str | None = None,
        timeout: float = 120,
        retries: int = 4,
        component: str = "openai",
    ) -> None:
        check_number(component, "timeout", timeout, low=0.001)
        check_number(component, "retries", retries, low=0, high=20, integer=True)
        self._component = component
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
            raise ModelError(
                f"{component}: base_url is not an address such as https://api.example.org/v1, without a key."
            )
        if key is not None and not re.fullmatch(r"[A-Z][A-Z0-9_]*_API_KEY", key):
            raise ModelError(
                f"{component}: key is not the name of an environment variable that ends in _API_KEY: put the key into "
                f"such a variable, and give its name."
            )
        self.host = parts.hostname
        self._variable = key or ("OPENAI_API_KEY" if base_url is None else None)
        self._timeout, self._retries = timeout, retries
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Endpoint({self.base_url!r})"

    def ready(self) -> None:
        """Check that there is a key, if one is needed.

        Raises:
            ModelError: there is none.
        """
        self._key()

    def _key(self) -> str:
        """Return the key, or a placeholder if no key is sent."""
        if self._variable is None:
            return "none"
        if file := os.environ.get(f"{self._variable}_FILE"):
            try:
                key = Path(file).expanduser().read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise ModelError(f"{self._component}: the file in ${self._variable}_FILE cannot be read.") from error
        else:
            key = os.environ.get(self._variable, "").strip()
        if not key:
            raise ModelError(f"{self._component}: ${self._variable} is not set: set it to the key of {self.host}.")
        if not re.fullmatch(r"[!-~]+", key):
            raise ModelError(
                f"{self._component}: ${self._variable} does not hold a key: it has blanks or letters beyond ASCII."
            )
        return key

    @cached_property
    def _client(self) -> Any:
        openai = require("openai", extra="llm")
        http = openai.DefaultHttpxClient(
            headers={"Accept-Encoding": "identity"},
            follow_redirects=False,
            event_hooks={"request": [_start], "response": [_bound_reply]},
            trust_env=self.host not in LOCAL_HOSTS,
        )
        weakref.finalize(self, http.close)  # Its connections end with this object.
        return openai.OpenAI(
            api_key=self._key(),
            base_url=self.base_url,
            timeout=self._timeout,
            max_retries=self._retries,
            http_client=http,
        )

    def post(self, path: str, body: Mapping[str, object]) -> tuple[object, float]:
        """Send a JSON object and return the JSON value of the reply, and the time in seconds.

        JSON counts whatever its label is; the chunks of a stream become one body.

        Raises:
            FailedReply: this request got no reply.
            ModelError: no request can succeed: no endpoint, a wrong key, or a quota that is used up.
            BadRequest: the endpoint refuses the request.
        """
        openai = require("openai", extra="llm")
        with self._lock:
            client = self._client
        start = perf_counter()
        try:
            reply = client.post(path, body=dict(body), cast_to=bytes)
        except openai.APITimeoutError:
            raise FailedReply("unavailable", f"{self.host} gave no reply in {self._timeout:g} seconds") from None
        except openai.APIConnectionError as error:
            raise self._unreachable(error) from None
        except openai.APIStatusError as error:
            raise self._refused(
                error.status_code, _json(error.response.content.decode("utf-8", "replace")), body
            ) from None
        except _TooLarge as error:
            raise FailedReply("unavailable", str(error)) from None
        except (ValueError, openai.OpenAIError) as error:
            raise FailedReply("unavailable", f"{self.host} sent no text ({type(error).__name__})") from None
        read = _json(reply.decode("utf-8", "replace"))
        has_parts = isinstance(read, Mapping) and any(
            isinstance(read.get(n), list | Mapping) and read[n] for n in _PARTS
        )
        if isinstance(read, str) or (not has_parts and next(_spoken(read), "")):
            raise self._refused(200, read, body)
        return read, perf_counter() - start

    def _key_cure(self) -> str:
        if self._variable is None:
            return "name the variable with the key, as in key='ACME_API_KEY'"
        in_file = os.environ.get(f"{self._variable}_FILE")
        return f"check the key in {f'the file of ${self._variable}_FILE' if in_file else f'${self._variable}'}"

    def _unreachable(self, error: BaseException) -> ModelError:
        cause = error.__cause__ or error
        if type(cause).__name__ in ("RemoteProtocolError", "ReadError"):
            return FailedReply("unavailable", f"{self.host} broke off its reply")
        return ModelError(
            f"{self._component}: {self.base_url} cannot be reached ({self.hidden(describe(cause))}): start the server, "
            f"or correct base_url; replies so far are in the cache."
        )

    def _refused(self, status: int, body: object, sent: Mapping[str, object]) -> ModelError:
        """Return the error that the body of a refusal means, with the endpoint's own words."""
        status = _status(status, body)
        words = self.hidden(_words(body)) or "without a reason"
        kind = _kind(status, body, sent)
        told = f"{self._component}: {self.host} answered {status}: {words}"
        if kind == "quota":
            return ModelError(
                f"{told}: raise the limit of your account, or take another model; replies so far are kept."
            )
        if kind == "bad":
            told = f"{self._component}: {self.host} refuses the request: {words}"
            return BadRequest(told, _refused_parameters(body, sent))
        if kind == "stop":
            cure = "check the model and base_url" if status in (404, 405) else self._key_cure()
            return ModelError(f"{told}: {cure}.")
        if kind != "unavailable":
            return FailedReply(kind, words)
        answered = f"answered {status}" if status != 200 or not isinstance(body, str) else "sent no JSON"
        return FailedReply(kind, f"{self.host} {answered}: {words}")

    def hidden(self, text: str) -> str:
        """Return a text without the key, its beginning, or anything else that looks like a key."""
        key = "" if self._variable is None else self._key()
        if len(key) >= 12:
            text = re.sub(rf"{re.escape(key[:6])}[^\s\"',;)]*", "…", text.replace(key, "…"))
        return _KEY.sub("…", text.replace(key, "…") if key else text)


_KEY = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|nvapi|hf|csk|ghp|fw|pplx|r8|up|AIza|api-?key)[-_][\w-]{6,}|\bAIza[\w-]{20,}|[\w-]*\*{3,}[\w*-]*"
    r"|(?<=Bearer )\S+|\beyJ[\w-]+\.[\w-]+\.[\w-]+|\b(?=\w*\d)[A-Za-z0-9]{28,}\b"
)
_PARTS = ("choices", "output", "content", "message", "data", "results")
"""Fields of a body that has a reply of any service."""
_SPOKEN = (
    *("message", "msg", "detail", "details", "error", "errors", "error_msg", "error_description", "reason", "raw"),
    *("title", "description", "metadata", "status", "result"),
)
"""Fields of a refusal that may have words for people, also at depth."""
_CODES = ("code", "type", "status", "error_code", "reason")

_MONEY = r"(?:quota|credits?|balance|budget|spend\w* limit|usage limit)"
_QUOTA = re.compile(
    r"insufficient[ _-]?(?:user[ _-]?)?(?:quota|balance|credits?|funds)|exceeded[ _](?:your )?current[ _]quota|"
    rf"{_MONEY}.{{0,40}}(?:exceeded|exhausted|used up|depleted|too low|reached|negative)|"
    rf"\b(?:exceeded|exhausted|used up|out of|reached|no)\b.{{0,30}}\b{_MONEY}|"
    r"payment[ _]required|billing|arrearage|余额不足|额度(?:已|不足)|欠费|残高|잔액",
    re.IGNORECASE,
)
_HEALS = re.compile(r"per[ _-]?(?:second|minute)|\b[rt]pm\b|retry|try again (?:in|after)", re.IGNORECASE)
_FILTERED = re.compile(
    r"moderation|content[ _-]?(?:filter|policy|management|safety|exists risk)|data_?inspection|responsible ?ai|"
    r"(?:input|prompt|content|message|text|query|output)s?\b.{0,80}?(?:flagged|blocked|unsafe|inappropriate|prohibited|"
    r"sensitive|harmful|high risk|violat)|considered high risk|guardrail|违规|敏感|不合规|不適切|유해|부적절",
    re.IGNORECASE,
)
_MORE = r"(?:too (?:long|large|many)|exceed|(?:long|great|more|larg|few|less)\w* than|at most|<=|over the)"
_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|window|size|limit)|context.{0,20}overflow|range of input length|request_too_large|"
    rf"(?:prompt|inputs?|sequence|messages?|string|text|query)\b.{{0,60}}?{_MORE}|"
    r"(?:too many|maximum|max\.?|number of|reduce the|limit of).{0,30}(?:tokens|(?:prompt|input|sequence) length)|"
    rf"tokens?\b.{{0,40}}?(?:limit|maximum|{_MORE})|max_(?:model|seq|input|prompt|position)\w*len|"
    r"reduce the (?:length|size)|(?:request|payload|body).{0,20}too (?:large|long)|"
    r"(?:prompt|输入|提示|上下文|内容|文本|请求|消息|长度|tokens?).{0,20}(?:过长|太长|超)|"
    r"(?:長さ|入力|トークン|文字).{0,20}(?:超|長すぎ)|"
    r"(?:길이|입력|토큰|프롬프트|텍스트|요청).{0,20}(?:초과|깁니다|길어|넘)",
    re.IGNORECASE,
)
_OF_REPLY = re.compile(r"max_?(?:completion_|new_|output_)?tokens|(?:completion|output) tokens", re.IGNORECASE)
_OF_REQUEST = re.compile(r"context|input|prompt|messages", re.IGNORECASE)
_TOO_LONG_429 = re.compile(r"request too large|must be reduced|reduce the length", re.IGNORECASE)

_OPTIONAL = {
    "response_format": r"response_?format|json_?schema|structured[ _-]?output|guided|grammar|schema|json[ _-]?mode",
    "seed": r"\bseed\b",
    "temperature": r"\btemperature\b",
    "max_tokens": r"\bmax_tokens\b",
    "system": r"(?:system|developer)[ _](?:role|message|prompt|instruction)|\bsystem\b.{0,20}\brole|"
    r"roles? must alternate|only.{0,40}\brole|(?:unexpected|invalid) role|instruction is not (?:enabled|supported)",
}
"""What some models refuse, with the words by which they do: parameters, and messages of the role ``system``."""


def _json(text: str) -> object:
    """Return the JSON in the text of a reply, the body that the chunks of a stream make, or else the text."""
    text = text.lstrip("\ufeff").strip()
    try:
        if re.match(r"(?:data|event|id|retry)?:", text):
            lines = (line[5:].strip() for line in text.splitlines() if line.startswith("data:"))
            return merged([one for line in lines if line.startswith("{") and isinstance(one := json.loads(line), dict)])
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _status(status: int, body: object) -> int:
    """Return the status of a refusal, which a 200 may have in its body."""
    error = body.get("error", body) if isinstance(body, Mapping) else None
    if status != 200 or not isinstance(error, Mapping):
        return status
    codes = (str(error.get(name)) for name in ("code", "status"))
    return next((int(code) for code in codes if re.fullmatch(r"[45]\d\d", code)), status)


def _spoken(value: object) -> Iterator[str]:
    """Yield the sentences in the body of a refusal."""
    if isinstance(value, str):
        value = value[:_READ]
        inner = _json(value) if value.lstrip().startswith("{") else value
        if inner is not value and not isinstance(inner, str):
            yield from _spoken(inner)
        elif text := " ".join(html.unescape(re.sub(r"(?is)<(script|style)\b.*?</\1>|<[^<>]*>", " ", value)).split()):
            yield "".join(one if one.isprintable() else " " for one in text)
    elif isinstance(value, list):
        for one in value:
            yield from _spoken(one)
    elif isinstance(value, Mapping):
        if isinstance(place := value.get("loc"), list):  # FastAPI names the field.
            yield ".".join(map(str, place))
        for name in _SPOKEN:
            yield from _spoken(value.get(name))


def _words(body: object) -> str:
    """Return what the body of a refusal says, each sentence once, on one line of up to 300 characters."""
    said = list(dict.fromkeys(_spoken(body)))
    words = "; ".join(one for one in said if not any(one != more and one in more for more in said))
    if not words and isinstance(body, Mapping | list) and body:
        words = json.dumps(body, ensure_ascii=False)
    return words if len(words) <= 300 else f"{words[:299]}…"


def _codes(value: object) -> Iterator[str]:
    """Yield the codes in the body of a refusal."""
    if isinstance(value, Mapping):
        yield from (str(value[name]) for name in _CODES if isinstance(value.get(name), str | int))
        for one in value.values():
            yield from _codes(_json(one) if isinstance(one, str) and one.startswith("{") else one)


def _parameters(value: object) -> set[str]:
    """Return the parameters that the body of a refusal names in a field of its own."""
    names: set[str] = set()
    if isinstance(value, Mapping):
        place = [value.get("param"), *(value["loc"] if isinstance(value.get("loc"), list) else ())]
        names = {re.split(r"[.\[]", one)[0] for one in place if isinstance(one, str)}
        names |= {"system"} if any(isinstance(one, str) and re.search(r"\brole$", one) for one in place) else set()
    if isinstance(value, str) and value.startswith("{"):
        value = _json(value)
    for one in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        names |= _parameters(one)
    return names


def _refused_parameters(body: object, sent: Mapping[str, object]) -> list[str]:
    """Return the parameters of :data:`_OPTIONAL` that a refusal names: in a field, or else in its words, in order."""
    if named := [name for name in _OPTIONAL if name in _parameters(body)]:
        return named
    words = _without_echo("; ".join(_spoken(body)), sent)
    places = {name: re.search(form, words, re.IGNORECASE) for name, form in _OPTIONAL.items()}
    return [name for _, name in sorted((place.start(), name) for name, place in places.items() if place)]


def _without_echo(words: str, sent: Mapping[str, object]) -> str:
    """Return words of an endpoint without what they repeat of the messages: a question may be about *temperature*."""
    messages = sent.get("messages")
    texts = [one.get("content") for one in messages] if isinstance(messages, list) else []
    for text in texts:
        for line in sorted(str(text).splitlines(), key=len, reverse=True):
            if len(line.strip()) > 3:
                words = words.replace(" ".join(line.split()), " ")
    return words


def _kind(status: int, body: object, sent: Mapping[str, object]) -> Any:
    """Return what a refusal means: a state of the reply, ``quota``, ``stop`` (nothing can succeed), or ``bad``.

    Args:
        status: the status, or 200.
        body: JSON, or a text.
        sent: the request, whose texts the endpoint may repeat.
    """
    said = f"{_without_echo('; '.join(_spoken(body)), sent)} {' '.join(_codes(body))}"
    if status == 402 or (_QUOTA.search(said) and not _HEALS.search(said)):
        return "quota"
    own = _parameters(body) & _OPTIONAL.keys() - {"max_tokens", "system"}
    of_reply = _OF_REPLY.search(said) and not _OF_REQUEST.search(said)
    refused = status in (200, 400, 403, 413, 422, 451, 500)
    if status == 413 or (status == 429 and _TOO_LONG_429.search(said)):
        return "too_long"
    if refused and status != 403 and not own and not of_reply and _TOO_LONG.search(said):
        return "too_long"
    if refused and _FILTERED.search(said):
        return "filtered"
    if status in (401, 403, 404, 405, 407):
        return "stop"
    return "bad" if status in (400, 422) else "unavailable"


def check_fields(
    component: str, name: str, fields: Mapping[str, object] | None, reserved: Collection[str]
) -> dict[str, object]:
    """Return further fields of a request to an endpoint.

    Args:
        component: name of the component that has them.
        name: name of its parameter.
        fields: JSON values by name; None for none.
        reserved: fields that the component fills in itself.

    Raises:
        ComponentError: they are not a mapping from names to JSON values, or a name is reserved.
    """
    given = {} if fields is None else fields
    try:
        json.dumps(given, allow_nan=False)
        named = isinstance(given, Mapping) and all(isinstance(one, str) for one in given)
    except (TypeError, ValueError):
        named = False
    if not named:
        raise ComponentError(f"{component}: {name}={fields!r} is not a dict from names of fields to JSON values.")
    if taken := [one for one in reserved if one in given]:
        raise ComponentError(f"{component}: {name} may not have the field {taken[0]!r}, which {component} fills in.")
    return dict(given)


LOCAL_HOSTS = ("127.0.0.1", "::1", "localhost")
"""Hosts that are this machine."""


class BadRequest(ModelError):  # noqa: N818  (the name of the status)
    """A request that the endpoint refuses; `parameters` are those of :data:`_OPTIONAL` that it names."""

    def __init__(self, message: str, parameters: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.parameters = tuple(parameters)


class _TooLarge(Exception):  # noqa: N818  (never leaves this module)
    pass


def _start(request: Any) -> None:
    request.extensions["legalir.start"] = perf_counter()


def _bound_reply(response: Any) -> None:
    """Stop reading a reply after :data:`MOST_BYTES`, or after the time limit; do not try again what cannot succeed."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise _TooLarge("the reply is compressed, although that was not asked for")
    stream, late = response.stream, require("httpx2", extra="llm").ReadTimeout
    extensions = response.request.extensions
    end = extensions["legalir.start"] + (extensions["timeout"]["read"] or math.inf)

    class Bounded(require("httpx2", extra="llm").SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for piece in stream:
                size += len(piece)
                if size > MOST_BYTES:
                    raise _TooLarge(f"the reply has more than {MOST_BYTES // 1_000_000} MB")
                if perf_counter() > end:  # A server may send a blank every second to keep the connection.
                    raise late("the reply is not whole in time")
                yield piece

        def close(self) -> None:
            stream.close()

    response.stream = Bounded()
    if response.status_code >= 400:
        response.read()
        if _kind(response.status_code, _json(response.content.decode("utf-8", "replace")), {}) != "unavailable":
            response.headers["x-should-retry"] = "false"


class OpenAIChat(Declared):
    """A chat model behind an OpenAI-compatible endpoint: vLLM, Ollama, llama.cpp, and hosted ones.

    Raises:
        ModelError: a parameter is wrong.
    """

    component = "openai"

    model: Annotated[str, "name of the model there"]
    base_url: Annotated[
        str | None, "address before ``/chat/completions``; None for ``$OPENAI_BASE_URL``, else OpenAI's"
    ] = None
    key: Annotated[str | None, "name of the environment variable with the key; it ends in ``_API_KEY``"] = None
    body: Annotated[
        Mapping[str, object] | None,
        'further fields of each request, such as ``{"reasoning_effort": "low"}``; a field that is None is left out, '
        'such as ``{"temperature": None}``',
    ] = None
    timeout: Annotated[float, Ge(0.001), "seconds after which a request without a whole reply fails"] = 120
    retries: Annotated[
        int, Ge(0), Le(20), "number of further tries after a lost connection, a time-out, 429 and 5xx"
    ] = 4
    concurrency: Annotated[int, Ge(1), Le(1_000), "number of requests that may be under way at once"] = 8

    def __post_init__(self) -> None:
        self.body = check_fields("openai", "body", self.body, ("model", "messages"))
        self.endpoint = Endpoint(self.base_url, self.key, self.timeout, self.retries)
        self._omitted: dict[str, tuple[str, ...]] = {}
        self._lock, self._first = threading.Lock(), threading.Lock()
        self._has_replied, self._stop, self._stopped = False, ModelError(""), -math.inf

    @property
    def name(self) -> str:
        """Name of the model, and the first digits of a sha256 of the further fields, if there are any."""
        return f"{self.model}@{digest(self.body)[:16]}" if self.body else self.model

    @property
    def host(self) -> str:
        """The host that questions are sent to."""
        return self.endpoint.host

    def ready(self) -> None:
        """Check that there is a key, if one is needed.

        Raises:
            ModelError: there is none.
        """
        self.endpoint.ready()

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one request.

        A parameter that the endpoint refuses is left out if it gives a reply then; from then on, it is left out of all
        requests with the same schema. A message says so, and each reply has it in `omitted`. For a model without the
        role ``system``, that text begins the first message of the user.

        Other requests wait for the first reply: where none can succeed, only one is sent.

        Raises:
            FailedReply: this request got no reply.
            ModelError: no request can succeed.
        """
        begun = perf_counter()
        with nullcontext() if self._has_replied else self._first:
            if self._stopped > begun:
                raise self._stop
            try:
                reply = self._chat(request)
            except ModelError as error:
                if not isinstance(error, FailedReply):
                    self._stop, self._stopped = error, perf_counter()
                raise
            self._has_replied = True
            return reply

    def _chat(self, request: ChatRequest) -> ChatReply:
        body = self._body(request)
        place = "" if request.schema is None else digest(request.schema)
        omitted = self._omitted.get(place, ())
        first: BadRequest | None = None
        while True:
            try:
                reply = read_completion(*self.endpoint.post("/chat/completions", _without(body, omitted)))
                break
            except BadRequest as error:
                blind = () if first or request.schema is None else ("response_format",)  # It may not say what it is.
                named = [name for name in (*error.parameters, *blind) if name not in omitted and _has(body, name)]
                if not named:
                    raise (first if first and not error.parameters else error) from None
                first, omitted = first or error, (*omitted, named[0])
        if first is not None:
            self._learn(place, omitted, request.prompt, first)
        return replace(reply, omitted=tuple(name for name in omitted if name != "max_tokens"))

    def _learn(self, place: str, omitted: tuple[str, ...], prompt: str, error: BadRequest) -> None:
        with self._lock:
            known = self._omitted.get(place, ())
            self._omitted[place] = (*known, *(name for name in omitted if name not in known))
        for name in omitted:
            if name not in known and name != "max_tokens":
                done = "is sent as words of the user" if name == "system" else "is left out"
                _log.warning("%s of the prompt %r %s for %s: %s", name, prompt, done, self.name, error)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            "temperature": request.temperature,
            "seed": request.seed,
            "max_tokens": request.max_tokens,
        }
        if request.schema is not None:
            strict = strict_schema(request.schema)
            name = re.sub(r"[^A-Za-z0-9_-]", "_", request.prompt)[:64] or "reply"
            schema = {"name": name, "strict": strict is not None, "schema": strict or request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        if request.logprobs:
            body |= {"logprobs": True, "top_logprobs": request.logprobs}
        further: Json = self.body or {}
        return {name: value for name, value in {**body, **further}.items() if value is not None}


def _has(body: Mapping[str, Any], name: str) -> bool:
    return any(one["role"] == "system" for one in body["messages"]) if name == "system" else name in body


def _without(body: Mapping[str, Any], omitted: Collection[str]) -> dict[str, Any]:
    """Return a request without what the endpoint refuses; `max_tokens` has another name in newer models."""
    left = {("max_completion_tokens" if key == "max_tokens" else key) if key in omitted else key: key for key in body}
    left = {name: key for name, key in left.items() if key not in omitted or key == "max_tokens"}
    sent = {name: body[key] for name, key in left.items()}
    if "system" in omitted:
        system = "\n\n".join(one["content"] for one in body["messages"] if one["role"] == "system")
        rest = [one for one in body["messages"] if one["role"] != "system"]
        sent["messages"] = [{**rest[0], "content": f"{system}\n\n{rest[0]['content']}"}, *rest[1:]]
    return sent


_UNKNOWN_IN_STRICT = ("default", "title", "minLength", "maxLength", "uniqueItems", "discriminator", "examples")


def strict_schema(schema: Json) -> dict[str, Any] | None:
    """Return a JSON schema in the form that strict endpoints accept, or None if it has no such form.

    Each object requires all its properties, and has no others; there are no defaults. An object with any keys, and a
    tuple, have no such form.
    """
    if "prefixItems" in schema or schema.get("additionalProperties") not in (None, False):
        return None
    if schema.get("type") == "object" and "properties" not in schema:
        return None
    strict: dict[str, Any] = {}
    for name, value in schema.items():
        parts: dict[Any, Any] = {}
        if name in ("properties", "$defs"):
            parts = {key: strict_schema(part) for key, part in value.items()}
            strict[name] = parts
        elif name in ("anyOf", "oneOf", "allOf"):
            parts = {place: strict_schema(part) for place, part in enumerate(value)}
            strict |= {"anyOf": list(parts.values())} if len(parts) > 1 else parts[0] or {}
        elif name == "items":
            strict[name] = parts[name] = strict_schema(value)
        elif name not in _UNKNOWN_IN_STRICT:
            strict |= {"enum": [value]} if name == "const" else {name: value}
        if None in parts.values():
            return None
    if "properties" in strict:
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return {"$ref": strict["$ref"]} if "$ref" in strict and "$defs" not in strict else strict


openai = factory_of(
    OpenAIChat,
    "Ask a chat model behind an OpenAI-compatible endpoint: "
    '``openai(model="…", base_url="http://127.0.0.1:8000/v1")``.',
)
