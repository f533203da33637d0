"""Provisions as a chat model reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir import CitationGraph
from legalir.answer.contexts import context, linked, texts_of
from legalir.datasets.records import Provision
from legalir.errors import ComponentError
from legalir.llm.chat import estimated_tokens

PROVISIONS = {
    "a": Provision("a", "Act, Article 1", "Doors\nopen  outwards."),
    "b": Provision("b", "", "Doors are [3] two metres wide."),
    "c": Provision("c", "Rule 9", "문은 2미터이다."),
}
GRAPH = CitationGraph.from_links([("a", "c"), ("a", "b"), ("b", "c"), ("c", "a")])


class Shelf:
    def provisions(self, docnos: list[str]) -> dict[str, Provision]:
        return {docno: PROVISIONS[docno] for docno in docnos if docno in PROVISIONS}

    def __repr__(self) -> str:
        return "Shelf()"


def test_a_provision_is_one_numbered_line() -> None:
    found = context(dict.fromkeys("ab", ""), PROVISIONS)
    assert found.docnos == ("a", "b")
    assert found.text == "[1] Act, Article 1 Doors open outwards.\n[2] Doors are [3] two metres wide."
    assert context({}, PROVISIONS) == ((), "")


def test_a_linked_provision_stands_below_its_first_parent() -> None:
    parents = linked(["b", "a"], GRAPH)
    assert parents == {"b": "", "c": "b", "a": ""}
    assert list(linked(["b", "a"], GRAPH, after=True).items()) == [("b", ""), ("a", ""), ("c", "b")]
    assert context(parents, PROVISIONS).text.splitlines()[1] == "[2, cited by 1] Rule 9 문은 2미터이다."
    assert linked(["a", "b", "c"], GRAPH) == dict.fromkeys("abc", "")


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abc", 1), ("abcd", 2), ("문은", 2)])
def test_estimated_tokens(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


@given(st.integers(0, 60))
def test_the_last_provisions_are_left_out_whole(budget: int) -> None:
    whole = context(dict.fromkeys("abc", ""), PROVISIONS).text.splitlines()
    found = context(dict.fromkeys("abc", ""), PROVISIONS, budget)
    fitting = sum(sum(map(estimated_tokens, whole[: number + 1])) <= budget for number in range(3))
    assert found.text.splitlines() == whole[:fitting]
    assert found.docnos == ("a", "b", "c")[:fitting]


def test_an_unknown_provision_is_named() -> None:
    assert set(texts_of(["a"], Shelf(), "answer")) == {"a"}
    with pytest.raises(ComponentError, match=r"^answer: .*'z' in Shelf\(\)"):
        texts_of(["a", "z"], Shelf(), "answer")
