"""The work of requests: threads that do it within limits, and the reason that is given where there is no result."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import queue
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import pandas as pd
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from legalir.errors import AnalyzerError, ComponentError, DatasetNotFound, ExpressionError, LegalIRError
from legalir.extend import DEADLINE

if TYPE_CHECKING:
    import pyterrier as pt

_log = logging.getLogger("legalir_serve")
_T = TypeVar("_T")


CLIENT = ContextVar[str]("legalir_client", default="")
"""Who asks: an address, or a token."""

_REST = 4
"""Times that a client waits as long as its last long work took, so that a fifth of the time is left to it."""

_PAUSE = 0.5
"""Seconds before a client is told that it has its half: whoever asks again at once takes time from all."""

_LOOK = 0.05
"""Seconds between two looks whether other clients still ask."""


class Busy(Exception):  # noqa: N818  (reads as the sentence it is)
    """No worker is free, and enough requests wait."""


class TooSlow(Exception):  # noqa: N818
    """The work took longer than a request may."""


class NoVersions(ComponentError):  # noqa: N818
    """A day was given for a collection without versions."""


class Workers:
    """Threads that do the work of requests; what they cannot take is refused, and what is more than one client's half.

    Args:
        concurrency: number of requests whose work is done at once; seven times as many may wait.
        timeout: seconds that the work of a request may take.
        beside: workers that these make room for: they do one work of a client at a time, and after each that client
            waits four times as long as it took, while other clients ask there.
    """

    def __init__(self, concurrency: int, timeout: float, beside: Workers | None = None) -> None:
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="legalir-serve")
        self._most = 8 * concurrency
        self._begun = Counter[str]()
        self._beside = beside
        self._turns = WeakValueDictionary[str, asyncio.Lock]()
        self._rests: dict[str, float] = {}
        self.timeout = timeout

    async def run(self, work: Callable[..., _T], *arguments: Any, **named: Any) -> _T:
        """Return the result of `work`.

        Raises:
            Busy: no worker is free, and enough requests are waiting, in all or of this client.
            TooSlow: it took too long. Its worker is free again when the component that runs has ended: no further
                component of the pipeline starts. The same holds for work whose caller is cancelled.
        """
        client = CLIENT.get()
        if self._begun[client] >= max(1, self._most // 2):
            await asyncio.sleep(_PAUSE)
            raise Busy
        if self._begun.total() >= self._most:
            raise Busy
        self._begun[client] += 1
        deadline = time.monotonic() + self.timeout
        whole = partial(self._timed, client, lambda: deadline, partial(work, *arguments, **named))
        future: asyncio.Future[_T] | None = None
        try:
            async with asyncio.timeout(self.timeout), self._turn(client):
                future = asyncio.get_running_loop().run_in_executor(self._pool, whole)
                future.add_done_callback(partial(self._ended, client))
                return await asyncio.shield(future)
        except TimeoutError:
            raise TooSlow from None
        except asyncio.CancelledError:
            deadline = 0.0  # No further component of work that has begun starts.
            if future is not None:
                future.cancel()  # Work that has not begun does not begin.
            raise
        finally:
            if future is None:
                self._ended(client)

    @asynccontextmanager
    async def _turn(self, client: str) -> AsyncIterator[None]:
        """Wait until the next work of a client may begin, and keep its further ones waiting."""
        if self._beside is None:
            yield
            return
        async with self._turns.setdefault(client, asyncio.Lock()):
            while time.monotonic() < self._rests.get(client, 0) and self._beside.asked_by_others(client):
                await asyncio.sleep(_LOOK)
            yield

    def asked_by_others(self, client: str) -> bool:
        """Return whether there is work of other clients."""
        return self._begun.total() > self._begun[client]

    def _timed(self, client: str, deadline: Callable[[], float], work: Callable[[], _T]) -> _T:
        """Return the result of `work`, and note until when its client waits."""
        begun = time.monotonic()
        try:
            return _until(deadline, work)
        finally:
            if self._beside is not None:
                now = time.monotonic()
                rests = {**self._rests, client: now + _REST * (now - begun)}
                self._rests = {one: end for one, end in rests.items() if end > now}

    def _ended(self, client: str, future: asyncio.Future[Any] | None = None) -> None:
        self._begun -= Counter([client])  # It forgets clients of which nothing is left.
        if future is not None and not future.cancelled():
            future.exception()  # It is looked at, also if nobody waits any more.

    def close(self) -> None:
        """Take no further work."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _until(deadline: Callable[[], float], work: Callable[[], _T]) -> _T:
    """Return the result of `work`; no component of a pipeline starts after the deadline."""
    DEADLINE.set(deadline)  # A thread of a pool has a context of its own, and each request sets it anew.
    if time.monotonic() > deadline():
        raise TooSlow
    return work()


class _Asked(NamedTuple):
    """A question that waits for its results, and what returns the time after which nobody waits any more."""

    question: pd.DataFrame
    results: Future[pd.DataFrame]
    deadline: Callable[[], float]


class Together:
    """A pipeline that threads share: questions that come while it searches are searched together in its next turn.

    A batch takes a fraction of the time that its questions take one by one, and the results are the same. One thread
    searches for all, so that what a search needs is allocated once and not in the memory of each thread.

    Args:
        pipeline: gives ranked lists.
        most: largest number of questions of a turn.
    """

    def __init__(self, pipeline: pt.Transformer, most: int = 16) -> None:
        self._pipeline = pipeline
        self._most = most
        self._waiting = queue.SimpleQueue[_Asked]()
        self._searcher = ThreadPoolExecutor(1, thread_name_prefix="legalir-search")

    def search(self, question: pd.DataFrame) -> pd.DataFrame:
        """Return the results of one question; errors are the pipeline's errors for this question.

        Raises:
            TimeoutError: the deadline of the request has passed.
        """
        mine = _Asked(question, Future(), DEADLINE.get())
        self._waiting.put(mine)
        self._searcher.submit(self._turn)
        left = mine.deadline() - time.monotonic()
        return mine.results.result(None if math.isinf(left) else max(0, left))

    def _turn(self) -> None:
        """Search for those that wait, if an earlier turn has not done so."""
        turn = list[_Asked]()
        with suppress(queue.Empty):
            while len(turn) < self._most:
                asked = self._waiting.get_nowait()
                if time.monotonic() <= asked.deadline():
                    turn.append(asked)
                else:  # Its thread may still wait, though nobody waits for that.
                    asked.results.set_exception(TimeoutError("The time for this work is up."))
        if turn:
            self._search(turn)

    def _search(self, turn: Sequence[_Asked]) -> None:
        DEADLINE.set(lambda: max(one.deadline() for one in turn))  # As long as anybody waits.
        try:
            if len(turn) == 1:
                turn[0].results.set_result(self._pipeline.transform(turn[0].question))
                return
            questions = pd.concat([one.question for one in turn], ignore_index=True)
            found = self._pipeline.transform(questions.assign(qid=[str(place) for place in range(len(turn))]))
            of = {str(qid): rows for qid, rows in found.groupby("qid", sort=False)}
        except BaseException as error:  # Whatever it is, else its thread would wait for ever.
            if len(turn) == 1:
                turn[0].results.set_exception(error)
                return
            for one in turn:  # The error may be that of one question.
                self._search([one])
        else:
            for place, one in enumerate(turn):
                one.results.set_result(of.get(str(place), found.iloc[:0]))


class Refusal(NamedTuple):
    """The response to an error: pages and tools give the same reason.

    Attributes:
        status: the status.
        code: name of the kind of error, by which pages translate the reason.
        reason: a sentence in English.
        headers: further headers.
    """

    status: int
    code: str
    reason: str
    headers: Mapping[str, str] = {}


def refusal(error: BaseException, hidden: Callable[[str], str] = str) -> Refusal:
    """Return the response to an error. A fault of the server is logged, and the reason does not describe it.

    Args:
        error: the error.
        hidden: returns a text without paths of this machine.
    """
    if isinstance(error, Busy):
        return Refusal(
            429, "busy", "Too many requests are being answered: try again in a second.", {"retry-after": "1"}
        )
    if isinstance(error, TooSlow | TimeoutError):
        return Refusal(503, "too_slow", "The answer took too long: ask for less.", {"retry-after": "5"})
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part not in ("query", "body"))
        if first["type"] == "extra_forbidden":
            return Refusal(422, "invalid", f"There is no parameter {place!r} here.")
        return Refusal(422, "invalid", f"{place}: {first['msg']}")
    if isinstance(error, HTTPException):
        code = "not_found" if error.status_code == 404 else "invalid"
        return Refusal(error.status_code, code, f"{error.detail}.", error.headers or {})
    if isinstance(error, DatasetNotFound):
        return Refusal(404, "not_found", hidden(str(error)))
    if isinstance(error, AnalyzerError | ComponentError | ExpressionError):
        return Refusal(400, "no_versions" if isinstance(error, NoVersions) else "invalid", hidden(str(error)))
    if isinstance(error, LegalIRError):
        # Its message may hold paths of this machine.
        _log.error("A request could not be answered: %s", error)
        reason = "The server cannot answer this now; its log says why."
        return Refusal(503, "unavailable", reason, {"retry-after": "5"})
    _log.error("A request failed: %s", type(error).__name__, exc_info=error)
    return Refusal(500, "fault", "The server has a fault; its log says more.")


async def steps(
    run: Callable[..., Any],
    work: Callable[[Callable[[str], None]], Mapping[str, Any]],
    hidden: Callable[[str], str] = str,
) -> AsyncIterator[tuple[str, Mapping[str, Any]]]:
    """Yield ``step`` events of a long work, then ``answer``, its result, or ``error``, the reason why there is none.

    Args:
        run: does the work of a request.
        work: is given a function that it calls with a few words about each step.
        hidden: see :func:`refusal`.
    """
    loop, events = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    async def whole() -> Mapping[str, Any]:
        try:
            result: Mapping[str, Any] = await run(
                work, lambda words: loop.call_soon_threadsafe(events.put_nowait, words)
            )
            return result
        finally:
            events.put_nowait(None)

    task = asyncio.create_task(whole())
    try:
        while (words := await events.get()) is not None:
            yield "step", {"step": words}
        try:
            yield "answer", await task
        except Exception as error:
            refused = refusal(error, hidden)
            yield "error", {"status": refused.status, "error": refused.reason, "code": refused.code}
    finally:
        task.cancel()


def event(kind: str, content: Mapping[str, Any]) -> str:
    """Return an event of a stream, as text."""
    return f"event: {kind}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n"
