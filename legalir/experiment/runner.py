"""Run an experiment from its definition to its result."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import pandas as pd

from legalir.errors import ExperimentError
from legalir.experiment.definition.definition import Definition, load_definition
from legalir.experiment.report.result import ExperimentResult, collect_context
from legalir.experiment.runs.environment import describe_environment
from legalir.experiment.runs.runs import make_runs
from legalir.experiment.runs.scores import per_query_scores, score_table
from legalir.progress import progress

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

__all__ = ["dataset_slug", "experiment", "run", "run_all"]

_log = logging.getLogger("legalir")


def run(
    definition: Definition | Mapping[str, object] | str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    dataset: str | None = None,
    values: Mapping[str, object] | None = None,
    collection: Collection | None = None,
    latency_queries: int = 200,
) -> ExperimentResult:
    """Run an experiment.

    A system whose model or package is not here is left out, and the others run: see ``ExperimentResult.absent``.

    Args:
        definition: the path of a YAML file, a mapping with its keys, or a :class:`Definition`.
        out: directory of the result; runs in it that are still valid are reused. None keeps all in memory.
        dataset: run on this dataset instead of the definition's.
        values: put these in the place of the definition's values of the same names.
        collection: the collection to search; None opens the dataset.
        latency_queries: the most queries to time one by one for each system; 0 times none.

    Raises:
        ExperimentError: the definition or a system is wrong, or `out` cannot be written.
        LegalIRError: another part has a complaint: an unknown dataset, measure or component.
    """
    definition = load_definition(definition)
    if dataset is not None:
        definition = definition.replace(dataset=dataset, datasets=())
    if values:
        definition = definition.with_values(values)
    if len(definition.datasets) > 1:
        raise ExperimentError("This experiment has several datasets: choose one with dataset=..., or use run_all.")
    definition = definition.located(Path.cwd())
    if collection is None:
        from legalir.collection.collection import Collection

        collection = Collection(definition.dataset)
    start = perf_counter()
    topics, qrels = _judged(collection, definition)
    folder = None if out is None else Path(out)
    made, absent = make_runs(definition, collection, topics, qrels, folder, latency_queries)
    # What has no run is no baseline; the result says of the definition what was asked.
    scored = definition.replace(baseline=None) if definition.baseline in absent else definition
    frames = {name: item.frame for name, item in made.items()}
    latencies = {name: item.record.latency for name, item in made.items()}
    with progress("Scoring", 2) as advance:
        per_query = per_query_scores(scored, frames, topics, qrels)
        advance(1)
        table = score_table(scored, frames, latencies, topics, qrels, per_query)
    context = collect_context(collection, frames, topics, qrels)
    seconds = perf_counter() - start
    environment = describe_environment(definition, collection, topics, qrels, made, absent, seconds)
    result = ExperimentResult(definition, table, per_query, made, environment, context)
    if folder is not None:
        result.save(folder)
    return result


experiment = run


def run_all(
    definition: Definition | Mapping[str, object] | str | os.PathLike[str], out: str | os.PathLike[str]
) -> Iterator[tuple[Path, ExperimentResult]]:
    """Run an experiment on each of its datasets; yield the directory of each result and the result.

    With one dataset that directory is `out`; with several they are below it, named by their dataset.

    Raises:
        DatasetNotFound: there is no such dataset; said of all of them before the first is run on.
        LegalIRError: what :func:`run` raises.
    """
    from legalir.datasets import load

    definitions = load_definition(definition).each()
    for one in definitions[1:]:
        # A misspelt one shall not come up after hours on the others.
        load(one.located(Path.cwd()).dataset)
    for one in definitions:
        folder = Path(out) if len(definitions) == 1 else Path(out) / dataset_slug(one.dataset)
        yield folder, run(one, folder)


def dataset_slug(dataset: str) -> str:
    """Return the name of a dataset as a file name: ``legalir/koblex`` is ``koblex``."""
    return re.sub(r"[^\w.-]+", "-", dataset.removeprefix("legalir/")).strip("-")


def _judged(collection: Collection, definition: Definition) -> tuple[pd.DataFrame, pd.DataFrame]:
    topics, qrels = collection.topics(), collection.qrels()
    topics = topics[topics["qid"].map(definition.keeps).astype(bool)]
    judged = topics[topics["qid"].isin(qrels["qid"])].reset_index(drop=True)
    qrels = qrels[qrels["qid"].isin(judged["qid"])].reset_index(drop=True)
    if judged.empty:
        raise ExperimentError(
            f"The dataset {definition.dataset} has no judged queries: an experiment needs some to score."
        )
    if len(judged) < len(topics):
        _log.info("%d of %d queries have no judgements and are left out.", len(topics) - len(judged), len(topics))
    return judged, qrels
