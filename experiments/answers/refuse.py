"""How many questions ``refuse`` keeps and refuses: a table of collections, and risk over coverage of the bundled one.

Run with ``LEGALIR_DATA`` set; ``LEGALIR_SEMANTIC=off`` leaves the encoder out. Questions outside are those
of ``out_of_scope.jsonl``, where a collection has this file.
"""

from __future__ import annotations

import json

import pandas as pd

import legalir
from legalir.answer.refuse import Refuse
from legalir.measure.confidence import risk_coverage

COLLECTIONS = {
    "ko": ["firecode", "searchfiresafety/full", "koblex"],
    "en": ["ll144", "obliqa-dev/dev"],
    "vi": ["alqac-dev/dev"],
    "it": ["it-quiz-dev/dev"],
    "pl": ["lqad-dev/dev"],
    "de": ["gerlayqa-dev/dev"],
    "id": ["kuhperdata-dev/dev"],
    "th": ["nitibench-tax"],
    "fr": ["fr-travail-dev/dev"],
    "zh": ["stard-dev/dev"],
}
MOST = 120


def evidence(refuse: Refuse, queries: list[str]) -> pd.Series:
    """Return the evidence of each question."""
    asked = pd.DataFrame({"qid": [str(number) for number in range(len(queries))], "query": queries})
    return pd.Series(refuse.evidence(refuse.features(asked)), dtype=float)


def main() -> None:
    """Print the shares, in percent, for each collection."""
    for language, names in COLLECTIONS.items():
        for name in names:
            collection = legalir.Collection(f"legalir/{name}")
            refuse = Refuse(collection)
            own = evidence(refuse, collection.topics()["query"].head(MOST).tolist())
            print(f"{language} {name}: {100 * (own < 0.5).mean():.1f} of {len(own)} judged questions refused")
            file = collection.source.folder.root / "out_of_scope.jsonl"
            if file.is_file():
                rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
                outside = evidence(refuse, [row["query"] for row in rows])
                kinds = pd.Series([row.get("kind", row.get("type")) for row in rows])
                for kind, share in (outside < 0.5).groupby(kinds).mean().items():
                    print(f"    {kind}: {100 * share:.0f} of {(kinds == kind).sum()} refused")
                curve = risk_coverage([*own, *outside], [False] * len(own) + [True] * len(outside))
                places = [int((curve.coverage < share).sum()) for share in (0.25, 0.5, 0.75, 1)]
                points = ", ".join(f"{100 * curve.coverage[i]:.0f}: {100 * curve.risk[i]:.1f}" for i in places)
                print(f"    coverage: risk (an answer to a question outside) {points}; area {curve.area:.3f}")


if __name__ == "__main__":
    main()
