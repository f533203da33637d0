"""States of a fine-tuning: whatever changed on disk is noticed, and a kill between two writes leaves one of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from legalir.errors import ArtifactError
from legalir.train.checkpoint import Checkpoints
from legalir.train.finetune.states import States

pytestmark = pytest.mark.neural


def written(states: States, name: str, content: str) -> Path:
    folder = states.workshop / name
    (folder / "inner").mkdir(parents=True)
    (folder / "a.txt").write_text(content, encoding="utf-8")
    (folder / "inner" / "b.txt").write_text("b", encoding="utf-8")
    return folder


def saved(out: Path) -> States:
    states = States(out, "f")
    states.save(7, {"epoch": 1, "history": [1.5]}, [0.25, 0.5], written(states, "checkpoint-7", "seven"), None)
    return states


def test_what_is_written_is_read(tmp_path: Path) -> None:
    states = saved(tmp_path / "model")
    state = States(tmp_path / "model", "f").load()
    assert state is not None
    assert (state.facts, state.losses, state.kept) == ({"epoch": 1, "history": [1.5]}, [0.25, 0.5], None)
    assert (state.trainer / "a.txt").read_text(encoding="utf-8") == "seven"
    best = states.save(9, {"epoch": 2}, [], written(states, "checkpoint-9", "nine"), written(states, "model", "second"))
    assert best == states.path / "epoch-2"
    # The best model stays where it is when a later state is written.
    again = states.save(11, {"epoch": 3}, [], written(states, "checkpoint-11", "eleven"), best)
    assert again == best
    state = states.load()
    assert state is not None
    assert (state.kept, state.losses) == (best, [])
    assert sorted(path.name for path in states.path.iterdir() if path.is_dir()) == ["epoch-2", "step-11", "unfinished"]
    states.remove()
    assert states.load() is None
    assert not states.path.exists()


@pytest.mark.parametrize("change", ["altered", "longer", "missing", "more", "gone"])
def test_whatever_changes_is_noticed(tmp_path: Path, change: str) -> None:
    states = saved(tmp_path / "model")
    folder = states.path / "step-7"
    if change == "altered":
        (folder / "a.txt").write_text("SEVEN", encoding="utf-8")
    elif change == "longer":
        (folder / "a.txt").write_text("seven!", encoding="utf-8")
    elif change == "missing":
        (folder / "inner" / "b.txt").unlink()
    elif change == "more":
        (folder / "inner" / "c.pt").write_text("c", encoding="utf-8")
    else:
        shutil.rmtree(folder)
    with pytest.raises(ArtifactError, match=r"step-7 is damaged: remove .*model\.partial, or train anew with resume=F"):
        states.load()


def test_the_list_of_digests_is_protected_too(tmp_path: Path) -> None:
    states = saved(tmp_path / "model")
    file = states.path / "state.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["facts"]["folders"]["step-7"]["a.txt"][1] = "0" * 64
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"state\.json is damaged"):
        states.load()


def test_another_recipe(tmp_path: Path) -> None:
    saved(tmp_path / "model")
    with pytest.raises(ArtifactError, match="holds an interrupted training with another recipe or other data"):
        States(tmp_path / "model", "g").load()


def test_a_kill_before_the_new_state_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    states = saved(tmp_path / "model")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "save", killed)
        with pytest.raises(KeyboardInterrupt):
            states.save(9, {"epoch": 2}, [], written(states, "checkpoint-9", "nine"), written(states, "model", "m"))
    state = states.load()
    assert state is not None
    assert state.facts["epoch"] == 1
    # What it left behind is replaced.
    shutil.rmtree(states.workshop)
    states.save(9, {"epoch": 2}, [], written(states, "checkpoint-9", "anew"), written(states, "model", "m"))
    state = states.load()
    assert state is not None
    assert (state.trainer / "a.txt").read_text(encoding="utf-8") == "anew"


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    states = saved(tmp_path / "model")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("legalir.train.finetune.states.publish_directory", full)
    with pytest.raises(ArtifactError, match=r"cannot be written \(No space left on device\): free some space"):
        states.save(9, {"epoch": 2}, [], written(states, "checkpoint-9", "nine"), None)
    state = states.load()
    assert state is not None
    assert state.facts["epoch"] == 1
