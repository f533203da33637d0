"""Pipelines that return lists written down in a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.frames.ranking import RankedLists, ranked_lists

Runs = Mapping[str, Sequence[tuple[str, float]]]


def frame(lists: Runs) -> pd.DataFrame:
    """Return a result frame: of each query its documents with their scores, in the order given."""
    rows = [(qid, docno, score, rank) for qid, found in lists.items() for rank, (docno, score) in enumerate(found)]
    out = pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])
    return out.astype({"qid": str, "docno": str, "score": float, "rank": int})


class Fixed(pt.Transformer):
    """Returns its own results for the queries that it is given, and counts how often it is asked."""

    def __init__(self, results: pd.DataFrame | Runs) -> None:
        self.results = results if isinstance(results, pd.DataFrame) else frame(results)
        self.calls = 0

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self.calls += not inp.empty
        return self.results[self.results["qid"].isin(inp["qid"])].reset_index(drop=True)


class Listed(Fixed):
    """Returns the same as ranked lists, for each of the queries that it is given."""

    def retrieve_lists(self, inp: pd.DataFrame) -> RankedLists:
        """Return the lists of the queries."""
        self.calls += 1
        queries = inp.reset_index(drop=True)
        rows = queries[["qid"]].reset_index().merge(self.results, on="qid")
        columns = rows["index"].to_numpy(dtype=np.int64), rows["docno"].to_numpy(dtype=object), rows["score"].to_numpy()
        return ranked_lists(queries, *columns)


def one(*docnos: str) -> Fixed:
    """Return a pipeline whose list for query q1 has these documents, best first."""
    return Fixed({"q1": [(docno, float(len(docnos) - place)) for place, docno in enumerate(docnos)]})


def topics(*qids: str) -> pd.DataFrame:
    """Return queries with a column of their own."""
    return pd.DataFrame({"qid": list(qids), "query": [f"query {qid}" for qid in qids], "year": range(len(qids))})


def scores(results: pd.DataFrame, qid: str = "q1") -> dict[str, float]:
    """Return the scores of one query, in the order of the results."""
    rows = results[results["qid"] == qid]
    return dict(zip(rows["docno"], rows["score"], strict=True))
