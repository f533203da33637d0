"""A fine-tuning that is killed for real goes on to the same weights; what was damaged meanwhile is not gone on from."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tunable import TINY, contents, write_tunable

from legalir.errors import ArtifactError
from legalir.extend import Checkpoints
from legalir_finetune import FineTuned, FineTuning, finetune

torch = pytest.importorskip("torch")

PROGRAM = """
import json, sys
import torch
from legalir_finetune import FineTuning, finetune
torch.set_num_threads(int(sys.argv[2]))
finetune(FineTuning.parse(json.loads(sys.argv[1]), "r"), progress=False)
"""


def recipe(root: Path, out: Path) -> FineTuning:
    values = {**TINY, "epochs": 3, "dev": "dev", "objective": "unified", "checkpoint_steps": 3, "self_distill": True}
    return FineTuning.parse(
        {**values, "dataset": str(root / "statutes" / "train"), "model": str(root / "m3"), "out": str(out)}, "r"
    )


def run_here(root: Path, out: Path) -> FineTuned:
    return finetune(recipe(root, out), progress=False)


def killed(root: Path, out: Path, when: str) -> None:
    """Begin in another process, and kill it when a state with this name is there."""
    arguments = [json.dumps(recipe(root, out).as_dict()), str(torch.get_num_threads())]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], stderr=subprocess.PIPE, env=dict(os.environ)
    )
    try:
        until = time.monotonic() + 120
        while not any(out.with_name(f"{out.name}.partial").glob(when)):
            assert process.poll() is None and time.monotonic() < until, process.stderr and process.stderr.read()
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(name="root", scope="module")
def model_and_statutes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tunable(tmp_path_factory.mktemp("tunable"))


def test_killed_and_resumed(root: Path, tmp_path: Path) -> None:
    whole = run_here(root, tmp_path / "whole")
    out = tmp_path / "model"
    # The name of the second epoch's third step: the first epoch has been measured then, the second has not.
    steps = int(whole.history["steps"].iloc[1])
    killed(root, out, f"checkpoint-{steps // 3 * 3 + 3}")
    assert not out.exists()
    found = run_here(root, out)
    for name in ("model.safetensors", "sparse_linear.safetensors", "colbert_linear.safetensors"):
        assert contents(found.path)[name] == contents(whole.path)[name], name
    columns = ["epoch", "loss", "R@10", "nDCG@10", "moved", "left", "kept"]
    assert found.history[columns].equals(whole.history[columns])
    assert not out.with_name("model.partial").exists()


def test_a_damaged_state_is_not_gone_on_from(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "model"
    end_after(monkeypatch, "save")
    with pytest.raises(KeyboardInterrupt):
        run_here(root, out)
    (state,) = out.with_name("model.partial").glob("checkpoint-*")
    # A pickle in the place of the optimizer's state would run code if it were read.
    (state / "optimizer.pt").write_bytes(b"cposix\nsystem\n(S'touch " + bytes(tmp_path / "ran") + b"'\ntR.")
    with pytest.raises(ArtifactError, match="resume=False"):
        run_here(root, out)
    assert not (tmp_path / "ran").exists()


def test_ended_between_the_model_and_its_states(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "model"
    with monkeypatch.context() as patch:
        end_after(patch, "remove", before=True)
        with pytest.raises(KeyboardInterrupt):
            run_here(root, out)
    first = contents(out)
    # Nothing is left to train, and the model is written once more.
    monkeypatch.setattr("legalir_finetune.trainer.trainer_class", None)
    found = finetune(recipe(root, out), progress=False, replace=True)
    assert contents(found.path)["model.safetensors"] == first["model.safetensors"]
    assert not out.with_name("model.partial").exists()


def end_after(patch: pytest.MonkeyPatch, method: str, *, before: bool = False) -> None:
    """Let the process end when it has done (or is to do) what a method of the states does."""
    original = getattr(Checkpoints, method)

    def ended(*given: object) -> None:
        if not before:
            original(*given)
        raise KeyboardInterrupt

    patch.setattr(Checkpoints, method, ended)
