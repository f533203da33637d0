"""SAR, structure-aware reranking: provisions that good provisions cite move up, and those that were missed come in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import pandas as pd
import pyterrier as pt

from legalir.columns import empty_like
from legalir.component import Component, check_number
from legalir.errors import ComponentError, suggestion
from legalir.expand.expander import check_graph
from legalir.expand.lists import RankedLists, ranked_frame, read_lists
from legalir.explanation import Explanation, Upstream
from legalir.index.graph import CitationGraph, Direction
from legalir.rerank.normalize import NORMALIZERS
from legalir.rerank.sar_candidates import Candidates, candidates_of
from legalir.rerank.sar_explanation import explanation_of
from legalir.retrieve.query_vectors import check_queries
from legalir.retrieve.scorer import scorer_of

__all__ = ["SAR", "SmallDegree", "sar"]

SmallDegree = Literal["paper", "one"]
"""What a degree of 0 or 1 weighs: ``ln(deg + 1)`` as in the paper, or 1 as in its authors' later code."""


class SAR(Component):
    """Structure-aware reranking (Chae et al., *Beyond Case Law*, 2025, section on SAR).

    The seeds S of a query are the best `k` of its list; they spread their scores along their links::

        B(n) = 1/L(n) · Σ_{s ∈ S, s → n} S(s)/L(s)        L(x) = ln(deg(x) + 1)
        score(n) = S(n) + β·B(n)·(1 − S(n))

    deg is the number of links out of a seed, and of links into what it cites, each in the whole graph. The result
    holds the whole list and every provision that a seed cites.

    Columns in: ``qid, docno, score``, for a scorer also ``query`` or
    ``query_vec``, whichever it reads. Columns out: the query columns, ``docno, score,
    rank``.

    Beyond the paper: `normalize`, `freeze`, `pool`, `small_degree` and `direction`, which their defaults leave out.

    Args:
        graph: the citation graph of the collection that was searched.
        k: number of seeds, at least 1.
        beta: β, at least 0; with 0, no score of the list changes.
        scorer: gives S(n) of a cited provision that the list lacks: a transformer that scores given documents, or a
            retriever that has a ``scorer()``. None: S(n) = 0. Scores of −1 to 0, as a cosine has them, count as 0.
        normalize: how scores come into [0, 1]: ``minmax``, ``max``, ``sigmoid`` or ``clip``, for each query by itself;
            None refuses scores that lie elsewhere. What the scorer says comes there in the same way; with ``minmax``
            and ``max``, it scores the list, too, so that its own scale is known, which may be another.
        freeze: the first so many of a list stay on top, in their order. Each has the score of its list, without a
            bonus, plus what lifts them above all others.
        pool: at most so many candidates of a query, the best by S(n), are kept; None for all.
        small_degree: ``paper``, or ``one``: L(x) is 1 where deg(x) is 0 or 1.
        direction: ``out`` follows citations; ``in`` goes from the cited to who cites it; ``both`` does either, with
            the number of linked provisions as degree.

    Raises:
        ComponentError: a parameter is not one of these.
    """

    def __init__(
        self,
        graph: CitationGraph,
        k: int = 15,
        beta: float = 0.3,
        scorer: pt.Transformer | None = None,
        normalize: str | None = None,
        freeze: int = 0,
        pool: int | None = None,
        small_degree: SmallDegree = "paper",
        direction: Direction = "out",
    ) -> None:
        check_number("sar", "k", k, low=1, integer=True)
        check_number("sar", "beta", beta, low=0)
        check_number("sar", "freeze", freeze, low=0, integer=True)
        if pool is not None:
            check_number("sar", "pool", pool, low=max(k, freeze), integer=True)
        if normalize is not None:
            _check_choice("normalize", normalize, tuple(NORMALIZERS))
        _check_choice("small_degree", small_degree, get_args(SmallDegree))
        _check_choice("direction", direction, get_args(Direction))
        check_graph("sar", graph)
        if scorer is not None and not isinstance(scorer, pt.Transformer):
            raise ComponentError(f"sar: scorer={scorer!r} is not a transformer that scores given documents.")
        self.graph = graph
        self.k = k
        self.beta = beta
        self.scorer = scorer
        self.normalize = normalize
        self.freeze = freeze
        self.pool = pool
        self.small_degree = small_degree
        self.direction = direction

    @property
    def pair_scorer(self) -> pt.Transformer | None:
        """What gives S(n) of a provision that a list lacks."""
        return scorer_of(self.scorer) or self.scorer

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        self._validate(inp)
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the lists with new scores, and what their seeds cite.

        Raises:
            ComponentError: a score is not finite or not in [0, 1], a document occurs twice, or the graph belongs to
                another collection.
        """
        self._validate(inp)
        found = self.candidates(read_lists(inp, self.graph, "sar"))
        return ranked_frame(found.lists.queries, found.query, found.docno, found.final)

    def _validate(self, inp: pd.DataFrame) -> None:
        if self.scorer is None:
            pt.validate.columns(inp, includes=["qid", "docno", "score"])
        else:
            check_queries(inp, "docno", "score")

    def candidates(self, lists: RankedLists) -> Candidates:
        """Return all candidates of all queries, and how each comes to its score."""
        return candidates_of(self, lists)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return why `docnos` have their scores: S, a bonus for each seed that cites them, and a lift if frozen."""
        found = self.candidates(read_lists(inp, self.graph, "sar"))
        return explanation_of(self, found, docnos, upstream)


def _check_choice(name: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        hint = suggestion(value, known) if isinstance(value, str) else ""
        raise ComponentError(f"sar: {name}={value!r} is not one of {', '.join(known)}.{hint}")


def sar(
    collection: Any,
    *,
    left: pt.Transformer | None = None,
    scorer: pt.Transformer | None = None,
    k: int = 15,
    beta: float = 0.3,
    normalize: str | None = None,
    freeze: int = 0,
    pool: int | None = None,
    small_degree: SmallDegree = "paper",
    direction: Direction = "out",
) -> SAR:
    """SAR over the collection's citation graph: ``tfidf % 100 >> sar(beta=0.3)``, ``bm25 >> sar(normalize="minmax")``.

    Provisions that the list lacks are scored by the retriever on the left, if it can, or by `scorer`:
    ``rrf(bm25, lsa) % 100 >> sar(scorer=lsa, normalize="minmax")``.
    """
    return SAR(
        collection.graph,
        k=k,
        beta=beta,
        scorer=scorer_of(left) if scorer is None else scorer,
        normalize=normalize,
        freeze=freeze,
        pool=pool,
        small_degree=small_degree,
        direction=direction,
    )


# Read by legalir.testing.
sar.expected_failures = {"same-documents": "SAR brings in what the best provisions cite."}  # type: ignore[attr-defined]
