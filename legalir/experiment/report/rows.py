"""The table as people see it, on the terminal and in the report: what is best, and what is significant."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from legalir.experiment.definition.definition import Definition
from legalir.experiment.report.result import ExperimentResult

__all__ = ["Cell", "Row", "counted", "format_score", "is_fraction", "leader", "p_text", "reasons", "table_rows"]


@dataclass(frozen=True)
class Cell:
    """One figure.

    Attributes:
        value: as in the table, NaN where there is none.
        text: as shown: fractions as percent with two decimals.
        best: whether no other system has more.
        mark: ``▲`` or ``▼`` where it differs significantly from the baseline, else empty.
        low, high: the 95 % confidence interval, NaN where there is none.
        explanation: the comparison with the baseline in words, empty where there is none.
    """

    value: float
    text: str
    best: bool = False
    mark: str = ""
    low: float = math.nan
    high: float = math.nan
    explanation: str = ""


@dataclass(frozen=True)
class Row:
    """One system, or a reference row (`source` is then where its figures come from).

    Of a system without a run, `absent` says why there is none, and its cells are empty.
    """

    name: str
    cells: tuple[Cell, ...]
    baseline: bool = False
    reference: bool = False
    source: str = ""
    median: float = math.nan
    p95: float = math.nan
    absent: str = ""


def is_fraction(result: ExperimentResult, measure: str) -> bool:
    """Return whether all figures of a measure lie in [0, 1]; they are shown as percent then."""
    return bool(result.table[measure].between(0, 1).all())


def format_score(value: float, fraction: bool) -> str:
    """Return a score or a difference as text: percent with two decimals or a plain number; a dash for NaN."""
    if math.isnan(value):
        return "–"
    text = f"{value * 100:.2f}" if fraction else f"{value:.4g}"
    return text.replace("-", "−")


def p_text(p: float) -> str:
    """Return a p-value as it is usually written."""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def counted(won: int, lost: int) -> str:
    """Return how many queries are better and worse, in words."""
    return f"{won} {'query' if won == 1 else 'queries'} better, {lost} worse"


def leader(result: ExperimentResult) -> str | None:
    """Return the best system by the first measure, the baseline apart; None where there is no other."""
    others = result.table[result.table["name"] != result.baseline]
    if others.empty:
        return None
    return str(others["name"].iloc[int(others[result.definition.measures[0]].to_numpy().argmax())])


def reasons(result: ExperimentResult) -> dict[str, list[str]]:
    """Return why systems were not run, and which, in the order of the definition."""
    found: dict[str, list[str]] = {}
    for name, reason in result.absent.items():
        found.setdefault(reason, []).append(name)
    return found


def table_rows(result: ExperimentResult) -> list[Row]:
    """Return a row for each system in the order of the definition, then the reference rows."""
    definition, table = result.definition, result.table
    fractions = {measure: is_fraction(result, measure) for measure in definition.measures}
    ran = {str(row["name"]): _system_row(row, table, definition, fractions) for _, row in table.iterrows()}
    nothing = tuple(Cell(math.nan, format_score(math.nan, True)) for _ in definition.measures)
    absent = {name: Row(name, nothing, absent=reason) for name, reason in result.absent.items()}
    rows = [(ran | absent)[name] for name in definition.systems]
    for reference in definition.references:
        values = [reference.scores.get(measure, math.nan) for measure in definition.measures]
        cells = tuple(Cell(value, format_score(value, True)) for value in values)
        rows.append(Row(reference.name, cells, reference=True, source=reference.source))
    return rows


def _system_row(row: pd.Series, table: pd.DataFrame, definition: Definition, fractions: Mapping[str, bool]) -> Row:
    cells = []
    for measure in definition.measures:
        value = float(row[measure])
        best = len(table) > 1 and math.isclose(value, table[measure].max(), abs_tol=1e-12)
        base = _baseline_value(table, definition, measure)
        significant = base is not None and bool(row.get(f"{measure} reject", False))
        mark = "" if not significant or base is None else "▲" if value > base else "▼"
        cells.append(
            Cell(
                value,
                format_score(value, fractions[measure]),
                best,
                mark,
                float(row[f"{measure} low"]),
                float(row[f"{measure} high"]),
                _explanation(row, measure, definition, base, fractions[measure]),
            )
        )
    return Row(
        name=str(row["name"]),
        cells=tuple(cells),
        baseline=row["name"] == definition.baseline,
        median=float(row["ms median"]),
        p95=float(row["ms p95"]),
    )


def _baseline_value(table: pd.DataFrame, definition: Definition, measure: str) -> float | None:
    values: Sequence[float] = table.loc[table["name"] == definition.baseline, measure].tolist()
    return values[0] if values else None


def _explanation(row: pd.Series, measure: str, definition: Definition, base: float | None, fraction: bool) -> str:
    if base is None or row["name"] == definition.baseline or f"{measure} p-value" not in row:
        return ""
    difference = float(row[measure]) - base
    size = ("+" if difference > 0 else "") + format_score(difference, fraction)
    p = p_text(float(row[f"{measure} p-value corrected"]))
    corrected = f" after {definition.correction.capitalize()} correction" if definition.correction else ""
    won, lost = int(row[f"{measure} +"]), int(row[f"{measure} -"])
    return f"{size} against {definition.baseline}, {p}{corrected}; {counted(won, lost)}"
