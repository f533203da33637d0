"""Compare HyPA-RAG's three prompts of a judge of correctness with the ratings of people.

    LEGALIR_LLM=… python experiments/hypa/judges.py [RATED.jsonl] [--llm NAME]

A line of the file is an answer that a person rated 0, .5 or 1: ``qid, query, answer`` (the reference answer),
``qanswer`` and ``person``. As in the paper, a person calls an answer correct at 1, a judge from 4.
``--llm 'recorded(path="…")'`` replays replies. Without a file, the answers are those of ``rated.jsonl``, which were
written to be right, partly right and wrong; the ratings of the paper are not published.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

import legalir
from legalir_study.agreement import agreement

PROMPTS = {
    # Published share of agreement, on 268 answers about LL144.
    "0, as a whole": ("judge_correctness@0", 0.851),
    "1, each score described": ("judge_correctness@1", 0.854),
    "2, with examples and edge cases": (None, 0.869),
}


def compared(rated: pd.DataFrame, llm: str | None = None) -> pd.DataFrame:
    """Return the agreement of each prompt with the people: a row each.

    Args:
        rated: ``qid, query, answer, qanswer, person``.
        llm: name or call of the model; None for ``$LEGALIR_LLM``.
    """
    collection = legalir.Collection("legalir/firecode", client=legalir.Client(llm))
    rows = []
    for name, (prompt, published) in PROMPTS.items():
        judge = f"judge_correctness(language='en', prompt={prompt!r})"
        verdicts = collection.pipeline(judge).transform(rated)
        figures = agreement(
            rated["person"].tolist(), verdicts["correctness"].tolist(), human_threshold=1, judge_threshold=4
        )
        names = ("n", "left_out", "agreement", "kappa", "spearman", "spearman_binarised", "precision", "recall", "f1")
        rows.append({"prompt": name, "published": published, **{key: getattr(figures, key) for key in names}})
    return pd.DataFrame(rows)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rated", nargs="?", type=Path, default=Path(__file__).with_name("rated.jsonl"))
    parser.add_argument("--llm")
    options = parser.parse_args()
    rated = pd.read_json(options.rated, lines=True, dtype={"qid": str})
    print(compared(rated, options.llm).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
