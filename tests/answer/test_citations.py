"""What an answer cites, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.answer.generator import cited, citing


@pytest.mark.parametrize(
    ("answer", "docnos", "expected"),
    [
        ("창고다. [a-1]", ["a-1", "a-2"], ["a-1"]),
        ("둘이다. [a-2][a-1] 하나다. [a-2]", ["a-1", "a-2"], ["a-2", "a-1"]),
        ("[별표 1]에 따른다. [전문개정] [본조신설] [a-1]", ["a-1"], ["a-1"]),
        ("[a-1", ["a-1"], []),
        ("[ a-1 ]", ["a-1"], []),
        ("[[a-1]]", ["a-1"], ["a-1"]),
        ("표[3]] 참조. [표[3]]", ["표[3]"], ["표[3]"]),
        ("[a]]", ["a", "a]"], ["a]"]),
        ("", ["a-1"], []),
        ("[]", ["a-1"], []),
    ],
)
def test_what_is_cited(answer: str, docnos: list[str], expected: list[str]) -> None:
    assert cited(answer, docnos) == expected


# A docno as the folder format takes it: no white space, nothing invisible.
docno = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda text: text.isprintable() and " " not in text)


@given(st.lists(docno, unique=True, max_size=5))
def test_what_cites_is_cited(docnos: list[str]) -> None:
    answer = "\n".join(f"문장이다. {citing(docno)}" for docno in docnos)
    assert cited(answer, docnos) == docnos
