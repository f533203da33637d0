"""What is measured of stored vectors, each command in a process of its own; prints one line of JSON.

    python experiments/bench/neural_vectors.py maxsim     # bytes a second of MaxSim, beside those of a plain copy
    python experiments/bench/neural_vectors.py nearest    # approximate search beside exact search

Vectors are random; those of ``nearest`` lie around centres, as those of texts do, and are timed in processor time of
one thread. MaxSim uses all processors, as it does when it rescores, and is timed by the clock, as is the copy.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

DOCUMENTS, TOKENS, DIMENSIONS, CANDIDATES, ROUNDS = 400, 300, 1024, 100, 25
QUERY_TOKENS = (8, 16, 32, 64)
STORED, WIDE, CENTRES, SPREAD, ASKED, ALONE, KEPT = 100_000, 256, 500, 1.5, 200, 50, 10


def _seconds(work: Callable[[], object], clock: Callable[[], float] = process_time) -> float:
    start = clock()
    work()
    return clock() - start


def unit_rows(rng: np.random.Generator, rows: int, dimensions: int) -> npt.NDArray[np.float32]:
    """Return random vectors of length 1."""
    made = rng.standard_normal((rows, dimensions), dtype=np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def measure_maxsim() -> dict[str, float]:
    """Return gigabytes of stored vectors a second: copied, and scored for queries of several lengths."""
    from legalir.m3.maxsim import quantize

    rng = np.random.default_rng(1)
    rows = unit_rows(rng, DOCUMENTS * TOKENS, DIMENSIONS)
    bounds = np.arange(DOCUMENTS + 1, dtype=np.int64) * TOKENS
    figures: dict[str, float] = {}
    for kind in ("float16", "int8"):
        stored, scales = (rows.astype(np.float16), None) if kind == "float16" else quantize(rows)
        figures |= {f"{kind} {name}": value for name, value in _rates(rng, stored, bounds, scales).items()}
    return figures


def _rates(rng: np.random.Generator, stored: Any, bounds: Any, scales: Any) -> dict[str, float]:
    from legalir.m3.maxsim import MaxSim

    kernel = MaxSim(stored, bounds, scales)
    size = CANDIDATES * TOKENS * stored.shape[1] * stored.itemsize
    target = np.empty((CANDIDATES * TOKENS, stored.shape[1]), dtype=stored.dtype)
    queries = {length: unit_rows(rng, length, stored.shape[1]) for length in QUERY_TOKENS}
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        chosen = np.sort(rng.choice(len(bounds) - 1, CANDIDATES, replace=False))
        start = int(rng.integers(0, len(stored) - len(target)))
        part = stored[start : start + len(target)]
        times.setdefault("copy", []).append(_seconds(lambda: np.copyto(target, part), perf_counter))  # noqa: B023
        for length, query in queries.items():
            spent = _seconds(lambda: kernel.scores([query], chosen), perf_counter)  # noqa: B023
            times.setdefault(str(length), []).append(spent)
    # The best rounds are those that nothing else disturbed.
    return {name: size / min(found) / 1e9 for name, found in times.items()}


class Numbered:
    """An encoder whose texts are the numbers of vectors."""

    name, fingerprint = "numbered", "numbered-1"

    def __init__(self, vectors: npt.NDArray[np.float32]) -> None:
        self._vectors = vectors

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of these numbers."""
        return self._vectors[[int(text) for text in texts]]

    encode_queries = encode


def measure_nearest() -> dict[str, float]:
    """Return times of 200 questions at once and alone, and the share of the exact ten best found, by kind of search."""
    from legalir import DenseIndex

    rng = np.random.default_rng(1)
    centres = unit_rows(rng, CENTRES, WIDE)
    near = centres[rng.integers(0, CENTRES, STORED + ASKED)] + SPREAD * unit_rows(rng, STORED + ASKED, WIDE)
    encoder = Numbered((near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32))
    documents = [{"docno": str(number), "text": str(number)} for number in range(STORED)]
    asked = [str(number) for number in range(STORED, STORED + ASKED)]
    topics = pd.DataFrame({"qid": asked, "query": asked})
    figures: dict[str, float] = {}
    exact: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for kind in (None, "hnsw", "ivf"):
            name = kind or "exact"
            options = {} if kind is None else {"approximate": kind}
            index = DenseIndex(Path(scratch) / name, encoder)
            figures[f"{name} build_seconds"] = _seconds(lambda: index.index(documents, **options))  # noqa: B023
            retriever = index.retriever(num_results=KEPT)
            retriever(topics.head(3))
            figures[f"{name} questions_per_second"] = ASKED / median(
                _seconds(lambda: retriever(topics))  # noqa: B023
                for _ in range(3)
            )
            figures[f"{name} ms_alone"] = 1000 * _seconds(lambda: _each(retriever, topics.head(ALONE))) / ALONE  # noqa: B023
            found = {str(qid): set(rows["docno"]) for qid, rows in retriever(topics).groupby("qid")}
            exact = exact or found
            figures[f"{name} recall"] = float(np.mean([len(found[qid] & exact[qid]) / KEPT for qid in asked]))
    return figures


def _each(retriever: Callable[[pd.DataFrame], object], topics: pd.DataFrame) -> None:
    for number in range(len(topics)):
        retriever(topics.iloc[[number]])


def main() -> None:
    """Measure what the first argument says."""
    warnings.simplefilter("ignore")
    print(json.dumps({"maxsim": measure_maxsim, "nearest": measure_nearest}[sys.argv[1]]()))


if __name__ == "__main__":
    main()
