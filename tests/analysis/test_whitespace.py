"""Words between white space."""

from __future__ import annotations

import unicodedata

import pytest

from legalir.analysis.analyzer import count_terms
from legalir.analysis.ngrams import NGrams
from legalir.analysis.words import Whitespace, whitespace_analyzer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("소방시설을 설치하여야 한다.", ["소방시설을", "설치하여야", "한다."]),
        ("「소방시설법」 제12조(목적)", ["「소방시설법」", "제12조(목적)"]),
        ("消防法 第12條", ["消防法", "第12條"]),
        ("Fire SAFETY Act", ["fire", "safety", "act"]),
        ("ผู้ใดฆ่าผู้อื่น มาตรา ๒๘๘", ["ผู้ใดฆ่าผู้อื่น", "มาตรา", "๒๘๘"]),
        ("설치·유지 설치ㆍ유지", ["설치ㆍ유지", "설치ㆍ유지"]),
        ("- 「」 🔥 … 1", ["1"]),
        ("🔥불", ["🔥불"]),
        # A surrogate or NUL inside a word is neither white space nor a reason to fail.
        ("a\ud800b c\x00", ["a\ud800b", "c\x00"]),
        ("", []),
        (" \n\t\u3000", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    for form in (text, unicodedata.normalize("NFD", text)):
        assert Whitespace().terms(form) == expected


def test_words_are_counted_by_the_plain_way() -> None:
    counts = count_terms(whitespace_analyzer(None), ["나 가 나", "", "가"])
    assert counts.terms == ["가", "나"]
    assert counts.indptr.tolist() == [0, 2, 3]
    assert counts.documents.tolist() == [0, 2, 0]
    assert counts.frequencies.tolist() == [1, 1, 2]
    assert counts.lengths.tolist() == [3, 0, 1]
    empty = count_terms(Whitespace(), [])
    assert (empty.terms, empty.indptr.tolist(), empty.lengths.tolist()) == ([], [0], [])


def test_identity() -> None:
    assert Whitespace() == whitespace_analyzer(None)
    assert Whitespace().name == "whitespace"
    assert Whitespace().fingerprint != NGrams("char", 2).fingerprint
