"""Bad files through the import command: each is named in one sentence, and the others are imported."""

from __future__ import annotations

import json
import re
import resource
import sys
from pathlib import Path

import pytest
from forked import child
from korean_laws import ACT, laws, many_laws
from pdf_file import pdf_of
from typer.testing import CliRunner

from legalir.cli.main import app
from legalir.datasets import check
from legalir.errors import DataError, MissingExtra
from legalir.statutes.writing import write_collection

TITLE = (Path(__file__).with_name("samples") / "us_uslm.xml").read_text(encoding="utf-8")


def imported(root: Path, folder: Path) -> tuple[int, list[str], int]:
    """Return the exit code of an import, the faults, and the number of provisions."""
    done = CliRunner().invoke(app, ["datasets", "import", f'auto(path="{root}")', str(folder), "--json"])
    printed = json.loads(done.stdout)
    faults = [each["fault"] for each in printed["details"]["files"] if "fault" in each]
    return done.exit_code, faults, printed["provisions"]


def declared(entities: str) -> str:
    """Return the sample with a document type that has entities, and one of them in the text."""
    head, _, body = TITLE.partition("?>")
    return f"{head}?>\n<!DOCTYPE uscDoc [{entities}]>{body}".replace("</heading>", "&a;</heading>", 1)


BAD = {
    "truncated": (TITLE[: len(TITLE) * 2 // 3].encode(), "not well-formed XML"),
    "encoding": (TITLE.encode().replace(b"LAMPS", b"LAMP\xc9"), "line 4: not well-formed XML"),
    "bomb": (declared('<!ENTITY b "bbbbbbbbbb"><!ENTITY a "&b;&b;&b;&b;">').encode(), "declares entities of its own"),
    "external": (declared('<!ENTITY a SYSTEM "file:///etc/passwd">').encode(), "declares entities of its own"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_xml_file(tmp_path: Path, kind: str) -> None:
    root = laws(tmp_path / "laws")
    content, said = BAD[kind]
    (root / "bad.xml").write_bytes(content)
    code, (fault,), provisions = imported(root, tmp_path / "new")
    assert (code, provisions) == (1, 10)
    assert fault.startswith("bad.xml")
    assert said in fault
    assert "\n" not in fault


def test_a_file_whose_reader_needs_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are imported; where there are no others, the error is that of the package."""
    monkeypatch.setitem(sys.modules, "pdfplumber", None)
    root = laws(tmp_path / "laws")
    (root / "act.pdf").write_bytes(pdf_of([["Law", "Rule 1 (Aim) Text."]]))
    code, (fault,), provisions = imported(root, tmp_path / "new")
    assert (code, provisions) == (1, 10)
    assert fault.startswith("act.pdf was not read") and "pip install 'legalir[statutes]'" in fault
    with pytest.raises(DataError, match="strict"):
        write_collection(f'auto(path="{root}")', tmp_path / "strict", strict=True)
    with pytest.raises(MissingExtra, match="pdfplumber"):
        write_collection(f'auto(path="{root / "act.pdf"}")', tmp_path / "alone")


def test_an_article_with_a_number_beyond_all_others(tmp_path: Path) -> None:
    """The numbers between it and the others are not listed, which filled the memory."""

    def imports() -> None:
        used = 1024 * int(re.findall(r"VmSize:\s*(\d+)", Path("/proc/self/status").read_text())[0])
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 29), resource.RLIM_INFINITY))
        write_collection(f'markdown(path="{root}")', tmp_path / "new")

    root = laws(tmp_path / "laws")
    (root / "창고" / "법률.md").write_text(f"{ACT}\n##### 제{'9' * 18}조\n등불.\n", encoding="utf-8")
    process = child(imports)
    process.join()
    assert process.exitcode == 0
    details = json.loads((tmp_path / "new" / "import.json").read_text(encoding="utf-8"))
    assert [each.get("notes", []) for each in details["files"]] == [[], []]
    assert "fault" not in str(details["files"])


def test_31_february(tmp_path: Path) -> None:
    root = laws(tmp_path / "laws")
    (root / "창고" / "법률.md").write_text(ACT.replace("2023-07-04", "2023-02-31"), encoding="utf-8")
    assert imported(root, tmp_path / "new")[0] == 0
    details = json.loads((tmp_path / "new" / "import.json").read_text(encoding="utf-8"))
    assert details["files"][0]["notes"] == ["창고안전법: 시행일자 is no date: 2023-02-31."]
    rows = (tmp_path / "new" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    assert not any("effective_from" in row for row in rows if "900001-" in row)


def test_right_to_left_and_combining_characters_stay_as_they_are(tmp_path: Path) -> None:
    words = "\u202bשלום עולם\u202c, e\u0301t\u00e9, กำ\u0e49, \u1112\u1161\u11ab, 한"
    root = laws(tmp_path / "laws")
    (root / "창고" / "법률.md").write_text(ACT.replace("통로의 너비는", words), encoding="utf-8")
    assert imported(root, tmp_path / "new")[0] == 0
    assert words in (tmp_path / "new" / "corpus.jsonl").read_text(encoding="utf-8")


def test_two_imports_of_one_folder_at_once(tmp_path: Path) -> None:
    root = many_laws(tmp_path / "laws", 3)
    both = [child(write_collection, f'markdown(path="{root}")', tmp_path / "new") for _ in range(2)]
    for each in both:
        each.join()
    assert sorted(each.exitcode or 0 for each in both) == [0, 1]
    assert check(tmp_path / "new").provisions == 15
