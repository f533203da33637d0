"""Numbers of provisions: one spelling and one order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.references.numbering import number_of, numbers_of, sort_key


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("제9조의2", "9의2"),
        ("§ 2 A-1 a", "2A-1a"),
        ("제7-14조의2", "7-14의2"),
        ("Art. 5a²", "5a"),
        ("§ 22¹", "22¹"),
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
        ("Artículo 15 BIS.", "15bis"),
        ("Artículo 3 Quáter", "3quater"),
        ("Artículo 4o. Bis", "4bis"),
        ("Artículo 2o.-A", "2-A"),
        ("ARTÍCULO 4o.- A los trabajadores", "4"),
        ("§ 4o", "4o"),
        ("Art. 19-bis1", "19-bis1"),
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
        ("4 a §", "4a"),
        ("91 o §", "91o"),
        ("§ 4 b.", "4b"),
        ("Art. 4 a (aufgehoben)", "4a"),
        ("Art. 4 a diverses", "4"),
        ("Article 3 e", "3e"),
        ("1er bis A", "1bisA"),
        ("Art. 1erbis.", "1bis"),
        ("Article 302 bis ZO", "302bisZO"),
        ("Art. 205bbis", "205bbis"),
        ("Art. VI.83.", "VI.83"),
        ("XX.41/1", "XX.41/1"),
        ("Artículo 129 bis 9.-", "129bis9"),
        ("Art. 49a ter", "49ater"),
        ("Artículo 1º.-", "1"),
        ("Art. 5.º-A", "5-A"),
        ("Artículo primero", "1"),
        ("Article premier", "1"),
        ("Disposición adicional primera", ""),
        ("12/B. §", "12/B"),
        ("Чл. 5а.", "5а"),
        ("C.", "C"),
        ("Cbis", "Cbis"),
        ("Part D", "D"),
        ("XL", "40"),
        ("PART IVA", "4A"),
        ("Art. 86 und 87", "86-87"),
        ("§§ 4 og 5", "4-5"),
        ("4 a ja 4 b §", "4a-4b"),
        ("Article 1er et 2", "1-2"),
        ("§ 2–10", "2-10"),
        ("Law 5, 2020", "5"),
        ("Vorschriften", ""),
        ("", ""),
    ],
)
def test_one_spelling(label: str, number: str) -> None:
    assert number_of(label) == number


@pytest.mark.parametrize(
    ("label", "numbers"),
    [
        ("Art. 5", "5"),
        ("Art. 2 bis 4", "2 3 4"),
        ("Art. 2 bis", "2bis"),
        ("Articles 5, 6 et 9", "5 6 9"),
        ("Art. 21–23", "21 22 23"),
        ("§ 1 b–1 d", "1b 1d"),
        ("§ 2–10", "2-10"),
        ("15-1", "15-1"),
        ("§ 5 to 3", "5"),
        ("§§ 1 to 99999", "1 99999"),
    ],
)
def test_a_label_may_name_several_provisions(label: str, numbers: str) -> None:
    assert numbers_of(label) == numbers.split()


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
    assert sorted(["IX.1", "V.2", "X.1", "I.22", "I.3"], key=sort_key) == ["I.3", "I.22", "V.2", "IX.1", "X.1"]


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
