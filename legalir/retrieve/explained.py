"""The terms that make up the score of a sparse retriever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from legalir.analysis.readable import readable
from legalir.explanation import Explanation, Part

if TYPE_CHECKING:
    from legalir.retrieve.retriever import SparseRetriever

__all__ = ["explain_terms"]


def explain_terms(retriever: SparseRetriever, query: str, docnos: Sequence[str]) -> dict[str, Explanation]:
    """Return what each term of `query` adds to the scores of `docnos`; those that the index lacks are left out.

    A part is a term that query and document share, the largest first. Its detail has the ``term`` as indexed, how
    often it is ``in_query`` and ``in_document``, and in how many ``documents`` it is; over fields, what is in which.
    """
    index = retriever.index
    numbers = index.known.numbers(docnos)
    scores = retriever.scores(query)
    terms, tf = retriever.known_terms(query)
    parts: dict[int, list[Part]] = {int(number): [] for number in numbers if number >= 0}
    wanted = np.array(sorted(parts), dtype=np.int64)
    factor = dict.fromkeys(terms.tolist(), 0.0)
    for term, weight in zip(*retriever.query_vector(terms, tf), strict=True):
        factor[int(term)] += float(weight)
    weights = retriever.postings().weights
    for term, in_query in zip(terms.tolist(), tf.tolist(), strict=True):
        first, last = int(index.indptr[term]), int(index.indptr[term + 1])
        holders = index.documents[first:last]
        place = np.minimum(np.searchsorted(holders, wanted), len(holders) - 1)
        text = index.terms[term]
        label = readable(text) + (f" ×{in_query}" if in_query > 1 else "")
        for number, posting in zip(wanted.tolist(), (first + place).tolist(), strict=True):
            value = factor[term] * float(weights[posting])
            if index.documents[posting] == number and value:
                detail = {"term": text, "in_query": in_query, **retriever.occurrences(term, posting)}
                parts[number].append(Part(label, value, detail=detail))
    return {
        docno: Explanation(docno, score := float(scores[number]), retriever.label, _scaled(parts[int(number)], score))
        for docno, number in zip(docnos, numbers, strict=True)
        if number >= 0
    }


def _scaled(parts: list[Part], score: float) -> tuple[Part, ...]:
    """Return the parts, the largest first, such that they add up to the score.

    Scores are sums in single precision; what their rounding adds or takes is spread over the parts.
    """
    total = sum(part.value for part in parts)
    factor = score / total if total else 1.0
    scaled = [Part(part.label, part.value * factor, detail=part.detail) for part in parts]
    return tuple(sorted(scaled, key=lambda part: (-part.value, part.label)))
