"""Judgements of versions and of provisions: which name of a retrieved version counts.

A judgement may name a version, ``key@YYYY-MM-DD``, or a provision by its key. A retrieved version counts for the
judgement of its docno; without one, for the judgement of its key. So a judged version is matched by that version alone,
and a judged key by any version of the provision; the first of them counts, if a list has several.
"""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from legalir.storage.validity import names_version, provision_key

_LISTS = ("citations", "context_docnos")


def judged_names(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Return a run in which versions have the names used in the judgements; a run without versions is unchanged.

    Args:
        run: ``qid`` and, of ranked lists, ``docno, rank``; of answers, ``citations`` and ``context_docnos``. Of several
            rows of a query that get the same name, the row with the best rank is kept, and ranks are renumbered.
        qrels: ``qid, docno``.
    """
    judged = set(zip(qrels["qid"], qrels["docno"], strict=True))

    def name(qid: str, docno: str) -> str:
        key = provision_key(docno)
        return key if (qid, docno) not in judged and (qid, key) in judged else docno

    def names(qid: str, docnos: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name(qid, docno) for docno in docnos))

    columns = [column for column in _LISTS if column in run.columns]
    if columns:
        changed = {
            column: [names(qid, docnos) for qid, docnos in zip(run["qid"], run[column], strict=True)]
            for column in columns
        }
        return run.assign(**{column: pd.Series(values, index=run.index) for column, values in changed.items()})
    if "docno" not in run.columns or not any(map(names_version, run["docno"].unique())):
        return run
    named = run.assign(docno=[name(qid, docno) for qid, docno in zip(run["qid"], run["docno"], strict=True)])
    kept = named.sort_values("rank", kind="stable").drop_duplicates(["qid", "docno"]).sort_index()
    return kept.assign(rank=kept.groupby("qid")["rank"].rank(method="first").astype(int) - 1).reset_index(drop=True)
