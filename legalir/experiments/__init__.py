"""Experiments: a definition becomes runs, and runs become a table, a report and a comparison.

``legalir.experiment(definition)`` is :func:`run`.
"""

from legalir.experiments.definition import Definition, PublishedRow
from legalir.experiments.experiment import run, run_all
from legalir.experiments.result import (
    Comparison,
    ExperimentResult,
    ExperimentResults,
    compare,
    read_expected,
    write_expected,
)

__all__ = [
    "Comparison",
    "Definition",
    "ExperimentResult",
    "ExperimentResults",
    "PublishedRow",
    "compare",
    "read_expected",
    "run",
    "run_all",
    "write_expected",
]
