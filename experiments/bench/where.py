"""Queries with a filter, beside the same queries without one: time of a query over 2 000 000 provisions.

    python experiments/bench/where.py [PROVISIONS]

An invented collection: provisions of 12 words in 2 000 laws of four levels, and vectors of 64 numbers. The arms take
turns; the median of the ratios of processor time counts. The first use of a filter, which makes its mask, is apart.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir import DenseIndex, SparseIndex
from legalir.collection.fields import FieldTable

QUERIES, ROUNDS, VECTOR = 8, 5, 64
LEVELS = ("act", "decree", "rule", "standard")
FILTERS = {"level=act|decree": "half", "level!=act, path~2": "a fortieth", 'law="Law 7"': "a two-thousandth"}
VOCABULARY = [f"w{number}" for number in range(20_000)]
WEIGHTS = np.cumsum([1 / (number + 5) for number in range(20_000)]).tolist()


def documents(provisions: int) -> Iterator[dict[str, str]]:
    """Yield the provisions."""
    chance = random.Random(0)
    for number in range(provisions):
        yield {
            "docno": f"p{number:07}",
            "text": " ".join(chance.choices(VOCABULARY, cum_weights=WEIGHTS, k=12)),
            "law": f"Law {number % 2000}",
            "level": LEVELS[number // 7 % 4],
            "path": f"Chapter {number % 30}",
        }


def seconds(retriever: pt.Transformer, queries: pd.DataFrame) -> float:
    """Return the processor time of the queries, one by one."""
    start = time.process_time()
    for row in range(len(queries)):
        retriever.transform(queries.iloc[[row]])
    return time.process_time() - start


def compare(name: str, retriever: pt.Transformer, queries: pd.DataFrame) -> None:
    """Print the time of a query with and without each filter."""
    retriever.transform(queries)
    for where, share in FILTERS.items():
        filtered = queries.assign(where=where)
        first = seconds(retriever, filtered.iloc[:1])
        pairs = []
        for turn in range(ROUNDS):
            arms = (filtered, queries) if turn % 2 else (queries, filtered)
            spent = [seconds(retriever, arm) for arm in arms]
            pairs.append(tuple(spent if turn % 2 else spent[::-1]))
        ms = [1e3 * median(pair[arm] for pair in pairs) / len(queries) for arm in (0, 1)]
        ratio = median(one / other for one, other in pairs)
        print(f"| {name} | {share} | {ms[0]:.0f} | {ms[1]:.0f} | {ratio:.2f} | {1e3 * first - ms[0]:.0f} |", flush=True)


def main() -> None:
    """Build both indexes and the table of fields, and compare."""
    provisions = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    chance, numbers = random.Random(1), np.random.default_rng(0)
    texts = [" ".join(chance.choices(VOCABULARY, cum_weights=WEIGHTS, k=12)) for _ in range(QUERIES)]
    queries = pd.DataFrame({"qid": [str(number) for number in range(QUERIES)], "query": texts})
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        fields = FieldTable(Path(folder) / "fields").index(documents(provisions))
        print(f"Fields of {provisions} provisions: {time.process_time() - start:.0f} s.\n")
        sparse = SparseIndex(Path(folder) / "sparse", "whitespace").index(documents(provisions))
        vectors = numbers.standard_normal((provisions, VECTOR), dtype=np.float32)
        docnos = (f"p{number:07}" for number in range(provisions))
        dense = DenseIndex.from_vectors(Path(folder) / "dense", vectors, docnos)
        sparse.fields = dense.fields = lambda: fields
        print("| search | passes | ms filtered | ms unfiltered | ratio | ms more at first |\n|---|---|--:|--:|--:|--:|")
        compare("bm25", sparse.bm25(num_results=100), queries)
        compare("vectors", dense.retriever(num_results=100), queries.assign(query_vec=list(vectors[:QUERIES])))


if __name__ == "__main__":
    main()
