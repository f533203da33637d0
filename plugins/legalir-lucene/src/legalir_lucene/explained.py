"""From Lucene's explanation of a score to the terms that it consists of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from legalir.extend import Part, readable
from legalir_lucene.terms import encode
from legalir_lucene.writing import FIELD

__all__ = ["parts_of"]

_TERM = re.compile(rf"weight\({FIELD}:(.*) in \d+\) \[")
_FREQUENCY = re.compile(r"score\((?:\w+, )?freq=([0-9.]+)\)")


def parts_of(explanation: dict[str, Any], terms: Sequence[str], score: float) -> tuple[Part, ...]:
    """Return what each term adds to `score`, the largest first.

    The detail of a part has the ``term`` and how often it is ``in_query`` and ``in_document``.

    Args:
        explanation: of Lucene: ``value, description, details``.
        terms: of the question.
        score: what the parts add up to; the rounding of single precision is spread over them.
    """
    counts = {encode(term): (term, times) for term, times in Counter(terms).items()}
    weights = [(*counts[name], weight) for name, weight in _weights(explanation) if weight["value"]]
    total = sum(weight["value"] for _, _, weight in weights)
    factor = score / total if total else 1.0
    parts = []
    for term, in_query, weight in weights:
        label = readable(term) + (f" ×{in_query}" if in_query > 1 else "")
        detail: dict[str, object] = {"term": term, "in_query": in_query}
        if frequency := _FREQUENCY.match(weight["details"][0]["description"]):
            detail["in_document"] = round(float(frequency[1]))
        parts.append(Part(label, weight["value"] * factor, detail=detail))
    return tuple(sorted(parts, key=lambda part: (-part.value, part.label)))


def _weights(explanation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the encoded term and Lucene's explanation of each clause that matched."""
    if term := _TERM.match(explanation["description"]):
        yield term[1], explanation
        return
    for clause in explanation["details"]:  # of "sum of:"
        yield from _weights(clause)
