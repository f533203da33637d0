"""Windows of a provision that is too long to be read at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Windows", "windows"]

_SHORT = 4
"""A title is short if it takes at most one in so many of the tokens of a window."""


class Windows(NamedTuple):
    """What is read of a provision, one row a window.

    Attributes:
        head: the first so many tokens, the title, stand at the beginning of each window.
        spans: first token of the rest, and the one after its last, int64 [w, 2]; ascending, without gaps.
    """

    head: int
    spans: npt.NDArray[np.int64]


def windows(length: int, title: int, room: int, stride: int | None = None) -> Windows:
    """Return the windows of a provision; one that fits is a single window, in which the title is nothing special.

    All windows of a longer one have `room` tokens: the last begins early enough to end with the provision.

    Args:
        length: tokens of the provision.
        title: how many of them, at its beginning, are its title.
        room: tokens of a window, at least 1.
        stride: tokens from the beginning of a window to that of the next, at least 1; as many at most as leave no
            gap. None for half of what a window holds beside the title (Dai and Callan 2019).
    """
    if length <= room:
        return Windows(0, np.array([[0, length]]))
    head = title if title <= room // _SHORT else 0
    held = room - head
    step = min(max(held // 2, 1) if stride is None else stride, held)
    first = np.append(np.arange(head, length - held, step), length - held)
    return Windows(head, np.stack((first, first + held), axis=1))
