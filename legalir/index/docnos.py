"""The docnos of an index: which document bears which, and in what order they break ties.

Files of a build: the string table ``docnos`` and ``order.npy``, int32 [n], the position of each document among all
docnos in ascending order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.arrays import save_array
from legalir.errors import ComponentError
from legalir.index.strings import Strings, write_strings

__all__ = ["Docnos", "write_docnos"]


def write_docnos(directory: Path, docnos: Sequence[str]) -> None:
    """Write the docnos of an index into `directory`.

    Raises:
        ComponentError: one occurs twice.
    """
    order = np.empty(len(docnos), dtype=np.int32)
    order[sorted(range(len(docnos)), key=docnos.__getitem__)] = np.arange(len(docnos), dtype=np.int32)
    if len(set(docnos)) != len(docnos):
        seen: set[str] = set()
        twice = next(docno for docno in docnos if docno in seen or seen.add(docno))  # type: ignore[func-returns-value]
        raise ComponentError(f"The docno {twice!r} occurs twice: every document needs its own.")
    save_array(directory / "order.npy", order)
    write_strings(directory, "docnos", docnos)


class Docnos:
    """The docnos of an open index.

    Args:
        arrays: arrays of a build by name, among them those that :func:`write_docnos` wrote.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._strings = Strings(arrays, "docnos")
        self.order: npt.NDArray[np.int32] = arrays["order"]

    def __len__(self) -> int:
        return len(self._strings)

    @cached_property
    def array(self) -> npt.NDArray[np.object_]:
        """Docno of each document, object [n]."""
        return self._strings.array()

    @cached_property
    def _positions(self) -> pd.Index:  # a hash table of all, made when first asked
        return pd.Index(self.array, dtype=object)

    def numbers(self, docnos: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the number of each document, -1 for one that is not in the index; [m]."""
        asked = np.asarray(docnos, dtype=object)
        return self._positions.get_indexer(pd.Index(asked, dtype=object)).astype(np.int64)
