"""Rocchio feedback [rocchio], over vectors and over weighted terms: a query moves towards its first results.

The arithmetic first; then the base that both forms share; then the forms, and the factory that chooses one.

n documents, d dimensions, V terms, P postings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge
from pyterrier import Compose

from legalir.analysis.ngrams import readable
from legalir.collections import Collection
from legalir.dense.cosine import best_cosines
from legalir.dense.index import DenseIndex, DenseRetriever, DenseScorer
from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream, result_scores
from legalir.frames.columns import check_queries, drop_results, empty_like, require_columns
from legalir.frames.component import Cuttable
from legalir.frames.ranking import Hits, rank_results, results_frame
from legalir.frames.scorer import PairScorer
from legalir.frames.where import Filtered, masks
from legalir.lexical.postings import rows_of_postings
from legalir.lexical.retriever import Query, SparseRetriever, SparseScorer, explain_terms, queries_of
from legalir.plugins import parameters_of
from legalir.storage.arrays import unit_rows
from legalir.storage.validity import Mask

TermVector = dict[int, float]
"""Weights by term number."""

Mode = Literal["full", "candidate"]

_TERMS = 100


def moved_vector(
    query: npt.NDArray[np.float32], feedback: npt.NDArray[np.floating], alpha: float, beta: float
) -> npt.NDArray[np.float32]:
    """Return ``α·q + β·mean(feedback)``, scaled to length 1, [d]; zeros if the sum is zero.

    Args:
        query: [d].
        feedback: vectors of the documents that count as relevant, [k, d], k at least 1.
        alpha: weight of the query.
        beta: weight of the feedback.
    """
    moved = alpha * query.astype(np.float64) + beta * feedback.astype(np.float64).mean(axis=0)
    row: npt.NDArray[np.float32] = unit_rows(moved[None])[0]
    return row


def moved_terms(
    query: Mapping[int, float], feedback: Mapping[int, float], alpha: float, beta: float, terms: int | None
) -> TermVector:
    """Return ``α·q + β·|q|·f``, scaled to the length of q, with at most `terms` terms that are not in q.

    The length of a query without terms is taken as 1. With α = 1 and β = 0 the query does not change.

    Args:
        query: weights of the query's terms.
        feedback: mean of the documents that count as relevant, each of length 1.
        alpha: weight of the query.
        beta: weight of the feedback.
        terms: number of terms that the feedback adds, the heaviest; None adds all.
    """
    length = _length(query) or 1.0
    added = [term for term in feedback if term not in query]
    if terms is not None:
        added = sorted(added, key=lambda term: (-feedback[term], term))[:terms]
    moved = {term: alpha * weight + beta * length * feedback.get(term, 0.0) for term, weight in query.items()}
    moved.update({term: beta * length * feedback[term] for term in added})
    scale = length / (_length(moved) or 1.0)
    return {term: weight * scale for term, weight in moved.items() if weight}


def _length(vector: Mapping[int, float]) -> float:
    return float(np.sqrt(np.square(np.fromiter(vector.values(), dtype=np.float64, count=len(vector))).sum()))


Q = TypeVar("Q")


Alpha = Annotated[float, Ge(0), "weight of the query"]
Beta = Annotated[float, Ge(0), "weight of the feedback"]
First = Annotated[int, Ge(1), "number of results that count as relevant; a shorter list gives all it has"]
FullOrCandidate = Annotated[
    Mode,
    "``full`` searches again with the moved query; ``candidate`` only scores the given list with it",
]
NumResults = Annotated[int, Ge(1), "results per query in mode ``full``"]


class Feedback(Cuttable, Generic[Q]):
    """Moves each query towards its first results and scores again; a subclass does both, on its index.

    Q is the type of a moved query.

    Columns in: ``docno, score`` and the query columns. Columns out: in mode ``full``, the query columns, then
    ``docno, score, rank``; in mode ``candidate``, the columns of the input. Both with the column :attr:`moved`, the
    moved query, so that later scorers use it, too.
    """

    name = "rocchio"
    moved: ClassVar[str]
    alpha, beta, k, mode, num_results = 0.3, 0.7, 15, "full", 1000

    def __post_init__(self) -> None:
        if not self.alpha + self.beta:
            raise ComponentError("rocchio: alpha and beta are both 0, so no query is left: give one of them a weight.")

    def scorer(self) -> PairScorer:
        """Return the transformer that scores given documents; it reads the moved query from the column `moved`."""
        raise NotImplementedError

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of the query."""
        pt.validate.columns(inp, includes=["qid", "query", "docno", "score"])

    @property
    def searched(self) -> Filtered:
        """The index that is searched."""
        raise NotImplementedError

    def move(self, queries: pd.DataFrame, feedback: list[npt.NDArray[np.int64]]) -> list[Q]:
        """Return each query, moved towards the documents with these numbers."""
        raise NotImplementedError

    def find(self, moved: list[Q], in_force: Sequence[Mask | None]) -> list[Hits]:
        """Return the best documents for each moved query, of those in force: [q] of [n], None for all."""
        raise NotImplementedError

    def fuse_rank_cutoff(self, k: int) -> Self | None:
        """Return the component that keeps the best `k` itself; None in mode ``candidate``, which scores all rows."""
        return super().fuse_rank_cutoff(k) if self.mode == "full" else None

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        self.check(inp)
        if self.mode == "full":
            return empty_like(inp.assign(**{self.moved: pd.Series(dtype=object)}))
        return inp.iloc[:0].assign(**{self.moved: pd.Series(dtype=object), "rank": pd.Series(dtype=np.int64)})

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the results of the moved queries.

        Raises:
            ComponentError: a document is not in the index, a score is not a number, or a query cannot be used.
        """
        self.check(inp)
        queries, feedback = self.feedback(inp)
        moved = self.move(queries, feedback)
        if self.mode == "full":
            hits = self.find(moved, masks(queries, self.searched))
            column = pd.Series(moved, dtype=object)
            return results_frame(queries.assign(**{self.moved: column}), hits, self.scorer().docno_table())
        of = dict(zip(queries["qid"], moved, strict=True))
        column = pd.Series([of[qid] for qid in inp["qid"]], index=inp.index, dtype=object)
        return self.scorer().transform(inp.assign(**{self.moved: column}))

    def feedback(self, inp: pd.DataFrame) -> tuple[pd.DataFrame, list[npt.NDArray[np.int64]]]:
        """Return the queries of `inp`, one row each, and the numbers of the first `k` documents of each."""
        require_columns(inp, ["score"], type(self).__name__)
        if not np.isfinite(inp["score"].to_numpy(dtype=np.float64)).all():
            raise ComponentError(f"{type(self).__name__}: a score of its input is a NaN or an infinity.")
        first = rank_results(inp)
        first = first[first["rank"] < self.k]
        numbers = self.scorer().docno_table().numbers(first["docno"])
        if len(missing := np.flatnonzero(numbers < 0)):
            row = first.iloc[missing[0]]
            raise ComponentError(
                f"{type(self).__name__}: the document {row['docno']!r} of query {row['qid']!r} is not in the index: "
                f"give it results of the collection that was indexed."
            )
        queries = drop_results(inp).reset_index(drop=True)
        # Both keep the queries in order of first appearance.
        sizes = first.groupby("qid", sort=False).size()
        return queries, np.split(numbers, np.cumsum(sizes.to_numpy())[:-1])


class TermRocchio(Feedback[dict[str, float]]):
    """Pseudo-relevance feedback on a sparse index: ``q' = α·q + β·|q|·mean(first k documents)``.

    A document is its weights under the retriever (of BM25 or of TF-IDF), scaled to length 1; q is the query as the
    retriever weighs it, and q' is scaled to the same length. So β = 0 gives the retriever's own scores, and over
    TF-IDF with ``terms=None`` this is Rocchio on vectors [rocchio], and its scores are cosines.

    Columns in: ``qid, query, docno, score``. Columns out: in mode ``full``, which searches the whole collection with
    q', the query columns, ``docno, score, rank``; in mode ``candidate``, which scores the given documents again, the
    columns of the input. Both with ``query_toks``, a dict of the terms of q' and their weights.
    """

    moved = "query_toks"

    retriever: Annotated[SparseRetriever, "BM25 or TF-IDF"]
    alpha: Alpha = 0.3
    beta: Beta = 0.7
    k: First = 15
    mode: FullOrCandidate = "full"
    terms: Annotated[
        int | None,
        Ge(0),
        "greatest number of terms that the feedback adds, the heaviest; None adds all, which is slow",
    ] = _TERMS
    num_results: NumResults = 1000

    @property
    def label(self) -> str:
        """The component as in an expression, with what its scores depend on."""
        return f"rocchio(alpha={self.alpha:g}, beta={self.beta:g}, k={self.k}, terms={self.terms})"

    def scorer(self) -> SparseScorer:
        """Return the transformer that scores given documents; it reads q' from ``query_toks``."""
        return self.retriever.scorer()

    def move(self, queries: pd.DataFrame, feedback: list[npt.NDArray[np.int64]]) -> list[dict[str, float]]:
        """Return q' of each query."""
        index = self.retriever.index
        wanted, place = np.unique(np.concatenate(feedback), return_inverse=True)
        weights = self.retriever.posting_weights()
        rows = rows_of_postings(index.indptr, index.documents, weights, wanted, len(index))
        places = np.split(place, np.cumsum([len(numbers) for numbers in feedback])[:-1])
        moved = []
        for asked, chosen in zip(queries_of(self.retriever.index, queries, type(self).__name__), places, strict=True):
            vector = moved_terms(self.query(asked), _mean([rows[i] for i in chosen]), self.alpha, self.beta, self.terms)
            moved.append({index.terms[term]: weight for term, weight in vector.items()})
        return moved

    def query(self, query: Query) -> TermVector:
        """Return the query as the retriever weighs it."""
        vector: defaultdict[int, float] = defaultdict(float)
        for term, weight in zip(*self.retriever.query_terms(query), strict=True):
            vector[int(term)] += float(weight)
        return vector

    @property
    def searched(self) -> Filtered:
        """The index that is searched."""
        return self.retriever.index

    def find(self, moved: list[dict[str, float]], in_force: Sequence[Mask | None]) -> list[Hits]:
        """Return the documents of the greatest scores for each q'."""
        return [
            self.retriever.best(vector, mask, self.num_results) for vector, mask in zip(moved, in_force, strict=True)
        ]

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the share of each term of q' in the scores of `docnos`, and whether the feedback added the term."""
        out = self.transform(inp)
        scores = result_scores(out, docnos)
        if not scores:
            return {}
        (query,) = queries_of(self.retriever.index, drop_results(inp), type(self).__name__)
        own = {self.retriever.index.terms[term] for term in self.query(query)}
        explanations = {}
        for docno, found in explain_terms(self.retriever, out[self.moved].iloc[0], list(scores)).items():
            parts = []
            for part in found.parts:
                if (term := part.detail.get("term")) is not None:
                    text, kind = readable(str(term)), "of the query" if term in own else "added"
                    part = replace(part, label=f"{text} ({kind})", detail={"term": term, "added": term not in own})
                parts.append(part)
            explanations[docno] = replace(found, label=self.label, parts=tuple(parts))
        return explanations


def _mean(rows: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]]) -> TermVector:
    """Return the mean of rows of weighted terms, each scaled to length 1."""
    total: defaultdict[int, float] = defaultdict(float)
    for terms, weights in rows:
        wide = weights.astype(np.float64)
        scaled = wide / (np.sqrt(np.square(wide).sum()) or 1.0) / len(rows)
        for term, weight in zip(terms.tolist(), scaled.tolist(), strict=True):
            total[term] += weight
    return total


class Rocchio(Feedback[npt.NDArray[np.float32]]):
    """Pseudo-relevance feedback on a dense index: ``q' = α·q + β·mean(first k vectors)``.

    Rocchio's formula [rocchio] without negative feedback, with the α, β and k of [sar]: q and the documents have length
    1, and so has q', whose cosines are the scores. The first results may come from any retriever.

    Columns in: ``qid, docno, score`` and ``query_vec`` or ``query``. Columns out: in mode ``full``, which searches the
    whole collection with q', the query columns, ``docno, score, rank``; in mode ``candidate``, which scores the given
    documents again, the columns of the input. Both with ``query_vec``, which contains q'.
    """

    moved = "query_vec"

    index: Annotated[DenseIndex, "the dense index"]
    alpha: Alpha = 0.3
    beta: Beta = 0.7
    k: First = 15
    mode: FullOrCandidate = "full"
    num_results: NumResults = 1000

    @property
    def label(self) -> str:
        """The component as in an expression, with what its scores depend on."""
        return f"rocchio(alpha={self.alpha:g}, beta={self.beta:g}, k={self.k})"

    def scorer(self) -> DenseScorer:
        """Return the transformer that scores given documents; it reads q' from ``query_vec``."""
        return DenseScorer(self.index)

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of the query."""
        check_queries(inp, "docno", "score")

    def move(self, queries: pd.DataFrame, feedback: list[npt.NDArray[np.int64]]) -> list[npt.NDArray[np.float32]]:
        """Return q' of each query."""
        vectors = self.index.query_vectors(queries, type(self).__name__)
        return [
            moved_vector(vector, self.index.vectors[numbers], self.alpha, self.beta)
            for vector, numbers in zip(vectors, feedback, strict=True)
        ]

    @property
    def searched(self) -> Filtered:
        """The index that is searched."""
        return self.index

    def find(self, moved: list[npt.NDArray[np.float32]], in_force: Sequence[Mask | None]) -> list[Hits]:
        """Return the documents of the greatest cosines with each q'."""
        index = self.index
        return list(best_cosines(index.vectors, index.docno_table.order, np.stack(moved), self.num_results, in_force))

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the shares of the query and of each of the first results in the scores of `docnos`."""
        scores = result_scores(self.transform(inp), docnos)
        queries, (feedback,) = self.feedback(inp)
        query = self.index.query_vectors(queries, type(self).__name__)[0].astype(np.float64)
        near = self.index.vectors[feedback].astype(np.float64)
        length = float(np.linalg.norm(self.alpha * query + self.beta * near.mean(axis=0))) or 1.0
        before = self.index.retriever().explain_cosines(queries, list(scores))
        explanations = {}
        for docno, number in zip(scores, self.scorer().docno_table().numbers(scores), strict=True):
            vector = self.index.vectors[number].astype(np.float64)
            parts = [Part("like the query", self.alpha / length * float(query @ vector), before[docno])]
            for rank, (seed, cosine) in enumerate(zip(feedback, (near @ vector).tolist(), strict=True), start=1):
                name = str(self.index.docnos[seed])
                detail = {"docno": name, "rank": rank, "cosine": cosine}
                value = self.beta / len(feedback) / length * cosine
                parts.append(Part(f"like {name}, rank {rank} before", value, detail=detail))
            explanations[docno] = Explanation(docno, scores[docno], self.label, tuple(parts))
        return explanations


@parameters_of(TermRocchio, Rocchio, without=["retriever"])
def rocchio(
    collection: Collection, *, left: pt.Transformer | None = None, index: pt.Transformer | None = None, **params: Any
) -> Rocchio | TermRocchio:
    """Rocchio feedback over the vectors or terms of the nearest retriever on the left, or of `index`.

    ``lsa >> rocchio``, ``bm25 >> rocchio(alpha=0.8, beta=0.2, terms=50)``, ``rrf(bm25, lsa) >> rocchio(index=lsa)``.

    Args:
        index: the retriever whose vectors or terms are used; None for the nearest on the left.
        terms: for bm25 and tfidf: greatest number of terms that the feedback adds, the heaviest; None adds all, which
            is slow.
    """
    pipeline = left if index is None else index
    steps = reversed(list(pipeline) if isinstance(pipeline, Compose) else [pipeline])
    # The retrievers inside a fusion do not count.
    retriever = next((step for step in steps if isinstance(step, SparseRetriever | DenseRetriever)), None)
    if isinstance(retriever, SparseRetriever):
        return TermRocchio(retriever, **params)
    if isinstance(retriever, DenseRetriever):
        if params.pop("terms", _TERMS) != _TERMS:
            raise ComponentError("rocchio: terms is for bm25 and tfidf: leave it out where vectors are moved.")
        return Rocchio(retriever.index, **params)
    raise ComponentError(
        "rocchio: no retriever of legalir is on its left, so it has no index: name one, as in rocchio(index=lsa)."
    )
