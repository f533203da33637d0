"""BM25F once more, document by document in plain Python floats, from the formula alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from plain_scores import Terms, lucene_idf

Document = Mapping[str, str]


def bm25f(
    documents: Sequence[Document],
    query: str,
    terms: Terms,
    k1: float,
    weights: Mapping[str, float],
    b: Mapping[str, float],
    exponent: float,
) -> list[float]:
    tf = [{field: Counter(terms(document.get(field, ""))) for field in weights} for document in documents]
    own = [set(terms(row.get("title", ""))) | set(terms(row.get("text", ""))) for row in documents]
    lengths = {field: [row[field].total() for row in tf if row[field]] for field in weights}
    mean = {field: sum(found) / len(found) if found else 1.0 for field, found in lengths.items()}
    scores = []
    for row in tf:
        score = 0.0
        for term, qtf in Counter(terms(query)).items():
            combined = sum(
                weight * row[field][term] / (1 - b[field] + b[field] * row[field].total() / mean[field])
                for field, weight in weights.items()
                if row[field][term]
            )
            if combined:
                df = sum(term in held for held in own)
                score += qtf**exponent * lucene_idf(len(documents), df) * combined / (combined + k1)
        scores.append(score)
    return scores
