"""Filters of questions that need no model, each on its own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.errors import DefinitionError
from legalir_study.filters import (
    about_the_text,
    abstention,
    duplicates,
    languages,
    malformed_options,
    malformed_questions,
    statements,
)
from legalir_study.items import Sieve, sampled


def item(qid: str = "q1", query: str = "Which lamp?", **more: Any) -> dict[str, Any]:
    options = ["red", "green", "blue", "white", "cannot say"]
    return {"qid": qid, "query": query, "options": options, "key": 1, "abstain": 5, "documents": ["a", "b"], **more}


class TestMalformed:
    def test_four_different_options_and_a_key_are_well_formed(self) -> None:
        assert malformed_options([item()]) == {}

    @pytest.mark.parametrize(
        ("change", "fault"),
        [
            ({"query": " ?"}, "the question is empty"),
            ({"options": ["red", "green", "cannot say"], "abstain": 3}, "2 options instead of 4"),
            ({"options": ["red", "green", "blue", "white", "grey", "cannot say"], "abstain": 6}, "5 options"),
            ({"options": ["red", "", "blue", "white", "cannot say"]}, "option 2 has no word"),
            ({"options": ["red", "Green", "green.", "white", "cannot say"]}, "two options are the same: green"),
            ({"key": 0}, "the answer names no option"),
            ({"key": 5}, "the answer names no option"),
            ({"key": 6}, "the answer names no option"),
            ({"options": ["red", "주어진 정보만으로는 알 수 없다", "blue", "white", "-"]}, "cannot be answered"),
        ],
    )
    def test_a_fault_is_named(self, change: dict[str, Any], fault: str) -> None:
        assert fault in malformed_options([item(**change)])["q1"]

    def test_a_question_needs_a_word(self) -> None:
        assert malformed_questions([item(), item("q2", "…?")]) == {"q2": "the question is empty"}


@pytest.mark.parametrize(
    ("language", "query"),
    [
        ("en", "According to the provision, how many lamps are needed?"),
        ("en", "What do both documents say about lamps?"),
        ("en", "When was the act on ferries last amended?"),
        ("ko", "위 조문에 따르면 등은 몇 개인가요?"),
        ("ko", "두 문서를 모두 볼 때 수수료는 얼마인가요?"),
        ("ko", "이 규정은 언제 개정되었나요?"),
        ("ko", "시행일은 언제인가요?"),
        ("ja", "上記の規定によれば灯火はいくつ必要ですか。"),
        ("ja", "この法律はいつ施行されましたか。"),
        ("zh", "根据上述条文，需要几盏灯？"),
        ("zh", "该条文何时修订？"),
        ("th", "ตามบทบัญญัติข้างต้น ต้องมีโคมไฟกี่ดวง"),
        ("vi", "Theo văn bản trên, cần mấy ngọn đèn?"),
    ],
)
def test_a_question_about_the_text(language: str, query: str) -> None:
    assert list(about_the_text([item(query=query)], language)) == ["q1"]


@pytest.mark.parametrize(
    ("language", "query"),
    [
        ("en", "Does the provision of a lamp need a permit?"),
        ("en", "Must the keeper send a document to the office?"),
        ("ko", "이 건물에 등을 몇 개 달아야 하나요?"),
        ("ko", "본인이 문서를 직접 내야 하나요?"),
        ("ko", "두 규모 중 어느 쪽이 허가를 받아야 하나요?"),
        ("ja", "この船には灯火がいくつ必要ですか。"),
        ("zh", "这艘船需要几盏灯？"),
        ("th", "เรือลำนี้ต้องมีโคมไฟกี่ดวง"),
        ("vi", "Tàu này cần mấy ngọn đèn?"),
        ("de", "Was sagt dieser Text?"),  # no patterns of this language
    ],
)
def test_a_question_about_the_law(language: str, query: str) -> None:
    assert about_the_text([item(query=query)], language) == {}


@pytest.mark.parametrize(
    ("language", "query", "dropped"),
    [
        ("en", "Must a ferry carry lamps?", False),
        ("en", "A ferry must carry lamps.", True),
        ("en", "“Must a ferry carry lamps?”", False),
        ("ko", "배에 등을 달아야 하나요?", False),
        ("ko", "배에 등을 달아야 합니까", False),
        ("ko", "배에 등을 달아야 한다.", True),
        ("ko", "배에 등을 달아야 한다?", True),
        ("ko", "배에 등을 다는 경우 신고 대상임", True),
        ("ja", "灯火は必要ですか。", False),
        ("ja", "灯火が必要である。", True),
        ("zh", "船需要灯吗", False),
        ("zh", "船需要灯。", True),
        ("th", "เรือต้องมีโคมไฟหรือไม่", False),
        ("th", "เรือต้องมีโคมไฟ", True),
        ("vi", "Tàu có cần đèn không", False),
        ("vi", "Tàu cần đèn.", True),
        ("de", "Braucht die Fähre Lampen?", False),
        ("de", "Die Fähre braucht Lampen.", True),
    ],
)
def test_statements(language: str, query: str, dropped: bool) -> None:
    assert bool(statements([item(query=query)], language)) is dropped


class TestDuplicates:
    def test_the_same_words_in_another_order_or_with_other_signs(self) -> None:
        items = [item("a", "Must ferries carry lamps?"), item("b", "lamps: must ferries carry"), item("c", "Why?")]
        assert duplicates(items) == {"b": "as a, 100 % similar"}

    def test_similar_words(self) -> None:
        # 26 and 27 signs of sorted words; one is inserted: 1 - 1/53 = 98 %.
        items = [item("a", "Must a ferry carry two lamps?"), item("b", "Must a ferry carry two lamp?")]
        assert list(duplicates(items)) == ["b"]
        assert duplicates(items, alike=99.5) == {}

    def test_other_numbers_make_another_question(self) -> None:
        items = [
            item("a", "Does a ferry of 20 metres need a lamp?"),
            item("b", "Does a ferry of 30 metres need a lamp?"),
        ]
        assert duplicates(items) == {}

    def test_the_first_stays(self) -> None:
        items = [item(qid, "배에 등을 달아야 하나요?") for qid in "abc"]
        assert list(duplicates(items)) == ["b", "c"]


def test_a_sieve_keeps_what_it_drops() -> None:
    sieve = Sieve([item("a"), item("b"), item("c")])
    sieve.drop("first", {"b": "why", "z": "not there"})
    sieve.drop("second", {})
    sieve.drop("first", {"a": ""})
    assert [row["qid"] for row in sieve.kept] == ["c"]
    assert [(row["qid"], row["reason"], row["detail"]) for row in sieve.dropped] == [
        ("b", "first", "why"),
        ("a", "first", ""),
    ]
    assert sieve.counts() == {"first": 2, "second": 0}


@given(st.sets(st.integers(), max_size=30), st.integers(0, 40), st.integers(0, 40))
def test_a_larger_sample_begins_with_the_smaller_one(population: set[int], one: int, other: int) -> None:
    low, high = sorted((one, other))
    larger = sampled(sorted(population), high, seed=3)
    assert larger[:low] == sampled(sorted(population, reverse=True), low, seed=3)
    assert len(larger) == min(high, len(population))
    assert set(larger) <= population


def test_each_language_has_an_option_to_abstain() -> None:
    assert set(languages()) == {"en", "ja", "ko", "th", "vi", "zh"}
    assert abstention("ko") == "주어진 정보만으로는 알 수 없다"
    with pytest.raises(DefinitionError, match="'de'"):
        abstention("de")
