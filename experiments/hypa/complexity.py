"""Train HyPA-RAG's classifiers of questions and compare their macro-F1 with the targets.

    python experiments/hypa/complexity.py

It needs ``$LEGALIR_DATA/hypa-complexity``, takes seconds, and leaves the models in ``results/hypa``, where
``ll144.yaml`` looks for them. The same with one command a model: ``legalir train complexity
$LEGALIR_DATA/hypa-complexity --classes 3 --model svm --out results/hypa/svm3``.
"""

from __future__ import annotations

import os
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


def main() -> None:
    data = Path(os.environ.get("LEGALIR_DATA", ""), "hypa-complexity")
    if not data.is_dir():
        sys.exit("not run: there is no hypa-complexity in $LEGALIR_DATA")
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
