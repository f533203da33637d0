"""The hierarchy of a collection, from what an import wrote, or from the paths of its provisions alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from korean_laws import laws
from typer.testing import CliRunner

from legalir.cli.datasets import app
from legalir.datasets import load
from legalir.errors import DataError
from legalir.statutes.doubts import doubts_of
from legalir.statutes.importing.tree import read_origins, tree
from legalir.statutes.writing import write_collection

LINES = """\
창고안전법  5 provisions, 1 repealed
  제1장 총칙  2 provisions
    제1조 목적
    제2조 정의  defines: 창고, 통로
  제2장 의무  3 provisions, 1 repealed
    제3조 통로
    제3조의2 비상구
    제4조  repealed
"""


@pytest.fixture(name="folder")
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "100")
    folder = tmp_path / "new"
    write_collection(f'markdown(path="{laws(tmp_path / "laws")}")', folder)
    return folder


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["tree", *arguments])
    if done.exception:
        raise done.exception
    return done.output


def test_the_whole_law(folder: Path) -> None:
    assert run(str(folder), "창고안전법") == LINES
    assert run(str(folder), "900001") == LINES


def test_laws_and_their_highest_parts(folder: Path) -> None:
    short = "".join(line for line in LINES.splitlines(keepends=True) if not line.startswith("    "))
    assert run(str(folder)) == short + short.replace("창고안전법", "창고안전법 시행령")
    assert run(str(folder), "--depth", "1") == "".join(
        f"{name}  5 provisions, 1 repealed\n" for name in ("창고안전법", "창고안전법 시행령")
    )


def test_for_a_program(folder: Path) -> None:
    law = json.loads(run(str(folder), "시행령", "--json"))[0]
    assert (law["name"], law["level"], law["docno"], law["provisions"]) == ("창고안전법 시행령", "law", "900002", 5)
    assert law["units"][1]["units"][2] == {
        "name": "제4조",
        "level": "조",
        "docno": "900002-4",
        "provisions": 1,
        "repealed": 1,
        "url": "https://www.law.go.kr/법령/창고안전법시행령/제4조",
    }


def test_without_origins(folder: Path) -> None:
    (folder / "origin.jsonl").unlink()
    law = tree(load(str(folder)).docs(), read_origins(folder), "창고안전법")[0]
    assert [(unit.name, unit.provisions) for unit in law.units] == [("제1장 총칙", 2), ("제2장 의무", 3)]
    assert law.repealed == 0


def test_no_such_law(folder: Path) -> None:
    with pytest.raises(DataError, match=r"'창고안정법'.*'창고안전법'"):
        run(str(folder), "창고안정법")


@pytest.mark.parametrize("line", ['{"replaced_by":', '["replaced_by"]', '{"doc_id": "a", "replaced_by": "b"}'])
def test_a_damaged_line(folder: Path, line: str) -> None:
    (folder / "origin.jsonl").write_text(line + "\n", encoding="utf-8")
    for use in (lambda: run(str(folder)), lambda: load(folder).replaced, lambda: doubts_of(load(folder))):
        with pytest.raises(DataError, match=r"origin\.jsonl, line 1: .*; import the collection again\.$"):
            use()
