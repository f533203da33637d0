"""Checks with questions and documents that nobody expects.

Checks that a component says the same: in another company, another order, another time, another place.
"""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pandas as pd

from legalir.testing.checks import Failed, Function, given
from legalir.testing.data import ODD_PROVISIONS, ODD_TEXTS, PROVISIONS, long_text
from legalir.testing.frames import difference
from legalir.testing.trial import Trial

__all__ = ["INVARIANCE_CHECKS", "UNEXPECTED_CHECKS"]


def batch_invariance(trial: Trial) -> None:
    """A question alone gets what it gets among others."""
    ran = trial.ran()
    for qid in trial.queries["qid"]:
        alone = ran.component.transform(ran.inp[ran.inp["qid"] == qid].reset_index(drop=True))
        if (fault := difference(ran.out[ran.out["qid"] == qid], alone)) is not None:
            raise Failed(f"asked alone, {fault}: compute each question by itself.")


def order_invariance(trial: Trial) -> None:
    """The order of the rows that are given means nothing; of results, the rank says their order."""
    ran = trial.ran()
    turned = ran.component.transform(ran.inp.iloc[::-1].reset_index(drop=True))
    if (fault := difference(ran.out, turned)) is not None:
        raise Failed(f"with the rows turned around, {fault}: go by qid, score and rank, never by position.")


def determinism(trial: Trial) -> None:
    """The same question gets the same, to the last bit, when it comes again."""
    ran = trial.ran()
    again = ran.component.transform(ran.inp.copy())
    if (fault := difference(ran.out, again, exact=True)) is not None:
        raise Failed(f"asked twice, {fault}: keep no state between questions, and give random numbers a seed.")


def another_build(trial: Trial) -> None:
    """Two components that were made alike give the same, to the last bit."""
    ran = trial.ran()
    again = trial.component(ran.collection).transform(ran.inp.copy())
    if (fault := difference(ran.out, again, exact=True)) is not None:
        raise Failed(f"made twice, {fault}: let nothing but the parameters and the collection decide.")


def identity(trial: Trial) -> None:
    """Two components that were made alike are equal, with equal hash and repr."""
    collection = trial.collection()
    first, second = trial.component(collection), trial.component(collection)
    if first != second or hash(first) != hash(second):
        raise Failed(
            f"{first!r} was made twice and differs from itself: define __eq__ and __hash__, as Component does."
        )
    if repr(first) != repr(second) or re.search(r" at 0x[0-9a-fA-F]+>", repr(first)):
        raise Failed(f"its repr {repr(first)[:80]!r} tells equals apart: define __repr__, as Component does.")


def index_reload(trial: Trial) -> None:
    """What was built is read back: the same, over the same cache, from a collection that is opened again."""
    ran = trial.ran()
    reopened = trial.collection()
    again = trial.component(reopened).transform(ran.inp.copy())
    if (fault := difference(ran.out, again)) is not None:
        raise Failed(f"with the index read back, {fault}: store all that was built, under a name with its parameters.")


def composed_queries(trial: Trial) -> None:
    """A question in NFD, as some keyboards and file systems write it, is the same question."""
    ran = trial.ran()
    inp = ran.inp.assign(query=[unicodedata.normalize("NFD", text) for text in ran.inp["query"]])
    own = ["query", "query_0"]
    out = ran.component.transform(inp)
    if "query" in out and "query_0" in out:  # A rewritten question has to be the same, too.
        out, wanted = (_composed(frame) for frame in (out, ran.out))
    else:
        out, wanted = (frame.drop(columns=own, errors="ignore") for frame in (out, ran.out))
    if (fault := difference(wanted, out)) is not None:
        raise Failed(f"asked in NFD, {fault}: normalise text with unicodedata.normalize('NFC', text) first.")


def _composed(frame: pd.DataFrame) -> pd.DataFrame:
    texts = {c: [unicodedata.normalize("NFC", str(text)) for text in frame[c]] for c in ("query", "query_0")}
    return frame.assign(**texts)


INVARIANCE_CHECKS: tuple[Function, ...] = (
    batch_invariance,
    order_invariance,
    determinism,
    another_build,
    identity,
    index_reload,
    composed_queries,
)


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
