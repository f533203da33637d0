"""Why a cross-encoder's score is what it is: the window that was read, and the score that it replaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from legalir.columns import rank_results
from legalir.explanation import Explanation, Part, Upstream
from legalir.rerank.cross_encoder.passages import Pair, whole
from legalir.rerank.cross_encoder.score_cache import Best

if TYPE_CHECKING:
    from legalir.rerank.cross_encoder.reranker import CrossEncoderReranker

__all__ = ["explained"]

_SHOWN = 40
"""Characters of a window that a label shows."""


def explained(
    reranker: CrossEncoderReranker, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream
) -> dict[str, Explanation]:
    """Return the explanations of those of `docnos` that are in `inp`, the list of one query."""
    rows = inp[inp["docno"].isin(list(docnos))].reset_index(drop=True)
    if rows.empty:
        return {}
    before = _before(inp)
    pairs = reranker.pairs(rows)
    best = reranker.best(pairs)
    scores = reranker.scores(best)
    known = {docno: number for number, docno in enumerate(rows["docno"].tolist())}
    wanted = [docno for docno in docnos if docno in known]
    origins = upstream(wanted)
    found = {}
    for docno in wanted:
        number = known[docno]
        score = float(scores[number])
        parts = [_read(reranker, pairs[number], best[number], score)]
        if docno in before:
            rank, earlier = before[docno]
            detail = {"rank": rank, "score": earlier}
            parts.append(Part(f"rank {rank} before ({earlier:.4g}), replaced", 0.0, origins.get(docno), detail))
        found[docno] = Explanation(docno, score, reranker.label, tuple(parts))
    return found


def _before(inp: pd.DataFrame) -> dict[str, tuple[int, float]]:
    """Return rank, from 1, and score that each document comes with; nothing where the list has no scores."""
    if "score" not in inp.columns:
        return {}
    ranked = rank_results(inp)
    scores = ranked["score"].astype(float).tolist()
    return {docno: (number, scores[number - 1]) for number, docno in enumerate(ranked["docno"].tolist(), start=1)}


def _read(reranker: CrossEncoderReranker, pair: Pair, best: Best, score: float) -> Part:
    detail: dict[str, object] = {"logit": best.logit, "window": best.window + 1, "windows": best.windows}
    made = f" (logit {best.logit:.4g})" if reranker.activation == "sigmoid" else ""
    if best.windows == 1:
        return Part(f"question and provision read together{made}", score, None, detail)
    text = whole(*pair[1:])
    ends = reranker.loaded.ends(text)[best.first : best.last]
    first, last = int(ends[0, 0]), int(ends[-1, 1])
    detail |= {"from": first, "to": last}
    shown = " ".join(text[first:last].split())
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
    return Part(f"best window, {best.window + 1} of {best.windows}{made}: “{shown}”", score, None, detail)
