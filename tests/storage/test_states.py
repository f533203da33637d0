"""States of a folder in the cache: the newest former one, and when one may go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from legalir.storage.states import former_states, record_use, remove_state


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


def test_a_removed_state_can_be_read_by_who_has_it_open(states: list[Path]) -> None:
    (states[0] / "data" / "file").write_text("text", encoding="utf-8")
    with (states[0] / "data" / "file").open(encoding="utf-8") as reader:
        assert remove_state(states[0], "folder")
        assert reader.read() == "text"
    assert former_states(states[2], "folder") == [states[1]]
    assert sorted(path.name for path in states[0].parent.iterdir()) == ["three", "two"]


def test_a_state_of_two_folders_stays_for_the_other_one(states: list[Path]) -> None:
    record_use(states[0], "another folder")
    assert not remove_state(states[0], "folder")
    assert former_states(states[2], "folder") == [states[1]]
    assert former_states(states[2], "another folder") == [states[0]]
    assert remove_state(states[0], "another folder")


def test_a_cache_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    record_use(tmp_path / "missing", "folder")
    assert former_states(tmp_path / "missing", "folder") == []
