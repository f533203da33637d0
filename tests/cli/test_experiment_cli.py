"""The experiment commands on a collection of their own: tables, JSON, exit codes, one-line errors."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from legalir.cli.experiment import app
from legalir.errors import ExperimentError, ExpressionError, LegalIRError
from legalir.experiments import ExperimentResults, run

TEXTS = {
    "법1": "소화기는 각 층마다 설치하여야 한다.",
    "법2": "무창층이란 개구부가 적은 층을 말한다.",
    "법3": "피난구 유도등은 출입구 위에 설치한다.",
    "법4": "스프링클러설비의 배관은 전용으로 한다.",
}
QUERIES = {"q1": "소화기는 어디에 설치하나요", "q2": "무창층의 뜻은", "q3": "유도등은 어디에"}
GOLD = {"q1": "법1", "q2": "법2", "q3": "법3"}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("legalir.experiments.runs.BUDGET_SECONDS", 0)
    folder = tmp_path / "data" / "fire"
    folder.mkdir(parents=True)
    docs = [{"docno": docno, "title": docno, "text": text} for docno, text in TEXTS.items()]
    queries = [{"qid": qid, "query": query} for qid, query in QUERIES.items()]
    for name, rows in (("corpus.jsonl", docs), ("queries.jsonl", queries)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / name).write_text(text, encoding="utf-8")
    qrels = "".join(f"{qid} 0 {docno} 1\n" for qid, docno in GOLD.items())
    (folder / "qrels.txt").write_text(qrels, encoding="utf-8")
    definition = {
        "title": "Fire",
        "dataset": "./data/fire",
        "measures": ["R@1", "MultiMRR@10"],
        "systems": {"BM25": "bm25", "words": 'bm25(analyzer="word")'},
        "baseline": "BM25",
    }
    path = tmp_path / "fire.yaml"
    path.write_text(yaml.safe_dump(definition, sort_keys=False), encoding="utf-8")
    return path


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_run_prints_a_table_and_keeps_everything(file: Path) -> None:
    done = call("run", file)
    assert done.exit_code == 0, done.output
    assert "BM25" in done.output and "100.00" in done.output
    assert "Report: results/fire/report.html" in done.output
    folder = file.parent / "results" / "fire"
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names == {
        *("definition.yaml", "table.tsv", "per_query.csv", "environment.json", "context.json", "report.html"),
        *(f"runs/{name}.{form}" for name in ("BM25", "words") for form in ("trec", "json", "ir-metadata.yml")),
    }
    assert "2 of 2 runs were unchanged and reused" in call("run", file).output


def test_a_baseline_that_cannot_be_run_ends_with_1(file: Path) -> None:
    definition = yaml.safe_load(file.read_text(encoding="utf-8"))
    definition |= {"baseline": "lost", "systems": {**definition["systems"], "lost": "dense('./no/such')"}}
    file.write_text(yaml.safe_dump(definition), encoding="utf-8")
    done = call("run", file)
    assert done.exit_code == 1
    assert "no tests" in done.output and "100.00" in done.output
    assert json.loads(call("run", file, "--json").stdout)["untested"]


def test_a_changed_corpus_is_run_again(file: Path) -> None:
    call("run", file, "--no-report")
    assert not (file.parent / "results" / "fire" / "report.html").exists()
    corpus = file.parent / "data" / "fire" / "corpus.jsonl"
    corpus.write_text(corpus.read_text(encoding="utf-8").replace(TEXTS["법2"], "배관을 갖춘다."), encoding="utf-8")
    done = call("run", file, "--no-report", "--json", "--dataset", file.parent / "data" / "fire")
    found = json.loads(done.stdout)
    assert [system["name"] for system in found["systems"]] == ["BM25", "words"]
    assert (found["reused"], found["report"]) == ([], None)
    assert found["systems"][0]["R@1"] == pytest.approx(2 / 3)


def test_json_of_several_datasets_has_the_means(file: Path) -> None:
    data = shutil.copytree(file.parent / "data" / "fire", file.parent / "data" / "again").parent / "fire"
    several = file.parent / "several.yaml"
    text = file.read_text(encoding="utf-8")
    several.write_text(re.sub("(?m)^dataset: .*$", f"datasets: [{data}, ./data/again]", text), encoding="utf-8")
    found = json.loads(call("run", several, "--json", "--no-report").stdout)
    systems = [row["name"] for row in found["results"][0]["systems"]]
    measures = dict.fromkeys(row["measure"] for row in found["means"])
    assert [(row["measure"], row["name"]) for row in found["means"]] == list(itertools.product(measures, systems))
    first, second = (result["systems"][0] for result in found["results"])
    for row in (row for row in found["means"] if row["name"] == first["name"]):
        assert row["mean"] == pytest.approx((first[row["measure"]] + second[row["measure"]]) / 2)


def test_compare_and_its_exit_codes(file: Path) -> None:
    call("run", file, "--no-report")
    assert call("compare", "results/fire", "fire.expected.tsv", "--write").exit_code == 0
    same = call("compare", "results/fire", "fire.expected.tsv")
    assert (same.exit_code, same.output) == (0, "4 same (tolerance 0.0005)\n")
    expected = file.parent / "fire.expected.tsv"
    expected.write_text(expected.read_text(encoding="utf-8").replace("R@1\t1.0", "R@1\t0.99"), encoding="utf-8")
    better = call("compare", "results/fire", "fire.expected.tsv")
    assert better.exit_code == 1 and "better" in better.output
    assert call("compare", "results/fire", "fire.expected.tsv", "--tolerance", "0.1").exit_code == 0
    as_json = json.loads(call("compare", "results/fire", "fire.expected.tsv", "--json").stdout)
    assert as_json["ok"] is False and as_json["counts"]["better"] >= 1


def test_mistakes_are_errors_of_ours(file: Path) -> None:
    for arguments in (["run", "none.yaml"], ["compare", "results/none", "x.tsv"]):
        done = call(*arguments)
        assert isinstance(done.exception, ExperimentError)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("BM25: bm25", "BM25: bm52"), encoding="utf-8")
    done = call("run", file)
    assert isinstance(done.exception, ExpressionError) and "'BM25'" in str(done.exception)
    assert isinstance(done.exception, LegalIRError) and "\n" not in str(done.exception)


def test_values_are_set_from_the_command_line(file: Path) -> None:
    definition = yaml.safe_load(file.read_text(encoding="utf-8"))
    definition["values"] = {"analyzer": "jamo3", "k1": 0.9}
    definition["systems"] = {"BM25": 'bm25(analyzer="${analyzer}", k1=${k1})'}
    file.write_text(yaml.safe_dump(definition, sort_keys=False), encoding="utf-8")
    done = call("run", file, "--no-report", "--set", "analyzer=word", "--set", "k1=1.5", "--json")
    assert json.loads(done.stdout)["values"] == {"analyzer": "word", "k1": 1.5}
    done = call("run", "results/fire/definition.yaml", "--no-report", "--out", "results/fire")
    assert "analyzer=word, k1=1.5" in done.output and "1 of 1 runs were unchanged" in done.output
    for settings, words in ((["analyser=x"], "'analyzer'"), (["k1=x"], "a number")):
        done = call("run", file, "--set", *settings)
        assert isinstance(done.exception, ExperimentError) and words in str(done.exception)
    for misuse in (
        ["run", file, "--set", "k1"],
        ["run", file, "--set", "=3"],
        ["compare", "a", "b", "--tolerance", "-1"],
    ):
        assert call(*misuse).exit_code == 2


def test_a_folder_that_is_set_is_seen_from_here(file: Path) -> None:
    definition = yaml.safe_load(file.read_text(encoding="utf-8"))
    definition |= {"values": {"model": "elsewhere"}, "systems": {"BM25": "bm25", "M": 'static(model="${model}")'}}
    file.write_text(yaml.safe_dump(definition, sort_keys=False), encoding="utf-8")
    done = call("run", file, "--set", "model=./none")
    assert str(file.parent / "none") in "".join(done.output.split())  # The terminal may break a path.


def test_two_results_are_compared_with_a_test(file: Path) -> None:
    call("run", file, "--no-report")
    done = call("compare", "results/fire", "results/fire")
    assert done.exit_code == 0 and "BM25" in done.output and "words" in done.output
    done = call("compare", "results/fire", "results/fire", "--system", "words", "--against", "BM25", "--json")
    rows = json.loads(done.stdout)
    assert [(row["name"], row["against"], row["measure"]) for row in rows] == [
        ("words", "BM25", "R@1"),
        ("words", "BM25", "MultiMRR@10"),
    ]
    for options in (["--write"], ["--tolerance", "0.1"]):
        assert call("compare", "results/fire", "results/fire", *options).exit_code == 2
    assert call("compare", "results/fire", "fire.expected.tsv", "--system", "BM25").exit_code == 2


def test_several_datasets_have_a_common_table(file: Path) -> None:
    shutil.copytree(file.parent / "data" / "fire", file.parent / "data" / "again")
    definition = yaml.safe_load(file.read_text(encoding="utf-8"))
    del definition["dataset"]
    definition["datasets"] = ["./data/fire", "./data/again"]
    file.write_text(yaml.safe_dump(definition, sort_keys=False), encoding="utf-8")
    done = call("run", file, "--out", "both")
    assert done.exit_code == 0 and "mean" in done.output and "Report: both/report.html" in done.output
    found = ExperimentResults.load("both")
    assert list(found.results) == ["fire", "again"]
    pages = list(Path("both").rglob("report.html"))
    assert len(pages) == 3
    page = Path("both/report.html").read_text(encoding="utf-8")
    for link in re.findall('href="([^"]+)"', page):
        assert Path("both", link).is_file()
    assert str(file.parent) not in page
    run(definition, "third", latency_queries=0)  # Paths are seen from here.
    assert list(ExperimentResults.load("third").results) == ["fire", "again"]
