"""A collection of the tests as a folder of the format that ``legalir datasets check`` knows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path


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
