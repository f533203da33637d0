"""Parameters that are set after a search, as PyTerrier's grid searches do it, and pipelines in other processes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import joblib
import pandas as pd
import pyterrier as pt
import pytest
from composition_material import PIPELINES, QUERIES

from legalir.collection.collection import Collection
from legalir.executors import processes
from legalir.frames.component import Component

MEASURE = "ndcg_cut_10"


@pytest.fixture(name="topics")
def judged_topics(collection: Collection) -> pd.DataFrame:
    topics = collection.topics()
    return topics[topics["qid"].isin(collection.qrels()["qid"])].head(12)[["qid", "query"]].reset_index(drop=True)


@pytest.fixture(name="qrels")
def their_judgements(collection: Collection, topics: pd.DataFrame) -> pd.DataFrame:
    # Questions without results count 0 in a grid search, but for pt.Experiment, they are not there.
    qrels = collection.qrels()
    return qrels[qrels["qid"].isin(topics["qid"])].reset_index(drop=True)


def part(pipeline: pt.Transformer, name: str) -> Any:
    """Return the first part of a class in a pipeline, at any depth."""
    found = [pipeline]
    for one in found:
        if type(one).__name__ == name:
            return one
        held = list(one) if isinstance(one, pt.Compose) else one._given().values() if isinstance(one, Component) else ()
        found += [each for value in held for each in (value if isinstance(value, tuple) else (value,))]
    raise AssertionError(f"no {name} in {pipeline!r}")


GRIDS = [
    ("bm25({})", "BM25", {"k1": [0.1, 3], "b": [0, 0.9]}),
    ("bm25f({})", "BM25F", {"fields": [{"title": 5}, {"text": 1, "citing": 2}]}),
    ('bm25 >> sar(normalize="max", {})', "SAR", {"beta": [0, 0.9], "k": [2, 15]}),
    ("wrrf(bm25, lsa, {})", "WeightedRRF", {"weights": [[0.9, 0.1], [0.1, 0.9]]}),
    ("rrf(bm25({}), lsa)", "BM25", {"k1": [0.1, 10]}),
    ("bm25({}) >> rocchio(terms=20)", "BM25", {"k1": [0.1, 10]}),
]


@pytest.mark.parametrize(("expression", "name", "grid"), GRIDS)
def test_a_grid_scan_gives_the_figures_of_new_pipelines(
    collection: Collection,
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    expression: str,
    name: str,
    grid: dict[str, list[Any]],
) -> None:
    system = collection.pipeline(expression.format(", ".join(f"{one}={values[0]!r}" for one, values in grid.items())))
    scanned = pt.GridScan(system, {part(system, name): grid}, topics, qrels, [MEASURE])
    for row in scanned.to_dict("records"):
        chosen = ", ".join(f"{one}={row[f'tran_{place}_{one}']!r}" for place, one in enumerate(grid))
        new = pt.Experiment([collection.pipeline(expression.format(chosen))], topics, qrels, [MEASURE])
        assert row[MEASURE] == new[MEASURE].iloc[0], chosen
    assert scanned[MEASURE].nunique() > 1, "a parameter without effect shows nothing"


def test_a_grid_search_returns_the_best_pipeline(
    collection: Collection, topics: pd.DataFrame, qrels: pd.DataFrame
) -> None:
    bm25, grid = collection.pipeline("bm25"), {"k1": [0.1, 0.9, 3], "b": [0.1, 0.9]}
    scanned = pt.GridScan(bm25, {bm25: grid}, topics, qrels, [MEASURE])
    best = scanned.loc[scanned[MEASURE].idxmax()]
    found = pt.GridSearch(bm25, {bm25: grid}, topics, qrels, MEASURE)
    new = collection.pipeline(f"bm25(k1={best['tran_0_k1']}, b={best['tran_1_b']})")
    assert found == new
    pd.testing.assert_frame_equal(found(QUERIES), new(QUERIES))


def test_folds_are_searched_with_the_setting_of_the_others(
    collection: Collection, topics: pd.DataFrame, qrels: pd.DataFrame
) -> None:
    bm25, before = collection.pipeline("bm25"), collection.pipeline("bm25")
    folds, grid = [topics.iloc[:6], topics.iloc[6:]], {"k1": [0.1, 0.9, 10]}
    out, settings = pt.KFoldGridSearch(bm25, {bm25: grid}, folds, qrels, MEASURE)
    for fold, ((_, _, k1),) in zip(folds, settings, strict=True):
        expected = collection.pipeline(f"bm25(k1={k1})")(fold).reset_index(drop=True)
        pd.testing.assert_frame_equal(out[out["qid"].isin(fold["qid"])].reset_index(drop=True), expected)
    assert bm25 == before
    pd.testing.assert_frame_equal(bm25(QUERIES), before(QUERIES))


def test_what_a_scorer_follows_is_the_retriever_as_it_is_now(collection: Collection) -> None:
    system = collection.pipeline('bm25 % 5 >> sar(normalize="max")')
    system(QUERIES)
    part(system, "BM25").k1 = 9
    pd.testing.assert_frame_equal(
        system(QUERIES), collection.pipeline('bm25(k1=9) % 5 >> sar(normalize="max")')(QUERIES)
    )


def test_values_are_read_as_the_constructor_reads_them(collection: Collection) -> None:
    system = collection.pipeline("bm25f")
    system(QUERIES)
    system.set_parameter("b", 0.5)
    assert system.get_parameter("b") == collection.pipeline("bm25f(b=0.5)").get_parameter("b")
    pd.testing.assert_frame_equal(system(QUERIES), collection.pipeline("bm25f(b=0.5)")(QUERIES))


def test_a_dict_that_is_written_into_counts(collection: Collection) -> None:
    system = collection.pipeline("bm25f")
    system(QUERIES)
    system.get_parameter("fields")["title"] = 9.0
    new = collection.pipeline('bm25f(fields={"title": 9.0, "text": 1.0, "path": 1.0, "citing": 1.0})')
    assert system == new
    pd.testing.assert_frame_equal(system(QUERIES), new(QUERIES))


@pytest.fixture(name="pools", scope="module")
def pools_of_processes() -> Iterator[dict[str, Executor]]:
    with ProcessPoolExecutor(1, get_context("spawn")) as standard, processes(workers=1) as loky:
        yield {"concurrent.futures": standard, "loky": loky}


def outputs(systems: list[pt.Transformer]) -> list[pd.DataFrame]:
    return [system(QUERIES) for system in systems]


@pytest.mark.parametrize("pool", ["concurrent.futures", "loky"])
def test_pipelines_in_another_process(collection: Collection, pools: dict[str, Executor], pool: str) -> None:
    systems = [collection.pipeline(text) for text in (*PIPELINES, "lookup", "default % 3 >> quote")]
    expected = outputs(systems)  # Used before they travel.
    for here, there in zip(expected, pools[pool].submit(outputs, systems).result(), strict=True):
        pd.testing.assert_frame_equal(there, here)


def test_joblib(collection: Collection) -> None:
    system = collection.pipeline("default")
    expected = [system(QUERIES.iloc[[row]]) for row in range(2)]
    with joblib.parallel_backend("loky", inner_max_num_threads=1):
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(system.transform)(QUERIES.iloc[[row]]) for row in range(2))
    for one, other in zip(found, expected, strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_a_collection_is_pickled_as_its_arguments(collection: Collection) -> None:
    again = pickle.loads(pickle.dumps(collection))
    assert again == collection and again.cache == collection.cache
    assert again.client == collection.client and again.client.collection is again
    assert collection != Collection("legalir/firecode/dev", cache=collection.home)
