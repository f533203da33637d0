"""Static models of sentence-transformers here, and ours there; a small one of theirs is made on the spot."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from static_material import TEXTS, small_model

from legalir.dense.static import StaticEncoder
from legalir.dense.static_embedding import TokenModel
from legalir.dense.static_model import StaticModel
from legalir.errors import ArtifactError, ComponentError, MissingExtra

pytestmark = pytest.mark.neural
CLOSE = 1e-5


def tokenizer() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    words = sorted({c for text in TEXTS for c in text.lower()})
    vocabulary = {"[UNK]": 0, **{word: number for number, word in enumerate([*words, "등대", "fog"], start=1)}}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", continuing_subword_prefix=""))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.enable_padding()  # Which a StaticEmbedding switches off.
    return made


@pytest.fixture(name="theirs", scope="module")
def their_model() -> Any:
    transformers = pytest.importorskip("sentence_transformers")
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    made = tokenizer()
    table = np.random.default_rng(1).standard_normal((made.get_vocab_size(), 8)).astype(np.float32)
    prompts = {"query": "in fog ", "document": ""}
    return transformers.SentenceTransformer(modules=[StaticEmbedding(made, table)], prompts=prompts, device="cpu")


def normalized(vectors: Any) -> Any:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def test_theirs_here(theirs: Any, tmp_path: Path) -> None:
    theirs.save(str(tmp_path / "model"))
    encoder = StaticEncoder(tmp_path / "model")
    np.testing.assert_allclose(encoder.encode(TEXTS), normalized(theirs.encode_document(TEXTS)), atol=CLOSE)
    np.testing.assert_allclose(encoder.encode_queries(TEXTS), normalized(theirs.encode_query(TEXTS)), atol=CLOSE)
    assert encoder.encode([]).shape == (0, encoder.model.dimensions) == (0, 8)
    assert repr(encoder.model).endswith("tokens, 8 dimensions)")
    assert encoder.encode(["\ud800", unicodedata.normalize("NFD", "등대")]).shape == (2, 8)
    vector = encoder.encode(["등대"])[0]
    for query in ("등대 fog", "등대 등대 관리인", ""):
        found = encoder.contributions(query, vector)
        assert sum(found.values()) == pytest.approx(float(encoder.encode_queries([query])[0] @ vector), abs=CLOSE)
    # The letters i and n are tokens, as `in` is none; the prompt counts, too.
    assert list(encoder.contributions("등대", vector)) == ["i", "n", "fog", "등대"]
    assert (
        encoder.fingerprint == StaticEncoder(tmp_path / "model").fingerprint != StaticEncoder(small_model()).fingerprint
    )


def test_theirs_with_faults(theirs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def saved(name: str) -> Path:
        theirs.save(str(tmp_path / name))
        return tmp_path / name

    folder = saved("a")
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(ArtifactError, match="is not a tokenizer"):
        TokenModel.load(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ArtifactError, match=r"tokenizer\.json"):
        TokenModel.load(folder)
    folder = saved("b")
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-4])
    with pytest.raises(ArtifactError, match="does not fit"):
        TokenModel.load(folder)
    folder = saved("c")
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([*modules, {"type": "sentence_transformers.models.Dense"}]))
    with pytest.raises(ComponentError, match="StaticEmbedding, Dense: only a StaticEmbedding"):
        TokenModel.load(folder)
    (folder / "modules.json").write_text("[1]")
    with pytest.raises(ArtifactError, match="not what sentence-transformers writes"):
        TokenModel.load(folder)
    (folder / "modules.json").write_text("[")
    with pytest.raises(ArtifactError, match="not readable JSON"):
        TokenModel.load(folder)
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(MissingExtra, match=r"legalir\[dense\]"):
        TokenModel.load(saved("d"))


def test_models_of_model2vec(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    made = tokenizer()
    made.save(str(tmp_path / "tokenizer.json"))
    size = made.get_vocab_size()
    random = np.random.default_rng(2)
    table, weights = random.standard_normal((5, 4)).astype(np.float32), random.random(size)
    mapping = random.integers(0, 5, size)
    save_file({"embeddings": table, "mapping": mapping, "weights": weights}, tmp_path / "model.safetensors")
    model = TokenModel.load(tmp_path)
    ids = made.encode("등대 fog", add_special_tokens=False).ids
    wanted = sum(table[mapping[token]] * weights[token] for token in ids)
    np.testing.assert_allclose(model.encode(["등대 fog"])[0], wanted / np.linalg.norm(wanted), atol=CLOSE)
    save_file({"embeddings": table}, tmp_path / "model.safetensors")
    with pytest.raises(ArtifactError, match="tokens and vectors for 5"):
        TokenModel.load(tmp_path)
    save_file({"else": table}, tmp_path / "model.safetensors")
    with pytest.raises(ArtifactError, match="no table of vectors"):
        TokenModel.load(tmp_path)


@pytest.mark.parametrize("int8", [False, True])
def test_ours_there(tmp_path: Path, int8: bool) -> None:
    transformers = pytest.importorskip("sentence_transformers")
    model = small_model().quantised() if int8 else small_model()
    model.export(tmp_path / "model")
    assert StaticModel.load(tmp_path / "model").fingerprint == model.fingerprint
    there = transformers.SentenceTransformer(str(tmp_path / "model"), trust_remote_code=True, device="cpu")
    np.testing.assert_allclose(there.encode(TEXTS), model.encode(TEXTS), atol=CLOSE)
    assert there.get_embedding_dimension() == 12
    assert there.max_seq_length == 1000
    # Saved there, it is a model of ours again.
    there.save(str(tmp_path / "again"))
    again = StaticModel.load(tmp_path / "again")
    cosines = (again.encode(TEXTS[:4]) * model.encode(TEXTS[:4])).sum(axis=1)
    assert (cosines > 1 - 1e-5).all()
    assert again.card == model.card


def test_ours_can_be_trained_there(tmp_path: Path) -> None:
    import torch

    transformers = pytest.importorskip("sentence_transformers")
    small_model().export(tmp_path / "model")
    there = transformers.SentenceTransformer(str(tmp_path / "model"), trust_remote_code=True, device="cpu")
    vectors = there(there.preprocess(["등대 등불", "fog"]))["sentence_embedding"]
    (vectors[0] @ vectors[1]).backward()
    weight = there[0].embedding.weight
    assert torch.count_nonzero(weight.grad.abs().sum(dim=1)) == len(
        np.unique(small_model().ngrams.features(["등대 등불", "fog"]).rows)
    )
