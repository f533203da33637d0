"""Geometry of the report's charts: plain numbers, which the templates draw as HTML and SVG.

All text stays outside the drawings, as HTML, so that the reader's own fonts show it in any script.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from legalir.experiment.definition.definition import Sweep
from legalir.experiment.report.rows import Row, ScoreTable, direction

HEIGHT = 200.0
"""Height of a difference chart in its own units."""

FEW = 40
"""Minimum number of bars used to compute the bar width of a difference chart."""


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


def measure_panels(scores: ScoreTable) -> list[MeasurePanel]:
    """Return a panel for each measure that has figures, each with a scale of its own that begins at zero."""
    panels = []
    for place in (place for group in scores.groups for place in group.places):
        measure = scores.definition.measures[place]
        systems = [row for row in scores.rows if row.ran and row.cells[place].measured]
        if not systems:
            continue
        scale = max(_top(row, place) for row in systems) or 1.0
        bars = tuple(_bar(row, place, scale, scores.unit(measure), scores.leader) for row in systems)
        baseline = next((bar.width for row, bar in zip(systems, bars, strict=True) if row.baseline), None)
        panels.append(MeasurePanel(measure, bars, baseline))
    return panels


def _top(row: Row, place: int) -> float:
    cell = row.cells[place]
    return max(value for value in (cell.value, cell.high, 0.0) if not math.isnan(value))


def _bar(row: Row, place: int, scale: float, unit: int, leader: str | None) -> Bar:
    cell = row.cells[place]
    low, high = (cell.value if math.isnan(end) else end for end in (cell.low, cell.high))
    kind = "baseline" if row.baseline else "leader" if row.name == leader else "other"
    interval = f"95 % interval {low * unit:.2f} to {high * unit:.2f}"
    width, low, high = (100 * end / scale for end in (cell.value, low, high))
    return Bar(row.label, cell.text, width, low, high, kind, interval)


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
    """Differences per query, the largest gain first; a gap stands for the queries without a difference.

    Attributes:
        bars: a bar for each query with a difference.
        width: width of the drawing, in bars.
        zero: height of the line of no difference.
        top, bottom: the largest gain and loss.
        won, equal, lost: numbers of queries.
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


def difference_chart(differences: Sequence[tuple[str, float]]) -> DifferenceChart:
    """Return the chart of (qid, difference from the baseline)."""
    ordered = sorted(differences, key=lambda item: (-item[1], item[0]))
    won = [item for item in ordered if item[1] > 0]
    lost = [item for item in ordered if item[1] < 0]
    equal = len(ordered) - len(won) - len(lost)
    top, bottom = max((won or [("", 0.0)])[0][1], 0.0), min((lost or [("", 0.0)])[-1][1], 0.0)
    unit = HEIGHT / ((top - bottom) or 1.0)
    zero = top * unit
    changed = len(won) + len(lost)
    # The gap is a tenth of the width, and more where few bars would be wide.
    gap = float(min(equal, max(1.0, changed / 10, FEW - changed)))
    bars = []
    for place, (qid, value) in enumerate(won + lost):
        height = abs(value) * unit
        x = place + (gap if value < 0 else 0.0)
        bars.append(DifferenceBar(qid, x, zero - height if value > 0 else zero, height, value > 0, value))
    width = max(changed + gap, 1.0)
    return DifferenceChart(tuple(bars), width, zero, top, bottom, len(won), equal, len(lost))


@dataclass(frozen=True)
class CurvePoint:
    """One value of the parameter: its place from the left and from the top, its score, and whether it is the best."""

    label: str
    text: str
    x: float
    y: float
    low: float
    high: float
    best: bool


@dataclass(frozen=True)
class Curve:
    """One measure over the values of a sweep; `baseline` is the height of the baseline's score, None without one."""

    measure: str
    points: tuple[CurvePoint, ...]
    baseline: float | None

    def path(self) -> str:
        """Return the curve as an SVG path."""
        return "M" + "L".join(f"{point.x:.2f} {point.y:.2f}" for point in self.points)

    def band(self) -> str:
        """Return the confidence intervals as one SVG path around the curve."""
        there = [f"{point.x:.2f} {point.high:.2f}" for point in self.points]
        back = [f"{point.x:.2f} {point.low:.2f}" for point in reversed(self.points)]
        return "M" + "L".join([*there, *back]) + "z"


def curves(scores: ScoreTable, sweep: Sweep) -> list[Curve]:
    """Return a curve for each measure, values at equal distances in the order of the sweep.

    Values whose systems have no figure are left out; without any other value there is no curve.
    """
    rows = {row.name: row for row in scores.rows if row.ran}
    points = [(sweep.text(value), rows[sweep.system(value)]) for value in sweep.values if sweep.system(value) in rows]
    base = next((row for row in scores.rows if row.baseline), None)
    drawn = []
    for place in range(len(scores.definition.measures)):
        if measured := [(label, row) for label, row in points if row.cells[place].measured]:
            drawn.append(_curve(scores, measured, base, place))
    return drawn


def _curve(scores: ScoreTable, systems: Sequence[tuple[str, Row]], base: Row | None, place: int) -> Curve:
    measure = scores.definition.measures[place]
    unit = scores.unit(measure)
    cells = [row.cells[place] for _, row in systems]
    lows = [cell.value if math.isnan(cell.low) else cell.low for cell in cells]
    highs = [cell.value if math.isnan(cell.high) else cell.high for cell in cells]
    level = base.cells[place].value if base is not None and base.cells[place].measured else None
    ends = [*lows, *highs, *([] if level is None else [level])]
    floor, span = min(ends), (max(ends) - min(ends)) or 1.0

    def height(value: float) -> float:
        return 100 * (1 - (value - floor) / span)

    best = max(cell.value * direction(measure) for cell in cells)
    step = 100 / max(len(cells) - 1, 1)
    points = tuple(
        CurvePoint(
            label,
            f"{cell.value * unit:.2f}",
            number * step if len(cells) > 1 else 50.0,
            height(cell.value),
            height(low),
            height(high),
            direction(measure) != 0 and cell.value * direction(measure) == best,
        )
        for number, ((label, _), cell, low, high) in enumerate(zip(systems, cells, lows, highs, strict=True))
    )
    return Curve(measure, points, None if level is None else height(level))
