"""States of a training: taken up whole, or refused in one sentence."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from forked import child, die_at_file_operation

from legalir.errors import ArtifactError
from legalir.train.checkpoints import Checkpoints

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
    assert found.facts == FACTS, "to the last bit"
    assert set(found.arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found.arrays[name], array)
    states.remove()
    assert not states.path.exists()
    states.remove()
    assert states.load() is None


def test_another_recipe(states: Checkpoints, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="another recipe"):
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
    with pytest.raises(ArtifactError, match=r"model\.partial"):
        states.load()


@pytest.mark.parametrize("content", ["[]", "{}", "null", '{"digest": "", "format": "x"}'])
def test_something_else_in_its_place(states: Checkpoints, content: str) -> None:
    (states.path / "state.json").write_text(content, encoding="utf-8")
    with pytest.raises(ArtifactError, match="is damaged"):
        states.load()


def test_another_version(states: Checkpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("legalir.train.checkpoints._VERSION", 5)
    states.save(3, FACTS, ARRAYS)
    monkeypatch.undo()
    with pytest.raises(ArtifactError, match="another version of legalir"):
        states.load()


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "model.partial").write_text("", encoding="utf-8")
    with pytest.raises(ArtifactError, match="cannot be written"):
        Checkpoints(tmp_path / "model", "f").save(1, FACTS, ARRAYS)


def folder(states: Checkpoints, name: str, content: str) -> Path:
    made = states.workshop / name
    (made / "inner").mkdir(parents=True)
    (made / "a.txt").write_text(content, encoding="utf-8")
    (made / "inner" / "b.txt").write_text("b", encoding="utf-8")
    return made


@pytest.fixture(name="with_folder")
def state_with_a_folder(tmp_path: Path) -> Checkpoints:
    states = Checkpoints(tmp_path / "model", "f")
    states.save(7, {"epoch": 1}, ARRAYS, [folder(states, "checkpoint-7", "seven")])
    return states


def test_folders_are_moved_and_old_ones_removed(with_folder: Checkpoints) -> None:
    state = with_folder.load()
    assert state is not None
    assert {name: path.name for name, path in state.folders.items()} == {"checkpoint": "checkpoint-7"}
    assert (state.folders["checkpoint"] / "a.txt").read_text(encoding="utf-8") == "seven"
    made = [folder(with_folder, "checkpoint-9", "nine"), folder(with_folder, "epoch-2", "second")]
    best = with_folder.save(9, {"epoch": 2}, ARRAYS, made)["epoch"]
    assert best == with_folder.path / "epoch-2"
    # A folder of the state before stays in its place.
    again = with_folder.save(11, {"epoch": 3}, ARRAYS, [folder(with_folder, "checkpoint-11", "eleven"), best])
    assert again["epoch"] == best
    names = sorted(path.name for path in with_folder.path.iterdir() if path.is_dir())
    assert names == ["checkpoint-11", "epoch-2", "unfinished"]
    with_folder.remove()
    assert not with_folder.path.exists()


@pytest.mark.parametrize("change", ["altered", "longer", "missing", "more", "gone"])
def test_a_folder_that_changed(with_folder: Checkpoints, change: str) -> None:
    place = with_folder.path / "checkpoint-7"
    if change == "altered":
        (place / "a.txt").write_text("SEVEN", encoding="utf-8")
    elif change == "longer":
        (place / "a.txt").write_text("seven!", encoding="utf-8")
    elif change == "missing":
        (place / "inner" / "b.txt").unlink()
    elif change == "more":
        (place / "inner" / "c.pt").write_text("c", encoding="utf-8")
    else:
        shutil.rmtree(place)
    with pytest.raises(ArtifactError, match=r"checkpoint-7.*model\.partial"):
        with_folder.load()


def test_the_digests_of_folders_are_protected_too(with_folder: Checkpoints) -> None:
    file = with_folder.path / "state.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["folders"]["checkpoint-7"]["a.txt"][1] = "0" * 64
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"state\.json"):
        with_folder.load()


def test_a_kill_before_the_new_state_is_named(with_folder: Checkpoints, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("legalir.train.checkpoints.atomic_file", killed)
        with pytest.raises(KeyboardInterrupt):
            with_folder.save(9, {"epoch": 2}, ARRAYS, [folder(with_folder, "checkpoint-9", "nine")])
    state = with_folder.load()
    assert state is not None
    assert state.facts["epoch"] == 1
    # What it left behind is replaced.
    with_folder.save(9, {"epoch": 2}, ARRAYS, [folder(with_folder, "checkpoint-9", "again")])
    state = with_folder.load()
    assert state is not None
    assert (state.folders["checkpoint"] / "a.txt").read_text(encoding="utf-8") == "again"


@pytest.mark.parametrize("writer", ["publish_directory", "new_file"])
def test_a_full_disk(with_folder: Checkpoints, monkeypatch: pytest.MonkeyPatch, writer: str) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(f"legalir.train.checkpoints.{writer}", full)
    with pytest.raises(ArtifactError, match="No space left on device"):
        with_folder.save(9, {"epoch": 2}, ARRAYS, [folder(with_folder, "checkpoint-9", "nine")])
    state = with_folder.load()
    assert state is not None
    assert state.facts["epoch"] == 1


def _save_until(out: Path, limit: int) -> None:
    """Write a state, and die at the file operation with number `limit`."""
    die_at_file_operation(limit)
    Checkpoints(out, "f").save(3, {"epoch": 7}, ARRAYS)
    os._exit(0)


def test_a_kill_at_every_file_operation(states: Checkpoints, tmp_path: Path) -> None:
    seen = []
    for limit in range(0, 90, 3):
        process = child(_save_until, tmp_path / "model", limit)
        process.join()
        found = states.load()
        assert found is not None
        seen.append(found.facts["epoch"])
        if process.exitcode == 0:
            break
        states.save(2, FACTS, ARRAYS)
        assert len(list(states.path.glob("state-*"))) == 1, "what a kill left is swept"
    assert process.exitcode == 0
    assert set(seen) == {1, 7}
    assert seen == sorted(seen)
    assert json.loads((states.path / "state.json").read_text(encoding="utf-8"))["file"] == "state-3.safetensors"
