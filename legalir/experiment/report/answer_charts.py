"""Charts of answers: outcomes of items by condition, risk over coverage, depth of what is needed, judges, measures."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from legalir.answer.generator import ANSWER_COLUMNS
from legalir.errors import MeasureError
from legalir.experiment.definition.definition import CONDITIONS, Definition
from legalir.experiment.report.rows import ScoreTable, direction
from legalir.experiment.runs.context import Context
from legalir.experiment.runs.scores import is_ranking_measure
from legalir.measure import right_choices as choices
from legalir.measure.confidence import by_position, correlations, gold_position, risk_coverage

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


DEPTHS = 8
"""Number of bins of a context's depth, at most."""

MOST_LABELS = 6
"""Largest number of different verdicts that are shown as a matrix; more are a scale."""


class DepthTable(NamedTuple):
    """Answers by the depth of the last relevant provision: headings of the bins, and cells of each system."""

    bins: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def depth_table(
    runs: Mapping[str, pd.DataFrame], per_query: pd.DataFrame, measure: str, context: Context
) -> DepthTable | None:
    """Return the mean of a measure by how deep in its context an answer has to read [nitibench], its Figure 5.

    Questions whose context has no relevant provision are left out. None where all contexts are one bin deep.
    """
    positions: dict[str, list[int | None]] = {}
    values: dict[str, list[float]] = {}
    for name, run in runs.items():
        if "context_docnos" not in run.columns:
            continue
        scores = per_query[(per_query["name"] == name) & (per_query["measure"] == measure)]
        score = dict(zip(scores["qid"], scores["value"], strict=True))
        for qid, docnos in zip(run["qid"], run["context_docnos"], strict=True):
            lengths = [context.lengths.get(docno, 0) for docno in docnos]
            positions.setdefault(name, []).append(gold_position(docnos, lengths, list(context.gold.get(qid, ()))))
            values.setdefault(name, []).append(score.get(qid, math.nan))
    deepest = max((place for places in positions.values() for place in places if place is not None), default=0)
    width = _round_width((deepest + 1) / DEPTHS)
    tables = {name: by_position(places, values[name], width) for name, places in positions.items()}
    count = max(map(len, tables.values()), default=0)
    if count < 2:
        return None
    cells = {
        name: tuple("–" if not each.n else f"{100 * each.mean:.1f} ({each.n})" for each in bins)
        for name, bins in tables.items()
        if any(each.n for each in bins)
    }
    heads = tuple(f"{place * width:,}–{(place + 1) * width:,}" for place in range(count))
    return DepthTable(heads, tuple((name, row + ("–",) * (count - len(row))) for name, row in cells.items()))


def _round_width(width: float) -> int:
    """Return the next of 1, 2, 5, 10, 20, … hundred characters."""
    power = 100
    while True:
        for step in (1, 2, 5):
            if step * power >= width:
                return step * power
        power *= 10


class AgreementPanel(NamedTuple):
    """Two judges of the same answers: their names, labels, counts with the share of all in percent, n and kappa."""

    first: str
    second: str
    labels: tuple[str, ...]
    rows: tuple[tuple[tuple[int, float], ...], ...]
    n: int
    kappa: str


def agreement_panels(runs: Mapping[str, pd.DataFrame]) -> list[AgreementPanel]:
    """Return a matrix for each two verdicts on the same answers that have few values in common, over all systems."""
    verdicts = pd.concat([_verdicts(run) for run in runs.values()], ignore_index=True) if runs else pd.DataFrame()
    panels = []
    for first, second in itertools.combinations(verdicts.columns, 2):
        both = verdicts[[first, second]].dropna()
        labels, places = np.unique(both.to_numpy(), return_inverse=True)
        if len(both) and set(both[first]) & set(both[second]) and len(labels) <= MOST_LABELS:
            from sklearn.metrics import cohen_kappa_score

            one, other = places.reshape(-1, 2).T
            counts = np.bincount(one * len(labels) + other, minlength=len(labels) ** 2).reshape(len(labels), -1)
            rows = tuple(tuple((int(count), 100 * count / len(both)) for count in row) for row in counts)
            names = tuple(f"{label:g}" for label in labels)
            kappa = float(cohen_kappa_score(one, other)) if len(labels) > 1 else math.nan
            panels.append(AgreementPanel(first, second, names, rows, len(both), _coefficient(kappa)))
    return panels


def _verdicts(run: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers that judges gave, one column each."""
    names = [name for name in run.columns if name not in ANSWER_COLUMNS and run[name].dtype == np.float64]
    judged = any(name.endswith("_state") and name not in ANSWER_COLUMNS for name in run.columns)
    return run[[name for name in names if name != "score"]] if judged else run[[]]


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
