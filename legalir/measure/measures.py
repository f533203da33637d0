"""The measures MultiHitRate, MultiMRR and MicroR [nitibench]: in the terms of ``ir_measures``, arithmetic, provider.

In formulas, ranks are 1-based, ``T`` is the set of relevant provisions of a query and ``R^k`` its top k.

MicroR is a micro-average, which needs numerators and denominators, but evaluation tools pass one float for each query
and measure, and average in two ways: ``ir_measures`` feeds the values to the measure's aggregator, whereas
``pt.Experiment`` adds them up and divides by the number of queries. A :class:`Share` is right in both:

- it is a float of value hits/relevant for significance tests, tables and CSV files;
- it gives its two counts to :class:`PooledAgg`;
- ``+`` pools the counts, so that the sum of n shares divided by n is Σhits/Σrelevant, exactly.

A share that has gone through numpy or a file is a float like any other, and the mean of such floats is the mean of the
recalls: take averages of MicroR from ``pt.Experiment`` or ``ir_measures``, not from a column of per-query values.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Self, SupportsFloat

import ir_measures
import numpy as np
import numpy.typing as npt
import pandas as pd
from ir_measures import Metric, providers
from ir_measures.measures import Measure, ParamInfo
from ir_measures.measures.base import Agg
from ir_measures.providers.base import NOT_PROVIDED, Any
from ir_measures.util import TYPE_QREL, TYPE_RUN, QrelsConverter, RunConverter

from legalir.errors import MeasureError
from legalir.storage.validity import names_version, provision_key


class Share(float):
    """`hits` of `relevant`, as a float; 0 of 0 is `empty`.

    ``+`` of shares gives their sum with the pooled counts and the number of shares; ``/`` of that sum by that number
    gives the pooled share. All other arithmetic uses floats.

    A value that may be undefined is a share, too: `value` of 1 where it is defined, 0 of 0 with `empty` NaN where it
    is not. The pooled share is the mean of the defined values.
    """

    hits: float
    relevant: float
    count: int
    empty: float
    __slots__ = ("count", "empty", "hits", "relevant")

    def __new__(
        cls, hits: float, relevant: float, count: int = 1, total: float | None = None, empty: float = 0.0
    ) -> Self:
        """Make the share of one query; `count` and `total` are for sums."""
        value = (hits / relevant if relevant else empty) if total is None else total
        share = super().__new__(cls, value)
        share.hits, share.relevant, share.count, share.empty = hits, relevant, count, empty
        return share

    def __getnewargs__(self) -> tuple[float, float, int, float, float]:  # type: ignore[override]
        return self.hits, self.relevant, self.count, float(self), self.empty

    def __add__(self, other: SupportsFloat) -> float:
        if isinstance(other, Share):
            return Share(
                self.hits + other.hits,
                self.relevant + other.relevant,
                self.count + other.count,
                float(self) + float(other),
                self.empty,
            )
        # Sums begin with the number 0.
        return self if other == 0 else float(self) + float(other)

    __radd__ = __add__

    def __truediv__(self, other: float) -> float:
        if other == self.count:
            return self.hits / self.relevant if self.relevant else self.empty
        return float(self) / other


class PooledAgg(Agg):
    """Aggregator of ``ir_measures`` that gives Σhits/Σrelevant; NaN without values, as the mean.

    Args:
        name: name of the measure, for messages.
        empty: the result where all shares are 0 of 0.
    """

    def __init__(self, name: str = "MicroR", empty: float = 0.0) -> None:
        self.name, self.empty = name, empty
        self.hits, self.relevant, self.count = 0.0, 0.0, 0

    def add(self, value: float) -> None:
        """Add the value of one query.

        Raises:
            MeasureError: the value is a plain number, which has no denominator.
        """
        if not isinstance(value, Share):
            raise MeasureError(
                f"{self.name} pools counts, such as hits and relevant documents, and got the number {value!r}: "
                f"compute it from judgements and run, with ir_measures or pt.Experiment."
            )
        self.hits += value.hits
        self.relevant += value.relevant
        self.count += 1

    def result(self) -> float:
        """Return the pooled share of the values."""
        if not self.count:
            return math.nan
        return self.hits / self.relevant if self.relevant else self.empty


_POSITIVE = range(1, 2**31)


def _parameters(*, cutoff_required: bool) -> dict[str, ParamInfo]:
    """Describe ``cutoff`` (k, number of results of each query that count) and ``rel`` (the lowest relevant label)."""
    cutoff = ParamInfo(  # type: ignore[no-untyped-call]
        dtype=int, required=cutoff_required, choices=_POSITIVE, desc="ranking cutoff threshold"
    )
    rel = ParamInfo(  # type: ignore[no-untyped-call]
        dtype=int, default=1, desc="minimum relevance score to be considered relevant (inclusive)"
    )
    return {"cutoff": cutoff, "rel": rel}


class _MicroR(Measure):
    """Σ|T∩R^k| / Σ|T| over queries [nitibench] (eq. 3 without its stray 1/N); of one query recall, a :class:`Share`."""

    __name__ = "MicroR"
    NAME = __name__
    PRETTY_NAME = "Micro-averaged Recall at k"
    SHORT_DESC = "The share of the relevant documents of all queries that is retrieved in their top k results."
    SUPPORTED_PARAMS = _parameters(cutoff_required=True)
    DEFAULT = Share(0, 0)

    def aggregator(self) -> PooledAgg:
        """Return the aggregator that sums hits and relevant documents before it divides."""
        return PooledAgg()


MicroR = _MicroR()  # type: ignore[no-untyped-call]


class _MultiHitRate(Measure):
    """1 if every relevant document of a query is in its top k, else 0 [nitibench] (MultiHR)."""

    __name__ = "MultiHitRate"
    NAME = __name__
    PRETTY_NAME = "Multi Hit Rate at k"
    SHORT_DESC = "An indicator if all relevant documents are retrieved in the top k results."
    SUPPORTED_PARAMS = _parameters(cutoff_required=True)


MultiHitRate = _MultiHitRate()  # type: ignore[no-untyped-call]


class _MultiMRR(Measure):
    """(1/|T|)·Σ_j 1/(r_j - j + 1), r_j the rank of the j-th relevant document within k [nitibench]."""

    __name__ = "MultiMRR"
    NAME = __name__
    PRETTY_NAME = "Multi Mean Reciprocal Rank"
    SHORT_DESC = "The reciprocal ranks of all relevant documents, each relieved of those ranked before it."
    SUPPORTED_PARAMS = _parameters(cutoff_required=False)


MultiMRR = _MultiMRR()  # type: ignore[no-untyped-call]


Ranks = npt.NDArray[np.int64]
"""Ranks of the relevant documents in a ranking, ascending."""


def hit_ranks(ranking: Sequence[str], relevant: AbstractSet[str]) -> Ranks:
    """Return the ranks in `ranking` (best first, already cut at k) of the documents in `relevant`."""
    return np.array([rank for rank, docno in enumerate(ranking, 1) if docno in relevant], dtype=np.int64)


def multi_hit_rate(ranks: Ranks, relevant: int) -> float:
    """Return 1 where T ⊆ R^k, else 0.

    Args:
        ranks: of the relevant documents within k.
        relevant: |T|; if it is 0 the value is 0, like recall.
    """
    return float(0 < relevant == len(ranks))


def multi_mrr(ranks: Ranks, relevant: int) -> float:
    """Return ``(1/|T|) · Σ_j 1/(r_j - j + 1)``, r_j the rank of the j-th relevant document within k.

    Relevant documents at earlier ranks do not count against a document (j - 1 is subtracted), so that a ranking that
    begins with all of T scores 1.

    Args:
        ranks: r_1 < r_2 < … .
        relevant: |T|; if it is 0, the value is 0.
    """
    if not relevant:
        return 0.0
    adjusted = ranks - np.arange(len(ranks))
    return float(np.sum(1.0 / adjusted) / relevant)


def chunk_hits(
    ranking: Sequence[str], covers: Mapping[str, Collection[str]], relevant: AbstractSet[str]
) -> tuple[Ranks, int]:
    """Return the ranks of the chunks that add relevant provisions, and the number of relevant provisions in them.

    A chunk may contain several provisions, and several chunks may contain the same provision; a chunk whose relevant
    provisions are in earlier chunks is not a hit. Ranks count chunks; recall counts provisions.

    Args:
        ranking: chunks, best first, already cut at k.
        covers: the provisions that each chunk contains; a missing chunk contains none.
        relevant: T, as provisions.
    """
    held: set[str] = set()
    ranks = []
    for rank, chunk in enumerate(ranking, 1):
        new = (relevant & set(covers.get(chunk, ()))) - held
        if new:
            ranks.append(rank)
            held |= new
    return np.array(ranks, dtype=np.int64), len(held)


def chunk_multi_mrr(ranks: Ranks, held: int, relevant: int) -> float:
    """Return MultiMRR over chunks: the mean over the hit chunks of ``1/(r_j - j + 1)``, times recall of provisions.

    This is the computation in the released code of [nitibench]. If each chunk is a provision, it equals
    :func:`multi_mrr`.

    Args:
        ranks: of the hit chunks, from :func:`chunk_hits`.
        held: number of relevant provisions in them.
        relevant: |T|; if it is 0, the value is 0.
    """
    return multi_mrr(ranks, len(ranks)) * held / relevant if relevant else 0.0


MEASURES: Mapping[str, Measure] = {str(measure.NAME): measure for measure in (MultiHitRate, MultiMRR, MicroR)}
"""The measures of rankings by name."""

_ANY = Any()  # type: ignore[no-untyped-call]
_SUPPORTED = [measure(cutoff=_ANY, rel=_ANY) for measure in MEASURES.values()]

_FORMULAS: dict[str | None, Callable[[Ranks, int], float]] = {
    MultiHitRate.NAME: multi_hit_rate,
    MultiMRR.NAME: multi_mrr,
    MicroR.NAME: lambda ranks, relevant: Share(len(ranks), relevant),
}


class StatuteProvider(providers.Provider):
    """Computes MultiHitRate, MultiMRR and MicroR.

    Runs are ranked as trec_eval ranks them [pytrec-eval], so that one table has one order: by score in single
    precision, descending, then by document id, descending. The ranks of a run do not reach the providers of
    ``ir_measures``. Every judged query yields one value for each measure, 0 if the run has nothing for it; queries
    without judgements yield nothing.
    """

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


def of_evaluator(measure: Measure) -> bool:
    """Return True if an evaluator that ir_measures calls computes a measure: some read only numbers as qids.

    All other measures, such as those of plugins, get the qids, docnos and scores of the run.
    """
    inner = getattr(measure, "measure", measure)  # Over chunks.
    able = next((one for one in ir_measures.DefaultPipeline.providers if one.supports(inner)), None)
    return able is not None and type(able).__module__.startswith("ir_measures.") and able.NAME != "runtime"


def register(provider: providers.Provider, measures: Mapping[str, Measure]) -> None:
    """Register measures and their provider with ``ir_measures``; a second call changes nothing."""
    ir_measures.measures.registry.update(measures)
    providers.registry[provider.NAME] = provider
    listed = {other.NAME: other for other in ir_measures.DefaultPipeline.providers}
    ir_measures.DefaultPipeline.providers = list({**listed, provider.NAME: provider}.values())


_LISTS = ("citations", "context_docnos")


def judged_names(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Return a run in which versions have the names used in the judgements; a run without versions is unchanged.

    A judgement may name a version, ``key@YYYY-MM-DD``, or a provision by its key. A retrieved version counts for the
    judgement of its docno; without one, for the judgement of its key. So a judged version is matched by that version
    alone, and a judged key by any version of the provision; the first of them counts, if a list has several.

    Args:
        run: ``qid`` and, of ranked lists, ``docno, rank``; of answers, ``citations`` and ``context_docnos``. Of several
            rows of a query that get the same name, the row with the best rank is kept, and ranks are renumbered.
        qrels: ``qid, docno``.
    """
    judged = set(zip(qrels["qid"], qrels["docno"], strict=True))

    def name(qid: str, docno: str) -> str:
        key = provision_key(docno)
        return key if (qid, docno) not in judged and (qid, key) in judged else docno

    def names(qid: str, docnos: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name(qid, docno) for docno in docnos))

    columns = [column for column in _LISTS if column in run.columns]
    if columns:
        changed = {
            column: [names(qid, docnos) for qid, docnos in zip(run["qid"], run[column], strict=True)]
            for column in columns
        }
        return run.assign(**{column: pd.Series(values, index=run.index) for column, values in changed.items()})
    if "docno" not in run.columns or not any(map(names_version, run["docno"].unique())):
        return run
    named = run.assign(docno=[name(qid, docno) for qid, docno in zip(run["qid"], run["docno"], strict=True)])
    kept = named.sort_values("rank", kind="stable").drop_duplicates(["qid", "docno"]).sort_index()
    return kept.assign(rank=kept.groupby("qid")["rank"].rank(method="first").astype(int) - 1).reset_index(drop=True)
