"""The shipped experiments give their expected scores."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from legalir.experiment import Definition, compare, read_expected, run

EXPERIMENTS = Path(__file__).parent.parent / "experiments"
DATA = os.environ.get("LEGALIR_DATA", "")


def check(definition: Path, out: Path) -> None:
    result = run(definition, out, latency_queries=1)
    comparison = compare(result, read_expected(definition.with_suffix(".expected.tsv")))
    assert comparison.ok, [cell for cell in comparison.cells if cell.status != "same"]


def test_quickstart(tmp_path: Path) -> None:
    check(EXPERIMENTS / "quickstart.yaml", tmp_path / "out")


@pytest.mark.parametrize("name", ["searchfiresafety", "koblex", "nitibench-tax"])
def test_real_collections(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (Path(DATA) / name / "corpus.jsonl.gz").is_file():
        pytest.skip(f"not run: there is no collection {name} in $LEGALIR_DATA")
    monkeypatch.setenv("LEGALIR_DATA", DATA)
    check(EXPERIMENTS / name / "sparse.yaml", tmp_path / "out")


def test_every_experiment_can_be_read_and_has_expected_scores() -> None:
    files = sorted(EXPERIMENTS.rglob("*.yaml"))
    assert len(files) >= 4
    for file in files:
        assert Definition.load(file).baseline
        assert file.with_suffix(".expected.tsv").is_file(), file
