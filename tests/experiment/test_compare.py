"""Expected scores: written, read, and compared cell by cell under a tolerance."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from fake_collection import DEFINITION, FakeCollection

from legalir.errors import ExperimentError
from legalir.experiments import ExperimentResult, read_expected, run, write_expected
from legalir.experiments.result import compare

TABLE = pd.DataFrame({"name": ["A", "B"], "R@10": [0.5, 0.6], "nDCG@10": [0.3, 0.4], "R@10 low": [0.1, 0.1]})


def expected(folder: Path, *lines: str, head: str = "") -> Path:
    path = folder / "expected.tsv"
    path.write_text(head + "\n".join(["system\tmeasure\tvalue", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def result() -> ExperimentResult:
    return run(DEFINITION, collection=FakeCollection(), latency_queries=0)  # type: ignore[arg-type]


def test_each_kind_of_cell(tmp_path: Path) -> None:
    path = expected(
        tmp_path, "A\tR@10\t0.5", "A\tnDCG@10\t0.2", "B\tR@10\t0.7", "C\tR@10\t0.1", "# a comment", "", head="# first\n"
    )
    found = compare(TABLE, path)
    assert [(cell.system, cell.measure, cell.status) for cell in found.cells] == [
        ("A", "R@10", "same"),
        ("A", "nDCG@10", "better"),
        ("B", "R@10", "worse"),
        ("C", "R@10", "missing"),
        ("B", "nDCG@10", "extra"),
    ]
    assert not found.ok
    assert found.cells[1].difference == pytest.approx(0.1)
    assert found.cells[3].difference is None
    assert found.counts == {"same": 1, "better": 1, "worse": 1, "missing": 1, "extra": 1}


@pytest.mark.parametrize(("value", "status"), [("0.5005", "same"), ("0.4995", "same"), ("0.50051", "worse")])
def test_the_edge_of_the_tolerance(tmp_path: Path, value: str, status: str) -> None:
    found = compare(TABLE[["name", "R@10"]][:1], expected(tmp_path, f"A\tR@10\t{value}"))
    assert found.cells[0].status == status


def test_which_tolerance_counts(tmp_path: Path, result: ExperimentResult) -> None:
    plain = expected(tmp_path, "A\tR@10\t0.5")
    assert compare(TABLE, plain).tolerance == 0.0005
    own = result.definition.replace(tolerance=0.02)
    with_own = ExperimentResult(own, result.table, result.per_query, result.system_runs, result.environment)
    assert compare(with_own, plain).tolerance == 0.02
    header = expected(tmp_path, "A\tR@10\t0.5", head="# tolerance: 0.01\n")
    assert compare(with_own, header).tolerance == 0.01
    assert compare(with_own, header, 0.3).tolerance == 0.3
    assert compare(TABLE, header, 0.0).tolerance == 0.0


def test_what_is_written_compares_as_the_same(tmp_path: Path, result: ExperimentResult) -> None:
    path = write_expected(result, tmp_path / "deep" / "x.tsv")
    found = compare(result, path, 1e-6)
    assert found.ok and len(found.cells) == 9
    assert path.read_text(encoding="utf-8").splitlines()[:4] == [
        "# Expected scores of: 설치 기준 실험",
        "# tolerance: 0.0005",
        "system\tmeasure\tvalue",
        "약함\tR@2\t0.375",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name\tmeasure\tvalue\nA\tR@10\t0.5\n", "line 1: the first line"),
        ("system\tmeasure\tvalue\nA R@10 0.5\n", "line 2: there must be 3 columns"),
        ("system\tmeasure\tvalue\nA\tR@10\tx\n", "line 2: the value must be a number, got 'x'"),
        ("system\tmeasure\tvalue\nA\tR@10\tnan\n", "line 2: the value must be a number, got 'nan'"),
        ("system\tmeasure\tvalue\nA\tR@10\t1\nA\tR@10\t1\n", "line 3: 'A' and R@10 occur twice"),
        (
            "# tolerance: -1\nsystem\tmeasure\tvalue\nA\tR@10\t1\n",
            "line 1: the tolerance must be a number of at least 0",
        ),
        ("system\tmeasure\tvalue\n", "no expected scores"),
    ],
)
def test_a_file_that_holds_no_expected_scores(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(text)
    with pytest.raises(ExperimentError, match=words):
        read_expected(path)


def test_a_file_that_cannot_be_read_or_written(tmp_path: Path, result: ExperimentResult) -> None:
    with pytest.raises(ExperimentError, match="cannot be read"):
        read_expected(tmp_path / "none.tsv")
    (tmp_path / "x.tsv").write_bytes(b"\xff\xfe")
    with pytest.raises(ExperimentError, match="not UTF-8"):
        read_expected(tmp_path / "x.tsv")
    with pytest.raises(ExperimentError, match="cannot be written"):
        write_expected(result, tmp_path / "x.tsv" / "y.tsv")
