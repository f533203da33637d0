"""Multiple-choice questions as models write them: labels, markup and decimals of the published intermediate files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from legalir_study.drafts import MCQDraft, key_of, numbered_options, without_labels, without_markup

FOUR = ["red", "green", "blue", "white"]


@pytest.mark.parametrize(
    "options",
    [
        FOUR,
        ["1. red", "2. green", "3. blue", "4. white"],
        ["1) red", "2) green", "3) blue", "4) white"],
        ["a) red", "b) green", "c) blue", "d) white"],
        ["A. red", "B. green", "C. blue", "D. white"],
        ["① red", "② green", "③ blue", "④ white"],
        ["(1) red", "(2) green", "(3) blue", "(4) white"],
        ["**1.** red", "**2.** green", "**3.** blue", "**4.** white"],
        ["- `red`", "- `green`", "- `blue`", "- `white`"],
        ["가. red", "나. green", "다. blue", "라. white"],
        "1. red\n2. green\n3. blue\n4. white",
        "**선택지**\n1) red\n2) green\n3) blue\n4) white",
        "`옵션`: 1. red 2. green 3. blue 4. white",
        "red\ngreen\nblue\nwhite",
        {"a": "red", "b": "green", "c": "blue", "d": "white"},
    ],
)
def test_labels_markup_and_headings_are_no_part_of_an_option(options: object) -> None:
    reply = {"question": "Which?", "options": options, "answer": 2, "explanation": "x"}
    row = MCQDraft.model_validate(reply).row()
    assert (row["options"], row["key"]) == (FOUR, 2)


@pytest.mark.parametrize(
    "text",
    ["1. 1.2 ㎫ 이상\n2. 0.7 ㎫\n3. 1.6 ㎫\n4. 2.5 ㎫ 미만", "① 1.2 ㎫ 이상 ② 0.7 ㎫ ③ 1.6 ㎫ ④ 2.5 ㎫ 미만"],
)
def test_a_decimal_is_no_label(text: str) -> None:
    assert numbered_options(text) == ["1.2 ㎫ 이상", "0.7 ㎫", "1.6 ㎫", "2.5 ㎫ 미만"]


def test_labels_that_only_some_options_have_stay() -> None:
    assert without_labels(["1. red", "green", "3. blue", "white"]) == ["1. red", "green", "3. blue", "white"]


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        (2, 2),
        ("2", 2),
        ("b", 2),
        ("B)", 2),
        ("②", 2),
        ("2번", 2),
        ("정답: 2", 2),
        ("**2**", 2),
        ("green", 2),
        ("Green.", 2),
        (0, 0),
        (5, 0),
        ("7", 0),
        ("2 or 3", 0),
        ("none", 0),
    ],
)
def test_the_key_is_a_number_a_label_or_the_text_of_an_option(answer: int | str, key: int) -> None:
    assert key_of(answer, FOUR) == key


def test_a_reply_without_a_part_is_no_draft() -> None:
    with pytest.raises(ValidationError, match="question"):
        MCQDraft.model_validate({"options": FOUR, "answer": 1})


@given(st.lists(st.text(st.characters(categories=["L"]), min_size=2, max_size=8), min_size=2, max_size=6))
def test_numbering_and_reading_are_inverse(options: list[str]) -> None:
    plain = [without_markup(option) for option in options]
    for form in ("{}. {}", "{}) {}", "({}) {}"):
        lines = [form.format(place, option) for place, option in enumerate(plain, start=1)]
        assert without_labels(lines) == plain
        assert [without_markup(option) for option in numbered_options("\n".join(lines))] == plain
