"""The shipped experiments with neural models: they can be read, say what the papers have, and fit together."""

from __future__ import annotations

import re
from pathlib import Path

import pyterrier as pt
import pytest
from fake_collection import DEFINITION, FakeCollection

from legalir.errors import ModelError
from legalir.experiments import Definition, read_expected, run
from legalir.experiments.reproduce import Reproduction, compared
from legalir.experiments.result import Expected
from legalir.pipeline import canonical
from legalir.pipeline.builder import names

FOLDER = Path(__file__).parents[2] / "experiments" / "neural"
FILES = sorted(FOLDER.glob("*.yaml"))

# Percentages as printed in the papers, in the order of the measures of each file.
TABLES = {
    "sfs-a-table4": """
        BM25 23.39 30.40 40.63 16.95 18.85 21.03
        Qwen3-Embedding-0.6B 48.70 57.72 69.02 33.02 35.46 37.90
        Qwen3-Embedding-0.6B + RRF 45.13 56.18 68.63 30.05 33.06 35.76
        Qwen3-Embedding-0.6B + Rocchio 49.15 57.07 67.08 34.36 36.45 38.67
        Qwen3-Embedding-0.6B + SAR 53.26 62.32 73.49 36.67 39.14 41.58
        BGE-M3 53.77 61.66 72.79 37.67 39.85 42.23
        BGE-M3 + RRF 49.77 59.96 71.82 32.67 35.46 38.05
        BGE-M3 + Rocchio 52.53 59.45 69.80 34.38 36.31 38.53
        BGE-M3 + SAR 54.70 62.86 74.57 38.05 40.29 42.85
        BGE-M3, as released 53.14 61.46 72.66 37.35 39.61 42.07
        BGE-M3 + Rocchio, as released 46.66 57.18 69.57 31.22 34.06 36.78
        BGE-M3 + SAR, as released 55.45 63.62 73.46 38.22 40.47 42.65
        BGE-M3 + SAR, as released, undirected 54.18 62.97 73.40 37.77 40.18 42.48""",
    "sfs-a-sar-beta": """
        BGE-M3 + SAR, β=0 53.77 61.66 72.79
        BGE-M3 + SAR, β=0.1 54.16 62.66 73.35
        BGE-M3 + SAR, β=0.3 54.48 62.97 74.61
        BGE-M3 + SAR, β=0.5 53.71 63.34 75.46
        BGE-M3 + SAR, β=0.7 52.88 62.34 75.37
        BGE-M3 + SAR, β=0.9 52.50 62.02 75.01""",
    "sfs-a-finetuned": """
        BGE-M3 53.77 61.66 72.79 37.67
        BGE-M3 + SAR 54.70 62.86 74.57 38.05
        Fine-tuned BGE-M3 57.25 66.65 75.19
        Fine-tuned BGE-M3 + SAR 58.37 67.11 76.30""",
    "sfs-b-table3": """
        TF-IDF 7.85 17.81 23.18 51.40 15.47
        BM25 8.90 17.39 22.65 48.33 16.14
        MiniLM-L6 0.05 0.19 0.33 3.17 0.37
        KR-SBERT 4.67 10.70 16.12 46.90 10.92
        Qwen3-emb 15.72 38.00 48.23 77.83 31.55
        BGE-m3 19.54 42.52 53.00 80.65 35.94
        HyDE (BGE-m3) 13.96 38.15 47.44 78.07 30.74
        RRF 13.03 37.57 49.67 79.70 29.40
        wRRF 19.54 42.71 53.19 80.98 36.12""",
    "niti-table4": """
        BM25 48.0 12.0 21.1 31.8 17.1
        BGE-M3 (three heads) 72.0 24.0 33.8 58.0 33.7
        human-finetuned BGE-M3 74.0 22.0 33.1 56.5 32.0
        auto-finetuned BGE-M3 70.0 20.0 31.0 58.7 32.9
        long-context model 76.0 32.0 41.8 58.7 37.0""",
}

MODELS = {
    "bge_m3": "BAAI/bge-m3",
    "qwen3": "Qwen/Qwen3-Embedding-0.6B",
    "minilm": "sentence-transformers/all-MiniLM-L6-v2",
    "kr_sbert": "snunlp/KR-SBERT-V40K-klueNLI-augSTS",
    "reranker": "BAAI/bge-reranker-v2-m3",
}

NOT_OURS = {"BGE-M3, as released"}
"""Published rows of a system that has another row."""


def figures(table: str) -> dict[str, list[float]]:
    """Read a table: a name, then figures with a point in them; a row may have fewer than others."""
    rows = {}
    for line in table.strip().splitlines():
        name, numbers = re.fullmatch(r" *(.*?)((?: \d+\.\d+)+)", line).groups()  # type: ignore[union-attr]
        rows[name] = [float(number) for number in numbers.split()]
    return rows


def test_the_files_are_those_of_the_tables() -> None:
    assert [file.stem for file in FILES] == sorted(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_published_figures(name: str) -> None:
    definition = Definition.load(FOLDER / f"{name}.yaml")
    published = figures(TABLES[name])
    assert [row.name for row in definition.references] == list(published)
    for row in definition.references:
        expected = dict(zip(definition.measures, published[row.name], strict=False))
        assert {measure: 100 * value for measure, value in row.scores.items()} == pytest.approx(expected, abs=1e-9)
        assert row.source.startswith(("SFS-A", "SFS-B", "NITI"))


@pytest.mark.parametrize("name", TABLES)
def test_every_published_row_has_a_system_of_its_name(name: str) -> None:
    definition = Definition.load(FOLDER / f"{name}.yaml")
    assert {row.name for row in definition.references} - set(definition.systems) <= NOT_OURS


@pytest.mark.parametrize("name", TABLES)
def test_expressions_can_be_read_and_models_set(name: str) -> None:
    definition = Definition.load(FOLDER / f"{name}.yaml")
    for model, place in definition.values.items():
        assert model in ("finetuned", "auto_finetuned") or MODELS[model] == place
    changed = definition.with_values(dict.fromkeys(definition.values, "./a model"))
    for before, after in zip(definition.expressions().values(), changed.expressions().values(), strict=True):
        assert names(before) == names(after)
        assert ("./a model" in canonical(after)) == (before != after)
    assert Definition.parse(definition.as_dict()) == definition


def test_niti_weights_have_names() -> None:
    definition = Definition.load(FOLDER / "niti-table4.yaml")
    weights = "weights={'dense': 0.4, 'sparse': 0.2, 'multi': 0.4}"
    combined = [text for text in map(canonical, definition.expressions().values()) if text.startswith("m3(")]
    assert len(combined) == 4 and all(weights in text for text in combined)


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.expected.tsv")), ids=lambda file: file.name)
def test_expected_scores_are_of_rows_that_are_the_same_everywhere(file: Path) -> None:
    definition = Definition.load(file.with_name(file.name.replace(".expected.tsv", ".yaml")))
    systems = {system for system, _ in read_expected(file).scores}
    assert systems <= set(definition.systems)
    used = {model for model in definition.values for system in systems if f"${{{model}}}" in definition.systems[system]}
    assert used <= {"minilm"}


REPRODUCTION = Reproduction(FOLDER.parent)


def test_systems_without_a_model_are_those_that_are_checked() -> None:
    steady = REPRODUCTION.steady
    assert steady(Definition.load(FOLDER / "sfs-a-table4.yaml")) == {"BM25"}
    assert steady(Definition.load(FOLDER / "sfs-a-sar-beta.yaml")) == set()
    words = {"TF-IDF", "TF-IDF, as released", "BM25", "BM25, as released", "MiniLM-L6"}
    assert steady(Definition.load(FOLDER / "sfs-b-table3.yaml")) == words
    quickstart = Definition.load(FOLDER.parent / "quickstart.yaml")
    assert steady(quickstart) == set(quickstart.systems)


def test_a_check_compares_what_has_its_model(tmp_path: Path) -> None:
    systems = {"weak": "weak", "model": 'strong("${big}")', "gone": "strong % 1"}
    definition = {**DEFINITION, "systems": systems, "values": {"big": "x/y"}, "baseline": None}

    class Without(FakeCollection):
        def pipeline(self, expression: str) -> pt.Transformer:
            if expression == "strong % 1":
                raise ModelError("There is no such model.")
            return super().pipeline(expression.partition("(")[0])

    result = run(definition, collection=Without())  # type: ignore[arg-type]
    weak = {("weak", name): value for name, value in zip(("R@2", "nDCG@10", "RR@10"), (0.375, 0.0, 0.0), strict=True)}
    steady = REPRODUCTION.steady(result.definition)
    found = compared(result, Expected({**weak, ("gone", "R@2"): 0.5}, 0.0005), steady)
    # What needs a model of its own is not expected, and what was not run is not missing.
    assert [(cell.system, cell.measure) for cell in found.cells] == list(weak)
    assert found.cells[0].status == "same" and not found.ok
