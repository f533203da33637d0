"""The one client: all components ask through it, so that caching, limits, retries and counts are the same for all."""

from __future__ import annotations

import gzip
import logging
import math
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar, cast

from pydantic import BaseModel

from legalir import plugins
from legalir.errors import ArtifactError, ComponentError, LegalIRError, ModelError, PluginNotFound
from legalir.frames.columns import whole_characters
from legalir.llm.cache import ReplyCache, StoredReply, default_cache
from legalir.llm.chat import (
    PASSING,
    ChatModel,
    ChatReply,
    ChatRequest,
    FailedReply,
    State,
    estimated_tokens,
    read_json,
    usable_text,
)
from legalir.llm.endpoint import LOCAL_HOSTS
from legalir.llm.prompts import Prompt
from legalir.progress import progress
from legalir.storage.digest import digest
from legalir.storage.files import atomic_file

_log = logging.getLogger("legalir")
_told: set[str] = set()
"""Hosts whose use was already printed."""

Check = Callable[[Any, str], object]
"""Callback that validates the content of a reply to a question; raises :class:`FailedReply` to reject it."""


class CheckedReply(NamedTuple):
    """The content of a validated reply, or the reason why there is none.

    Attributes:
        value: the text of the reply, or the requested object; None if the reply failed.
        state: ``ok``, or the kind of failure.
        reason: a sentence about the failure.
        reply: the reply as the model gave it; None if it gave none.
    """

    value: Any
    state: State
    reason: str = ""
    reply: ChatReply | None = None


class Service(NamedTuple):
    """A model behind an endpoint that is not a chat model, such as a hosted encoder.

    Attributes:
        name: id of the model.
        host: the host that texts are sent to.
        concurrency: number of requests that may be under way at once.
        ready: called before anything is sent; raises a ModelError if nothing can be.
    """

    name: str
    host: str
    concurrency: int
    ready: Callable[[], None] = lambda: None


class Failure(NamedTuple):
    """A failed reply.

    Attributes:
        prompt: name of the prompt.
        question: the question.
        state: one of :data:`~legalir.llm.chat.State`.
        reason: a sentence about it.
    """

    prompt: str
    question: str
    state: str
    reason: str


@dataclass
class Usage:
    """Number of requests, tokens and failures.

    Attributes:
        asked: number of requests sent to a model.
        stored: number of requests whose reply was stored.
        prompt_tokens: tokens of all requests, stored replies included.
        completion_tokens: tokens of all replies.
        paid_tokens: tokens of the requests that a model got, and of their replies; estimated where a chat model does
            not count them.
        failures: the failed replies, in order.
        models: host of each model by its id; empty for this process.
        notes: number of replies by what a reader must know about them, such as a parameter that was left out.
    """

    asked: int = 0
    stored: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    paid_tokens: int = 0
    failures: list[Failure] = field(default_factory=list)
    models: dict[str, str] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)

    def since(self, earlier: Usage) -> Usage:
        """Return the usage since `earlier`, a copy of this object."""
        counts = {name: getattr(self, name) - getattr(earlier, name) for name in _COUNTS}
        failures = self.failures[len(earlier.failures) :]
        return Usage(**counts, failures=failures, models=dict(self.models), notes=self.notes - earlier.notes)

    def plus(self, other: Usage) -> Usage:
        """Return the sum of both."""
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        failures, models = self.failures + other.failures, self.models | other.models
        return Usage(**counts, failures=failures, models=models, notes=self.notes + other.notes)

    @property
    def failed(self) -> Counter[str]:
        """Number of failed replies by state."""
        return Counter(failure.state for failure in self.failures)

    def to_dict(self) -> dict[str, object]:
        """Return JSON values."""
        failures = [failure._asdict() for failure in self.failures]
        return {**vars(self), "failed": dict(self.failed), "failures": failures, "notes": dict(self.notes)}


_COUNTS = ("asked", "stored", "prompt_tokens", "completion_tokens", "paid_tokens")


class Client:
    """Asks chat models for a collection or a run.

    Args:
        llm: the default model, for components without a model of their own: a model, or name or call of a plugin of the
            role ``llm``, such as ``smollm2`` or ``openai(model="…")``; None for ``$LEGALIR_LLM``.
        cache: file of replies; None for ``llm.sqlite`` in the cache directory.
        offline: whether only replies that are stored are used.
        local_only: whether models on other machines are refused.
        max_tokens_total: limit of tokens in requests and replies together, after which no request is sent.
        retry_failed: whether all requests whose stored reply failed are sent again. Without it, only those are whose
            failure is in :data:`~legalir.llm.chat.PASSING` and is not in a file of replies.
        collection: passed to the factories of models.

    Raises:
        ComponentError: `max_tokens_total` is not a positive integer.
    """

    usage: Usage
    """Requests so far."""

    def __init__(
        self,
        llm: str | ChatModel | None = None,
        *,
        cache: str | PathLike[str] | None = None,
        offline: bool = False,
        local_only: bool = False,
        max_tokens_total: int | None = None,
        retry_failed: bool = False,
        collection: object = None,
    ) -> None:
        if max_tokens_total is not None and max_tokens_total < 1:
            raise ComponentError(f"max_tokens_total={max_tokens_total} is not a positive integer.")
        self.llm = llm or os.environ.get("LEGALIR_LLM") or None
        self.offline, self.local_only, self.max_tokens_total = offline, local_only, max_tokens_total
        self.retry_failed, self.collection = retry_failed, collection
        self.usage = Usage()
        self._file = None if cache is None else Path(cache)
        self._replies: dict[str, StoredReply] = {}
        self._used: dict[str, StoredReply | None] = {}
        self._models: dict[str, ChatModel] = {}
        self._warned: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    @cached_property
    def _cache(self) -> ReplyCache:
        """The replies, opened for the first request; by default in the cache directory."""
        return ReplyCache(default_cache() if self._file is None else self._file)

    def __reduce__(self) -> tuple[Any, ...]:
        names = ("llm", "offline", "local_only", "max_tokens_total", "retry_failed")
        settings = {name: getattr(self, name) for name in names}
        # A client knows its collection, which knows the client.
        state = {**settings, "_cache": self._cache, "_replies": self._replies, "collection": self.collection}
        return Client, (), state

    def _identity(self) -> tuple[object, ...]:
        return self.llm_name(), self._cache.path, self.offline, self.local_only, self.max_tokens_total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Client) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"Client({self.llm_name()!r})"

    def over(self, collection: object) -> Client:
        """Return this client for a collection: the same settings, cache and counts, with separate replies."""
        client = Client.__new__(Client)
        vars(client).update({**vars(self), "collection": collection, "_models": {}, "_replies": {}, "_used": {}})
        return client

    def model(self, llm: str | ChatModel | None = None) -> ChatModel:
        """Return a model, made the first time; None is the client's own.

        Raises:
            ComponentError: `llm` is neither a model nor a text.
            ModelError: no model is named, or it is on another machine and `local_only` is set.
            LegalIRError: the model cannot be made.
        """
        spec = llm or self.llm
        if isinstance(spec, ChatModel):
            self.allow(spec)
            return spec
        if spec is None:
            raise ModelError(
                "No language model is named: give --llm, set LEGALIR_LLM, or write llm='…' in the component; "
                "smollm2 is a small one for a first try."
            )
        if not isinstance(spec, str):
            raise ComponentError(
                f"llm={spec!r} is neither a model nor its name: write llm='smollm2', or llm='openai(model=\"…\")'."
            )
        if spec not in self._models:
            try:
                made = cast(ChatModel, plugins.make("llm", spec, self.collection))
            except PluginNotFound as error:
                raise ComponentError(str(error)) from None
            self.allow(made)
            self._models[spec] = made
        return self._models[spec]

    def llm_name(self) -> str | None:
        """Return the name of the client's own model as the caller wrote it, or None."""
        return self.llm if self.llm is None or isinstance(self.llm, str) else self.llm.name

    @property
    def fingerprint(self) -> str:
        """Digest of the name of the client's own model, or of its text if it cannot be made; empty if there is none."""
        try:
            return "" if self.llm is None else digest(self.model().name)
        except LegalIRError:
            return digest(self.llm_name())

    def allow(self, model: ChatModel | Service) -> None:
        """Check that a model is allowed.

        Raises:
            ModelError: it is on another machine, and `local_only` is set.
        """
        if self.local_only and model.host and model.host not in LOCAL_HOSTS:
            raise ModelError(
                f"{model.name} is on {model.host}, and only models on this machine are allowed (--local-only)."
            )

    def ask(
        self,
        prompt: Prompt,
        values: Sequence[Mapping[str, object]],
        *,
        llm: str | ChatModel | None = None,
        kind: type[BaseModel] | None = None,
        check: Check | None = None,
        attempts: int = 2,
        may_be_cut: bool = False,
        **settings: Any,
    ) -> list[CheckedReply]:
        """Ask a model about each of several questions.

        A failed request is repeated with the next seed, `attempts` times in all. Stored replies are used,
        whatever they cost; a reply is stored as soon as it arrives.

        Args:
            prompt: the prompt.
            values: values of the prompt's slots, one mapping per question; ``question`` is the question.
            llm: the model; None for the client's own.
            kind: type of the requested object; None for plain text.
            check: checks the text or object of a reply.
            attempts: number of replies, at least 1, until the last failure counts.
            may_be_cut: whether a text that `max_tokens` cut is of use.
            settings: ``temperature, seed, max_tokens`` of the requests.

        Returns:
            One answer per question, in their order.

        Raises:
            ModelError: no request can succeed, a stored reply is missing and `offline` is set, or
                `max_tokens_total` is reached; replies so far are stored.
            ArtifactError: the cache cannot be used.
        """
        model = self.model(llm)
        if not values:
            return []
        schema = None if kind is None else kind.model_json_schema()
        requests = [
            ChatRequest(
                prompt.messages(one),
                schema,
                prompt=prompt.name,
                fingerprint=prompt.fingerprint,
                question=whole_characters(str(one.get("question", ""))),
                **settings,
            )
            for one in values
        ]

        stopped = threading.Event()

        def answer(request: ChatRequest) -> CheckedReply:
            for attempt in range(attempts):
                result = self._answer(model, replace(request, seed=request.seed + attempt), kind, check, may_be_cut)
                if result.state in ("ok", "too_long", "unavailable") or stopped.is_set():
                    break
            return result

        keys = [request.key(model.name) for request in requests]
        first = dict(zip(keys, requests, strict=True))  # Equal requests are sent only once.
        with progress(f"Asking {model.name}", len(first)) as advance:
            done = dict(zip(first, _together(list(first.values()), answer, model, stopped, advance), strict=True))
        answers = [done[key] for key in keys]
        self._count(requests, answers)
        return answers

    def replies(
        self,
        service: Service,
        requests: Sequence[ChatRequest],
        send: Callable[[list[ChatRequest]], list[ChatReply]],
        *,
        size: int = 1,
        advance: Callable[[int], None] = lambda done: None,
    ) -> list[ChatReply]:
        """Return the reply of a service to each of several requests: the stored reply, or a new one.

        What the service gives is stored at once, a reply a request, whatever batch it was in.

        Args:
            service: the service.
            requests: the requests.
            send: returns the replies to up to `size` requests, which are sent as one; threads call it at once.
            size: number of requests in a batch.
            advance: called with the number of further requests that are done.

        Raises:
            ModelError: a batch got no reply of use, a stored reply is missing and `offline` is set, or
                `max_tokens_total` is reached; replies so far are stored.
            ArtifactError: the cache cannot be used.
        """
        self.allow(service)
        keys = [request.key(service.name) for request in requests]
        first = dict(zip(keys, requests, strict=True))  # Equal requests are sent only once.
        done: dict[str, ChatReply] = {}
        for key in first:
            stored = self._stored(key)
            if stored is not None and stored.reply is not None:
                self._record(service, stored, keep=False)
                done[key] = stored.reply
        times = Counter(keys)
        advance(sum(times[key] for key in done))
        missing = [key for key in first if key not in done]
        batches = [missing[place : place + size] for place in range(0, len(missing), size)]

        def ask(batch: list[str]) -> list[ChatReply]:
            self._check_allowance(service, first[batch[0]])
            try:
                replies = send([first[key] for key in batch])
            except FailedReply as failure:
                cure = "send less of a text by max_characters=…" if failure.state == "too_long" else "run again"
                raise ModelError(
                    f"{service.name} on {service.host}: {failure}: {cure}; replies so far are stored."
                ) from failure
            for key, reply in zip(batch, replies, strict=True):
                stored = StoredReply.of(service.name, first[key], reply)
                self._record(service, stored, paid=True, keep=False)
                self._cache.put(stored)
            advance(sum(times[key] for key in batch))
            return replies

        for batch, replies in zip(batches, _together(batches, ask, service), strict=True):
            done.update(zip(batch, replies, strict=True))
        return [done[key] for key in keys]

    def _answer(
        self,
        model: ChatModel,
        request: ChatRequest,
        kind: type[BaseModel] | None,
        check: Check | None,
        may_be_cut: bool,
    ) -> CheckedReply:
        """Return the answer to one request; a failed reply is an answer, too."""
        key = request.key(model.name)
        stored = self._stored(key)
        if stored is not None:
            answer = _checked(stored, request.question, kind, check, may_be_cut)
            if answer.state == "ok" or self._is_final(stored, answer.state):
                self._record(model, stored, request)
                return answer
        self._check_allowance(model, request)
        try:
            stored = StoredReply.of(model.name, request, model.chat(request))
        except FailedReply as failure:
            stored = StoredReply.of(model.name, request, failure)
        self._record(model, stored, request, paid=True)
        if stored.state != "unavailable":
            self._cache.put(stored)
        return _checked(stored, request.question, kind, check, may_be_cut)

    def _is_final(self, stored: StoredReply, state: State) -> bool:
        """Return True if a stored failure counts, so that the request is not sent again."""
        if self.offline or (stored.key in self._used and stored.state != "unavailable"):
            return True
        if self.retry_failed:
            return False
        # What a file of replies has is a record of a run.
        return state not in PASSING or (stored.key in self._replies and stored.state != "unavailable")

    def _stored(self, key: str) -> StoredReply | None:
        read = self._replies.get(key)
        if read is not None and read.state != "unavailable":
            return read
        return self._cache.get(key) or read  # Another run may have got the reply.

    def _record(
        self,
        model: ChatModel | Service,
        stored: StoredReply,
        request: ChatRequest | None = None,
        *,
        paid: bool = False,
        keep: bool = True,
    ) -> None:
        """Count a reply and record that it was used.

        Args:
            request: the request to a chat model; None for a service.
            paid: whether it was sent.
            keep: whether a reply that no cache has is kept in memory.
        """
        reply = stored.reply or ChatReply("")
        tokens = reply.prompt_tokens, reply.completion_tokens
        size = sum(len(text.encode()) for _, text in request.messages) if request else 0
        spent, notes = sum(tokens), [f"{model.name}: {name} was refused and left out" for name in reply.omitted]
        if stored.reply is not None and request is not None:
            if not spent:
                spent = math.ceil(size / 3) + estimated_tokens(reply.text)
            if model.host and _was_cut(tokens[0], size):  # Models in this process raise an error.
                notes.append(f"{model.name}: {_FEW_TOKENS}")
                if paid:
                    self._warn(_FEW_TOKENS_WARNING, model.name, tokens[0], math.ceil(size / 3))
        with self._lock:
            self.usage.asked += paid
            self.usage.stored += not paid
            self.usage.prompt_tokens += tokens[0]
            self.usage.completion_tokens += tokens[1]
            self.usage.paid_tokens += spent if paid else 0
            self.usage.models[model.name] = model.host
            self.usage.notes.update(notes)
            self._used[stored.key] = stored if keep else None
            if keep and stored.key in self._replies:
                self._replies[stored.key] = stored  # It may have been unavailable before.

    def _warn(self, words: str, name: str, *values: object) -> None:
        """Print a warning about a model once."""
        with self._lock:
            if (words, name) in self._warned:
                return
            self._warned.add((words, name))
        _log.warning(words, name, *values)

    def _check_allowance(self, model: ChatModel | Service, request: ChatRequest) -> None:
        service = isinstance(model, Service)
        if self.offline:
            text = request.messages[0][1] if service else request.question
            raise ModelError(
                f"No reply of {model.name} to the prompt {request.prompt!r} is stored for the "
                f"{'text' if service else 'question'} {text[:200]!r}: run without offline once."
            )
        if ready := getattr(model, "ready", None):
            ready()
        with self._lock:
            spent = self.usage.paid_tokens
            if self.max_tokens_total is not None and spent >= self.max_tokens_total:
                raise ModelError(
                    f"Stopped after {spent} tokens, as max_tokens_total={self.max_tokens_total} asks: replies so far "
                    f"are stored; run again with a larger number to continue."
                )
            if model.host and model.host not in _told:
                _told.add(model.host)
                what = "Questions and provisions" if service else "Questions"
                _log.warning("%s are sent to %s (model %s).", what, model.host, model.name)

    def _count(self, requests: Sequence[ChatRequest], answers: Sequence[CheckedReply]) -> None:
        failures = [
            Failure(request.prompt, request.question, answer.state, answer.reason)
            for request, answer in zip(requests, answers, strict=True)
            if answer.state != "ok"
        ]
        with self._lock:
            self.usage.failures += failures
        for state, count in Counter(failure.state for failure in failures).items():
            reason = next(failure.reason for failure in failures if failure.state == state)
            _log.warning("Failed replies: %d %s (%s).", count, state, reason)

    def read_replies(self, path: Path) -> None:
        """Use the replies in a file that :meth:`write_replies` wrote, before the cache.

        Args:
            path: the file; it may be compressed with gzip, and then ends in ``.gz``.

        Raises:
            ArtifactError: the file cannot be read, or a line was altered.
        """
        with _opened(path) as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    stored = StoredReply.read(line)
                except ValueError as error:
                    raise ArtifactError(f"{path}, line {number}: {error}: get the whole file again.") from error
                self._replies[stored.key] = stored

    def used_replies(self) -> Iterator[StoredReply]:
        """Yield the replies that were used, and those that were read, in order of their keys."""
        used = self._used | self._replies
        stored = (used[key] or self._cache.get(key) for key in sorted(used))
        return (one for one in stored if one is not None)

    def write_replies(self, path: Path) -> None:
        """Write :meth:`used_replies`; no file for none."""
        if self._used or self._replies:
            with atomic_file(path) as stream:
                stream.writelines(f"{one.line()}\n" for one in self.used_replies())


T = TypeVar("T")
R = TypeVar("R")


def _together(
    tasks: Sequence[T],
    run: Callable[[T], R],
    model: ChatModel | Service,
    stopped: threading.Event | None = None,
    advance: Callable[[int], None] = lambda done: None,
) -> list[R]:
    """Return the result of `run` for each task, in parallel if the model allows it.

    Args:
        tasks: the tasks.
        run: function of a task; threads call it at once.
        model: limits the number of simultaneous requests.
        stopped: set when a task fails or Ctrl-C is pressed.
        advance: called with 1 after each task.
    """
    if not tasks:
        return []
    pool = ThreadPoolExecutor(min(model.concurrency, len(tasks)), "legalir-llm")
    try:
        waiting = {pool.submit(run, task): place for place, task in enumerate(tasks)}
        done: dict[int, R] = {}
        for future in as_completed(waiting):
            done[waiting[future]] = future.result()
            advance(1)
    except BaseException as error:
        # What is under way is paid for: it ends and is stored. The rest is not begun.
        if stopped is not None:
            stopped.set()
        interrupted = isinstance(error, KeyboardInterrupt)
        pool.shutdown(wait=not interrupted, cancel_futures=True)
        if interrupted:
            _log.warning("Requests under way end, and their replies are stored; Ctrl-C again gives them up.")
        raise
    pool.shutdown()
    return [done[place] for place in range(len(tasks))]


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    """Open a text file that may be compressed with gzip."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as stream:
            yield stream
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ArtifactError(f"The replies in {path} cannot be read ({error}): get the whole file again.") from error


def _checked(
    stored: StoredReply, question: str, kind: type[BaseModel] | None, check: Check | None, may_be_cut: bool
) -> CheckedReply:
    """Return the content of a stored reply, or why there is none."""
    try:
        text = usable_text(stored.given(), may_be_cut and kind is None)
        value = text if kind is None else read_json(text, kind)
        if check is not None:
            check(value, question)
    except FailedReply as failure:
        return CheckedReply(None, failure.state, str(failure), stored.reply)
    return CheckedReply(value, "ok", "", stored.reply)


_FEW_TOKENS = "fewer tokens counted than the request has, which may have been cut"
_FEW_TOKENS_WARNING = (
    "%s counted %d tokens of a request of about %d: it may have cut the request without a word, and answered from a "
    "part. Let the server take more (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx), or send less (context_tokens=…)."
)


def _was_cut(tokens: int, size: int) -> bool:
    """Return True if an endpoint seems to have read only a part of a request.

    No tokenizer makes fewer tokens than one of seven bytes of a text. A count at the very limit of a window, such as
    4096, also shows it, if the estimate is above.

    Args:
        tokens: number of tokens of the request that it reports; 0 for no report.
        size: number of UTF-8 bytes of the request.
    """
    at_limit = tokens >= 2047 and (tokens & (tokens - 1) == 0 or tokens & (tokens + 1) == 0)
    return size > 3000 and 0 < tokens < size / (4 if at_limit else 7)
