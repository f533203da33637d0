"""The conformance kit: the promises of each role, as checks that anyone can run on a component.

::

    from legalir import testing

    @testing.parametrize("retriever", "trigram")
    def test_conformance(check):
        check()

or, without pytest, ``testing.check("retriever", "trigram")``. Each check builds its own data, an invented collection in
a temporary folder. ``docs/plugin-reference.md`` lists the checks of each role, with reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from legalir.errors import ComponentError, suggestion
from legalir.plugins import Factory
from legalir.testing.analyzer import ANALYZER
from legalir.testing.chat_model import CHAT_MODEL
from legalir.testing.checks import Check, Failed, NotApplicable, Outcome, explain_error
from legalir.testing.encoder import ENCODER
from legalir.testing.executor import EXECUTOR
from legalir.testing.pipeline_roles import EXPANDER, FUSER, GENERATOR, JUDGE, RERANKER, RETRIEVER
from legalir.testing.sandbox import ComponentUnderTest, Pipeline
from legalir.testing.source import SOURCE

if TYPE_CHECKING:
    import pytest

__all__ = ["Check", "Outcome", "check", "checks", "names", "parametrize"]

CHECKS: dict[str, tuple[Check, ...]] = {
    "analyzer": ANALYZER,
    "encoder": ENCODER,
    "retriever": RETRIEVER,
    "fuser": FUSER,
    "expander": EXPANDER,
    "reranker": RERANKER,
    "generator": GENERATOR,
    "judge": JUDGE,
    "llm": CHAT_MODEL,
    "executor": EXECUTOR,
    "source": SOURCE,
}
"""The checks of each role, in the order in which they run."""


def checks(role: str) -> tuple[Check, ...]:
    """Return the checks of a role: each has a ``name`` and a ``doc`` of one line.

    Raises:
        ComponentError: there is no such role.
    """
    if role not in CHECKS:
        raise ComponentError(f"There is no role {role!r}.{suggestion(role, set(CHECKS))} Roles: {', '.join(CHECKS)}.")
    return CHECKS[role]


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
    """Run each check of a role on a component; an error of the component is an outcome, too.

    Args:
        role: one of :data:`legalir.plugins.ROLES`.
        factory_or_name: a factory, or the name of an installed component, also with parameters: ``trigram(k1=1.2)``.
        params: parameters for the factory.
        upstream: the expression whose output the component gets, instead of the kit's; an empty one gives it
            questions.
        pipelines: the pipelines for the factory, instead of the kit's: expressions or transformers.
        expected_failures: the reason why a check fails, by its name; added to the attribute ``expected_failures``
            of the factory, if there is one.

    Raises:
        ComponentError: the role, or the name of an expected failure, is unknown, or a reason is missing.
        PluginError: no such component is installed.
    """
    under_test = ComponentUnderTest(role, factory_or_name, params, upstream, pipelines)
    expected = _expected(under_test, expected_failures)
    return [_outcome(one, under_test, expected.get(one.name)) for one in checks(role)]


def _expected(under_test: ComponentUnderTest, added: Mapping[str, str] | None) -> dict[str, str]:
    """Return the reasons of expected failures by check: the factory's, and the `added` ones.

    Raises:
        ComponentError: a check is unknown, or has no reason.
    """
    expected = {**under_test.announced_failures(), **(added or {})}
    own = names(under_test.role)
    for name, reason in expected.items():
        if name not in own:
            raise ComponentError(
                f"{under_test}: there is no check {name!r} of role {under_test.role} that could be expected to fail."
                f"{suggestion(name, own)}"
            )
        if not isinstance(reason, str) or not reason.strip():
            raise ComponentError(f"{under_test}: the expected failure of {name!r} has no reason: give one sentence.")
    return expected


def run(one: Check, under_test: ComponentUnderTest) -> None:
    """Run a check on its own data.

    Raises:
        Failed: the component breaks the promise of the check, or raises an error.
        NotApplicable: there is nothing to check.
    """
    try:
        # One fault is reported once, by construction or first-use.
        if one.name != "construction" and under_test.fault is not None:
            raise NotApplicable("it cannot be made, as construction says")
        if one.name not in ("construction", "first-use") and under_test.first_error is not None:
            raise NotApplicable("its first use fails, as first-use says")
        one.run(under_test.sandbox)
    except (Failed, NotApplicable):
        raise
    # A component may fail in any way, even by SystemExit; the kit reports it.
    except (Exception, SystemExit) as error:
        raise Failed(explain_error(error, under_test)) from error


def _outcome(one: Check, under_test: ComponentUnderTest, reason: str | None) -> Outcome:
    try:
        run(one, under_test)
    except NotApplicable as error:
        return Outcome(one.name, "not applicable", str(error))
    except Failed as error:
        if reason is None:
            return Outcome(one.name, "failed", str(error))
        return Outcome(one.name, "expected failure", reason)
    if reason is None:
        return Outcome(one.name, "passed", "")
    return Outcome(one.name, "unexpected pass", f"it was expected to fail ({reason}): remove it from expected_failures")


def parametrize(
    role: str,
    factory_or_name: Factory | str,
    *,
    params: Mapping[str, object] | None = None,
    upstream: str | None = None,
    pipelines: Sequence[Pipeline] | None = None,
    expected_failures: Mapping[str, str] | None = None,
) -> pytest.MarkDecorator:
    """Decorate ``def test_…(check): check()`` so that each check of a role is a test.

    Same arguments and errors as :func:`check`. A check that does not apply is skipped; an expected failure is a
    strict xfail with its reason.
    """
    import pytest

    under_test = ComponentUnderTest(role, factory_or_name, params, upstream, pipelines)
    expected = _expected(under_test, expected_failures)

    def marks(one: Check) -> list[pytest.MarkDecorator]:
        if one.name not in expected:
            return []
        return [pytest.mark.xfail(reason=expected[one.name], raises=Failed, strict=True)]

    params_ = [pytest.param(partial(_test, one, under_test), id=one.name, marks=marks(one)) for one in checks(role)]
    decorator: pytest.MarkDecorator = pytest.mark.parametrize("check", params_)
    return decorator


def _test(one: Check, under_test: ComponentUnderTest) -> None:
    import pytest

    skip: Callable[[str], None] = pytest.skip
    try:
        run(one, under_test)
    except NotApplicable as error:
        skip(str(error))
