"""BGE-M3 in expressions: ``m3``, one head alone, and as a reranker.

What makes up a score of BGE-M3's heads: what each head adds, and of the sparse one, what each shared token adds.

Scoring of given documents by the heads of BGE-M3, from what is stored of them.

What retrievers by BGE-M3's heads have in common; they differ in which documents they find.

One head of BGE-M3 alone, over all documents.

The three heads of BGE-M3 together: candidates of two, rescored by all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.columns import drop_results, empty_like, require_texts
from legalir.frames.component import Cuttable, check_choice, check_number
from legalir.frames.ranking import Hits, asked_only, results_frame
from legalir.frames.scorer import PairScorer
from legalir.m3.arithmetic import HEADS, WEIGHTS, Representations, check_weights, combined
from legalir.m3.encoder import M3Encoder
from legalir.m3.heads import Heads
from legalir.m3.index import M3Index
from legalir.m3.maxsim import Ints
from legalir.m3.store import Multi
from legalir.storage.strings import Docnos

__all__ = [
    "HeadSearch",
    "M3HeadRetriever",
    "M3Retriever",
    "M3Scorer",
    "Weighted",
    "check_candidates",
    "explain_heads",
    "m3",
    "m3_dense",
    "m3_multi",
    "m3_rerank",
    "m3_sparse",
]

_WHAT = {
    "dense": "cosine of the vectors of query and provision",
    "sparse": "token weights of query and provision, multiplied",
    "multi": "greatest cosine with a token of the provision, mean over the tokens of the query",
}


class Weighted(Protocol):
    """A component that scores by heads."""

    @property
    def index(self) -> M3Index:
        """The index."""
        ...

    @property
    def weights(self) -> Mapping[str, float]:
        """What each head counts."""
        ...

    @property
    def label(self) -> str:
        """The component as in an expression."""
        ...


def explain_heads(component: Weighted, query: str, docnos: Sequence[str]) -> dict[str, Explanation]:
    """Return what each head adds to the scores of documents of the index.

    A part is a head; its detail has ``head, weight`` and ``score``, and its source what the head's score consists of.
    For one head alone, that is the explanation.
    """
    index, weights = component.index, component.weights
    represented = index.represent_queries([query], weights)
    heads = Heads(index, represented)
    numbers = index.docno_table.numbers(docnos)
    pairs = {head: heads.pairs(head, np.zeros_like(numbers), numbers).astype(np.float64) for head in weights}
    found = {}
    for place, (docno, number) in enumerate(zip(docnos, numbers.tolist(), strict=True)):
        scores = {head: float(values[place]) for head, values in pairs.items()}
        inside = {head: _head(component, head, docno, number, score, represented) for head, score in scores.items()}
        if len(inside) == 1:
            found[docno] = next(iter(inside.values()))
            continue
        parts = tuple(_part(head, scores[head], weights, inside[head]) for head in weights)
        found[docno] = Explanation(docno, combined(scores, weights), component.label, parts, "Σ w·s / Σ w of the heads")
    return found


def _part(head: str, score: float, weights: Mapping[str, float], source: Explanation) -> Part:
    weight, total = weights[head], sum(weights.values())
    detail: dict[str, object] = {"head": head, "weight": weight, "score": score}
    label = f"{weight:g}" if abs(total - 1) < 1e-9 else f"{weight:g}/{total:g}"
    return Part(f"{label} × {score:.4g} of the {head} head", weight * score / total, source, detail)


def _head(
    component: Weighted, head: str, docno: str, number: int, score: float, represented: Representations
) -> Explanation:
    parts: tuple[Part, ...] = (Part(_WHAT[head], score),)
    if head == "sparse":
        parts = _tokens(component.index, number, represented)
    return Explanation(docno, score, f"m3_{head}", parts, _WHAT[head])


def _tokens(index: M3Index, number: int, represented: Representations) -> tuple[Part, ...]:
    """Return a part for each token that the query and a document share, the greatest first.

    Its detail has the ``term`` as the tokenizer calls it, its id as ``token``, and its weights ``in_query`` and
    ``in_document``.
    """
    tokens, in_query = represented.sparse_row(0)
    shared, left, right = np.intersect1d(tokens, index.sparse.row(number)[0], assume_unique=True, return_indices=True)
    in_document = index.sparse.row(number)[1][right]
    parts = []
    names = index.token_texts(shared.tolist()) if len(shared) else []
    for name, token, mine, theirs in zip(
        names, shared.tolist(), in_query[left].tolist(), in_document.tolist(), strict=True
    ):
        detail: dict[str, object] = {"term": name, "token": token, "in_query": mine, "in_document": theirs}
        parts.append(Part(name.replace("▁", " ").strip() or name, mine * theirs, detail=detail))
    return tuple(sorted(parts, key=lambda part: (-part.value, part.detail["token"])))


class M3Scorer(PairScorer):
    """Scores given documents by the heads of BGE-M3: ``Σ_h w_h · s_h / Σ_h w_h``; no text of theirs is encoded.

    Columns in: ``qid, query, docno``. Columns out: the same, ``score`` and ``rank``; a score that was there before is
    replaced.

    Args:
        index: the index.
        weights: what each head counts; by default ``{"dense": 0.4, "sparse": 0.2, "multi": 0.4}``. A head that is not
            named counts nothing, and is not computed.

    Raises:
        ComponentError: the weights are no such mapping, or the index does not hold a head.
    """

    def __init__(self, index: M3Index, weights: Mapping[str, float] | None = None) -> None:
        self.index = index
        self.weights = index.check_weights("m3", WEIGHTS if weights is None else weights)

    label = "m3"

    def known(self) -> Docnos:
        """Return the docnos of the index."""
        return self.index.docno_table

    def pair_scores(
        self, queries: pd.DataFrame, query: npt.NDArray[np.int64], documents: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Return the score of each pair."""
        require_texts(queries, type(self).__name__)
        self.index.check_weights("m3", self.weights)
        heads = Heads(self.index, self.index.represent_queries(queries["query"].tolist(), self.weights))
        scores = {head: heads.pairs(head, query, documents).astype(np.float64) for head in self.weights}
        return combined(scores, self.weights)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return what each head adds to the scores of `docnos`, and what makes up the score of the sparse one."""
        given = set(inp["docno"])
        query = drop_results(inp)["query"].iloc[0]
        return explain_heads(self, query, [docno for docno in docnos if docno in given])


class HeadSearch(Cuttable):
    """From frames of queries to frames of results; a subclass says what is found.

    Columns in: ``qid, query``; of result rows only their queries are used. Columns out: the query columns, then
    ``docno, score, rank``. A query of white space finds nothing.
    """

    index: M3Index
    label: Any
    """The retriever as in an expression."""
    weights: Any
    """What each head that counts counts, by its name."""

    def best(self, heads: Heads, queries: int) -> list[Hits]:
        """Return the best documents of each of so many queries."""
        raise NotImplementedError

    def scorer(self) -> M3Scorer:
        """Return the transformer that scores given documents as this retriever does."""
        return M3Scorer(self.index, self.weights)

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the best documents of every query.

        Raises:
            ArtifactError: the index was made by another encoder.
            ComponentError: a query is no string.
            ModelError: the model cannot be found, read, or computed with.
        """
        pt.validate.columns(inp, includes=["qid", "query"])
        queries = drop_results(inp)
        require_texts(queries, type(self).__name__)
        weights: Mapping[str, float] = self.weights
        self.index.check_weights(self.label, weights)
        represented = self.index.represent_queries(queries["query"].tolist(), weights)
        found = self.best(Heads(self.index, represented), len(queries))
        return results_frame(queries, asked_only(queries, found), self.index.docnos)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return what each head adds to the scores of `docnos`; of the sparse one, each shared token."""
        found = set(self.transform(inp)["docno"])
        query = drop_results(inp)["query"].iloc[0]
        return explain_heads(self, query, [docno for docno in docnos if docno in found])


class M3HeadRetriever(HeadSearch):
    """Finds the documents of the best scores of one head, among all, exactly.

    - ``dense``: the cosine of the vectors of query and document, from −1 to 1.
    - ``sparse``: the sum of the products of the weights that both give to the same token id; documents that share no
      token with a query are not returned.
    - ``multi``: the mean, over the tokens of the query, of the greatest cosine with a token of the document. All
      vectors of all documents are read, as many at a time as fit the cache of the processor.

    Columns in: ``qid, query``; of result rows only their queries are used. Columns out: the query columns, then
    ``docno, score, rank``.

    Args:
        index: the index.
        head: ``dense``, ``sparse`` or ``multi``.
        num_results: results a query, at least 1.

    Raises:
        ComponentError: a parameter is none of these, or the index does not hold the head.
    """

    def __init__(self, index: M3Index, head: str, num_results: int = 1000) -> None:
        check_choice("m3", "head", head, HEADS)
        check_number(f"m3_{head}", "num_results", num_results, low=1, integer=True)
        self.index = index
        self.head = head
        self.num_results: int = num_results
        index.check_weights(self.label, self.weights)

    @property
    def label(self) -> str:
        """The retriever as in an expression."""
        return f"m3_{self.head}"

    @property
    def weights(self) -> dict[str, float]:
        """What the heads count."""
        return {self.head: 1.0}

    def best(self, heads: Heads, queries: int) -> list[Hits]:
        """Return the best documents of each query."""
        return list(heads.best(self.head, self.num_results))


_DRAWING = ("dense", "sparse")
"""Heads that find documents without looking at all the vectors of all of them."""


def check_candidates(weights: Mapping[str, float]) -> None:
    """Check that a head that counts finds candidates.

    Raises:
        ComponentError: none does.
    """
    if not set(_DRAWING) & set(weights):
        raise ComponentError(
            "m3: weights name no head that finds candidates: give dense or sparse a weight as well, or search by "
            "multi alone with m3_multi, which looks at all vectors of all provisions."
        )


class M3Retriever(HeadSearch):
    """Finds documents by the dense and the sparse head, and scores what either found by all heads, exactly.

    ``score(q, d) = Σ_h w_h · s_h(q, d) / Σ_h w_h``, with the scores of the heads as in
    :mod:`legalir.m3.arithmetic` (Chen et al. 2024, section 3.2). A head without a weight is not computed, and
    finds nothing.

    Columns in: ``qid, query``; of result rows only their queries are used. Columns out: the query columns, then
    ``docno, score, rank``.

    Args:
        index: the index.
        weights: what each head counts, such as ``{"dense": 0.4, "sparse": 0.2, "multi": 0.4}``, which is the default
            (Akarajaradwong et al., *NitiBench*, 2025); a head that is not named counts nothing.
        k: documents that each of ``dense`` and ``sparse`` finds, at least 1; at most twice as many are scored.
        num_results: results a query, at least 1.

    Raises:
        ComponentError: a parameter is out of range, the index does not hold a head, or no head that counts finds any.
    """

    def __init__(
        self, index: M3Index, weights: Mapping[str, float] | None = None, k: int = 100, num_results: int = 1000
    ) -> None:
        check_number("m3", "k", k, low=1, integer=True)
        check_number("m3", "num_results", num_results, low=1, integer=True)
        self.index = index
        self.weights = index.check_weights("m3", WEIGHTS if weights is None else weights)
        self.k = k
        self.num_results: int = num_results
        check_candidates(self.weights)

    label = "m3"

    def best(self, heads: Heads, queries: int) -> list[Hits]:
        """Return the best documents of each query."""
        drawn: list[list[Ints]] = [[np.zeros(0, dtype=np.int64)] for _ in range(queries)]
        for head in _DRAWING:
            if head in self.weights:
                for candidates, (documents, _) in zip(drawn, heads.best(head, self.k), strict=True):
                    candidates.append(documents)
        unions = [np.unique(np.concatenate(candidates)) for candidates in drawn]
        query = np.repeat(np.arange(queries), [len(union) for union in unions])
        documents = np.concatenate(unions)
        scores = combined(
            {head: heads.pairs(head, query, documents).astype(np.float64) for head in self.weights}, self.weights
        )
        order = np.lexsort((self.index.docno_table.order[documents], -scores, query))
        bounds = np.searchsorted(query, np.arange(queries + 1))
        runs = [order[first : min(first + self.num_results, last)] for first, last in pairwise(bounds)]
        return [(documents[run], scores[run]) for run in runs]


def m3(
    collection: Any,
    *,
    model: str,
    weights: Mapping[str, float] | None = None,
    k: int = 100,
    num_results: int = 1000,
    multi: Multi = "float16",
    max_length: int = 8192,
    device: str | None = None,
    dtype: str | None = None,
) -> M3Retriever:
    """All heads of BGE-M3: ``m3("BAAI/bge-m3", weights={"dense": 0.4, "sparse": 0.2, "multi": 0.4}, k=100)``.

    Args:
        model: a folder, or the name of a model on the hub.
        weights: what each head counts; one that is not named counts nothing, and is not computed.
        k: candidates that each of the dense and the sparse head finds.
        num_results: results a query, at least 1.
        multi: what multi-vectors are stored as, ``float16``, ``float32`` or ``int8``.
        max_length: tokens that are read of a provision.
        device: as torch names it; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
    """
    counting = check_weights("m3", WEIGHTS if weights is None else weights)
    check_candidates(counting)
    index = _index(collection, M3Encoder(model, max_length=max_length, device=device, dtype=dtype), counting, multi)
    return M3Retriever(index, weights=counting, k=k, num_results=num_results)


def m3_dense(
    collection: Any,
    *,
    model: str,
    num_results: int = 1000,
    max_length: int = 8192,
    device: str | None = None,
    dtype: str | None = None,
) -> M3HeadRetriever:
    """The dense head of BGE-M3: ``m3_dense("BAAI/bge-m3")``.

    Args:
        model: a folder, or the name of a model on the hub.
        num_results: results a query, at least 1.
        max_length: tokens that are read of a provision.
        device: as torch names it; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
    """
    encoder = M3Encoder(model, max_length=max_length, device=device, dtype=dtype)
    return M3HeadRetriever(_index(collection, encoder, {"dense": 1.0}), "dense", num_results=num_results)


def m3_sparse(
    collection: Any,
    *,
    model: str,
    num_results: int = 1000,
    max_length: int = 8192,
    device: str | None = None,
    dtype: str | None = None,
) -> M3HeadRetriever:
    """The sparse head of BGE-M3, by token id: ``m3_sparse("BAAI/bge-m3")``.

    Args:
        model: a folder, or the name of a model on the hub.
        num_results: results a query, at least 1.
        max_length: tokens that are read of a provision.
        device: as torch names it; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
    """
    encoder = M3Encoder(model, max_length=max_length, device=device, dtype=dtype)
    return M3HeadRetriever(_index(collection, encoder, {"sparse": 1.0}), "sparse", num_results=num_results)


def m3_multi(
    collection: Any,
    *,
    model: str,
    num_results: int = 1000,
    multi: Multi = "float16",
    max_length: int = 8192,
    device: str | None = None,
    dtype: str | None = None,
) -> M3HeadRetriever:
    """The multi-vector head of BGE-M3 over all provisions: ``m3_multi("BAAI/bge-m3")``.

    Args:
        model: a folder, or the name of a model on the hub.
        num_results: results a query, at least 1.
        multi: what multi-vectors are stored as, ``float16``, ``float32`` or ``int8``.
        max_length: tokens that are read of a provision.
        device: as torch names it; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
    """
    encoder = M3Encoder(model, max_length=max_length, device=device, dtype=dtype)
    return M3HeadRetriever(_index(collection, encoder, {"multi": 1.0}, multi), "multi", num_results=num_results)


def m3_rerank(
    collection: Any,
    *,
    model: str,
    weights: Mapping[str, float] | None = None,
    multi: Multi = "float16",
    max_length: int = 8192,
    device: str | None = None,
    dtype: str | None = None,
) -> M3Scorer:
    """Heads of BGE-M3 score what is given: ``bm25 % 100 >> m3_rerank("BAAI/bge-m3")``.

    Args:
        model: a folder, or the name of a model on the hub.
        weights: what each head counts; one that is not named counts nothing.
        multi: what multi-vectors are stored as, ``float16``, ``float32`` or ``int8``.
        max_length: tokens that are read of a provision.
        device: as torch names it; None for an accelerator where there is one.
        dtype: ``float32``, ``float16`` or ``bfloat16``; None for what suits the device.
    """
    counting = check_weights("m3_rerank", WEIGHTS if weights is None else weights)
    index = _index(collection, M3Encoder(model, max_length=max_length, device=device, dtype=dtype), counting, multi)
    return M3Scorer(index, counting)


def _index(collection: Any, encoder: M3Encoder, weights: Mapping[str, float], multi: Multi | None = None) -> M3Index:
    """Return the index of a collection, with multi-vectors if they count."""
    index: M3Index = collection.indexes.m3(encoder, multi=multi if "multi" in weights else None)
    return index
