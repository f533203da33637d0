"""Words with stemming beside bm25s and its tokenizer, in one process and one thread.

    python experiments/bench/words.py

Needs obliqa-dev (English, 6 MB) in $LEGALIR_DATA. Processor time; the arms take turns, and the median of the ratios
counts. Both stem with PyStemmer's English; bm25s leaves its stop words out, as its users do.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

os.environ.setdefault("OMP_NUM_THREADS", "1")

import bm25s
import Stemmer

from legalir import Collection, SparseIndex
from legalir.analysis.analyzer import get_analyzer
from legalir.storage.documents import indexed_text

ROUNDS = 9
QUESTION = "When must a licensed person notify the regulator of a breach?"


def in_turns(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float, float]:
    """Return the median seconds of both, and the median of theirs divided by ours."""
    pairs = []
    for turn in range(ROUNDS):
        seconds = {}
        for name, work in (("ours", ours), ("theirs", theirs))[:: 1 if turn % 2 == 0 else -1]:
            start = time.process_time()
            work()
            seconds[name] = time.process_time() - start
        pairs.append((seconds["ours"], seconds["theirs"]))
    return median(p[0] for p in pairs), median(p[1] for p in pairs), median(b / a for a, b in pairs)


def tokenized(texts: list[str]) -> object:
    """Return the tokens of bm25s."""
    return bm25s.tokenize(texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False)


def build(documents: list[dict[str, str]], analyzer: str) -> None:
    """Build our index on disk, open and verify it, and answer a question."""
    with tempfile.TemporaryDirectory() as folder:
        SparseIndex(Path(folder) / "index", analyzer).index(documents).bm25(num_results=10).search(QUESTION)


def build_theirs(texts: list[str]) -> None:
    """Build the index of bm25s in memory, and answer a question."""
    index = bm25s.BM25(method="lucene", backend="numpy")
    index.index(tokenized(texts), show_progress=False)
    index.retrieve(tokenized([QUESTION]), k=10, show_progress=False)


def main() -> None:
    """Measure, and print a table of claims."""
    if not (Path(os.environ.get("LEGALIR_DATA", "")) / "obliqa-dev").is_dir():
        sys.exit("not run: no obliqa-dev at $LEGALIR_DATA")
    documents = [provision._asdict() for provision in Collection("legalir/obliqa-dev").docs()]
    texts = [indexed_text(document) for document in documents]
    print(f"{len(texts):,} provisions, {sum(map(len, texts)) / 1e6:.1f} million characters\n")
    print("| claim | measured | |\n|---|---|---|")
    words = get_analyzer("word(lang='en')")
    for claim, ours, theirs, least in (
        (
            "stemmed words counted by provision, times faster than `bm25s.tokenize`: at least 2",
            partial(words.count, texts),  # type: ignore[attr-defined]
            partial(tokenized, texts),
            2.0,
        ),
        (
            "whole build of stemmed words, times faster than bm25s: at least 1",
            partial(build, documents, words.name),
            partial(build_theirs, texts),
            1.0,
        ),
        (
            "whole build of `auto`, with pairs of words, times faster than bm25s without them (not a claim)",
            partial(build, documents, "auto(lang='en')"),
            partial(build_theirs, texts),
            None,
        ),
    ):
        our_seconds, their_seconds, ratio = in_turns(ours, theirs)
        verdict = "" if least is None else "pass" if ratio >= least else "**fail**"
        print(f"| {claim} | {ratio:.2f} ({our_seconds:.2f} and {their_seconds:.2f} s) | {verdict} |")


if __name__ == "__main__":
    main()
