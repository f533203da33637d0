"""A check: a function of a trial, known by its name and the first line of its docstring.

What a check says of a component.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, NamedTuple

from legalir.testing.trial import Trial

__all__ = ["Check", "Failed", "Function", "NotApplicable", "Outcome", "Status", "checks_of", "given"]

Status = Literal["passed", "failed", "expected failure", "unexpected pass", "not applicable"]


class Outcome(NamedTuple):
    """The outcome of one check.

    Attributes:
        check: the name of the check.
        status: an ``expected failure`` failed, as was announced with a reason; an ``unexpected pass`` was announced to
            fail and did not; a check is ``not applicable`` where the component has nothing that it could look at.
        message: of a failure, what was found and what to do; else the reason, or nothing.
    """

    check: str
    status: Status
    message: str

    @property
    def ok(self) -> bool:
        """False for what has to be repaired: a failure, or an announcement that is no longer true."""
        return self.status not in ("failed", "unexpected pass")


@contextmanager
def given(text: str) -> Iterator[None]:
    """Note what was given on an error that a component raises, so that the message can say it."""
    try:
        yield
    except Exception as error:
        error.add_note(f" when it was given {text[:20]!r}")
        raise


class Failed(AssertionError):  # noqa: N818  (reads as the sentence it is)
    """A component does not hold to what a check asks; the message says what was found and what to do."""


class NotApplicable(Exception):  # noqa: N818  (reads as the sentence it is)
    """A component has nothing that a check could look at; the message says what it lacks."""


Function = Callable[[Trial], None]


class Check(NamedTuple):
    """One check of one role.

    Attributes:
        name: as in reports and in expected failures.
        doc: one line that says what holds for a component that passes.
        run: raises :class:`~legalir.testing.checks.Failed` or
            :class:`~legalir.testing.checks.NotApplicable`, or whatever the component raises.
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
