"""Rows of the table on the terminal and in the report, with marks for the best and for significant differences."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from legalir.experiment.definition.definition import Definition

NAN = math.nan


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
    low: float = NAN
    high: float = NAN
    explanation: str = ""


@dataclass(frozen=True)
class Row:
    """A row: a system, or figures from elsewhere.

    Attributes:
        name: name of the system or of the reference.
        cells: one for each measure; those of a system without ranked lists are empty.
        baseline: whether this is the baseline.
        answers: whether the run of the system holds answers, which have no ranking measures.
        absent: why the system has no run; empty where it has one.
        reference: whether the figures are from elsewhere; `source` says where from.
        source: of a reference.
        median, p95: time of one query in milliseconds, NaN where it was not measured.
    """

    name: str
    cells: tuple[Cell, ...]
    baseline: bool = False
    answers: bool = False
    absent: str = ""
    reference: bool = False
    source: str = ""
    median: float = NAN
    p95: float = NAN

    @property
    def ranked(self) -> bool:
        """Whether this is a system with ranked lists, which has a figure for each measure."""
        return not (self.answers or self.absent or self.reference)


class ScoreTable:
    """The scores of an experiment, ready to be shown.

    Args:
        definition: what was asked.
        table: the scores of the systems that ran, see :func:`legalir.experiment.runs.scores.score_table`.
        absent: the reason for each system without a run.

    Attributes:
        ranked: the rows of `table` of systems with ranked lists.
        baseline: the system that the others are tested against, None where there is none or it has no ranked lists.
        leader: the best system by the first measure, the baseline apart; None where there is no other.
        compared: whether systems were tested against the baseline.
        rows: a row for each system in the order of the definition, then those of the references.
        timed: whether response times were measured.
    """

    def __init__(self, definition: Definition, table: pd.DataFrame, absent: Mapping[str, str]) -> None:
        self.definition, self.table, self.absent = definition, table, absent
        first = definition.measures[0]
        self.ranked = table[table[first].notna()]
        self._scores = {str(row["name"]): row for row in table.to_dict(orient="records")}
        names = self.ranked["name"].tolist()
        self.baseline = definition.baseline if definition.baseline in names else None
        self.compared = self.baseline is not None and len(names) > 1
        others = self.ranked[self.ranked["name"] != self.baseline]
        self.leader = None if others.empty else str(others["name"].iloc[int(others[first].to_numpy().argmax())])
        self._fraction = {name: bool(self.ranked[name].between(0, 1).all()) for name in definition.measures}
        self.rows = self._rows()
        self.timed = any(not math.isnan(row.median) for row in self.rows)

    def unit(self, measure: str) -> int:
        """Return 100 where all figures of a measure lie in [0, 1], which are shown as percent; else 1."""
        return 100 if self._fraction[measure] else 1

    def text(self, value: float, measure: str) -> str:
        """Return a score or a difference of a measure as text."""
        return format_score(value, self._fraction[measure])

    def reasons(self) -> dict[str, list[str]]:
        """Return each reason why systems were not run, with these systems, in the order of the definition."""
        systems: dict[str, list[str]] = {}
        for name, reason in self.absent.items():
            systems.setdefault(reason, []).append(name)
        return systems

    def comparison(self, system: str, measure: str) -> tuple[float, int, int, str]:
        """Return the score of the baseline, the queries won and lost against it, and the p-value in words."""
        row, correction = self._scores[system], self.definition.correction
        base = float(self._scores[str(self.baseline)][measure])
        p = p_text(float(row[f"{measure} p-value corrected"]))
        words = f"{p} after {correction.capitalize()} correction" if correction else p
        return base, int(row[f"{measure} +"]), int(row[f"{measure} -"]), words

    def _rows(self) -> list[Row]:
        definition = self.definition
        nothing = tuple(Cell(NAN, format_score(NAN, True)) for _ in definition.measures)
        ranked = set(self.ranked["name"])
        rows = []
        for name in definition.systems:
            if name in self.absent:
                rows.append(Row(name, nothing, absent=self.absent[name]))
                continue
            row, has_ranks = self._scores[name], name in ranked
            cells = tuple(self._cell(row, measure) for measure in definition.measures) if has_ranks else nothing
            median, p95 = float(row["ms median"]), float(row["ms p95"])
            rows.append(Row(name, cells, name == self.baseline, not has_ranks, median=median, p95=p95))
        for reference in definition.references:
            values = [reference.scores.get(measure, NAN) for measure in definition.measures]
            cells = tuple(Cell(value, format_score(value, True)) for value in values)
            rows.append(Row(reference.name, cells, reference=True, source=reference.source))
        return rows

    def _cell(self, row: Mapping[Hashable, Any], measure: str) -> Cell:
        name, value = str(row["name"]), float(row[measure])
        mark = explanation = ""
        if self.compared and name != self.baseline:
            base, won, lost, tested = self.comparison(name, measure)
            sign = "+" if value > base else ""
            explanation = (
                f"{sign}{self.text(value - base, measure)} against {self.baseline}, {tested}; {counted(won, lost)}"
            )
            if row[f"{measure} reject"]:
                mark = "▲" if value > base else "▼"
        return Cell(
            value,
            self.text(value, measure),
            len(self.ranked) > 1 and math.isclose(value, self.ranked[measure].max(), abs_tol=1e-12),
            mark,
            float(row[f"{measure} low"]),
            float(row[f"{measure} high"]),
            explanation,
        )


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
    """Return the number of queries that are better and worse, in words."""
    return f"{won} {'query' if won == 1 else 'queries'} better, {lost} worse"
