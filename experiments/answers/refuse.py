"""Weights of ``refuse`` and what they refuse: as shipped, with each collection left out, risk over coverage.

Run with ``LEGALIR_DATA`` set and scikit-learn installed; ``LEGALIR_SEMANTIC=off`` leaves the encoder out. With it, the
collections need vectors of e5; the others are left out. Questions outside are those of ``outside.json``, of
``out_of_scope.jsonl`` where a collection has this file, and questions of other collections. One half is where a share
:data:`JUDGED` of the judged questions is refused, in the mean over the collections that are learnt from. The questions
of one collection in ``outside.json`` are everyday ones (``asked``) and about law that it lacks (``asked law``), about
other states and laws by name (``state``, ``lacking law``), and questions inside that name a state (``state inside``).
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import legalir
from legalir.answer.refuse import MEANING, WORDS, Refuse
from legalir.measure.confidence import risk_coverage

COLUMNS = ["known", "length", "close", "named", "area"]
JUDGED = {"words": 0.025, "meaning": 0.02}
"""Share of the judged questions that may be refused, by words alone and with the encoder."""

DECIDED = ["state", "lacking law", "state inside"]
"""Kinds of questions that are not learnt from."""

ALL_LAW = ["koblex", "stard-dev/dev", "kr-precedent-core/dev"]
"""Collections of law on everything: nothing is other law."""

SPECIAL = [
    "alqac-dev/dev",
    "it-quiz-dev/dev",
    "lqad-dev/dev",
    "gerlayqa-dev/dev",
    "nitibench-tax",
    "fr-travail-dev/dev",
]
COLLECTIONS = [*ALL_LAW, *SPECIAL, "firecode", "kuhperdata-dev/dev", "searchfiresafety/full", "ll144", "obliqa-dev/dev"]
KOREAN = {"koblex": 30, "kr-precedent-core/dev": 30}
OTHERS: dict[str, dict[str, int]] = {
    "firecode": KOREAN,
    "searchfiresafety/full": KOREAN,
    "ll144": {"obliqa-dev/dev": 40},
    "obliqa-dev/dev": {"ll144": 40},
}
"""Collections that get questions of others: which, and how many."""

WORTH = {
    "everyday": 1,
    "other law": 1,
    "cross": 1,
    "near": 0.3,
    "out": 0.3,
    "three": 0.3,
    "eight": 0.2,
    "asked": 0.5,
    "asked law": 1,
}
"""Weight of each kind of questions outside: `three` and `eight` in a row; `near` and `out` are of a file."""


def judged(name: str, most: int) -> list[str]:
    """Return a sample of the judged questions of a collection."""
    collection = legalir.Collection(f"legalir/{name}")
    asked = collection.topics()
    queries: list[str] = asked.loc[asked["qid"].isin(collection.qrels()["qid"]), "query"].tolist()
    return [queries[i] for i in sorted(random.Random(7).sample(range(len(queries)), min(most, len(queries))))]


def in_a_row(queries: list[str], size: int) -> list[str]:
    """Return twelve texts of so many questions."""
    drawn = random.Random(5)
    return [" ".join(drawn.sample(queries, size)) for _ in range(12)]


def questions(name: str, collection: legalir.Collection) -> pd.DataFrame:
    """Return the questions asked of a collection: ``kind, query, label``, label a kind within `near`."""
    lists = json.loads(Path(__file__).with_name("outside.json").read_text(encoding="utf-8"))
    sets = {"judged": judged(name, 120), "everyday": lists["everyday"][collection.language]}
    if name not in ALL_LAW:
        sets["other law"] = lists["other law"][collection.language]
        joined = sets["everyday"] + sets["other law"]
        sets |= {"three": in_a_row(joined, 3), "eight": in_a_row(joined, 8)}
    sets |= lists["of collections"].get(name, {})
    sets["cross"] = [query for other, most in OTHERS.get(name, {}).items() for query in judged(other, most)]
    rows = [(kind, query, "") for kind, queries in sets.items() for query in queries]
    root = collection.source.folder.root
    if (file := root / "out_of_scope.jsonl").is_file():
        outside = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        rows += [("near" if "kind" in one else "out", one["query"], one.get("kind", "")) for one in outside]
    if name == "firecode":
        with (root / "queries.yesno.jsonl").open(encoding="utf-8") as lines:
            rows += [("yesno", json.loads(line)["query"], "") for line, _ in zip(lines, range(60), strict=False)]
    return pd.DataFrame(rows, columns=["kind", "query", "label"])


def table(meaning: bool) -> pd.DataFrame:
    """Return the questions of all collections with what they share beyond chance, their evidence as shipped."""
    parts = []
    for name in COLLECTIONS:
        collection = legalir.Collection(f"legalir/{name}")
        refuse = Refuse(collection)
        if meaning and refuse._vectors is None:
            continue
        asked = questions(name, collection)
        features = refuse.features(asked.assign(qid=asked.index.astype(str)))
        asked[COLUMNS] = refuse.shares(features)
        asked["whole"] = [one.whole > 0 for one in features]
        asked["outside"] = [one.outside > 0 for one in features]
        parts.append(asked.assign(collection=name, evidence=refuse.evidence(features)))
    return pd.concat(parts, ignore_index=True)


def fit(rows: pd.DataFrame, meaning: bool) -> tuple[np.ndarray, float]:
    """Return the weights, and the sum at which the evidence is one half."""
    rows = rows[~(rows["outside"] | rows["kind"].isin(DECIDED))]
    inside = rows["kind"].isin(["judged", "yesno"])
    worth = rows["kind"].map(WORTH).fillna(1.0)
    each = worth / rows.groupby(["collection", rows["kind"].where(~inside, "")])["query"].transform("size")
    each /= each.groupby([rows["collection"], inside]).transform("sum")
    shares = rows[[one for one in COLUMNS if meaning or one != "close"]]
    model = LogisticRegression(C=100, max_iter=1000).fit(shares, inside, sample_weight=100 * each)
    weights = model.coef_[0].round(1)
    judged = rows["kind"] == "judged"
    sums = (shares @ weights).mask(rows["whole"], np.inf)[judged].groupby(rows["collection"])
    levels = np.arange(-5, 15, 0.05)
    refused = np.mean([[(of_one < level).mean() for level in levels] for _, of_one in sums], axis=0)
    return weights, float(levels[refused <= JUDGED["meaning" if meaning else "words"]].max())


def shares(refused: pd.Series, rows: pd.DataFrame) -> str:
    """Return the percent of each kind that are refused, a line for each collection."""
    by = refused.groupby([rows["collection"], rows["kind"]]).mean().unstack()[["judged", *WORTH, *DECIDED]]
    by.loc["mean"] = by.mean()
    return (100 * by).round(1).to_string(na_rep="")


def main() -> None:
    """Print the tables."""
    meaning = os.environ.get("LEGALIR_SEMANTIC") != "off"
    rows = table(meaning)
    columns = [one for one in COLUMNS if meaning or one != "close"]
    weights, zero = fit(rows, meaning)
    print(f"learnt: {dict(zip(columns, weights, strict=True))}, one half at {zero:.2f}")
    print(f"shipped: {MEANING if meaning else WORDS}\n\nas shipped, percent refused")
    print(shares(rows["evidence"] < 0.5, rows))
    left_out = pd.Series(False, index=rows.index)
    for name in rows["collection"].unique():
        own = rows["collection"] == name
        weights, zero = fit(rows[~own], meaning)
        left_out[own] = (rows.loc[own, columns] @ weights < zero) & ~rows.loc[own, "whole"] | rows.loc[own, "outside"]
    asked = rows[rows["kind"].isin(["asked", "asked law", *DECIDED])]
    print((asked["evidence"] < 0.5).groupby(asked["kind"]).agg(["mean", "sum", "size"]))
    print("\nleave one collection out, percent refused")
    print(shares(left_out, rows))
    near = rows[rows["label"] != ""]
    print("\nfirecode, share of its questions outside that is refused")
    for words, refused in {"as shipped": near["evidence"] < 0.5, "left out": left_out[near.index]}.items():
        print(words, refused.groupby(near["label"]).mean().to_dict())
    own = rows[(rows["collection"] == "firecode") & rows["kind"].isin(["judged", "near"])]
    curve = risk_coverage(own["evidence"].tolist(), (own["kind"] == "near").tolist())
    for share in (0.25, 0.5, 0.75, 1):
        print(f"coverage {share}: risk {100 * curve.risk[int((curve.coverage < share).sum())]:.1f}")


if __name__ == "__main__":
    main()
