"""legalir's conformance kit, against a real server."""

from __future__ import annotations

from collections.abc import Callable

from legalir import testing


@testing.parametrize("retriever", "postgres_text")
def test_text(check: Callable[[], None]) -> None:
    check()


@testing.parametrize("retriever", 'postgres_dense(encoder="lsa")')
def test_dense(check: Callable[[], None]) -> None:
    check()
