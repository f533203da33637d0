"""The work of requests: threads that do it within limits, and the reason that is given where there is no result."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd
from fastapi.exceptions import RequestValidationError

from legalir.errors import AnalyzerError, ComponentError, DatasetNotFound, ExpressionError, LegalIRError

if TYPE_CHECKING:
    import pyterrier as pt

_log = logging.getLogger("legalir.serve")
_T = TypeVar("_T")


class Busy(Exception):  # noqa: N818  (reads as the sentence it is)
    """No worker is free, and enough requests wait."""


class TooSlow(Exception):  # noqa: N818
    """The work took longer than a request may."""


class Workers:
    """Threads that do the work of requests; what they cannot take is refused.

    Args:
        concurrency: number of requests whose work is done at once; seven times as many may wait.
        timeout: seconds that the work of a request may take.
    """

    def __init__(self, concurrency: int, timeout: float) -> None:
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="legalir-serve")
        self._most = 8 * concurrency
        self._begun = 0
        self.timeout = timeout

    async def run(self, work: Callable[..., _T], *arguments: Any, **named: Any) -> _T:
        """Return the result of `work`.

        Raises:
            Busy: no worker is free, and enough requests are waiting.
            TooSlow: it took too long. Its worker is free again when the work has ended.
        """
        if self._begun >= self._most:
            raise Busy
        self._begun += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, partial(work, *arguments, **named))
        future.add_done_callback(self._ended)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self.timeout)
        except TimeoutError:
            raise TooSlow from None

    def _ended(self, future: asyncio.Future[Any]) -> None:
        self._begun -= 1
        if not future.cancelled():
            future.exception()  # It is looked at, also if nobody waits any more.

    def close(self) -> None:
        """Take no further work."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class _Asked:
    """A question that waits for its results."""

    def __init__(self, question: pd.DataFrame) -> None:
        self.question = question
        self.woken = threading.Event()
        self.results: pd.DataFrame | Exception | None = None


class Together:
    """A pipeline that threads share: questions that come while it searches are searched together in its next turn.

    A batch takes a fraction of the time that its questions take one by one, and the results are the same.

    Args:
        pipeline: gives ranked lists.
        most: largest number of questions of a turn.
    """

    def __init__(self, pipeline: pt.Transformer, most: int = 16) -> None:
        self._pipeline = pipeline
        self._most = most
        self._lock = threading.Lock()
        self._waiting: list[_Asked] = []
        self._searching = False

    def search(self, question: pd.DataFrame) -> pd.DataFrame:
        """Return the results of one question; errors are those of the pipeline for this question."""
        mine = _Asked(question)
        with self._lock:
            self._waiting.append(mine)
            first, self._searching = not self._searching, True
        if not first:
            mine.woken.wait()
        if mine.results is None:  # This thread searches for all that wait, of which its own question is the first.
            with self._lock:
                turn, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            try:
                self._search(turn)
            finally:
                with self._lock:
                    self._searching = bool(self._waiting)
                    turn += self._waiting[:1]  # It searches next.
                for one in turn:
                    one.woken.set()
        assert mine.results is not None
        if isinstance(mine.results, Exception):
            raise mine.results
        return mine.results

    def _search(self, turn: Sequence[_Asked]) -> None:
        try:
            if len(turn) == 1:
                turn[0].results = self._pipeline.transform(turn[0].question)
                return
            questions = pd.concat([one.question for one in turn], ignore_index=True)
            found = self._pipeline.transform(questions.assign(qid=[str(place) for place in range(len(turn))]))
            of = {str(qid): rows for qid, rows in found.groupby("qid", sort=False)}
            for place, one in enumerate(turn):
                one.results = of.get(str(place), found.iloc[:0])
        except Exception as error:
            if len(turn) == 1:
                turn[0].results = error
                return
            for one in turn:  # The error may be that of one question.
                self._search([one])


def refusal(error: BaseException) -> tuple[int, str, dict[str, str]]:
    """Return status, reason and further headers of the response to an error; pages and tools give the same reason.

    A fault of the server is logged, and the reason does not describe it.
    """
    if isinstance(error, Busy):
        return 429, "Too many requests are being answered: try again in a second.", {"retry-after": "1"}
    if isinstance(error, TooSlow):
        return 503, "The answer took too long: ask for less.", {"retry-after": "5"}
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "query")
        return 422, f"{place}: {first['msg']}", {}
    if isinstance(error, DatasetNotFound):
        return 404, str(error), {}
    if isinstance(error, AnalyzerError | ComponentError | ExpressionError):
        return 400, str(error), {}
    if isinstance(error, LegalIRError):
        # Its message may hold paths of this machine.
        _log.error("A request could not be answered: %s", error)
        return 503, "The server cannot answer this now; its log says why.", {"retry-after": "5"}
    _log.error("A request failed: %s", type(error).__name__, exc_info=error)
    return 500, "The server has a fault; its log says more.", {}


async def steps(
    run: Callable[..., Any], work: Callable[[Callable[[str], None]], Mapping[str, Any]]
) -> AsyncIterator[tuple[str, Mapping[str, Any]]]:
    """Yield ``step`` events of a long work, then ``answer``, its result, or ``error``, the reason why there is none.

    Args:
        run: does the work of a request.
        work: is given a function that it calls with a few words about each step.
    """
    loop, queue = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    async def whole() -> Mapping[str, Any]:
        try:
            result: Mapping[str, Any] = await run(
                work, lambda words: loop.call_soon_threadsafe(queue.put_nowait, words)
            )
            return result
        finally:
            queue.put_nowait(None)

    task = asyncio.create_task(whole())
    try:
        while (words := await queue.get()) is not None:
            yield "step", {"step": words}
        try:
            yield "answer", await task
        except Exception as error:
            status, reason, _ = refusal(error)
            yield "error", {"status": status, "error": reason}
    finally:
        task.cancel()


def event(kind: str, content: Mapping[str, Any]) -> str:
    """Return an event of a stream, as text."""
    return f"event: {kind}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n"
