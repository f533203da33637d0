"""Queries as of a day, beside the same index without days: time of a query and size of the index.

    python experiments/bench/as_of.py

An invented collection: 20 000 provisions of 80 words with three versions each, 200 questions of 12 words over three
days. Both indexes hold the same texts; the arms take turns, and the median of the ratios counts.
"""

from __future__ import annotations

import os
import random
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

PROVISIONS, WORDS, QUESTIONS, ROUNDS = 20_000, 80, 200, 9
VERSIONS = (("2010-01-01", "2015-01-01"), ("2015-01-01", "2020-01-01"), ("2020-01-01", ""))
DAYS = ("2012-03-04", "2016-05-06", "2024-01-01")
VOCABULARY = [f"w{number}" for number in range(20_000)]
WEIGHTS = [1 / (number + 5) for number in range(20_000)]


def documents(dated: bool) -> Iterator[dict[str, str]]:
    """Yield the versions; without days, they are plain provisions with other docnos."""
    chance = random.Random(0)
    for provision in range(PROVISIONS):
        words = chance.choices(VOCABULARY, WEIGHTS, k=WORDS)
        for begin, end in VERSIONS:
            words[chance.randrange(WORDS)] = chance.choice(VOCABULARY)
            docno = f"p{provision}{'@' if dated else '-'}{begin}"
            yield {"docno": docno, "text": " ".join(words), "effective_from": begin, "effective_to": end}


def seconds(retriever: pt.Transformer, frames: list[pd.DataFrame]) -> float:
    """Return the processor time of all frames."""
    start = time.process_time()
    for frame in frames:
        retriever.transform(frame)
    return time.process_time() - start


def compare(name: str, dated: pt.Transformer, plain: pt.Transformer, queries: pd.DataFrame) -> None:
    """Print the time of a query in a batch and alone, with and without a day."""
    asked = queries.assign(as_of=[DAYS[number % 3] for number in range(len(queries))])
    for way, cut in (("in a batch", len(queries)), ("alone", 1)):
        with_day, without = ([f.iloc[i : i + cut] for i in range(0, len(f), cut)] for f in (asked, queries))
        dated.transform(with_day[0]), plain.transform(without[0])
        pairs = []
        for turn in range(ROUNDS):
            arms = {"dated": (dated, with_day), "plain": (plain, without)}
            spent = {arm: seconds(*arms[arm]) for arm in (list(arms) if turn % 2 else list(arms)[::-1])}
            pairs.append((spent["dated"], spent["plain"]))
        ms = [1e3 * median(pair[arm] for pair in pairs) / len(queries) for arm in (0, 1)]
        print(f"| {name}, {way} | {ms[0]:.2f} | {ms[1]:.2f} | {median(a / b for a, b in pairs):.2f} |")


def main() -> None:
    """Build both indexes and compare them."""
    chance = random.Random(1)
    texts = [" ".join(chance.choices(VOCABULARY[50:], WEIGHTS[50:], k=12)) for _ in range(QUESTIONS)]
    queries = pd.DataFrame({"qid": [str(number) for number in range(QUESTIONS)], "query": texts})
    with tempfile.TemporaryDirectory() as folder:
        sparse = [SparseIndex(Path(folder) / f"sparse{d}", "whitespace").index(documents(d)) for d in (True, False)]
        sizes = [sum(entry["size"] for entry in index.manifest.files.values()) for index in sparse]
        print("| search | ms as of a day | ms without | ratio |\n|---|--:|--:|--:|")
        compare("bm25", *(index.bm25(num_results=100) for index in sparse), queries)
        compare("tfidf", *(index.tfidf(num_results=100) for index in sparse), queries)
        random_numbers = np.random.default_rng(0)
        vectors = random_numbers.standard_normal((PROVISIONS * len(VERSIONS), 128)).astype(np.float32)
        asked = queries.assign(query_vec=list(random_numbers.standard_normal((QUESTIONS, 128))))
        dense = [
            DenseIndex.from_vectors(Path(folder) / f"dense{d}", vectors, [row["docno"] for row in documents(d)])
            for d in (True, False)
        ]
        compare("dense", *(index.retriever(num_results=100) for index in dense), asked)
        print(f"\nThe index with days is {sizes[0] / sizes[1]:.3f} times as large.")


if __name__ == "__main__":
    main()
