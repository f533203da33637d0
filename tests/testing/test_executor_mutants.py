"""One mutant a check of executors: that check fails, and no other."""

from __future__ import annotations

import operator
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import right_components as right

from legalir import testing
from legalir.executors import Sent

Submit = Callable[..., Any]


class Mutant(ThreadPoolExecutor):
    """Threads whose results a function spoils; it gets the function of a task, its arguments and its result."""

    def __init__(self, spoil: Callable[[Submit, tuple[Any, ...], Any], Any]) -> None:
        super().__init__(2)
        self._spoil = spoil

    def submit(self, fn: Submit, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return super().submit(lambda: self._spoil(fn, args, fn(*args, **kwargs)))


def spoiling(spoil: Callable[[Submit, tuple[Any, ...], Any], Any]) -> Submit:
    return lambda collection: Mutant(spoil)


class Swallowing(ThreadPoolExecutor):
    """The result of a task with an error is None."""

    def submit(self, fn: Submit, /, *args: Any, **kwargs: Any) -> Future[Any]:
        def task() -> Any:
            try:
                return fn(*args, **kwargs)
            except ZeroDivisionError:
                return None

        return super().submit(task)


class Other(Swallowing):
    """The error of a task is another one."""

    def submit(self, fn: Submit, /, *args: Any, **kwargs: Any) -> Future[Any]:
        def task() -> Any:
            try:
                return fn(*args, **kwargs)
            except ZeroDivisionError:
                raise KeyError("lost") from None

        return ThreadPoolExecutor.submit(self, task)


class Tireless(ThreadPoolExecutor):
    """Takes tasks after it was shut down."""

    def submit(self, fn: Submit, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self._shutdown:  # type: ignore[attr-defined]
            return Future()
        return super().submit(fn, *args, **kwargs)


class Narrow(ThreadPoolExecutor):
    workers = 0


def second_of_sixty(fn: Submit, args: tuple[Any, ...], result: Any) -> Any:
    return 0 if fn is operator.mul and args == (2, 3) else result


def doubles(fn: Submit, args: tuple[Any, ...], result: Any) -> Any:
    wide = fn is tuple and isinstance(result[0], np.ndarray)
    return (result[0].astype(np.float64), result[1]) if wide else result


def shouting(fn: Submit, args: tuple[Any, ...], result: Any) -> Any:
    return result.upper() if isinstance(fn, Sent) else result


MUTANTS: dict[str, Submit] = {
    "construction": lambda collection: object(),
    "first-use": spoiling(lambda fn, args, result: [][0]),
    "workers": lambda collection: Narrow(2),
    "results": spoiling(second_of_sixty),
    "arrays": spoiling(doubles),
    "errors": lambda collection: Swallowing(2),
    "errors 2": lambda collection: Other(2),
    "closures": spoiling(shouting),
    "shutdown": lambda collection: Tireless(2),
}


@pytest.mark.parametrize("check", MUTANTS)
def test_the_check_that_fails(check: str) -> None:
    outcomes = testing.check("executor", MUTANTS[check])
    assert {one.check for one in outcomes if one.status == "failed"} == {check.partition(" ")[0]}


def test_a_right_executor_passes() -> None:
    assert {one.status for one in testing.check("executor", right.threads)} == {"passed"}
    assert isinstance(right.threads(None), Executor)
