"""Run an experiment, from its definition to its result."""

from __future__ import annotations

import copy
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
from legalir.experiment.report.result import ExperimentResult
from legalir.experiment.runs.context import collect_context
from legalir.experiment.runs.environment import describe_environment
from legalir.experiment.runs.files import writing
from legalir.experiment.runs.running import make_runs
from legalir.experiment.runs.scores import per_query_scores, score_table
from legalir.frames.as_of import with_as_of
from legalir.frames.columns import unique_queries
from legalir.progress import progress

if TYPE_CHECKING:
    from legalir.collection.collection import Collection
    from legalir.llm.client import Client

REPLIES = "replies.jsonl"
"""File of the replies of language models in the directory of a result: with it, the experiment runs anywhere."""

_log = logging.getLogger("legalir")


def run(
    definition: Definition | Mapping[str, object] | str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    dataset: str | None = None,
    values: Mapping[str, object] | None = None,
    collection: Collection | None = None,
    client: Client | None = None,
    latency_queries: int = 200,
) -> ExperimentResult:
    """Run an experiment.

    A system whose model or package is missing is left out, and the others run: see ``ExperimentResult.absent``.

    Args:
        definition: the path of a YAML file, a mapping with its keys, or a :class:`Definition`.
        out: directory of the result; runs in it that are still valid are reused. None writes nothing.
        dataset: run on this dataset instead of the definition's.
        values: replace the definition's values of these names.
        collection: the collection to search; None opens the dataset.
        client: asks language models; None for that of `collection`, or one for the model of the definition. A model
            that the client names, or ``$LEGALIR_LLM``, comes before that of the definition.
        latency_queries: the most queries to time one by one for each system; 0 times none.

    Raises:
        ExperimentError: the definition or a system is wrong, or `out` cannot be written.
        LegalIRError: a dataset, measure or component cannot be used.
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

        collection = Collection(definition.dataset, client=client)
    asked = collection.client
    asked.llm = asked.llm or definition.llm or None
    start = perf_counter()
    topics, qrels = _judged(collection, definition)
    before = copy.deepcopy(asked.usage)
    folder = None if out is None else Path(out)
    if definition.replies:
        asked.read_replies(Path(definition.replies))
    if folder is not None and (folder / REPLIES).is_file():
        asked.read_replies(folder / REPLIES)
    runs, absent = make_runs(definition, collection, topics, folder, latency_queries)
    frames = {name: run.frame for name, run in runs.items()}
    latencies = {name: run.record.latency for name, run in runs.items()}
    with progress("Scoring", 2) as advance:
        per_query = per_query_scores(definition, frames, topics, qrels, collection.chunks)
        advance(1)
        table = score_table(definition, frames, latencies, per_query)
    context = collect_context(collection, frames.values(), topics, qrels)
    seconds = perf_counter() - start
    environment = describe_environment(
        definition, collection, topics, qrels, runs, absent, seconds, asked.usage.since(before)
    )
    # The directory holds the replies.
    result = ExperimentResult(definition.replace(replies=""), table, per_query, runs, environment, context)
    if folder is not None:
        result.save(folder)
        with writing(folder):
            asked.write_replies(folder / REPLIES)
    return result


experiment = run


def run_all(
    definition: Definition | Mapping[str, object] | str | os.PathLike[str],
    out: str | os.PathLike[str],
    client: Client | None = None,
) -> Iterator[tuple[Path, ExperimentResult]]:
    """Run an experiment on each of its datasets; yield the directory of each result and the result.

    With one dataset that directory is `out`; with several it is a folder in `out`, named after the dataset.

    Raises:
        DatasetNotFound: a dataset does not exist; all of them are looked up before the first run.
        LegalIRError: as :func:`run`.
    """
    from legalir.datasets import load

    definitions = load_definition(definition).each()
    for one in definitions[1:]:
        # A misspelt one must not come up after hours on the others.
        load(one.located(Path.cwd()).dataset)
    for one in definitions:
        folder = Path(out) if len(definitions) == 1 else Path(out) / dataset_slug(one.dataset)
        yield folder, run(one, folder, client=client)


def dataset_slug(dataset: str) -> str:
    """Return the name of a dataset as a file name: ``legalir/koblex`` is ``koblex``."""
    return re.sub(r"[^\w.-]+", "-", dataset.removeprefix("legalir/")).strip("-")


def _judged(collection: Collection, definition: Definition) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the judged queries of the definition's part, and their judgements."""
    topics, qrels = unique_queries(collection.topics(), definition.dataset), collection.qrels()
    topics = topics[topics["qid"].map(definition.keeps).astype(bool)]
    if (day := collection.day(definition.as_of or None)) is not None:
        topics = with_as_of(topics, day)
    judged = topics[topics["qid"].isin(qrels["qid"])].reset_index(drop=True)
    qrels = qrels[qrels["qid"].isin(judged["qid"])].reset_index(drop=True)
    if judged.empty:
        raise ExperimentError(
            f"The dataset {definition.dataset} has no judged queries: an experiment needs some to score."
        )
    if len(judged) < len(topics):
        _log.info("%d of %d queries have no judgements and are left out.", len(topics) - len(judged), len(topics))
    return judged, qrels
