"""Result frames for the tests of expanders and rerankers."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd


def frame_of(lists: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    """Return a ranked frame with an extra query column and a column of documents."""
    rows = []
    for number, (qid, scores) in enumerate(lists.items()):
        ordered = sorted(scores, key=lambda docno: (-scores[docno], docno))
        for rank, docno in enumerate(ordered):
            rows.append((qid, f"질문 {qid}", number * 7, docno, float(scores[docno]), rank, f"본문 {docno}"))
    columns = ["qid", "query", "year", "docno", "score", "rank", "text"]
    return pd.DataFrame(rows, columns=columns).astype({"qid": str, "docno": str})


OUTPUT = ["qid", "query", "year", "docno", "score", "rank"]
"""What a component that adds rows returns for such a frame."""


def of(results: pd.DataFrame, qid: str) -> dict[str, float]:
    """Return the scores of one query."""
    rows = results[results["qid"] == qid]
    return dict(zip(rows["docno"], rows["score"], strict=True))


def check_ranked(results: pd.DataFrame) -> None:
    """Check what holds for every result frame."""
    assert results.index.tolist() == list(range(len(results)))
    for _, rows in results.groupby("qid", sort=False):
        ordered = sorted(zip(-rows["score"], rows["docno"], strict=True))
        assert [docno for _, docno in ordered] == rows["docno"].tolist()
        assert rows["rank"].tolist() == list(range(len(rows)))
        assert rows["docno"].is_unique
