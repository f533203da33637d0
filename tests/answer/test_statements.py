"""Refusals in prose and the statements of an answer."""

from __future__ import annotations

import pytest

from legalir.answer.statements import Statement, refuses, statements_of, without_numbers


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I cannot answer this from what I was given.",
        "The provisions given do not say who pays.",
        "There is not enough information to answer.",
        "제공된 조문만으로는 누가 내는지 알 수 없습니다.",
        "주어진 자료에는 기한이 명시되어 있지 않다.",
        "この質問にはお答えできません。",
        "提示された条文からは判断できません。",
        "根据所提供的条文无法确定期限。",
        "ไม่สามารถตอบคำถามนี้ได้",
        "Không thể xác định mức phạt.",
        "Aus den genannten Vorschriften lässt sich die Frage nicht beantworten.",
        "Les textes fournis ne précisent pas qui paie.",
        "Los textos proporcionados no indican el plazo.",
        "I testi forniti non indicano il termine.",
        "Os textos fornecidos não indicam o prazo.",
        "Nie mogę odpowiedzieć na to pytanie.",
    ],
)
def test_refusals(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize(
    "text",
    [
        "The keeper cannot answer for goods of others.",
        "Documents that do not contain a date are void.",
        "A passage may not be closed.",
        "창고 주인은 이 규정에 따라 통로를 막을 수 없다.",
        "이 규정에 명시되어 있지 않은 사항은 규칙으로 정한다.",
        "제출된 자료만으로 확인할 수 없는 경우에는 현장을 본다.",
        "許可を受けなければ、営業することはできない。",
        "不能确定价格的，由法院确定。",
        "ผู้ดูแลไม่สามารถปิดทางเดินได้",
        "Không thể hủy giấy phép này.",
        "Der Gang kann nicht geschlossen werden.",
        "Le gardien ne peut pas fermer le passage.",
        "El guarda no puede cerrar el paso.",
        "Nie można zamknąć przejścia.",
    ],
)
def test_law_that_says_cannot_is_no_refusal(text: str) -> None:
    assert not refuses(text)


def test_statements_and_their_citations() -> None:
    text = "Two metres [wide].\n Green. [w-1] [a[1]] And\tround. [w-1]\n[w-1]\n- \nRed [x] once. [w-1][w-1]"
    assert statements_of(text, ["w-1", "a[1]"]) == [
        Statement("Two metres [wide].", ()),
        Statement("Green.", ("w-1", "a[1]")),
        Statement("And round.", ("w-1",)),
        Statement("Red [x] once.", ("w-1",)),
    ]
    assert statements_of("", []) == []


@pytest.mark.parametrize(
    ("text", "bare", "numbers"),
    [
        ("Doors open [1]–[3].", "Doors open.", "123"),
        ("Doors [1-2, 4] open [1] to [2]", "Doors open", "12412"),
        ("Doors [1], [3] and [4].", "Doors.", "134"),
        ("門【1】【2】開、窓［2］〜［3］", "門開、窓", "1223"),
        ("See [annex 1], [2].", "See [annex 1],.", "2"),
        ("Doors [1]–[30], [3]–[2].", "Doors [1]–[30], [3]–[2].", ""),
    ],
)
def test_numbers_in_brackets(text: str, bare: str, numbers: str) -> None:
    assert without_numbers(text, 9) == (bare, list(numbers))
