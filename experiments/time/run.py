"""Compare search as of the day of each question with search in the newest law, and in all versions at once.

    python experiments/time/run.py FOLDER

FOLDER is what ``questions.py`` wrote. A question is right if the version in force on its day is first. Prints the share
of each way, and a paired randomisation test of `as of` against the others.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import legalir


def main(folder: Path) -> None:
    """Print one line for each way."""
    collection = legalir.Collection(str(folder))
    topics = collection.source.topics()
    judged = dict(collection.source.qrels()[["qid", "docno"]].itertuples(index=False))
    bm25 = collection.pipeline("bm25")
    runs = {
        "as of the day": bm25.transform(topics),
        "newest law": bm25.transform(topics.drop(columns="as_of")),
        "all versions": _all_versions(folder).transform(topics.drop(columns="as_of")),
    }
    right = {name: _first_is_right(run, judged) for name, run in runs.items()}
    random = np.random.default_rng(0)
    base = right["as of the day"]
    for name, hits in right.items():
        difference = base - hits
        signs = random.choice([-1, 1], size=(10_000, len(difference)))
        p = (1 + (np.abs(signs @ difference) >= abs(difference.sum())).sum()) / 10_001
        print(f"{name}\t{hits.mean():.4f}\t{'' if name == 'as of the day' else f'p={p:.4f}'}")


def _all_versions(folder: Path) -> object:
    """Return BM25 over all versions as if they were different provisions."""
    import json
    import tempfile

    flat = Path(tempfile.mkdtemp())
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines, (flat / "corpus.jsonl").open("w") as out:
        for line in lines:
            row = json.loads(line)
            kept = {"docno": row["docno"].replace("@", "_"), "title": row.get("title", ""), "text": row["text"]}
            out.write(json.dumps(kept) + "\n")
    return legalir.Collection(str(flat)).pipeline("bm25")


def _first_is_right(run: pd.DataFrame, judged: dict[str, str]) -> np.ndarray:
    first = dict(run[run["rank"] == 0][["qid", "docno"]].itertuples(index=False))
    hits = [first.get(qid, "").replace("@", "_") == docno.replace("@", "_") for qid, docno in judged.items()]
    return np.array(hits, dtype=float)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
