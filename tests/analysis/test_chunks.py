"""Chunks by array operations are those of ``str.split``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_counts import TEXTS

from legalir.analysis.words import split_texts


def assert_split(texts: Sequence[str]) -> None:
    chunks = split_texts(texts)
    assert (chunks.numbers.dtype, chunks.documents.dtype) == (np.int64, np.int64)
    expected = [(number, chunk) for number, text in enumerate(texts) for chunk in text.split()]
    found = zip(chunks.documents.tolist(), [chunks.distinct[number] for number in chunks.numbers], strict=True)
    assert list(found) == expected
    # Each once, in the order of their first occurrence.
    assert chunks.distinct == list(dict.fromkeys(chunk for _, chunk in expected))


@given(TEXTS)
def test_they_are_those_of_split(texts: list[str]) -> None:
    assert_split(texts)


# Chunks are compared by eight bytes at a time, up to 32, and longer ones as a whole.
@given(st.lists(st.lists(st.tuples(st.sampled_from("ab\0é"), st.integers(1, 40)), max_size=6), max_size=4))
def test_long_ones_are_told_apart(lengths: list[list[tuple[str, int]]]) -> None:
    assert_split([" ".join(letter * count for letter, count in text) for text in lengths])


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""],
        ["", " ", "\n\t"],
        ["a", "", "a"],
        [" a ", "b a"],
        # A NUL at the end is a part of a chunk, and not what fills an integer.
        ["a a\0 a\0\0 \0 a"],
        ["12345678 123456789 12345678\0 1234567", "1" * 32 + " " + "1" * 33 + " " + "1" * 34],
        ["\ud800 a\udfff", "\U0010ffff"],
        ["".join(map(chr, [*range(0x180), *range(0x1FF0, 0x2070), 0x1680, 0x180E, 0x3000, 0xFEFF]))],
    ],
)
def test_edges(texts: list[str]) -> None:
    assert_split(texts)
