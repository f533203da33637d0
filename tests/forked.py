"""A child process that shares all that is imported here, which makes it quick to start and to kill."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable
from multiprocessing.context import ForkProcess


def child(target: Callable[..., object], *args: object) -> ForkProcess:
    """Start a process that calls `target`."""
    process = multiprocessing.get_context("fork").Process(target=_without_bytecode, args=(target, *args))
    with warnings.catch_warnings():
        # Later Pythons warn of forks beside threads; those of numpy's linear algebra are idle here.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    return process


def _without_bytecode(target: Callable[..., object], *args: object) -> None:
    """Call `target`; what it imports is not compiled to files, which a fault of its would leave cut off for others."""
    sys.dont_write_bytecode = True
    target(*args)


def die_at_file_operation(limit: int) -> None:
    """Kill this process at the file operation with number `limit`, counted from this call."""
    done = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal done
        if event.startswith(("open", "os.", "shutil.", "tempfile.")):
            done += 1
            if done == limit + 1:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
