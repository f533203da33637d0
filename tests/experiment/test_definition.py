"""Experiment definitions: defaults, and every mistake in one sentence that names file and key."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from legalir.errors import DefinitionError, ExperimentError, MeasureError
from legalir.experiments import Definition
from legalir.experiments.definition import Sample

GOOD = {
    "dataset": "legalir/firecode",
    "measures": ["nDCG@10", "MRR@10", "MultiMRR@10"],
    "systems": {"BM25": "bm25", "TF-IDF": "tfidf"},
}


def write(folder: Path, text: str) -> Path:
    path = folder / "quick.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_and_order(tmp_path: Path) -> None:
    definition = Definition.load(write(tmp_path, yaml.safe_dump(GOOD, sort_keys=False)))
    assert definition.title == "quick"
    assert list(definition.systems) == ["BM25", "TF-IDF"]
    assert definition.measures == ("nDCG@10", "RR@10", "MultiMRR@10")  # by their names in ir_measures
    assert (definition.baseline, definition.test, definition.correction) == (None, "t", "holm")
    assert (definition.alpha, definition.depth, definition.tolerance) == (0.05, 100, None)
    assert [str(measure) for measure in definition.measure_objects()] == list(definition.measures)


def test_a_definition_survives_being_written_and_read(tmp_path: Path) -> None:
    value = {
        **GOOD,
        "title": "제목: ก",
        "description": "One.\n\nTwo.",
        "baseline": "BM25",
        "test": "randomisation",
        "correction": None,
        "alpha": 0.01,
        "depth": 17,
        "tolerance": 0.002,
        "notes": "n",
        "references": [{"name": "Paper", "source": "p. 3", "scores": {"MRR@10": 0.318}}],
    }
    definition = Definition.parse(value)
    assert definition.references[0].scores == {"RR@10": 0.318}
    path = write(tmp_path, yaml.safe_dump(definition.as_dict(), allow_unicode=True, sort_keys=False))
    assert Definition.load(path) == definition


def test_a_dataset_path_is_seen_from_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "experiments"
    folder.mkdir()
    path = write(folder, yaml.safe_dump({**GOOD, "dataset": "../data/full"}))
    assert Definition.load(path).dataset == str(tmp_path / "data" / "full")
    path = write(folder, yaml.safe_dump({**GOOD, "dataset": "legalir/x/full"}))
    assert Definition.load(path).dataset == "legalir/x/full"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sistems": {}}, ["'sistems'", "Did you mean 'systems'?"]),
        ({"measures": ["RR@10", "MRR@10"]}, ["RR@10", "twice"]),
        ({"systems": {}}, ["'systems'", "empty"]),
        ({"systems": {True: "bm25"}}, ["'systems'", "True", "quotes"]),
        ({"systems": {"a\tb": "bm25"}}, ["'systems'", "control character"]),
        ({"baseline": "BM52"}, ["'baseline'", "'BM52'", "Did you mean 'BM25'?"]),
        ({"test": "wilcoxn"}, ["'test'", "Did you mean 'wilcoxon'?"]),
        ({"correction": "hulm"}, ["'correction'", "holm"]),
        ({"alpha": 1}, ["'alpha'", "below 1"]),
        ({"depth": 0}, ["'depth'", "at least 1"]),
        ({"tolerance": -0.1}, ["'tolerance'", "at least 0"]),
        ({"references": [{"name": "x"}]}, ["'references'", "'scores'"]),
        ({"references": [{"name": "x", "scores": {"R@5": 48.0}}]}, ["'references', item 1", "'R@5'", "at most 1"]),
        ({"references": [{"name": "x", "scores": {"Correctness": 5.5}}]}, ["'Correctness'", "at most 5"]),
    ],
)
def test_a_mistake_names_file_and_key(tmp_path: Path, change: dict[str, object], words: list[str]) -> None:
    path = write(tmp_path, yaml.safe_dump({**GOOD, **change}, sort_keys=False))
    with pytest.raises(ExperimentError) as caught:
        Definition.load(path)
    for word in [str(path), *words]:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", sorted(GOOD))
def test_a_missing_key_is_named(missing: str) -> None:
    value = {key: item for key, item in GOOD.items() if key != missing}
    with pytest.raises(ExperimentError, match=f"the key '{missing}' is missing"):
        Definition.parse(value)


@pytest.mark.parametrize("name", ["nDCG@ten", "nDGC@10", "MultiMRR@0", "", "nDCG@10 R@5"])
def test_an_unknown_measure_is_a_measure_error(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, yaml.safe_dump({**GOOD, "measures": [name]}))
    with pytest.raises((MeasureError, ExperimentError), match=r"quick\.yaml: 'measures'"):
        Definition.load(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("dataset: a\ndataset: b\n", ["line 2", "'dataset'", "twice"]),
        ("systems:\n  A: bm25\n  A: tfidf\n", ["line 3", "'A'", "twice"]),
        ("- a\n", ["a list", "mapping"]),
    ],
)
def test_a_file_that_is_no_experiment(tmp_path: Path, text: str, words: list[str]) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ExperimentError) as caught:
        Definition.load(path)
    for word in [str(path), *words]:
        assert word in str(caught.value)


def test_a_missing_file_a_folder_and_a_wrong_encoding(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="does not exist"):
        Definition.load(tmp_path / "none.yaml")
    with pytest.raises(ExperimentError, match="cannot be read"):
        Definition.load(tmp_path)
    path = tmp_path / "cp949.yaml"
    path.write_bytes("title: 소방".encode("cp949"))
    with pytest.raises(ExperimentError, match="UTF-8"):
        Definition.load(path)


@pytest.mark.parametrize(
    ("measures", "depth", "expected"),
    [
        (["nDCG@10"], None, 100),
        (["nDCG@10", "R@1000", "MultiHitRate@500"], None, 1000),
        (["nDCG@10", "R@1000"], 1000, 1000),
        (["MultiMRR@7"], 7, 7),
        (["MicroR@8", "R@5"], 7, "MicroR@8"),
        (["AP@1000"], 999, "AP@1000"),
        (["Correct", "R@5"], 3, "R@5"),
    ],
)
def test_no_measure_looks_deeper_than_the_lists(measures: list[str], depth: int | None, expected: int | str) -> None:
    values = {**GOOD, "measures": measures} | ({} if depth is None else {"depth": depth})
    if isinstance(expected, int):
        assert Definition.parse(values).depth == expected
        return
    with pytest.raises(ExperimentError) as caught:
        Definition.parse(values)
    assert expected in str(caught.value) and str(depth) in str(caught.value)


def test_a_measure_without_its_cutoff_has_that_of_the_lists() -> None:
    measures = ["AP", "RR(rel=2)", "nDCG", "MultiMRR", "NumRet", "SetF", "Rprec", "Bpref", "Correct", "P@3"]
    row = {"name": "Paper", "scores": {"AP": 0.3, "P@3": 0.1}}
    definition = Definition.parse({**GOOD, "measures": measures, "depth": 50, "references": [row]})
    named = ("AP@50", "RR(rel=2)@50", "nDCG@50", "MultiMRR@50", "NumRet", "SetF", "Rprec", "Bpref", "Correct", "P@3")
    assert definition.measures == named
    assert definition.references[0].scores == {"AP@50": 0.3, "P@3": 0.1}
    assert Definition.parse(definition.as_dict()) == definition
    with pytest.raises(ExperimentError, match="AP@100 twice"):
        Definition.parse({**GOOD, "measures": ["AP", "AP@100"]})


@given(groups=st.lists(st.integers(0, 4), min_size=1, max_size=60), n=st.integers(1, 70), seed=st.integers(0, 3))
def test_a_sample_has_each_value_by_its_share(groups: list[int], n: int, seed: int) -> None:
    values = {f"q{number}": str(group) for number, group in enumerate(groups)}
    drawn = Sample(n=n, by="law", seed=seed).drawn(values)
    size = min(n, len(groups))
    assert len(drawn) == len(set(drawn)) == size
    for value, count in Counter(values.values()).items():
        assert abs(sum(values[qid] == value for qid in drawn) - size * count / len(groups)) < 1
    alike = Sample(share=size / len(groups), by="law", seed=seed).drawn(dict(reversed(values.items())))
    assert sorted(alike) == sorted(drawn)


@pytest.mark.parametrize("sample", [{}, {"n": 3, "share": 0.5}, {"n": 0}, {"share": 1.5}])
def test_a_sample_has_a_number_or_a_share(sample: dict[str, object]) -> None:
    with pytest.raises(DefinitionError, match="sample"):
        Definition.parse({"dataset": "x", "measures": ["RR"], "systems": {"a": "bm25"}, "sample": sample})
