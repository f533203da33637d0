"""What is a word and what is a gap, in every script that statutes and their readers use."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.analysis.text import is_word_character, normalize, words

DOT = "\u318d"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("소방시설을 설치하여야 한다.", ["소방시설을", "설치하여야", "한다"]),
        ("「소방시설법」제12조제1항", ["소방시설법", "제12조제1항"]),
        ("특정소방대상물(무창층)", ["특정소방대상물", "무창층"]),
        ("消防施設法 第十二條", ["消防施設法", "第十二條"]),
        ("Fire Safety ACT, §12(a)", ["fire", "safety", "act", "12", "a"]),
        ("1,000㎡ 이상", ["1", "000", "이상"]),
        ("snake_case", ["snake_case"]),
        # Thai writes vowels and tones as marks above and below: they belong to their word.
        ("ประมวลกฎหมายอาญา มาตรา ๒๘๘", ["ประมวลกฎหมายอาญา", "มาตรา", "๒๘๘"]),
        ("ผู้ใดฆ่าผู้อื่น", ["ผู้ใดฆ่าผู้อื่น"]),
        ("불🔥을 끄다👨‍👩‍👧", ["불", "을", "끄다"]),
        ("a\x00b\x07c\x7fd\u200be\ufefff", ["a", "b", "c", "d", "e", "f"]),
        ("a\ud800b\udfffc", ["a", "b", "c"]),
        ("줄\r\n바꿈\u2028과\u3000빈칸\u00a0들", ["줄", "바꿈", "과", "빈칸", "들"]),
        ("", []),
        ("「」、。…!? -- ()", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_the_middle_dots_that_people_type_are_one_word_character() -> None:
    # MIDDLE DOT, BULLET, HYPHENATION POINT, DOT OPERATOR, KATAKANA MIDDLE DOT, its half-width form, ARAEA, and
    # GREEK ANO TELEIA, which NFC turns into MIDDLE DOT.
    for dot in "\u00b7\u2022\u2027\u22c5\u30fb\uff65\u318d\u0387":
        assert words(f"설치{dot}유지") == [f"설치{DOT}유지"]


def test_case_is_folded_before_and_after_composition() -> None:
    assert normalize("ÀÉ") == normalize("a\u0300e\u0301") == "àé"
    # Lower-casing U+0130 gives i and a mark, which must be composed the same way however it came.
    assert normalize("İ") == normalize("I\u0307") == unicodedata.normalize("NFC", "i\u0307")


@given(st.text(st.characters()))
def test_normal_forms_give_the_same_words(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text)) == words(text)


@given(st.text(st.characters()))
def test_words_hold_word_characters_only(text: str) -> None:
    assert all(map(is_word_character, "".join(words(text))))


@given(st.text(st.characters()), st.text(st.characters()))
def test_a_gap_keeps_words_apart(left: str, right: str) -> None:
    assert words(f"{left}\n{right}") == words(left) + words(right)
