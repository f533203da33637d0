"""Tables on a terminal of 100 columns."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from fake_collection import DEFINITION, TOPICS, FakeCollection
from rich.console import Console

from legalir.errors import ExperimentError
from legalir.experiments import ExperimentResult, run
from legalir.experiments.result import ComparedCell, Comparison
from legalir.experiments.rows import counted, format_score, p_text
from legalir.experiments.terminal import print_comparison, print_result


def result(**changes: object) -> ExperimentResult:
    return run({**DEFINITION, **changes}, collection=FakeCollection())  # type: ignore[arg-type]


def printed(found: ExperimentResult, width: int = 100) -> str:
    stream = io.StringIO()
    print_result(found, Console(file=stream, width=width))
    return stream.getvalue()


def test_the_table_shows_percent_marks_and_references() -> None:
    text = printed(result(alpha=0.2))
    assert "37.50" in text and "87.50▲" in text
    assert "Paper" in text and "40.00" in text and "–" in text
    assert "▲▼ against 약함 (t-test, holm, 0.2)" in text
    assert text.index("약함") < text.index("Strong") < text.index("Paper")


def test_a_sample_is_named_with_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeCollection, "topics", lambda self: TOPICS.assign(case=["a", "b", "b", "b"]))
    found = result(sample={"n": 1, "by": "case"})
    assert len(found.context.queries) == 1
    assert "1 queries (a sample by case of 4, seed 0, in which 1 of 2 values of case are not)" in printed(found, 140)
    text = printed(result(sample={"share": 0.5, "by": "title"}), 140)  # A field of the judged provisions.
    assert "2 queries (a sample by title of 4" in text
    with pytest.raises(ExperimentError, match="by='judge'"):
        result(sample={"n": 1, "by": "judge"})


@pytest.mark.parametrize("width", [60, 100])
def test_no_line_is_too_long_and_no_figure_is_cut(width: int) -> None:
    measures = ["MultiHitRate@10", "MultiHitRate@5", "MultiMRR@10", "MultiMRR@5", "nDCG@10", "R@2", "R@10", "RR@10"]
    systems = {"A long name of a system, longer than any name should ever be": "weak", "무창층 개방형": "strong"}
    found = result(measures=measures, systems=systems, baseline=None, references=[])
    text = printed(found, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for row in found.scores.rows:
        for cell in row.cells:
            assert cell.text in text


def test_names_are_not_markup() -> None:
    assert "[bold]x[/bold]" in printed(result(title="[bold]x[/bold]", systems={"[red]": "weak"}, baseline=None))


def test_best_mark_and_explanation_of_a_cell() -> None:
    weak, strong, first, paper = result().scores.rows
    assert weak.baseline and paper.published and paper.source == "Somebody 2020"
    assert strong.cells[0].best and not weak.cells[0].best and not paper.cells[0].best
    assert strong.cells[2].best and first.cells[2].best  # equal ones are both best
    assert strong.cells[0].mark == ""
    assert strong.cells[0].explanation == (
        "+50.00 against 약함, p = .183 after Holm correction; 3 queries better, 0 worse"
    )
    assert weak.cells[0].explanation == ""


def test_a_worse_system_is_marked_down() -> None:
    rows = result(baseline="Strong", alpha=0.2).scores.rows
    assert rows[0].cells[0].mark == "▼"


def test_formats() -> None:
    assert [format_score(value, True) for value in (0.12345, 1.0, -0.5, float("nan"))] == [
        "12.35",
        "100.00",
        "−50.00",
        "–",
    ]
    assert format_score(12.5, False) == "12.5"
    assert [p_text(p) for p in (0.0001, 0.04, 1.0)] == ["p < .001", "p = .040", "p = 1.000"]


def test_one_query_is_no_queries() -> None:
    assert [counted(1, 2), counted(0, 1)] == ["1 query better, 2 worse", "0 queries better, 1 worse"]


def test_the_leader_is_not_the_baseline() -> None:
    assert result(baseline="Strong").scores.leader == "Strong, first only"
    assert result(systems={"약함": "weak"}).scores.leader is None


def test_counts_are_not_percent() -> None:
    found = result(measures=["NumRet", "R@2"], baseline=None, systems={"A": "weak", "B": "strong"})
    assert isinstance(found.table, pd.DataFrame)
    assert found.scores.rows[0].cells[0].text == f"{found.table['NumRet'][0]:.4g}"


def test_a_comparison_lists_what_differs() -> None:
    cells = (
        ComparedCell("A", "R@10", 0.5, 0.5, "same"),
        ComparedCell("A", "RR@10", 0.5, 0.4, "worse"),
        ComparedCell("[B]", "R@10", 0.5, None, "missing"),
    )
    stream = io.StringIO()
    print_comparison(Comparison(cells, 0.0005), Console(file=stream, width=100))
    text = stream.getvalue()
    assert "-0.1000" in text and "worse" in text and "[B]" in text and "missing" in text
    assert "1 same, 1 worse, 1 missing (tolerance 0.0005)" in text
    assert "R@10 " in text
