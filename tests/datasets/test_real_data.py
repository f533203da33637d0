"""The real folders, where $LEGALIR_DATA names them. Figures: their READMEs."""

import os
from pathlib import Path

import pytest

from legalir.datasets import load

DATA = os.environ.get("LEGALIR_DATA", "")

FIGURES = {
    # id: provisions, topics, judgements, links
    "koblex": (18_803, 221, 389, 33_028),
    "koblex/en": (18_803, 221, 389, 33_028),
    "ll144": (28, 248, 812, 0),
    "nitibench-tax": (5_127, 50, 142, 4_136),
    "searchfiresafety": (5_924, 219, 308, 11_063),
    "searchfiresafety/full": (5_924, 143, 213, 11_063),
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures(name, monkeypatch, caplog):
    if not (Path(DATA) / name.split("/")[0] / "README.md").is_file() or not DATA:
        pytest.skip(f"not run: $LEGALIR_DATA has no {name.split('/')[0]}")
    monkeypatch.setenv("LEGALIR_DATA", DATA)
    dataset = load(f"legalir/{name}")
    figures = (
        sum(1 for _ in dataset.docs()),
        len(dataset.topics()),
        len(dataset.qrels()),
        sum(1 for _ in dataset.links()),
    )
    assert figures == FIGURES[name]
    assert dataset.docs_count() == figures[0]
    assert not caplog.records
