"""Queries per second of both indexes on one thread, in turns, and how far their rankings agree.

    python experiments/bench/answers.py INDEX BM25S_INDEX QUESTIONS.json ROUNDS

Both get the questions as text and return the best 100: ours a result frame of its public transformer, bm25s its
arrays of document numbers, each for all questions in one call. The environment holds every pool to one thread.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import pandas as pd

from legalir.frames.ranking import top_k
from legalir.lexical.sparse import BM25, SparseIndex

RESULTS = 100


class Arms:
    """Both indexes, opened."""

    def __init__(self, ours: Path, theirs: Path, questions: list[str]) -> None:
        self.index = SparseIndex(ours)
        self.k = min(RESULTS, len(self.index))
        self.retriever: BM25 = self.index.bm25(num_results=self.k)
        self.theirs = bm25s.BM25.load(theirs)
        self.theirs.compile(activate_numba=True, warmup=False)
        self.questions = questions
        self.frame = pd.DataFrame({"qid": [str(i) for i in range(len(questions))], "query": questions})

    def terms(self, question: str) -> list[str]:
        """Return the terms of a question that the index knows, in the question's order."""
        return [term for term in self.index.analyzer.terms(question) if term in self.theirs.vocab_dict]

    def ask_legalir(self) -> pd.DataFrame:
        return self.retriever.transform(self.frame)

    def ask_bm25s(self) -> Any:
        tokens = [self.terms(question) for question in self.questions]
        return self.theirs.retrieve(tokens, k=self.k, n_threads=1, show_progress=False)


def timed(arms: Arms, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each round; the arms take turns in going first."""
    seconds: dict[str, list[float]] = {"legalir": [], "bm25s": []}
    asks = [("legalir", arms.ask_legalir), ("bm25s", arms.ask_bm25s)]
    for _, ask in asks:  # opening, memory mapping and compilation are not what is measured
        ask()
    for turn in range(rounds):
        for name, ask in asks if turn % 2 == 0 else asks[::-1]:
            start = time.perf_counter()
            ask()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def agreement(arms: Arms) -> dict[str, float]:
    """Compare both rankings of every question.

    bm25s leaves the order of equal scores to its heap, and adds a question's terms in the order it is given them; a
    sum of float32 depends on that order. So it is compared as it comes, and once more with our order of terms
    (descending) and our order of ties (docno ascending).
    """
    raw = arms.ask_bm25s().documents
    same_raw = same = positions = 0
    gap = difference = 0.0
    for question, as_it_comes in zip(arms.questions, raw, strict=True):
        ours, _ = arms.retriever.best(question)
        mine = arms.retriever.scores(question)
        terms = sorted(arms.terms(question), reverse=True)
        scores = arms.theirs.get_scores(terms) if terms else np.zeros_like(mine)
        theirs = top_k(scores, arms.index.order, arms.k)
        same_raw += np.array_equal(ours, as_it_comes[: len(ours)])
        same += np.array_equal(ours, theirs)
        difference = max(difference, float(np.abs(mine - scores).max() / max(scores.max(), 1e-9)))
        moved = np.flatnonzero(ours != theirs)
        positions += len(moved)
        if len(moved):
            gap = max(gap, float(np.abs(mine[ours[moved]] - mine[theirs[moved]]).max() / mine[ours[0]]))
    return {
        "questions": len(arms.questions),
        "same_as_it_comes": same_raw,
        "same_ids": same,
        "moved_positions": positions,
        "largest_gap": gap,
        "largest_difference": difference,
    }


def main() -> None:
    questions = json.loads(Path(sys.argv[3]).read_text(encoding="utf-8"))
    arms = Arms(Path(sys.argv[1]), Path(sys.argv[2]), questions)
    print(json.dumps({"seconds": timed(arms, int(sys.argv[4])), **agreement(arms), "k": arms.k}))


if __name__ == "__main__":
    main()
