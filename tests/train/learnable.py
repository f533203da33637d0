"""A collection to learn from: what its queries say and what its provisions say are different words for the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from split_folder import write_splits

SUBJECTS = 40
SMALL: dict[str, Any] = {
    "rows": 2**11,
    "dim": 24,
    "batch": 32,
    "random": 16,
    "hard": 4,
    "rate": 0.02,
    "epochs": 4,
    "threads": 2,
    "hold_out": 0,
}
"""Settings with which a training takes less than a second."""


def word(kind: str, number: int) -> str:
    """Return an invented word of five letters, none of which says what its number is."""
    letters = np.random.default_rng([ord(kind), number]).integers(0, 26, 5)
    return "".join(chr(ord("a") + int(letter)) for letter in letters)


def write_statutes(folder: Path, *, shared: bool = False) -> Path:
    """Write a folder with the splits train and dev; every subject has a word in provisions, and another in queries.

    Args:
        folder: where to.
        shared: whether the dev split judges a query of the train split, too.
    """
    corpus, queries, train, dev = [], [], [], []
    for number in range(SUBJECTS):
        subject, question = word("p", number), word("q", number)
        for part in range(3):
            corpus.append(
                {"docno": f"d{number}-{part}", "text": f"the {subject} of {word('x', number * 3 + part)} applies"}
            )
        for turn in range(6):
            qid = f"q{number}-{turn}"
            queries.append({"qid": qid, "query": f"what about {question} and {word('n', number * 6 + turn)}"})
            lines = train if turn < 5 else dev
            lines += [f"{qid} 0 d{number}-{part} 1" for part in range(2)]
    if shared:
        dev.append("q0-0 0 d0-0 1")
    return write_splits(folder, corpus, queries, {"train": train, "dev": dev}, lang="en")


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
