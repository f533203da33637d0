"""The ``ir_measures`` provider that computes the measures of answers."""

from __future__ import annotations

from collections.abc import Iterable

import ir_measures
from ir_measures import providers
from ir_measures.measures import Measure
from ir_measures.util import TYPE_QREL, QrelsConverter

from legalir.measure.answers import ALIASES, MEASURES, AnswerMeasure

_SUPPORTED: list[Measure] = list(MEASURES.values())


class AnswerProvider(providers.Provider):
    """Computes the measures of answers."""

    NAME = "legalir-answers"
    SUPPORTED_MEASURES = _SUPPORTED

    def _evaluator(self, measures: Iterable[Measure], qrels: TYPE_QREL) -> providers.Evaluator:
        # Imported here: PyTerrier imports ir_measures, which imports this, and the evaluator needs PyTerrier.
        from legalir.measure.scoring import AnswerEvaluator

        by_query = QrelsConverter(qrels).as_dict_of_dict()  # type: ignore[no-untyped-call]
        return AnswerEvaluator(measures, by_query)

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        """Return the columns that the measures need."""
        kinds = [measure.kind for measure in measures if isinstance(measure, AnswerMeasure)]
        return list(dict.fromkeys(["query_id", *(column for kind in kinds for column in kind.columns)]))


def register() -> None:
    """Register the measures and their provider with ``ir_measures``; a second call changes nothing."""
    ir_measures.measures.registry.update({**MEASURES, **ALIASES})
    provider = AnswerProvider()  # type: ignore[no-untyped-call]
    providers.registry[provider.NAME] = provider
    listed = {other.NAME: other for other in ir_measures.DefaultPipeline.providers}
    ir_measures.DefaultPipeline.providers = list({**listed, provider.NAME: provider}.values())
