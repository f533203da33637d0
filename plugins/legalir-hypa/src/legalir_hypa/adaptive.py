"""Parameters that follow the question [hypa-rag]: the cut-off, and the numbers that later components read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Annotated, Any

import pandas as pd
import pyterrier as pt

from legalir.errors import ComponentError
from legalir.extend import (
    Collection,
    Component,
    Explanation,
    Upstream,
    drop_results,
    explain_step,
    label_of,
    parameters_of,
)

COMPLEXITY, REWRITES, KEYWORDS, PATHS = "complexity", "rewrites", "keywords", "paths"
"""Columns of a question: its class, and the numbers that ``rewrite`` and ``triples`` read."""

Values = Sequence[int] | Mapping[int, int]


class Adaptive(Component):
    """Searches with parameters of each question's own class [hypa-rag].

    Columns in: ``qid, query``, and the column `by`, if it is a name; and result columns for a pipeline that takes
    results. Columns out: the columns of the pipeline's results, with
    the columns of `by`, ``rewrites``, ``keywords`` and ``paths``; at most k rows a question.

    A mapping is a list, whose first value belongs to class 0, or a mapping from any integers. The defaults are those of
    the released module, for three classes. The paper gives two classes ``k=[5, 10], rewrites=[3, 5]``, and the hardest
    of three k = 7. The released pipeline looked its classes up under other names than the classifier's, and so always
    took the defaults; here each class has its values.

    Raises:
        ComponentError: a parameter is wrong; or, in a search, the column is missing, or holds something that is not an
            integer or has no value in a mapping.
    """

    name = "adaptive"
    pipeline: Annotated[
        pt.Transformer,
        "searches; a ``rewrite`` in it reads the column ``rewrites``. A ``triples``, in it or after it, reads "
        "``keywords`` and ``paths``",
    ]
    by: Annotated[
        pt.Transformer | str,
        "a transformer that adds the column ``complexity``, or the name of a column of integers",
    ] = COMPLEXITY
    k: Annotated[Values | None, "number of results, at least 1, of each class; None for all"] = (5, 7, 10)
    rewrites: Annotated[
        Values | None,
        "number of sub-queries of each class, at least 1; None does not change the column",
    ] = (3, 5, 7)
    keywords: Annotated[
        Values | None,
        "number of key words of each class, at least 1; None does not change the column",
    ] = (3, 4, 5)
    paths: Annotated[
        Values | None,
        "number of walks in the graph of each class, at least 1; None does not change the column",
    ] = (1, 2, 3)

    def __post_init__(self) -> None:
        if not self.by:
            raise ComponentError(
                f'adaptive: by={self.by!r} is neither a column nor a component: give complexity("MODEL"), or a name.'
            )
        for name, values in (("k", self.k), (REWRITES, self.rewrites), (KEYWORDS, self.keywords), (PATHS, self.paths)):
            _check_values(name, values)

    @property
    def label(self) -> str:
        """The component with short names of its parts."""
        by = self.by if isinstance(self.by, str) else label_of(self.by)
        return f"adaptive({label_of(self.pipeline)}, by={by})"

    def compile(self) -> pt.Transformer:
        """Return this component with its pipeline compiled."""
        return self._changed(pipeline=self.pipeline.compile())

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the results of each question, cut to the k of its class.

        Raises:
            ComponentError: as the class, or the pipeline returns no ranks.
        """
        asked, classes = self._asked(inp)
        found = self.pipeline.transform(asked)
        if self.k is None:
            return found
        _require(found, ["docno", "rank"], "its pipeline")
        most = dict(zip(asked["qid"], _values_of("k", self.k, classes, asked["qid"]), strict=True))
        kept = found["rank"].to_numpy() < found["qid"].map(most).to_numpy()
        return found[kept].reset_index(drop=True)

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        return self.pipeline.transform(self._asked(inp)[0])

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the pipeline's explanations of the final results."""
        kept = set(self.apply(inp)["docno"])
        return explain_step(self.pipeline, self._asked(inp)[0], [docno for docno in docnos if docno in kept], upstream)

    def _asked(self, inp: pd.DataFrame) -> tuple[pd.DataFrame, list[int]]:
        """Return the questions with their parameters, and the class of each; [n]."""
        queries = inp if "docno" in inp.columns else drop_results(inp)
        if isinstance(self.by, str):
            pt.validate.columns(queries, includes=["qid", self.by])
            column = self.by
        else:
            queries, column = self.by.transform(queries.copy()), COMPLEXITY
            _require(queries, ["qid", column], label_of(self.by))
        classes = _classes(column, queries)
        for name, values in ((REWRITES, self.rewrites), (KEYWORDS, self.keywords), (PATHS, self.paths)):
            if values is not None:
                numbers = _values_of(name, values, classes, queries["qid"])
                queries = queries.assign(**{name: pd.Series(numbers, index=queries.index, dtype="int64")})
        return queries, classes


def _require(frame: pd.DataFrame, columns: Sequence[str], origin: str) -> None:
    """Check that the result of a pipeline has columns.

    Raises:
        ComponentError: it lacks some.
    """
    if missing := [name for name in columns if name not in frame.columns]:
        raise ComponentError(
            f"adaptive: the result of {origin} needs the column(s) {', '.join(missing)}, and has "
            f"{', '.join(map(str, frame.columns)) or 'none'}."
        )


def _is_whole(value: object) -> bool:
    return type(value) is not bool and isinstance(value, Integral)


def _check_values(name: str, values: Any) -> None:
    """Check that a mapping gives whole numbers of at least 1."""
    if values is None:
        return
    several = isinstance(values, Mapping | Sequence) and not isinstance(values, str) and len(values) > 0
    items = list(values.values() if isinstance(values, Mapping) else values) if several else []
    keys = list(values) if isinstance(values, Mapping) else []
    if not items or not all(map(_is_whole, [*keys, *items])) or min(items) < 1:
        raise ComponentError(
            f"adaptive: {name}={values!r} is not a list of whole numbers of at least 1, one a class, nor a mapping "
            f"from integers to such numbers."
        )


def _classes(column: str, queries: pd.DataFrame) -> list[int]:
    """Return the class of each question.

    Raises:
        ComponentError: a value is not an integer.
    """
    for qid, value in zip(queries["qid"], queries[column], strict=True):
        if not _is_whole(value):
            raise ComponentError(
                f"adaptive: the column {column!r} of query {qid!r} has {value!r}, which is not an integer."
            )
    return [int(value) for value in queries[column]]


def _values_of(name: str, values: Values, classes: Sequence[int], qids: pd.Series[str]) -> list[int]:
    """Return the value of each question.

    Raises:
        ComponentError: a class has none.
    """
    table = dict(values) if isinstance(values, Mapping) else dict(enumerate(values))
    for qid, one in zip(qids, classes, strict=True):
        if one not in table:
            known = ", ".join(map(str, table))
            raise ComponentError(
                f"adaptive: query {qid!r} is of class {one}, and {name}={values!r} has values for {known}: "
                f"give it one for each class."
            )
    return [int(table[one]) for one in classes]


@parameters_of(Adaptive, without=["pipeline"])
def adaptive(collection: Collection | None, pipeline: pt.Transformer, **params: Any) -> Adaptive:
    """Search with parameters of each question's class: ``adaptive(default, by=complexity("MODEL"))``."""
    return Adaptive(pipeline, **params)
