"""Why a document has its score: contributions that add up to it, followed back through a pipeline.

An :class:`Explanation` says of one document what its score consists of; each :class:`Part` may say where it comes from
by an explanation of its own. A component takes part by a method ``explain`` (:class:`Explainable`); what has none is
one part, the score it gave.
"""

from __future__ import annotations

from legalir.explanation.parts import Explanation, Part, origin
from legalir.explanation.steps import (
    Explainable,
    Upstream,
    explain,
    explain_step,
    label_of,
    no_upstream,
    result_scores,
)

__all__ = [
    "Explainable",
    "Explanation",
    "Part",
    "Upstream",
    "explain",
    "explain_step",
    "label_of",
    "no_upstream",
    "origin",
    "result_scores",
]
