"""The report: one HTML file that needs nothing else, neither network nor scripts.

First the numbers of its charts, which the templates draw as HTML and SVG. The drawings have no text of their own:
titles, links and names are HTML, in the fonts and colours of the reader.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import yaml

from legalir.answer.generator import ANSWER_COLUMNS
from legalir.errors import MeasureError
from legalir.experiments.definition import CONDITIONS, Definition, Sweep
from legalir.experiments.queries import CITATIONS, QueryFacts, Wording, anchor, extremes
from legalir.experiments.rows import ScoreTable, SystemRow, counted, direction
from legalir.experiments.runs import Run
from legalir.experiments.scores import is_ranking_measure
from legalir.extras import require
from legalir.measure import right_choices as choices
from legalir.measure.confidence import by_position, correlations, gold_position, risk_coverage

if TYPE_CHECKING:
    import jinja2


HEIGHT = 200.0
"""Height of a difference chart in its own units."""

FEW = 40
"""Minimum number of bars used to compute the bar width of a difference chart."""


class Bar(NamedTuple):
    """One system in the panel of one measure; `width`, `low` and `high` in percent of the panel's width."""

    name: str
    text: str
    width: float
    low: float
    high: float
    kind: str
    interval: str


class MeasurePanel(NamedTuple):
    """One measure: one bar per system, and the place of the baseline; None without a baseline."""

    measure: str
    bars: tuple[Bar, ...]
    baseline: float | None


def measure_panels(scores: ScoreTable) -> list[MeasurePanel]:
    """Return a panel for each measure that has figures, each with its own scale that begins at zero."""
    panels = []
    for place in (place for group in scores.groups for place in group.places):
        measure = scores.definition.measures[place]
        systems = [row for row in scores.rows if row.ran and row.cells[place].measured]
        if not systems:
            continue
        scale = max(0.0, *(max(row.cells[place].value, row.cells[place].interval[1]) for row in systems)) or 1.0
        bars = tuple(_bar(row, place, scale, scores.unit(measure), scores.leader) for row in systems)
        baseline = next((bar.width for row, bar in zip(systems, bars, strict=True) if row.baseline), None)
        panels.append(MeasurePanel(measure, bars, baseline))
    return panels


def _bar(row: SystemRow, place: int, scale: float, unit: int, leader: str | None) -> Bar:
    cell = row.cells[place]
    low, high = cell.interval
    kind = "baseline" if row.baseline else "leader" if row.name == leader else "other"
    interval = f"95 % interval {low * unit:.2f} to {high * unit:.2f}"
    width, low, high = (100 * end / scale for end in (cell.value, low, high))
    return Bar(row.label, cell.text, width, low, high, kind, interval)


class DifferenceBar(NamedTuple):
    """One query: its place and size in a drawing of height 200."""

    qid: str
    x: float
    y: float
    height: float
    won: bool
    value: float


class DifferenceChart(NamedTuple):
    """Differences per query, the largest gain first; a gap represents the queries without a difference.

    Attributes:
        bars: a bar for each query with a difference.
        width: width of the drawing, in bars.
        zero: height of the zero line.
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
    changed = sorted((item for item in differences if item[1]), key=lambda item: (-item[1], item[0]))
    won, equal = sum(value > 0 for _, value in changed), len(differences) - len(changed)
    top, bottom = max([0.0, *(value for _, value in changed)]), min([0.0, *(value for _, value in changed)])
    unit = HEIGHT / ((top - bottom) or 1.0)
    zero = top * unit
    # The gap is a tenth of the width, and more where few bars would be wide.
    gap = float(min(equal, max(1.0, len(changed) / 10, FEW - len(changed))))
    bars = tuple(
        DifferenceBar(qid, n + gap * (value < 0), zero - max(value, 0) * unit, abs(value) * unit, value > 0, value)
        for n, (qid, value) in enumerate(changed)
    )
    width = max(len(changed) + gap, 1.0)
    return DifferenceChart(bars, width, zero, top, bottom, won, equal, len(changed) - won)


class CurvePoint(NamedTuple):
    """One value of the parameter: its place from the left and from the top, its score, and whether it is the best."""

    label: str
    text: str
    x: float
    y: float
    low: float
    high: float
    best: bool


class Curve(NamedTuple):
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


def _curve(scores: ScoreTable, systems: Sequence[tuple[str, SystemRow]], base: SystemRow | None, place: int) -> Curve:
    measure = scores.definition.measures[place]
    sign = direction(measure)
    cells = [row.cells[place] for _, row in systems]
    level = base.cells[place].value if base is not None and base.cells[place].measured else None
    ends = [end for cell in cells for end in cell.interval] + ([] if level is None else [level])
    floor, span = min(ends), (max(ends) - min(ends)) or 1.0

    def height(value: float) -> float:
        return 100 * (1 - (value - floor) / span)

    best = max(cell.value * sign for cell in cells)
    places = np.linspace(0, 100, len(cells)) if len(cells) > 1 else [50.0]
    points = tuple(
        CurvePoint(
            label,
            f"{cell.value * scores.unit(measure):.2f}",
            float(x),
            height(cell.value),
            height(cell.interval[0]),
            height(cell.interval[1]),
            sign != 0 and cell.value * sign == best,
        )
        for x, (label, _), cell in zip(places, systems, cells, strict=True)
    )
    return Curve(measure, points, None if level is None else height(level))


OUTCOMES = ("correct", "wrong", "abstained", "invalid")


class SafetyBar(NamedTuple):
    """One condition: its name, its system, and each outcome with its share in percent."""

    condition: str
    system: str
    parts: tuple[tuple[str, float], ...]


class SafetyPanel(NamedTuple):
    """The conditions of one model: `corrected` and `introduced` are rates from 0 to 1, `fault` why they are missing."""

    name: str
    bars: tuple[SafetyBar, ...] = ()
    n: int = 0
    corrected: float = math.nan
    introduced: float = math.nan
    fault: str = ""


def safety_panels(definition: Definition, runs: Mapping[str, pd.DataFrame], context: Wording) -> list[SafetyPanel]:
    """Return a panel for each entry of ``safety`` of the definition."""
    return [_panel(conditions, runs, context) for conditions in definition.safety]


def _panel(conditions: Mapping[str, str], runs: Mapping[str, pd.DataFrame], context: Wording) -> SafetyPanel:
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
    return SafetyPanel(name, tuple(bars), change.n, change.corrected, change.introduced)


def _items(run: pd.DataFrame, context: Wording) -> pd.DataFrame:
    """Return answers with the columns of their items."""
    names = [name for name in ("options", "key", "abstain", "documents") if name not in run.columns]
    columns = {name: [context.items.get(qid, {}).get(name) for qid in run["qid"]] for name in names}
    held = {name: pd.Series(values, dtype=object, index=run.index) for name, values in columns.items()}
    return run.assign(**{name: values for name, values in held.items() if values.notna().any()})


def percent(share: float) -> str:
    """Return a share as text, in percent; a dash for NaN."""
    return "–" if math.isnan(share) else f"{100 * share:.2f} %"


class RiskPanel(NamedTuple):
    """A curve of risk over coverage in a square of 100: a system, its path, its last risk and its area as text."""

    system: str
    path: str
    risk: str
    area: str


def risk_measure(definition: Definition) -> str | None:
    """Return the measure that decides whether an answer is wrong: the first measure of answers where more is better."""
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
        panels.append(RiskPanel(name, path, percent(float(curve.risk[-1])), f"{curve.area:.3f}"))
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
    runs: Mapping[str, pd.DataFrame], per_query: pd.DataFrame, measure: str, context: Wording
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
    if not judged:
        return run[[]]
    # Nobody judges an answer that says nothing, so judges cannot agree on it.
    silent = (run["abstained"] if "abstained" in run.columns else False) | (
        run["reply_state"] != "ok" if "reply_state" in run.columns else False
    )
    return run.loc[~pd.Series(silent, index=run.index).astype(bool), [name for name in names if name != "score"]]


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


NARROW = 8
"""Longest name of a measure that fits on one line."""

LISTED = 8
"""Number of queries in each list of the report."""

TESTS = {"t": "paired t-test", "wilcoxon": "Wilcoxon signed-rank test", "randomisation": "randomisation test"}


def render(
    scores: ScoreTable,
    queries: QueryFacts,
    environment: Mapping[str, object],
    dataset: str,
    chunk_rule: str = "",
    remarks: Mapping[str, Sequence[str]] | None = None,
    unmeasured: Mapping[str, str] | None = None,
    by: tuple[Sequence[str], Mapping[str, Sequence[SystemRow]], str] | None = None,
) -> str:
    """Return the report of an experiment as HTML.

    Args:
        scores: the table.
        queries: facts about each query.
        environment: the content of ``environment.json``.
        dataset: the name of the dataset.
        chunk_rule: which provisions of a chunk count, in words; empty if the documents are provisions.
        remarks: remarks on systems, each with the systems that it is about.
        unmeasured: the reason for each measure that could not be computed for a system.
        by: names of groups of questions, rows of each measure with a cell for each and the mean, and their legend.

    Raises:
        MissingExtra: Jinja2 is not installed.
    """
    template = _environment().get_template("report.html.j2")
    facts = {"facts": environment, "facts_text": json.dumps(environment, ensure_ascii=False, indent=1)}
    shown = {**scores.definition.shown().as_dict(), "dataset": dataset}
    definition_text = yaml.safe_dump(shown, allow_unicode=True, sort_keys=False, width=100)
    return template.render(
        style=_style(),
        dataset=dataset,
        definition_text=definition_text,
        chunk_rule=chunk_rule,
        remarks=remarks or {},
        unmeasured=unmeasured or {},
        by=by,
        **facts,
        **_view(scores, queries, environment),
    )


def render_several(
    definition: Definition, links: Mapping[str, str], tables: Mapping[str, Sequence[object]], legend: str
) -> str:
    """Return the page of an experiment on several datasets as HTML.

    Args:
        definition: the definition of the experiment.
        links: page of each dataset, by its name; an empty text for a dataset without a page.
        tables: rows of each measure, with one cell per dataset and one for the mean.
        legend: meaning of the tables.

    Raises:
        MissingExtra: Jinja2 is not installed.
    """
    template = _environment().get_template("several.html.j2")
    return template.render(style=_style(), definition=definition, links=links, tables=tables, legend=legend)


def _style() -> str:
    return (Path(__file__).parent / "templates" / "style.css").read_text(encoding="utf-8")


def _environment() -> jinja2.Environment:
    jinja = require("jinja2", extra="report")
    loader = jinja.FileSystemLoader(Path(__file__).parent / "templates")
    environment: jinja2.Environment = jinja.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja.StrictUndefined
    )
    environment.filters |= {"anchor": anchor, "milliseconds": _milliseconds, "heading": _heading}
    environment.filters["share"] = percent
    environment.filters["citation"] = CITATIONS.__getitem__
    environment.tests["nan"] = math.isnan
    return environment


def _heading(measure: str) -> str:
    """Break a long name of a measure before its cutoff, or at the capital that gives the shortest lines."""
    name, at, cutoff = measure.partition("@")
    if len(measure) <= NARROW:
        return measure
    if at:
        return f"{name}\n@{cutoff}"
    halves = [(name[: hump.start()], name[hump.start() :]) for hump in re.finditer(r"(?<=[^A-Z])[A-Z]", name)]
    return "\n".join(min(halves, key=lambda half: max(map(len, half)), default=(name,)))


def _milliseconds(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _view(scores: ScoreTable, queries: QueryFacts, environment: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the values of the template, by name."""
    definition, best = scores.definition, scores.leader
    measure = definition.measures[0]
    baseline = scores.baseline if scores.compares(measure) else None
    leading = scores.leading["name"].tolist()
    changes = queries.differences(best, baseline) if best and baseline else []
    won, lost = (queries.lines(extremes(changes, LISTED, sign)) for sign in (1, -1))
    slow = queries.slowest(LISTED)
    qids = dict.fromkeys(line.qid for line in (*won, *lost, *slow))
    qids |= dict.fromkeys(queries.telling(LISTED))
    frames = {name: run.frame for name, run in queries.runs.items()}
    risky = risk_measure(definition)
    others = [name for name in leading if baseline and name not in (baseline, best)]

    def score(value: float, sign: str = "") -> str:
        return ("+" if sign == "+" and value > 0 else "") + scores.text(value, measure)

    return {
        "definition": definition,
        "queries": len(queries.context.queries),
        "scope": environment.get("scope"),
        "rows": scores.rows,
        "expressions": {name: facts["expression"] for name, facts in environment["systems"].items()},
        "values": definition.shown().values,
        "absent": scores.reasons(),
        "headline": headline(scores, len(queries.context.queries)),
        "legend": legend(scores),
        "timed": scores.timed,
        "slowest_median": max((row.median for row in scores.rows if not math.isnan(row.median)), default=1.0),
        "panels": measure_panels(scores),
        "sweeps": [(sweep, drawn) for sweep in definition.sweeps if (drawn := curves(scores, sweep))],
        "best": best,
        "baseline": baseline,
        "difference": difference_chart(changes) if changes else None,
        "small": [(name, difference_chart(queries.differences(name, baseline))) for name in others if baseline],
        "score": score,
        "won": won,
        "lost": lost,
        "slow": slow,
        "cards": queries.cards(qids, [name for name in (baseline, best) if name] or leading[:1]),
        "carded": qids,
        "groups": scores.groups,
        "answering": scores.answering,
        "tokens": any(row.tokens_in not in ("", "0") for row in scores.rows),
        "safety": safety_panels(definition, frames, queries.context),
        "risk": risk_panels(definition, frames, queries.per_query, risky) if risky else [],
        "risky": risky,
        "depths": depth_table(frames, queries.per_query, risky, queries.context) if risky else None,
        "agreements": agreement_panels(frames),
        "correlations": correlation_rows(scores),
        "answer_measures": [definition.measures[place] for place in scores.groups[-1].places],
        "asked": {name: run.record.llm for name, run in queries.runs.items() if run.record.llm},
        "models": _models(queries.runs),
        "untested": scores.untested,
    }


def _models(runs: Mapping[str, Run]) -> dict[str, str]:
    """Return the host of each language model that a run used, by name."""
    models: dict[str, str] = {}
    for run in runs.values():
        asked = (run.record.llm or {}).get("models")
        models |= asked if isinstance(asked, Mapping) else {}
    return models


def headline(scores: ScoreTable, queries: int) -> str:
    """Return the outcome in a sentence; `queries` is their number."""
    definition, best = scores.definition, scores.leader
    measure = definition.measures[0]
    values = dict(zip(scores.leading["name"], scores.leading[measure].astype(float), strict=True))
    if not values:
        return f"{measure} applies to no system."
    if best is None or not scores.compares(measure):
        sign = direction(measure) or 1
        name = max(values, key=lambda system: values[system] * sign)
        return f"{name} has the {'highest' if sign > 0 else 'lowest'} {measure}: {scores.text(values[name], measure)}."
    base, won, lost, tested = scores.comparison(best, measure)
    value, words = values[best], f"{tested}; {counted(won, lost)}, {queries - won - lost} equal"
    if value == base or (value < base) == (direction(measure) >= 0):
        return (
            f"No system is better than the baseline {scores.baseline} by {measure} ({scores.text(base, measure)}); "
            f"{best} is next with {scores.text(value, measure)} ({words})."
        )
    more = "more" if value > base else "less"
    return (
        f"{best} is best by {measure}: {scores.text(value, measure)}, {scores.text(abs(value - base), measure)} {more} "
        f"than the baseline {scores.baseline} ({words})."
    )


def legend(scores: ScoreTable) -> str:
    """Return the meaning of the marks of the table."""
    definition = scores.definition
    words = "Scores are percentages. Bold: best of the column."
    if any(scores.unit(measure) == 1 for measure in definition.measures):
        words = "Scores are percentages where all lie between 0 and 1. Bold: best of the column."
    if scores.answering:
        words += " The ranking of an answer is that of the provisions that it was made from. A dash: does not apply."
    if not scores.compared:
        return words
    family = f", {definition.correction.capitalize()} correction over the systems" if definition.correction else ""
    clustered = f", clustered by {definition.cluster}" if definition.cluster else ""
    return (
        f"{words} ▲ ▼: significantly better or worse than {scores.baseline} "
        f"({TESTS[definition.test]}{clustered}{family}, α = {definition.alpha:g}); point at a figure for details."
    )
