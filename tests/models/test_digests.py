"""The digest of a model: changes with what decides its vectors, and with nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from legalir.errors import ModelError
from legalir.models.folders import model_digest
from legalir.storage import digest as digests

DECIDING = {
    "config.json": b"{}",
    "config_sentence_transformers.json": b"{}",
    "sentence_bert_config.json": b"{}",
    "tokenizer.json": b"{}",
    "tokenizer_config.json": b"{}",
    "special_tokens_map.json": b"{}",
    "sentencepiece.bpe.model": b"spm",
    "vocab.txt": b"a",
    "model.safetensors": b"weights",
    "sparse_linear.pt": b"sparse",
    "modeling_own.py": b"pass",
    "1_Pooling/config.json": b"{}",
    "2_Dense/model.safetensors": b"dense",
}
IDLE = {
    "README.md": b"# A model",
    "pytorch_model.bin": b"the same weights again, which nobody opens",
    "training_args.bin": b"pickle",
    "optimizer.pt": b"state",
    "onnx/model.onnx": b"onnx",
    "checkpoint-10/model.safetensors": b"earlier weights",
    ".cache/huggingface/CACHEDIR.TAG": b"tag",
}


@pytest.fixture(name="folder")
def model_folder(tmp_path: Path) -> Path:
    modules = [{"path": "", "type": "T"}, {"path": "1_Pooling", "type": "P"}, {"path": "2_Dense", "type": "D"}]
    modules.append({"path": "3_Normalize", "type": "N"})
    for name, content in {**DECIDING, **IDLE, "modules.json": json.dumps(modules).encode()}.items():
        path = tmp_path / "model" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "model"


@pytest.mark.parametrize("name", DECIDING)
def test_a_file_that_decides_changes_it(folder: Path, name: str) -> None:
    before = model_digest(folder)
    assert len(before) == 64
    (folder / name).write_bytes(DECIDING[name] + b" ")
    changed = model_digest(folder)
    (folder / name).unlink()
    assert len({before, changed, model_digest(folder)}) == 3


@pytest.mark.parametrize("name", IDLE)
def test_a_file_that_does_not_leaves_it(folder: Path, name: str) -> None:
    before = model_digest(folder)
    (folder / name).write_bytes(b"something else")
    assert model_digest(folder) == before


def test_pickled_weights_count_where_there_are_no_others(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    before = model_digest(folder)
    (folder / "pytorch_model.bin").write_bytes(b"other weights")
    assert model_digest(folder) != before


def test_settings_are_part_of_it_and_the_place_is_not(folder: Path, tmp_path: Path) -> None:
    plain = model_digest(folder)
    assert plain == model_digest(folder, {})
    assert len({plain, model_digest(folder, {"prompt": "query: "}), model_digest(folder, {"prompt": "passage: "})}) == 3
    assert model_digest(folder, {"a": 1, "b": 2}) == model_digest(folder, {"b": 2, "a": 1})
    folder.rename(tmp_path / "elsewhere")
    assert model_digest(tmp_path / "elsewhere") == plain


def test_a_file_is_read_again_only_when_it_changed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole: Callable[[Path], str] = digests.file_digest

    def reading(path: Path) -> str:
        read.append(path.name)
        return whole(path)

    monkeypatch.setattr(digests, "file_digest", reading)
    first = model_digest(folder)
    read.clear()
    assert model_digest(folder) == first
    assert read == []
    later = (folder / "vocab.txt").stat().st_mtime_ns + 1_000_000
    os.utime(folder / "vocab.txt", ns=(later, later))
    assert model_digest(folder) == first
    assert read == ["vocab.txt"]


def test_the_hubs_names_of_large_files_are_taken_as_their_digests(folder: Path, tmp_path: Path) -> None:
    """Blobs in the hub's cache are named by their sha256 (files in LFS), or their git hash, which has 40 digits."""
    plain = model_digest(folder)
    blobs = tmp_path / "blobs"
    blobs.mkdir()
    lfs = digests.file_digest(folder / "model.safetensors")
    for name, blob in (("model.safetensors", lfs), ("vocab.txt", "a" * 40)):
        (folder / name).rename(blobs / blob)
        (folder / name).symlink_to(blobs / blob)
    assert model_digest(folder) == plain
    (blobs / lfs).write_bytes(b"never read")
    assert model_digest(folder) == plain
    (blobs / ("a" * 40)).write_bytes(b"read")
    assert model_digest(folder) != plain


@pytest.mark.parametrize("content", ["{", "[1]", '{"path": 1}', '[{"type": "T"}]'])
def test_modules_that_are_none(folder: Path, content: str) -> None:
    (folder / "modules.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=r"modules\.json"):
        model_digest(folder)


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="gone cannot be read"):
        model_digest(tmp_path / "gone")
