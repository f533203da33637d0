"""A question that is a citation, and several collections, on the command line and in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from dated_folder import write_dated
from typer.testing import CliRunner

import legalir
from legalir.cli.search import search
from legalir.collection.several import find
from legalir.errors import ComponentError

APP = typer.Typer()
APP.command()(search)
FIRE, DATED = "legalir/firecode", "legalir/firecode-dated"
CITATION = "밀집영업장 화재안전 특별법 15조"


def run(*arguments: str) -> str:
    result = CliRunner(env={"COLUMNS": "100", "TERMINAL_WIDTH": "100"}).invoke(APP, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def test_a_citation_prints_the_whole_provision() -> None:
    out = run(FIRE, CITATION)
    assert "vact-15" in out
    assert "⑤" in out  # The last paragraph.
    assert "Carried out by 밀집영업장 화재안전 특별법 시행령" in out
    assert "nothing else was searched" in out
    assert json.loads(run(FIRE, CITATION, "--json", "-k", "1"))[0]["docno"] == "vact-15"


def test_what_a_citation_lacks_is_said_before_results() -> None:
    out = run(FIRE, "밀집영업장 화재안전 특별법 99조", "-k", "1", "-p", "default")
    assert out.startswith("no such provision: The law has no number 99.")
    assert "nothing else" not in out
    assert "repealed: It is repealed since 2024-01-11." in run(DATED, "FC04-21")


def test_several_collections(tmp_path: Path) -> None:
    rows = json.loads(run(FIRE, "대피공간", "--also", DATED, "-k", "4", "--json", "-p", "bm25"))
    assert [row["collection"] for row in rows] == [FIRE, DATED, FIRE, DATED]
    asked = run(DATED, "2022년 3월 당시 보험 가입의 안내", "--also", FIRE, "-p", "bm25")
    assert "As of 2022-03-31" in asked
    assert "FC04-16의2" not in asked, "not yet in force then"
    assert [row["score"] for row in rows] == pytest.approx([1 / 61, 1 / 61, 1 / 62, 1 / 62])
    laws = str(write_dated(tmp_path / "laws"))
    cited = legalir.search([DATED, FIRE, laws], "fts310-5", "lookup", k=3)
    assert cited.empty
    assert [(one.id, found.shows) for one, found in find([laws, FIRE], "FTS310-5")] == [(FIRE, "fts310-5")]
    first = legalir.search([laws, FIRE], CITATION, k=3)
    assert (first["docno"][0], first["score"][0]) == ("vact-15", 1)
    english = legalir.search(
        [FIRE, "legalir/harbour"], "Must my pleasure craft be registered?", "default(semantic=False)", k=12
    )
    assert list(english["collection"]) == ["legalir/harbour"] * 12, "the other is written in Hangul"


def test_mistakes_with_several_collections() -> None:
    with pytest.raises(ComponentError, match="named twice"):
        legalir.search([FIRE, FIRE], "문")
    with pytest.raises(ComponentError, match="needs versions"):
        legalir.search([FIRE], "문", as_of="2024-01-01")
    with pytest.raises(ComponentError, match="at least one"):
        legalir.search([], "문")
