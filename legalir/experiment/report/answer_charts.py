"""Charts of answers: outcomes of multiple-choice items by condition, risk over coverage, correlations of measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from legalir.errors import MeasureError
from legalir.evaluate import choices
from legalir.evaluate.confidence import correlations, risk_coverage
from legalir.experiment.definition.definition import CONDITIONS, Definition
from legalir.experiment.report.rows import ScoreTable, direction
from legalir.experiment.runs.context import Context
from legalir.experiment.runs.scores import is_ranking_measure

OUTCOMES = ("correct", "wrong", "abstained", "invalid")


class SafetyBar(NamedTuple):
    """One condition: its name, its system, and each outcome with its share in percent."""

    condition: str
    system: str
    parts: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class SafetyPanel:
    """The conditions of one model.

    Attributes:
        name: heading.
        bars: the conditions.
        n: number of items.
        corrected, introduced: correction rate and introduced-error rate, as text.
        fault: why there are no figures, empty where there are.
    """

    name: str
    bars: tuple[SafetyBar, ...] = ()
    n: int = 0
    corrected: str = ""
    introduced: str = ""
    fault: str = ""


def safety_panels(definition: Definition, runs: Mapping[str, pd.DataFrame], context: Context) -> list[SafetyPanel]:
    """Return a panel for each entry of ``safety`` of the definition."""
    return [_panel(conditions, runs, context) for conditions in definition.safety]


def _panel(conditions: Mapping[str, str], runs: Mapping[str, pd.DataFrame], context: Context) -> SafetyPanel:
    name = conditions.get("name", conditions["full"])
    systems = {condition: conditions[condition] for condition in CONDITIONS if condition in conditions}
    if absent := [system for system in systems.values() if system not in runs]:
        return SafetyPanel(name, fault=f"{', '.join(absent)}: not run.")
    frames = {condition: _items(runs[system], context) for condition, system in systems.items()}
    try:
        zero_shot, partial, full = (frames[condition] for condition in CONDITIONS[:3])
        safety = choices.Safety.from_answers(zero_shot, partial, full, frames.get(CONDITIONS[3]))
    except MeasureError as error:
        return SafetyPanel(name, fault=str(error))
    bars = []
    for condition, system in systems.items():
        rates = getattr(safety, condition.replace("-", "_"))
        parts = tuple((outcome, 100 * float(getattr(rates, outcome))) for outcome in OUTCOMES)
        bars.append(SafetyBar(condition, system, parts))
    change = safety.change
    return SafetyPanel(name, tuple(bars), change.n, _percent(change.corrected), _percent(change.introduced))


def _items(run: pd.DataFrame, context: Context) -> pd.DataFrame:
    """Return answers with the columns of their items."""
    names = [name for name in ("options", "key", "abstain", "documents") if name not in run.columns]
    columns = {name: [context.items.get(qid, {}).get(name) for qid in run["qid"]] for name in names}
    held = {name: pd.Series(values, dtype=object, index=run.index) for name, values in columns.items()}
    return run.assign(**{name: values for name, values in held.items() if values.notna().any()})


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.2f} %"


class RiskPanel(NamedTuple):
    """A curve of risk over coverage in a square of 100: a system, its path, its last risk and its area as text."""

    system: str
    path: str
    risk: str
    area: str


def risk_measure(definition: Definition) -> str | None:
    """Return the measure that says whether an answer is wrong: the first one of answers of which more is better."""
    return next((name for name in definition.measures if not is_ranking_measure(name) and direction(name) > 0), None)


def risk_panels(
    definition: Definition, runs: Mapping[str, pd.DataFrame], per_query: pd.DataFrame, measure: str
) -> list[RiskPanel]:
    """Return a curve for each system whose answers have a confidence.

    An answer is wrong if its value of `measure` is below .5; a question without a value is left out. A question without
    a confidence is answered last.
    """
    values = per_query[per_query["measure"] == measure].dropna(subset="value")
    panels = []
    for name, run in runs.items():
        if "confidence" not in run.columns or run["confidence"].isna().all():
            continue
        confidence = dict(zip(run["qid"], run["confidence"].fillna(-np.inf), strict=True))
        own = values[values["name"] == name]
        if own.empty:
            continue
        curve = risk_coverage([confidence[qid] for qid in own["qid"]], (own["value"] < 0.5).tolist())
        points = zip(np.append(0.0, curve.coverage), np.append(curve.risk[0], curve.risk), strict=True)
        path = "M" + "L".join(f"{100 * x:.2f} {100 * (1 - y):.2f}" for x, y in points)
        panels.append(RiskPanel(name, path, _percent(float(curve.risk[-1])), f"{curve.area:.3f}"))
    return panels


MIN_SYSTEMS = 3
"""Fewest systems over which measures are correlated; two always correlate perfectly."""


def correlation_rows(scores: ScoreTable) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return, for each ranking measure, Pearson's and Spearman's correlation with each measure of answers, as text.

    Nothing if fewer than three systems have figures of both kinds.
    """
    if len(scores.groups) < 2:
        return []
    measures = scores.definition.measures
    retrieval, answers = ([measures[place] for place in group.places] for group in scores.groups)
    table = scores.table[scores.table[retrieval].notna().any(axis=1) & scores.table[answers].notna().any(axis=1)]
    if len(table) < MIN_SYSTEMS:
        return []
    found = correlations(
        {name: table[name].tolist() for name in retrieval}, {name: table[name].tolist() for name in answers}
    )
    cells = {
        (row["retrieval"], row["answer"]): (_coefficient(row["pearson"]), _coefficient(row["spearman"]))
        for row in found.to_dict(orient="records")
    }
    return [(name, [cells[name, other] for other in answers]) for name in retrieval]


def _coefficient(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}".replace("-", "−")
