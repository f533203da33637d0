"""Evaluation of answers: citations, choices, overlap with a reference, verdicts of judges, agreement, confidence.

Importing this registers the measures of answers with ``ir_measures``: :mod:`legalir.evaluate.measures`.
"""

from legalir.evaluate.provider import register

register()
