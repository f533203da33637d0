"""Files are whole or absent, whatever happens while they are written."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from forked import child

from legalir.errors import ArtifactError
from legalir.storage.files import atomic_directory, atomic_text, cache_home, locked, sha256_of


def test_the_cache_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_HOME", str(tmp_path / "here"))
    assert cache_home() == tmp_path / "here"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEGALIR_HOME", "relative")
    assert cache_home() == tmp_path / "relative"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LEGALIR_HOME", "~/below")
    assert cache_home() == tmp_path / "below"


def test_the_cache_is_the_platforms_where_the_environment_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    for value in (None, ""):
        monkeypatch.delenv("LEGALIR_HOME") if value is None else monkeypatch.setenv("LEGALIR_HOME", value)
        assert cache_home().name == "legalir"
        assert cache_home().is_relative_to(tmp_path)


def test_sha256_is_that_of_the_bytes(tmp_path: Path) -> None:
    content = bytes(range(256)) * 1000
    (tmp_path / "file").write_bytes(content)
    assert sha256_of(tmp_path / "file") == hashlib.sha256(content).hexdigest()


def test_text_replaces_the_old_one_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "new" / "text.txt"
    with atomic_text(path) as stream:
        stream.write("법 제1조\n")
        assert not path.exists()
    with atomic_text(path) as stream:
        stream.write("시행령\n")
        assert path.read_text(encoding="utf-8") == "법 제1조\n"
    assert path.read_bytes() == "시행령\n".encode()
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]


def test_an_error_while_writing_text_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("old", encoding="utf-8")
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error), atomic_text(path) as stream:
            stream.write("half of the n")
            raise error
    with pytest.raises(UnicodeEncodeError), atomic_text(path) as stream:
        stream.write("\ud800")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "directory"
    with atomic_directory(path) as temporary:
        (temporary / "one").write_text("1", encoding="utf-8")
        assert not path.exists()
    assert (path / "one").read_text(encoding="utf-8") == "1"
    assert path.stat().st_mode & 0o777 == 0o755
    assert list(path.parent.iterdir()) == [path]


def test_a_directory_does_not_appear_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "new" / "directory"
    with pytest.raises(KeyboardInterrupt), atomic_directory(path) as temporary:
        (temporary / "one").write_text("1", encoding="utf-8")
        raise KeyboardInterrupt
    assert list(path.parent.iterdir()) == []


def test_the_first_directory_stays(tmp_path: Path) -> None:
    path = tmp_path / "directory"
    with atomic_directory(path) as late:
        (late / "who").write_text("late", encoding="utf-8")
        with atomic_directory(path) as early:
            (early / "who").write_text("early", encoding="utf-8")
    assert (path / "who").read_text(encoding="utf-8") == "early"
    assert list(tmp_path.glob(".directory*")) == []


def test_the_first_directory_stays_even_when_it_comes_at_the_last_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "directory"
    rename = Path.rename

    def late(self: Path, target: Path) -> Path:
        target.mkdir()
        (target / "who").write_text("early", encoding="utf-8")
        return rename(self, target)

    with atomic_directory(path) as temporary:
        (temporary / "who").write_text("late", encoding="utf-8")
        monkeypatch.setattr(Path, "rename", late)
    assert (path / "who").read_text(encoding="utf-8") == "early"
    assert list(tmp_path.glob(".directory*")) == []


def _count_up(counter: Path) -> None:
    for _ in range(50):
        with locked(counter):
            counter.write_text(str(int(counter.read_text(encoding="utf-8")) + 1), encoding="utf-8")


def test_the_lock_keeps_processes_apart(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0", encoding="utf-8")
    processes = [child(_count_up, counter) for _ in range(3)]
    for process in processes:
        process.join()
    assert counter.read_text(encoding="utf-8") == "150"


def test_the_lock_is_released_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside"), locked(tmp_path / "it"):
        raise ValueError("inside")
    with locked(tmp_path / "it"):
        pass


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with (
        pytest.raises(ArtifactError, match=r"file/below cannot be written \(.*\): set LEGALIR_HOME"),
        locked(tmp_path / "file" / "below" / "it"),
    ):
        pytest.fail("locked what cannot be there")
