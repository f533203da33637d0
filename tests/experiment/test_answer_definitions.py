"""The shipped experiments on answers: they can be read, and name components and systems that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from legalir import plugins
from legalir.experiments import Definition, read_expected, run
from legalir.pipeline.builder import names

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
FILES = sorted(file for folder in ("answers", "safety") for file in (EXPERIMENTS / folder).glob("*.yaml"))
COMPONENTS = {entry.name for entry in plugins.entries()}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_its_components_exist(file: Path) -> None:
    definition = Definition.load(file)
    assert names_of(definition) <= COMPONENTS
    assert file.name in (file.parent / "README.md").read_text(encoding="utf-8")


def names_of(definition: Definition) -> set[str]:
    return set().union(*(names(text) for text in definition.expressions().values()))


def test_the_baselines_give_the_expected_scores() -> None:
    file = EXPERIMENTS / "safety" / "baselines.yaml"
    definition = Definition.load(file)
    result = run(definition, latency_queries=0)
    expected = read_expected(file.with_name("baselines.expected.tsv")).scores
    table = result.table.set_index("name")
    assert {place: table.loc[place] for place in expected} == pytest.approx(expected, abs=1e-6)
    assert (table.loc["right, partial", "Correct"], table.loc["abstain, full", "Correct"]) == (1, 0)
