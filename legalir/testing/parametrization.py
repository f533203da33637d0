"""The kit under pytest: one test a check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from legalir.plugins import Factory
from legalir.testing.checks import Check
from legalir.testing.outcome import Failed, NotApplicable
from legalir.testing.running import checks, expected_of, run
from legalir.testing.subject import Pipeline, Subject

if TYPE_CHECKING:
    import pytest

__all__ = ["parametrize"]


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
