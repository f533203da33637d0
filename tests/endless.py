"""Work that must end: what takes time without bound fails here instead of holding the tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ends(seconds: int = 60) -> Iterator[None]:
    """Fail if the block has not ended after a time that is many times what it needs."""

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"It has not ended after {seconds} s.")

    former = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)
