"""Locks keep processes apart and are released whatever happens."""

from __future__ import annotations

from pathlib import Path

import pytest
from forked import child

from legalir.errors import ArtifactError
from legalir.storage.files import cache_lock, file_lock


def _count_up(counter: Path) -> None:
    for _ in range(50):
        with cache_lock(counter):
            counter.write_text(str(int(counter.read_text(encoding="utf-8")) + 1), encoding="utf-8")


def test_the_lock_keeps_processes_apart(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0", encoding="utf-8")
    processes = [child(_count_up, counter) for _ in range(3)]
    for process in processes:
        process.join()
    assert counter.read_text(encoding="utf-8") == "150"


def test_the_lock_is_released_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside"), cache_lock(tmp_path / "it"):
        raise ValueError("inside")
    with cache_lock(tmp_path / "it"):
        pass


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with (
        pytest.raises(ArtifactError, match=r"file/below .*LEGALIR_HOME"),
        cache_lock(tmp_path / "file" / "below" / "it"),
    ):
        pytest.fail("locked what cannot be there")


def test_a_lock_that_is_held_is_told_at_once(tmp_path: Path) -> None:
    with file_lock(tmp_path / "it"), pytest.raises(TimeoutError), file_lock(tmp_path / "it", wait=False):
        pytest.fail("locked twice")


def test_the_file_of_a_lock_can_go(tmp_path: Path) -> None:
    with file_lock(tmp_path / "it"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [".it.lock"]
    with file_lock(tmp_path / "it", keep=False):
        pass
    assert list(tmp_path.iterdir()) == []
