"""The report: one HTML file that needs nothing else, neither network nor scripts."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from legalir.experiment.definition.definition import Definition
from legalir.experiment.report.charts import curves, difference_chart, measure_panels
from legalir.experiment.report.queries import anchor, differences, extremes, query_cards, slowest
from legalir.experiment.report.result import ExperimentResult
from legalir.experiment.report.rows import counted, format_score, is_fraction, leader, p_text, reasons, table_rows
from legalir.extras import require

if TYPE_CHECKING:
    import jinja2

__all__ = ["render"]

LISTED = 8
"""Queries in each list of the report."""


def render(result: ExperimentResult) -> str:
    """Return the report of a result as HTML.

    Raises:
        MissingExtra: Jinja2 is not installed.
    """
    template = _environment().get_template("report.html.j2")
    style = (Path(__file__).parent / "templates" / "style.css").read_text(encoding="utf-8")
    return template.render(style=style, **_view(result))


def _environment() -> jinja2.Environment:
    jinja = require("jinja2", extra="report")
    loader = jinja.FileSystemLoader(Path(__file__).parent / "templates")
    environment: jinja2.Environment = jinja.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja.StrictUndefined
    )
    environment.filters |= {"anchor": anchor, "milliseconds": _milliseconds}
    environment.tests["nan"] = math.isnan
    return environment


def _milliseconds(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _view(result: ExperimentResult) -> Mapping[str, object]:
    definition = result.definition
    rows = table_rows(result)
    best = leader(result)
    baseline = result.baseline if best is not None else None
    changes = differences(result, best, baseline) if best and baseline else []
    won, lost = extremes(result, changes, LISTED, 1), extremes(result, changes, LISTED, -1)
    slow = slowest(result, LISTED)
    listed = [name for name in (baseline, best) if name] or list(result.runs)[:1]
    qids = dict.fromkeys(line.qid for line in (*won, *lost, *slow))
    others = [name for name in result.runs if baseline and name not in (baseline, best)]
    measure = definition.measures[0]
    return {
        "definition": definition,
        "facts": result.environment,
        "facts_text": json.dumps(result.environment, ensure_ascii=False, indent=1),
        "definition_text": _definition_text(definition, result.dataset_name),
        "dataset": result.dataset_name,
        "queries": len(result.context.queries),
        "rows": rows,
        "expressions": _expressions(result),
        "values": definition.shown().values,
        "absent": reasons(result),
        "headline": headline(result),
        "legend": legend(result),
        "timed": any(not math.isnan(row.median) for row in rows),
        "slowest_median": max((row.median for row in rows if not math.isnan(row.median)), default=1.0),
        "panels": measure_panels(result, rows, best),
        "sweeps": [(sweep, drawn) for sweep in definition.sweeps if (drawn := curves(result, rows, sweep))],
        "best": best,
        "baseline": baseline,
        "difference": difference_chart(changes) if changes else None,
        "small": [(name, difference_chart(differences(result, name, baseline))) for name in others if baseline],
        "score": lambda value, sign="": _score(value, is_fraction(result, measure), sign),
        "won": won,
        "lost": lost,
        "slow": slow,
        "cards": query_cards(result, qids, listed),
        "carded": qids,
    }


def _score(value: float, fraction: bool, sign: str) -> str:
    return sign.replace("+", "+" if value > 0 else "") + format_score(value, fraction)


def _expressions(result: ExperimentResult) -> dict[str, str]:
    from legalir.pipeline import canonical

    return {name: canonical(text) for name, text in result.definition.shown().expressions().items()}


def _definition_text(definition: Definition, dataset: str) -> str:
    values = {**definition.shown().as_dict(), "dataset": dataset}
    return yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=100)


def headline(result: ExperimentResult) -> str:
    """Return the outcome in a sentence."""
    definition = result.definition
    measure = definition.measures[0]
    rows = {str(row["name"]): row for _, row in result.table.iterrows()}
    score = functools.partial(format_score, fraction=is_fraction(result, measure))
    best = leader(result)
    if best is None or result.baseline is None:
        name = max(rows, key=lambda system: float(rows[system][measure]))
        return f"{name} has the highest {measure}: {score(float(rows[name][measure]))}."
    row, base = rows[best], float(rows[result.baseline][measure])
    value = float(row[measure])
    won, lost = int(row[f"{measure} +"]), int(row[f"{measure} -"])
    equal = len(result.context.queries) - won - lost
    p = p_text(float(row[f"{measure} p-value corrected"]))
    tested = f"{p} after {definition.correction.capitalize()} correction" if definition.correction else p
    words = f"{tested}; {counted(won, lost)}, {equal} equal"
    if value <= base:
        return (
            f"No system is better than the baseline {result.baseline} by {measure} ({score(base)}); "
            f"{best} is next with {score(value)} ({words})."
        )
    return (
        f"{best} is best by {measure}: {score(value)}, {score(value - base)} more than the baseline "
        f"{result.baseline} ({words})."
    )


def legend(result: ExperimentResult) -> str:
    """Return what the marks of the table mean."""
    definition = result.definition
    words = "Scores are percentages. Bold: best of the column."
    if result.baseline is None or len(result.table) < 2:
        return words
    names = {
        "t": "paired t-test",
        "wilcoxon": "Wilcoxon signed-rank test",
        "randomisation": "randomisation test",
    }
    family = f", {definition.correction.capitalize()} correction over the systems" if definition.correction else ""
    return (
        f"{words} ▲ ▼: significantly better or worse than {result.baseline} "
        f"({names[definition.test]}{family}, α = {definition.alpha:g}); point at a figure for details."
    )
