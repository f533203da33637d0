"""The kit under pytest: one test a check.

Checks on their way to outcomes: failures contained, expected ones told from others.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from legalir.errors import ComponentError, suggestion
from legalir.plugins import ROLES, Factory
from legalir.testing.blame import told
from legalir.testing.checks import Check, Failed, NotApplicable, Outcome
from legalir.testing.subject import Pipeline, Subject
from legalir.testing.trial import Trial

if TYPE_CHECKING:
    import pytest

__all__ = ["check", "checks", "expected_of", "names", "parametrize", "run"]


def checks(role: str) -> tuple[Check, ...]:
    """Return the checks of a role: each has a ``name`` and a ``doc`` of one line.

    Raises:
        ComponentError: there is no such role.
    """
    if role not in ROLES:
        raise ComponentError(f"There is no role {role!r}.{suggestion(role, ROLES)} Roles: {', '.join(ROLES)}.")
    found: tuple[Check, ...] = importlib.import_module(f"legalir.testing.{role}").CHECKS
    return found


def names(role: str) -> list[str]:
    """Return the names of the checks of a role; errors as :func:`checks`."""
    return [one.name for one in checks(role)]


def check(
    role: str,
    factory_or_name: Factory | str,
    *,
    params: Mapping[str, object] | None = None,
    upstream: str | None = None,
    pipelines: Sequence[Pipeline] | None = None,
    expected_failures: Mapping[str, str] | None = None,
) -> list[Outcome]:
    """Run every check of a role on a component; what the component raises is an outcome, too.

    Args:
        role: one of :data:`legalir.plugins.ROLES`.
        factory_or_name: a factory, or the name of an installed component, also with parameters: ``trigram(k1=1.2)``.
        params: parameters for the factory.
        upstream: the expression whose output the component is given, instead of the kit's; an empty one gives it
            questions.
        pipelines: what the factory is given as pipelines, instead of the kit's: expressions or transformers.
        expected_failures: why a check is known to fail, by its name; added to the ``expected_failures`` that the
            factory may have as an attribute.

    Raises:
        ComponentError: the role, or the name of an expected failure, is unknown, or a reason is missing.
        PluginError: no such component is installed.
    """
    subject = Subject(role, factory_or_name, params, upstream, pipelines)
    expected = expected_of(subject, expected_failures)
    return [_outcome(one, subject, expected.get(one.name)) for one in checks(role)]


def expected_of(subject: Subject, added: Mapping[str, str] | None) -> dict[str, str]:
    """Return why which check is known to fail: what the factory says, and what is `added`.

    Raises:
        ComponentError: a check is unknown, or has no reason.
    """
    expected = {**subject.announced(), **(added or {})}
    known = names(subject.role)
    for name, reason in expected.items():
        if name not in known:
            raise ComponentError(
                f"{subject}: there is no check {name!r} of role {subject.role} that could be expected to fail."
                f"{suggestion(name, known)}"
            )
        if not isinstance(reason, str) or not reason.strip():
            raise ComponentError(f"{subject}: the expected failure of {name!r} has no reason: say in a sentence why.")
    return expected


def run(one: Check, subject: Subject) -> None:
    """Run a check on data of its own.

    Raises:
        Failed: what the check asks does not hold, or the component raised something.
        NotApplicable: there is nothing to check.
    """
    try:
        # Why it cannot be made is said once.
        if one.name != "construction" and (fault := subject.fault) is not None:
            raise NotApplicable(f"it cannot be made: {fault}")
        with tempfile.TemporaryDirectory(prefix="legalir-testing-", ignore_cleanup_errors=True) as folder:
            one.run(Trial(subject, Path(folder)))
    except (Failed, NotApplicable):
        raise
    # A component may fail in any way, even by leaving the program; the kit reports it.
    except (Exception, SystemExit) as error:
        raise Failed(told(error, subject)) from error


def _outcome(one: Check, subject: Subject, reason: str | None) -> Outcome:
    try:
        run(one, subject)
    except NotApplicable as error:
        return Outcome(one.name, "not applicable", str(error))
    except Failed as error:
        if reason is None:
            return Outcome(one.name, "failed", str(error))
        return Outcome(one.name, "expected failure", reason)
    if reason is None:
        return Outcome(one.name, "passed", "")
    return Outcome(one.name, "unexpected pass", f"it was expected to fail ({reason}): take it out of expected_failures")


def parametrize(
    role: str,
    factory_or_name: Factory | str,
    *,
    params: Mapping[str, object] | None = None,
    upstream: str | None = None,
    pipelines: Sequence[Pipeline] | None = None,
    expected_failures: Mapping[str, str] | None = None,
) -> pytest.MarkDecorator:
    """Decorate ``def test_…(check): check()``, so that each check of a role is a test; arguments and errors as check.

    A check that does not apply is skipped; an expected failure is a strict xfail with its reason.
    """
    import pytest

    subject = Subject(role, factory_or_name, params, upstream, pipelines)
    expected = expected_of(subject, expected_failures)

    def marks(one: Check) -> list[pytest.MarkDecorator]:
        if one.name not in expected:
            return []
        return [pytest.mark.xfail(reason=expected[one.name], raises=Failed, strict=True)]

    params_ = [pytest.param(partial(_test, one, subject), id=one.name, marks=marks(one)) for one in checks(role)]
    decorator: pytest.MarkDecorator = pytest.mark.parametrize("check", params_)
    return decorator


def _test(one: Check, subject: Subject) -> None:
    import pytest

    skip: Callable[[str], None] = pytest.skip
    try:
        run(one, subject)
    except NotApplicable as error:
        skip(str(error))
