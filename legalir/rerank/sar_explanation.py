"""Why SAR gave a provision its score: S, and one bonus for each seed that cites it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from legalir.explanation import Explanation, Part, Upstream, explain_step, label_of
from legalir.rerank.sar_candidates import Candidates

if TYPE_CHECKING:
    from legalir.rerank.sar import SAR

__all__ = ["explanation_of"]

_VERB = {"out": "cites", "in": "is cited by", "both": "is linked with"}


def explanation_of(sar: SAR, found: Candidates, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
    """Return the explanations of those of `docnos` that are candidates of the one query in `found`."""
    place = {docno: number for number, docno in enumerate(found.docno.tolist())}
    chosen = {docno: place[docno] for docno in docnos if docno in place}
    origins = upstream([docno for docno, number in chosen.items() if found.row[number] >= 0])
    origins |= _scored(sar, found, [docno for docno, number in chosen.items() if found.row[number] < 0])
    out = {}
    for docno, number in chosen.items():
        parts = [_first(sar, found, number, origins.get(docno))]
        if found.frozen[number]:
            parts.append(Part(f"kept on top (freeze={sar.freeze})", float(found.lift[number])))
        else:
            parts += _bonuses(sar, found, number)
        out[docno] = Explanation(docno, float(found.final[number]), "SAR", tuple(parts), _note(sar))
    return out


def _note(sar: SAR) -> str:
    scorer = "0" if sar.pair_scorer is None else f"by {label_of(sar.pair_scorer)}"
    scale = "" if sar.normalize is None else f"; scores in [0, 1] by {sar.normalize}"
    return f"S + β·B·(1 − S), β={sar.beta:g}, k={sar.k}; S of what the list lacks: {scorer}{scale}"


def _scored(sar: SAR, found: Candidates, docnos: list[str]) -> dict[str, Explanation]:
    """Return the scorer's explanations of what the list lacks."""
    if sar.pair_scorer is None or not docnos:
        return {}
    asked = found.lists.queries.iloc[np.zeros(len(docnos), dtype=int)].reset_index(drop=True).assign(docno=docnos)
    return explain_step(sar.pair_scorer, asked, docnos)


def _first(sar: SAR, found: Candidates, number: int, origin: Explanation | None) -> Part:
    row = found.row[number]
    base, raw = float(found.base[number]), float(found.raw[number])
    detail: dict[str, object] = {"S": base, "raw": raw}
    if row >= 0:
        detail["rank"] = int(found.lists.rank[row])
        label = f"S at rank {detail['rank']} of the list"
    else:
        label = "S, not in the list" if sar.pair_scorer is None else "S by the scorer, not in the list"
    if sar.normalize is not None and (row >= 0 or sar.pair_scorer is not None):
        label += f" ({raw:.4g} by {sar.normalize})"
    return Part(label, base, origin, detail)


def _bonuses(sar: SAR, found: Candidates, number: int) -> list[Part]:
    graph, lists, steps = sar.graph, found.lists, found.steps
    node = int(graph.numbers([found.docno[number]])[0])
    links = graph.adjacency(sar.direction)
    out = []
    for step in np.flatnonzero(steps.key == node).tolist() if node >= 0 else []:
        seed = int(found.seeds[steps.seed[step]])
        docno, rank, score = str(lists.docno[seed]), int(lists.rank[seed]), _base_of(found, seed)
        share = float(steps.share[step])
        detail = {
            "seed": docno,
            "rank": rank,
            "S": score,
            "share": share,
            "direction": sar.direction,
            "kind": graph.kinds[int(links.kinds[steps.link[step]])],
        }
        label = f"seed {docno} (rank {rank}, S={score:.4f}) {_VERB[sar.direction]} {found.docno[number]}"
        out.append(Part(label, sar.beta * share * (1 - float(found.base[number])), None, detail))
    return out


def _base_of(found: Candidates, row: int) -> float:
    return float(found.base[np.flatnonzero(found.row == row)[0]])
