"""A system whose model cannot be had: the others run, and the result says why there is none of it."""

from __future__ import annotations

import html
import io
import sys
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest
from fake_collection import DEFINITION, FakeCollection, Lists, page_of
from rich.console import Console

from legalir.errors import ExpressionError, ModelError
from legalir.experiments import ExperimentResult, run, write_expected
from legalir.experiments.html import curves, headline
from legalir.experiments.result import compare
from legalir.experiments.terminal import print_result

REASON = "There is no model 'org/<name>' here: give a local folder."
SYSTEMS = {
    "약함": "weak",
    "early": "absent_early",
    "late": "absent_late",
    "late, cut": "absent_late % 1",
    "S": "strong",
}


class Late(pt.Transformer):
    """A model that turns out to be missing when it is first asked."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Late)

    def __hash__(self) -> int:
        return 1

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        raise ModelError(REASON)


class Without(FakeCollection):
    """A collection in which some systems have no model: known when they are made, or when they run."""

    def pipeline(self, expression: str) -> pt.Transformer:
        if expression == "absent_early":
            # As the builder of pipelines does it.
            raise ExpressionError("Expression 'absent_early', column 1") from ModelError(REASON)
        if expression.startswith("absent_late"):
            return Late() % 1 if "%" in expression else Late()
        return super().pipeline(expression)


def result(out: Path | None = None, **changes: object) -> ExperimentResult:
    return run({**DEFINITION, "systems": SYSTEMS, **changes}, out, collection=Without())  # type: ignore[arg-type]


def test_the_others_run_and_the_result_says_why(tmp_path: Path) -> None:
    found = result(tmp_path)
    assert found.absent == dict.fromkeys(["early", "late", "late, cut"], REASON)
    assert list(found.runs) == found.table["name"].tolist() == ["약함", "S"]
    assert set(found.per_query["name"]) == {"약함", "S"}
    assert list(found.definition.systems) == list(SYSTEMS)
    again = ExperimentResult.load(tmp_path)
    assert again.absent == found.absent and list(again.runs) == ["약함", "S"]
    pd.testing.assert_frame_equal(again.table, found.table)
    assert result(tmp_path).reused == ["약함", "S"]


def test_processes_report_the_same(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    definition, found = {**DEFINITION, "systems": SYSTEMS}, {}
    for jobs in (1, 2):
        caplog.clear()
        collection, out = Without(), tmp_path / str(jobs)
        found[jobs] = run(definition, out, collection=collection, latency_queries=0, jobs=jobs)  # type: ignore[arg-type]
        assert sum("Left out" in line for line in caplog.messages) == 1
        assert bool(collection.asked) == (jobs == 1)
    assert found[2].absent == found[1].absent == dict.fromkeys(["early", "late", "late, cut"], REASON)
    pd.testing.assert_frame_equal(found[2].table, found[1].table, check_exact=True)
    for path in (tmp_path / "1" / "runs").glob("*.trec"):
        assert path.read_bytes() == (tmp_path / "2" / "runs" / path.name).read_bytes()
    assert {path.name for path in (tmp_path / "1").rglob("*")} == {path.name for path in (tmp_path / "2").rglob("*")}


def test_figures_are_those_without_the_absent_systems() -> None:
    alone = run(
        {**DEFINITION, "systems": {"약함": "weak", "S": "strong"}},
        collection=FakeCollection(),  # type: ignore[arg-type]
        latency_queries=0,
    )
    found = run({**DEFINITION, "systems": SYSTEMS}, collection=Without(), latency_queries=0)  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(found.table, alone.table)


def test_what_was_complete_is_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    whole = Lists.transform

    def transform(self: Lists, inp: pd.DataFrame) -> pd.DataFrame:
        asked.append(self.name)
        return whole(self, inp)

    monkeypatch.setattr(Lists, "transform", transform)
    run({**DEFINITION, "systems": SYSTEMS}, collection=Without(), latency_queries=0)  # type: ignore[arg-type]
    assert sorted(asked) == ["strong", "weak"]


def test_rows_table_and_report_show_the_reason() -> None:
    found = result()
    rows = found.scores.rows
    assert [row.name for row in rows] == [*SYSTEMS, "Paper"]
    late = rows[2]
    assert late.absent == REASON and {cell.text for cell in late.cells} == {"–"} and not late.published
    stream = io.StringIO()
    print_result(found, Console(file=stream, width=100))
    assert "not run: early; late; late, cut: There is no model 'org/<name>' here" in stream.getvalue()
    page = page_of(found)
    assert "Not run: <b>early; late; late, cut</b>. There is no model &#39;org/&lt;name&gt;&#39; here" in page
    assert "2 systems, 3 not run" in page and page.count('<span class="tag">not run</span>') == 3
    assert "nan" not in page.lower()


def test_an_absent_baseline_tests_nothing() -> None:
    found = result(baseline="late")
    assert found.baseline is None and found.definition.baseline == "late"
    assert "R@2 p-value" not in found.table
    assert headline(found.scores, 4) == "S has the highest R@2: 87.50."
    assert found.scores.leader == "S"
    assert "late" in found.untested and found.untested[1:] in html.unescape(page_of(found))
    assert not result(baseline="S").untested


def test_only_the_systems_with_a_model_are_compared(tmp_path: Path) -> None:
    path = write_expected(result(), tmp_path / "expected.tsv")
    assert {line.split("\t")[0] for line in path.read_text(encoding="utf-8").splitlines()[3:]} == {"약함", "S"}
    assert compare(result(), path).ok
    path.write_text(path.read_text(encoding="utf-8") + "late\tR@2\t0.5\n", encoding="utf-8")
    assert [cell.status for cell in compare(result(), path).cells if cell.status != "same"] == ["missing"]


def test_a_sweep_without_some_of_its_systems_is_drawn_from_the_rest() -> None:
    sweep = {"name": "X", "parameter": "p", "values": ["weak", "absent_late", "strong"], "expression": "{p}"}
    names = {"'weak'": "weak", "'absent_late'": "absent_late", "'strong'": "strong"}

    class Swept(Without):
        def pipeline(self, expression: str) -> pt.Transformer:
            return super().pipeline(names.get(expression, expression))

    definition = {**DEFINITION, "systems": {"약함": "weak"}, "sweeps": [sweep]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("legalir.pipeline.canonical", lambda text: text)
        found = run(definition, collection=Swept())  # type: ignore[arg-type]
        curve = curves(found.scores, found.definition.sweeps[0])[0]
        assert [point.label for point in curve.points] == ["weak", "strong"]
        page_of(found)
        only = {**sweep, "values": ["absent_late"]}
        nothing = run({**definition, "sweeps": [only]}, collection=Swept())  # type: ignore[arg-type]
        assert curves(nothing.scores, nothing.definition.sweeps[0]) == []
        assert "<h2>X</h2>" not in page_of(nothing)


@pytest.mark.parametrize("name", ["early", "late"])
def test_no_model_at_all_is_an_error(name: str) -> None:
    with pytest.raises(ModelError) as caught:
        result(systems={name: SYSTEMS[name]}, baseline=None)
    assert str(caught.value) == f"No system can be run. The system {name!r}: {REASON}"


@pytest.mark.neural
def test_a_real_expression_without_its_model(caplog: pytest.LogCaptureFixture) -> None:
    systems = {"BM25": "bm25", "A": 'dense("./no-such-model")', "B": 'dense("./no-such-model") % 5 >> sar'}
    found = run({"dataset": "legalir/firecode/dev", "measures": ["R@10"], "systems": systems}, latency_queries=0)
    assert list(found.runs) == ["BM25"] and list(found.absent) == ["A", "B"]
    assert "no-such-model" in found.absent["A"] and found.absent["A"] == found.absent["B"]
    # Told when it is found out, and once.
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["Left out A"]


def test_a_real_expression_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    systems = {"BM25": "bm25", "A": 'dense("organisation/model")'}
    found = run({"dataset": "legalir/firecode/dev", "measures": ["R@10"], "systems": systems}, latency_queries=0)
    assert list(found.runs) == ["BM25"]
    assert found.absent["A"].endswith("pip install 'legalir[dense]'")
