"""Sweeps and several datasets: what a definition expands to, and how a sweep is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from legalir.errors import ComponentError, DatasetNotFound, ExperimentError
from legalir.experiments import Definition, ExperimentResult, ExperimentResults, run, run_all
from legalir.experiments.definition import Sweep
from legalir.experiments.html import curves

SWEEP = {"name": "BM25", "parameter": "k1", "values": [0, 0.9, 2], "expression": "bm25(k1={k1})"}
BASE = {"dataset": "legalir/firecode/dev", "measures": ["R@10", "nDCG@10"], "sweeps": [SWEEP]}


def test_a_value_is_one_system() -> None:
    definition = Definition.parse(BASE)
    assert definition.systems == {
        "BM25, k1=0": "bm25(k1=0)",
        "BM25, k1=0.9": "bm25(k1=0.9)",
        "BM25, k1=2": "bm25(k1=2)",
    }


def test_a_list_and_text_stay_what_they_are() -> None:
    weights = Sweep(
        name="Linear", parameter="w", values=((0.25, 0.75), (1, 0)), expression="linear(bm25, tfidf, weights={w})"
    )
    assert weights.systems() == {
        "Linear, w=0.25 : 0.75": "linear(bm25, tfidf, weights=[0.25, 0.75])",
        "Linear, w=1 : 0": "linear(bm25, tfidf, weights=[1, 0])",
    }
    text = Sweep(name="BM25", parameter="a", values=("char2",), expression="bm25(analyzer={a})")
    assert text.systems() == {"BM25, a=char2": "bm25(analyzer='char2')"}


def test_systems_come_first_and_a_definition_survives_its_file() -> None:
    definition = Definition.parse({**BASE, "systems": {"TF-IDF": "tfidf"}, "baseline": "TF-IDF"})
    assert next(iter(definition.systems)) == "TF-IDF"
    assert Definition.parse(definition.as_dict()) == definition
    assert definition.as_dict()["systems"] == {"TF-IDF": "tfidf"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sweeps": [{**SWEEP, "expression": "bm25"}]}, "no place for {k1}"),
        ({"sweeps": [{**SWEEP, "values": []}]}, "'sweeps', item 1, 'values' is empty"),
        ({"sweeps": [{**SWEEP, "values": 1}]}, "must be a list, got 1"),
        ({"sweeps": [{**SWEEP, "values": [1, 1]}]}, "has a value twice"),
        ({"sweeps": [{**SWEEP, "values": [{"a": 1}]}]}, "list of numbers"),
        ({"sweeps": [{"name": "x"}]}, "the key 'parameter' is missing"),
        ({"sweeps": [SWEEP, SWEEP]}, "which exists"),
        ({"datasets": ["a"]}, "not both"),
    ],
)
def test_a_wrong_sweep_is_one_sentence(change: dict[str, object], words: str) -> None:
    with pytest.raises(ExperimentError, match=words.replace("{", r"\{").replace("}", r"\}")) as caught:
        Definition.parse({**BASE, **change})
    assert "\n" not in str(caught.value)


def test_each_dataset_has_a_result_of_its_own(tmp_path: Path) -> None:
    several = {
        "datasets": ["legalir/firecode/dev", "legalir/firecode/test"],
        "measures": ["R@10"],
        "systems": {"BM25": "bm25"},
    }
    results = dict(run_all(several, tmp_path))
    assert [folder.name for folder in results] == ["firecode-dev", "firecode-test"]
    assert all((folder / "table.tsv").is_file() for folder in results)
    assert len({float(result.table["R@10"].iloc[0]) for result in results.values()}) == 2
    with pytest.raises(ExperimentError, match="datasets, firecode-dev, firecode-test"):
        ExperimentResult.load(tmp_path)
    both = run(several, tmp_path, latency_queries=0)
    assert {name: one.reused for name, one in both.results.items()} == {name: ["BM25"] for name in several["datasets"]}
    assert both.table["mean"].iloc[0] == both.table[several["datasets"]].iloc[0].mean()
    assert run(several, dataset="legalir/firecode/dev").table["R@10"].iloc[0] > 0


def test_a_misspelt_dataset_comes_up_before_the_first_run(tmp_path: Path) -> None:
    several = {
        "datasets": ["legalir/firecode/dev", "legalir/firecde"],
        "measures": ["R@10"],
        "systems": {"BM25": "bm25"},
    }
    with pytest.raises(DatasetNotFound, match="legalir/firecde"):
        next(run_all(several, tmp_path))
    assert not any(tmp_path.iterdir())


def test_datasets_that_are_not_at_hand_are_left_out_and_named(tmp_path: Path) -> None:
    absent = ["legalir/AILA_statutes/test", "legalir/bsard/test"]  # unknown here, and published but not fetched
    definition = {
        "datasets": [absent[0], "legalir/firecode/dev", absent[1]],
        "measures": ["R@10"],
        "systems": {"BM25": "bm25"},
    }
    found = run(definition, tmp_path, latency_queries=0, at_hand=True)
    assert isinstance(found, ExperimentResults)
    assert (list(found.results), found.absent) == (["legalir/firecode/dev"], absent)
    loaded = ExperimentResults.load(tmp_path)
    assert loaded.absent == absent
    assert all(name in loaded.legend() and name in loaded.to_latex().replace("\\_", "_") for name in absent)
    with pytest.raises(ExperimentError, match="None of the 2 datasets"):
        run({**definition, "datasets": absent}, at_hand=True)


@pytest.mark.parametrize("expression", ["links", "bm25 ** tfidf", "(bm25 | tfidf) >> links"])
def test_a_system_that_does_not_begin_with_a_retriever_is_named(expression: str) -> None:
    definition = {"dataset": "legalir/firecode/dev", "measures": ["R@10"], "systems": {"X": expression, "Y": "bm25"}}
    with pytest.raises(ComponentError, match=r"^The system 'X': .*column"):
        run(definition)


def test_a_curve_has_the_scores_of_its_systems() -> None:
    result = run({**BASE, "systems": {"TF-IDF": "tfidf"}, "baseline": "TF-IDF"}, latency_queries=0)
    sweep = result.definition.sweeps[0]
    curve = curves(result.scores, sweep)[0]
    scores = result.table.set_index("name")["R@10"]
    assert [float(point.text) for point in curve.points] == pytest.approx(
        [100 * scores[sweep.system(value)] for value in sweep.values], abs=0.005
    )
    assert [point.x for point in curve.points] == [0, 50, 100]
    # Higher on the page is a smaller y, and everything lies inside of the drawing.
    best = max(curve.points, key=lambda point: float(point.text))
    assert best.best
    assert best.y == min(point.y for point in curve.points)
    assert all(0 <= end <= 100 for point in curve.points for end in (point.y, point.low, point.high))
    assert curve.baseline is not None
    assert 0 <= curve.baseline <= 100


def test_the_parts_are_two_halves() -> None:
    whole = run(BASE, latency_queries=0)
    parts = [run({**BASE, "part": part}, latency_queries=0) for part in ("dev", "held-out")]
    qids = [set(part.context.queries) for part in parts]
    assert not qids[0] & qids[1]
    assert qids[0] | qids[1] == set(whole.context.queries)
    assert min(map(len, qids)) > len(whole.context.queries) / 4
    assert Definition.parse({**BASE, "part": "dev"}).as_dict()["part"] == "dev"
    with pytest.raises(ExperimentError, match="dev, held-out"):
        Definition.parse({**BASE, "part": "test"})
