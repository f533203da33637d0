"""Work done afresh: what was kept of earlier questions is not looked at, so that times are those of new ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["afresh", "is_afresh"]

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
