"""``legalir judge``: the page for people, and the agreement of raters."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted
from typer.testing import CliRunner, Result

import legalir
from legalir.errors import ComponentError, ExperimentError, LegalIRError, MeasureError
from legalir.experiments import ExperimentResult
from legalir_study.judge import app
from legalir_study.sheet import item_id


@pytest.fixture(name="folder", scope="module")
def judged_result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result with two systems of answers, one of ranked lists, and a judge that covers all even lengths."""
    folder = tmp_path_factory.mktemp("judged")
    rows = [
        {"docno": f"a-{number}", "title": f"제{number}조", "text": f"값은 {number} 미터이다."} for number in range(8)
    ]
    questions = [{"qid": f"q{number}", "query": f"제{number}조 값은?", "answer": f"{number}"} for number in range(8)]
    (folder / "s").mkdir()
    (folder / "s" / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "s" / "queries.jsonl").write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    (folder / "s" / "qrels.txt").write_text("".join(f"q{number} 0 a-{number} 1\n" for number in range(8)))

    def reply(request: Any) -> str:
        even = int(re.findall(r"제(\d)조", request.question)[0]) % 2 == 0
        return json.dumps({"coverage": "full" if even else "none", "contradiction": "no"})

    client = legalir.Client(Scripted(reply), cache=folder / "llm.sqlite")
    collection = legalir.Collection(folder / "s", cache=folder / "cache", client=client)
    systems = {"one": "bm25 % 1 >> quote", "two": "bm25 % 2 >> quote", "list": "bm25"}
    definition = {
        "title": "Widths",
        "dataset": str(folder / "s"),
        "measures": ["Coverage", "CitationF1"],
        "systems": systems,
        "judges": ["judge_coverage"],
    }
    legalir.experiment(definition, folder / "out", collection=collection, latency_queries=0)
    return folder / "out"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


def failure(*arguments: object, error: type[LegalIRError]) -> str:
    result = run(*arguments)
    assert isinstance(result.exception, error), result.output
    return str(result.exception)


def data_of(page: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(encoding="utf-8"))
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_a_sheet(folder: Path) -> None:
    result = run("sheet", folder)
    assert result.exit_code == 0, result.output
    assert f"{folder / 'sheet.html'}: 16 answers to rate, of 16 of 2 systems" in result.output
    page = (folder / "sheet.html").read_text(encoding="utf-8")
    data = data_of(folder / "sheet.html")
    assert data["title"] == "Widths"
    assert [measure["name"] for measure in data["measures"]] == ["coverage", "contradiction"]
    assert "bm25" not in page
    assert '"two"' not in page
    assert "judge_coverage" not in page


def test_a_sheet_of_one_system_and_a_sample(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "rate.html"
    result = run("sheet", folder, "--system", "one", "--sample", 3, "--measure", "correct", "--out", out)
    assert result.exit_code == 0, result.output
    assert len(data_of(out)["items"]) == 3
    assert [measure["name"] for measure in data_of(out)["measures"]] == ["correct"]
    run("sheet", folder, "--system", "one", "--sample", 3, "--seed", 7, "--out", tmp_path / "other.html")
    asked = [{item["question"] for item in data_of(page)["items"]} for page in (out, tmp_path / "other.html")]
    assert asked[0] != asked[1]


def test_what_has_no_sheet(folder: Path, tmp_path: Path) -> None:
    assert "'ono' is not a system" in failure("sheet", folder, "--system", "ono", error=ComponentError)
    assert "'list' is not a system" in failure("sheet", folder, "--system", "list", error=ComponentError)
    assert "holds no experiment result" in failure("sheet", tmp_path, error=ExperimentError)


def ratings(folder: Path, path: Path, value: Any) -> Path:
    """Write the ratings of a person: `value` of the number of the question."""
    given: dict[str, dict[str, float]] = {}
    for run_of_system in ExperimentResult.load(folder).runs.values():
        for row in run_of_system.to_dict("records"):
            if "qanswer" in row and (name := item_id(row)) is not None:
                given[name] = {"coverage": value(int(row["qid"][1:]))}
    path.write_text(json.dumps({"kind": "legalir ratings", "rater": path.stem, "ratings": given}), encoding="utf-8")
    return path


def test_people_and_judges(folder: Path, tmp_path: Path) -> None:
    kim = ratings(folder, tmp_path / "kim.json", lambda number: 1.0 if number % 2 == 0 else 0.0)
    lee = ratings(folder, tmp_path / "lee.json", lambda number: 0.5 if number == 0 else float(number % 2 == 0))
    result = run("agreement", kim, lee, "--result", folder, "--json")
    assert result.exit_code == 0, result.output
    given = json.loads(result.output)
    pairs = {tuple(one["raters"]): one for one in given["pairs"]}
    assert list(pairs) == [("kim", "lee"), ("kim", "judge"), ("lee", "judge")]
    assert pairs["kim", "judge"]["agreement"] == 1
    assert pairs["kim", "judge"]["kappa"] == 1
    # Two systems: of 16 answers, 8 are 0, and lee has .5 for the two to q0.
    assert pairs["kim", "lee"]["confusion"] == [[8, 0, 0], [0, 0, 0], [0, 2, 6]]
    assert pairs["kim", "lee"]["n"] == 16
    assert 0.8 < given["alpha_of_all"]["coverage"] < 1
    shown = run("agreement", kim, lee, "--result", folder)
    assert "coverage: Krippendorff's alpha of all raters" in shown.output
    assert "coverage: kim and judge" in shown.output


def table(path: Path, rows: list[tuple[object, object]], columns: str = "person,judge") -> Path:
    lines = [columns, *(f"{'' if a is None else a},{'' if b is None else b}" for a, b in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def agreement_of(path: Path, *options: object) -> dict[str, Any]:
    result = run("agreement", path, "--json", *options)
    assert result.exit_code == 0, result.output
    (pair,) = json.loads(result.output)["pairs"]
    return dict(pair)


def test_what_was_rated_differently(folder: Path, tmp_path: Path) -> None:
    person = ratings(folder, tmp_path / "kim.json", lambda number: 1.0 if number < 4 else 0.5)
    out = tmp_path / "differ.jsonl"
    result = run("agreement", person, "--result", folder, "--disagreements", out)
    assert f"Rated differently: 12, in {out}" in result.output.replace("\n", "")
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    # The judge gives 1 to even numbers and 0 to odd ones: 1 and 3 are false negatives, 4 to 7 differ by a half.
    kinds = [(int(row["qid"][1:]), row["kind"]) for row in rows]
    assert set(kinds[:4]) == {(1, "false negative"), (3, "false negative")}
    assert set(kinds[4:]) == {(4, "higher"), (6, "higher"), (5, "lower"), (7, "lower")}
    first = rows[0]
    assert first["raters"] == ["kim", "judge"]
    assert first["ratings"] == [1, 0]
    assert (first["question"], first["reference"]) == (f"제{first['qid'][1:]}조 값은?", first["qid"][1:])
    assert first["systems"] in (["one"], ["two"])
    assert first["answer"].endswith("]")
    with_thresholds = ("--person-threshold", 0.5, "--judge-threshold", 1)
    run("agreement", person, "--result", folder, "--disagreements", out, *with_thresholds)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert {row["kind"] for row in rows} == {"false negative"}
    assert len(rows) == 8


def test_the_worked_correlations(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", [(1, 5), (1, 4), (0, 4), (0, 2), (1, 5), (None, 3)])
    given = agreement_of(path, "--person-threshold", 1, "--judge-threshold", 4)
    assert round(given["spearman"], 3) == 0.761
    assert round(given["spearman_binarised"], 3) == 0.612
    assert (given["n"], given["left_out"]) == (5, 1)
    assert given["marginals"] == [[0.4, 0.6], [0.2, 0.8]]


@pytest.mark.parametrize(
    ("matrix", "kappa", "quadratic", "scores"),
    [
        ([[8, 2, 3], [2, 29, 7], [1, 9, 139]], 0.70, 0.73, 0.88),
        ([[43, 5, 1], [6, 35, 6], [2, 5, 47]], 0.75, 0.84, 0.83),
    ],
)
def test_the_published_matrices_of_coverage(
    tmp_path: Path, matrix: list[list[int]], kappa: float, quadratic: float, scores: float
) -> None:
    labels = (0, 50, 100)
    rows = [
        {"expert": labels[row], "model": labels[column]}
        for row, counts in enumerate(matrix)
        for column, count in enumerate(counts)
        for _ in range(count)
    ]
    path = tmp_path / "r.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    given = agreement_of(path, "--columns", "expert, model")
    assert given["confusion"] == matrix
    assert (round(given["kappa"], 2), round(given["quadratic_kappa"], 2)) == (kappa, quadratic)
    assert [round(given[name], 2) for name in ("precision", "recall", "f1")] == [scores] * 3


def test_a_judge_that_always_says_yes(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", [(1, 1), (0, 1), (1, 1), (0, 1)])
    assert agreement_of(path)["kappa"] == 0
    shown = run("agreement", path).output
    assert re.search(r"Cohen's kappa +0\.000", shown)
    assert re.search(r"Spearman's rho +undefined +the ratings of the judge never vary", shown)


def test_a_picture(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", [(1, 1), (0, 1), (0.5, 0)], "김 $x,판정")
    result = run("agreement", path, "--columns", "김 $x,판정", "--picture", tmp_path / "m.svg")
    assert result.exit_code == 0, result.output
    text = (tmp_path / "m.svg").read_text(encoding="utf-8")
    assert "김 $x" in text
    assert "판정" in text
    assert "κ" in text
    first = (tmp_path / "m.svg").read_bytes()
    run("agreement", path, "--columns", "김 $x,판정", "--picture", tmp_path / "m.svg")
    assert (tmp_path / "m.svg").read_bytes() == first
    assert "must end in .svg, .png, .pdf" in failure(
        "agreement", path, "--columns", "김 $x,판정", "--picture", tmp_path / "m.gif", error=MeasureError
    )


def test_what_cannot_be_compared(folder: Path, tmp_path: Path) -> None:
    kim = ratings(folder, tmp_path / "kim.json", float)
    path = table(tmp_path / "r.csv", [(1, 1)])
    assert run("agreement", path, kim).exit_code == 2
    assert run("agreement", path, "--columns", "person").exit_code == 2
    assert "the column 'b' is missing; there are person, judge" in failure(
        "agreement", path, "--columns", "person,b", error=MeasureError
    )
    assert "'yes' is not a rating" in failure("agreement", table(tmp_path / "s.csv", [("yes", 1)]), error=MeasureError)
    assert "cannot be read" in failure("agreement", tmp_path / "none.csv", error=MeasureError)
    kim = ratings(folder, tmp_path / "kim.json", lambda number: 1.0)
    assert run("agreement", kim).exit_code == 2
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"kind": "legalir ratings", "ratings": {"x": {"coverage": 1}}}))
    assert "nothing to compare" in failure("agreement", kim, other, error=MeasureError)
