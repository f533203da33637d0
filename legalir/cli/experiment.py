"""``legalir experiment``: run an experiment from a file, and compare its scores with expected ones."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from legalir.cli.printing import AsJson, print_json
from legalir.errors import MissingExtra
from legalir.llm.options import model_options

if TYPE_CHECKING:
    import pandas as pd

    from legalir.experiments.result import Comparison, ExperimentResult, ExperimentResults
    from legalir.experiments.rows import ScoreTable, SystemRow
    from legalir.llm.client import Client


app = typer.Typer(help="Run systems side by side, and compare their scores with expected ones.", no_args_is_help=True)


@app.command(
    epilog="Examples:\n\n"
    "  legalir experiment run experiments/quickstart.yaml\n\n"
    "  legalir experiment run experiments/quickstart.yaml --dataset legalir/firecode/test --out results/test\n\n"
    "  legalir experiment run experiments/neural/sfs-a-table4.yaml --set bge_m3=models/bge-m3"
)
@model_options
def run(
    file: Annotated[Path, typer.Argument(help="YAML file of the experiment.", show_default=False)],
    dataset: Annotated[str | None, typer.Option(help="Run on this dataset instead of the one in the file.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Directory for the result.", show_default="results/<name of the file>")
    ] = None,
    report: Annotated[
        bool | None,
        typer.Option("--report/--no-report", help="Write report.html.", show_default="where Jinja2 is installed"),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Replace a value in the file (repeatable)."),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            min=1,
            help="Number of processes that run systems. Shared steps may run more than once; systems that ask a "
            "language model run in one process.",
        ),
    ] = 1,
    *,
    client: Client,
    as_json: AsJson = False,
) -> None:
    """Run the systems of an experiment file, print their scores, and store everything in one directory.

    Runs that have not changed since the last time are reused. The exit code is 1 if the baseline could not be run, so
    that there are no significance tests.
    """
    from legalir.experiments.definition import load_definition
    from legalir.experiments.experiment import run_all
    from legalir.experiments.result import ExperimentResults

    has_jinja = importlib.util.find_spec("jinja2") is not None
    if report and not has_jinja:
        raise MissingExtra("A report needs the package 'jinja2', which is not installed: pip install 'legalir[report]'")
    definition = load_definition(file).with_values(_values(settings or []))
    if dataset is not None:
        definition = definition.replace(dataset=dataset, datasets=())
    out = out if out is not None else Path("results") / file.stem
    reports = has_jinja if report is None else report
    outputs, results = [], []
    for folder, result in run_all(definition, out, client, jobs=jobs):
        results.append(result)
        page = result.report(folder / "report.html") if reports else None
        if as_json:
            outputs.append(_result_json(result, folder, page))
        else:
            _print_result(result, folder, page, asked=report is not False)
    if len(results) > 1:
        several = ExperimentResults(definition, results)
        several.save(out)
        page = several.report(out / "report.html") if reports else None
        if not as_json:
            _print_results(several, out, page)
    if as_json:
        print_json({"results": outputs, "means": _records(several.table)} if len(outputs) > 1 else outputs[0])
    if any(result.untested for result in results):
        raise typer.Exit(1)


def _print_results(results: ExperimentResults, folder: Path, page: Path | None) -> None:
    print_results(results, open_console())
    typer.echo(f"Results: {folder}")
    if page is not None:
        typer.echo(f"Report: {page}")


def _values(settings: list[str]) -> dict[str, str]:
    """Return the values of ``--set NAME=VALUE``; if a name is repeated, the last value counts."""
    values = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(
                f"must be NAME=VALUE such as bge_m3=models/bge-m3, got {setting!r}.", param_hint="--set"
            )
        values[name.strip()] = value
    return values


def _print_result(result: ExperimentResult, folder: Path, page: Path | None, *, asked: bool) -> None:
    console = open_console()
    print_result(result, console)
    if result.reused:
        total = len(result.system_runs)
        console.print(f"{len(result.reused)} of {total} runs were unchanged and reused.", highlight=False)
    # Printed without wrapping, so that a path can be copied or clicked.
    typer.echo(f"Result: {folder}")
    if page is not None:
        typer.echo(f"Report: {page}")
    elif asked:
        typer.echo("No report, because Jinja2 is not installed: pip install 'legalir[report]'")


def _records(table: pd.DataFrame) -> list[dict[str, object]]:
    """Return the rows of a table as JSON values."""
    rows: list[dict[str, object]] = json.loads(table.to_json(orient="records", double_precision=15))
    return rows


def _result_json(result: ExperimentResult, folder: Path, page: Path | None) -> dict[str, object]:
    return {
        "title": result.definition.title,
        "dataset": result.definition.dataset,
        "baseline": result.baseline,
        "untested": result.untested,
        "unmeasured": result.unmeasured,
        "values": dict(result.definition.values),
        "systems": _records(result.table),
        "absent": result.absent,
        "reused": result.reused,
        "out": str(folder),
        "report": None if page is None else str(page),
    }


@app.command(
    epilog="Examples:\n\n"
    "  legalir experiment compare results/quickstart experiments/quickstart.expected.tsv\n\n"
    "  legalir experiment compare results/quickstart expected.tsv --tolerance 0.005\n\n"
    "  legalir experiment compare results/quickstart expected.tsv --write\n\n"
    "  legalir experiment compare results/new results/old\n\n"
    "  legalir experiment compare results/new results/old --system default --against BM25"
)
def compare(
    result: Annotated[Path, typer.Argument(help="Directory of a result.", show_default=False)],
    expected: Annotated[
        Path, typer.Argument(help="TSV file of expected scores, or directory of another result.", show_default=False)
    ],
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="Largest difference that is accepted, in score units.",
            min=0,
            show_default="the file's, else 0.0005",
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the result's scores to EXPECTED instead of comparing.")
    ] = False,
    system: Annotated[
        str | None,
        typer.Option(help="Compare only this system (with another result).", show_default="all of one name"),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="System of the other result to compare with.", show_default="of the same name")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare a result with expected scores, cell by cell, or with another result, by a paired test.

    With expected scores the exit code is 1 when any differs.
    """
    from legalir.experiments.result import ExperimentResult, write_expected
    from legalir.experiments.result import compare as compare_scores

    if expected.is_dir():
        if write or tolerance is not None:
            raise typer.BadParameter(f"goes with expected scores, and {expected} is a result.", param_hint="--write")
        _compare_results(result, expected, system, against, as_json)
        return
    if system is not None or against is not None:
        raise typer.BadParameter(f"goes with another result, and {expected} is no directory.", param_hint="--system")
    loaded = ExperimentResult.load(result)
    if write:
        typer.echo(f"Written: {write_expected(loaded, expected)}")
        return
    comparison = compare_scores(loaded, expected, tolerance)
    if as_json:
        print_json(_comparison_json(comparison))
    else:
        print_comparison(comparison, open_console())
    if not comparison.ok:
        raise typer.Exit(1)


def _compare_results(first: Path, second: Path, system: str | None, against: str | None, as_json: bool) -> None:
    """Print the comparison of two results with a paired test."""
    from legalir.experiments.result import ExperimentResult

    here, there = ExperimentResult.load(first), ExperimentResult.load(second)
    table = here.compare(there, system, against)
    if as_json:
        print_json(_records(table))
        return
    definition = here.definition
    correction = f", {definition.correction} over the systems" if definition.correction else ""
    typer.echo(f"here: {first}, depth {definition.depth}\nthere: {second}, depth {there.definition.depth}")
    legend = (
        f"▲▼: {definition.test}-test{correction}, {definition.alpha:g}; 95 %: interval of the difference; "
        f"+ -: questions with a greater and a lesser value here, of {len(here.context.queries)}"
    )
    print_difference(table, legend, open_console())


def _comparison_json(comparison: Comparison) -> dict[str, object]:
    return {
        "ok": comparison.ok,
        "tolerance": comparison.tolerance,
        "counts": dict(comparison.counts),
        "cells": [vars(cell) for cell in comparison.cells],
    }


NAME_WIDTH, NARROW_NAME = 30, 20
"""Longer system names are folded: at the first width, or at the second where one table then holds everything."""

SCORE_WIDTH, TIME_WIDTH, PADDING = 7, 5, 2
"""Widths of columns, and of the space between them."""


def open_console() -> Console:
    """Return a console on standard output: as wide as the terminal, or 100 columns wide without a terminal."""
    return Console(width=None if sys.stdout.isatty() else 100)


def print_result(result: ExperimentResult, console: Console) -> None:
    """Print the table of a result; where it is too wide for the console, further measures follow below."""
    definition, scores = result.definition, result.scores
    console.print(f"[bold]{escape(definition.title)}[/bold]", highlight=False)
    counted = f"{len(result.context.queries)} queries, depth {definition.depth}"
    console.print(f"{escape(result.dataset_name)}, {counted}", style="dim", highlight=False)
    if values := definition.shown().values:
        line = ", ".join(f"{name}={value}" for name, value in values.items())
        console.print(escape(line), style="dim", highlight=False)
    names, parts = _layout(scores, console.width)
    for part in parts:
        console.print(_table(scores, part, names))
    legend = "; ".join(filter(None, [_legend(scores), result.chunk_rule]))
    console.print(legend, style="dim", highlight=False)
    for remark, systems in result.remarks.items():
        console.print(escape(f"{'; '.join(systems)}: {remark}"), style="dim", highlight=False)
    for reason, systems in scores.reasons().items():
        console.print(f"[yellow]not run:[/yellow] {escape('; '.join(systems))}: {escape(reason)}", highlight=False)
    if result.untested:
        console.print(f"[yellow]{escape(result.untested)}[/yellow]", highlight=False)
    for measure, reason in result.unmeasured.items():
        console.print(f"[yellow]no figure:[/yellow] {escape(measure)}: {escape(reason)}", highlight=False)


def _heading(measure: str) -> str:
    """Break a long name at its humps and before its cutoff: ``Multi``, ``HitRate``, ``@10``."""
    name, at, cutoff = measure.partition("@")
    if len(measure) <= SCORE_WIDTH + 1:
        return measure
    lines = [""]
    for hump in re.findall(r"[A-Z]*[^A-Z]*", name):
        if len(lines[-1] + hump) > SCORE_WIDTH:
            lines.append("")
        lines[-1] += hump
    return "\n".join([*filter(None, lines), at + cutoff] if at else filter(None, lines))


def _width(heading: str) -> int:
    return max(SCORE_WIDTH, *(len(line) for line in heading.split("\n")))


@dataclass(frozen=True)
class _Column:
    """A column of the table: its heading, and the text of each row."""

    heading: str
    text: Callable[[SystemRow], Text]

    @property
    def width(self) -> int:
        return _width(self.heading)


def _columns(scores: ScoreTable) -> list[list[_Column]]:
    """Return the columns of each group of measures; counts of answers come after the last."""
    measures = scores.definition.measures
    groups = [
        [_Column(_heading(measures[place]), partial(_cell, place=place)) for place in group.places]
        for group in scores.groups
    ]
    if scores.answering:
        counts = [("failed", "failed"), ("abstained", "abstained")]
        if any(row.tokens_in not in ("", "0") for row in scores.rows):
            counts += [("tokens\nin", "tokens_in"), ("tokens\nout", "tokens_out")]
        groups[-1] += [_Column(heading, partial(_count, name=name)) for heading, name in counts]
    return groups


def _layout(scores: ScoreTable, width: int) -> tuple[int, list[list[_Column]]]:
    """Return the width of the names, and the columns of each table: one a group, if names may be that narrow."""
    room = width - PADDING - (2 * (TIME_WIDTH + PADDING) if scores.timed else 0) - 1
    longest = max(len("system"), *(cell_len(row.label) for row in scores.rows))
    groups = _columns(scores)
    widest = max(sum(column.width + PADDING for column in group) for group in groups)
    if room - widest >= min(longest, NARROW_NAME):
        return min(longest, room - widest), groups
    names = min(longest, NAME_WIDTH)
    parts: list[list[_Column]] = []
    for group in groups:
        parts.append([])
        for column in group:
            used = sum(other.width + PADDING for other in parts[-1])
            if parts[-1] and used + column.width + PADDING > room - names:
                parts.append([])
            parts[-1].append(column)
    return names, parts


def _table(scores: ScoreTable, columns: Sequence[_Column], names: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, PADDING - 1, 0, 0), header_style="bold")
    table.add_column("system", overflow="fold", max_width=names)
    for column in columns:
        table.add_column(Text(column.heading, justify="right"), justify="right", no_wrap=True, min_width=column.width)
    for heading in ("ms", "p95") if scores.timed else ():
        table.add_column(heading, justify="right", no_wrap=True, min_width=TIME_WIDTH, style="dim")
    published_begin = False
    for row in _rows(scores, columns):
        if row.published and not published_begin:
            table.add_section()
            published_begin = True
        cells = [column.text(row) for column in columns]
        times = [_time(row.median), _time(row.p95)] if scores.timed else []
        table.add_row(_name(row), *cells, *times, style="dim" if row.published else None)
    return table


def _rows(scores: ScoreTable, columns: Sequence[_Column]) -> list[SystemRow]:
    """Return the rows that have something in a table; where there are two kinds of measures, a dash is nothing."""
    nothing = " " if len(scores.groups) == 1 else " –"
    return [row for row in scores.rows if any(column.text(row).plain.strip(nothing) for column in columns)]


def _name(row: SystemRow) -> Text:
    return Text(row.label, style="italic" if row.published else "underline" if row.baseline else "")


def _cell(row: SystemRow, place: int) -> Text:
    cell = row.cells[place]
    text = Text(cell.text, style="bold green" if cell.best else "")
    # The mark's column is kept even without a mark, so that the digits are aligned.
    return text.append(cell.mark or " ", style={"▲": "green", "▼": "red"}.get(cell.mark, ""))


def _count(row: SystemRow, name: str) -> Text:
    number = str(getattr(row, name))
    return Text(f"{number} ", style="yellow" if name == "failed" and number not in ("", "0") else "")


def _time(milliseconds: float) -> str:
    if math.isnan(milliseconds):
        return ""
    return f"{milliseconds:.1f}" if milliseconds < 100 else f"{milliseconds:.0f}"


def _legend(scores: ScoreTable) -> str:
    definition = scores.definition
    parts = ["bold: best"]
    if scores.compared:
        correction = f", {definition.correction}" if definition.correction else ""
        parts.append(f"▲▼ against {scores.baseline} ({definition.test}-test{correction}, {definition.alpha:g})")
    if any(row.published for row in scores.rows):
        parts.append("dim: published elsewhere")
    if scores.answering:
        parts.append("failed: replies of the model")
    if scores.answering and scores.groups[0].heading:
        parts.append("the ranking of an answer: the provisions it was made from")
    if scores.timed:
        parts.append("ms: one query, median and 95 %")
    return "; ".join(parts)


def print_results(results: ExperimentResults, console: Console) -> None:
    """Print a table of systems and datasets for each measure, with the mean."""
    headings = [*(name.removeprefix("legalir/") for name in results.results), "mean"]
    for measure in results.definition.measures:
        rows = results.rows(measure)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, PADDING - 1, 0, 0), header_style="bold")
        table.add_column(escape(measure), overflow="fold", max_width=NAME_WIDTH)
        for heading in headings:
            table.add_column(Text(heading, justify="right"), justify="right", overflow="fold", min_width=SCORE_WIDTH)
        if any(row.won for row in rows):
            table.add_column("won : lost", justify="right", no_wrap=True)
        for row in rows:
            cells = [_cell(row, place) for place in range(len(row.cells))]
            table.add_row(_name(row), *cells, *([row.won] if row.won else []))
        console.print(table)
    console.print(escape(results.legend()), style="dim", highlight=False)


def print_difference(table: pd.DataFrame, legend: str, console: Console) -> None:
    """Print the comparison of two results, as :meth:`ExperimentResult.compare` returns it."""
    from legalir.experiments.rows import direction, p_text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in ("system", "against", "measure"):
        shown.add_column(heading, overflow="fold")
    for heading in ("here", "there", "difference", "95 %", "+", "-", "p"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for row in table.to_dict(orient="records"):
        better = row["difference"] * direction(row["measure"])
        mark = ("▲" if better > 0 else "▼") if row["reject"] and better else " "
        figures = [f"{row['here']:.4f}", f"{row['there']:.4f}", f"{row['difference']:+.4f}{mark}"]
        figures.append(f"{row['low']:+.4f} … {row['high']:+.4f}")
        counts = [f"{row['+']}", f"{row['-']}", p_text(row["p-value corrected"]).removeprefix("p ").removeprefix("= ")]
        shown.add_row(*map(Text, (row["name"], row["against"], row["measure"], *figures, *counts)))
    console.print(shown)
    console.print(escape(legend), style="dim", highlight=False)


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the cells that differ, and the number of those that are the same."""
    styles = {"better": "green", "worse": "red", "missing": "yellow", "extra": "yellow"}
    differing = [cell for cell in comparison.cells if cell.status != "same"]
    if differing:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        table.add_column("system", overflow="fold")
        table.add_column("measure", no_wrap=True)
        for heading in ("expected", "now", "difference"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
        for cell in differing:
            figures = [_figure(cell.expected), _figure(cell.actual), _figure(cell.difference, "+")]
            table.add_row(cell.system, cell.measure, *figures, cell.status, style=styles[cell.status])
        console.print(table)
    counts = comparison.counts
    words = ", ".join(f"{counts[name]} {name}" for name in ("same", *styles) if counts[name])
    console.print(f"{words} (tolerance {comparison.tolerance:g})", highlight=False)


def _figure(value: float | None, sign: str = "") -> str:
    return "–" if value is None else f"{value:{sign}.4f}"
