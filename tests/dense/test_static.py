"""The retriever `static`: a collection, a model, and their cosines."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from legalir import Collection, testing
from legalir.dense.hashed_ngrams import HashedNGrams
from legalir.dense.index import static
from legalir.dense.static_model import StaticModel
from legalir.explanation import explain

TEXTS = {"d1": "등대 관리인은 등불을 켠다", "d2": "In fog a ferry rings its bell", "d3": "안개가 끼면 종을 친다"}


def random_model(seed: int) -> StaticModel:
    table = np.random.default_rng(seed).standard_normal((2**12, 64)).astype(np.float16)
    return StaticModel(HashedNGrams(rows=2**12), table)


@pytest.fixture(name="collection")
def collection_with_models(tmp_path: Path) -> Collection:
    folder = tmp_path / "lamps"
    folder.mkdir()
    lines = [json.dumps({"docno": docno, "text": text}) for docno, text in TEXTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    random_model(1).save(folder / "static")
    random_model(2).save(folder / "static" / "other")
    return Collection(folder, cache=tmp_path / "cache")


def test_scores_are_the_cosines_of_the_model(collection: Collection) -> None:
    for seed, name in ((1, None), (2, "other")):
        model = random_model(seed)
        found = static(collection, model=name).search("등불과 종").set_index("docno")["score"]
        wanted = model.encode(list(TEXTS.values())) @ model.encode(["등불과 종"])[0]
        np.testing.assert_allclose(found[list(TEXTS)], wanted, atol=1e-6)
    assert len(static(collection, num_results=2).search("등불과 종")) == 2
    assert static(collection).search("…").empty


def test_it_says_why(collection: Collection) -> None:
    retriever = static(collection)
    found = retriever.search("등불과 종을")
    why = explain(retriever, "등불과 종을", found["docno"].tolist())
    for one, score in zip(why, found["score"], strict=True):
        assert {part.label for part in one.parts} == {"등불과", "종을"}
        assert sum(part.value for part in one.parts) == pytest.approx(score, abs=1e-5)


def test_conformance(tmp_path: Path) -> None:
    random_model(1).save(tmp_path / "model")
    outcomes = testing.check("retriever", static, params={"model": str(tmp_path / "model")})
    assert [outcome for outcome in outcomes if not outcome.ok] == []
    assert sum(outcome.status == "passed" for outcome in outcomes) > 10
