"""Fine-tunings that cannot be, or end early: one sentence each, and nothing of value is lost."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tunable import contents, tuned, write_collection, write_tunable

from legalir.errors import (
    ArtifactError,
    ComponentError,
    DataError,
    DatasetNotFound,
    DefinitionError,
    LegalIRError,
    MissingExtra,
    ModelError,
)
from legalir_finetune.trainer import _Steps


@pytest.fixture(name="root", scope="module")
def models_and_statutes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tunable(tmp_path_factory.mktemp("tunable"))


def test_other_settings(root: Path, tmp_path: Path) -> None:
    small = tuned(root, tmp_path / "a", "m3", most_pairs=24, pooling="mean", hard=0, gradient_checkpointing=True)
    assert set(small.history["steps"]) <= {5, 6}  # Of 24 pairs; some may find no batch.
    assert json.loads((small.path / "1_Pooling" / "config.json").read_text())["pooling_mode_mean_tokens"] is True
    half = tuned(root, tmp_path / "b", precision="bfloat16", epochs=1, pool=6)
    assert np.isfinite(half.history["loss"]).all()
    with pytest.raises(ModelError, match="'precision'"):
        tuned(root, tmp_path / "c", precision="float16")


def test_patience(root: Path, tmp_path: Path) -> None:
    found = tuned(root, tmp_path / "model", dev="dev", epochs=4, patience=1, rate=1e-30)
    # Such a rate changes no weight of 32 bits: the second epoch is no better than the first.
    assert found.history["epoch"].tolist() == [0, 1, 2]
    assert found.history["kept"].tolist() == [False, True, False]


def test_a_loss_that_is_no_number(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compute = _Steps.compute_loss

    def spoilt(self: Any, model: Any, inputs: Any, *given: Any, **named: Any) -> Any:
        if self.state.global_step == 2:
            model.model.get_input_embeddings().weight.data.fill_(float("nan"))
        return compute(self, model, inputs, *given, **named)

    monkeypatch.setattr(_Steps, "compute_loss", spoilt)
    with pytest.raises(LegalIRError, match=r"nan at step 3.*0\.003"):
        tuned(root, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_too_little_memory(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr(_Steps, "compute_loss", full)
    with pytest.raises(LegalIRError, match="memory of cpu"):
        tuned(root, tmp_path / "model")


def test_a_full_disk(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise RuntimeError("PytorchStreamWriter failed writing file data.pkl: file write failed\nmore")

    monkeypatch.setattr("safetensors.torch.save_file", full)
    with pytest.raises(ArtifactError, match="PytorchStreamWriter"):
        tuned(root, tmp_path / "model", epochs=1)
    assert not (tmp_path / "model").exists()


def test_places(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    tuned(root, out, epochs=1)
    before = contents(out)
    with pytest.raises(DefinitionError, match="replace=True"):
        tuned(root, out, epochs=1)
    tuned(root, out, epochs=1, seed=9, replace=True)
    assert contents(out)["model.safetensors"] != before["model.safetensors"]
    assert sorted(path.name for path in tmp_path.iterdir() if "own-home" not in path.name) == ["model"]
    for place in (root / "bert", tmp_path):
        with pytest.raises(ComponentError, match="not a fine-tuned model"):
            tuned(root, place, replace=True)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ArtifactError, match="give another place"):
        tuned(root, tmp_path / "file" / "model")


def test_mistakes(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "model"
    with pytest.raises(ModelError, match="nothing"):
        tuned(root, out, "nothing")
    with pytest.raises(DatasetNotFound, match="'dve'"):
        tuned(root, out, dev="dve")
    with pytest.raises(DataError, match="learnt"):
        shared = write_collection(tmp_path / "shared", shared=True)
        tuned(root, out, dataset=str(shared / "train"), dev="dev")
    with pytest.raises(DataError, match="64 anchors"):
        tuned(root, out, "m3", batch=64, objective="unified")
    with pytest.raises(DefinitionError, match="resume=True"):
        tuned(root, out, resume=True)
    dense = shutil.copytree(root / "bert", tmp_path / "dense")
    modules = json.loads((dense / "modules.json").read_text(encoding="utf-8"))
    modules.append({"idx": 3, "name": "3", "path": "3_Dense", "type": "sentence_transformers.models.Dense"})
    (dense / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    (dense / "3_Dense").mkdir()
    with pytest.raises(ModelError, match="Dense"):
        tuned(root, out, str(dense))
    monkeypatch.setitem(sys.modules, "FlagEmbedding", None)
    with pytest.raises(MissingExtra, match="'FlagEmbedding'"):
        tuned(root, out)
    assert not out.exists()


def test_ctrl_c_ends_with_a_state(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tuned(root, tmp_path / "whole", dev="dev")
    compute, pressed = _Steps.compute_loss, []

    def press(self: Any, *given: Any, **named: Any) -> Any:
        if self.state.global_step == 4 and not pressed:
            pressed.append(signal.raise_signal(signal.SIGINT))
        return compute(self, *given, **named)

    monkeypatch.setattr(_Steps, "compute_loss", press)
    with pytest.raises(KeyboardInterrupt):
        tuned(root, tmp_path / "model", dev="dev")
    assert (tmp_path / "model.partial" / "checkpoint-5").is_dir()
    # Another recipe has no use for it.
    with pytest.raises(ArtifactError, match="another recipe"):
        tuned(root, tmp_path / "model", dev="dev", seed=8)
    found = tuned(root, tmp_path / "model", dev="dev", resume=True)
    assert contents(found.path)["model.safetensors"] == contents(whole.path)["model.safetensors"]
    columns = ["epoch", "loss", "nDCG@10", "kept"]
    assert found.history[columns].equals(whole.history[columns])
