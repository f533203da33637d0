"""Jamo terms as people read them."""

from __future__ import annotations

import unicodedata

import pytest

from legalir.analysis.ngrams import NGrams, decompose, readable


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (1, "ㅁ ㅜ ㅊ ㅏ ㅇ ㅊ ㅡ ㅇ"),
        (3, "무ㅊ ㅜ차 창 ㅏㅇㅊ ㅇ츠 층"),
        (5, "무창 ㅜ창ㅊ 창츠 ㅏㅇ층"),
    ],
)
def test_ngrams_of_a_word(n: int, expected: str) -> None:
    assert " ".join(map(readable, NGrams("jamo", n).terms("무창층"))) == expected


@pytest.mark.parametrize("code", [*range(0x1100, 0x1113), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3)])
def test_every_jamo_is_the_letter_of_its_name(code: int) -> None:
    letter = unicodedata.name(readable(chr(code))).removeprefix("HANGUL LETTER ")
    assert unicodedata.name(chr(code)).split(" ", 2)[2] == letter


def test_other_terms_stay() -> None:
    for term in ("소방", "abc", "消防", "ㆍ12", "ผู้", ""):
        assert readable(term) == term
    assert readable(decompose("설치ㆍ유지")) == "설치ㆍ유지"
