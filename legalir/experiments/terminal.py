"""Tables on the terminal, within its width."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from legalir.experiments.html import percent
from legalir.experiments.result import Comparison, ExperimentResult, ExperimentResults
from legalir.experiments.rows import ScoreTable, SystemRow, direction, p_text

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
    counted = f"{len(result.context.queries)} queries{escape(result.scope)}, depth {definition.depth}"
    console.print(f"{escape(result.dataset_name)}, {counted}", style="dim", highlight=False)
    if values := definition.shown().values:
        line = ", ".join(f"{name}={value}" for name, value in values.items())
        console.print(escape(line), style="dim", highlight=False)
    names, parts = _layout(scores, console.width)
    for part in parts:
        console.print(_table(scores, part, names))
    if definition.safety:
        console.print(_safety(result.safety))
    legend = "; ".join(filter(None, [_legend(scores), result.chunk_rule]))
    console.print(legend, style="dim", highlight=False)
    for remark, systems in result.remarks.items():
        console.print(escape(f"{'; '.join(systems)}: {remark}"), style="dim", highlight=False)
    for reason, systems in scores.reasons().items():
        console.print(f"[yellow]not run:[/yellow] {escape('; '.join(systems))}: {escape(reason)}", highlight=False)
    if result.untested:
        console.print(f"[yellow]{escape(result.untested)}[/yellow]", highlight=False)
    if result.by is not None:
        print_groups(result.by, console)
    for measure, reason in result.unmeasured.items():
        console.print(f"[yellow]no figure:[/yellow] {escape(measure)}: {escape(reason)}", highlight=False)


def _safety(rates: pd.DataFrame) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, PADDING - 1, 0, 0), header_style="bold")
    table.add_column("from zero-shot to full", overflow="fold", max_width=NAME_WIDTH)
    for heading in ("items", "correction", "introduced\nerror"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, n, corrected, introduced, fault in rates.itertuples(index=False):
        cells = (f"{name}: {fault}",) if fault else (name, str(n), percent(corrected), percent(introduced))
        table.add_row(*map(Text, cells))
    return table


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
        clustered = f", clustered by {definition.cluster}" if definition.cluster else ""
        test = f"{definition.test}-test{clustered}{correction}"
        parts.append(f"▲▼ against {scores.baseline} ({test}, {definition.alpha:g})")
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


def print_groups(results: ExperimentResults, console: Console) -> None:
    """Print a table of groups of questions and systems for each measure; what has no figures is left out."""
    fitting = max(1, (console.width - NAME_WIDTH) // (SCORE_WIDTH + 2 * PADDING))
    for measure in results.definition.measures:
        rows = [row for row in results.rows(measure) if any(cell.measured for cell in row.cells)]
        for start in range(0, len(rows), fitting):
            part = rows[start : start + fitting]
            table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, PADDING - 1, 0, 0), header_style="bold")
            table.add_column(escape(f"{measure} by {results.definition.by}"), overflow="fold", max_width=NAME_WIDTH)
            for row in part:
                table.add_column(_name(row), justify="right", overflow="fold", min_width=SCORE_WIDTH + 1)
            for place, group in enumerate([*results.results, "mean"]):
                if any(row.cells[place].measured for row in part):
                    table.add_row(Text(group), *(_cell(row, place) for row in part))
            console.print(table)
    console.print(escape(results.legend()), style="dim", highlight=False)


def print_difference(table: pd.DataFrame, legend: str, console: Console) -> None:
    """Print the comparison of two results, as :meth:`ExperimentResult.compare` returns it."""
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
