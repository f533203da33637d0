"""The weight of a static model in ``default``, chosen on judged questions that its training has not seen.

How good a model is, without and with the other lists, depends on how many of the provisions that are asked for it has
seen as right ones; a model of judgements may have any weight from 0 to 0.9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.dense.static import StaticEncoder
from legalir.dense.static_model import StaticModel
from legalir.fuse.linear import LinearFusion
from legalir.pipeline.default import DefaultSettings, fit_terms
from legalir.rewrite.focus import Focus
from legalir.train.material import HeldOut, measures_of

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9)
"""Weights that are tried."""

_MEASURE = "nDCG@10"


def measure_weight(
    collection: Collection, model: StaticModel, held_out: HeldOut, docnos: Sequence[str]
) -> dict[str, Any]:
    """Return the weight with the best mean nDCG@10 (binary), the smallest of equals, and what it is chosen from.

    Each list is computed once. The settings are those that ``default`` has without ``tuned.yaml``.

    Args:
        collection: to search in.
        model: the stored model.
        held_out: the questions.
        docnos: of the provisions, by document number.

    Returns:
        JSON values: ``weight``; ``questions``, their number; ``nDCG@10``, the mean of each weight as a share; ``seen``,
        the share of their right provisions that training has seen.
    """
    topics = pd.DataFrame({"qid": [str(number) for number in range(len(held_out.texts))], "query": held_out.texts})
    numbers = {docno: number for number, docno in enumerate(docnos)}
    means = {}
    for weight, results in _results(collection, model, topics):
        best = {qid: np.array([numbers[docno] for docno in of]) for qid, of in results.groupby("qid")["docno"]}
        values = [measures_of(best[qid], held_out.gold.of(int(qid)))[1] for qid in topics["qid"] if qid in best]
        means[f"{weight:g}"] = round(sum(values) / len(topics), 6)
    return {
        "weight": float(max(means, key=means.__getitem__)),
        "questions": len(topics),
        _MEASURE: means,
        "seen": round(held_out.seen, 4),
    }


def _results(collection: Collection, model: StaticModel, topics: pd.DataFrame) -> Iterator[tuple[float, pd.DataFrame]]:
    """Yield each weight with the first ten results of ``default``."""
    terms = fit_terms(collection).settings
    pipelines = [collection.pipeline(expression) for expression, _, _ in terms.lists()]
    retriever = collection.dense(StaticEncoder(model)).retriever(num_results=100)
    pipelines.append(Focus(times=max(1, terms.focus)) >> retriever)
    columns = ["qid", "docno", "score", "rank"]
    lists = [pt.Transformer.from_df(pipeline.transform(topics)[columns]) for pipeline in pipelines]
    for weight in WEIGHTS:
        settings = DefaultSettings.parse({**terms.model_dump(), "model": weight})
        _, weights, normalize = zip(*settings.lists(), strict=True)
        fused = LinearFusion(*lists[: len(weights)], weights=weights, normalize=normalize, num_results=10)
        yield weight, fused.transform(topics)


def sentence(measured: Mapping[str, Any]) -> str:
    """Return what :func:`measure_weight` found, for people."""
    values = {float(weight): 100 * value for weight, value in measured[_MEASURE].items()}
    weight, without = measured["weight"], values[0.0]
    found = f"weight {weight:g} in default is best: {_MEASURE} {values[weight]:.1f}, without the model {without:.1f}"
    if not weight:
        others = [(value, other) for other, value in values.items() if other]
        value, other = max(others)
        found = f"default is best without the model: {_MEASURE} {without:.1f}, with weight {other:g} {value:.1f}"
    return (
        f"On {measured['questions']} questions that training had not seen, {found}; {100 * measured['seen']:.0f} % of "
        f"their provisions were seen in training."
    )
