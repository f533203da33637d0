"""Batches of texts of like length, so that little is computed for padding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt


def by_length(lengths: npt.NDArray[np.int64], tokens: int, most: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the numbers of the texts of each batch, the longest texts first, each text once.

    A batch takes as many texts as fit: its number of texts times its longest is at most `tokens`. With the longest
    first, a lack of memory shows at once.

    Args:
        lengths: tokens of each text, [n]; an empty text counts as one token.
        tokens: cells of a padded batch; a longer text is a batch of its own.
        most: texts of a batch, at least 1.

    Yields:
        Numbers of texts, int64 [m]; texts of equal length keep their order.
    """
    order = np.argsort(-lengths, kind="stable").astype(np.int64)
    first = 0
    while first < len(order):
        fit = tokens // max(int(lengths[order[first]]), 1)
        size = max(1, min(fit, most))
        yield order[first : first + size]
        first += size
