"""Sentence encoders as components: their names, what makes two of them one, and how a collection uses them."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from sentence_material import TEXTS
from tiny_models import SENTENCES, write_m3, write_qwen, write_sentence

from legalir import Collection
from legalir.dense import sentence as module
from legalir.dense.contract import Encoder
from legalir.dense.encoders import get_encoder
from legalir.dense.index import DenseIndex, dense
from legalir.dense.sentence import SentenceEncoder
from legalir.errors import ArtifactError, ComponentError, ModelError

pytestmark = pytest.mark.neural
DOCUMENTS = [{"docno": f"d{number}", "text": text} for number, text in enumerate(TEXTS)]


@pytest.fixture(name="folder", scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sentence(tmp_path_factory.mktemp("models") / "one")


def is_loaded(encoder: SentenceEncoder) -> bool:
    return "_loaded" in encoder.__dict__


def test_nothing_is_loaded_before_the_first_text(folder: Path) -> None:
    encoder = SentenceEncoder(folder)
    assert isinstance(encoder, Encoder)
    assert len(encoder.fingerprint) == 64
    assert encoder.name in repr(encoder)
    assert not is_loaded(encoder)
    encoder.encode(["문"])
    assert is_loaded(encoder)


def test_naming_and_telling_apart_need_no_torch(folder: Path) -> None:
    program = (
        "import sys; from legalir.dense.encoders import get_encoder; "
        f"one = get_encoder({str(folder)!r}); one.fingerprint, one.name, hash(one); "
        "print(*sorted({'torch', 'transformers', 'sentence_transformers', 'tokenizers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_one_model_is_in_memory_once(folder: Path) -> None:
    one, other = SentenceEncoder(folder), SentenceEncoder(folder, batch_tokens=64)
    another = SentenceEncoder(folder, query_prompt="Q: ")
    assert one._loaded is other._loaded
    assert one._loaded is not another._loaded


def test_what_makes_encoders_equal(folder: Path, tmp_path: Path) -> None:
    encoder = SentenceEncoder(folder)
    same = (SentenceEncoder(str(folder)), SentenceEncoder(folder, device="cpu", batch_tokens=99))
    for other in same:
        assert (other, hash(other)) == (encoder, hash(encoder))
    different = [
        SentenceEncoder(folder, **{name: value})
        for name, value in (
            ("pooling", "cls"),
            ("max_length", 32),
            ("query_prompt", "Q: "),
            ("document_prompt", "D: "),
            ("preset", "intfloat/multilingual-e5-small"),
            ("dtype", "bfloat16"),
        )
    ]
    assert len({encoder.fingerprint, *(other.fingerprint for other in different)}) == 7
    assert encoder != different[0]
    assert encoder != "encoder"
    assert SentenceEncoder(write_sentence(tmp_path / "two", seed=1)) != encoder


def test_names_make_the_encoder_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert SentenceEncoder(folder).name == str(folder)
    assert SentenceEncoder("BAAI/bge-m3", device="cpu").name == "BAAI/bge-m3"
    encoder = SentenceEncoder(folder, query_prompt="Query:\n", max_length=32)
    assert encoder.name == f"sentence(max_length=32, model={str(folder)!r}, query_prompt='Query:\\n')"
    monkeypatch.chdir(folder.parent)
    assert SentenceEncoder("one").name == "sentence(model='one')"  # Else a plugin's name could be meant.
    assert SentenceEncoder("./one").name == "./one"


def test_specs_that_are_models(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for spec in (str(folder), "./one", "one", "../" + folder.parent.name + "/one"):
        monkeypatch.chdir(folder.parent)
        assert get_encoder(spec) == SentenceEncoder(folder)
    assert get_encoder("intfloat/multilingual-e5-small").name == "intfloat/multilingual-e5-small"
    assert get_encoder(str(folder), parameters={"max_length": 16}) == SentenceEncoder(folder, max_length=16)
    encoder = SentenceEncoder(folder)
    assert get_encoder(encoder) is encoder


def test_specs_that_are_components(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "lsa").mkdir()
    monkeypatch.chdir(tmp_path)
    assert get_encoder("lsa").name == "lsa"
    assert get_encoder("lsa(dimensions=8)").name == "lsa"
    with pytest.raises(ComponentError, match="no model"):
        get_encoder(f"static(model={str(tmp_path / 'lsa')!r})")
    with pytest.raises(ComponentError, match="nothing-there"):
        get_encoder("nothing-there")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_length": 4}, "sentence: max_length=4 is not an integer of at least 8"),
        ({"max_length": 65}, "reads at most 64 tokens of a text: max_length=65 is too much"),
        ({"batch_tokens": 0}, "sentence: batch_tokens=0 is not an integer of at least 8"),
        ({"pooling": "lasttoken"}, "pooling='lasttoken' is not one of cls, mean, last"),
        ({"dtype": "int8"}, "dtype='int8' is not one of float32, float16, bfloat16"),
        ({"device": "tpu-7"}, "device='tpu-7' is not a device"),
        ({"preset": "e5"}, "There is no preset 'e5'"),
        ({"task": "Find"}, "has no prompt that takes a task"),
    ],
)
def test_parameters_out_of_range(folder: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ComponentError, match=said):
        SentenceEncoder(folder, **options).encode(["문"])


def test_limits_of_models_that_leave_positions_to_padding(tmp_path: Path) -> None:
    """XLM-RoBERTa has 2 positions more than it reads tokens."""
    folder = write_m3(tmp_path, max_length=40)
    (folder / "sentence_bert_config.json").unlink()
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    (folder / "tokenizer_config.json").write_text(json.dumps({**config, "model_max_length": 10**9}), encoding="utf-8")
    encoder = SentenceEncoder(folder, device="cpu")
    assert np.isfinite(encoder.encode(TEXTS)).all()
    assert encoder._loaded.limit == 40
    with pytest.raises(ModelError, match=r"40.*max_length=41"):
        SentenceEncoder(folder, device="cpu", max_length=41).encode(["문"])


def test_a_folder_takes_the_preset_that_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Given, else the preset's within the model's limit, else that limit; and Qwen's own task, not the folder's."""
    folder, e5 = write_qwen(tmp_path / "qwen", max_length=600), "intfloat/multilingual-e5-base"
    qwen = "Qwen/Qwen3-Embedding-0.6B"
    for options, length in (
        ({}, 600),
        ({"preset": e5}, 512),
        ({"preset": e5, "max_length": 550}, 550),
        ({"preset": qwen}, 600),
        ({"max_length": 550}, 550),
    ):
        assert SentenceEncoder(folder, device="cpu", **options)._loaded.limit == length  # type: ignore[arg-type]
    with caplog.at_level(logging.INFO, logger="legalir"):
        own, named = SentenceEncoder(folder).settings, SentenceEncoder(folder, preset=qwen).settings
    assert "preset=" in caplog.messages[0]
    assert len(caplog.messages) == 1
    assert "passage that answers" in own.query_prompt
    assert "provisions of statutes" in named.query_prompt
    collection = Mock(cache=tmp_path, cached=lambda index, build: index)
    found = dense(collection, encoder=str(folder), preset=qwen).index
    assert found == DenseIndex(found.directory, SentenceEncoder(folder, preset=qwen))
    with pytest.raises(ComponentError, match="preset"):
        dense(collection, encoder="lsa", preset=qwen)


def test_a_model_that_is_not_there_and_no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    encoder = get_encoder("BAAI/bge-m3")
    for use in (lambda: encoder.fingerprint, lambda: encoder.encode(["문"]), lambda: encoder.encode_queries(["문"])):
        with pytest.raises(ModelError, match="--local-dir FOLDER"):
            use()


def test_queries_are_remembered_and_documents_are_not(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    encode_texts = module.encode_texts

    def counting(loaded: Any, texts: list[str], *rest: Any) -> Any:
        seen.append(list(texts))
        return encode_texts(loaded, texts, *rest)

    monkeypatch.setattr(module, "encode_texts", counting)
    encoder = SentenceEncoder(folder)
    first = encoder.encode_queries(["문", "", "비상구", "문"])
    np.testing.assert_array_equal(encoder.encode_queries(["비상구", "문"]), first[[2, 0]])
    assert seen == [["문", "비상구"]]
    encoder.encode(["문"])
    encoder.encode(["문"])
    assert seen[1:] == [["문"], ["문"]]


def test_progress_counts_every_text_once(folder: Path) -> None:
    told: list[int] = []
    texts = [*TEXTS, "", " "]
    found = SentenceEncoder(folder, batch_tokens=64).encode_counted(texts, told.append)
    np.testing.assert_array_equal(found, SentenceEncoder(folder, batch_tokens=64).encode(texts))
    assert sum(told) == len(texts)
    assert len(told) > 3


def test_memory_that_does_not_suffice(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    encoder = SentenceEncoder(folder, device="cpu", batch_tokens=640)

    def full(*args: Any) -> None:
        raise torch.OutOfMemoryError("full")

    monkeypatch.setattr(encoder._loaded.modules, "forward", full)
    with pytest.raises(ModelError, match=r"cpu.*batch_tokens=320"):
        encoder.encode(TEXTS)


def test_numbers_that_are_none(folder: Path) -> None:
    encoder = SentenceEncoder(folder, device="cpu", query_prompt="for this test alone")
    for one in encoder._loaded.modules.parameters():
        one.fill_(float("nan"))
    with pytest.raises(ModelError, match="dtype='float32'"):
        encoder.encode(TEXTS)


def test_an_index_of_its_vectors(folder: Path, tmp_path: Path) -> None:
    encoder = SentenceEncoder(folder)
    index = DenseIndex(tmp_path / "index", encoder=encoder).index(DOCUMENTS, precision="float16")
    np.testing.assert_allclose(np.asarray(index.vectors), encoder.encode(TEXTS), atol=1e-3)
    assert index.retriever(num_results=2).search(SENTENCES[2])["docno"].tolist()[0] == "d2"
    again = DenseIndex(tmp_path / "index")  # Which makes its encoder again from the name in the manifest.
    assert again.encoder == encoder
    with pytest.raises(ArtifactError, match="was built with"):
        DenseIndex(tmp_path / "index", encoder=SentenceEncoder(folder, pooling="cls")).retriever().search("문")


def test_a_collection_is_encoded_once_a_model(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    lines = [json.dumps(document, ensure_ascii=False) for document in DOCUMENTS]
    (tmp_path / "corpus" / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    collection = Collection(tmp_path / "corpus", cache=tmp_path / "cache")
    index = collection.dense(str(folder))
    assert collection.dense(SentenceEncoder(folder, device="cpu")) is index
    other = collection.dense(SentenceEncoder(folder, max_length=16))
    assert other.path != index.path
    found = collection.pipeline(f"dense(encoder={str(folder)!r}, num_results=3)").search(SENTENCES[0])
    assert found["docno"].tolist()[:2] == ["d0", "d8"]  # The same text twice.
