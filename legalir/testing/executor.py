"""Checks of an executor: each task is done, its result or error is returned, and the executor shuts down on request."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from concurrent.futures import Executor, wait
from contextlib import contextmanager
from typing import Any

import numpy as np

from legalir.errors import shown
from legalir.executors import Sent, mapped
from legalir.testing.checks import Failed, checks_of, construction, first_use
from legalir.testing.new_interpreter import PROCESS_CHECKS
from legalir.testing.sandbox import Sandbox

_SECONDS = 120.0
"""Longest time that a task of the kit may take."""

_TASKS = 60


def workers(sandbox: Sandbox) -> None:
    """The number of workers, if it has the attribute, is an integer of at least 1."""
    with _made(sandbox) as executor:
        width = getattr(executor, "workers", 1)
        if isinstance(width, bool) or not isinstance(width, int) or width < 1:
            raise Failed(f"workers is {shown(width)}: give the number of tasks that are done at once, or leave it out.")


def results(sandbox: Sandbox) -> None:
    """Each future has the result of its own task, whatever the order in which they end."""
    with _made(sandbox) as executor:
        futures = [executor.submit(operator.mul, number, 3) for number in range(_TASKS)]
        for number, future in enumerate(futures):
            if (result := future.result(_SECONDS)) != number * 3:
                raise Failed(f"the task {number} * 3 gave {shown(result)}: return each result by its own future.")


def arrays(sandbox: Sandbox) -> None:
    """Arrays and texts are unchanged on the way to the worker and back."""
    item: tuple[Any, str] = (np.arange(6, dtype=np.float32).reshape(2, 3), "법 제3조\ud800")
    with _made(sandbox) as executor:
        array, text = executor.submit(tuple, item).result(_SECONDS)
        if not np.array_equal(array, item[0]) or array.dtype != item[0].dtype or text != item[1]:
            raise Failed(f"an array and a text came back as {shown((array, text))}: change nothing on the way.")


def errors(sandbox: Sandbox) -> None:
    """The error of a task is raised by its future, and later tasks are done."""
    with _made(sandbox) as executor:
        future = executor.submit(operator.truediv, 1, 0)
        try:
            result = future.result(_SECONDS)
        except ZeroDivisionError:
            pass
        except Exception as error:
            raise Failed(f"1 / 0 raised {shown(error)}: raise the error of the task itself.") from None
        else:
            raise Failed(f"1 / 0 gave {shown(result)}: raise the error of a task by its future.")
        if executor.submit(operator.add, 1, 1).result(_SECONDS) != 2:
            raise Failed("after a task with an error, 1 + 1 is not 2: an error of a task must leave the workers whole.")


def closures(sandbox: Sandbox) -> None:
    """Workers run a function that contains its own values, and results keep the order of the items."""
    with _made(sandbox) as executor:
        place = sandbox.folder.name

        def task(text: str) -> str:
            return f"{place}: {text}"

        found = list(mapped(Sent(task), map(str, range(9)), executor=executor))
        if found != [f"{place}: {number}" for number in range(9)]:
            raise Failed(f"nine texts came back as {shown(found)}: give each task what it was given, once.")


def shutdown(sandbox: Sandbox) -> None:
    """After shutdown, which waits for what was begun and may be called twice, no task is taken."""
    with _made(sandbox) as executor:
        future = executor.submit(operator.add, 1, 2)
        executor.shutdown()
        if wait([future], 0).not_done:
            raise Failed("shutdown did not wait for a task: wait, unless it is called with wait=False.")
        executor.shutdown()
        try:
            executor.submit(operator.add, 1, 2)
        except RuntimeError:
            return
        raise Failed("a task was taken after shutdown: raise RuntimeError.")


@contextmanager
def _made(sandbox: Sandbox) -> Iterator[Executor]:
    executor: Executor = sandbox.make(sandbox.collection())
    with executor:
        yield executor


EXECUTOR = checks_of(construction, first_use, *PROCESS_CHECKS, workers, results, arrays, errors, closures, shutdown)
"""All checks of an executor, in the order in which they run."""
