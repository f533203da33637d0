"""Checks and their outcomes: the parts that all roles share."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from legalir.errors import LegalIRError, describe
from legalir.testing.sandbox import ComponentUnderTest, Sandbox, misfit

Status = Literal["passed", "failed", "expected failure", "unexpected pass", "not applicable"]


class Outcome(NamedTuple):
    """The outcome of one check.

    Attributes:
        check: the name of the check.
        status: an ``expected failure`` failed, and its reason was announced; an ``unexpected pass`` was announced to
            fail and passed; a check is ``not applicable`` if the component has nothing to check.
        message: for a failure, what is wrong and what to do; else the reason, or nothing.
    """

    check: str
    status: Status
    message: str

    @property
    def ok(self) -> bool:
        """False for a failure, and for an announced failure that passed."""
        return self.status not in ("failed", "unexpected pass")


class Failed(AssertionError):  # noqa: N818  (reads as the sentence it is)
    """A component breaks the promise of a check; the message says what is wrong and what to do."""


class NotApplicable(Exception):  # noqa: N818  (reads as the sentence it is)
    """A component has nothing to check; the message says what it lacks."""


Function = Callable[[Sandbox], None]


class Check(NamedTuple):
    """One check of one role.

    Attributes:
        name: as in reports and in expected failures.
        doc: one line with the promise.
        run: raises :class:`Failed` or :class:`NotApplicable`, or whatever the component raises.
    """

    name: str
    doc: str
    run: Function


def checks_of(*functions: Function) -> tuple[Check, ...]:
    """Return a check for each function: its name with hyphens, and the first line of its docstring."""
    return tuple(
        Check(function.__name__.replace("_", "-"), str(function.__doc__).partition("\n")[0], function)
        for function in functions
    )


def construction(sandbox: Sandbox) -> None:
    """The factory can be imported and called, and returns a component of its role."""
    if (fault := misfit(sandbox.under_test.role, sandbox.make(sandbox.collection()))) is not None:
        raise Failed(fault)


def first_use(sandbox: Sandbox) -> None:
    """The component gives an output for the kit's data; without it, no other check applies."""
    under_test = sandbox.under_test
    if (error := under_test.first_error) is not None:
        reason = explain_error(error, under_test, "the other checks need its output.")
        raise Failed(f"it can be made, and its first use fails: {reason}")


@contextmanager
def given(text: str) -> Iterator[None]:
    """Add the input text to an error that a component raises in the block."""
    try:
        yield
    except Exception as error:
        error.add_note(f" when it was given {text[:20]!r}")
        raise


def explain_error(
    error: BaseException, under_test: ComponentUnderTest | None, cure: str = "make it accept the input of this check."
) -> str:
    """Return a sentence on an error of a component: type, message, the place in the component's own files, and `cure`.

    The message of an error that was raised on purpose is already that sentence.
    """
    when = "".join(getattr(error, "__notes__", []))
    if isinstance(error, LegalIRError):
        return f"it refused{when}: {error}" if when else str(error)
    frames = traceback.extract_tb(error.__traceback__)
    home = _home(under_test)
    own = [frame for frame in frames if home is not None and Path(frame.filename).is_relative_to(home)]
    place = (own or [frame for frame in frames if Path(frame.filename).parent != Path(__file__).parent])[-1:]
    at = "".join(f" (at {Path(frame.filename).name}, line {frame.lineno}, in {frame.name})" for frame in place)
    return f"raised {describe(error)}{when}{at}: {cure}"


def _home(under_test: ComponentUnderTest | None) -> Path | None:
    """Return the folder of the component's package, or the file of a module outside packages."""
    if under_test is None:
        return None
    try:
        factory = inspect.unwrap(under_test.factory)
        file = Path(inspect.getsourcefile(factory) or "")
        package = str(getattr(factory, "__module__", "")).partition(".")[0]
    except Exception:  # A fault of the component must not hide the error.
        return None
    return next((folder for folder in file.parents if folder.name == package), file)
