"""Checks of a generator: ranked documents in, one answer a question out."""

from __future__ import annotations

from legalir.testing.checks import Failed, checks_of
from legalir.testing.construction import construction
from legalir.testing.frames import FRAME_CHECKS, without_left
from legalir.testing.fresh import PROCESS_CHECKS
from legalir.testing.invariance import INVARIANCE_CHECKS, UNEXPECTED_CHECKS
from legalir.testing.trial import Trial

__all__ = ["CHECKS"]


def one_row(trial: Trial) -> None:
    """Every question has one row, in the order in which the questions first come."""
    ran = trial.ran()
    given = ran.inp["qid"].drop_duplicates().tolist()
    if ran.out["qid"].tolist() != given:
        raise Failed(
            f"the questions {', '.join(given)} gave rows for {', '.join(map(str, ran.out['qid'])) or 'none'}: "
            f"return one row a question, in the order of first appearance."
        )


def answers(trial: Trial) -> None:
    """The answer is a string in the column `qanswer`."""
    out = trial.ran().out
    if "qanswer" not in out:
        raise Failed(f"there is no column 'qanswer' among {', '.join(map(str, out.columns))}: put the answers there.")
    for qid, answer in zip(out["qid"], out["qanswer"], strict=True):
        if not isinstance(answer, str):
            raise Failed(f"the answer to {qid!r} is {answer!r}: give a string, an empty one for no answer.")


def no_result_columns(trial: Trial) -> None:
    """Columns of a document do not stay beside an answer that is of all documents."""
    out = trial.ran().out
    if left := [column for column in ("docno", "score", "rank") if column in out]:
        raise Failed(f"the output still has {', '.join(left)}: drop what belongs to one document.")


CHECKS = checks_of(
    construction,
    *PROCESS_CHECKS,
    *FRAME_CHECKS,
    without_left,
    *INVARIANCE_CHECKS,
    *UNEXPECTED_CHECKS,
    one_row,
    answers,
    no_result_columns,
)
"""All of them, in the order in which they run."""
