"""Folders that are broken or meant ill: nothing in them is run, and one sentence says what is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bombs import Bomb
from tiny_models import SENTENCES, write_sentence

from legalir.dense.sentence import SentenceEncoder
from legalir.errors import ModelError

pytestmark = pytest.mark.neural


@pytest.fixture(name="model", scope="module")
def written_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a dense layer of its own."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer

    folder = tmp_path_factory.mktemp("model")
    first = Transformer(str(write_sentence(folder / "bare", modules=False)))
    made = SentenceTransformer(modules=[first, Pooling(32, pooling_mode="mean"), Dense(32, 8)], device="cpu")
    made.save(str(folder / "whole"))
    return folder / "whole"


@pytest.fixture(name="copy")
def copied_model(model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(model, tmp_path / "copy"))


def encode(folder: Path, **options: Any) -> None:
    SentenceEncoder(folder, device="cpu", **options).encode(SENTENCES)


def test_weights_in_torchs_format_are_read_where_they_are_tensors(copy: Path, model: Path) -> None:
    """BAAI/bge-m3 has no others."""
    import torch
    from safetensors.torch import load_file

    for part in (copy, copy / "2_Dense"):
        torch.save(load_file(part / "model.safetensors"), part / "pytorch_model.bin")
        (part / "model.safetensors").unlink()
    found = SentenceEncoder(copy, device="cpu").encode(SENTENCES)
    np.testing.assert_array_equal(found, SentenceEncoder(model, device="cpu").encode(SENTENCES))


@pytest.mark.parametrize("part", [".", "2_Dense"])
def test_a_pickle_that_would_run_code_is_refused_and_never_run(copy: Path, tmp_path: Path, part: str) -> None:
    import torch

    mark = tmp_path / "it-ran"
    (copy / part / "model.safetensors").unlink()
    torch.save({"linear.weight": Bomb(mark)}, copy / part / "pytorch_model.bin")
    with pytest.raises(ModelError, match="pickle"):
        encode(copy)
    assert not mark.exists()
    torch.load(copy / part / "pytorch_model.bin", weights_only=False)
    assert mark.exists()  # The bomb is a real one.


@pytest.mark.parametrize(
    "kind", ["subprocess.Popen", "os.system", "own.Module", "sentence_transformers_evil.Module", "pathlib.Path"]
)
def test_a_module_that_is_none_of_the_library_is_not_loaded(copy: Path, tmp_path: Path, kind: str) -> None:
    mark = tmp_path / "it-ran"
    (copy / "own.py").write_text(f"import os\nos.mkdir({str(mark)!r})\n", encoding="utf-8")
    modules = json.loads((copy / "modules.json").read_text(encoding="utf-8"))
    modules[1]["type"] = kind
    (copy / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    with pytest.raises(ModelError):
        encode(copy)
    assert not mark.exists()


def test_code_that_comes_with_a_model_is_run_only_where_it_is_trusted(copy: Path, tmp_path: Path) -> None:
    mark = tmp_path / "it-ran"
    (copy / "own.py").write_text(f"import os\nos.mkdir({str(mark)!r})\n", encoding="utf-8")
    config = {"model_type": "own", "auto_map": {"AutoConfig": "own.Config", "AutoModel": "own.Model"}}
    (copy / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ModelError, match="Python code of its own"):
        encode(copy)
    assert not mark.exists()
    with pytest.raises(ModelError):  # There is no such class in it, and it has run by then.
        encode(copy, trust_remote_code=True)
    assert mark.exists()


@pytest.mark.parametrize("part", ["model.safetensors", "2_Dense/model.safetensors"])
@pytest.mark.parametrize("size", [0, 60, -8])
def test_truncated_weights(copy: Path, part: str, size: int) -> None:
    (copy / part).write_bytes((copy / part).read_bytes()[:size])
    with pytest.raises(ModelError, match=r"copy.*cannot be read"):
        encode(copy)


def test_missing_weights_are_no_random_ones(copy: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(copy / "model.safetensors")
    gone = "encoder.layer.0.attention.self.query.weight"
    del tensors[gone]
    save_file(tensors, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=f"lacks the weights {gone}"):
        encode(copy)


@pytest.mark.parametrize("name", ["tokenizer.json", "config.json", "1_Pooling/config.json", "2_Dense/config.json"])
def test_files_that_are_cut_off(copy: Path, name: str) -> None:
    whole = (copy / name).read_bytes()
    (copy / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match=r"get the whole model again\.$"):
        encode(copy)


@pytest.mark.parametrize(
    ("name", "lacking"),
    [
        ("tokenizer.json", r"lacks tokenizer\.json"),
        ("model.safetensors", r"holds no model\.safetensors"),
        ("1_Pooling/config.json", "copy cannot be read"),
    ],
)
def test_files_that_are_missing(copy: Path, name: str, lacking: str) -> None:
    (copy / name).unlink()
    with pytest.raises(ModelError, match=lacking):
        encode(copy)
