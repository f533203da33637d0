"""Days of the law in questions of our own."""

from __future__ import annotations

import pytest

from legalir.verify.days import asked_day

NOW = "2024-06-15"


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("2021년 3월 당시 등대의 과태료는 얼마인가요?", "2021-03-31"),
        ("How long was the lead of a dog, as it stood in 2019?", "2019-12-31"),
        ("2021. 3. 1. 시행 규정의 과태료", "2021-03-01"),
        ("Welche Frist gilt? (Stand: 03/2021)", "2021-03-31"),
        ("In der Fassung vom 1. März 2020: welche Frist?", "2020-03-01"),
        ("Quel délai était en vigueur au 1er mars 2020 ?", "2020-03-01"),
        ("¿Qué plazo fijaba el artículo 3 vigente en marzo de 2019?", "2019-03-31"),
        ("令和2年4月時点の罰金はいくらでしたか", "2020-04-30"),
        ("2019年当时的罚款是多少？", "2019-12-31"),
        ("Mức phạt có hiệu lực vào ngày 1 tháng 3 năm 2021?", "2021-03-01"),
        ("As of 1 March 2021, what is the fee?", "2021-03-01"),
        ("截至2020年底，罚款是多少？", "2020-12-31"),
        ("2018년도 기준 등대의 과태료", "2018-12-31"),
        ("What is the fee as of 2024?", NOW),  # The present year ends today.
        ("What did the Harbour Act 1998, as in force on 1 May 2010, say?", "2010-05-01"),
    ],
)
def test_the_words_about_the_law_give_its_day(question: str, day: str) -> None:
    asked = asked_day(question, "--as-of", NOW)
    assert asked.day == day
    assert f"As of {day}" in asked.note
    assert "--as-of today" in asked.note


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("On 3 March 2021 my dog bit a guest. What is the fine?", "as_of 2021-03-03"),
        ("As of 1 March 2021 I was a tenant, what is the notice period?", "not clearly"),
        ("I have rented it as of 1 March 2021. What is the notice period?", "not clearly"),
        ("2021년 3월 3일 화재가 났는데 과태료는 얼마인가요?", "not clearly"),
        ("2021年3月当時、私は未成年でしたが、契約は取り消せますか", "not clearly"),
        ("What was the fee in 2019?", "as_of 2019-12-31"),
        ("Which rules held between 2018 and 2020?", "not clearly"),
        ("작년 3월 당시 등대의 과태료", "names 작년, without a date"),
        ("How did the fee differ as it stood in 2019 and 2021?", "several days (2019, 2021)"),
        ("2019년과 2021년 당시 과태료는 어떻게 다른가?", "several days"),
        ("Which fee is in force on 1 January 2031?", "is to come"),
        ("What was the fee as it stood on 31 February 2021?", "not a day"),
        ("What does section 3 of the Harbour Act 1998 say?", ""),
        ("버스 2019번 노선의 요금은?", ""),
    ],
)
def test_other_days_are_said_and_not_taken(question: str, note: str) -> None:
    asked = asked_day(question, now=NOW)
    assert asked.day == ""
    assert note in asked.note
    assert bool(note) == bool(asked.note)
