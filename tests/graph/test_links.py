"""Links between docnos become links between numbers; whatever is left out is counted."""

from __future__ import annotations

import pytest

from legalir.errors import DataError
from legalir.graph.citation_graph import Left, number_links


def test_what_is_left_out_is_counted() -> None:
    links = [
        ("b", "a", "self"),
        ("a", "a", "self"),
        ("b", "a", "family"),
        ("a", "x", "self"),
        ("y", "z", "self"),
        ("x", "x", "self"),
        ("a", "b"),
    ]
    found = number_links(links, ["b", "a", "c"])
    assert found.docnos == ["a", "b", "c"]
    assert list(zip(found.source.tolist(), found.target.tolist(), strict=True)) == [(1, 0), (0, 1)]
    assert [found.kinds[kind] for kind in found.kind] == ["self", ""]
    assert found.left == Left(self_loops=1, dangling=3, duplicates=1, unknown=("x", "y", "z"))


def test_without_a_collection_the_ends_are_the_nodes() -> None:
    found = number_links(iter([("b", "a"), ("c", "c")]), None)
    assert found.docnos == ["a", "b", "c"]
    assert found.left == Left(self_loops=1)


def test_there_may_be_none() -> None:
    found = number_links([], ["a"])
    assert (found.docnos, len(found.source), found.left) == (["a"], 0, Left())


@pytest.mark.parametrize("link", [("a",), ("a", "b", "c", "d"), ("a", 1), ("a", None), "ab", (1, 2)])
def test_what_is_no_link_is_named(link: object) -> None:
    with pytest.raises(DataError, match=r"\(source, target, kind\)"):
        number_links([("a", "b"), link], None)  # type: ignore[list-item]


def test_kinds_have_a_limit() -> None:
    assert len(number_links([("a", "b", str(number)) for number in range(256)], None).kinds) == 256
    with pytest.raises(DataError, match=r"257.*256"):
        number_links([("a", "b", str(number)) for number in range(257)], None)
