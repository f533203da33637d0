"""`legalir measure`: the figures of ir_measures and ours, from files, and what makes them mean less."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from legalir.cli.main import app
from legalir.errors import DataError, LegalIRError, MeasureError

QRELS = "q1 0 a 1\nq1 0 b 2\nq2 0 c 1\nq3 0 d 1\n"
RUN = "q1 Q0 b 1 2.0 x\nq1 Q0 z 2 2.0 x\nq1 Q0 a 3 2.0 x\nq2 Q0 z 1 9 x\nq2 Q0 c 2 8e-1 x\nq9 Q0 a 1 1 x\n"


@pytest.fixture(name="here", autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.trec").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def measure(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["measure", *arguments])


def refused(*arguments: str) -> LegalIRError:
    error = measure(*arguments).exception
    assert isinstance(error, LegalIRError)
    return error


def test_means_are_those_of_the_worked_lists() -> None:
    result = measure("qrels.txt", "run.trec", "MultiMRR@5 MicroR@2", "R@2", "RR@5")
    # Equal scores by docno, descending: q1 has z, b, a, so its reciprocal ranks are 1/2 and 1/(3-1), and RR is 1/2; q2
    # has 1/2; q3 has nothing. Of the 4 relevant documents 2 are among the first 2: b of a and b, c, and not d.
    assert result.stdout == "MultiMRR@5\t0.3333\nMicroR@2\t0.5000\nR@2\t0.5000\nRR@5\t0.3333\n"
    assert "1 of 3 judged questions have no results" in result.stderr
    assert "1 of 3 questions of run.trec are not judged" in result.stderr
    assert "MultiMRR@5: no list in run.trec has more than 3 results" in result.stderr


def test_values_of_each_question() -> None:
    lines = measure("qrels.txt", "run.trec", "R@2", "--per-query").stdout.splitlines()
    assert lines == ["q1\tR@2\t0.5000", "q2\tR@2\t1.0000", "q3\tR@2\t0.0000", "all\tR@2\t0.5000"]
    content = json.loads(measure("qrels.txt", "run.trec", "R@2", "--json", "--per-query").stdout)
    assert content["questions"] == 3
    assert content["means"]["R@2"] == 0.5
    assert content["per_query"][2] == {"qid": "q3", "measure": "R@2", "value": 0.0}


def test_judgements_of_a_dataset_and_a_run_of_legalir(here: Path) -> None:
    (here / "run.trec").write_text("fc002\tQ0\tdecree-19\t0\t1.0\ta name\n")
    assert measure("legalir/firecode/test", "run.trec", "P@1").stdout == f"P@1\t{1 / 69:.4f}\n"


@pytest.mark.parametrize("name", ["qrels.txt", "qrels.tsv", ".", "beir/test"])
def test_judgements_below_0_are_those_of_the_file(here: Path, name: str) -> None:
    (here / "beir" / "qrels").mkdir(parents=True)
    (here / "corpus.jsonl").write_text('{"docno": "a", "text": "A."}\n')
    (here / "beir" / "corpus.jsonl").write_text('{"_id": "a", "text": "A."}\n')
    (here / "beir" / "qrels" / "test.tsv").write_text("q1\ta\t1\nq1\tb\t-1\nq1\tc\t0\nq1\td\t1\n")
    # b is not judged for Bpref and infAP. Of a, c, d, the one relevant below the c that is not loses 1/1 of its half.
    for file in ("qrels.txt", "qrels.tsv"):
        (here / file).write_text("q1 0 a 1\nq1 0 b -1\nq1 0 c 0\nq1 0 d 1\n")
    (here / "run.trec").write_text("".join(f"q1 Q0 {docno} 1 {9 - n} x\n" for n, docno in enumerate("bacd")))
    assert measure(name, "run.trec", "Bpref infAP").stdout == "Bpref\t0.5000\ninfAP\t0.6875\n"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("q1 Q0 a 1 2.0", "line 1"),
        ("q1 Q0 a 1 high x", "'high'"),
        ("q1 Q0 a 1 nan x", "'nan'"),
        ("q1 Q0 a 1 1 x\nq1 Q0 a 2 0 x", "line 2"),
        ("q7 Q0 a 1 1 x", "'q7'"),
        ("", "run.trec"),
    ],
)
def test_a_run_that_cannot_be_used(here: Path, line: str, fault: str) -> None:
    (here / "run.trec").write_text(line)
    error = refused("qrels.txt", "run.trec", "R@2")
    assert isinstance(error, DataError)
    assert fault in str(error)


def test_what_cannot_be_measured() -> None:
    assert "There is no file none.txt of judgements" in str(refused("none.txt", "run.trec", "R@2"))
    assert isinstance(refused("qrels.txt", "none.trec", "R@2"), DataError)
    for name in ("nDGC@10", "R", "CitationF1"):
        assert isinstance(refused("qrels.txt", "run.trec", name), MeasureError)
