"""Family smoothing once more, list by list in plain Python, from the formula alone."""

from __future__ import annotations

from collections.abc import Mapping


def smoothed(scores: Mapping[str, float], group: Mapping[str, str], weight: float, m: int) -> dict[str, float]:
    """Return S + weight · mean of the best m S of the group; `scores` are min-maxed, one without a group is alone."""
    low, high = min(scores.values()), max(scores.values())
    scaled = {docno: (score - low) / (high - low) if high > low else 1.0 for docno, score in scores.items()}
    found = {}
    for docno, score in scaled.items():
        own = group.get(docno) or docno
        members = sorted((s for other, s in scaled.items() if (group.get(other) or other) == own), reverse=True)
        found[docno] = score + weight * sum(members[:m]) / m
    return found
