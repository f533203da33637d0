"""What a model said about a query, kept for the next time: a search runs the same query through several components.

Work done afresh: what was kept of earlier questions is not looked at, so that times are those of new ones.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

__all__ = ["Remembered", "afresh", "is_afresh"]

_afresh: ContextVar[bool] = ContextVar("afresh", default=False)


@contextmanager
def afresh() -> Iterator[None]:
    """Answer every question inside as if it had not been asked before."""
    token = _afresh.set(True)
    try:
        yield
    finally:
        _afresh.reset(token)


def is_afresh() -> bool:
    """Return whether what was kept of earlier questions must not be used; what is found may be kept."""
    return _afresh.get()


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """The values of the keys that were asked for last; threads may share it.

    Args:
        most: keys that are kept; the one not asked for longest goes first.
    """

    def __init__(self, most: int = 4096) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def __getstate__(self) -> int:
        return self._most  # A lock cannot be copied to another process, and what is remembered need not be.

    def __setstate__(self, most: int) -> None:
        Remembered.__init__(self, most)

    def of(self, keys: Sequence[K], make: Callable[[list[K]], Sequence[V]]) -> list[V]:
        """Return the value of each of `keys`, in their order.

        Args:
            keys: may hold a key more than once.
            make: is given the keys that are not remembered, each once, in their order, and returns a value for each;
                it is not called when there are none. Inside of :func:`~legalir.models.query_cache.afresh`, nothing is
                remembered.
        """
        with self._lock:
            known = {} if is_afresh() else {key: self._values[key] for key in keys if key in self._values}
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if missing:
            known.update(zip(missing, make(missing), strict=True))
        with self._lock:
            for key in dict.fromkeys(keys):
                self._values[key] = known[key]
                self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return [known[key] for key in keys]
