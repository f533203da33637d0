"""Measure how references in official answers are resolved: right, wrong, or open for a person.

    python experiments/searchfiresafety/references.py

It needs ``$LEGALIR_DATA/searchfiresafety`` with ``raw/qna_ver1.jsonl`` and takes seconds. First each reference string
that the authors took from the answers is read alone; it is right if it is resolved to a gold provision of its question,
and wrong if it is resolved to another one although the question has gold provisions in this collection. Then whole
answers are read, as ``legalir synthesize labels --from answers`` does, and compared with the judgements of the 143
questions whose gold provisions are all in the collection.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import legalir
from legalir.references.lookup import NumberTable
from legalir_study.answered import AnswerReference, references_in, synthesize_answer_labels


def main() -> None:
    data = Path(os.environ.get("LEGALIR_DATA", ""), "searchfiresafety")
    source = data / "raw" / "qna_ver1.jsonl"
    if not source.is_file():
        sys.exit(f"{source} is not there: set LEGALIR_DATA to a folder with searchfiresafety.")
    rows = {f"F{row['question_id']}": row for row in map(json.loads, source.open(encoding="utf-8"))}
    collection = legalir.Collection(data)
    numbers = NumberTable.of(collection)
    gold, full = judged(collection), judged(legalir.Collection(data / "full"))

    states = Counter(
        state(references_in(text, numbers), gold.get(qid, set()))
        for qid, row in rows.items()
        for text in row["law_references"]
    )
    print(f"{states.total()} reference strings")
    for name, count in states.most_common():
        print(f"  {count:5} {name}")

    pairs = {(qid, docno) for qid, docnos in full.items() for docno in docnos}
    read = {
        (qid, docno)
        for qid in full
        for one in references_in(rows[qid]["answer"], numbers)
        if one.state == "resolved"
        for docno in one.docnos
    }
    right = len(pairs & read)
    print(f"{len(full)} answers with {len(pairs)} judged provisions")
    print(f"  {right:5} resolved right")
    print(f"  {len(read - pairs):5} resolved, but not judged")
    print(f"  {len(pairs - read):5} not resolved")
    offered = {
        (row["qid"], docno)
        for row in synthesize_answer_labels(collection).kept
        for reference in row.get("open", ())
        for docno in reference["candidates"]
    }
    print(f"  {len((pairs - read) & offered):5} of these among the candidates of an open reference")


def judged(collection: legalir.Collection) -> dict[str, set[str]]:
    """Return the gold provisions of each question."""
    gold: dict[str, set[str]] = {}
    for qid, docno, label in collection.qrels().itertuples(index=False):
        if label >= 1:
            gold.setdefault(qid, set()).add(docno)
    return gold


def state(references: Sequence[AnswerReference], gold: set[str]) -> str:
    """Return what became of one reference string."""
    docnos = {docno for one in references if one.state == "resolved" for docno in one.docnos}
    if docnos:
        return "resolved right" if docnos & gold else "resolved wrong" if gold else "resolved, question without gold"
    return f"open: {references[0].state if references else 'nothing read'}"


if __name__ == "__main__":
    main()
