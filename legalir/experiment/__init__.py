"""Experiments: a definition becomes runs, and runs become a table, a report and a comparison.

``legalir.experiment(definition)`` and ``legalir.experiment.run(definition)`` are one function.
"""

from __future__ import annotations

import sys
from types import ModuleType

from legalir.experiment.definition.definition import Definition, Reference
from legalir.experiment.report.compare import Comparison, compare, read_expected, write_expected
from legalir.experiment.report.result import ExperimentResult
from legalir.experiment.report.several import ExperimentResults
from legalir.experiment.runner import experiment, run, run_all

__all__ = [
    "Comparison",
    "Definition",
    "ExperimentResult",
    "ExperimentResults",
    "Reference",
    "compare",
    "experiment",
    "read_expected",
    "run",
    "run_all",
    "write_expected",
]


class _CallableModule(ModuleType):
    """This package as a module that can be called."""

    __call__ = staticmethod(run)


# Importing a module of this package binds the name legalir.experiment to the package, so it must be callable, too.
sys.modules[__name__].__class__ = _CallableModule
