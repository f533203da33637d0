"""A folder appears whole or takes another's place whole, whenever the process dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from forked import child, die_at_file_operation
from small_source import PROVISIONS, Small

from legalir.datasets.new_folder import new_folder
from legalir.errors import DataError, FormatError
from legalir.statutes.writing import write_collection

NEW = [{"docno": "b", "text": "새"}]


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.parent.iterdir() if path.name.startswith(f".{folder.name}"))


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


@pytest.fixture(name="there")
def old_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "in" / "here"
    write_collection(Small(), folder)
    (folder / "qrels.txt").write_text("q 0 act-1 1\n", encoding="utf-8")
    return folder


def test_an_empty_folder_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    with new_folder(tmp_path / "new") as (temporary, kept):
        (temporary / "corpus.jsonl").write_text("", encoding="utf-8")
        assert kept == []
        assert not (tmp_path / "new" / "corpus.jsonl").exists()
    assert list(texts(tmp_path / "new")) == ["corpus.jsonl"]


def test_what_is_no_collection_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "diary").write_text("", encoding="utf-8")
    with (
        pytest.raises(DataError, match="papers has no corpus"),
        new_folder(tmp_path / "papers", replace=True),
    ):
        pytest.fail("began")
    (tmp_path / "papers" / "corpus.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "papers" / "corpus.jsonl.gz").write_text("", encoding="utf-8")
    with pytest.raises(FormatError, match="remove one"), new_folder(tmp_path / "papers", replace=True):
        pytest.fail("began")
    for replace in (False, True):
        with (
            pytest.raises(DataError, match="diary is a file"),
            new_folder(tmp_path / "papers" / "diary", replace),
        ):
            pytest.fail("began")
        with (
            pytest.raises(DataError, match=r"diary.below .*\((Not a directory|File exists)\)"),
            new_folder(tmp_path / "papers" / "diary" / "below", replace),
        ):
            pytest.fail("began")
    assert len(list((tmp_path / "papers").iterdir())) == 3


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path, there: Path) -> None:
    (tmp_path / "link").symlink_to(there)
    write_collection(Small(NEW, []), tmp_path / "link", replace=True)
    assert (tmp_path / "link").is_symlink()
    assert '"새"' in texts(there)["corpus.jsonl"]


def test_a_folder_that_appears_meanwhile_is_left_alone(tmp_path: Path) -> None:
    with (
        pytest.raises(DataError, match=r"new .*\(Directory not empty\)"),
        new_folder(tmp_path / "new") as (temporary, _),
    ):
        (temporary / "corpus.jsonl").write_text("", encoding="utf-8")
        (tmp_path / "new").mkdir()
        (tmp_path / "new" / "mine").write_text("", encoding="utf-8")
    assert list(texts(tmp_path / "new")) == ["mine"]
    assert hidden(tmp_path / "new") == []


def test_imports_at_once_do_not_mix(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    many = [[{"docno": f"{who}-{i}", "text": "x"} for i in range(300)] for who in range(4)]
    processes = [child(_replace, folder, provisions) for provisions in many]
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    lines = texts(folder)["corpus.jsonl"].splitlines()
    assert len({line.split('"')[3].split("-")[0] for line in lines}) == 1
    assert len(lines) == 300
    assert hidden(folder) == []


def _replace(folder: Path, provisions: list[dict[str, str]]) -> None:
    write_collection(Small(provisions, []), folder, replace=True)


def _replace_until(folder: Path, limit: int) -> None:
    """Replace, and die at the file operation with number `limit`."""
    die_at_file_operation(limit)
    _replace(folder, NEW)
    os._exit(0)


def test_an_import_that_is_killed_at_any_file_operation_loses_nothing(there: Path) -> None:
    old = texts(there)
    outcomes = []
    for limit in range(400):
        process = child(_replace_until, there, limit)
        process.join()
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        outcomes.append(_outcome(there, old))
        # The next import finds the folder, whatever was left, and leaves nothing but what it made.
        with pytest.raises(FormatError, match="'docno'"):
            write_collection(Small([{}], []), there, replace=True)
        assert texts(there)["qrels.txt"] == old["qrels.txt"]
        assert hidden(there) == []
        write_collection(Small(PROVISIONS), there, replace=True)
        assert texts(there) == old
    assert process.exitcode == 0, "the import never came to its end"
    assert outcomes == sorted(outcomes, key=["old", "aside", "new"].index)
    assert {"old", "new"} <= set(outcomes) <= {"old", "aside", "new"}


def _outcome(folder: Path, old: dict[str, str]) -> str:
    """Say what is in the place of a folder: the old one, the new one, or none with the old one hidden beside it."""
    if not folder.exists():
        (aside,) = (path for path in folder.parent.iterdir() if path.name.startswith(".here.replaced-"))
        assert texts(aside) == old
        return "aside"
    if texts(folder) == old:
        return "old"
    assert set(texts(folder)) == {"corpus.jsonl", "dataset.yaml", "qrels.txt"}
    assert '"새"' in texts(folder)["corpus.jsonl"]
    return "new"


def test_an_old_folder_that_cannot_be_put_back_is_named(there: Path) -> None:
    there.rename(there.with_name(".here.replaced-abc"))
    there.with_name(".here.new-abc").mkdir()
    there.mkdir()
    (there / "corpus.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match=r"replaced-abc .*here .*interrupted"):
        write_collection(Small(NEW, []), there, replace=True)
    assert there.with_name(".here.replaced-abc").is_dir()
    assert texts(there) == {"corpus.jsonl": ""}
