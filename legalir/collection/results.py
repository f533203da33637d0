"""What a search returns: a data frame that can say why its provisions have their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from legalir import plugins
from legalir.errors import ComponentError
from legalir.explanation import Explanation, explain
from legalir.frames.columns import RESULT_COLUMNS, fed_with_questions, whole_characters
from legalir.generate.generator import gives_answers

if TYPE_CHECKING:
    import pyterrier as pt

    from legalir.datasets import Provision

__all__ = ["SearchResult", "ranked", "with_texts"]


def ranked(pipeline: pt.Transformer, query: str, expression: str) -> pd.DataFrame:
    """Return the results of one question, by rank.

    Args:
        pipeline: what searches.
        query: the question.
        expression: how messages call the pipeline.

    Raises:
        ComponentError: the pipeline gives no scores and ranks, or a component lacks columns.
    """
    if gives_answers(pipeline):
        raise ComponentError(
            f"search: {expression!r} ends in a generator, whose answer is no list of results: "
            f"take the generator away, or ask with Collection.answer."
        )
    with fed_with_questions(f"search: {expression!r}"):
        results = pipeline.search(whole_characters(query))
    if missing := [column for column in RESULT_COLUMNS if column not in results.columns]:
        if (plugin := plugins.owner(_last(pipeline))) is not None:
            raise ComponentError(
                f"search: {expression!r} returns no {missing[-1]}, because the {plugin} that ends it does not: report "
                f"it to the authors of that package, or let another component that scores end it."
            )
        raise ComponentError(
            f"search: {expression!r} returns no {missing[-1]}: "
            f"let a component that scores end it, or fuse with rrf(…) what '|' or '&' put together."
        )
    return results.sort_values("rank", kind="stable")


def _last(pipeline: pt.Transformer) -> pt.Transformer:
    import pyterrier as pt

    return tuple(pipeline)[-1] if isinstance(pipeline, pt.Compose) else pipeline


def with_texts(results: pd.DataFrame, found: Mapping[str, Provision]) -> pd.DataFrame:
    """Return ``rank, score, docno, title, text`` of results, in their order.

    Args:
        results: with ``rank, score, docno``.
        found: the provisions of these docnos.
    """
    out = results[[*reversed(RESULT_COLUMNS)]].reset_index(drop=True)
    for column in ("title", "text"):
        out[column] = pd.Series([getattr(found[docno], column) for docno in out["docno"]], dtype=str)
    return out


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
