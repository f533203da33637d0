"""Threads that each compute by themselves: a product that several threads share waits for the slowest of them.

On a machine that has other work to do, that is most of the time: a share that lost its processor holds up all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from legalir.extras import require

__all__ = ["each_alone"]

T = TypeVar("T")


def each_alone(work: Callable[[T], None], items: Iterable[T], *, several: bool) -> None:
    """Call `work` for each item, in as many threads as PyTorch may use, each of which has one thread for its products.

    Args:
        work: may be called in several threads at once.
        items: in the order in which they are begun.
        several: whether there is more than the calling thread; needs PyTorch.
    """
    if not several:
        for item in items:
            work(item)
        return
    threads = require("torch", extra="dense").get_num_threads()
    with ThreadPoolExecutor(threads, initializer=_alone) as pool:
        for done in [pool.submit(work, item) for item in items]:
            done.result()


def _alone() -> None:
    """Give the calling thread one thread for its products, as long as it lives; OpenMP keeps that number by thread."""
    # What PyTorch sets up in a new thread when it is first asked would undo the limit.
    require("torch", extra="dense").get_num_threads()
    _pools().limit(limits=1, user_api="openmp")


@cache
def _pools() -> Any:
    """Return what limits the threads of the libraries that are loaded, of PyTorch among them."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
