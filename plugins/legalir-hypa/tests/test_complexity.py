"""Classifiers of questions: their arithmetic, their files, and faults of both."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tiny_models import write_complexity, write_cross_encoder

import legalir
from legalir.errors import ArtifactError, ComponentError, LegalIRError, ModelError
from legalir.extend import seal
from legalir_hypa.complexity import Complexity, LinearClassifier, file_digest, open_classifier

QUESTIONS = pd.DataFrame(
    {"qid": ["1", "2", "3"], "query": ["창문 없는 층의 기준은?", "과태료가 얼마인가요?", "매장이 큽니다."]}
)
E = np.e


@pytest.fixture(name="model")
def linear_model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    return write_complexity(folder)


def reseal(file: Path, **changes: Any) -> None:
    """Change the card of a model, and seal it again."""
    content = json.loads(file.read_text(encoding="utf-8"))
    del content["sha256"]
    file.write_text(json.dumps(seal({**content, **changes})), encoding="utf-8")


def test_columns_and_the_arithmetic_of_votes(model: Path) -> None:
    before = QUESTIONS.copy()
    component = Complexity(model)
    out = component(QUESTIONS)
    pd.testing.assert_frame_equal(QUESTIONS, before)
    assert list(out.columns) == ["qid", "query", "complexity", "p_0", "p_1", "p_2"]
    assert list(out["complexity"]) == [1, 2, 0]
    # "매장이" alone: x = 1; z = (.5 + 0, 1 - 1, .25 + .5) for the pairs 01, 02, 12; z > 0 votes for the first.
    sums = np.array([0.5 + 0.0, -0.5 + 0.75, 0.0 - 0.75])
    np.testing.assert_allclose(out.loc[2, ["p_0", "p_1", "p_2"]].astype(float), E**sums / (E**sums).sum())
    assert list(component(QUESTIONS.iloc[:0]).columns) == list(out.columns)
    results = QUESTIONS.assign(docno="d", score=1.0, rank=0)
    assert list(component(results)["complexity"]) == [1, 2, 0]


def test_counts_and_length(tmp_path: Path) -> None:
    weights = np.array([[0.0, 0.0], [1.0, 2.0]])
    model = LinearClassifier("lr", 2, ["a1", "b1"], np.array([1.0, 3.0]), weights, np.array([0.0, -0.5]))
    _, p = model.classify(["A1 a1, b1; c1", "!"])
    x = np.array([2.0, 3.0]) / np.sqrt(13)  # counts 2 and 1, times idf
    z = x @ weights[1] - 0.5
    np.testing.assert_allclose(p[:, 1], [1 / (1 + E**-z), 1 / (1 + E**0.5)])
    model.save(tmp_path, {"made_by": "test"})
    again = open_classifier(tmp_path)
    assert again.fingerprint == model.fingerprint
    np.testing.assert_array_equal(again.classify(["A1 a1, b1; c1", "!"])[1], p)
    classes, p = again.classify([])
    assert (classes.shape, p.shape) == ((0,), (0, 2))


def test_the_original_question_decides(model: Path) -> None:
    rewritten = pd.DataFrame({"qid": ["1"], "query": ["벌금"], "query_0": ["과태료가 얼마인가요?"]})
    assert list(Complexity(model)(rewritten)["complexity"]) == [2]


def test_it_stands_before_a_retriever(model: Path, tmp_path: Path) -> None:
    opened = legalir.Collection("legalir/firecode", cache=tmp_path / "cache")
    found = opened.pipeline(f'complexity("{model}") >> bm25')(QUESTIONS)
    assert {"complexity", "p_2", "docno"} <= set(found.columns)
    with pytest.raises(ComponentError, match=r"complexity.*7.*'1'"):
        Complexity(model)(pd.DataFrame({"qid": ["1"], "query": [7]}))


def truncate(folder: Path) -> None:
    (folder / "model.npz").write_bytes((folder / "model.npz").read_bytes()[:-9])


def alter(folder: Path) -> None:
    content = bytearray((folder / "model.npz").read_bytes())
    content[90] ^= 1
    (folder / "model.npz").write_bytes(content)


def put_in(folder: Path, **arrays: Any) -> None:
    """Write arrays with a card that fits the file."""
    with np.load(folder / "model.npz") as content:
        whole = {**content, **arrays}
    np.savez(folder / "model.npz", **whole)
    file = folder / "model.npz"
    reseal(folder / "model.json", files={file.name: {"size": file.stat().st_size, "sha256": file_digest(file)}})


def no_zip(folder: Path) -> None:
    file = folder / "model.npz"
    file.write_bytes(b"no zip")
    reseal(folder / "model.json", files={file.name: {"size": 6, "sha256": file_digest(file)}})


def pickled(folder: Path) -> None:
    put_in(folder, idf=np.array([{"an": "object"}] * 5, dtype=object))
    with zipfile.ZipFile(folder / "model.npz") as content:
        assert b"an" in content.read("idf.npy")


FAULTS: dict[str, Callable[[Path], None]] = {
    r"model.npz has \d+ bytes instead of \d+: copy the model again, or train it again": truncate,
    "model.npz was altered after it was written": alter,
    "lacks its file model.npz": lambda folder: (folder / "model.npz").unlink(),
    "model.npz does not hold arrays": no_zip,
    "model.npz does not hold arrays: ": pickled,
    "does not hold the idf of 5 terms": lambda folder: put_in(folder, idf=np.ones(4)),
    "does not hold the weights of 5 terms": lambda folder: put_in(folder, weights=np.full((3, 5), np.nan)),
    "model.json was truncated or altered, and is not JSON": lambda folder: (folder / "model.json").write_text("{"),
    "model.json was altered, and is not a JSON object": lambda folder: (folder / "model.json").write_text("[]"),
    "model.json was altered after it was written": lambda folder: (folder / "model.json").write_text(
        (folder / "model.json").read_text(encoding="utf-8").replace('"classes": 3', '"classes": 2'), encoding="utf-8"
    ),
    "has version 9 of the format of complexity classifiers": lambda folder: reseal(folder / "model.json", version=9),
    "is not that of a complexity classifier": lambda folder: reseal(folder / "model.json", format="legalir-static"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_damaged_model(fault: str, model: Path) -> None:
    FAULTS[fault](model)
    with pytest.raises(LegalIRError, match=fault) as raised:
        Complexity(str(model))
    assert isinstance(raised.value, ArtifactError) or "is not that of" in fault
    assert "\n" not in str(raised.value)


def test_mistakes(model: Path, tmp_path: Path) -> None:
    with pytest.raises(ComponentError, match="complexity: model=None"):
        Complexity(None)  # type: ignore[arg-type]
    for labels in ("simple", ["simple"], ["simple", "simple"], ["simple", ""]):
        with pytest.raises(ComponentError, match="complexity: labels="):
            Complexity(model, labels)
    with pytest.raises(ModelError, match="was trained for its own classes: leave labels out"):
        Complexity(model, ["simple", "complex"])
    with pytest.raises(ModelError, match="no-such-model' is neither a folder nor the name of a model"):
        Complexity("no-such-model")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"model.json"):
        Complexity(tmp_path / "empty")
    opened = legalir.Collection("legalir/firecode", cache=tmp_path / "cache")
    with pytest.raises(LegalIRError, match="model"):
        opened.pipeline("complexity >> bm25")


@pytest.mark.neural
def test_a_transformer_and_labels(tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = write_cross_encoder(tmp_path / "classifier", labels=3)
    out = Complexity(folder, device="cpu")(QUESTIONS)
    tokenizer, network = (kind.from_pretrained(folder) for kind in (AutoTokenizer, AutoModelForSequenceClassification))
    with torch.inference_mode():
        for number, query in enumerate(QUESTIONS["query"]):
            expected = network(**tokenizer(query, return_tensors="pt")).logits.softmax(dim=1)[0].numpy()
            np.testing.assert_allclose(out.loc[number, ["p_0", "p_1", "p_2"]].astype(float), expected, rtol=1e-4)
            assert out.loc[number, "complexity"] == expected.argmax()
    labels = ["simple question", "complex question"]
    with pytest.raises(ModelError, match="'entailment'"):
        Complexity(folder, labels)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    names = {"0": "contradiction", "1": "neutral", "2": "ENTAILMENT"}
    (folder / "config.json").write_text(json.dumps({**config, "id2label": names}), encoding="utf-8")
    out = Complexity(folder, labels, device="cpu")(QUESTIONS)
    with torch.inference_mode():
        pairs = [(QUESTIONS["query"][0], f"This example is {label}.") for label in labels]
        logits = torch.cat([network(**tokenizer(*pair, return_tensors="pt")).logits[:, 2] for pair in pairs])
    expected = logits.softmax(dim=0).numpy()
    np.testing.assert_allclose(out.loc[0, ["p_0", "p_1"]].astype(float), expected, rtol=1e-4)
    assert list(Complexity(folder, labels)(QUESTIONS.iloc[:0]).columns[-3:]) == ["complexity", "p_0", "p_1"]
    with pytest.raises(ModelError, match="gives one score and no classes"):
        Complexity(write_cross_encoder(tmp_path / "reranker"))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match="has no weights as safetensors, and pickled ones are not read"):
        Complexity(folder)
