"""From runs to a table: means, paired tests against the baseline, confidence intervals, per-query values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.experiment.definition.definition import Definition, parse_measure
from legalir.experiment.runs.latency import Latency
from legalir.experiment.runs.runs import evaluate, scorable
from legalir.experiment.runs.statistics import bootstrap_interval, paired_test, resampling_counts

__all__ = ["PER_QUERY_COLUMNS", "latency_columns", "per_query_scores", "score_table", "statistic_columns"]

PER_QUERY_COLUMNS = ("name", "qid", "measure", "value")
"""The columns of the per-query values: one row a system, query and measure."""


def statistic_columns(measure: str) -> list[str]:
    """Return the columns that belong to one measure besides its mean.

    ``low`` and ``high`` bound the 95 % confidence interval of the mean; ``+`` and ``-`` count the queries won
    and lost against the baseline; ``p-value`` is the paired test's, ``corrected`` the same after correction
    over the systems, and ``reject`` says whether the difference counts as significant.
    """
    names = ("low", "high", "+", "-", "p-value", "p-value corrected", "reject")
    return [f"{measure} {name}" for name in names]


def latency_columns() -> list[str]:
    """Return the columns of the response time of one query, in milliseconds."""
    return ["ms median", "ms p95"]


def per_query_scores(
    definition: Definition, runs: Mapping[str, pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame
) -> pd.DataFrame:
    """Return the value of every system, query and measure, in the order of definition, topics, measures."""
    systems = {name: scorable(run, topics) for name, run in runs.items()}
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

    The correction is that of ``pt.Experiment``: each measure's p-values are corrected over the systems that
    are compared with the baseline, one family a measure; measures are not pooled. Without a correction
    ``reject`` compares the plain p-value with alpha.
    """
    compared = definition.baseline is not None and len(runs) > 1
    systems = {name: scorable(run, topics) for name, run in runs.items()}
    options = _comparison(definition) if compared else {}
    table = evaluate(systems, topics, qrels, definition.measure_objects(), **options)
    _add_intervals(table, definition.measures, per_query, qrels)
    for measure in definition.measures if compared else ():
        p = table[f"{measure} p-value"].astype(np.float64)
        if definition.correction is None:
            table[f"{measure} p-value corrected"] = p
            table[f"{measure} reject"] = p < definition.alpha
        for sign in "+-":
            table[f"{measure} {sign}"] = table[f"{measure} {sign}"].astype("Int64")
        table[f"{measure} p-value"] = p
        table[f"{measure} reject"] = table[f"{measure} reject"].astype(bool)
    for column, value in zip(latency_columns(), ("median", "p95"), strict=True):
        table[column] = [_time(latencies.get(name), value) for name in table["name"]]
    wanted = ["name", *definition.measures]
    wanted += [column for measure in definition.measures for column in statistic_columns(measure)]
    wanted += latency_columns()
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


def value_matrix(per_query: pd.DataFrame, measure: str, names: Sequence[str]) -> pd.DataFrame:
    """Return the values of one measure: a row a system, a column a query."""
    rows = per_query[per_query["measure"] == measure]
    return rows.pivot(index="name", columns="qid", values="value").reindex(list(names))


def _add_intervals(table: pd.DataFrame, measures: Sequence[str], per_query: pd.DataFrame, qrels: pd.DataFrame) -> None:
    counts = resampling_counts(per_query["qid"].nunique())
    for measure in measures:
        values = value_matrix(per_query, measure, list(table["name"]))
        weights = _pooled_weights(measure, qrels, list(values.columns))
        array = values.to_numpy(dtype=np.float64)
        table[f"{measure} low"], table[f"{measure} high"] = bootstrap_interval(array, counts, weights)


def _pooled_weights(name: str, qrels: pd.DataFrame, qids: Sequence[str]) -> npt.NDArray[np.float64] | None:
    """Return each query's relevant documents for MicroR, which weighs recalls by them; None for means."""
    measure = parse_measure(name)
    if measure.NAME != "MicroR":
        return None
    relevant = qrels.loc[qrels["label"] >= measure["rel"], "qid"].value_counts()
    return np.array([relevant.get(qid, 0) for qid in qids], dtype=np.float64)
