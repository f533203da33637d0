"""Provisions as a chat model reads them."""

from __future__ import annotations

import re

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


TABLE = Provision(
    "t", "Rule 4", "Lamps are\nneeded:\nRoom | Lamps\nHall | 2\n | 3, if long\nNotes\n[2] is a note.", level="rule"
)
ODD = [
    Provision(name, text=name, level=level) for name, level in (("x", " sub\n[rule] "), ("y", "2"), ("z", "Stufe 2"))
]


def test_in_full_a_label_has_the_level_and_a_table_its_rows() -> None:
    found = context({"t": "", "a": "t"}, {"t": TABLE, **PROVISIONS}, in_full=True)
    assert found.text.splitlines() == [
        "[1, rule] Rule 4 Lamps are needed:",
        "| Room | Lamps",
        "| Hall | 2",
        "| | 3, if long",
        "| Notes [2] is a note.",
        "[2, cited by 1] Act, Article 1 Doors open outwards.",
    ]
    assert found.head(1).text == "\n".join(found.text.splitlines()[:5])
    drawn = Provision("m", "", "| a | b |\n|---|---|\n| 1 | 2 |")
    assert context({"m": ""}, {"m": drawn}, in_full=True).text == "[1] | a | b |\n|---|---|\n| 1 | 2 |"
    plain = context({"t": "", "a": "t"}, {"t": TABLE, **PROVISIONS}).text.splitlines()
    assert [line[:8] for line in plain] == ["[1] Rule", "[2, cite"]


def test_a_label_names_its_provision() -> None:
    given = {one.doc_id: one for one in (TABLE, *ODD)}
    found = context({"t": "", "x": "t", "y": "", "z": "x"}, given, in_full=True)
    assert re.findall(r"^\[.*?\]", found.text, re.MULTILINE) == [
        "[1, rule]",
        "[2, cited by 1, sub rule]",
        "[3]",
        "[4, cited by 2, Stufe 2]",
    ]
    for name, docno in {
        "[1, rule]": "t",
        "1 (Rule)": "t",
        "2, sub rule": "x",
        "[4, cited by 2, Stufe 2]": "z",
        "3": None,  # a number alone is read elsewhere
        "1, act": None,
        "Rule 1": None,
    }.items():
        assert found.labelled(name) == docno


@given(st.text(alphabet="[]12, |\nab\u2028\r", max_size=40), st.text(alphabet="[]2,\n| a", max_size=9))
def test_no_text_looks_like_two_provisions(text: str, level: str) -> None:
    given = {name: Provision(name, "", text, level=level) for name in "ab"}
    found = context({"a": "", "b": "a"}, given, in_full=True)
    lines = found.text.split("\n")
    assert [line[:2] for line in lines if not line.startswith("|")] == ["[1", "[2"]
    assert found.head(1).text == "\n".join(lines[: next(n for n, line in enumerate(lines) if line.startswith("[2"))])


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abc", 1), ("abcd", 2), ("문은", 2)])
def test_estimated_tokens(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


@given(st.integers(0, 60))
def test_the_last_provisions_are_left_out_whole_but_the_first(budget: int) -> None:
    whole = context(dict.fromkeys("abc", ""), PROVISIONS).text.splitlines()
    found = context(dict.fromkeys("abc", ""), PROVISIONS, budget)
    fitting = max(1, sum(sum(map(estimated_tokens, whole[: number + 1])) <= budget for number in range(3)))
    assert found.text.splitlines() == whole[:fitting]
    assert found.docnos == ("a", "b", "c")[:fitting]


def test_an_unknown_provision_is_named() -> None:
    assert set(texts_of(["a"], Shelf(), "answer")) == {"a"}
    with pytest.raises(ComponentError, match=r"^answer: .*'z' in Shelf\(\)"):
        texts_of(["a", "z"], Shelf(), "answer")
