"""One experiment on several datasets, and two results compared: means, tests, files, refusals."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fake_collection import DEFINITION, QRELS, TOPICS, FakeCollection
from scipy import stats
from statsmodels.stats.multitest import multipletests

from legalir.errors import ExperimentError
from legalir.experiments import ExperimentResult, ExperimentResults, run

NAMES = ["legalir/fake", "legalir/other"]
SYSTEMS = {"weak": "weak", "strong": "strong", "none": "none"}


def result(dataset: str = NAMES[0], topics: int = 4, **changes: object) -> ExperimentResult:
    definition = {**DEFINITION, "dataset": dataset, "systems": SYSTEMS, "baseline": "weak", **changes}
    found = run(definition, topics=TOPICS.iloc[:topics], collection=FakeCollection(id=dataset), latency_queries=0)  # type: ignore[arg-type]
    assert isinstance(found, ExperimentResult)
    return found


def several(*results: ExperimentResult) -> ExperimentResults:
    names = [one.definition.dataset for one in results]
    return ExperimentResults(results[0].definition.replace(dataset=names[0], datasets=tuple(names)), list(results))


def test_the_mean_gives_each_dataset_the_same_weight() -> None:
    found = several(result(), result(NAMES[1], topics=2))
    row = found.table.set_index(["measure", "name"]).loc["R@2", "weak"]
    # R@2 of "weak": 0, .5, 1, 0 over four questions, and 0, .5 over the first two.
    assert row[[*NAMES, "mean"]].tolist() == pytest.approx([0.375, 0.25, 0.3125])
    assert list(found.results) == NAMES


def test_the_test_flips_signs_within_questions() -> None:
    found = several(result(correction=None), result(NAMES[1], topics=2, correction=None))
    row = found.table.set_index(["measure", "name"]).loc["R@2", "strong"]
    # Differences of "strong" and "weak": 1, .5, 0, .5 and 1, .5; all patterns of signs, the mean of the two means.
    weighted = np.array([1, 0.5, 0, 0.5]) / 4, np.array([1, 0.5]) / 2
    observed = sum(part.sum() for part in weighted)
    patterns = list(itertools.product([-1, 1], repeat=6))
    exact = np.mean([abs(np.dot(signs, np.concatenate(weighted))) >= observed - 1e-12 for signs in patterns])
    assert row["p-value"] == pytest.approx(exact, abs=0.02)
    assert (row["+"], row["-"], row["p-value corrected"]) == (2, 0, row["p-value"])


def test_a_system_that_is_missing_somewhere_has_no_mean() -> None:
    full, part = result(), result(NAMES[1])
    facts = {**part.environment["systems"], "strong": {"expression": "strong", "absent": "no model"}}  # type: ignore[dict-item]
    without = replace(
        part,
        table=part.table[part.table["name"] != "strong"],
        per_query=part.per_query[part.per_query["name"] != "strong"],
        environment={**part.environment, "systems": facts},
    )
    found = several(full, without)
    rows = found.table.set_index("name")
    assert rows.loc["strong", ["mean", "p-value"]].isna().all(axis=None)
    assert rows.loc["none", ["mean", "p-value"]].notna().all(axis=None)
    assert found.without_mean == {"strong": [NAMES[1]]} and NAMES[1] in found.legend()
    assert [row.cells[-1].text for row in found.rows("R@2")][1] == "–"


def test_results_are_saved_loaded_and_shown(tmp_path: Path) -> None:
    found = several(result(), result(NAMES[1], topics=2))
    again = ExperimentResults.load(found.save(tmp_path))
    pd.testing.assert_frame_equal(found.table, again.table)
    again.results[NAMES[1]].report(tmp_path / "other" / "report.html")
    page = again.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "other/report.html" in page and "fake/report.html" not in page and "31.25" in page
    with pytest.raises(ExperimentError, match="fake, other"):
        ExperimentResult.load(tmp_path)
    with pytest.raises(ExperimentError):
        ExperimentResults.load(tmp_path / "fake")


@pytest.mark.parametrize("given", [{"collection": FakeCollection()}, {"topics": TOPICS}, {"qrels": QRELS}])
def test_what_belongs_to_one_dataset_is_refused(given: dict[str, object]) -> None:
    definition = {**DEFINITION, "dataset": "legalir/firecode/dev"}
    definition |= {"datasets": ["legalir/firecode/dev", "legalir/firecode/test"]}
    del definition["dataset"]
    with pytest.raises(ExperimentError, match="several"):
        run(definition, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_two_results_compared_have_the_figures_of_scipy_and_statsmodels(test: str) -> None:
    here, there = result(test=test), result(systems={"weak": "strong", "strong": "gappy", "none": "none"})
    table = here.compare(there)
    assert table["name"].tolist() == ["weak", "strong", "none"] * 3
    values = {
        name: one.per_query[one.per_query["measure"] == "nDCG@10"].pivot(index="qid", columns="name", values="value")
        for name, one in (("here", here), ("there", there))
    }
    found = table[table["measure"] == "nDCG@10"].set_index("name")
    p = []
    for name in ("weak", "strong"):
        ours, theirs = values["here"][name], values["there"][name]
        compute = stats.ttest_rel if test == "t" else stats.wilcoxon
        p.append(float(compute(ours, theirs).pvalue))
        row = found.loc[name]
        assert row["here"] - row["there"] == pytest.approx(row["difference"]) == pytest.approx((ours - theirs).mean())
        assert (row["+"], row["-"]) == ((ours > theirs).sum(), (ours < theirs).sum())
        assert row["low"] <= row["difference"] <= row["high"]
    assert found["p-value"].tolist() == pytest.approx([*p, 1.0])
    assert found["p-value corrected"].tolist() == pytest.approx(multipletests([*p, 1.0], method="holm")[1].tolist())


def test_two_systems_of_one_result_have_the_p_value_of_its_table() -> None:
    one = result(systems={"weak": "weak", "strong": "strong"})
    row = one.compare(one, "strong", "weak").set_index("measure").loc["R@2"]
    assert row["p-value"] == pytest.approx(one.table.set_index("name").loc["strong", "R@2 p-value"])


def test_the_interval_of_a_difference_of_pooled_means_is_of_the_pooled_figures() -> None:
    one = result(measures=["MicroR@2"])
    row = one.compare(one, "strong", "none").iloc[0]
    own = one.table.set_index("name").loc["strong"]
    assert row[["difference", "low", "high"]].tolist() == pytest.approx(
        own[["MicroR@2", "MicroR@2 low", "MicroR@2 high"]].tolist()
    ), "the other finds nothing"


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (lambda: result(topics=3), ["1 of 4", "'q4'"]),
        (lambda: changed(corpus="corpus-2"), ["legalir/fake"]),
        (lambda: changed(qrels="x"), ["judgements"]),
        (lambda: result(measures=["R@3"]), ["measure"]),
        (lambda: result(systems={"another": "strong"}, baseline=None), ["system"]),
    ],
)
def test_results_that_cannot_be_compared_say_how_they_differ(other: object, words: list[str]) -> None:
    with pytest.raises(ExperimentError) as caught:
        result().compare(other())  # type: ignore[operator]
    assert all(word in str(caught.value) for word in words), str(caught.value)


def changed(**facts: str) -> ExperimentResult:
    one = result()
    return replace(one, environment={**one.environment, "dataset": {**one.environment["dataset"], **facts}})  # type: ignore[dict-item]
