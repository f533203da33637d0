"""Correlation of measures of retrieval with the citations of answers, beside NITI, Table 8.

    python experiments/answers/correlation.py

Prints Pearson's r over the systems of ``correlation.yaml`` from its expected scores, for each collection.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from legalir.measure.confidence import correlations

HERE = Path(__file__).parent
ANSWERS = "MicroCitationF1"
PUBLISHED = {"Success@5": 0.780, "MultiHitRate@5": 0.984, "RR@5": 0.933, "MultiMRR@5": 0.991}
"""NITI, Table 8: correlation with the pooled F1 of the citations, over eight retrievers."""


def main() -> None:
    """Print the table."""
    columns = {}
    for path in sorted(HERE.glob("correlation.*.expected.tsv")):
        scores = pd.read_csv(path, sep="\t", comment="#").pivot(index="system", columns="measure", values="value")
        answers = [name for name in scores if "Citation" in name]
        retrieval = [name for name in scores if name not in answers]
        table = correlations(scores[retrieval].to_dict("list"), scores[[ANSWERS]].to_dict("list"))
        columns[path.name.split(".")[1]] = table.set_index("retrieval")["pearson"]
    print("| r with the pooled F1 | " + " | ".join(columns) + " | NITI |")
    print("|---|" + "--:|" * (len(columns) + 1))
    for name, row in pd.DataFrame(columns).iterrows():
        figures = [f"{value:.3f}" for value in row] + [f"{PUBLISHED[name]:.3f}" if name in PUBLISHED else "–"]
        print(f"| `{name}` | " + " | ".join(figures) + " |")


if __name__ == "__main__":
    main()
