"""Checks of a retriever: questions in, ranked documents out."""

from __future__ import annotations

import unicodedata

from legalir.testing.checks import Failed, checks_of
from legalir.testing.construction import construction
from legalir.testing.data import PROVISIONS
from legalir.testing.frames import FRAME_CHECKS, difference
from legalir.testing.fresh import PROCESS_CHECKS
from legalir.testing.invariance import INVARIANCE_CHECKS, UNEXPECTED_CHECKS
from legalir.testing.results import RESULT_CHECKS
from legalir.testing.trial import Trial

__all__ = ["CHECKS"]


def composed_documents(trial: Trial) -> None:
    """Documents in NFD are found as they are in NFC."""
    ran = trial.ran()
    decomposed = [
        {**row, "title": unicodedata.normalize("NFD", row["title"]), "text": unicodedata.normalize("NFD", row["text"])}
        for row in PROVISIONS
    ]
    out = trial.component(trial.collection(decomposed, name="decomposed")).transform(ran.inp.copy())
    if (fault := difference(ran.out, out)) is not None:
        raise Failed(f"over documents in NFD, {fault}: normalise text with unicodedata.normalize('NFC', text) first.")


CHECKS = checks_of(
    construction,
    *PROCESS_CHECKS,
    *FRAME_CHECKS,
    *RESULT_CHECKS,
    *INVARIANCE_CHECKS,
    *UNEXPECTED_CHECKS,
    composed_documents,
)
"""All of them, in the order in which they run."""
