"""The source ``auto``: formats are recognised, archives are opened, and what is neither is listed."""

from __future__ import annotations

import json
import tarfile
import zipfile
from pathlib import Path

import pytest
from korean_laws import ACT, laws
from of_format import check_conformance

from legalir.errors import DataError
from legalir.plugins import make
from legalir.statutes.importing.files import StatuteFiles
from legalir.statutes.importing.parsing import Format
from legalir.statutes.sources.auto import formats
from legalir.statutes.sources.markdown import read_kr
from legalir.statutes.writing import write_collection


def test_the_formats_are_those_of_the_sources() -> None:
    names = [each.name for each in formats()]
    assert "markdown-kr" in names
    assert len(names) == len(set(names))


def test_each_file_is_taken_for_its_format_and_the_others_are_listed(tmp_path: Path) -> None:
    root = laws(tmp_path / "laws")
    (root / "notes.md").write_text("# 메모\n", encoding="utf-8")
    (root / "table.json").write_text('{"rows": []}', encoding="utf-8")
    (root / "picture.png").write_bytes(b"\x89PNG")
    (root / ".git").mkdir()
    (root / ".git" / "law.md").write_text(ACT, encoding="utf-8")
    write_collection(f'auto(path="{root}")', tmp_path / "new")
    details = json.loads((tmp_path / "new" / "import.json").read_text(encoding="utf-8"))
    assert {file["file"]: file["format"] for file in details["files"]} == {
        "창고/법률.md": "markdown-kr",
        "창고/시행령.md": "markdown-kr",
    }
    assert details["unknown"] == ["notes.md", "picture.png", "table.json"]
    assert [said.partition(" ")[0] for said in details["passed_over"]] == ["notes.md", "table.json"]
    with pytest.raises(DataError, match=r"^notes\.md is .* begins as an article .*; 2 such .*\(strict\)"):
        write_collection(f'auto(path="{root}")', tmp_path / "strict", strict=True)


def _packed(root: Path, path: Path) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as bundle:
            for file in sorted(root.rglob("*.md")):
                bundle.write(file, file.relative_to(root))
    else:
        with tarfile.open(path, "w:gz") as bundle:
            bundle.add(root, ".")
    return path


@pytest.mark.parametrize("name", ["laws.zip", "laws.tar.gz"])
def test_archives_are_opened(tmp_path: Path, name: str) -> None:
    archive = _packed(laws(tmp_path / "laws"), tmp_path / name)
    report = write_collection(f'auto(path="{archive}")', tmp_path / "new")
    assert report.provisions == 10
    origins = (tmp_path / "new" / "origin.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(origins[0])["file"] == f"{name}/창고/법률.md"
    reader = make("source", f'auto(path="{archive}")')
    assert isinstance(reader, StatuteFiles)
    with reader.tasks() as tasks:
        folder = tasks[0].path.parents[1]
        assert folder.is_dir()
    assert not folder.exists()


def test_an_archive_that_leads_outside_is_named_and_the_rest_is_imported(tmp_path: Path) -> None:
    root = laws(tmp_path / "laws")
    with zipfile.ZipFile(root / "bad.zip", "w") as bundle:
        bundle.writestr("../law.md", ACT)
    report = write_collection(f'auto(path="{root}")', tmp_path / "new")
    assert report.provisions == 10
    assert report.faults == ["bad.zip holds a file '../law.md' that leads outside its folder."]


def test_nothing_that_is_known(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    with pytest.raises(DataError, match=r"picture\.png"):
        write_collection(f'auto(path="{tmp_path}")', tmp_path / "new")


def test_a_general_format_is_asked_last(tmp_path: Path) -> None:
    root = laws(tmp_path / "laws")
    general = Format("any", (".md",), lambda path, head: True, read_kr, general=True)
    special = Format("decree", (".md",), lambda path, head: path.stem == "시행령", read_kr)
    with StatuteFiles((special, general), root).tasks() as tasks:
        assert [task.format.name for task in tasks] == ["any", "decree"]
    general_ones = [each.general for each in formats()]
    assert general_ones == sorted(general_ones)
    assert True in general_ones


def test_conformance(tmp_path: Path) -> None:
    check_conformance("auto", laws(tmp_path / "laws"))
