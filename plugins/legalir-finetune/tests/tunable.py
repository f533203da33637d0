"""A small collection to tune on: common letters say nothing, and which words belong together can be learnt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_models

from legalir_finetune import FineTuned, FineTuning, finetune

KOREAN = ("관계인", "소방시설", "설치", "무창층", "배연", "설비", "이하", "징역", "처한다", "용어")
ENGLISH = ("owner", "shall", "door", "exit", "section", "storage", "of", "applies", "ing", "the")

LETTERS = "abcdefghij"

TINY: dict[str, Any] = {
    "batch": 4,
    "epochs": 2,
    "rate": 3e-3,
    "temperature": 0.05,
    "query_length": 12,
    "passage_length": 12,
    "negatives": "bm25",
    "seed": 5,
    "device": "cpu",
}
"""Settings with which a tiny model is tuned in a second."""


def write_splits(
    folder: Path,
    corpus: Sequence[Mapping[str, str]],
    queries: Sequence[Mapping[str, str]],
    splits: Mapping[str, Sequence[str]],
    *,
    lang: str,
) -> Path:
    """Write a folder that is not there yet; a split is lines of qrels, and all splits are of the same queries."""
    folder.mkdir(parents=True)
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for name, lines in splits.items():
        (folder / f"qrels.{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "dataset.yaml").write_text(f"title: Invented\nlicence: CC0-1.0\nlang: {lang}\n", encoding="utf-8")
    return folder


def write_collection(folder: Path, *, shared: bool = False) -> Path:
    """Write a folder with the splits train and dev: subject i is KOREAN[i] in provisions, ENGLISH[i] in queries.

    Args:
        folder: where to.
        shared: whether the dev split judges a query of the train split, too.
    """
    rng = np.random.default_rng(7)
    corpus, queries, train, dev = [], [], [], []
    for number, word in enumerate(KOREAN):
        for part in range(3):
            text = f"{word} {LETTERS[int(rng.integers(10))]} {LETTERS[int(rng.integers(10))]}."
            corpus.append({"docno": f"d{number}-{part}", "text": text})
        for turn in range(8):
            letters = rng.permutation(10)[:3]
            queries.append(
                {"qid": f"q{number}-{turn}", "query": f"{ENGLISH[number]} {' '.join(LETTERS[n] for n in letters)}?"}
            )
            lines = train if turn < 6 else dev
            lines += [f"q{number}-{turn} 0 d{number}-{part} 1" for part in range(2)]
    if shared:
        dev.append("q0-0 0 d0-0 1")
    return write_splits(folder, corpus, queries, {"train": train, "dev": dev}, lang="ko")


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder, by its path in it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def write_tunable(root: Path) -> Path:
    """Write a collection and two models into a folder: ``statutes``, ``bert`` and ``m3``.

    The models' weights are spread less than those of other tiny models, which learn nothing in so few steps.
    """
    write_collection(root / "statutes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiny_models, "SPREAD", 0.1)
        tiny_models.write_sentence(root / "bert", "mean")
        tiny_models.write_m3(root / "m3", max_length=64)
    return root


def tuned(root: Path, out: Path, model: str = "bert", **changes: Any) -> FineTuned:
    """Tune one of the models of :func:`write_tunable` on its statutes, which stand in `root`, too."""
    options = {name: changes.pop(name) for name in ("resume", "replace") if name in changes}
    values = {"dataset": str(root / "statutes" / "train"), "model": str(root / model), "out": str(out), **TINY}
    return finetune(FineTuning.parse({**values, **changes}, "r"), progress=False, **options)
