"""Numbers of provisions: one spelling and one order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.references.numbering import number_of, sort_key


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("제9조의2", "9의2"),
        ("제 12 조의 3", "12의3"),
        ("제12호의3", "12의3"),
        ("별표 1의2", "1의2"),
        ("①", "1"),
        ("㉑", "21"),
        ("가.", "가"),
        ("第百二十条の二", "120の2"),
        ("第八条の二の五", "8の2の5"),
        ("第二十一条の十七", "21の17"),
        ("第一〇一条", "101"),
        ("第十五條之一", "15之1"),
        ("第 15-1 條", "15-1"),
        ("第一千二百三十四条", "1234"),
        ("§ 823a", "823a"),
        ("Artikel 12", "12"),
        ("L. 121-3", "L121-3"),
        ("L311-1", "L311-1"),
        ("R*12", "R*12"),
        ("Art. 3-bis", "3-bis"),
        ("12 bis", "12bis"),
        ("มาตรา ๔๐ ทวิ", "40ทวิ"),
        ("มาตรา 82/1", "82/1"),
        ("§ 1395b–3", "1395b-3"),
        ("2.18.1.1", "2.18.1.1"),
        ("PART IV", "4"),
        ("CHAPTER 1—", "1"),
        ("Artigo 5.º-A", "5-A"),
        ("Artikel 7A:1576", "7A:1576"),
        ("Art. 22¹", "22¹"),
        ("¹ Wer", "1"),
        ("άρθρο 5Α", "5Α"),
        ("المادة ٥ مكرر", "5مكرر"),
        ("(b)", "b"),
        ("Vorschriften", ""),
        ("", ""),
    ],
)
def test_one_spelling(label: str, number: str) -> None:
    assert number_of(label) == number


def test_numbers_are_in_the_order_of_a_statute() -> None:
    ordered = [
        "1",
        "2",
        "9",
        "9의2",
        "9의10",
        "10",
        "12",
        "12bis",
        "12ter",
        "12quater",
        "13",
        "40",
        "40ทวิ",
        "40ตรี",
        "41",
    ]
    shuffled = random.Random(1).sample(ordered, len(ordered))
    assert sorted(shuffled, key=sort_key) == ordered
    assert sorted(["2.10", "2.9", "2.1.1", "2.1"], key=sort_key) == ["2.1", "2.1.1", "2.9", "2.10"]
    assert sorted(["823a", "823", "824"], key=sort_key) == ["823", "823a", "824"]


@given(st.integers(1, 99_999))
def test_han_numerals_are_read_back(value: int) -> None:
    assert number_of(f"第{_han(value)}条") == str(value)


@given(st.text(max_size=40))
def test_any_text_has_a_number_or_none(text: str) -> None:
    assert not any(map(str.isspace, number_of(text)))
    sort_key(number_of(text))


def test_a_run_of_digits_without_end() -> None:
    """Python turns no more than 4 300 digits into a number."""
    assert number_of("9" * 18) == "9" * 18
    assert number_of("9" * 19) == number_of("9" * 5_000) == number_of("第" + "〇" * 5_000 + "条") == ""
    assert sort_key("9" * 5_000)


def _han(value: int) -> str:
    """Write a number below 100 000 with units: 120 is 百二十."""
    words = ""
    for unit, sign in ((10_000, "万"), (1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, unit)
        if digit:
            words += ("" if digit == 1 and sign and sign != "万" else "〇一二三四五六七八九"[digit]) + sign
    return words
