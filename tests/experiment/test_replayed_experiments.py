"""Experiments with language models run from the replies beside them, give the expected scores, and are reused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest
from fake_collection import page_of

from legalir.experiments import Definition, read_expected, run
from legalir.experiments.experiment import REPLIES
from legalir.llm.client import Client

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
FILES = [file for file in sorted(EXPERIMENTS.rglob("*.yaml")) if "\nreplies: " in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_an_experiment_is_replayed(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    definition = Definition.load(file)
    result = run(definition, tmp_path, client=Client(offline=True), latency_queries=0)
    expected = read_expected(file.with_name(f"{file.stem}.expected.tsv")).scores
    table = result.table.set_index("name")
    found = {(name, measure): table.loc[name, measure] for name, measure in expected}
    assert found == pytest.approx(expected, abs=1e-6)
    # Systems are left out for their reranker alone, never for a reply.
    assert all("reranker" in definition.systems[name] for name in result.absent)
    used = [json.loads(line)["key"] for line in (tmp_path / REPLIES).read_text(encoding="utf-8").splitlines()]
    with gzip.open(definition.replies, "rt", encoding="utf-8") as stream:
        stored = [json.loads(line)["key"] for line in stream]
    assert used == stored
    asked = [one.record.llm["asked"] for one in result.system_runs.values() if one.record.llm]
    assert set(asked) == {0}
    again = run(definition, tmp_path, client=Client(offline=True), latency_queries=0)
    assert again.reused == list(result.system_runs)
    pd.testing.assert_frame_equal(again.table, result.table)
    assert "<h2>Language models</h2>" in page_of(again)


def test_texts_of_the_authors_give_the_expected_scores(tmp_path: Path) -> None:
    file = EXPERIMENTS / "rar" / "rewrites.yaml"
    definition = Definition.load(file)
    systems = {name: definition.systems[name] for name in ("default", "hypothetical provision", "RAR, N=M=30, k=20")}
    definition = definition.model_copy(update={"systems": systems})
    result = run(definition, tmp_path, client=Client("recorded"), latency_queries=0)
    expected = read_expected(file.with_name("rewrites.expected.tsv")).scores
    table = result.table.set_index("name")
    compared = {(name, measure): score for (name, measure), score in expected.items() if name in systems}
    assert {place: table.loc[place] for place in compared} == pytest.approx(compared, abs=1e-6)
    assert table.loc["hypothetical provision", "nDCG@10"] > table.loc["default", "nDCG@10"] + 0.2


def test_there_are_some() -> None:
    assert {file.stem for file in FILES} >= {"table2", "table5", "tables", "ablations"}
