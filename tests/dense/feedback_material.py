"""A small collection with both kinds of index."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd

from legalir.dense.index import DenseIndex
from legalir.dense.lsa import LSA
from legalir.lexical.sparse import SparseIndex

WORDS = "가 나 다 라 마 바 사 아 자 차 카 타 파 하 법 령".split()  # noqa: SIM905
QUERIES = pd.DataFrame({"qid": ["b", "a", "c"], "query": ["가 나 법", "라 마 마", "zebra"], "year": [1, 2, 3]})


def documents() -> list[dict[str, str]]:
    source = random.Random(5)
    weights = [1 / rank for rank in range(1, len(WORDS) + 1)]
    texts = [" ".join(source.choices(WORDS, weights, k=source.randint(2, 12))) for _ in range(40)]
    return [{"docno": f"d{i:02d}", "text": text} for i, text in enumerate(texts)]


def dense(path: Path) -> DenseIndex:
    return DenseIndex(path / "dense", LSA("whitespace", 6)).index(documents())


def sparse(path: Path) -> SparseIndex:
    return SparseIndex(path / "sparse", analyzer="whitespace").index(documents())
