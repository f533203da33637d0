"""Work that is shared among threads, one for each processor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["in_threads", "processors"]

T = TypeVar("T")


def processors() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Not on macOS or Windows.
        return os.cpu_count() or 1


def in_threads(work: Callable[[T], None], items: Iterable[T], threads: int) -> None:
    """Call `work` for each item, in so many threads, of which the calling one is the first.

    Args:
        work: may be called in several threads at once.
        items: in the order in which they are begun.
        threads: at least 1.
    """
    items = list(items)
    waiting = iter(items)

    def take() -> None:
        for item in waiting:
            work(item)

    others = min(threads, len(items)) - 1
    if others < 1:
        take()
        return
    with ThreadPoolExecutor(others) as pool:
        begun = [pool.submit(take) for _ in range(others)]
        take()
        for one in begun:
            one.result()
