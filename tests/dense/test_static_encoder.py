"""Static models as encoders of collections, and where they are looked for."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from static_material import TEXTS, small_model

from legalir import Collection, testing
from legalir.dense.contract import Encoder, TermEncoder
from legalir.dense.index import DenseIndex
from legalir.dense.static import StaticEncoder, model_folder, own_model, static_encoder
from legalir.errors import ArtifactError, ComponentError, ModelError


@pytest.fixture(name="collection")
def small_collection(tmp_path: Path) -> Collection:
    folder = tmp_path / "lamps"
    folder.mkdir()
    lines = [json.dumps({"docno": f"d{number}", "text": text}) for number, text in enumerate(TEXTS)]
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return Collection(folder, cache=tmp_path / "cache")


def test_the_encoder_is_the_model(tmp_path: Path) -> None:
    model = small_model()
    model.save(tmp_path / "model")
    encoder = StaticEncoder(tmp_path / "model")
    assert isinstance(encoder, Encoder)
    assert isinstance(encoder, TermEncoder)
    assert "model" not in encoder.__dict__  # Nothing is opened before the first text.
    assert encoder == StaticEncoder(model) != StaticEncoder(model.quantised())
    assert len({encoder, StaticEncoder(model)}) == 1
    assert "model" in repr(encoder)
    for found in (encoder.encode(TEXTS), encoder.encode_queries(TEXTS)):
        np.testing.assert_array_equal(found, model.encode(TEXTS))
    vector = model.encode(["등대"])[0]
    assert encoder.contributions("등대", vector) == model.contributions("등대", vector)


def test_a_damaged_table_is_found_before_it_is_used(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    content = bytearray((tmp_path / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (tmp_path / "model.safetensors").write_bytes(content)
    encoder = static_encoder(None, model=str(tmp_path))
    with pytest.raises(ArtifactError, match="was altered"):
        encoder.encode(["등대"])


def test_conformance(tmp_path: Path) -> None:
    small_model().save(tmp_path / "model")
    outcomes = testing.check("encoder", static_encoder, params={"model": str(tmp_path / "model")})
    assert [outcome for outcome in outcomes if not outcome.ok] == []
    assert sum(outcome.status == "passed" for outcome in outcomes) > 10


def test_a_collection_is_encoded_once_a_model(collection: Collection, tmp_path: Path) -> None:
    model = small_model()
    index = collection.dense(StaticEncoder(model))
    assert collection.dense(StaticEncoder(model)) is index
    np.testing.assert_allclose(index.vectors, model.encode(TEXTS), atol=1e-6)
    assert collection.dense(StaticEncoder(model.quantised())).path != index.path
    again = DenseIndex(tmp_path / "index", encoder=StaticEncoder(model)).index([{"docno": "a", "text": TEXTS[0]}])
    assert again.retriever().search("등대")["docno"].tolist() == ["a"]


def test_a_collections_own_models(collection: Collection) -> None:
    assert own_model(None) is None
    assert own_model(collection) is None
    root = collection.source.folder.root
    small_model().save(root / "static" / "small")
    assert own_model(collection) is None
    assert model_folder(collection, "small") == root / "static" / "small"
    for file in (root / "static" / "small").iterdir():
        (root / "static" / file.name).write_bytes(file.read_bytes())
    assert own_model(collection) == model_folder(collection, None) == root / "static"


def test_a_model_that_dataset_yaml_names(tmp_path: Path) -> None:
    about = SimpleNamespace(static="models/one")
    named = SimpleNamespace(source=SimpleNamespace(folder=SimpleNamespace(root=tmp_path, about=about)))
    with pytest.raises(ComponentError, match="'models/one'"):
        own_model(named)
    small_model().save(tmp_path / "models" / "one")
    assert own_model(named) == tmp_path / "models" / "one"


def test_models_that_are_nowhere(collection: Collection) -> None:
    small_model().save(collection.source.folder.root / "static" / "small")
    for model, said in (
        (None, "has no model of its own: name a folder"),
        ("smal", "there is no folder smal. Did you mean 'small'"),
        ("", "is not text"),
    ):
        with pytest.raises(ComponentError, match=said):
            static_encoder(collection, model=model)
    with pytest.raises(ModelError, match="There is no collection here"):  # An experiment leaves such a system out.
        static_encoder(None)
    with pytest.raises(ComponentError, match=r"model\.json"):
        static_encoder(None, model=str(collection.source.folder.root))
