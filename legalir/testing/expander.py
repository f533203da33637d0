"""Checks of an expander: it brings in more documents, or rewrites questions.

Which of the two it is, it shows: given a frame of questions, one that rewrites returns no docno. One that rewrites
questions with the help of results returns none, either. Checks of results do not apply to it.
"""

from __future__ import annotations

from legalir.testing.checks import Failed, NotApplicable, checks_of
from legalir.testing.construction import construction
from legalir.testing.frames import FRAME_CHECKS, without_left
from legalir.testing.fresh import PROCESS_CHECKS
from legalir.testing.invariance import INVARIANCE_CHECKS, UNEXPECTED_CHECKS
from legalir.testing.results import RESULT_CHECKS
from legalir.testing.trial import Trial

__all__ = ["CHECKS"]


def rewritten_queries(trial: Trial) -> None:
    """What rewrites questions gives each of them once, as a string."""
    ran = trial.ran()
    if "docno" in ran.out:
        raise NotApplicable("it gives results, not questions")
    given = ran.inp["qid"].drop_duplicates().tolist()
    if ran.out["qid"].tolist() != given:
        raise Failed(f"of {len(given)} questions, {len(ran.out)} rows came: return one row a question, in their order.")
    for qid, query in zip(ran.out["qid"], ran.out["query"], strict=True):
        if not isinstance(query, str):
            raise Failed(f"the rewritten question {qid!r} is {query!r}: make it a string.")


CHECKS = checks_of(
    construction,
    *PROCESS_CHECKS,
    *FRAME_CHECKS,
    without_left,
    *RESULT_CHECKS,
    *INVARIANCE_CHECKS,
    *UNEXPECTED_CHECKS,
    rewritten_queries,
)
"""All of them, in the order in which they run."""
