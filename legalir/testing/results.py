"""Checks of what gives results: scores, ranks, and the documents they are of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from legalir.testing.checks import Failed, Function, NotApplicable
from legalir.testing.frames import difference
from legalir.testing.trial import Ran, Trial

__all__ = ["RESULT_CHECKS"]

_COLUMNS = ("qid", "docno", "score", "rank")


def results_of(trial: Trial) -> Ran:
    """Run the component where it gives whole results.

    Raises:
        NotApplicable: it gives questions, or a column is missing, which result-columns reports.
    """
    ran = trial.ran()
    _check_kind(ran.out)
    if missing := [column for column in _COLUMNS if column not in ran.out]:
        raise NotApplicable(f"the results have no {' and no '.join(missing)}")
    return ran


def _check_kind(out: pd.DataFrame) -> None:
    if "docno" not in out and "score" not in out and "rank" not in out:
        raise NotApplicable("it gives questions, not results")


def result_columns(trial: Trial) -> None:
    """Results have docno, score and rank, and every question of the kit finds something."""
    out = trial.ran().out
    _check_kind(out)
    if missing := [column for column in _COLUMNS if column not in out]:
        raise Failed(f"the results have no {' and no '.join(missing)}: return qid, docno, score and rank.")
    if out.empty:
        raise Failed("no question found anything, so that nothing is checked: look at what your component searches.")


def finite_scores(trial: Trial) -> None:
    """A score is a finite number of type float64."""
    out = results_of(trial).out
    if out["score"].dtype != np.float64:
        raise Failed(f"score is {out['score'].dtype}: give it the type float64.")
    bad = out[~np.isfinite(out["score"])]
    for row in bad.to_dict("records"):
        raise Failed(f"the score of {row['docno']!r} is {row['score']}: leave such a document out, or repair the sum.")


def ranks(trial: Trial) -> None:
    """Ranks are integers from 0, one after another in each question."""
    for qid, rows in _by_query(results_of(trial).out):
        found = rows["rank"].tolist()
        if not pd.api.types.is_integer_dtype(rows["rank"]) or found != list(range(len(found))):
            shown = ", ".join(map(str, found[:5]))
            raise Failed(f"the ranks of {qid!r} are {shown}, …: end with legalir.frames.ranking.rank_results.")


def score_order(trial: Trial) -> None:
    """A better score has a better rank."""
    for qid, rows in _by_query(results_of(trial).out):
        for first, second in _neighbours(rows):
            if first["score"] < second["score"]:
                raise Failed(
                    f"of {qid!r}, {first['docno']!r} with {first['score']:.6g} stands before {second['docno']!r} "
                    f"with {second['score']:.6g}: end with legalir.frames.ranking.rank_results."
                )


def ties(trial: Trial) -> None:
    """Of equal scores, the lesser docno comes first."""
    for qid, rows in _by_query(results_of(trial).out):
        for first, second in _neighbours(rows):
            if first["score"] == second["score"] and first["docno"] > second["docno"]:
                raise Failed(
                    f"of {qid!r}, {first['docno']!r} stands before {second['docno']!r} with an equal score: "
                    f"end with legalir.frames.ranking.rank_results, and cut lists only after it."
                )


def no_duplicates(trial: Trial) -> None:
    """No document is twice in the results of a question."""
    out = results_of(trial).out
    for row in out[out.duplicated(["qid", "docno"])].to_dict("records"):
        raise Failed(f"{row['docno']!r} is twice in the results of {row['qid']!r}: keep the better of the two.")


def known_documents(trial: Trial) -> None:
    """Every docno is a string that the collection has."""
    known = trial.docnos
    for docno in results_of(trial).out["docno"]:
        if not isinstance(docno, str) or docno not in known:
            raise Failed(f"docno {docno!r} ({type(docno).__name__}) is none of the collection's: return its docnos.")


def rank_cutoff(trial: Trial) -> None:
    """`component % 3` gives the first 3, also when PyTerrier compiles it."""
    ran = results_of(trial)
    wanted = ran.out[ran.out["rank"] < 3]
    other = trial.component(trial.collection(name="cut"))
    found = (other % 3).compile().transform(ran.inp.copy())
    if (fault := difference(wanted, found)) is not None:
        raise Failed(f"compiled with '% 3', {fault}: let fuse_rank_cutoff(k) give what is cut at k, or None.")


def num_results(trial: Trial) -> None:
    """A parameter `num_results` is the most that a question gets."""
    if "num_results" not in trial.subject.parameters():
        raise NotApplicable("the factory has no parameter 'num_results'")
    collection = trial.collection()
    component = trial.component(collection, num_results=2)
    out = component.transform(trial.input(collection, component))
    if "rank" not in out:
        raise NotApplicable("the results have no rank")
    for qid, rows in _by_query(out):
        if len(rows) > 2:
            raise Failed(f"with num_results=2, {qid!r} has {len(rows)} results: cut the list.")


def _by_query(out: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for qid, rows in out.groupby("qid", sort=False):
        yield str(qid), rows.sort_values("rank", kind="stable")


def _neighbours(rows: pd.DataFrame) -> Iterator[tuple[dict[Any, Any], dict[Any, Any]]]:
    records = rows.to_dict("records")
    return pairwise(records)


RESULT_CHECKS: tuple[Function, ...] = (
    result_columns,
    finite_scores,
    ranks,
    score_order,
    ties,
    no_duplicates,
    known_documents,
    rank_cutoff,
    num_results,
)
