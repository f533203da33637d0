"""Checks with questions and documents that nobody expects."""

from __future__ import annotations

import numpy as np
import pandas as pd

from legalir.testing.checks import Function
from legalir.testing.data import ODD_PROVISIONS, ODD_TEXTS, PROVISIONS, long_text
from legalir.testing.outcome import Failed, given
from legalir.testing.trial import Trial

__all__ = ["UNEXPECTED_CHECKS"]


def odd_queries(trial: Trial) -> None:
    """Nothing, punctuation, operators and control characters are questions, too, each with the full columns."""
    ran = trial.ran()
    for text in ODD_TEXTS:
        with given(text):
            out = ran.component.transform(trial.input_saying(ran.collection, ran.component, text))
        _check(out, ran.out, f"asked {text[:20]!r}")


def long_query(trial: Trial) -> None:
    """A question of 100 000 characters is answered."""
    ran = trial.ran()
    out = ran.component.transform(trial.input_saying(ran.collection, ran.component, long_text()))
    _check(out, ran.out, "asked a question of 100 000 characters")


def odd_documents(trial: Trial) -> None:
    """Documents without text or title, of punctuation, or in NFD do no harm."""
    usual = trial.ran()
    collection = trial.collection((*PROVISIONS, *ODD_PROVISIONS), name="odd")
    component = trial.component(collection)
    _check(component.transform(trial.input(collection, component)), usual.out, "over odd documents")


def _check(out: pd.DataFrame, usual: pd.DataFrame, when: str) -> None:
    if list(out.columns) != list(usual.columns):
        raise Failed(
            f"{when}, the columns are {', '.join(map(str, out.columns)) or 'none'} instead of "
            f"{', '.join(usual.columns)}: return all columns also where nothing is found."
        )
    # What is not finite for usual questions either is reported by finite-scores.
    if _finite(usual) and not _finite(out):
        raise Failed(f"{when}, a score is not finite: beware of division by a length or a sum of 0.")


def _finite(out: pd.DataFrame) -> bool:
    return "score" not in out or bool(np.isfinite(out["score"].astype(float)).all())


UNEXPECTED_CHECKS: tuple[Function, ...] = (odd_queries, long_query, odd_documents)
