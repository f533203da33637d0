"""Read questions with many judged provisions to a budget, in rank order and as a survey; then compare both.

    python experiments/survey/survey.py read legalir/searchfiresafety --least 3 --out readings.jsonl
    python experiments/survey/survey.py table readings.jsonl

``--citing`` asks for whole matters that the links give: all provisions that cite one; its title and first words ask.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import legalir
from legalir.survey.ranking import Ranking
from legalir.survey.recall import estimate

BUDGET, BATCH, TARGET = 600, 10, 0.95
_EMPTY = np.zeros(0, dtype=np.int64)


def judged(collection: legalir.Collection, least: int) -> Iterator[tuple[str, str, set[str]]]:
    """Yield qid, question and relevant provisions of each question with at least `least` of them."""
    texts = collection.topics().set_index("qid")["query"].to_dict()
    qrels = collection.qrels()
    for qid, rows in qrels[qrels["label"] > 0].groupby("qid"):
        if qid in texts and len(found := set(rows["docno"])) >= least:
            yield str(qid), texts[qid], found


def citing(collection: legalir.Collection, least: int) -> Iterator[tuple[str, str, set[str]]]:
    """Yield docno, words and citing provisions of each provision that `least` to 80 others cite."""
    links = collection.graph.adjacency("in")
    for node in np.flatnonzero((links.degrees() >= least) & (links.degrees() <= 80)):
        docno = str(collection.graph.docnos[node])
        record = collection.provisions([docno])[docno]
        found = {str(one) for one in collection.graph.docno_table[links.row(node).astype(np.int64)]} - {docno}
        if len(found) >= least:
            yield docno, f"{record.title} {record.text[:200]}", found


def places(collection: legalir.Collection, question: str, relevant: set[str]) -> dict[str, Any]:
    """Return where the relevant provisions are read, from 1, in rank order and in a survey, up to the budget."""
    ranking = Ranking(collection, question)
    numbers = set(ranking.numbers(sorted(relevant)).tolist()) - {-1}
    read: list[int] = []
    while len(read) < BUDGET:
        kinds = [[one for one in read if (one in numbers) == kind] for kind in (True, False)]
        batch = ranking.first(BATCH, *(np.array(one, dtype=np.int64) for one in (*kinds, read)))
        if not len(batch):
            break
        read += batch.tolist()
    orders = {"base": ranking.found.tolist()[:BUDGET], "hits": read}
    hits = {name: [n for n, one in enumerate(order, 1) if one in numbers] for name, order in orders.items()}
    return {"N": len(ranking), "R": len(numbers), **hits}


def stopped(row: dict[str, Any]) -> tuple[int, float, bool] | None:
    """Return readings, recall, and whether the lower end was right, where the survey ends; None: not in the budget."""
    for read in range(BATCH, BUDGET + 1, BATCH):
        hits = [place for place in row["hits"] if place <= read]
        found = estimate(hits, read, row["N"])
        if found.reaches(TARGET):
            return read, len(hits) / row["R"], len(hits) / row["R"] >= found.low - 1e-9
    return None


def _recall(rows: list[dict[str, Any]], order: str, read: int) -> float:
    return float(np.mean([sum(place <= read for place in row[order]) / row["R"] for row in rows]))


def _same(rows: list[dict[str, Any]], read: int) -> int:
    """Return the readings of a survey that give the mean recall of `read` readings in rank order."""
    goal = _recall(rows, "base", read)
    return next((n for n in range(BATCH, BUDGET + 1, BATCH) if _recall(rows, "hits", n) >= goal - 1e-9), BUDGET)


def _needed(rows: list[dict[str, Any]], order: str) -> str:
    """Return the median readings until 95 % are found; above the budget if most do not get there."""
    needed = []
    for row in rows:
        goal = int(np.ceil(TARGET * row["R"]))
        needed.append(row[order][goal - 1] if len(row[order]) >= goal else np.inf)
    middle = float(np.median(needed))
    return f"{middle:.0f}" if np.isfinite(middle) else f"> {BUDGET}"


def table(paths: list[Path]) -> None:
    """Print a row of a Markdown table for each set."""
    sets = defaultdict(list)
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            sets[row["set"]].append(row)
    draw = np.random.default_rng(0)
    for name, rows in sets.items():
        boot = [_same([rows[i] for i in draw.integers(0, len(rows), len(rows))], 200) for _ in range(200)]
        low, high = np.percentile(boot, [2.5, 97.5])
        ends = [one for one in map(stopped, rows) if one is not None]
        recalls = " / ".join(f"{100 * _recall(rows, order, n):.0f}" for n in (50, 200) for order in ("base", "hits"))
        done = "– | – | – | –"
        if ends:
            read, recall, right = (np.array(one, dtype=np.float64) for one in zip(*ends, strict=True))
            shares = [recall.mean(), (recall >= TARGET).mean(), right.mean()]
            done = f"{np.median(read):.0f} | " + " | ".join(f"{100 * share:.0f}" for share in shares)
        print(
            f"| {name} | {len(rows)} | {np.median([row['R'] for row in rows]):.0f} | {recalls} | "
            f"{_same(rows, 200)} ({low:.0f}–{high:.0f}) | {_needed(rows, 'base')} / {_needed(rows, 'hits')} | "
            f"{len(ends)} | {done} |",
            flush=True,
        )


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    read = commands.add_parser("read")
    read.add_argument("dataset")
    read.add_argument("--least", type=int, default=5, help="least relevant provisions of a question")
    read.add_argument("--count", type=int, default=40, help="questions, drawn with a fixed seed")
    read.add_argument("--citing", action="store_true")
    read.add_argument("--out", type=Path, required=True)
    commands.add_parser("table").add_argument("files", type=Path, nargs="+")
    given = parser.parse_args()
    if given.command == "table":
        table(given.files)
        return
    collection = legalir.Collection(given.dataset)
    matters = list((citing if given.citing else judged)(collection, given.least))
    order = np.random.default_rng(0).permutation(len(matters))[: given.count]
    name = given.dataset.removeprefix("legalir/") + (", citing" if given.citing else "")
    with given.out.open("w", encoding="utf-8") as stream:
        for qid, question, relevant in (matters[place] for place in order):
            stream.write(json.dumps({"set": name, "qid": qid, **places(collection, question, relevant)}) + "\n")
            stream.flush()


if __name__ == "__main__":
    main()
