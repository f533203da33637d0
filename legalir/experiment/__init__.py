"""Experiments: a YAML file becomes runs, and runs become a table, a report and a comparison.

``legalir.experiment(definition)`` and ``legalir.experiment.run(definition)`` are one function.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from os import PathLike
from types import ModuleType

from legalir.experiment.definition.definition import Definition, Reference
from legalir.experiment.report.compare import Comparison, compare, read_expected, write_expected
from legalir.experiment.report.result import ExperimentResult
from legalir.experiment.runner import experiment, run, run_all

__all__ = [
    "Comparison",
    "Definition",
    "ExperimentResult",
    "Reference",
    "compare",
    "experiment",
    "read_expected",
    "run",
    "run_all",
    "write_expected",
]


class _CallableModule(ModuleType):
    """This package, which can be called as the function that it is named after."""

    def __call__(
        self,
        definition: Definition | Mapping[str, object] | str | PathLike[str],
        out: str | PathLike[str] | None = None,
        *,
        dataset: str | None = None,
        values: Mapping[str, object] | None = None,
        latency_queries: int = 200,
    ) -> ExperimentResult:
        """Call :func:`run`."""
        return run(definition, out, dataset=dataset, values=values, latency_queries=latency_queries)


# An import of any module in here binds the name legalir.experiment to this package, so it has to be both.
sys.modules[__name__].__class__ = _CallableModule
