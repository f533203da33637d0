"""States of a training: taken up whole, or refused in one sentence."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from forked import child

from legalir.errors import ArtifactError
from legalir.train.checkpoint import Checkpoints

pytest.importorskip("safetensors")

ARRAYS = {"table": np.arange(6, dtype=np.float32).reshape(2, 3), "hard": np.array([[1, -1]], np.int32)}
FACTS = {"epoch": 1, "losses": 0.1 + 0.2, "history": [{"loss": 1 / 3}]}


@pytest.fixture(name="states")
def two_states(tmp_path: Path) -> Checkpoints:
    states = Checkpoints(tmp_path / "model", "f")
    states.save(1, {"epoch": 0}, {"table": ARRAYS["table"] * 2})
    states.save(2, FACTS, ARRAYS)
    return states


def test_the_last_state_is_taken_up(states: Checkpoints) -> None:
    assert sorted(file.name for file in states.path.iterdir()) == ["state-2.safetensors", "state.json"]
    assert states.path.name == "model.partial"
    found = states.load()
    assert found is not None
    facts, arrays = found
    assert facts == FACTS, "to the last bit"
    assert set(arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
    states.remove()
    assert not states.path.exists()
    states.remove()
    assert states.load() is None


def test_another_recipe(states: Checkpoints, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="another recipe or other data: finish that one, remove the folder"):
        Checkpoints(tmp_path / "model", "g").load()


@pytest.mark.parametrize("name", ["state.json", "state-2.safetensors"])
@pytest.mark.parametrize("fault", ["flipped", "truncated", "missing", "folder"])
def test_a_damaged_state(states: Checkpoints, name: str, fault: str) -> None:
    file = states.path / name
    content = bytearray(file.read_bytes())
    if fault == "flipped":
        content[len(content) // 2] ^= 1
    file.unlink()
    if fault == "folder":
        file.mkdir()
    elif fault != "missing":
        file.write_bytes(content[:-3] if fault == "truncated" else content)
    if (name, fault) == ("state.json", "missing"):
        assert states.load() is None
        return
    with pytest.raises(ArtifactError, match=r"is damaged: remove .*model\.partial, or train anew"):
        states.load()


@pytest.mark.parametrize("content", ["[]", "{}", "null", '{"digest": "", "format": "x"}'])
def test_something_else_in_its_place(states: Checkpoints, content: str) -> None:
    (states.path / "state.json").write_text(content, encoding="utf-8")
    with pytest.raises(ArtifactError, match="is damaged"):
        states.load()


def test_another_version(states: Checkpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir.train.checkpoint._VERSION", 2)
    states.save(3, FACTS, ARRAYS)
    monkeypatch.undo()
    with pytest.raises(ArtifactError, match="left by another version of legalir: remove it"):
        states.load()


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "model.partial").write_text("", encoding="utf-8")
    with pytest.raises(ArtifactError, match="cannot be written"):
        Checkpoints(tmp_path / "model", "f").save(1, FACTS, ARRAYS)


def _save_until(out: Path, limit: int) -> None:
    """Write a state, and die at the file operation with number `limit`."""
    done = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal done
        if event.startswith(("open", "os.", "shutil.", "tempfile.")):
            done += 1
            if done == limit + 1:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    Checkpoints(out, "f").save(3, {"epoch": 7}, ARRAYS)
    os._exit(0)


def test_a_kill_at_every_file_operation(states: Checkpoints, tmp_path: Path) -> None:
    seen = []
    for limit in range(60):
        process = child(_save_until, tmp_path / "model", limit)
        process.join()
        found = states.load()
        assert found is not None
        seen.append(found[0]["epoch"])
        if process.exitcode == 0:
            break
        states.save(2, FACTS, ARRAYS)
        assert len(list(states.path.glob("state-*"))) == 1, "what a kill left is swept"
    assert process.exitcode == 0
    assert set(seen) == {1, 7}
    assert seen == sorted(seen)
    assert json.loads((states.path / "state.json").read_text(encoding="utf-8"))["file"] == "state-3.safetensors"
