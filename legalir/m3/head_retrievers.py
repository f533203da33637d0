"""Retrieval with the heads of BGE-M3 [bge-m3]: one head over all documents, all heads together, and as a reranker.

n documents, m queries, p pairs of a query and a document, c documents to score; V token ids, z postings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise, repeat
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from annotated_types import Ge

from legalir.dense.cosine import best_cosines, pair_cosines
from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.columns import drop_results, require_texts
from legalir.frames.ranking import Hits, RankedLists, asked_only, best_first, hit_lists, reaching
from legalir.frames.retriever import Retriever
from legalir.frames.scorer import PairScorer
from legalir.frames.where import Fields, masks
from legalir.lexical.postings import ScoredPostings
from legalir.m3.heads import WEIGHTS, Head, Representations, Tokens, combine
from legalir.m3.maxsim import Floats, Ints, MaxSim, MultiVectors
from legalir.storage.csr import positions
from legalir.storage.strings import Docnos
from legalir.storage.validity import Mask, Validity


class Grouped(NamedTuple):
    """Items with weights in groups: group i has the items in ``[bounds[i], bounds[i + 1])``.

    Attributes:
        bounds: int64 [groups + 1].
        items: token ids of documents, or documents of token ids; int32 [z], ascending within a group.
        weights: float32 [z].
    """

    bounds: npt.NDArray[np.int64]
    items: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]

    def row(self, number: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Return items and weights of a group."""
        run = slice(self.bounds[number], self.bounds[number + 1])
        return self.items[run], self.weights[run]


class HeadIndex(Protocol):
    """The part of a :class:`~legalir.m3.m3_index.M3Index` that retrieval reads."""

    @property
    def dense(self) -> npt.NDArray[np.floating[Any]]:
        """Dense vector of each document, [n, d]."""
        ...

    @property
    def sparse(self) -> Grouped:
        """Token weights of each document."""
        ...

    @property
    def postings(self) -> Grouped:
        """The same by token id."""
        ...

    @property
    def multi(self) -> MultiVectors | None:
        """Multi-vectors of each document."""
        ...

    @property
    def docno_table(self) -> Docnos:
        """Docnos and numbers of the documents."""
        ...

    @property
    def validity(self) -> Validity | None:
        """Days on which each document is in force; None if the documents are not versions of provisions."""
        ...

    @property
    def fields(self) -> Callable[[], Fields] | None:
        """Returns the fields of the provisions; None for an index that no collection built."""
        ...

    def represent_queries(self, texts: Sequence[str], weights: Mapping[str, float]) -> Representations:
        """Return the representations of queries, with multi-vectors if they have a weight."""

    def check_weights(self, component: str, weights: object) -> dict[str, float]:
        """Return the weights above 0 if the index has their heads."""

    def token_texts(self, tokens: Sequence[int]) -> list[str]:
        """Return the text of each token id."""


class TokenProducts:
    """Inner products of the token weights of queries and documents.

    They are summed in double precision document by document, so a sum depends on its query and document alone.

    Args:
        rows: token ids and weights of each document.
        postings: documents and weights of each token id.
    """

    def __init__(self, rows: Grouped, postings: Grouped) -> None:
        self._rows = rows
        self._postings = postings
        self._factors = np.zeros(len(postings.bounds) - 1, dtype=np.float64)

    def pairs(self, tokens: Tokens, weights: Floats, documents: Ints) -> Floats:
        """Return the inner product of one query with each document, [c].

        Args:
            tokens: token ids of the query, each once, [q].
            weights: weights of these tokens, [q].
            documents: numbers of documents, [c].
        """
        owner, place = positions(self._rows.bounds, documents)
        self._factors[tokens] = weights
        products = self._factors[self._rows.items[place]] * self._rows.weights[place]
        self._factors[tokens] = 0
        return np.bincount(owner, products, minlength=len(documents)).astype(np.float32)

    def best(
        self,
        queries: Iterator[tuple[Tokens, Floats]],
        order: npt.NDArray[np.int32],
        k: int,
        in_force: Iterable[Mask | None] | None = None,
    ) -> Iterator[Hits]:
        """Yield for each query the documents with the `k` greatest products above 0, ties by ascending `order`.

        Args:
            queries: token ids, each once, and their weights.
            order: position of each document among the ascending docnos, [n].
            k: at least 1.
            in_force: which documents may be results of each query, [n]; None for all.
        """
        postings = ScoredPostings(*self._postings, len(order))
        for (tokens, weights), mask in zip(queries, repeat(None) if in_force is None else in_force, strict=False):
            scores = postings.scores(tokens.astype(np.int64), weights)
            if mask is not None:
                scores = scores * mask  # Only scores above 0 are results.
            # These sums have single precision; all documents that may be among the best are summed again.
            margin = 2 * (len(tokens) + 1) * float(np.finfo(np.float32).eps) * float(scores.max(initial=0))
            candidates = reaching(scores, k, above=0, margin=margin)
            exact = self.pairs(tokens, weights, candidates)
            best = best_first(exact, order[candidates], k)
            yield candidates[best], exact[best]


_CELLS = 16_000_000
"""Maximum number of MaxSim scores in memory at a time."""


class HeadScores:
    """Scores of the heads of an index for m queries.

    Args:
        index: the index.
        queries: with multi-vectors if the multi-vector head is used.
        in_force: which documents may be results of each query, [m] of [n]; None for all.
    """

    def __init__(
        self, index: HeadIndex, queries: Representations, in_force: Sequence[Mask | None] | None = None
    ) -> None:
        self._index = index
        self._queries = queries
        self._in_force = [None] * len(queries) if in_force is None else in_force

    @cached_property
    def _tokens(self) -> TokenProducts:
        return TokenProducts(self._index.sparse, self._index.postings)

    @cached_property
    def _maxsim(self) -> MaxSim:
        multi = self._index.multi
        assert multi is not None  # M3Index.check_weights has checked it.
        return MaxSim(multi.vectors, multi.bounds, multi.scales)

    def pairs(self, head: str, query: Ints, documents: Ints) -> npt.NDArray[np.float64]:
        """Return the score of one head for each pair, [p].

        Args:
            head: ``dense``, ``sparse`` or ``multi``.
            query: number of each pair's query, ascending, [p].
            documents: number of each pair's document, [p].
        """
        if head == "dense":
            return pair_cosines(self._index.dense, documents, self._queries.dense, query).astype(np.float64)
        scores = np.empty(len(documents), dtype=np.float64)
        bounds = np.searchsorted(query, np.arange(len(self._queries) + 1))
        for number in np.unique(query).tolist():
            run = slice(bounds[number], bounds[number + 1])
            if head == "sparse":
                scores[run] = self._tokens.pairs(*self._queries.sparse_row(number), documents[run])
            else:
                scores[run] = self._maxsim.scores([self._queries.multi_row(number)], documents[run])[0]
        return scores

    def combined(self, weights: Mapping[str, float], query: Ints, documents: Ints) -> npt.NDArray[np.float64]:
        """Return ``Σ_h w_h · s_h / Σ_h w_h`` of each pair, [p]; arguments as for :meth:`pairs`."""
        return combine({head: self.pairs(head, query, documents) for head in weights}, weights)

    def best(self, head: str, k: int) -> Iterator[Hits]:
        """Yield for each query the best `k` of all documents by one head, best first, ties by docno.

        ``sparse`` leaves out documents that share no token with a query.

        Args:
            head: ``dense``, ``sparse`` or ``multi``.
            k: at least 1.
        """
        order = self._index.docno_table.order
        if head == "dense":
            return best_cosines(self._index.dense, order, self._queries.dense, k, self._in_force)
        if head == "sparse":
            rows = map(self._queries.sparse_row, range(len(self._queries)))
            return self._tokens.best(rows, order, k, self._in_force)
        return self._best_multi(order, k)

    def _best_multi(self, order: npt.NDArray[np.int32], k: int) -> Iterator[Hits]:
        # Each block of documents is read once for all queries whose scores fit in memory.
        everything = np.arange(len(order))
        batch = max(1, _CELLS // max(1, len(order)))
        for first in range(0, len(self._queries), batch):
            numbers = range(first, min(first + batch, len(self._queries)))
            vectors = [self._queries.multi_row(number).astype(np.float32) for number in numbers]
            for number, row, query in zip(numbers, self._maxsim.scores(vectors, everything), vectors, strict=True):
                if (mask := self._in_force[number]) is not None:
                    row = np.where(mask, row, -np.inf)
                candidates = reaching(row, k) if len(query) else everything[:0]
                best = best_first(row[candidates], order[candidates], k)
                yield candidates[best], row[candidates[best]]


_MEANINGS = {
    "dense": "cosine of the vectors of query and provision",
    "sparse": "token weights of query and provision, multiplied",
    "multi": "greatest cosine with a token of the provision, mean over the tokens of the query",
}


class _Weighted:
    """The explanations of a component that scores by weighted heads."""

    index: HeadIndex
    label: str
    """The component as in an expression."""
    _weights: Mapping[str, float]
    """Weight of each head, by name; only weights above 0."""

    def _explanations(self, query: str, docnos: Sequence[str]) -> dict[str, Explanation]:
        """Return the part of each head in the scores of documents of the index.

        The detail of a part has ``head, weight`` and ``score``; its source explains the score of the head. With a
        single head, that source is the explanation.
        """
        queries = self.index.represent_queries([query], self._weights)
        heads = HeadScores(self.index, queries)
        numbers = self.index.docno_table.numbers(docnos)
        scores = {head: heads.pairs(head, np.zeros_like(numbers), numbers).tolist() for head in self._weights}
        total = sum(self._weights.values())
        explanations = {}
        for place, (docno, number) in enumerate(zip(docnos, numbers.tolist(), strict=True)):
            parts = []
            for head, weight in self._weights.items():
                score = scores[head][place]
                inside = self._token_parts(number, queries) if head == "sparse" else (Part(_MEANINGS[head], score),)
                source = Explanation(docno, score, f"m3_{head}", inside, _MEANINGS[head])
                share = f"{weight:g}" if abs(total - 1) < 1e-9 else f"{weight:g}/{total:g}"
                detail: dict[str, object] = {"head": head, "weight": weight, "score": score}
                label = f"{share} × {score:.4g} of the {head} head"
                parts.append(Part(label, weight * score / total, source, detail))
            combined = combine({head: scores[head][place] for head in self._weights}, self._weights)
            whole = Explanation(docno, combined, self.label, tuple(parts), "Σ w·s / Σ w of the heads")
            explanations[docno] = source if len(parts) == 1 else whole
        return explanations

    def _token_parts(self, number: int, queries: Representations) -> tuple[Part, ...]:
        """Return a part for each token that the first query and a document share, the greatest first.

        The detail has the text of the token as ``term``, its id as ``token``, and its weights ``in_query`` and
        ``in_document``.
        """
        tokens, weights = queries.sparse_row(0)
        own_tokens, own_weights = self.index.sparse.row(number)
        shared, left, right = np.intersect1d(tokens, own_tokens, assume_unique=True, return_indices=True)
        parts = []
        names = self.index.token_texts(shared.tolist()) if len(shared) else []
        rows = zip(names, shared.tolist(), weights[left].tolist(), own_weights[right].tolist(), strict=True)
        for name, token, in_query, in_document in rows:
            detail = {"term": name, "token": token, "in_query": in_query, "in_document": in_document}
            parts.append(Part(name.replace("▁", " ").strip() or name, in_query * in_document, detail=detail))
        return tuple(sorted(parts, key=lambda part: (-part.value, part.detail["token"])))


class M3Scorer(_Weighted, PairScorer):
    """Scores given documents by the heads of BGE-M3: ``Σ_h w_h · s_h / Σ_h w_h``; encodes queries only.

    Columns in: ``qid, query, docno``. Columns out: the same, ``score`` and ``rank``; an earlier score is replaced.

    Raises:
        ComponentError: the weights are not such a mapping, or the index lacks a head.
    """

    name = "m3"
    label = "m3"

    index: Annotated[HeadIndex, "the index"]
    weights: Annotated[
        Mapping[str, float] | None,
        'weight of each head, by name; None for ``{"dense": 0.4, "sparse": 0.2, "multi": 0.4}``. A missing '
        "head has weight 0 and is not computed",
    ] = None

    def __post_init__(self) -> None:
        given = WEIGHTS if self.weights is None else self.weights
        self.weights = self._weights = self.index.check_weights("m3", given)

    def docno_table(self) -> Docnos:
        """Return the docnos of the index."""
        return self.index.docno_table

    def pair_scores(
        self, queries: pd.DataFrame, query: npt.NDArray[np.int64], documents: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Return the score of each pair."""
        require_texts(queries, type(self).__name__)
        self.index.check_weights("m3", self._weights)
        representations = self.index.represent_queries(queries["query"].tolist(), self._weights)
        return HeadScores(self.index, representations).combined(self._weights, query, documents)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the part of each head in the scores of `docnos`, and of each shared token in the sparse one."""
        given = set(inp["docno"])
        return self._explanations(drop_results(inp)["query"].iloc[0], [docno for docno in docnos if docno in given])


class HeadRetriever(_Weighted, Retriever):
    """Base of the retrievers by heads: from a frame of queries to a frame of results.

    Columns in: ``qid, query``. Columns out: the query columns, then ``docno, score, rank``. A query of white space
    finds nothing. Given results, it scores their documents by the heads with a weight.
    """

    def best(self, heads: HeadScores, queries: int) -> list[Hits]:
        """Return the best documents of each query.

        Args:
            heads: scores of the heads for the queries.
            queries: number of queries.
        """
        raise NotImplementedError

    def scorer(self) -> M3Scorer:
        """Return a transformer that scores given documents like this retriever."""
        return M3Scorer(self.index, self._weights)

    def ranked(self, queries: pd.DataFrame) -> RankedLists:
        """Return the best documents of each query.

        Raises:
            ArtifactError: another encoder built the index.
            ComponentError: a query is not a string.
            ModelError: the model cannot be found, read, or computed with.
        """
        require_texts(queries, type(self).__name__)
        self.index.check_weights(self.label, self._weights)
        representations = self.index.represent_queries(queries["query"].tolist(), self._weights)
        heads = HeadScores(self.index, representations, masks(queries, self.index))
        hits = self.best(heads, len(queries))
        return hit_lists(queries, asked_only(queries, hits), self.index.docno_table)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the part of each head in the scores of `docnos`, and of each shared token in the sparse one."""
        results = set(self.transform(inp)["docno"])
        return self._explanations(drop_results(inp)["query"].iloc[0], [docno for docno in docnos if docno in results])


class M3HeadRetriever(HeadRetriever):
    """Retrieves the documents with the best scores of one head, among all documents, exactly.

    - ``dense``: the cosine of the vectors of query and document, from −1 to 1.
    - ``sparse``: the sum of the products of the weights of shared token ids; documents that share no token with a query
      are not returned.
    - ``multi``: the mean, over the tokens of the query, of the greatest cosine with a token of the document
      [colbert]. All vectors of all documents are read, in blocks that fit the cache of the processor.

    Columns in: ``qid, query``. Columns out: the query columns, then ``docno, score, rank``. Given results, it scores
    their documents.

    Raises:
        ComponentError: a parameter is out of range, or the index lacks the head.
    """

    name = "m3"
    index: Annotated[HeadIndex, "the index"]
    head: Annotated[Head, "the head"]
    num_results: Annotated[int, Ge(1), "number of results per query"] = 1000

    def __post_init__(self) -> None:
        self.name = self.label = f"m3_{self.head}"
        self._weights = self.index.check_weights(self.label, {self.head: 1.0})

    def best(self, heads: HeadScores, queries: int) -> list[Hits]:
        """Return the best documents of each query."""
        return list(heads.best(self.head, self.num_results))


_CANDIDATE_HEADS = ("dense", "sparse")
"""Heads that find candidates without reading all multi-vectors."""


def check_candidates(weights: Mapping[str, float]) -> None:
    """Raise ComponentError if no head with a weight finds candidates."""
    if not set(_CANDIDATE_HEADS) & set(weights):
        raise ComponentError(
            "m3: weights name no head that finds candidates: give dense or sparse a weight as well, or search by "
            "multi alone with m3_multi, which reads all vectors of all provisions."
        )


class M3Retriever(HeadRetriever):
    """Retrieves candidates by the dense and the sparse head, or all documents, and scores them by all heads, exactly.

    ``score(q, d) = Σ_h w_h · s_h(q, d) / Σ_h w_h`` ([bge-m3], section 3.2), with the scores of
    :mod:`legalir.m3.heads`. A head without a weight is not computed and finds no candidates.

    Columns in: ``qid, query``. Columns out: the query columns, then ``docno, score, rank``. Given results, it scores
    their documents.

    Raises:
        ComponentError: a parameter is out of range, the index lacks a head, or no head finds candidates.
    """

    name = label = "m3"

    index: Annotated[HeadIndex, "the index"]
    weights: Annotated[
        Mapping[str, float] | None,
        'weight of each head, by name; None for ``{"dense": 0.4, "sparse": 0.2, "multi": 0.4}`` [nitibench]. '
        "A missing head has weight 0 and is not computed",
    ] = None
    k: Annotated[
        int,
        Ge(1),
        "number of candidates of each of ``dense`` and ``sparse``; so at most 2k documents are scored",
    ] = 100
    num_results: Annotated[int, Ge(1), "number of results per query"] = 1000
    exhaustive: Annotated[
        bool,
        "score all documents instead of candidates, as with a `k` of all documents; `k` has no effect then",
    ] = False

    def __post_init__(self) -> None:
        given = WEIGHTS if self.weights is None else self.weights
        self.weights = self._weights = self.index.check_weights("m3", given)
        check_candidates(self._weights)

    def best(self, heads: HeadScores, queries: int) -> list[Hits]:
        """Return the best documents of each query."""
        table = self.index.docno_table
        k = len(table) if self.exhaustive else self.k
        found = [heads.best(head, k) for head in _CANDIDATE_HEADS if head in self._weights]
        unions = (np.unique(np.concatenate([hits[0] for hits in of_query])) for of_query in zip(*found, strict=True))
        block = max(1, _CELLS // max(1, min(2 * k, len(table))))
        hits: list[Hits] = []
        for first in range(0, queries, block):
            candidates = list(islice(unions, block))
            query = np.repeat(np.arange(first, first + len(candidates)), [len(union) for union in candidates])
            documents = np.concatenate(candidates)
            scores = heads.combined(self._weights, query, documents)
            order = np.lexsort((table.order[documents], -scores, query))
            bounds = np.searchsorted(query, np.arange(first, first + len(candidates) + 1))
            runs = [order[start : min(start + self.num_results, end)] for start, end in pairwise(bounds)]
            hits += [(documents[run], scores[run]) for run in runs]
        return hits
