"""``legalir search`` with a pipeline that ends in a generator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from legalir.cli.search import search

PROVISIONS = [
    {"docno": "a-1", "title": "창고법 제1조", "text": "통로를 둔다. \x1b[31m통로의 너비는 2미터로 한다."},
    {"docno": "a-2", "title": "창고법 제2조", "text": "통로에 물건을 두지 아니한다."},
    {"docno": "a-3", "title": "", "text": "통로의 표지를 단다."},
]


@pytest.fixture(name="folder")
def small_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "100")
    lines = [json.dumps(row, ensure_ascii=False) for row in PROVISIONS]
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return str(tmp_path / "s")


def run(*arguments: str) -> Result:
    app = typer.Typer()
    app.command()(search)
    return CliRunner().invoke(app, list(arguments))


def test_the_answer_stands_above_its_sources(folder: str) -> None:
    done = run(folder, "통로의 너비는?", "-p", "bm25 % 2 >> quote(k=1)")
    assert done.exit_code == 0, done.output
    answer, sources = done.output.split("Sources")
    assert answer.strip() == "창고법 제1조:  [31m통로의 너비는 2미터로 한다. [a-1]"
    assert [line.split()[0] for line in sources.splitlines() if line[:1].isdigit()] == ["1", "2"]


def test_what_is_cited_is_shown_whatever_k(folder: str) -> None:
    done = run(folder, "통로", "-p", "bm25 >> quote(k=2)", "-k", "1", "--json")
    found = json.loads(done.stdout)
    assert list(found) == ["query", "answer", "cited", "sources"]
    assert len(found["cited"]) == 2
    assert [row["docno"] for row in found["sources"]] == found["cited"]
    assert [row["rank"] for row in found["sources"]] == [1, 2]
    assert set(found["sources"][0]) == {"rank", "score", "docno", "title", "text"}


def test_a_question_without_terms(folder: str) -> None:
    done = run(folder, "?!", "-p", "bm25 >> quote")
    assert done.exit_code == 0
    assert "No provision shares a term" in done.output


def test_an_answer_is_no_run(folder: str) -> None:
    done = run(folder, "통로", "-p", "bm25 >> quote", "--format", "trec")
    assert done.exit_code == 2
    assert "TREC" in done.output


def test_default_says_where_the_best_match_is_weak(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEGALIR_SEMANTIC", "off")
    outside = "어제 축구 경기에서 물건 던진 관중은 누구였나요?"
    assert "Weak match: nothing in this collection" in " ".join(run(folder, outside).stdout.split())
    for arguments in (["통로의 너비"], [outside, "-p", "bm25"]):
        assert "Weak match" not in run(folder, *arguments).output
