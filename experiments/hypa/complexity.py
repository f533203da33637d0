"""Train HyPA-RAG's classifiers of questions, compare their macro-F1 with the targets, and gather its conversations.

    python experiments/hypa/complexity.py

It needs ``$LEGALIR_DATA/hypa-complexity``, takes seconds, and leaves the models in ``results/hypa``, where
``ll144.yaml`` looks for them. The same with one command a model: ``legalir train complexity
$LEGALIR_DATA/hypa-complexity --classes 3 --model svm --out results/hypa/svm3``. With ``$LEGALIR_DATA/ll144`` it also
leaves this collection there, with the earlier turns of its conversations, for ``conversation.yaml``.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from legalir_hypa.training import train_complexity

PARTS = ("validation", "test")
FIGURES = {
    # Published macro-F1, which are those of the validation part; and those of the released notebooks' recipe.
    (3, "lr"): (0.84, {"validation": 0.8358, "test": 0.8619}),
    (3, "svm"): (0.86, {"validation": 0.8587, "test": 0.8731}),
    (2, "lr"): (0.88, {"validation": 0.9073, "test": 0.9190}),
    (2, "svm"): (0.92, {"validation": 0.9213, "test": 0.9305}),
}
TOLERANCE = 0.005


def conversations(source: Path, out: Path) -> None:
    """Write a collection whose questions have their earlier turns, which the released file has, as ``history``."""
    out.mkdir(parents=True, exist_ok=True)
    for name in ("corpus.jsonl", "qrels.txt", "out_of_scope.jsonl"):
        shutil.copyfile(source / name, out / name)
    files = (source / "queries.jsonl", source / "raw" / "LL144_275_New.jsonl")
    questions, released = ([json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in files)
    with (out / "queries.jsonl").open("w", encoding="utf-8") as stream:
        for question, other in zip(questions, released, strict=False):  # Those out of scope are at the end.
            if question["query"] != other["question"]:
                sys.exit(f"{source}: {question['qid']} is another question in {files[1].name}")
            row = question | ({"history": turns} if (turns := other["conversation_history"]) else {})
            stream.write(f"{json.dumps(row, ensure_ascii=False)}\n")


def main() -> None:
    data = Path(os.environ.get("LEGALIR_DATA", ""), "hypa-complexity")
    if not data.is_dir():
        sys.exit("not run: there is no hypa-complexity in $LEGALIR_DATA")
    if (ll144 := data.with_name("ll144")).is_dir():
        conversations(ll144, Path("results", "hypa", "ll144"))
    print("classes  model  published  validation: target  ours  test: target  ours")
    good = True
    for (classes, model), (published, targets) in FIGURES.items():
        out = Path("results", "hypa", f"{model}{classes}")
        ours = train_complexity(data, out, classes=classes, model=model, replace=True).macro_f1
        cells = [f"{targets[part]:.4f}  {ours[part]:.4f}" for part in PARTS]
        print(f"{classes}        {model:5}  {published:.2f}       {cells[0]}  {cells[1]}")
        good = good and all(abs(ours[part] - targets[part]) <= TOLERANCE for part in PARTS)
    sys.exit(0 if good else f"a macro-F1 differs by more than {TOLERANCE} from its target")


if __name__ == "__main__":
    main()
