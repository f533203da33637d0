"""Where sentences of statutes begin and end."""

from __future__ import annotations

import pytest

from legalir.analysis.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\u2028\t", []),
        ("비상구를 둔다. 다만, 창고는 그러하지 아니하다.", ["비상구를 둔다.", "다만, 창고는 그러하지 아니하다."]),
        ("① 통로를 둔다. ② 너비는 2미터로 한다.", ["① 통로를 둔다.", "② 너비는 2미터로 한다."]),
        ("다음과 같다.\n1. 소화기\n가. 분말\n나. 가스", ["다음과 같다.", "1. 소화기", "가. 분말", "나. 가스"]),
        ("2024. 1. 31. 시행한다.", ["2024. 1. 31. 시행한다."]),
        ("너비 1.5미터 이상(지하는 3. 2미터)", ["너비 1.5미터 이상(지하는 3. 2미터)"]),
        ("See Art.  5 of it.", ["See Art. 5 of it."]),
        ("(창고를 말한다). 이하 같다.", ["(창고를 말한다).", "이하 같다."]),
        (
            "See Art. 5 of the Act. It applies! Does it? Yes.",
            ["See Art. 5 of the Act.", "It applies!", "Does it?", "Yes."],
        ),
        ("He said “no.” Then he left.", ["He said “no.”", "Then he left."]),
        ("第一条のとおり。ただし書。", ["第一条のとおり。", "ただし書。"]),
        ("ทางเดินต้องกว้าง 2 เมตร\nเว้นแต่ชั้นใต้ดิน", ["ทางเดินต้องกว้าง 2 เมตร", "เว้นแต่ชั้นใต้ดิน"]),
        ("line one\r\nline two\x0bthree", ["line one", "line two", "three"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


def test_nothing_is_lost() -> None:
    text = "① 가나다. 라마 1.2 바.\n(사아)。자차! ② “카타.” 파하? "
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_a_long_text_is_no_trouble() -> None:
    # Quadratic time would take minutes.
    assert len(split_sentences("가나다라 " * 200_000)) == 1
    assert len(split_sentences(" " * 200_000 + "가")) == 1
    assert len(split_sentences("말한다. " * 100_000)) == 100_000
