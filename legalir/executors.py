"""Work on many items, shared among threads, processes or any executor; results are returned in order.

An executor is a :class:`concurrent.futures.Executor`: processes of this machine, or workers of a scheduler such as
Dask. A task depends on its item alone, so that it may run twice; its result is used once.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, Generic, TypeVar

from legalir.errors import ComponentError, WorkerError

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 4
"""Items a worker that are handed out at a time: no worker waits, and memory stays flat."""

_LOOK = 0.5
"""Seconds between checks of a process that its parent still exists."""


def processor_count() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Not on macOS or Windows.
        return os.cpu_count() or 1


def run_in_threads(work: Callable[[T], None], items: Iterable[T], threads: int) -> None:
    """Call `work` for each item, using `threads` threads, including the caller.

    Args:
        work: may be called in several threads at once.
        items: started in this order.
        threads: at least 1.
    """
    items = list(items)
    waiting = iter(items)

    def take() -> None:
        for item in waiting:
            work(item)

    helpers = min(threads, len(items)) - 1
    if helpers < 1:
        take()
        return
    with ThreadPoolExecutor(helpers) as pool:
        futures = [pool.submit(take) for _ in range(helpers)]
        take()
        for future in futures:
            future.result()


def mapped(
    function: Callable[[T], R], items: Iterable[T], *, executor: Executor | None = None, workers: int | None = None
) -> Iterator[R]:
    """Yield the result of a function for each item, in the order of the items.

    Args:
        function: of a module, so that another process can import it.
        items: read as results are taken; a few a worker are handed out at a time.
        executor: does the work, and stays open. By default, processes do it that end with the iterator; they do not
            run the calling script again.
        workers: number of processes, or of workers of `executor`; by default one a processor, or what the executor
            says by its attribute ``workers``. 1 without an executor: this process does the work.

    Raises:
        WorkerError: the process that worked on the next item ended. Without an executor the item was tried twice, the
            second time alone, so no other item is the cause.
    """
    workers = workers or _width(executor)
    if executor is None and workers == 1:
        yield from map(function, items)
        return
    waiting = iter(items)
    begun: deque[tuple[T, Future[R]]] = deque()
    pool: Any = executor or _processes(workers)
    try:
        while True:
            for item in islice(waiting, _AHEAD * workers - len(begun)):
                begun.append((item, _submit(pool, function, item)))
            if not begun:
                return
            item, future = begun.popleft()
            try:
                result = future.result()
            except BrokenExecutor:
                if executor is not None:
                    raise _ended(item) from None
                pool.shutdown()
                result = _alone(function, item)
                pool = _processes(workers)
                begun = deque((each, _submit(pool, function, each)) for each, _ in begun)
            yield result
    finally:
        if executor is None:
            pool.shutdown(kill_workers=True)
        else:
            for _, future in begun:
                future.cancel()


def _width(executor: Executor | None) -> int:
    """Return the number of workers of an executor, if it reports it; without an executor, the number of processors."""
    for name in ("workers", "_max_workers"):
        width = getattr(executor, name, None)
        if isinstance(width, int) and width > 0:
            return width
    return processor_count()


class Portable:
    """Base of objects whose copies, here and in other processes, lack what was loaded, and have locks of their own.

    What was loaded are the values of cached properties.
    """

    def __getstate__(self) -> dict[str, Any]:
        loaded = {
            name for kind in type(self).__mro__ for name, one in vars(kind).items() if isinstance(one, cached_property)
        }
        return {
            name: threading.Lock if isinstance(value, _LOCK) else value
            for name, value in vars(self).items()
            if name not in loaded
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: value() if value is threading.Lock else value for name, value in state.items()})


_LOCK = type(threading.Lock())


class Sent(Generic[T, R]):
    """A function that travels to a worker with all that it needs, and is unpacked there once, not for each item.

    So a model that it loads on first use is loaded once a worker.

    Args:
        function: it need not be one of a module; closures travel, too.
    """

    def __init__(self, function: Callable[[T], R]) -> None:
        from cloudpickle import dumps

        self._packed: bytes = dumps(function)

    def __call__(self, item: T) -> R:
        """Return the result of the function."""
        result: R = _unpacked(self._packed)(item)
        return result


@lru_cache(maxsize=2)
def _unpacked(packed: bytes) -> Callable[[Any], Any]:
    from cloudpickle import loads

    function: Callable[[Any], Any] = loads(packed)
    return function


def processes(collection: object = None, *, workers: int | None = None) -> Executor:
    """Processes of this machine.

    Args:
        workers: number of processes; None for one per processor.
    """
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise ComponentError(f"processes: workers={workers!r} is not an integer of at least 1.")
    executor: Executor = _processes(workers or processor_count())
    return executor


def _processes(workers: int) -> Any:
    """Return processes that are fresh interpreters and inherit no thread of this one."""
    from loky import ProcessPoolExecutor

    return ProcessPoolExecutor(workers, initializer=_begin, initargs=(os.getpid(),))


def _begin(parent: int) -> None:
    """Leave Ctrl-C to the process that started this one, and end when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK)
        os._exit(1)

    threading.Thread(target=look, daemon=True).start()


def _submit(pool: Executor, function: Callable[[T], R], item: T) -> Future[R]:
    """Submit in a thread: in the main thread, Ctrl-C could leave a lock of the pool taken, which would hang the end."""
    submitted: list[Future[R]] = []

    def submit() -> None:
        try:
            submitted.append(pool.submit(function, item))
        except Exception as error:
            submitted.append(Future())
            submitted[0].set_exception(error)

    thread = threading.Thread(target=submit, daemon=True)
    thread.start()
    thread.join()
    return submitted[0]


def _alone(function: Callable[[T], R], item: T) -> R:
    pool = _processes(1)
    try:
        result: R = pool.submit(function, item).result()
    except BrokenExecutor:
        raise _ended(item) from None
    finally:
        pool.shutdown(kill_workers=True)
    return result


def _ended(item: object) -> WorkerError:
    shown = str(item)
    shown = f"{shown[:60]}…" if len(shown) > 61 else shown
    return WorkerError(f"{shown}: the process that worked on it ended, perhaps for lack of memory: try workers=1.")
