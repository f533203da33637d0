"""Checks of a fuser: several pipelines' results become one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from legalir.errors import LegalIRError
from legalir.frames.columns import empty_like
from legalir.frames.component import Component
from legalir.testing.checks import Failed, NotApplicable, checks_of
from legalir.testing.construction import construction
from legalir.testing.data import QUERIES
from legalir.testing.frames import FRAME_CHECKS
from legalir.testing.fresh import PROCESS_CHECKS
from legalir.testing.invariance import INVARIANCE_CHECKS, UNEXPECTED_CHECKS
from legalir.testing.results import RESULT_CHECKS
from legalir.testing.subject import BRANCHES, pipeline_of
from legalir.testing.trial import Trial

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CHECKS"]

_FIRST, _SECOND = BRANCHES
_THIRD = 'tfidf(analyzer="char2") % 7'


class _Nothing(Component):
    """A retriever that finds nothing."""

    def __init__(self) -> None:
        pass

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        return empty_like(inp)

    apply = empty


def one_pipeline(trial: Trial) -> None:
    """One pipeline can be fused, or is refused in a sentence."""
    _fuse(trial, (_FIRST,))


def three_pipelines(trial: Trial) -> None:
    """Three pipelines can be fused, or are refused in a sentence."""
    _fuse(trial, (_FIRST, _SECOND, _THIRD))


def _fuse(trial: Trial, branches: tuple[str, ...]) -> None:
    collection = trial.collection()
    try:
        fuser = trial.subject.make(collection, None, branches)
    except LegalIRError as error:
        raise NotApplicable(f"the factory refuses so many pipelines: {error}") from None
    if fuser.transform(QUERIES.copy()).empty:
        raise Failed(f"nothing comes out of {len(branches)} pipelines that found something: take any number of them.")


def empty_branch(trial: Trial) -> None:
    """A pipeline that finds nothing leaves what the others find; where all find nothing, nothing is found."""
    collection = trial.collection()
    count = len(trial.subject.branches)

    def fuse(*branches: Any) -> pd.DataFrame:
        out: pd.DataFrame = trial.subject.make(collection, None, branches).transform(QUERIES.copy())
        return out

    usual = fuse(*[_FIRST] * count)
    for place in range(count if count > 1 else 0):
        out = fuse(*(_Nothing() if number == place else _FIRST for number in range(count)))
        if out.empty or (_finite(usual) and not _finite(out)):
            raise Failed(
                f"with nothing from pipeline {place + 1}, what the others found is lost or has no finite score: "
                f"give a pipeline without results no part in the sum."
            )
    out = fuse(*(_Nothing() for _ in range(count)))
    if len(out) or list(out.columns) != list(usual.columns):
        raise Failed("with nothing from any pipeline, the output is no empty result: return all columns and no rows.")


def _finite(out: pd.DataFrame) -> bool:
    return "score" not in out or bool(np.isfinite(out["score"].astype(float)).all())


def documents_of_pipelines(trial: Trial) -> None:
    """What comes out was found by one of the pipelines for the same question."""
    ran = trial.ran()
    known = set()
    for one in trial.subject.branches:
        found = pipeline_of(ran.collection, one).transform(ran.inp.copy())
        known |= set(zip(found["qid"], found["docno"], strict=True))
    for qid, docno in zip(ran.out["qid"], ran.out["docno"], strict=True):
        # What the collection lacks is reported by known-documents.
        if docno in trial.docnos and (qid, docno) not in known:
            raise Failed(f"{docno!r} came out for {qid!r} and no pipeline found it: fuse what was found and no more.")


CHECKS = checks_of(
    construction,
    *PROCESS_CHECKS,
    *FRAME_CHECKS,
    *RESULT_CHECKS,
    *INVARIANCE_CHECKS,
    *UNEXPECTED_CHECKS,
    one_pipeline,
    three_pipelines,
    empty_branch,
    documents_of_pipelines,
)
"""All of them, in the order in which they run."""
