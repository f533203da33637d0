"""The experiment of chunkings gives its stored figures on firecode."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "experiments" / "chunking" / "run.py"


@pytest.fixture(name="run")
def experiment(monkeypatch):
    spec = importlib.util.spec_from_file_location("chunking_experiment", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "CHUNKINGS", {name: module.CHUNKINGS[name] for name in ("article", "line")})
    monkeypatch.setattr(module, "SYSTEMS", ("bm25",))
    return module


def test_firecode(run, tmp_path) -> None:
    new = [{name: str(value) for name, value in row.items()} for row in run.rows("legalir/firecode/test", tmp_path)]
    wanted = [row for row in run.stored() if row["dataset"] == "legalir/firecode/test" and row["system"] == "bm25"]
    assert new == [row for row in wanted if row["chunking"] in run.CHUNKINGS]


def test_what_was_read(run) -> None:
    chunks = [(0, 0, 50), (0, 60, 90), (1, 0, 40)]
    gold = [(0, 0, 50), (0, 50, 100), None]
    # The budget holds the first two: one provision whole, 30 of 50 characters of the next, and an unknown one.
    assert run.recalls(chunks, gold, 85) == (pytest.approx(1 / 3), pytest.approx(1.6 / 3))
    assert run.recalls(chunks, gold, 49) == (0, 0)
