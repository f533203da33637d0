"""A child process that shares all that is imported here, which makes it quick to start and to kill."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable
from multiprocessing.context import ForkProcess


def child(target: Callable[..., object], *args: object) -> ForkProcess:
    """Start a process that calls `target`."""
    process = multiprocessing.get_context("fork").Process(target=target, args=args)
    with warnings.catch_warnings():
        # Later Pythons warn of forks beside threads; those of numpy's linear algebra are idle here.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    return process
