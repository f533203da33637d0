"""Pipelines of every kind of step, and questions for them."""

from __future__ import annotations

import pandas as pd

PIPELINES = (
    "bm25",
    "lsa",
    "bm25f",
    "rrf(bm25, lsa % 50)",
    "wrrf(bm25, lsa, weights=[0.1, 0.9])",
    'bm25 % 30 >> sar(normalize="max")',
    "bm25 % 20 >> nitilink(depth=2)",
    "lsa >> rocchio",
    "bm25 % 40 >> family",
    "focus(over=10) >> bm25",
    "default",
)

QUERIES = pd.DataFrame(
    {
        "qid": ["q1", "q2", "q3"],
        "query": ["창문 없는 층", "스프링클러 설치 기준은 무엇인가요", "소방안전관리자 선임 신고 기한"],
        "asked": ["2024", "", "2023"],
    }
)


def scores_of(frame: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return the score of each query and document."""
    return dict(zip(zip(frame["qid"], frame["docno"], strict=True), frame["score"], strict=True))


def ranking_of(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Return the docnos of each query, best first."""
    ordered = frame.sort_values(["qid", "rank"])
    return {str(qid): rows["docno"].tolist() for qid, rows in ordered.groupby("qid")}
