"""The ``ir_measures`` provider that computes our measures.

Runs are ranked as trec_eval ranks them [pytrec-eval], so that one table has one order: by score in single precision,
descending, then by document id, descending. The ranks of a run do not reach the providers of ``ir_measures``. Every
judged query yields one value for each measure, 0 if the run has nothing for it; queries without judgements yield
nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping

import ir_measures
import numpy as np
from ir_measures import Metric, providers
from ir_measures.measures import Measure
from ir_measures.providers.base import NOT_PROVIDED, Any
from ir_measures.util import TYPE_QREL, TYPE_RUN, QrelsConverter, RunConverter

from legalir.measure.arithmetic import Ranks, hit_ranks, multi_hit_rate, multi_mrr
from legalir.measure.measures import MicroR, MultiHitRate, MultiMRR, Share

_MEASURES = (MultiHitRate, MultiMRR, MicroR)

_ANY = Any()  # type: ignore[no-untyped-call]
_SUPPORTED = [measure(cutoff=_ANY, rel=_ANY) for measure in _MEASURES]

_FORMULAS: dict[str | None, Callable[[Ranks, int], float]] = {
    MultiHitRate.NAME: multi_hit_rate,
    MultiMRR.NAME: multi_mrr,
    MicroR.NAME: lambda ranks, relevant: Share(len(ranks), relevant),
}


class StatuteProvider(providers.Provider):
    """Computes MultiHitRate, MultiMRR and MicroR."""

    NAME = "legalir"
    SUPPORTED_MEASURES = _SUPPORTED

    def _evaluator(self, measures: Iterable[Measure], qrels: TYPE_QREL) -> StatuteEvaluator:
        by_query = QrelsConverter(qrels).as_dict_of_dict()  # type: ignore[no-untyped-call]
        return StatuteEvaluator(measures, by_query)


class StatuteEvaluator(providers.Evaluator):
    """Scores runs against one set of judgements.

    Args:
        measures: what to compute.
        qrels: relevance by query and document.

    Raises:
        ValueError: a measure that is not ours.
    """

    def __init__(self, measures: Iterable[Measure], qrels: Mapping[str, Mapping[str, int]]) -> None:
        measures = list(measures)
        super().__init__(measures, set(qrels))
        foreign = [measure for measure in measures if measure.NAME not in _FORMULAS]
        if foreign:
            raise ValueError(f"unsupported measures {foreign}")
        self._qrels = qrels

    def _iter_calc(self, run: TYPE_RUN) -> Iterator[Metric]:
        results = RunConverter(run).as_dict_of_dict()  # type: ignore[no-untyped-call]
        cutoffs = [measure["cutoff"] for measure in self.measures]
        depth = None if NOT_PROVIDED in cutoffs else max(cutoffs, default=0)
        for qid, judged in self._qrels.items():
            ranking = ranked(results.get(qid, {}), depth)
            for measure, cutoff in zip(self.measures, cutoffs, strict=True):
                relevant = {docno for docno, label in judged.items() if label >= measure["rel"]}
                top = ranking if cutoff is NOT_PROVIDED else ranking[:cutoff]
                value = _FORMULAS[measure.NAME](hit_ranks(top, relevant), len(relevant))
                yield Metric(query_id=qid, measure=measure, value=value)


def ranked(scores: Mapping[str, float], depth: int | None = None) -> list[str]:
    """Return the best `depth` documents, or all, in the order of trec_eval."""
    with np.errstate(over="ignore"):
        singles = np.fromiter(scores.values(), np.float64, len(scores)).astype(np.float32).tolist()
    pairs = zip(singles, scores, strict=True)
    best = sorted(pairs, reverse=True) if depth is None else heapq.nlargest(depth, pairs)
    return [docno for _, docno in best]


def register() -> None:
    """Register the measures and their provider with ``ir_measures``; a second call changes nothing."""
    for measure in _MEASURES:
        ir_measures.measures.registry[str(measure.NAME)] = measure
    provider = StatuteProvider()  # type: ignore[no-untyped-call]
    providers.registry[provider.NAME] = provider
    listed = {other.NAME: other for other in ir_measures.DefaultPipeline.providers}
    ir_measures.DefaultPipeline.providers = list({**listed, provider.NAME: provider}.values())
