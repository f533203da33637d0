"""Measures of rankings of chunks, with judgements of provisions, each by one of three rules.

The released code of [nitibench] has rules for recall, hit rates, MRR, MultiMRR and precision; the other rules are ours.
A mapping gives the provisions that each chunk contains; parts of provisions count only if the mapping has them.

==========  ==========================================  ========================================================
rule        measures                                    what is counted
==========  ==========================================  ========================================================
`CHUNKS`    RR, Success, P, MultiMRR                    k counts chunks; a chunk is relevant if it contains a relevant
                                                        provision that no earlier chunk contains
`HELD`      R, MicroR, MultiHitRate                     k counts chunks; the provisions that they contain are counted
`LISTED`    all others, such as nDCG and AP             k counts provisions: each chunk is replaced by the provisions
                                                        that it holds and that no chunk before it holds
==========  ==========================================  ========================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import ir_measures
from ir_measures import Metric, providers
from ir_measures.measures import Measure
from ir_measures.measures.base import Agg
from ir_measures.util import TYPE_QREL, TYPE_RUN, QrelsConverter, RunConverter

from legalir.measure.measures import chunk_hits, chunk_multi_mrr, ranked

CHUNKS, HELD, LISTED = "chunks", "provisions of the first k chunks", "provisions in order"
"""The rules."""

_RULES = dict.fromkeys(("RR", "Success", "P", "MultiMRR"), CHUNKS) | dict.fromkeys(
    ("R", "MicroR", "MultiHitRate"), HELD
)
_NOTHING, _UNFOUND = " ", "  "
"""Stand-ins for the document of an empty run, and for a document that no run finds; no docno is white space."""

_Labels = Mapping[str, Mapping[str, int]]
_Run = Mapping[str, Sequence[str]]

Covers = Mapping[str, Sequence[str]]
"""The provisions of each chunk, in reading order. A document that is not in it is a provision itself."""


def rule_of(measure: Measure) -> str:
    """Return the rule by which a measure of rankings counts chunks."""
    return _RULES.get(str(measure.NAME), LISTED)


def over_chunks(measures: Iterable[Measure], covers: Covers) -> list[Measure]:
    """Return measures that read rankings of chunks and judgements of provisions.

    They can be used like any measure: ``pt.Experiment(systems, topics, qrels, over_chunks([R @ 10], covers))``.

    Args:
        measures: measures of rankings.
        covers: the provisions of each chunk: ``dataset.chunks.provisions()``.
    """
    return [ChunkMeasure(measure, covers) for measure in measures]


class ChunkMeasure(Measure):
    """A measure that reads rankings of chunks; it is written as the measure that it computes.

    Args:
        measure: the measure.
        covers: the provisions of each chunk.
    """

    def __init__(self, measure: Measure, covers: Covers) -> None:
        super().__init__(**measure.params)  # type: ignore[no-untyped-call]
        self.measure, self.covers = measure, covers
        self.NAME = f"{measure.NAME} of chunks"
        self.__name__ = getattr(measure, "__name__", str(measure.NAME))
        self.SUPPORTED_PARAMS, self.DEFAULT = measure.SUPPORTED_PARAMS, measure.DEFAULT

    def __call__(self, **params: Any) -> ChunkMeasure:
        """Return the same measure with other values of parameters."""
        return ChunkMeasure(self.measure(**params), self.covers)

    def aggregator(self) -> Agg:
        """Return the aggregator of the measure."""
        return self.measure.aggregator()

    def inner(self, qrels: _Labels, run: _Run) -> Iterator[tuple[str, float]]:
        """Yield the value of each judged query.

        Args:
            qrels: label by query and provision.
            run: chunks by query, best first.
        """
        rule, cutoff = rule_of(self.measure), self.params.get("cutoff")
        cut = {qid: chunks[:cutoff] for qid, chunks in run.items()}
        if self.measure.NAME == "MultiMRR":
            for qid, labels in qrels.items():
                relevant = {docno for docno, label in labels.items() if label >= self.measure["rel"]}
                chunks = cut.get(qid, ())
                ranks, held = chunk_hits(chunks, {chunk: self._held(chunk) for chunk in chunks}, relevant)
                yield qid, chunk_multi_mrr(ranks, held, len(relevant))
            return
        measure = self.measure
        if rule is CHUNKS:
            qrels = {qid: self._judged(labels, cut.get(qid, ())) for qid, labels in qrels.items()}
        else:
            run = {qid: self._flat(chunks) for qid, chunks in (cut if rule is HELD else run).items()}
            if rule is HELD and cutoff is not None:
                measure = measure(cutoff=max(map(len, run.values()), default=1) or 1)
        scores = {qid: {docno: -float(rank) for rank, docno in enumerate(docnos)} for qid, docnos in run.items()}
        # Some evaluators refuse an empty run.
        scores = {qid: of or {_NOTHING: 0.0} for qid, of in scores.items()} or {next(iter(qrels), ""): {_NOTHING: 0.0}}
        for metric in ir_measures.iter_calc([measure], {qid: dict(labels) for qid, labels in qrels.items()}, scores):
            yield metric.query_id, metric.value

    def _judged(self, labels: Mapping[str, int], chunks: Sequence[str]) -> dict[str, int]:
        """Return the labels of the chunks that add judged provisions: the highest of these."""
        out: dict[str, int] = {_UNFOUND: max(labels.values(), default=0)}
        held: set[str] = set()
        for chunk in chunks:
            new = [docno for docno in self._held(chunk) if labels.get(docno, 0) > 0 and docno not in held]
            held.update(new)
            if new:
                out[chunk] = max(labels[docno] for docno in new)
        return out

    def _flat(self, chunks: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(docno for chunk in chunks for docno in self._held(chunk)))

    def _held(self, chunk: str) -> Sequence[str]:
        return self.covers.get(chunk, (chunk,))


class ChunkProvider(providers.Provider):
    """Computes the measures of :func:`over_chunks`."""

    NAME = "legalir-chunks"

    def supports(self, measure: Measure) -> bool:
        """Return True if a measure reads chunks."""
        return isinstance(measure, ChunkMeasure)

    def _evaluator(self, measures: Iterable[Measure], qrels: TYPE_QREL) -> providers.Evaluator:
        return _ChunkEvaluator(measures, QrelsConverter(qrels).as_dict_of_dict())  # type: ignore[no-untyped-call]


class _ChunkEvaluator(providers.Evaluator):
    def __init__(self, measures: Iterable[Measure], qrels: _Labels) -> None:
        self._measures = [measure for measure in measures if isinstance(measure, ChunkMeasure)]
        super().__init__(self._measures, set(qrels))
        self._qrels = qrels

    def _iter_calc(self, run: TYPE_RUN) -> Iterator[Metric]:
        results = RunConverter(run).as_dict_of_dict()  # type: ignore[no-untyped-call]
        lists = {qid: ranked(of) for qid, of in results.items()}
        for measure in self._measures:
            for qid, value in measure.inner(self._qrels, lists):
                yield Metric(query_id=qid, measure=measure, value=value)
