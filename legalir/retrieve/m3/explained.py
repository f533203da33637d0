"""What makes up a score of BGE-M3's heads: what each head adds, and of the sparse one, what each shared token adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from legalir.encode.m3.heads import combined
from legalir.encode.m3.representations import Representations
from legalir.explanation import Explanation, Part
from legalir.retrieve.m3.heads import Heads

if TYPE_CHECKING:
    from legalir.retrieve.m3.index import M3Index

__all__ = ["Weighted", "explain_heads"]

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
    numbers = index.known.numbers(docnos)
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
