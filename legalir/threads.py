"""Work that is shared among the threads of a process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


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
