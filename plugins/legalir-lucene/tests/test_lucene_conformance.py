"""legalir's conformance kit."""

from __future__ import annotations

from collections.abc import Callable

from legalir import testing


@testing.parametrize("retriever", "lucene")
def test_bm25(check: Callable[[], None]) -> None:
    check()


@testing.parametrize("retriever", 'lucene(model="ql", analyzer="whitespace", num_results=3)')
def test_query_likelihood(check: Callable[[], None]) -> None:
    check()
