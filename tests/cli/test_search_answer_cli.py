"""``legalir search`` with a pipeline that ends in a generator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
import yaml
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


@pytest.mark.parametrize(
    "questions",
    [
        "q 1\t통로\nq2\txyz\n",
        '{"_id": "q 1", "text": "통로"}\n{"_id": "q2", "text": "xyz"}\n',
        '{"qid": "q_1", "query": "통로", "kind": "a"}\n{"qid": "q2", "query": "xyz"}\n',
    ],
)
def test_a_run_of_the_questions_of_a_file(folder: str, tmp_path: Path, questions: str) -> None:
    given, out = tmp_path / f"q.{'jsonl' if questions[0] == '{' else 'tsv'}", tmp_path / "new" / "run.trec"
    given.write_text(questions, encoding="utf-8")
    same = {"docno": "a-0", "title": "", "text": PROVISIONS[2]["text"]}  # Equal scores keep our order in trec_eval.
    with (Path(folder) / "corpus.jsonl").open("a", encoding="utf-8") as corpus:
        corpus.write("\n" + json.dumps(same, ensure_ascii=False))
    done = run(folder, "--questions", str(given), "--out", str(out), "-p", "bm25", "-k", "3")
    assert done.stdout.startswith("1 of 2 questions have results"), done.output
    rows = [line.split("\t") for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row[:4] + row[5:] for row in rows] == [
        ["q_1", "Q0", docno, str(n), "bm25"] for n, docno in enumerate(["a-1", "a-0", "a-3"])
    ]
    assert float(rows[1][4]) > float(rows[2][4])
    described = out.with_name("run.ir-metadata.yml").read_text(encoding="utf-8")
    facts = yaml.safe_load(described)
    assert facts["tag"] == "bm25" and facts["method"]["retrieval"] == [{"name": "bm25", "method": "bm25"}]
    parts = {"name", *(f"sha256 of {part}" for part in ("corpus", "topics"))}
    assert facts["data"]["test collection"].keys() == parts and str(tmp_path) not in described
    run(folder, "--questions", str(given), "--out", str(out), "-p", "bm25 >> quote")
    assert [json.loads(line)["qid"] for line in out.read_text(encoding="utf-8").splitlines()] == ["q_1"]


def test_a_question_or_a_file_of_questions(folder: str, tmp_path: Path) -> None:
    file = tmp_path / "q.tsv"
    file.write_text("q1 without a tab\n", encoding="utf-8")
    both = ("--questions", str(file), "--out", str(tmp_path / "run.trec"))
    for arguments in ((), both[:2], ("통로", *both), ("통로", *both[2:]), (*both, "--json")):
        assert run(folder, *arguments).exit_code == 2
    assert "line 1" in str(run(folder, *both).exception)
