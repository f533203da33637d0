"""Experiments: a definition becomes runs, and runs become a table, a report and a comparison.

``legalir.experiment(definition)`` is :func:`run`.
"""

from legalir.experiments.compare import Comparison, compare, read_expected, write_expected
from legalir.experiments.definition import Definition, PublishedRow
from legalir.experiments.experiment import run, run_all
from legalir.experiments.result import ExperimentResult, ExperimentResults

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
