"""Labels for questions that have none: candidates by a retriever, positives by a reranker.

Source: the labels that BGE-M3 is fine-tuned on without people [nitibench].
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from legalir import Collection
from legalir.errors import ComponentError, DataError
from legalir_study.items import Row, Sieve
from legalir_study.split import Synthesis

NO_POSITIVE = "no positive"
"""Reason of a question that is dropped because no candidate is a positive."""


def positives_of(results: pd.DataFrame, threshold: float | None, top: int | None) -> dict[str, list[str]]:
    """Return the positives of each question, best first: results with a score and a rank that are good enough.

    Args:
        results: ``qid, docno, score, rank``.
        threshold: lowest score of a positive; None for no limit.
        top: number of results that may be positives; None for no limit.

    Raises:
        ComponentError: there is no limit, or `top` is less than 1.
    """
    if threshold is None and top is None:
        raise ComponentError("labels: give --threshold, the lowest score of a positive, or --top, or both.")
    if top is not None and top < 1:
        raise ComponentError(f"labels: top={top} is not a positive integer.")
    good = results.sort_values(["qid", "rank"], kind="stable")
    if threshold is not None:
        good = good[good["score"] >= threshold]
    if top is not None:
        good = good[good["rank"] < top]
    return {str(qid): docnos.tolist() for qid, docnos in good.groupby("qid", sort=False)["docno"]}


def questions_of(collection: Collection) -> list[Row]:
    """Return the questions of a collection as rows of a query file.

    Raises:
        DataError: it has none.
    """
    source = collection.source
    rows = [dict(row) for row in source.queries()] if source.has_topics() else []
    if not rows:
        splits = ", ".join(f"{source.base_id}/{split}" for split in source.splits)
        raise DataError(f"{source.id} has no questions{f': use one of {splits}' if splits else ''}.")
    return rows


def synthesize_labels(
    collection: Collection,
    positives: str | None = None,
    *,
    candidates: str = "default % 20",
    threshold: float | None = None,
    top: int | None = None,
) -> Synthesis:
    """Label provisions as right for the questions of a collection.

    A question without a positive is dropped.

    Args:
        collection: the collection, with questions.
        positives: a reranker as an expression, such as ``rerank("…")`` or ``listwise``; None for the order and the
            scores of the candidates.
        candidates: a retriever as an expression.
        threshold: lowest score of a positive, in the scores of the reranker; a listwise judge gives ranks alone, so
            take `top` for it.
        top: number of results that may be positives.

    Raises:
        ComponentError: there is neither a threshold nor a top, or the pipeline gives no ranked list.
        DataError: there are no questions.
        ExpressionError: an expression cannot be read.
    """
    expression = f"({candidates}) >> ({positives})" if positives else candidates
    positives_of(pd.DataFrame(columns=["qid", "docno", "score", "rank"]), threshold, top)  # Find faults at once.
    rows = questions_of(collection)
    pipeline = collection.pipeline(expression)
    results = pipeline.transform(pd.DataFrame({name: [row[name] for row in rows] for name in ("qid", "query")}))
    if missing := [name for name in ("docno", "score", "rank") if name not in results.columns]:
        raise ComponentError(f"labels: {expression!r} gives no {missing[0]}: it must end in a retriever or reranker.")
    labels = positives_of(results, threshold, top)
    sieve = Sieve(rows)
    sieve.drop(NO_POSITIVE, {row["qid"]: "" for row in rows if row["qid"] not in labels})
    models = sorted(collection.client.usage.models)
    return Synthesis(
        sieve.kept,
        sieve.dropped,
        {
            "kind": "labels",
            "model": ", ".join(models) or None,
            "settings": {"candidates": candidates, "positives": positives, "threshold": threshold, "top": top},
            "dropped": sieve.counts(),
            "report": {"labels": sum(map(len, labels.values())), "per question": _mean(list(labels.values()))},
        },
        labels,
    )


def _mean(lists: Sequence[Sequence[str]]) -> float:
    return round(sum(map(len, lists)) / len(lists), 2) if lists else 0.0
