"""From runs to a table: means, paired tests against the baseline, confidence intervals, per-query values.

Ranked lists are scored through ``pt.Experiment``. Answers have no ranking measures: their cells are NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.experiment.definition.definition import Definition, parse_measure
from legalir.experiment.runs.files import has_answers
from legalir.experiment.runs.latency import Latency
from legalir.experiment.runs.statistics import bootstrap_interval, paired_test, resampling_counts

PER_QUERY_COLUMNS = ("name", "qid", "measure", "value")
"""The columns of the per-query values: one row a system, query and measure."""

LATENCY_COLUMNS = ("ms median", "ms p95")
"""The columns of the response time of one query, in milliseconds."""


def statistic_columns(measure: str) -> list[str]:
    """Return the columns that belong to one measure besides its mean.

    ``low`` and ``high`` bound the 95 % confidence interval of the mean [bootstrap]; ``+`` and ``-`` count the queries
    won and lost against the baseline; ``p-value`` is that of the paired test, ``corrected`` the same after correction
    over the systems, and ``reject`` says whether the difference is significant.
    """
    names = ("low", "high", "+", "-", "p-value", "p-value corrected", "reject")
    return [f"{measure} {name}" for name in names]


def evaluate(
    systems: Mapping[str, pd.DataFrame | pt.Transformer],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    measures: Sequence[object],
    **options: object,
) -> pd.DataFrame:
    """Call ``pt.Experiment`` without output and without inspection of the systems, which plugins need not support."""
    call = cast("Callable[..., pd.DataFrame]", pt.Experiment)
    return call(dict(systems), topics, qrels, list(measures), validate="ignore", verbose=False, **options)


def scorable(run: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """Return ranked lists in the form in which they are scored: by their ranks.

    The evaluators break ties in their own ways, and some compare scores in single precision; with one score a rank,
    every measure sees the order of the run. ``pt.Experiment`` refuses an empty run: such a run gets one row that names
    no document, and so scores 0.
    """
    if run.empty:
        return pd.DataFrame({"qid": [str(topics["qid"].iloc[0])], "docno": [""], "score": [0.0], "rank": [0]})
    return run.assign(score=-run["rank"].astype(np.float64))


def _ranked(runs: Mapping[str, pd.DataFrame], topics: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {name: scorable(run, topics) for name, run in runs.items() if not has_answers(run)}


def per_query_scores(
    definition: Definition, runs: Mapping[str, pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame
) -> pd.DataFrame:
    """Return the value of each system with ranked lists, query and measure, in the order of runs, topics, measures."""
    systems = _ranked(runs, topics)
    if not systems:
        empty = pd.DataFrame(columns=list(PER_QUERY_COLUMNS), dtype=str)
        return empty.astype({"value": np.float64})
    frame = evaluate(systems, topics, qrels, definition.measure_objects(), perquery=True)
    order = {
        "name": {name: place for place, name in enumerate(runs)},
        "qid": {qid: place for place, qid in enumerate(topics["qid"])},
        "measure": {name: place for place, name in enumerate(definition.measures)},
    }
    keys = [frame[column].map(places) for column, places in order.items()]
    frame = frame.iloc[np.lexsort(keys[::-1])].reset_index(drop=True)
    return frame[list(PER_QUERY_COLUMNS)].astype({"value": np.float64})


def score_table(
    definition: Definition,
    runs: Mapping[str, pd.DataFrame],
    latencies: Mapping[str, Latency | None],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    per_query: pd.DataFrame,
) -> pd.DataFrame:
    """Return one row a system: the name, the measures, their statistics, the latency.

    The correction is that of ``pt.Experiment``: for each measure, p-values are corrected over the systems that are
    compared with the baseline; measures are not pooled. Without a correction ``reject`` compares the plain p-value with
    alpha. A baseline without ranked lists is not compared.
    """
    systems = _ranked(runs, topics)
    compared = definition.baseline in systems and len(systems) > 1
    if systems:
        options = _comparison(definition) if compared else {}
        table = evaluate(systems, topics, qrels, definition.measure_objects(), **options)
        _add_intervals(table, definition.measures, per_query, qrels)
    else:
        table = pd.DataFrame({"name": [], **{measure: [] for measure in definition.measures}})
    if len(systems) < len(runs):
        table = table.set_index("name").reindex(list(runs)).rename_axis("name").reset_index()
    for measure in definition.measures if compared else ():
        p = table[f"{measure} p-value"].astype(np.float64)
        if definition.correction is None:
            table[f"{measure} p-value corrected"] = p
            table[f"{measure} reject"] = p < definition.alpha
        for sign in "+-":
            table[f"{measure} {sign}"] = table[f"{measure} {sign}"].astype("Int64")
        table[f"{measure} p-value"] = p
        reject = table[f"{measure} reject"]
        table[f"{measure} reject"] = reject.where(reject.notna(), False).astype(bool)
    for column, value in zip(LATENCY_COLUMNS, ("median", "p95"), strict=True):
        table[column] = [_time(latencies.get(name), value) for name in table["name"]]
    wanted = ["name", *definition.measures]
    wanted += [column for measure in definition.measures for column in statistic_columns(measure)]
    wanted += LATENCY_COLUMNS
    return table.reindex(columns=[column for column in wanted if column in table.columns])


def _comparison(definition: Definition) -> dict[str, object]:
    return {
        "baseline": definition.baseline,
        "test": paired_test(definition.test),
        "correction": definition.correction,
        "correction_alpha": definition.alpha,
    }


def _time(latency: Latency | None, name: str) -> float:
    return float("nan") if latency is None else float(getattr(latency, name))


def _add_intervals(table: pd.DataFrame, measures: Sequence[str], per_query: pd.DataFrame, qrels: pd.DataFrame) -> None:
    counts = resampling_counts(per_query["qid"].nunique())
    for measure in measures:
        rows = per_query[per_query["measure"] == measure]
        values = rows.pivot(index="name", columns="qid", values="value").reindex(list(table["name"]))
        weights = _pooled_weights(measure, qrels, list(values.columns))
        array = values.to_numpy(dtype=np.float64)
        table[f"{measure} low"], table[f"{measure} high"] = bootstrap_interval(array, counts, weights)


def _pooled_weights(name: str, qrels: pd.DataFrame, qids: Sequence[str]) -> npt.NDArray[np.float64] | None:
    """Return each query's number of relevant documents for MicroR, which weighs recalls by it; None for means."""
    measure = parse_measure(name)
    if measure.NAME != "MicroR":
        return None
    relevant = qrels.loc[qrels["label"] >= measure["rel"], "qid"].value_counts()
    return np.array([relevant.get(qid, 0) for qid in qids], dtype=np.float64)
