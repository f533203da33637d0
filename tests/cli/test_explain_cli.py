"""``legalir explain`` in this process, without the program around it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from legalir.cli.search import EXPLAIN_EXAMPLES, explain
from legalir.errors import ComponentError, ExpressionError

APP = typer.Typer()
APP.command(epilog=EXPLAIN_EXAMPLES)(explain)
RRF = (
    'rrf(bm25("jamo3"), bm25("whitespace", k1=1.5) % 2, '
    'linear(bm25("jamo3"), tfidf("jamo3"), weights=[1, 2], normalize="zscore"))'
)


@pytest.fixture(name="statutes")
def written_statutes(tmp_path: Path) -> str:
    folder = tmp_path / "statutes"
    folder.mkdir()
    provisions = [
        {"docno": "a-1", "title": "가나법 제1조(목적)", "text": "이 법은 창고의 안전을 정한다."},
        {"docno": "a-2", "title": "가나법 제2조(비상구)", "text": "비상구의 너비는 90센티미터로 한다."},
        {"docno": "a-3", "title": "", "text": "\x1b[31m붉은\x1b[0m 창문 비상구 \u202e 규정"},
    ]
    lines = [json.dumps(provision, ensure_ascii=False) for provision in provisions]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(folder)


def run(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "100", "TERMINAL_WIDTH": "100"}).invoke(APP, list(arguments))


def test_a_tree_of_one_question(statutes: str) -> None:
    result = run(statutes, "비상구의 너비는 얼마인가", "-k", "1", "--terms", "4", "-p", 'bm25("jamo3")')
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == "가나법 제2조(비상구)  a-2"
    assert lines[1].endswith("bm25(jamo3, k1=0.9, b=0.4)")
    assert len(lines) == 2 + 4
    assert all(line.startswith(("├── +", "└── +")) for line in lines[2:])
    assert "more terms" in lines[-1]
    assert " in 1 provision" in lines[2]
    total = sum(float(line.split()[1]) for line in lines[2:])
    assert total == pytest.approx(float(lines[1].split()[0]), abs=3e-4)


def test_nested_fusions_fit_a_hundred_columns(statutes: str) -> None:
    result = run(statutes, "비상구의 너비는 얼마인가", "-p", RRF)
    assert result.exit_code == 0, result.output
    assert max(map(width, result.output.splitlines())) <= 100
    assert "rank 1: 1/(60 + 1) in bm25(jamo3, k1=0.9, b=0.4)" in result.output
    assert "a-3" in result.output, "a provision without a title is called by its docno"
    assert "\x1b" not in result.output
    assert "\u202e" not in result.output


def width(line: str) -> int:
    from rich.cells import cell_len

    return cell_len(line)


def test_json_has_everything(statutes: str) -> None:
    result = run(statutes, "비상구의 너비는 얼마인가", "-p", RRF, "--json", "-d", "a-3", "-d", "a-2")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [one["docno"] for one in found] == ["a-3", "a-2"]
    for one in found:
        assert sum(part["value"] for part in one["parts"]) == pytest.approx(one["score"])
    assert found[1]["parts"][0]["detail"]["rank"] == 1
    assert all("more terms" not in part["label"] for part in found[1]["parts"][0]["source"]["parts"])


def test_nothing_found(statutes: str) -> None:
    assert run(statutes, "zebra").output == "No provision shares a term with this question.\n"
    assert json.loads(run(statutes, "zebra", "--json").stdout) == []


def test_mistakes(statutes: str) -> None:
    result = run(statutes, "비상구", "-d", "a-1", "-p", 'bm25(analyzer="whitespace")')
    assert isinstance(result.exception, ComponentError)
    assert str(result.exception) == "explain: the pipeline does not return 'a-1' for this question."
    assert isinstance(run(statutes, "비상구", "-p", "bm25 | tfidf").exception, ComponentError)
    assert isinstance(run(statutes, "비상구", "-p", "rrf(bm52)").exception, ExpressionError)
