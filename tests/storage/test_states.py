"""States of a folder in the cache: the newest former one, and when one may go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from legalir.storage.states import Hold, former_states, record_use, remove_part, remove_state

fcntl = pytest.importorskip("fcntl")


@pytest.fixture(name="states")
def three_states(tmp_path: Path) -> list[Path]:
    """Directories that were used for one folder one after the other."""
    states = [tmp_path / name for name in ("one", "two", "three")]
    for time, state in enumerate(states):
        (state / "data").mkdir(parents=True)
        record_use(state, "folder")
        (record,) = state.glob(".source-*")
        os.utime(record, (time, time))
    return states


def test_the_newest_comes_first(states: list[Path]) -> None:
    one, two, three = states
    assert former_states(three, "folder") == [two, one]
    record_use(one, "folder")
    assert former_states(three, "folder") == [one, two]
    assert former_states(three, "another folder") == []


def test_a_state_that_is_read_stays(states: list[Path]) -> None:
    hold = Hold(states[0])
    assert not remove_state(states[0], "folder")
    assert (states[0] / "data").is_dir()
    assert former_states(states[2], "folder") == [states[1], states[0]]
    del hold
    assert remove_state(states[0], "folder")
    assert former_states(states[2], "folder") == [states[1]]
    assert sorted(path.name for path in states[0].parent.iterdir()) == ["three", "two"]


def test_a_reader_in_another_process_counts(states: list[Path]) -> None:
    code = "import sys, pathlib; from legalir.storage.states import Hold; h = Hold(pathlib.Path(sys.argv[1])); input(1)"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code, str(states[0])], **pipes) as reader:  # type: ignore[call-overload]
        assert reader.stdout.read(1) == b"1"
        assert not remove_state(states[0], "folder")
        reader.kill()
    assert remove_state(states[0], "folder")


def test_a_state_of_two_folders_stays_for_the_other_one(states: list[Path]) -> None:
    record_use(states[0], "another folder")
    assert not remove_state(states[0], "folder")
    assert former_states(states[2], "folder") == [states[1]]
    assert former_states(states[2], "another folder") == [states[0]]
    assert remove_state(states[0], "another folder")


def test_parts_are_held_on_their_own(states: list[Path]) -> None:
    hold = Hold(states[0], "-new")
    assert remove_part(states[0], "-old", [states[0] / "data"])
    assert not (states[0] / "data").exists()
    assert not remove_part(states[0], "-new", [states[0]])
    assert not remove_state(states[0], "folder")
    del hold


def test_a_cache_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    record_use(tmp_path / "missing", "folder")
    Hold(tmp_path / "missing")
    assert former_states(tmp_path / "missing", "folder") == []
