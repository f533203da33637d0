"""Batches by length: every text once, the longest first, no batch larger than it may be."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from legalir.models.presets import by_length


def batches(lengths: list[int], tokens: int, most: int) -> list[list[int]]:
    return [batch.tolist() for batch in by_length(np.array(lengths, dtype=np.int64), tokens, most)]


def test_a_budget_of_padded_tokens() -> None:
    # 9 alone (2 x 9 > 12), then 5 5 (2 x 5 = 10), then 3 2 1 0 (4 x 3 = 12).
    assert batches([1, 5, 9, 3, 5, 2, 0], 12, 100) == [[2], [1, 4], [3, 5, 0, 6]]


@given(st.lists(st.integers(0, 60), max_size=80), st.integers(1, 200), st.integers(1, 20))
def test_each_text_is_in_one_batch_that_fits(lengths: list[int], tokens: int, most: int) -> None:
    found = batches(lengths, tokens, most)
    flat = [number for batch in found for number in batch]
    assert sorted(flat) == list(range(len(lengths)))
    assert [lengths[number] for number in flat] == sorted(lengths, reverse=True)
    for place, batch in enumerate(found):
        longest = max(lengths[number] for number in batch)
        assert len(batch) <= most
        assert len(batch) == 1 or len(batch) * longest <= tokens
        if place + 1 < len(found):  # Nothing more would have fitted; a text of no tokens is one cell, too.
            assert len(batch) == most or (len(batch) + 1) * max(longest, 1) > tokens
