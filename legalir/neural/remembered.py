"""What a model said about a query, kept for the next time: a search runs the same query through several components."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from legalir.neural.afresh import is_afresh

__all__ = ["Remembered"]

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
                it is not called when there are none. Inside of :func:`~legalir.neural.afresh.afresh`, nothing is
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
