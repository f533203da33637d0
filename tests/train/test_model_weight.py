"""The weight of a model in `default`, beside the pipelines themselves and `ir_measures`."""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np
import pytest
from ir_measures import nDCG

from legalir import Collection
from legalir.dense.hashed_ngrams import HashedNGrams
from legalir.dense.static import own_model
from legalir.dense.static_model import StaticModel
from legalir.pipeline.default import fit_default
from legalir.train.material import Gold, HeldOut
from legalir.train.model_weight import WEIGHTS, measure_weight, sentence


def held_out_of(collection: Collection, docnos: list[str]) -> HeldOut:
    qrels = collection.qrels()
    right = qrels[qrels["label"] > 0].groupby("qid")["docno"].agg(list)
    topics = collection.topics()
    gold = [np.array(sorted(docnos.index(docno) for docno in right[qid])) for qid in topics["qid"]]
    return HeldOut(tuple(topics["query"]), Gold.joined(gold), 0.8)


@pytest.fixture(name="collection", scope="module")
def bundled_collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    return Collection("legalir/firecode/dev", cache=tmp_path_factory.mktemp("cache"))


def test_the_same_as_the_pipelines_themselves(collection: Collection) -> None:
    docnos = [row.doc_id for row in collection.docs()]
    folder = own_model(collection)
    assert folder is not None
    measured = measure_weight(collection, StaticModel.load(folder), held_out_of(collection, docnos), docnos)
    assert list(measured["nDCG@10"]) == [f"{weight:g}" for weight in WEIGHTS]
    qrels = collection.qrels().set_axis(["query_id", "doc_id", "relevance"], axis=1)
    qrels = qrels.assign(relevance=qrels["relevance"].clip(upper=1))
    settings = fit_default(collection).settings
    assert (settings.lookup, settings.focus) == (1, 3)
    for weight in (0, 0.35, 0.9):
        expression = settings.model_copy(update={"model": weight}).expression()
        results = collection.pipeline(f"({expression}) % 10").transform(collection.topics())
        run = results.assign(score=-results["rank"].astype(float)).rename(
            columns={"qid": "query_id", "docno": "doc_id"}
        )
        mean = ir_measures.calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10]
        assert measured["nDCG@10"][f"{weight:g}"] == pytest.approx(mean, abs=1e-6)
    best = max(measured["nDCG@10"].values())
    assert measured["nDCG@10"][f"{measured['weight']:g}"] == best
    assert (measured["questions"], measured["seen"]) == (len(collection.topics()), 0.8)


def test_a_model_that_knows_nothing_has_little_weight(collection: Collection) -> None:
    docnos = [row.doc_id for row in collection.docs()]
    table = np.random.default_rng(1).standard_normal((64, 8)).astype(np.float16)
    measured = measure_weight(
        collection, StaticModel(HashedNGrams(rows=64), table), held_out_of(collection, docnos), docnos
    )
    assert measured["weight"] < 0.2
    assert measured["nDCG@10"]["0.9"] < measured["nDCG@10"]["0"] / 2


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        (
            {"weight": 0.65, "questions": 300, "nDCG@10": {"0": 0.31, "0.2": 0.4, "0.65": 0.441}, "seen": 0.806},
            "On 300 questions that training had not seen, weight 0.65 in default is best: nDCG@10 44.1, without the "
            "model 31.0; 81 % of their provisions were seen in training.",
        ),
        (
            {"weight": 0.0, "questions": 20, "nDCG@10": {"0": 0.5, "0.05": 0.49, "0.1": 0.2}, "seen": 0},
            "On 20 questions that training had not seen, default is best without the model: nDCG@10 50.0, with weight "
            "0.05 49.0; 0 % of their provisions were seen in training.",
        ),
    ],
)
def test_what_is_said(measured: dict[str, Any], expected: str) -> None:
    assert sentence(measured) == expected
