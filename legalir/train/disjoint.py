"""What is measured must not have been learnt: splits that share no question."""

from __future__ import annotations

from legalir.analysis.text import normalize
from legalir.datasets import StatuteDataset
from legalir.errors import DataError

__all__ = ["check_disjoint", "same_question"]


def check_disjoint(train: StatuteDataset, dev: StatuteDataset) -> None:
    """Check that a split that is learnt from and the dev split judge no query in common.

    Raises:
        DataError: they do; says how many, and one of them.
    """
    shared = sorted({row.qid for row in train.judgements()} & {row.qid for row in dev.judgements()})
    if shared:
        raise DataError(
            f"{len(shared)} queries of the dev split {dev.id}, such as {shared[0]!r}, are judged in {train.id}, too, "
            f"and would be learnt: name a split that shares none."
        )


def same_question(query: str) -> str:
    """Return what two spellings of a question have in common: NFC, lower case, one middle dot, single spaces."""
    return " ".join(normalize(query).split())
