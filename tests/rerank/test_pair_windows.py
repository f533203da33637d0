"""Windows of long provisions: values by hand, and what holds for all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.rerank.cross_encoder import windows


@pytest.mark.parametrize(
    ("arguments", "head", "spans"),
    [
        # 10 tokens fit into 10; the title is nothing special there.
        ((10, 3, 10, None), 0, [[0, 10]]),
        ((0, 0, 10, None), 0, [[0, 0]]),
        # 25 tokens, windows of 10, half of them on: 0, 5, 10, and the last ends with the text, 15.
        ((25, 0, 10, None), 0, [[0, 10], [5, 15], [10, 20], [15, 25]]),
        # 11 tokens: the second window begins one token later.
        ((11, 0, 10, None), 0, [[0, 10], [1, 11]]),
        # A title of 2 of 8 is short: 6 tokens beside it, 3 on: 2, 5, and 20 − 6 = 14 at last.
        ((20, 2, 8, None), 2, [[2, 8], [5, 11], [8, 14], [11, 17], [14, 20]]),
        # One of 3 of 8 is not: it is read as any other text, once.
        ((12, 3, 8, 8), 0, [[0, 8], [4, 12]]),
        # A stride of 8 would leave gaps where a window holds 6 beside the title.
        ((20, 2, 8, 8), 2, [[2, 8], [8, 14], [14, 20]]),
        ((4, 0, 1, None), 0, [[0, 1], [1, 2], [2, 3], [3, 4]]),
    ],
)
def test_values_worked_out_by_hand(
    arguments: tuple[int, int, int, int | None], head: int, spans: list[list[int]]
) -> None:
    found = windows(*arguments)
    assert found.head == head
    assert found.spans.tolist() == spans
    assert found.spans.dtype == np.int64


@given(st.integers(0, 400), st.floats(0, 1), st.integers(1, 60), st.none() | st.integers(1, 70))
def test_every_token_is_read_and_no_window_is_too_long(
    length: int, share: float, room: int, stride: int | None
) -> None:
    title = int(share * length)
    head, spans = windows(length, title, room, stride)
    first, last = spans.T
    assert first[0] == head
    assert last[-1] == length
    assert (head + last - first <= room).all()
    assert (first[1:] <= last[:-1]).all(), "no gap"
    assert (np.diff(first) > 0).all()
    if length > room:
        assert (head + last - first == room).all(), "every window is full"
        assert head in (0, title)
        assert 4 * head <= room
