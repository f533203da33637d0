"""Results of one question: a search's data frame, which can explain its scores, and an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyterrier as pt

from legalir.answer.generator import Answer, ask
from legalir.errors import ComponentError
from legalir.explanation import Explanation, explain
from legalir.frames.as_of import asked_once
from legalir.frames.chain import RanksLists, RetrievesLists
from legalir.frames.columns import RESULT_COLUMNS, fed_with_questions
from legalir.storage.validity import names_version

if TYPE_CHECKING:
    from legalir.datasets import Provision

Lookup = Callable[[Iterable[str]], Mapping[str, "Provision"]]
"""A function that returns provisions by docno."""


def gives_answers(pipeline: pt.Transformer) -> bool:
    """Return True if a pipeline gives answers, that is, if its output has a column ``qanswer``.

    The questions have a reference answer, which judges read.
    """
    last = pipeline[-1] if isinstance(pipeline, pt.Compose) else pipeline
    if isinstance(last, RetrievesLists | RanksLists | pt.RankCutoff):
        return False
    return "qanswer" in (pt.inspect.transformer_outputs(pipeline, ["qid", "query", "answer"], strict=False) or ())


def search_with(
    pipeline: pt.Transformer,
    query: str,
    expr: str,
    k: int,
    lookup: Lookup,
    as_of: str | None = None,
    run: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
) -> SearchResult:
    """Return the best `k` provisions that a pipeline finds for one question.

    Args:
        pipeline: gives ranked lists, not answers.
        query: the question.
        expr: name of the pipeline in messages.
        k: number of provisions.
        lookup: returns the provisions of the results.
        as_of: the day of the question; None for a collection without versions.
        run: runs the pipeline; None: its ``transform``.

    Raises:
        ComponentError: the pipeline gives no scores and ranks, or a component lacks columns.
    """
    with fed_with_questions(f"search: {expr!r}"):
        asked = asked_once(query, as_of)
        results = (run or pipeline.transform)(asked)
    if missing := [column for column in RESULT_COLUMNS if column not in results.columns]:
        raise ComponentError(
            f"search: {expr!r} returns no {missing[-1]}: "
            f"let a component that scores end it, or fuse with rrf(…) what '|' or '&' put together."
        )
    first = results.sort_values("rank", kind="stable").head(k)
    hits = SearchResult(_with_texts(first, lookup, ("title", "text") if as_of is None else _DATED))
    hits._search = (pipeline, asked)
    return hits


def answer_with(
    pipeline: pt.Transformer,
    query: str,
    expr: str,
    lookup: Lookup,
    told: Callable[[str], None] = lambda words: None,
    as_of: str | None = None,
) -> Answer:
    """Return the answer of a pipeline to one question; arguments as in :func:`search_with`.

    `told` is called with a short message after each step.

    Raises:
        ComponentError: the pipeline does not end in a generator, or a component lacks columns.
    """
    answer = ask(pipeline, asked_once(query, as_of), expr, told)
    return replace(answer, sources=_with_texts(answer.sources, lookup), as_of=as_of or "")


def rows(results: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of results as JSON values, with ranks from 1."""
    records: list[dict[Any, Any]] = results.to_dict("records")
    return [{**row, "rank": row["rank"] + 1} for row in records]


_DATED = ("title", "text", "effective_from", "effective_to")


def _with_texts(results: pd.DataFrame, lookup: Lookup, fields: Iterable[str] = ("title", "text")) -> pd.DataFrame:
    """Return ``rank, score, docno`` and `fields` of the provisions of results, in their order.

    A document that the collection does not have, such as one of a stored run, has empty fields.
    """
    out = results[[*reversed(RESULT_COLUMNS)]].reset_index(drop=True)
    provisions = lookup(out["docno"])
    for column in fields:
        out[column] = pd.Series([getattr(provisions.get(docno), column, "") for docno in out["docno"]], dtype=str)
    return out


class SearchResult(pd.DataFrame):
    """The data frame of a search, which can explain the scores of its provisions.

    Rows taken from it (``result.head(3)``, ``result[result["score"] > 5]``) can be explained, too. A frame made from
    several frames, or read from a file, cannot.
    """

    _metadata = ["_search"]  # noqa: RUF012  (pandas reads it, and passes the attribute on to frames made from this one)
    _search: tuple[pt.Transformer, pd.DataFrame] | None = None
    """Pipeline and question."""

    @property
    def _constructor(self) -> Callable[..., SearchResult]:
        return SearchResult

    def __reduce__(self) -> tuple[Any, ...]:
        # A pipeline contains indexes, which do not belong in a stored or sent result.
        return pd.DataFrame, (pd.DataFrame(self),)

    def explain(self, docno: str | Iterable[str] | None = None) -> list[Explanation]:
        """Explain the scores of provisions; see :mod:`legalir.explanation`.

        Args:
            docno: one docno or several, of any provision that the pipeline returns; None for all in this frame.

        Raises:
            ComponentError: the pipeline does not return this provision, or the frame does not come from one search.
        """
        if self._search is None or "docno" not in self.columns:
            raise ComponentError("explain: this frame does not know its question: explain what search returned.")
        if docno is not None and not isinstance(docno, str | Iterable):
            raise ComponentError(f"explain: docno must be a text or several, got {docno!r} ({type(docno).__name__}).")
        wanted = self["docno"].tolist() if docno is None else [docno] if isinstance(docno, str) else list(docno)
        return [_with_date(one) for one in explain(*self._search, wanted)]


def _with_date(explanation: Explanation) -> Explanation:
    """Return an explanation that adds the day on which the text of a version came into force."""
    if not names_version(explanation.docno):
        return explanation
    since = f"in force since {explanation.docno.rpartition('@')[2]}"
    return replace(explanation, note="; ".join(filter(None, (explanation.note, since))))
