"""The conformance kit: what a plugin has to hold to, as checks that anyone can run on theirs.

::

    from legalir import testing

    @testing.parametrize("retriever", "trigram")
    def test_conformance(check):
        check()

or, without pytest, ``testing.check("retriever", "trigram")``. Each check builds its own data, an invented collection in
a temporary folder. What is checked of which role, and why, is in ``docs/conformance.md``.
"""

from __future__ import annotations

from legalir.testing.checks import Check, Outcome
from legalir.testing.running import check, checks, names, parametrize

__all__ = ["Check", "Outcome", "check", "checks", "names", "parametrize"]
