"""``pt.Experiment`` over our pipelines: saved runs, batches, significance, and shared beginnings that run once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from composition_material import PIPELINES
from ir_measures import RR, Success, nDCG

import legalir
from legalir.collection.collection import Collection

pytestmark = pytest.mark.filterwarnings("ignore:There are shared pipeline components:UserWarning")

MEASURES = [nDCG @ 10, RR @ 10, Success @ 5, legalir.MultiMRR @ 10, legalir.MicroR @ 5]


@pytest.fixture(name="topics")
def some_topics(collection: Collection) -> pd.DataFrame:
    judged = collection.qrels()["qid"].unique()
    topics = collection.topics()
    return topics[topics["qid"].isin(judged)].head(12)[["qid", "query"]].reset_index(drop=True)


@pytest.fixture(name="qrels")
def their_judgements(collection: Collection, topics: pd.DataFrame) -> pd.DataFrame:
    qrels = collection.qrels()
    return qrels[qrels["qid"].isin(topics["qid"])].reset_index(drop=True)


def table(frame: pd.DataFrame) -> dict[str, list[float]]:
    return {str(name): values for name, *values in frame.itertuples(index=False)}


def test_every_pipeline_in_one_experiment_whole_and_in_batches(
    collection: Collection, topics: pd.DataFrame, qrels: pd.DataFrame
) -> None:
    systems = {expression: collection.pipeline(expression) for expression in PIPELINES}
    whole = table(pt.Experiment(systems, topics, qrels, MEASURES))
    assert set(whole) == set(PIPELINES)
    assert all(0 < value <= 1 for values in whole.values() for value in values)
    for size in (5,):
        batched = table(pt.Experiment(systems, topics, qrels, MEASURES, batch_size=size))
        for expression in PIPELINES:
            assert batched[expression] == pytest.approx(whole[expression], abs=1e-12), (expression, size)


def test_baseline_with_correction(collection: Collection, topics: pd.DataFrame, qrels: pd.DataFrame) -> None:
    systems = {name: collection.pipeline(name) for name in ("bm25", "lsa", "rrf(bm25, lsa)", "default")}
    found = pt.Experiment(systems, topics, qrels, [nDCG @ 10], baseline="bm25", correction="holm")
    assert found["nDCG@10 reject"].map(type).isin([bool]).all()
    compared = found.set_index("name").loc[["lsa", "rrf(bm25, lsa)", "default"]]
    assert compared["nDCG@10 p-value corrected"].between(0, 1).all()
    assert (compared["nDCG@10 p-value corrected"] >= compared["nDCG@10 p-value"]).all()
    changed = compared["nDCG@10 +"] + compared["nDCG@10 -"]
    assert changed.between(0, len(topics)).all()


def test_values_of_single_queries(collection: Collection, topics: pd.DataFrame, qrels: pd.DataFrame) -> None:
    systems = {"sar": collection.pipeline('bm25 >> sar(normalize="max")')}
    mean, single = pt.Experiment(systems, topics, qrels, MEASURES, perquery="both")
    assert set(single["qid"]) == set(topics["qid"])
    for measure in (nDCG @ 10, RR @ 10, Success @ 5, legalir.MultiMRR @ 10):
        values = single[single["measure"] == str(measure)]["value"]
        assert len(values) == len(topics)
        assert values.mean() == pytest.approx(mean[str(measure)].iloc[0])


@pytest.mark.parametrize("batch_size", [None, 5])
def test_saved_runs_are_read_and_not_run(
    collection: Collection,
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    tmp_path: Path,
    calls: list[str],
    batch_size: int | None,
) -> None:
    systems = {f"s{number}": collection.pipeline(expression) for number, expression in enumerate(PIPELINES)}
    options = {"save_dir": str(tmp_path), "batch_size": batch_size}
    first = pt.Experiment(systems, topics, qrels, MEASURES, **options)
    assert len(calls) >= len(PIPELINES)
    calls.clear()
    again = pt.Experiment(systems, topics, qrels, MEASURES, save_mode="reuse", **options)
    assert calls == []
    # A run file has no more digits than trec_eval needs, which may exchange two that differ in the last.
    for name, values in table(first).items():
        assert table(again)[name] == pytest.approx(values, abs=1e-9), PIPELINES[int(name[1:])]
    saved = pt.io.read_results(str(tmp_path / "s0.res.gz"))
    expected = systems["s0"](topics)
    assert saved["docno"].tolist() == expected["docno"].tolist()
    assert saved["rank"].tolist() == expected["rank"].tolist()


def test_modes_of_saving(
    collection: Collection, topics: pd.DataFrame, qrels: pd.DataFrame, tmp_path: Path, calls: list[str]
) -> None:
    systems = {"bm25": collection.pipeline("bm25 % 10")}
    options = {"save_dir": str(tmp_path)}
    pt.Experiment(systems, topics, qrels, MEASURES, **options)
    with pytest.raises(ValueError, match="already exists"):
        pt.Experiment(systems, topics, qrels, MEASURES, save_mode="error", **options)
    with pytest.warns(UserWarning, match="already exists"):
        pt.Experiment(systems, topics, qrels, MEASURES, **options)
    calls.clear()
    pt.Experiment(systems, topics, qrels, MEASURES, save_mode="overwrite", **options)
    assert calls == ["BM25"]


FAMILY = (
    "bm25f % 100",
    'bm25f % 100 >> sar(normalize="minmax")',
    'bm25f % 100 >> family >> sar(normalize="minmax")',
    "bm25f % 100 >> family >> links(k=3)",
    "bm25f % 100 >> rocchio(terms=30)",
)
"""Pipelines with a common beginning, some with a longer one."""


def runs_of(collection: Collection, topics: pd.DataFrame, qrels: pd.DataFrame, **options: object) -> pd.DataFrame:
    # Each is built by itself: what is equal is found by its arguments, not because it is one object.
    systems = {
        text: Collection("legalir/firecode", cache=collection.cache.parents[1]).pipeline(text) for text in FAMILY
    }
    return pt.Experiment(systems, topics, qrels, MEASURES, **options)


def test_shared_beginnings_run_once(
    collection: Collection, topics: pd.DataFrame, qrels: pd.DataFrame, calls: list[str]
) -> None:
    separate = table(runs_of(collection, topics, qrels))
    alone = {"SAR": 2, "SparseScorer": 1, "LinkExpansion": 1, "TermRocchio": 1}
    assert Counter(calls) == {"BM25F": 5, "FamilySmoothing": 2, **alone}
    calls.clear()
    with pytest.warns(DeprecationWarning, match="precompute_prefix"):
        prefix = table(runs_of(collection, topics, qrels, precompute_prefix=True))
    assert Counter(calls) == {"BM25F": 1, "FamilySmoothing": 2, **alone}
    calls.clear()
    tree = table(runs_of(collection, topics, qrels, plan="tree", verbose=False))
    assert Counter(calls) == {"BM25F": 1, "FamilySmoothing": 1, **alone}
    for text in FAMILY:
        assert prefix[text] == pytest.approx(separate[text], abs=1e-12)
        assert tree[text] == pytest.approx(separate[text], abs=1e-12)


def test_other_parameters_are_no_shared_beginning(
    collection: Collection, topics: pd.DataFrame, qrels: pd.DataFrame, calls: list[str]
) -> None:
    """A retriever that finds ten must not answer for one that finds a hundred, nor a fusion for its compiled form."""
    texts = ("rrf(bm25, lsa)", "rrf(bm25, lsa) % 3", "rrf(bm25(num_results=20), lsa)", "rrf(bm25, lsa, k=5)")
    systems = {text: collection.pipeline(text).compile() for text in texts}
    found = pt.Experiment(systems, topics, qrels, [nDCG @ 10], plan="tree", verbose=False)
    assert Counter(calls)["RRF"] == len(texts)
    alone = {text: table(pt.Experiment({text: systems[text]}, topics, qrels, [nDCG @ 10]))[text] for text in texts}
    assert table(found) == {text: pytest.approx(values) for text, values in alone.items()}


def test_a_results_frame_is_a_system(collection: Collection, topics: pd.DataFrame, qrels: pd.DataFrame) -> None:
    system = collection.pipeline("lsa >> rocchio")
    found = table(pt.Experiment({"frame": system(topics), "system": system}, topics, qrels, MEASURES))
    assert found["frame"] == found["system"]
    source = pt.Transformer.from_df(system(topics)) >> collection.pipeline("links")
    assert source(topics)["docno"].tolist() == (system >> collection.pipeline("links"))(topics)["docno"].tolist()
    assert json.dumps(found)
