"""The report: one HTML file that needs nothing else, neither network nor scripts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from legalir.experiments.charts import (
    agreement_panels,
    correlation_rows,
    curves,
    depth_table,
    difference_chart,
    measure_panels,
    risk_measure,
    risk_panels,
    safety_panels,
)
from legalir.experiments.definition import Definition
from legalir.experiments.queries import CITATIONS, QueryFacts, anchor, extremes
from legalir.experiments.rows import ScoreTable, counted, direction
from legalir.experiments.runs import Run
from legalir.extras import require

if TYPE_CHECKING:
    import jinja2

NARROW = 8
"""Longest name of a measure that stands on one line."""

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
        **facts,
        **_view(scores, queries, environment),
    )


def render_several(
    definition: Definition, links: Mapping[str, str], tables: Mapping[str, Sequence[object]], legend: str
) -> str:
    """Return the page of an experiment on several datasets as HTML.

    Args:
        definition: the definition of the experiment.
        links: page of each dataset by its name, empty if there is none.
        tables: rows of each measure, with one cell per dataset and one of the mean.
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
    """Return the host of each language model that a run asked, by its name."""
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
    return (
        f"{words} ▲ ▼: significantly better or worse than {scores.baseline} "
        f"({TESTS[definition.test]}{family}, α = {definition.alpha:g}); point at a figure for details."
    )
