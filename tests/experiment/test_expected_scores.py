"""The shipped experiments give their expected scores."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pandas as pd
import pytest

from legalir.experiments import Definition, read_expected, run
from legalir.experiments.experiment import dataset_slug
from legalir.experiments.reproduce import Reproduction
from legalir.experiments.result import compare
from legalir.train.recipes import StaticRecipe

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
DATA = os.environ.get("LEGALIR_DATA", "")


KNOWN_WITH_MODELS = {*("BM25", "BM25, as published", "BM25, as released", "TF-IDF", "TF-IDF, as released", "MiniLM-L6")}
"""Systems of experiments with models whose scores are the same everywhere: of no model, or of one in a package."""

NOT_RUN = {"legalir/searchfiresafety/multihop", "legalir/nitibench/ccl"}
"""Published questions that nobody here has run yet."""

ASKS = re.compile(r"\b(answer|mcq|yesno|longcontext|standalone(?!\(join=True\)))\b")
"""Components that ask a chat model, in an expression."""


def check(definition: Path, out: Path) -> None:
    result = run(definition, out, latency_queries=1)
    comparison = compare(result, read_expected(definition.with_suffix(".expected.tsv")))
    assert comparison.ok, [cell for cell in comparison.cells if cell.status != "same"]
    again = run(definition, out, latency_queries=0)
    assert again.reused == list(result.system_runs)
    pd.testing.assert_frame_equal(again.table, result.table)


@pytest.fixture(name="home")
def home_of_the_bundled(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_HOME", str(built))


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("name", ["quickstart", "harbour"])
def test_bundled_collections(name: str, tmp_path: Path) -> None:
    check(EXPERIMENTS / f"{name}.yaml", tmp_path / "out")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "name",
    ["table4", "sar-beta", "nitilink", "fusion", "default-firecode", pytest.param("e5", marks=pytest.mark.neural)],
)
def test_methods_on_the_bundled_collection(name: str, tmp_path: Path) -> None:
    file = EXPERIMENTS / "methods" / f"{name}.yaml"
    several = bool(Definition.load(file).datasets)
    result, again = (run(file, tmp_path / "out", dataset="legalir/firecode/test", latency_queries=0) for _ in range(2))
    assert again.reused == list(result.system_runs)
    pd.testing.assert_frame_equal(again.table, result.table)
    expected = read_expected(file.with_name(f"{name}{'.firecode-test' if several else ''}.expected.tsv"))
    comparison = compare(result, expected)
    assert comparison.ok, [cell for cell in comparison.cells if cell.status != "same"]


@pytest.mark.parametrize("name", ["searchfiresafety", "koblex", "nitibench-tax"])
def test_real_collections(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (Path(DATA) / name / "corpus.jsonl.gz").is_file():
        pytest.skip(f"not run: there is no collection {name} in $LEGALIR_DATA")
    monkeypatch.setenv("LEGALIR_DATA", DATA)
    check(EXPERIMENTS / name / "sparse.yaml", tmp_path / "out")


def test_every_experiment_can_be_read_and_has_expected_scores() -> None:
    files = list(Reproduction(EXPERIMENTS).files.values())
    assert len(files) >= 4
    for file in files:
        definition = Definition.load(file)
        for one in definition.each():
            # What a model of language finds is known to those alone who have its weights.
            wanted = {name for name in definition.systems if not definition.values or name in KNOWN_WITH_MODELS}
            # Nor what a chat model answers, unless its replies are stored.
            wanted -= {
                name for name, text in definition.systems.items() if ASKS.search(text) and not definition.replies
            }
            if not wanted or one.dataset in NOT_RUN or file.parent.name == "boards":  # No set of a board is at hand.
                continue
            slug = f".{dataset_slug(one.dataset)}" if definition.datasets else ""
            expected = read_expected(file.with_name(f"{file.stem}{slug}.expected.tsv"))
            assert {system for system, _ in expected.scores} == wanted, file


def test_every_recipe_can_be_read_and_makes_the_model_of_its_name() -> None:
    recipes = sorted((EXPERIMENTS / "static" / "recipes").glob("*.yaml"))
    assert recipes
    for file in recipes:
        recipe = StaticRecipe.load(file)
        assert Path(recipe.out).name == file.stem or file.stem == "firecode", file
        assert "judgements" not in recipe.sources or recipe.hold_out == 0, "its model learnt from all questions"
