"""OpenAI-compatible endpoints: chat models, and the requests of hosted encoders and rerankers."""

from __future__ import annotations

import json
import os
import re
import threading
import weakref
from collections.abc import Collection, Iterator, Mapping
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
from legalir.llm.chat import ChatReply, ChatRequest, FailedReply, read_completion

OPENAI_URL = "https://api.openai.com/v1"
"""Default address."""

MOST_BYTES = 4_000_000
"""Size of the largest reply that is read."""

_OPTIONAL = {"response_format": None, "seed": None, "temperature": None, "max_tokens": "max_completion_tokens"}
"""Parameters that some models refuse, and the name that they have there."""


class Endpoint(Portable):
    """An address that takes JSON and returns JSON; retries, time limits and errors are the same for all its users.

    A request is tried again after a lost connection, a time-out, 429 and 5xx, with growing pauses or after the time
    that ``Retry-After`` says. The key is read from the environment and is never shown.

    Args:
        base_url: address before ``/chat/completions``; None for ``$OPENAI_BASE_URL``, else OpenAI's.
        key: name of the environment variable with the key, which ends in ``_API_KEY``; a variable of this name with
            ``_FILE`` may hold the path of a file with the key. None for ``OPENAI_API_KEY`` where `base_url` is None,
            else no key is sent.
        timeout: seconds after which a request without a reply fails.
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
            event_hooks={"response": [_bound_reply]},
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

        Raises:
            FailedReply: this request got no reply.
            ModelError: no request can succeed: no endpoint, or a wrong key.
            BadRequest: the endpoint refuses the request.
        """
        openai = require("openai", extra="llm")
        with self._lock:
            client = self._client
        start = perf_counter()
        try:
            reply = client.post(path, body=dict(body), cast_to=object)
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            cure = "check the model and base_url" if isinstance(error, openai.NotFoundError) else self._key_cure()
            raise ModelError(f"{self._component}: {self.host} answered {error.status_code}: {cure}.") from None
        except openai.APITimeoutError:
            raise FailedReply("unavailable", f"{self.host} gave no reply in {self._timeout:g} seconds") from None
        except openai.APIConnectionError as error:
            raise self._unreachable(error) from None
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            raise self._refused(error) from None
        except openai.APIStatusError as error:
            raise FailedReply("unavailable", f"{self.host} answered {error.status_code}") from None
        except _TooLarge as error:
            raise FailedReply("unavailable", str(error)) from None
        except (ValueError, RecursionError, openai.OpenAIError) as error:
            raise FailedReply("unavailable", f"{self.host} sent no JSON ({type(error).__name__})") from None
        return reply, perf_counter() - start

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

    def _refused(self, error: Any) -> ModelError:
        body = error.body if isinstance(error.body, Mapping) else {"message": error.body}
        told = body.get("message") or body.get("detail") or error.message
        message = self.hidden(" ".join(str(told).split())[:300])
        code = str(body.get("code") or body.get("type") or "")
        if "context" in code or re.search(r"context (length|size|window)|maximum.{0,20}tokens", message, re.IGNORECASE):
            return FailedReply("too_long", message)
        if "content_filter" in code or "content management policy" in message:
            return FailedReply("filtered", message)
        refusal = f"{self._component}: {self.host} refuses the request: {message}"
        return BadRequest(refusal, parameter=str(body.get("param") or "") or None)

    def hidden(self, text: str) -> str:
        """Return a text without the key."""
        return text if self._variable is None else text.replace(self._key(), "…")


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
    """A request that the endpoint refuses; `parameter` is the parameter that it names, if any."""


class _TooLarge(Exception):  # noqa: N818  (never leaves this module)
    pass


def _bound_reply(response: Any) -> None:
    """Stop reading a reply after :data:`MOST_BYTES`."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise _TooLarge("the reply is compressed, although that was not asked for")
    stream = response.stream

    class Bounded(require("httpx2", extra="llm").SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for piece in stream:
                size += len(piece)
                if size > MOST_BYTES:
                    raise _TooLarge(f"the reply has more than {MOST_BYTES // 1_000_000} MB")
                yield piece

        def close(self) -> None:
            stream.close()

    response.stream = Bounded()


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
    timeout: Annotated[float, Ge(0.001), "seconds after which a request without a reply fails"] = 120
    retries: Annotated[
        int, Ge(0), Le(20), "number of further tries after a lost connection, a time-out, 429 and 5xx"
    ] = 4
    concurrency: Annotated[int, Ge(1), Le(1_000), "number of requests that may be under way at once"] = 8

    def __post_init__(self) -> None:
        self.endpoint = Endpoint(self.base_url, self.key, self.timeout, self.retries)
        self._refused: set[str] = set()

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model

    @property
    def host(self) -> str:
        """The host that questions are sent to."""
        return self.endpoint.host

    def chat(self, request: ChatRequest) -> ChatReply:
        """Return the reply to one request.

        A parameter that the endpoint refuses is left out, also in later requests.

        Raises:
            FailedReply: this request got no reply.
            ModelError: no request can succeed.
        """
        body = self._body(request)
        while True:
            refused = set(self._refused)  # Other threads add to it.
            asked = {(_OPTIONAL[key] if key in refused else key): value for key, value in body.items()}
            try:
                reply = self.endpoint.post("/chat/completions", {key: one for key, one in asked.items() if key})
                return read_completion(*reply)
            except BadRequest as error:
                named = [key for key in _OPTIONAL if key in body and key not in refused]
                named = [key for key in named if key in (error.parameter or "") or key in str(error)]
                if not named:
                    raise
                self._refused.update(named)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": role, "content": text} for role, text in request.messages],
            "temperature": request.temperature,
            "seed": request.seed,
            "max_tokens": request.max_tokens,
        }
        if request.schema is not None:
            schema = {"name": request.prompt or "reply", "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        if request.logprobs:
            body |= {"logprobs": True, "top_logprobs": request.logprobs}
        return body


openai = factory_of(
    OpenAIChat,
    "Ask a chat model behind an OpenAI-compatible endpoint: "
    '``openai(model="…", base_url="http://127.0.0.1:8000/v1")``.',
)
