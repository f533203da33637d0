"""A check: a function of a trial, known by its name and the first line of its docstring."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from legalir.testing.trial import Trial

__all__ = ["Check", "Function", "checks_of"]

Function = Callable[[Trial], None]


class Check(NamedTuple):
    """One check of one role.

    Attributes:
        name: as in reports and in expected failures.
        doc: one line that says what holds for a component that passes.
        run: raises :class:`~legalir.testing.outcome.Failed` or
            :class:`~legalir.testing.outcome.NotApplicable`, or whatever the component raises.
    """

    name: str
    doc: str
    run: Function


def checks_of(*functions: Function) -> tuple[Check, ...]:
    """Return the checks that these functions are: named as they are, with hyphens."""
    return tuple(
        Check(function.__name__.replace("_", "-"), str(function.__doc__).partition("\n")[0], function)
        for function in functions
    )
