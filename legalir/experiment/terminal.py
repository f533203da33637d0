"""Tables on the terminal, within the width there is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from legalir.experiment.compare import Comparison
from legalir.experiment.result import ExperimentResult
from legalir.experiment.rows import Row, table_rows

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

__all__ = ["print_comparison", "print_result"]

NAME_WIDTH = 30
"""Longer system names are folded."""

PADDING = 2


def print_result(result: ExperimentResult, console: Console) -> None:
    """Print the table of a result; one that is too wide for the console goes on below with more measures."""
    from rich.markup import escape

    definition = result.definition
    rows = table_rows(result)
    console.print(f"[bold]{escape(definition.title)}[/bold]", highlight=False)
    counted = f"{len(result.context.queries)} queries, depth {definition.depth}"
    console.print(f"{escape(result.dataset_name)}, {counted}", style="dim", highlight=False)
    for part in _parts(result, rows, console.width):
        console.print(_table(result, rows, part))
    if legend := _legend(result, rows):
        console.print(legend, style="dim", highlight=False)


def _heading(measure: str) -> str:
    name, at, cutoff = measure.partition("@")
    return measure if len(measure) <= 8 or not at else f"{name}\n@{cutoff}"


def _width(heading: str) -> int:
    return max(7, *(len(line) for line in heading.split("\n")))


def _parts(result: ExperimentResult, rows: Sequence[Row], width: int) -> list[list[int]]:
    name_width = min(NAME_WIDTH, max(len("system"), *(_cells(row.name) for row in rows)))
    room = width - name_width - PADDING - 2 * (7 + PADDING)  # the two columns of latency
    parts: list[list[int]] = [[]]
    used = 0
    for place, measure in enumerate(result.definition.measures):
        wanted = _width(_heading(measure)) + PADDING
        if parts[-1] and used + wanted > room:
            parts.append([])
            used = 0
        parts[-1].append(place)
        used += wanted
    return parts


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _table(result: ExperimentResult, rows: Sequence[Row], places: Sequence[int]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, PADDING, 0, 0), header_style="bold")
    table.add_column("system", overflow="fold", max_width=NAME_WIDTH)
    for place in places:
        heading = _heading(result.definition.measures[place])
        table.add_column(
            Text(heading, justify="right"), justify="right", no_wrap=True, min_width=_width(heading)
        )
    timed = any(not math.isnan(row.median) for row in rows)
    for heading in ("ms", "p95") if timed else ():
        table.add_column(heading, justify="right", no_wrap=True, min_width=5, style="dim")
    references_begin = False
    for row in rows:
        if row.reference and not references_begin:
            table.add_section()
            references_begin = True
        cells = [_cell(row, place) for place in places]
        times = [_time(row.median), _time(row.p95)] if timed else []
        table.add_row(_name(row), *cells, *times, style="dim" if row.reference else None)
    return table


def _name(row: Row) -> Text:
    from rich.text import Text

    return Text(row.name, style="italic" if row.reference else "underline" if row.baseline else "")


def _cell(row: Row, place: int) -> Text:
    from rich.text import Text

    cell = row.cells[place]
    text = Text(cell.text, style="bold green" if cell.best else "")
    # The mark's column is kept where there is none, so that the digits stand below each other.
    return text.append(cell.mark or " ", style={"▲": "green", "▼": "red"}.get(cell.mark, ""))


def _time(milliseconds: float) -> str:
    if math.isnan(milliseconds):
        return ""
    return f"{milliseconds:.1f}" if milliseconds < 100 else f"{milliseconds:.0f}"


def _legend(result: ExperimentResult, rows: Sequence[Row]) -> str:
    definition = result.definition
    parts = ["bold: best"]
    if definition.baseline is not None and len(result.table) > 1:
        correction = f", {definition.correction}" if definition.correction else ""
        parts.append(
            f"▲▼ against {definition.baseline} ({definition.test}-test{correction}, {definition.alpha:g})"
        )
    if any(row.reference for row in rows):
        parts.append("dim: published elsewhere")
    if any(not math.isnan(row.median) for row in rows):
        parts.append("ms: one query, median and 95 %")
    return "; ".join(parts)


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the cells that differ, and how many are the same."""
    from rich import box
    from rich.table import Table

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
