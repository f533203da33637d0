"""Checks of a reranker: ranked documents in, the same documents in a better order out."""

from __future__ import annotations

from legalir.testing.checks import Failed, checks_of
from legalir.testing.construction import construction
from legalir.testing.frames import FRAME_CHECKS, without_left
from legalir.testing.fresh import PROCESS_CHECKS
from legalir.testing.invariance import INVARIANCE_CHECKS, UNEXPECTED_CHECKS
from legalir.testing.results import RESULT_CHECKS
from legalir.testing.trial import Trial

__all__ = ["CHECKS"]


def same_documents(trial: Trial) -> None:
    """What comes out of a question is what went in; one that adds or drops on purpose expects this to fail."""
    ran = trial.ran()
    for qid in ran.inp["qid"].unique():
        given, found = (set(frame.loc[frame["qid"] == qid, "docno"]) for frame in (ran.inp, ran.out))
        # What the collection lacks is reported by known-documents.
        for docno in sorted((given ^ found) & trial.docnos):
            what = "lost" if docno in given else "added"
            raise Failed(
                f"{docno!r} was {what} for {qid!r}: return what you are given, or give the factory "
                f"expected_failures = {{'same-documents': 'why'}} if it is meant to."
            )


CHECKS = checks_of(
    construction,
    *PROCESS_CHECKS,
    *FRAME_CHECKS,
    without_left,
    *RESULT_CHECKS,
    *INVARIANCE_CHECKS,
    *UNEXPECTED_CHECKS,
    same_documents,
)
"""All of them, in the order in which they run."""
