"""Geometry of the report's charts: plain numbers, which the templates draw as HTML and SVG.

All text stays outside of the drawings, as HTML, so that the reader's own fonts show it in any script.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from legalir.experiment.result import ExperimentResult
from legalir.experiment.rows import Row, is_fraction

__all__ = ["Bar", "DifferenceBar", "DifferenceChart", "MeasurePanel", "difference_chart", "measure_panels"]


HEIGHT, FEW = 200.0, 40
"""Height of a difference chart in its own units, and below how many bars they stay as wide as if they were so many."""


@dataclass(frozen=True)
class Bar:
    """One system in the panel of one measure; places in percent of the panel's width."""

    name: str
    text: str
    width: float
    low: float
    high: float
    kind: str
    interval: str


@dataclass(frozen=True)
class MeasurePanel:
    """One measure: a bar a system, and the place of the baseline, None where there is none."""

    measure: str
    bars: tuple[Bar, ...]
    baseline: float | None


@dataclass(frozen=True)
class DifferenceBar:
    """One query: its place and size in a drawing of height 200."""

    qid: str
    x: float
    y: float
    height: float
    won: bool
    value: float


@dataclass(frozen=True)
class DifferenceChart:
    """Differences per query, the largest gain first, queries without a difference left out between.

    `width` counts bars of width 1; `zero` is the height of the line of no difference; `top` and `bottom` are
    the largest gain and loss.
    """

    bars: tuple[DifferenceBar, ...]
    width: float
    zero: float
    top: float
    bottom: float
    won: int
    equal: int
    lost: int

    def path(self, won: bool) -> str:
        """Return all bars of one side as one SVG path, for charts without links."""
        return "".join(f"M{bar.x:g} {bar.y:.1f}h.8v{bar.height:.1f}h-.8z" for bar in self.bars if bar.won == won)


def measure_panels(result: ExperimentResult, rows: Sequence[Row], leader: str | None) -> list[MeasurePanel]:
    """Return a panel a measure, each with a scale of its own that begins at zero."""
    systems = [row for row in rows if not row.reference and not row.absent]
    panels = []
    for place, measure in enumerate(result.definition.measures):
        scale = max(_top(row, place) for row in systems) or 1.0
        unit = 100 if is_fraction(result, measure) else 1
        bars = tuple(_bar(row, place, scale, unit, leader) for row in systems)
        baseline = next((bar.width for row, bar in zip(systems, bars, strict=True) if row.baseline), None)
        panels.append(MeasurePanel(measure, bars, baseline))
    return panels


def _top(row: Row, place: int) -> float:
    cell = row.cells[place]
    return max(value for value in (cell.value, cell.high, 0.0) if not math.isnan(value))


def _bar(row: Row, place: int, scale: float, unit: int, leader: str | None) -> Bar:
    cell = row.cells[place]
    kind = "baseline" if row.baseline else "leader" if row.name == leader else "other"
    interval = f"95 % interval {cell.low * unit:.2f} to {cell.high * unit:.2f}"
    width, low, high = (100 * end / scale for end in (cell.value, cell.low, cell.high))
    return Bar(row.name, cell.text, width, low, high, kind, interval)


def difference_chart(differences: Sequence[tuple[str, float]]) -> DifferenceChart:
    """Return the chart of (qid, difference to the baseline)."""
    ordered = sorted(differences, key=lambda item: (-item[1], item[0]))
    won = [item for item in ordered if item[1] > 0]
    lost = [item for item in ordered if item[1] < 0]
    equal = len(ordered) - len(won) - len(lost)
    top, bottom = max((won or [("", 0.0)])[0][1], 0.0), min((lost or [("", 0.0)])[-1][1], 0.0)
    unit = HEIGHT / ((top - bottom) or 1.0)
    zero = top * unit
    changed = len(won) + len(lost)
    # A gap stands for the queries without a difference: a tenth of the width, more where few bars would be wide.
    gap = float(min(equal, max(1.0, changed / 10, FEW - changed)))
    bars = []
    for place, (qid, value) in enumerate(won + lost):
        height = abs(value) * unit
        x = place + (gap if value < 0 else 0.0)
        bars.append(DifferenceBar(qid, x, zero - height if value > 0 else zero, height, value > 0, value))
    width = max(changed + gap, 1.0)
    return DifferenceChart(tuple(bars), width, zero, top, bottom, len(won), equal, len(lost))
