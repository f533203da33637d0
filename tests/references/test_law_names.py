"""The laws that a text names, and the law of each reference."""

from __future__ import annotations

import pytest

from legalir.references.grammar import read_references
from legalir.references.law_names import LawNames, abbreviates, compact

LAWS = (
    "등대법",
    "등대법 시행령",
    "등대ㆍ부표 설치 및 관리에 관한 법률",
    "선박법",
    "Ferry Safety Rules (FSR)",
    "Harbour Dues and Tolls Regulations 2015",
    "灯塔法",
    "船法",
    "Luật Cư trú",
    "พระราชบัญญัติแพ พ.ศ. 2543",
    "Funds_VER08.040723",
    "",
    "…",
)
NAMES = LawNames(LAWS)


def found(text: str) -> list[list[str]]:
    return [[LAWS[law] for law in mention.laws] for mention in NAMES.find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("등대법에 따라", ["등대법"]),
        ("「등대법시행령」과 등대법", ["등대법 시행령", "등대법"]),
        ("신등대법과 「모든 등대법」", []),
        ("the FERRY  SAFETY\nRULES", ["Ferry Safety Rules (FSR)"]),
        ("ferry safety rulesets", []),
        ("Harbour Dues and Tolls Regulations", ["Harbour Dues and Tolls Regulations 2015"]),
        ("违反灯塔法和《中华人民共和国灯塔法》", ["灯塔法", "灯塔法"]),
        ("《大灯塔法》", []),
        ("luật cư trú năm 2020", ["Luật Cư trú"]),
        ("ตามพระราชบัญญัติแพและ", ["พระราชบัญญัติแพ พ.ศ. 2543"]),
        ("Funds pay dues", []),
        ("선박", []),
        ("등대법시", ["등대법"]),
        ("", []),
    ],
)
def test_find(text: str, expected: list[str]) -> None:
    assert found(text) == [[name] for name in expected]


def test_of_equal_names_both_are_meant() -> None:
    assert LawNames(["Ferry Rules 2015", "Ferry Rules 2020"]).find("ferry rules")[0].laws == (0, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Directly before it, with one letter between, in quotes.
        ("등대법 제3조", ["등대법"]),
        ("등대법의 제3조", ["등대법"]),
        ("「등대법 시행령」(제3조)", ["등대법 시행령"]),
        ("根据灯塔法的第三条", ["灯塔法"]),
        # By an abbreviation of its words, or of letters.
        ("등대설치법 제3조", ["등대ㆍ부표 설치 및 관리에 관한 법률"]),
        ("FSR Rule 3", ["Ferry Safety Rules (FSR)"]),
        ("HDTR rule 3", ["Harbour Dues and Tolls Regulations 2015"]),
        ("section 3 of HDTR", ["Harbour Dues and Tolls Regulations 2015"]),
        ("IT rule 3", [None]),
        # After it, with or without words that introduce it.
        ("Article 3(2) of the Ferry Safety Rules", ["Ferry Safety Rules (FSR)"]),
        ("Điều 3 Luật Cư trú", ["Luật Cư trú"]),
        ("มาตรา 3 วรรคสอง แห่งพระราชบัญญัติแพ", ["พระราชบัญญัติแพ พ.ศ. 2543"]),
        # A law that is not in the collection.
        ("낚시법 제3조", []),
        ("등대법 시행규칙 제3조", []),
        ("민법 제3조", []),
        ("section 3 of the Fishing Act", []),
        # Named before, or only after.
        ("등대법에 따르면 배는 제3조를", ["등대법"]),
        ("제3조에 대해 묻는다. 등대법과 선박법", ["등대법"]),
        ("등대법과 선박법이 있다. 같은 법 제3조", ["선박법"]),
        ("선박법 등. 영 제3조, 규칙 제4조", ["선박법", "선박법"]),
        ("등대법 제3조, 제4조와 선박법 제5조", ["등대법", "등대법", "선박법"]),
        ("낚시법 제3조, 제4조", [[], []]),
        ("section 3 of the Act", [None]),
        ("제3조", [None]),
    ],
)
def test_the_law_of_each_reference(text: str, expected: list[object]) -> None:
    meant = NAMES.of(text, read_references(text))
    if not expected:
        expected = [[]]
    wanted = [one if one is None or isinstance(one, list) else [one] for one in expected]
    assert [None if law is None else [LAWS[number] for number in law.laws] for law in meant] == wanted


def test_the_words_that_name_the_law() -> None:
    for text, words in (
        ("이는 등대 설치법 제3조", "설치법"),
        ("등대설치법 제3조", "등대설치법"),
        ("FSR rule 3", "FSR"),
    ):
        (law,) = NAMES.of(text, read_references(text))
        assert law is not None
        assert text[law.start : law.end] == words


@pytest.mark.parametrize(
    ("short", "name", "expected"),
    [
        ("등대설치법", "등대 설치 및 관리에 관한 법률", True),
        ("등대관리법", "등대 설치 및 관리에 관한 법률", True),
        ("등대재난관리법", "등대 및 복합건축물 재난관리에 관한 특별법", True),
        ("등대법", "등대공사업법 시행령", False),
        ("대설치법", "등대 설치 및 관리에 관한 법률", False),
        ("등대설치", "등대 설치 및 관리에 관한 법률", False),
        ("등대법령", "등대 설치 및 관리에 관한 법률", False),
        ("등대", "등대 설치", False),
        ("hdtr", "Harbour Dues and Tolls Regulations", True),
        ("kuhperdata", "Kitab Undang-undang Hukum Perdata", True),
        ("blds", "Bộ luật Dân sự", True),
    ],
)
def test_abbreviations(short: str, name: str, expected: bool) -> None:
    assert abbreviates(short, [compact(word) for word in name.split()]) == expected


def test_without_laws() -> None:
    text = "상법 제3조"
    assert LawNames([]).find(text) == []
    (law,) = LawNames([]).of(text, read_references(text))
    assert law is not None
    assert law.laws == ()
