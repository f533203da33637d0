"""Parameters that the measures share, in the terms of ``ir_measures``."""

from __future__ import annotations

from ir_measures.measures import ParamInfo

__all__ = ["parameters"]

_POSITIVE = range(1, 2**31)


def parameters(*, cutoff_required: bool) -> dict[str, ParamInfo]:
    """Describe ``cutoff`` (k, results counted a query) and ``rel`` (the least relevant judgement)."""
    cutoff = ParamInfo(  # type: ignore[no-untyped-call]
        dtype=int, required=cutoff_required, choices=_POSITIVE, desc="ranking cutoff threshold"
    )
    rel = ParamInfo(  # type: ignore[no-untyped-call]
        dtype=int, default=1, desc="minimum relevance score to be considered relevant (inclusive)"
    )
    return {"cutoff": cutoff, "rel": rel}
