"""The work of requests: threads that do it within limits, and the reason that is given where there is no result."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from fastapi.exceptions import RequestValidationError

from legalir.errors import AnalyzerError, ComponentError, DatasetNotFound, ExpressionError, LegalIRError

_log = logging.getLogger("legalir.serve")
_T = TypeVar("_T")


class Busy(Exception):  # noqa: N818  (reads as the sentence it is)
    """No worker is free, and enough requests wait."""


class TooSlow(Exception):  # noqa: N818
    """The work took longer than a request may."""


class Workers:
    """Threads that do the work of requests; what they cannot take is refused.

    Args:
        concurrency: number of requests whose work is done at once; twice as many may wait.
        timeout: seconds that the work of a request may take.
    """

    def __init__(self, concurrency: int, timeout: float) -> None:
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="legalir-serve")
        self._most = 3 * concurrency
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
