"""Checks and their outcomes, fingerprints, and the first difference of two outputs: what all roles share."""

from __future__ import annotations

import inspect
import math
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from legalir.collection.collection import Collection
from legalir.errors import LegalIRError, describe, shown
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


def check_name(name: object, cure: str = "give the name of the entry.") -> None:
    """Raise Failed unless `name` is a text of 1 to 200 printable characters."""
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name.strip()) <= 200:
        raise Failed(f"the name {name!r} is not a text of 1 to 200 printable characters: {cure}")


def fingerprint(sandbox: Sandbox) -> None:
    """The fingerprint has at least 8 hex digits, the same for two components of the same parameters."""
    collection = sandbox.collection()
    first, second = sandbox.make(collection).fingerprint, sandbox.make(collection).fingerprint
    if not isinstance(first, str) or re.fullmatch(r"[0-9a-f]{8,}", first) is None:
        raise Failed(f"the fingerprint {first!r} is not 8 or more hex digits: use hashlib.sha256(…).hexdigest().")
    if first != second:
        raise Failed("two with equal parameters have two fingerprints: compute it from parameters and versions only.")


def check_fingerprint_of_parameters(
    sandbox: Sandbox, what: str, differ: Callable[[object, object, Collection], bool]
) -> None:
    """Change each parameter with a number or a truth value as default; a value that the factory refuses is left out.

    Args:
        sandbox: of the check.
        what: the output, such as ``terms``.
        differ: returns whether two components over a collection, its arguments, have different output.

    Raises:
        Failed: a parameter changes the output and not the fingerprint.
        NotApplicable: there is no such parameter.
    """
    collection, under_test = sandbox.collection(), sandbox.under_test
    own, changed = sandbox.make(collection), False
    for name, default in under_test.defaults().items():
        value = under_test.params.get(name, default)
        if not isinstance(value, bool | int | float):
            continue
        other_value = not value if isinstance(value, bool) else value + 1
        try:
            other = sandbox.make(collection, **{name: other_value})
        except LegalIRError:
            continue
        changed = True
        if own.fingerprint == other.fingerprint and differ(own, other, collection):
            raise Failed(
                f"with {name}={other_value!r} {what} change and the fingerprint does not: make it of all parameters."
            )
    if not changed:
        raise NotApplicable("no parameter of the factory has a default that the kit could change")


_Row: TypeAlias = dict[str, Any]

_OF_A_RESULT = frozenset({"docno", "score", "rank"})
"""Columns that differ between the results of a question."""

_RELATIVE, _ABSOLUTE = 1e-4, 1e-5
"""Tolerances of scores: float32 sums depend on the order of addition, and so on the batch."""


def difference(first: pd.DataFrame, second: pd.DataFrame, *, exact: bool = False) -> str | None:
    """Return the first difference between two outputs in words, or None.

    Columns in only one of them, the order of queries and the order of rows are ignored.

    Args:
        first: the expected output; columns ``qid`` and any others.
        second: the actual output.
        exact: compare scores to the last bit.
    """
    columns = [column for column in first.columns if column in second.columns]
    compare = _results if "docno" in columns else _values
    one, two = (_by_query(frame, columns) for frame in (first, second))
    for qid in dict.fromkeys([*one, *two]):
        if (fault := compare(one.get(qid, []), two.get(qid, []), exact)) is not None:
            return f"query {qid!r} has {fault}"
    return None


def _by_query(frame: pd.DataFrame, columns: list[str]) -> dict[object, list[_Row]]:
    queries: dict[object, list[_Row]] = {}
    for values in zip(*(frame[column].tolist() for column in columns), strict=True):
        row = dict(zip(columns, values, strict=True))
        queries.setdefault(row["qid"], []).append(row)
    return queries


def _results(one: list[_Row], two: list[_Row], exact: bool) -> str | None:
    if len(one) != len(two):
        return f"{len(one)} results once and {len(two)} the other time"
    first, second = ({row["docno"]: _score(row) for row in rows} for rows in (one, two))
    end = min(first.values(), default=0.0)
    for docno in [*first, *(docno for docno in second if docno not in first)]:
        scores = [scores[docno] for scores in (first, second) if docno in scores]
        # Of the nearly equal scores at the end of a list, any may be cut off.
        if len(scores) == 1 and (exact or not _close(scores[0], end)):
            return f"{docno!r} once and not the other time"
        if len(scores) == 2 and not (scores[0] == scores[1] if exact else _close(*scores)):
            return f"score {scores[0]!r} of {docno!r} once and {scores[1]!r} the other time"
    rest = [{key: value for key, value in row.items() if key not in _OF_A_RESULT} for row in (*one[:1], *two[:1])]
    return _values(rest[:1], rest[1:], exact) or _order(one, two, exact)


def _order(one: list[_Row], two: list[_Row], exact: bool) -> str | None:
    """Compare the scores rank by rank; documents with nearly equal scores may change places."""
    if "rank" not in one[0]:
        return None
    first, second = (map(_score, sorted(rows, key=itemgetter("rank"))) for rows in (one, two))
    for place, (a, b) in enumerate(zip(first, second, strict=True)):
        if not (a == b if exact else _close(a, b)):
            return f"score {a!r} at place {place + 1} once and {b!r} the other time"
    return None


def _values(one: list[_Row], two: list[_Row], _: bool) -> str | None:
    if len(one) != len(two):
        return f"{len(one)} rows once and {len(two)} the other time"
    for column in one[0]:
        for a, b in zip(one, two, strict=True):
            if not equal(a[column], b[column]):
                return f"{column} {shown(a[column])} once and {shown(b[column])} the other time"
    return None


def _score(row: _Row) -> float:
    return float(row.get("score", 0.0))


def _close(a: float, b: float) -> bool:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= _ABSOLUTE + _RELATIVE * abs(b)


def equal(a: Any, b: Any) -> bool:
    """Return True if two values are equal; numbers may differ slightly."""
    if isinstance(a, float) and isinstance(b, float):
        return _close(a, b)
    if isinstance(a, list | np.ndarray) and isinstance(b, list | np.ndarray):
        return len(a) == len(b) and all(map(equal, a, b))
    return bool(a == b)
