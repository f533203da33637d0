"""Files are whole or absent, whatever happens while they are written."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from legalir.storage.files import (
    atomic_directory,
    atomic_file,
    cache_home,
    link_or_copy,
    publish_directory,
    restore_directory,
    temporary_sibling,
)


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


def test_text_replaces_the_old_one_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "new" / "text.txt"
    with atomic_file(path) as stream:
        stream.write("법 제1조\n")
        assert not path.exists()
    with atomic_file(path) as stream:
        stream.write("시행령\n")
        assert path.read_text(encoding="utf-8") == "법 제1조\n"
    assert path.read_bytes() == "시행령\n".encode()
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]


def test_an_error_while_writing_text_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("old", encoding="utf-8")
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error), atomic_file(path) as stream:
            stream.write("half of the n")
            raise error
    with pytest.raises(UnicodeEncodeError), atomic_file(path) as stream:
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


def folder_with(path: Path, text: str) -> Path:
    path.mkdir(parents=True)
    (path / "who").write_text(text, encoding="utf-8")
    return path


def test_a_directory_replaces_another_one(tmp_path: Path) -> None:
    path = folder_with(tmp_path / "directory", "old")
    with atomic_directory(path, "replace") as temporary:
        (temporary / "below").mkdir()
        (temporary / "below" / "one").write_text("1", encoding="utf-8")
        assert (path / "who").read_text(encoding="utf-8") == "old"
    assert [child.name for child in path.iterdir()] == ["below"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_does_not_replace_another_one_where_it_must_not(tmp_path: Path) -> None:
    path = folder_with(tmp_path / "directory", "old")
    with pytest.raises(OSError, match="not empty") as raised, atomic_directory(path, "fail"):
        pass
    assert raised.value.errno == errno.ENOTEMPTY
    assert (path / "who").read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
    (path / "who").unlink()
    with atomic_directory(path, "fail") as temporary:  # An empty one is as good as none.
        (temporary / "who").write_text("new", encoding="utf-8")
    assert (path / "who").read_text(encoding="utf-8") == "new"


def test_the_old_directory_returns_where_the_new_one_cannot_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, new = folder_with(tmp_path / "directory", "old"), folder_with(tmp_path / "elsewhere", "new")
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if self == new:
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="Input/output"):
        publish_directory(new, path, replace=True)
    assert (path / "who").read_text(encoding="utf-8") == "old"
    assert sorted(tmp_path.iterdir()) == [path, new]


def killed(path: Path, monkeypatch: pytest.MonkeyPatch, renames: int) -> None:
    """Replace a directory, and stop before a rename as if the process were killed."""
    new = temporary_sibling(path)
    rename, done = Path.rename, 0

    def counted(self: Path, target: Path) -> Path:
        nonlocal done
        done += 1
        if done > renames:
            raise KeyboardInterrupt
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", counted)
        with pytest.raises(KeyboardInterrupt):
            publish_directory(new, path, replace=True)


@pytest.mark.parametrize("renames", [0, 1])
def test_a_directory_is_restored_after_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int) -> None:
    path = folder_with(tmp_path / "directory", "old")
    killed(path, monkeypatch, renames)
    assert path.exists() == (renames == 0)
    restore_directory(path)
    assert (path / "who").read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_that_came_after_a_kill_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder_with(tmp_path / "directory", "old")
    killed(path, monkeypatch, 1)
    folder_with(path, "mine")
    with pytest.raises(FileExistsError) as raised:
        restore_directory(path)
    assert (Path(raised.value.filename) / "who").read_text(encoding="utf-8") == "old"
    assert (path / "who").read_text(encoding="utf-8") == "mine"


def test_a_file_is_linked_or_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one").write_text("1", encoding="utf-8")
    (tmp_path / "link").symlink_to("nowhere")
    link_or_copy(tmp_path / "one", tmp_path / "two")
    assert (tmp_path / "two").samefile(tmp_path / "one")

    def refused(*arguments: object, **names: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    link_or_copy(tmp_path / "one", tmp_path / "three")
    link_or_copy(tmp_path / "link", tmp_path / "same-link")
    assert (tmp_path / "three").read_text(encoding="utf-8") == "1"
    assert not (tmp_path / "three").samefile(tmp_path / "one")
    assert (tmp_path / "same-link").readlink() == Path("nowhere")
