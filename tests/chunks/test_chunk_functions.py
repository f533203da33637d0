"""Chunks: that they hold the text, keep to their size and repeat what was asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import write_causal

from legalir.chunks import chunking
from legalir.chunks.chunking import Chunk
from legalir.errors import ComponentError
from legalir.models.loading import load_tokenizer

TEXTS = st.text(alphabet="가나ab .\n§", max_size=200)
SIZES = st.integers(1, 40).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))
SIZED: list[Callable[[str, int, int], list[Chunk]]] = [
    chunking.character,
    chunking.line,
    chunking.recursive,
    lambda text, size, overlap: chunking.sentence(text, size, overlap, "characters"),
    lambda text, size, overlap: chunking.pattern(text, size=size, overlap=overlap),
]


def words(text: str, chunks: list[Chunk]) -> list[str]:
    return [text[start:end] for start, end in chunks]


def visible(text: str) -> set[int]:
    return {place for place, sign in enumerate(text) if not sign.isspace()}


@pytest.mark.parametrize("function", SIZED)
@given(text=TEXTS, sizes=SIZES)
def test_the_chunks_hold_the_text_in_order(function, text, sizes) -> None:
    chunks = function(text, *sizes)
    assert visible(text) <= {place for start, end in chunks for place in range(start, end)}
    assert all(piece == piece.strip() != "" for piece in words(text, chunks))
    assert all(a.start < b.start and a.end < b.end for a, b in pairwise(chunks))


@pytest.mark.parametrize("function", SIZED)
@given(text=TEXTS, sizes=SIZES)
def test_a_chunk_repeats_no_more_than_was_asked(function, text, sizes) -> None:
    chunks = function(text, *sizes)
    assert all(a.end - b.start <= sizes[1] for a, b in pairwise(chunks))


@given(text=TEXTS, sizes=SIZES)
def test_no_chunk_is_longer_than_its_size(text, sizes) -> None:
    for function in (chunking.character, chunking.recursive, SIZED[-1]):
        assert all(end - start <= sizes[0] for start, end in function(text, *sizes))


@given(text=TEXTS, sizes=SIZES)
def test_only_single_lines_are_longer_than_the_size(text, sizes) -> None:
    for piece in words(text, chunking.line(text, *sizes)):
        assert len(piece) <= sizes[0] or "\n" not in piece


def naive_lines(text: str, size: int, overlap: int) -> list[str]:
    """Merge lines by trying every number of them, without offsets."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    chunks, first = [], 0
    while first < len(lines):
        last = first + 1
        while last < len(lines) and len("\n".join(lines[first : last + 1])) <= size:
            last += 1
        chunks.append("\n".join(lines[first:last]))
        if last == len(lines):
            break
        first = next(
            place
            for place in range(first, last + 1)
            if place == last
            or (len("\n".join([*lines[place:last], ""])) < overlap and len("\n".join(lines[place : last + 1])) <= size)
        )
    return chunks


@given(lines=st.lists(st.text("가나다", min_size=1, max_size=9)), sizes=SIZES)
def test_lines_are_merged_as_by_a_plain_loop(lines, sizes) -> None:
    text = "\n".join(lines)
    assert words(text, chunking.line(text, *sizes)) == naive_lines(text, *sizes)


def test_characters_of_the_worked_example() -> None:
    assert chunking.character("가" * 260, 80) == [(0, 80), (80, 160), (160, 240), (240, 260)]
    assert chunking.character("가" * 260, 80, 20) == [(0, 80), (60, 140), (120, 200), (180, 260)]


def test_recursive_splits_at_the_first_separator_that_helps() -> None:
    text = "갑은 을이다. 병은 정이다.\n무는 기이다.\n\n경은 신이다."
    assert words(text, chunking.recursive(text, 100)) == [text]
    assert words(text, chunking.recursive(text, 25)) == ["갑은 을이다. 병은 정이다.\n무는 기이다.", "경은 신이다."]
    assert words(text, chunking.recursive(text, 16)) == ["갑은 을이다. 병은 정이다.", "무는 기이다.", "경은 신이다."]
    assert words(text, chunking.recursive(text, 7)) == ["갑은 을이다.", "병은 정이다.", "무는 기이다.", "경은 신이다."]
    assert words(text, chunking.recursive(text, 4))[:2] == ["갑은", "을이다."]
    assert words(text, chunking.recursive(text, 2))[:3] == ["갑은", "을이", "다."]


def test_sentences_are_windows_in_tokens() -> None:
    text = "가나다다. 라마바바. 사아자자."
    # Four syllables and a full stop are 13 bytes, 4⅓ tokens; with the space 14.
    assert words(text, chunking.sentence(text, 9, 0)) == ["가나다다. 라마바바.", "사아자자."]
    assert words(text, chunking.sentence(text, 9, 6)) == [
        "가나다다. 라마바바.",
        "라마바바. 사아자자.",
    ]


@given(text=TEXTS)
def test_tokens_are_those_of_contexts(text) -> None:
    from legalir.answer.contexts import estimated_tokens

    assert chunking.tokens(text) == [estimated_tokens(text[:end]) for end in range(len(text) + 1)]


@pytest.mark.neural
def test_tokens_are_those_of_a_models_tokenizer(tmp_path: Path) -> None:
    folder = write_causal(tmp_path)
    text = "the owner of the door. 관계인은 소방시설을 설치한다. " * 9
    lengths = chunking.tokens(text, folder)
    ids = load_tokenizer(folder)(text, add_special_tokens=False)["input_ids"]
    assert (len(lengths), lengths[-1]) == (len(text) + 1, len(ids))
    assert lengths == sorted(lengths)
    for size in (60, 90):
        chunks = chunking.sentence(text, size, 10, tokenizer=folder)
        long = [chunk for chunk in chunks if lengths[chunk.end] - lengths[chunk.start] > size]
        assert set(long) <= set(chunking.sentences(text))
        assert len(chunks) > len(chunking.sentence(text, size, 10))  # Each byte of Hangul is a token here.


@pytest.mark.parametrize("options", [{"unit": "tokens"}, {"unit": "characters", "tokenizer": "."}])
def test_a_unit_that_is_not_counted_is_refused(options: dict[str, str]) -> None:
    with pytest.raises(ComponentError, match="unit="):
        chunking.sentence("가. 나.", **options)


def test_semantic_splits_where_the_meaning_changes() -> None:
    text = "산 하나.\n산 둘.\n산 셋.\n물 하나.\n물 둘.\n물 셋."
    seen: list[str] = []

    def encode(texts):
        seen.extend(texts)
        counts = np.array([[text.count("산"), text.count("물")] for text in texts], dtype=np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

    assert words(text, chunking.semantic(text, encode)) == ["산 하나.\n산 둘.\n산 셋.", "물 하나.\n물 둘.\n물 셋."]
    assert seen[:2] == ["산 하나.\n산 둘.", "산 하나.\n산 둘.\n산 셋."]
    assert chunking.semantic("", encode) == []
    assert words("하나.", chunking.semantic("하나.", encode)) == ["하나."]


def test_semantic_does_not_split_equal_sentences() -> None:
    text = "가.\n" * 5
    assert len(chunking.semantic(text, lambda texts: np.ones((len(texts), 1), np.float32))) == 1


def test_a_pattern_begins_chunks() -> None:
    text = "Title\n§ 1 One § 5\n§ 2 Two"
    assert words(text, chunking.pattern(text)) == ["Title", "§ 1 One § 5", "§ 2 Two"]
    assert words(text, chunking.pattern(text, size=5))[:3] == ["Title", "§ 1", "One §"]
    decision = "머리\n【판시사항】\n갑\n【판결요지】\n을"
    assert words(decision, chunking.pattern(decision, r"(?m)^【[^】]+】")) == [
        "머리",
        "【판시사항】\n갑",
        "【판결요지】\n을",
    ]


def test_provisions_are_chunks() -> None:
    assert chunking.article([(0, 4), (4, 4), (5, 9)]) == [(0, 4), (5, 9)]


@pytest.mark.parametrize("function", SIZED)
@pytest.mark.parametrize("sizes", [(0, 0), (5, 5), (5, -1)])
def test_bad_sizes(function, sizes) -> None:
    with pytest.raises(ComponentError, match=re.escape(f"got {sizes[0]} and {sizes[1]}.")):
        function("가\n나", *sizes)


def test_long_texts() -> None:
    text = "가나다라 마바사.\n" * 100_000
    for function in (chunking.character, chunking.line, chunking.recursive):
        assert len(function(text, 500, 50)) > 1000
    assert len(chunking.recursive("가" * 1_000_000, 500)) == 2000
