"""Explanations by themselves: sums, shortening, JSON, text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.explanation import Explanation, Part

TERMS = tuple(
    Part(label, value, detail={"term": label})
    for label, value in (("가", 4.0), ("나", -3.0), ("다", 0.5), ("라", 0.25))
)
FOUND = Explanation("법-1", 1.75, "bm25", TERMS)


def test_a_remainder_is_seen() -> None:
    assert FOUND.is_whole()
    assert FOUND.remainder == 0
    wrong = Explanation("법-1", 1.76, "bm25", TERMS)
    assert not wrong.is_whole()
    assert wrong.remainder == pytest.approx(0.01)
    assert Explanation("법-1", 0.0, "bm25", ()).is_whole()
    assert not Explanation("법-1", 1.0, "bm25", ()).is_whole()


def test_the_last_bits_of_a_cosine_of_zero_are_no_remainder() -> None:
    assert Explanation("법-1", -1.5e-16, "lsa", (Part("가", -1.2e-17), Part("나", -9.3e-17))).is_whole()


def test_cancellation_is_no_remainder() -> None:
    parts = (Part("a", 1e9), Part("b", -1e9 + 1e-3))
    assert Explanation("d", 0.0, "sum", parts).is_whole()


def test_the_smallest_are_put_together_in_place_of_the_last() -> None:
    short = FOUND.shortened(3)
    assert [(part.label, part.value) for part in short.parts] == [("가", 4.0), ("나", -3.0), ("… 2 more terms", 0.75)]
    assert short.is_whole()
    assert FOUND.shortened(4) is not FOUND
    assert FOUND.shortened(4) == FOUND
    assert [part.label for part in FOUND.shortened(1).parts] == ["… 4 more terms"]


def test_shortening_reaches_sources_and_names_what_it_put_together() -> None:
    outer = Explanation("법-1", 3.0, "sum", (Part("first", 1.75, FOUND), Part("b", 1.0), Part("c", 0.25)))
    short = outer.shortened(2)
    assert [part.label for part in short.parts] == ["first", "… 2 more parts"]
    source = short.parts[0].source
    assert source is not None
    assert [part.label for part in source.parts] == ["가", "… 3 more terms"]


@given(values=st.lists(st.floats(-1e3, 1e3), max_size=12), most=st.integers(1, 14))
def test_shortening_keeps_the_sum(values: list[float], most: int) -> None:
    whole = Explanation("d", sum(values), "x", tuple(Part(str(i), value) for i, value in enumerate(values)))
    short = whole.shortened(most)
    assert len(short.parts) <= most
    assert short.is_whole()
    smallest = min((abs(p.value) for p in short.parts if "more" not in p.label), default=1e9)
    left_out = [p for p in whole.parts if p not in short.parts]
    assert all(abs(p.value) <= smallest for p in left_out)


def test_json() -> None:
    outer = Explanation("법-1", 1.75, "sum", (Part("first", 1.75, FOUND, {"rank": 1}),), "a note")
    back = json.loads(json.dumps(outer.to_dict()))
    assert back["note"] == "a note"
    assert back["parts"][0]["detail"] == {"rank": 1}
    assert back["parts"][0]["source"]["parts"][1] == {
        "label": "나",
        "value": -3.0,
        "detail": {"term": "나"},
        "source": None,
    }


def test_text_says_of_a_source_what_its_part_does_not() -> None:
    seed = Explanation("법-2", 0.8, "lsa", (Part("cosine", 0.8),))
    outer = Explanation(
        "법-1", 0.5, "sar", (Part("cited by a seed", 0.3, seed), Part("score of lsa", 0.2, None)), "note"
    )
    assert str(outer).splitlines() == [
        "0.5000  법-1  sar  (note)",
        "  +0.3000  cited by a seed  ← 법-2, lsa, score 0.8000",
        "      +0.8000  cosine",
        "  +0.2000  score of lsa",
    ]
