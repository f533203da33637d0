"""The conformance kit: the promises of each role, as checks that anyone can run on a component.

::

    from legalir import testing

    @testing.parametrize("retriever", "trigram")
    def test_conformance(check):
        check()

or, without pytest, ``testing.check("retriever", "trigram")``. Each check builds its own data, an invented collection in
a temporary folder. ``docs/conformance.md`` lists the checks of each role, with reasons.
"""

from __future__ import annotations

from legalir.testing.checks import Check, Outcome
from legalir.testing.kit import check, checks, names, parametrize

__all__ = ["Check", "Outcome", "check", "checks", "names", "parametrize"]
