"""What a search returns: a data frame that can say why its provisions have their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pandas as pd

from legalir.errors import ComponentError
from legalir.explanation import Explanation, explain

if TYPE_CHECKING:
    import pyterrier as pt

__all__ = ["SearchResult"]


class SearchResult(pd.DataFrame):
    """What :meth:`Collection.search` returns: a data frame, and why its provisions have their scores.

    Rows taken from it (``result.head(3)``, ``result[result["score"] > 5]``) can be explained, too. What is made from
    several frames, or read back from a file, is a data frame and no more.
    """

    _metadata = ["_searched"]  # noqa: RUF012  (pandas reads it, and hands what it names to frames made from this one)
    _searched: tuple[pt.Transformer, str] | None = None

    @property
    def _constructor(self) -> Callable[..., SearchResult]:
        return SearchResult

    def __reduce__(self) -> tuple[Any, ...]:
        # A pipeline holds indexes, which are no part of a stored or sent result.
        return pd.DataFrame, (pd.DataFrame(self),)

    def explain(self, docno: str | Iterable[str] | None = None) -> list[Explanation]:
        """Return why provisions have their scores; see :mod:`legalir.explanation`.

        Args:
            docno: one docno or several, of any provision that the pipeline returns, shown here or not; None for all
                that are shown.

        Raises:
            ComponentError: the pipeline does not return this provision, or the frame was not made by a search alone.
        """
        if self._searched is None or "docno" not in self.columns:
            raise ComponentError("explain: this frame does not know its question: explain what search returned.")
        wanted = self["docno"].tolist() if docno is None else [docno] if isinstance(docno, str) else list(docno)
        return explain(*self._searched, wanted)
