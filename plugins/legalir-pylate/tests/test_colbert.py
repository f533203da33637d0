"""Late interaction: PyLate's scores, the index, the frames, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tiny_colbert import DOCUMENTS, QUERIES, write_colbert

import legalir
from legalir import testing
from legalir.errors import ArtifactError, ComponentError, ExpressionError, ModelError
from legalir_pylate import Colbert, ColbertIndex, LateInteraction, colbert, colbert_rerank

PYLATE = np.array(
    [
        [14.5846, 10.30875, 6.89608, 10.85431, 12.49186],
        [13.2782, 15.76253, 11.64374, 14.02488, 13.17733],
        [14.51475, 14.79494, 7.42658, 14.12744, 12.9238],
        [14.5859, 14.47133, 5.12791, 15.42373, 12.07222],
        [13.32289, 14.90767, 8.70747, 15.36724, 15.34542],
    ]
)
"""Score of each document for each query by pylate 1.6.0, sentence-transformers 5.3.0 and transformers 5.3.0:
``python tiny_colbert.py FOLDER``."""
DOCS = [{"docno": f"d{number}", "text": text} for number, text in enumerate(DOCUMENTS)]
TOPICS = pd.DataFrame({"qid": [f"q{number}" for number in range(len(QUERIES))], "query": QUERIES})


@pytest.fixture(name="model", scope="session")
def loaded_model(folder: Path) -> LateInteraction:
    return LateInteraction(folder, device="cpu")


def built(model: LateInteraction, path: Path, store: Any = "float32", docs: Any = DOCS) -> ColbertIndex:
    return ColbertIndex(path, model, store=store).index(docs)


def table(found: pd.DataFrame) -> np.ndarray:
    """Return the scores by query and document."""
    return found.pivot(index="qid", columns="docno", values="score").to_numpy()


@pytest.mark.parametrize(("store", "close"), [("float32", 1e-4), ("float16", 5e-3), ("int8", 0.05)])
def test_the_scores_are_those_of_pylate(model: LateInteraction, tmp_path: Path, store: str, close: float) -> None:
    index = built(model, tmp_path / "index", store)
    np.testing.assert_allclose(table(Colbert(index)(TOPICS)), PYLATE, atol=close, rtol=0)
    assert index.arrays["multi.vectors"].dtype == store


def test_pylate_itself_where_it_is_installed(folder: Path) -> None:
    pytest.importorskip("pylate", reason="pylate demands older releases than legalir; its scores are above")
    from tiny_colbert import _pylate_scores

    np.testing.assert_allclose(_pylate_scores(folder), PYLATE, atol=1e-4, rtol=0)


def test_a_text_has_the_same_vectors_alone_and_in_a_batch(model: LateInteraction) -> None:
    for encode, texts in ((model.queries, QUERIES), (model.documents, DOCUMENTS)):
        for one, alone in zip(encode(texts), (encode([text])[0] for text in texts), strict=True):
            np.testing.assert_allclose(one, alone, atol=1e-5)
    assert [len(one) for one in model.queries(["", "a", " \n"])] == [0, 16, 0]
    assert [len(one) for one in model.documents(["", "door."])] == [0, 7]


def test_conformance(folder: Path) -> None:
    params = {"model": str(folder), "device": "cpu"}
    for role, factory, missing in (
        ("retriever", colbert, set()),
        ("reranker", colbert_rerank, {"num-results", "set-parameters"}),
    ):
        outcomes = testing.check(role, factory, params=params)
        assert [one for one in outcomes if not one.ok] == []
        assert {one.check for one in outcomes if one.status != "passed"} <= missing | {"without-left", "num-results"}


def test_frames_cuts_and_ties(model: LateInteraction, tmp_path: Path) -> None:
    twins = [{"docno": docno, "text": DOCUMENTS[0]} for docno in ("z", "b", "a")]
    index = built(model, tmp_path / "index", docs=[*DOCS, *twins, {"docno": "blank", "text": " "}])
    found = Colbert(index, num_results=2)(TOPICS.head(1).assign(asked=7))
    assert list(found.columns) == ["qid", "query", "asked", "docno", "score", "rank"]
    assert found["docno"].tolist() == ["a", "b"]
    assert (Colbert(index) % 2).compile() == Colbert(index, num_results=2)
    everything = Colbert(index)(TOPICS)
    assert set(everything.loc[everything["docno"] == "blank", "score"]) == {0.0}
    assert Colbert(index)(pd.DataFrame({"qid": ["1"], "query": [" "]})).empty


def test_the_scorer_gives_the_scores_of_the_retriever(model: LateInteraction, tmp_path: Path) -> None:
    index = built(model, tmp_path / "index")
    found = Colbert(index)(TOPICS)
    again = Colbert(index).scorer()(found.drop(columns=["score", "rank"]).sample(frac=1, random_state=1))
    np.testing.assert_allclose(table(again), table(found), atol=1e-5)
    with pytest.raises(ComponentError, match=r"'x'.*'q0'"):
        index.scorer()(TOPICS.head(1).assign(docno="x"))


def test_in_expressions_with_explanations(folder: Path, tmp_path: Path) -> None:
    opened = legalir.Collection("legalir/firecode", cache=tmp_path)
    call = f'("{folder}", device="cpu")'
    found = opened.search("창문 없는 층의 기준은?", f"colbert{call} % 10", k=3)
    assert len(found) == 3
    best = found.explain()[0]
    assert best.is_whole()
    assert best.parts[0].label == "best matches of 16 tokens of the question"
    reranked = opened.search("창문 없는 층의 기준은?", f"bm25 % 10 >> colbert_rerank{call}", k=10)
    ranks = opened.search("창문 없는 층의 기준은?", f"colbert{call}", k=302)
    scores = dict(zip(ranks["docno"], ranks["score"], strict=True))
    assert [scores[docno] for docno in reranked["docno"]] == pytest.approx(reranked["score"].tolist(), abs=1e-5)
    assert reranked.explain()[0].is_whole()
    assert len(list(opened.cache.glob("pylate-1-colbert-*-float16"))) == 1, "one index for both"


def test_nothing_is_encoded_twice(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[str] = []
    original = LateInteraction.documents

    def documents(self: LateInteraction, texts: Any, *args: Any) -> Any:
        encoded.extend(texts)
        return original(self, texts, *args)

    monkeypatch.setattr(LateInteraction, "documents", documents)
    folders = []
    for name, texts in (("one", ["a", "b"]), ("two", ["b", "a", "c"])):
        place = tmp_path / name
        place.mkdir()
        lines = [json.dumps({"docno": f"d{number}", "text": text}) for number, text in enumerate(texts)]
        (place / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
        folders.append(place)
    for place in folders:
        collection = legalir.Collection(place, cache=tmp_path / "cache")
        found = collection.search("a", f'colbert("{folder}", device="cpu")', k=5)
    assert sorted(encoded) == ["a", "b", "c"]
    model = LateInteraction(folder, device="cpu")
    (query,), documents = model.queries(["a"]), original(model, ["b", "a", "c"])
    expected = [float((query @ one.T).max(axis=1).sum()) for one in documents]
    assert found.sort_values("docno")["score"].tolist() == pytest.approx(expected, abs=5e-3)


def test_an_index_of_another_model(model: LateInteraction, tmp_path: Path) -> None:
    built(model, tmp_path / "index")
    other = LateInteraction(write_colbert(tmp_path / "other", seed=5), device="cpu")
    assert other != model
    with pytest.raises(ArtifactError, match="was built with another model"):
        len(ColbertIndex(tmp_path / "index", other))
    with pytest.raises(ArtifactError, match="has no model: give it"):
        Colbert(ColbertIndex(tmp_path / "index"))(TOPICS)


def test_models_that_are_none(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "config.json").write_text('{"architectures": ["BertModel"]}', encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match=r"holds no late-interaction model: .* for other encoders there is dense"):
        LateInteraction(tmp_path)
    with pytest.raises(ModelError, match="There is no folder"):
        LateInteraction(tmp_path / "nowhere")
    (tmp_path / "config_sentence_transformers.json").write_text('{"model_type": "ColBERT"}', encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be loaded"):
        LateInteraction(tmp_path, device="cpu").queries(["a"])
    (tmp_path / "config_sentence_transformers.json").write_text('{"model_', encoding="utf-8")
    with pytest.raises(ModelError, match=r"config_sentence_transformers\.json"):
        LateInteraction(tmp_path)


@pytest.mark.parametrize("wrong", ["batch_size=0", 'store="float64"', "num_results=0"])
def test_wrong_parameters(folder: Path, tmp_path: Path, wrong: str) -> None:
    opened = legalir.Collection("legalir/firecode", cache=tmp_path)
    with pytest.raises(ExpressionError, match=f"colbert: {wrong.partition('=')[0]}="):
        opened.pipeline(f'colbert("{folder}", {wrong})')
