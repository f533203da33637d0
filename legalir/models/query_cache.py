"""Cache of a model's results for queries: several components of a pipeline ask about the same query."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

_ignored: ContextVar[bool] = ContextVar("ignored", default=False)


@contextmanager
def ignore_cached_queries() -> Iterator[None]:
    """Ignore cached query results inside the block, for timing."""
    token = _ignored.set(True)
    try:
        yield
    finally:
        _ignored.reset(token)


def ignores_cached_queries() -> bool:
    """Return True if cached query results must be recomputed; new results may still be cached."""
    return _ignored.get()


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class QueryCache(Generic[K, V]):
    """Values of the keys used last; threads may share it, and a copy in another process starts empty.

    Args:
        most: number of keys; the key that was not used for the longest time is dropped first.
    """

    def __init__(self, most: int = 4096) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def __getstate__(self) -> int:
        return self._most

    def __setstate__(self, most: int) -> None:
        QueryCache.__init__(self, most)

    def get(self, keys: Sequence[K], make: Callable[[list[K]], Sequence[V]]) -> list[V]:
        """Return the value of each key, in the order of `keys`.

        Args:
            keys: a key may occur more than once.
            make: returns a value for each key that is not in the cache; it receives these keys, each once, in their
                order, and is not called if there are none. Inside :func:`ignore_cached_queries` it receives all keys.
        """
        with self._lock:
            values = {} if _ignored.get() else {key: self._values[key] for key in keys if key in self._values}
        missing = [key for key in dict.fromkeys(keys) if key not in values]
        if missing:
            values.update(zip(missing, make(missing), strict=True))
        with self._lock:
            for key in dict.fromkeys(keys):
                self._values[key] = values[key]
                self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return [values[key] for key in keys]
