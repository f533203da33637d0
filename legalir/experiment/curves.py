"""Geometry of the curves of a sweep: one small drawing a measure, places in percent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from legalir.experiment.result import ExperimentResult
from legalir.experiment.rows import Row, is_fraction
from legalir.experiment.sweeps import Sweep

__all__ = ["Curve", "CurvePoint", "curves"]


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


def curves(result: ExperimentResult, rows: Sequence[Row], sweep: Sweep) -> list[Curve]:
    """Return a curve for each measure, values at equal distances in the order of the sweep; none where nothing ran."""
    by_name = {row.name: row for row in rows if not row.absent}
    ran = replace(sweep, values=tuple(value for value in sweep.values if sweep.system(value) in by_name))
    base = next((row for row in rows if row.baseline), None)
    places = range(len(result.definition.measures)) if ran.values else ()
    return [_curve(result, by_name, base, ran, place) for place in places]


def _curve(result: ExperimentResult, rows: dict[str, Row], base: Row | None, sweep: Sweep, place: int) -> Curve:
    measure = result.definition.measures[place]
    unit = 100 if is_fraction(result, measure) else 1
    cells = [rows[sweep.system(value)].cells[place] for value in sweep.values]
    lows = [cell.value if math.isnan(cell.low) else cell.low for cell in cells]
    highs = [cell.value if math.isnan(cell.high) else cell.high for cell in cells]
    level = None if base is None else base.cells[place].value
    ends = [*lows, *highs, *([] if level is None else [level])]
    floor, span = min(ends), (max(ends) - min(ends)) or 1.0

    def height(value: float) -> float:
        return 100 * (1 - (value - floor) / span)

    best = max(cell.value for cell in cells)
    step = 100 / max(len(cells) - 1, 1)
    points = tuple(
        CurvePoint(
            sweep.text(value),
            f"{cell.value * unit:.2f}",
            place_x * step if len(cells) > 1 else 50.0,
            height(cell.value),
            height(low),
            height(high),
            cell.value == best,
        )
        for place_x, (value, cell, low, high) in enumerate(zip(sweep.values, cells, lows, highs, strict=True))
    )
    return Curve(measure, points, None if level is None else height(level))
