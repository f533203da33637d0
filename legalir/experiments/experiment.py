"""Run an experiment, from its definition to its result and the description of its environment."""

from __future__ import annotations

import contextlib
import copy
import logging
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from legalir.config import located
from legalir.errors import DatasetNotFound, ExperimentError
from legalir.experiments.definition import Definition, Sample, load_definition, parse_measure
from legalir.experiments.execution import make_runs
from legalir.experiments.fingerprints import frame_fingerprint, legalir_version
from legalir.experiments.queries import collect_context
from legalir.experiments.result import ExperimentResult, ExperimentResults, dataset_slug
from legalir.experiments.runs import Run, writing
from legalir.experiments.scores import is_ranking_measure, per_query_scores, score_table
from legalir.frames.as_of import day_masks, with_as_of
from legalir.frames.columns import unique_queries
from legalir.frames.where import wheres, with_where
from legalir.measure.chunks import rule_of
from legalir.progress import progress
from legalir.storage.validity import Mask, provision_key

if TYPE_CHECKING:
    from legalir.collection.collection import Collection
    from legalir.llm.client import Client, Usage

PACKAGES = (
    *("pyterrier", "ir-datasets", "ir-measures", "pytrec-eval-terrier", "numba", "numpy", "scipy", "pandas"),
    *("scikit-learn", "statsmodels", "networkx", "PyStemmer", "regex", "stop-words", "py3langid", "torch"),
    *("transformers", "sentence-transformers", "tokenizers", "faiss-cpu", "openai", "xllamacpp", "json-repair"),
)
"""Packages whose version may change a score or a time; packages that are not installed are omitted."""


def public_dataset_name(dataset: str) -> str:
    """Return a dataset id unchanged, or the last part of a path, with its split if it has one."""
    path = Path(dataset).expanduser()
    if not (path.is_absolute() or dataset.startswith((".", "~")) or path.is_dir()):
        return dataset
    # "<folder>/<split>" is not a path itself.
    return path.name if path.is_dir() else "/".join(path.parts[-2:])


def describe_environment(
    definition: Definition,
    collection: Collection,
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    runs: Mapping[str, Run],
    absent: Mapping[str, str],
    seconds: float,
    usage: Usage,
) -> dict[str, object]:
    """Return the content of ``environment.json``: versions, machine, fingerprints, values, and how each run was made.

    `absent` holds the reason for each system without a run, `usage` the usage of language models.
    """
    from legalir.pipeline import canonical
    from legalir.pipeline.default import tuned_digest

    shown = definition.shown()
    expressions = {
        name: text if name in definition.objects else canonical(text) for name, text in shown.expressions().items()
    }
    uses_default = any("default" in text for text in expressions.values())
    return {
        **describe_machine(),
        "dataset": {
            "id": public_dataset_name(definition.dataset),
            "corpus": collection.fingerprint(),
            "topics": frame_fingerprint(topics),
            "qrels": frame_fingerprint(qrels),
            "queries": len(topics),
            "judgements": len(qrels),
            "chunks": _chunk_rules(definition, collection),
            "language": collection.language,
            "tuned": tuned_digest(collection) if uses_default else None,
        },
        "values": dict(shown.values),
        "systems": {
            name: {"expression": text} | (_how(runs[name]) if name in runs else {"absent": absent[name]})
            for name, text in expressions.items()
        },
        "llm": _llm(collection.client, usage, runs.values()),
        "finished": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round(seconds, 3),
    }


def describe_machine() -> dict[str, object]:
    """Return the versions of what is installed, and the machine."""
    return {
        "legalir": legalir_version(),
        "python": platform.python_version(),
        "packages": _packages(),
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "processors": os.cpu_count(),
        },
    }


def _chunk_rules(definition: Definition, collection: Collection) -> dict[str, str] | None:
    """Return the rules by which chunks count, also of each measure of rankings; None if documents are provisions."""
    if collection.chunks is None:
        return None
    measures = {name: parse_measure(name) for name in definition.measures if is_ranking_measure(name)}
    return {"held": definition.chunks, **{name: rule_of(measure) for name, measure in measures.items()}}


def _how(run: Run) -> dict[str, object]:
    how = {"key": run.record.key, "seconds": round(run.record.seconds, 3), "reused": run.reused}
    how |= {"notes": remarks} if (remarks := run.remarks()) else {}
    return how if run.record.llm is None else {**how, "llm": run.record.llm}


def _llm(client: Client, usage: Usage, runs: Iterable[Run]) -> dict[str, object] | None:
    """Return this run's usage of language models, with the models of all runs; None if no system asks a model."""
    models: dict[str, str] = {}
    for run in runs:
        asked = (run.record.llm or {}).get("models")
        models |= asked if isinstance(asked, Mapping) else {}
    models |= usage.models if usage.asked + usage.stored else {}
    return {"model": client.llm_name(), **usage.to_dict(), "models": models} if models else None


def _packages() -> dict[str, str]:
    versions = {}
    for name in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


REPLIES = "replies.jsonl"
"""File of the replies of language models in the directory of a result: with it, the experiment runs anywhere."""

_log = logging.getLogger("legalir")


def run(
    definition: Definition | Mapping[str, object] | str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    dataset: str | None = None,
    values: Mapping[str, object] | None = None,
    topics: pd.DataFrame | None = None,
    qrels: pd.DataFrame | None = None,
    collection: Collection | None = None,
    client: Client | None = None,
    latency_queries: int = 200,
    jobs: int = 1,
    at_hand: bool = False,
) -> ExperimentResult | ExperimentResults:
    """Run an experiment.

    A system whose model or package is missing is skipped, and all other systems run: see ``ExperimentResult.absent``.
    An experiment on several datasets gives :class:`ExperimentResults`, which has the result of each.

    Args:
        definition: the path of a YAML file, a mapping with its keys, or a :class:`Definition`. In a mapping a system
            may be a ``pt.Transformer``, too.
        out: directory of the result; runs in it that are still valid are reused. None writes nothing. With several
            datasets, each result is in a folder of it.
        dataset: run on this dataset instead of the definition's.
        values: replace the definition's values of these names.
        topics: questions that replace the dataset's; columns ``qid, query`` and any others.
        qrels: judgements that replace the dataset's; columns ``qid, docno, label``.
        collection: the collection to search; None opens the dataset.
        client: asks language models; None for the client of `collection`, or a client for the definition's model. The
            client's own model, or ``$LEGALIR_LLM``, has priority over the definition's model.
        latency_queries: the most queries to time one by one for each system; 0 times none.
        jobs: number of processes that run systems. Each system runs by itself there, so that steps that several of them
            share run more than once; systems that ask a language model run in this process. Scores are the same.
        at_hand: run on those of several datasets that are on this machine; ``ExperimentResults.absent`` has the others.

    Raises:
        ExperimentError: the definition or a system is wrong, `out` cannot be written, or no dataset is at hand.
        LegalIRError: a dataset, measure or component cannot be used.
    """
    definition = load_definition(definition)
    if dataset is not None:
        definition = definition.replace(dataset=dataset, datasets=())
    if values:
        definition = definition.with_values(values)
    definition = definition.with_frames(topics=topics, qrels=qrels).located(Path.cwd())
    if len(definition.datasets) < 2:
        return _run_one(definition, out, collection, client, latency_queries, jobs)
    if collection is not None:
        raise ExperimentError("This experiment has several datasets and one collection: choose one with dataset=….")
    each = run_all(definition, out, client, latency_queries, jobs, at_hand)
    results = ExperimentResults(definition, [result for _, result in each])
    if out is not None:
        results.save(out)
    return results


def _run_one(
    definition: Definition,
    out: str | os.PathLike[str] | None,
    collection: Collection | None,
    client: Client | None,
    latency_queries: int,
    jobs: int,
) -> ExperimentResult:
    """Run an experiment on one dataset; arguments and errors as :func:`run`."""
    if collection is not None:
        _check_dataset(collection, definition)
    else:
        from legalir.collection.collection import Collection

        collection = Collection(definition.dataset, client=client, where=definition.where)
    where = collection.filter(definition.where or None)
    asked = collection.client
    asked.llm = asked.llm or definition.llm or None
    start = perf_counter()
    topics, qrels, sample = _sampled(*_judged(collection, definition), collection, definition.sample)
    clusters, groups = (_values(topics, key, getattr(definition, key)) for key in ("cluster", "by"))
    before = copy.deepcopy(asked.usage)
    folder = None if out is None else Path(out)
    if definition.replies:
        asked.read_replies(Path(definition.replies))
    if folder is not None and (folder / REPLIES).is_file():
        asked.read_replies(folder / REPLIES)
    runs, absent = make_runs(definition, collection, topics, folder, latency_queries, jobs)
    frames = {name: run.frame for name, run in runs.items()}
    _check_filters(frames, topics, collection)
    latencies = {name: run.record.latency for name, run in runs.items()}
    failed: dict[str, str] = {}
    with progress("Scoring", 2) as advance:
        per_query = per_query_scores(definition, frames, topics, qrels, collection.chunks, failed)
        advance(1)
        table = score_table(definition, frames, latencies, per_query, clusters)
    context = collect_context(collection, frames.values(), topics, qrels)
    seconds = perf_counter() - start
    environment = describe_environment(
        definition, collection, topics, qrels, runs, absent, seconds, asked.usage.since(before)
    )
    chosen = {"part": definition.part, "as of": definition.as_of or collection.as_of, "where": where}
    scope = [*(f"{name} {value}" for name, value in chosen.items() if value), sample]
    if scope := [*filter(None, [*scope, _outside(topics, qrels, collection)])]:
        environment["scope"] = "; ".join(scope)
    environment |= {"unmeasured": failed} if failed else {}
    environment |= {"clusters": clusters} if clusters else {}
    environment |= {"groups": groups} if groups else {}
    # The directory contains the replies.
    result = ExperimentResult(definition.replace(replies=""), table, per_query, runs, environment, context)
    if folder is not None:
        result.save(folder)
        with writing(folder):
            asked.write_replies(folder / REPLIES)
    return result


experiment = run


def _check_filters(frames: Mapping[str, pd.DataFrame], topics: pd.DataFrame, collection: Collection) -> None:
    """Check that the results of each system pass the filters of the questions.

    Raises:
        ExperimentError: one does not.
    """
    filters = {qid: where for qid, where in zip(topics["qid"], wheres(topics), strict=True) if where}
    for name, frame in frames.items():
        if filters and "docno" in frame.columns:
            for qid, rows in frame[frame["qid"].isin(filters)].groupby("qid"):
                docnos = rows["docno"].tolist()
                if not (passes := collection.fields().lets_pass(filters[qid], docnos)).all():
                    raise ExperimentError(
                        f"{name}: {docnos[passes.argmin()]!r} is a result of {qid!r} and does not pass its filter, "
                        f"{filters[qid]}: a component does not read filters; take the system or the filter away."
                    )


def _outside(topics: pd.DataFrame, qrels: pd.DataFrame, collection: Collection) -> str:
    """Return a clause about the relevant provisions that filter or day keep from being found; empty for none."""
    filters, validity = wheres(topics), None
    if collection.dated and collection.chunks is None:
        validity = collection.source.store.validity
    if validity is None and not any(filters):
        return ""
    relevant, docnos = qrels[qrels["label"] > 0], collection.source.store.docnos
    keys: dict[str, list[str]] = {}
    for docno in () if validity is None else docnos.array.tolist():
        keys.setdefault(provision_key(docno), []).append(docno)

    def can_be_found(versions: Sequence[str], where: str, in_force: Mask | None) -> bool:
        """Return True if a version passes; a docno that the collection lacks is counted elsewhere."""
        passes = collection.fields().lets_pass(where, versions) if where else np.ones(len(versions), dtype=bool)
        if in_force is not None:
            places = docnos.numbers(versions)
            passes = passes & ((places < 0) | in_force[places])
        return bool(passes.any())

    judged = relevant.groupby("qid")["docno"].agg(list)
    lost = [
        qid
        for qid, where, (_, in_force) in zip(topics["qid"], filters, day_masks(topics, validity), strict=True)
        for docno in judged.get(qid, ())
        if not can_be_found(keys.get(docno, [docno]), where, in_force)
    ]
    if not lost:
        return ""
    reasons = ["outside of the filter"] * any(filters) + ["not in force on the day"] * (validity is not None)
    counts = f"{len(lost)} of {len(relevant)} relevant provisions, for {len(set(lost))} of the questions"
    return f"{counts}, are {' or '.join(reasons)} and count as not found"


_MOST_GROUPS = 50
"""Largest number of values of the column `by`: each has a column in the tables."""


def _values(topics: pd.DataFrame, key: str, name: str) -> dict[str, str] | None:
    """Return the value of each question in the column that `cluster` or `by` names; None without a name.

    A question without a value is a cluster of its own, and in the group ``–``.

    Raises:
        ExperimentError: the questions have no such column, or `by` names one with too many values.
    """
    if not name:
        return None
    if name not in topics.columns:
        raise ExperimentError(
            f"{key}: the questions have no column {name!r} (their columns: {', '.join(topics.columns)})."
        )
    column = topics[name].astype(object).where(topics[name].notna() & (topics[name] != ""), None)
    # A whole number beside missing ones is a float in a frame.
    whole = [int(value) if isinstance(value, float) and value.is_integer() else value for value in column]
    pairs = list(zip(topics["qid"], whole, strict=True))
    if key == "by" and (count := len({str(value) for _, value in pairs})) > _MOST_GROUPS:
        raise ExperimentError(
            f"by: the column {name!r} has {count} values; name one with at most {_MOST_GROUPS}, such as a type."
        )
    none = {qid: "–" if key == "by" else f"={qid}" for qid, value in pairs if value is None}
    return {qid: none.get(qid, str(value)) for qid, value in pairs}


def run_all(
    definition: Definition | Mapping[str, object] | str | os.PathLike[str],
    out: str | os.PathLike[str] | None,
    client: Client | None = None,
    latency_queries: int = 200,
    jobs: int = 1,
    at_hand: bool = False,
) -> Iterator[tuple[Path, ExperimentResult]]:
    """Run an experiment on each of its datasets; yield the directory of each result and the result.

    With one dataset that directory is `out`; with several it is a folder in `out`, named after the dataset. Without
    `out` nothing is written. With `at_hand`, datasets that are not on this machine are left out.

    Raises:
        DatasetNotFound: a dataset does not exist; all of them are looked up before the first run.
        LegalIRError: as :func:`run`.
    """
    from legalir.datasets import load

    definition = load_definition(definition).located(Path.cwd())
    definitions = definition.each()
    for name in ("topics", "qrels"):
        if len(definitions) > 1 and definition.frame(name) is not None:
            raise ExperimentError(f"{name!r} belong to one dataset, and this experiment has several: choose one.")
    alone = len(definitions) == 1
    if at_hand and not alone:
        definitions = [one for one in definitions if dataset_state(one.dataset) == AT_HAND]
        if not definitions:
            raise ExperimentError(f"None of the {len(definition.datasets)} datasets is at hand.")
    for one in definitions[1:]:
        # A misspelt name must be found now, not after hours of other systems.
        load(one.dataset)
    for one in definitions:
        folder = Path(out or ".") if alone else Path(out or ".") / dataset_slug(one.dataset)
        yield folder, _run_one(one, None if out is None else folder, None, client, latency_queries, jobs)


AT_HAND = "at hand"


def dataset_state(dataset: str) -> str:
    """Return ``at hand``, ``not fetched`` or ``unknown``; nothing is fetched."""
    from legalir.datasets import load

    try:
        return AT_HAND if load(dataset).outline.fetched() else "not fetched"
    except DatasetNotFound:
        return "unknown"


def _reported(qrels: pd.DataFrame, collection: Collection) -> pd.DataFrame:
    """Return judgements; warn of those of provisions that are not in the collection, which lower all figures."""
    if collection.chunks is not None:
        return qrels  # They are of provisions, not of chunks.
    docnos = list(dict.fromkeys(qrels["docno"]))
    there = set(collection.provisions(docnos))
    if collection.dated:
        there |= set(map(provision_key, collection.source.docnos()))
    if unknown := [docno for docno in docnos if docno not in there]:
        count = int(qrels["docno"].isin(unknown).sum())
        _log.warning("%d judgements are of provisions that %s lacks, such as %r.", count, collection.id, unknown[0])
    return qrels


def _check_dataset(collection: Collection, definition: Definition) -> None:
    """Check that a collection is the dataset of a definition, by its id or path, or else by its content.

    Raises:
        ExperimentError: it is another one.
    """
    if located(collection.id, Path.cwd()) == definition.dataset:
        return
    from legalir.datasets import load

    named, given = load(definition.dataset), collection.source
    if (named.fingerprint(), named.topics_fingerprint()) != (given.fingerprint(), given.topics_fingerprint()):
        raise ExperimentError(
            f"The collection is {collection.id}, and the dataset of the experiment is {definition.dataset}: give the "
            f"collection of that dataset, or dataset={collection.id!r}."
        )


def _judged(collection: Collection, definition: Definition) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the judged queries of the definition's part, and their judgements."""
    topics, qrels = definition.frame("topics"), definition.frame("qrels")
    topics = unique_queries(collection.topics() if topics is None else topics, definition.dataset)
    qrels = _reported(collection.qrels() if qrels is None else qrels, collection)
    if definition.out_of_scope:
        outside = collection.source.out_of_scope()
        parts = topics.assign(out_of_scope=False), outside.assign(out_of_scope=True)
        topics = unique_queries(pd.concat(parts, ignore_index=True), definition.dataset)
        # A label of 0 says that a question is judged, and that no provision answers it.
        nothing = outside[["qid"]].assign(docno=next(iter(collection.source.docnos())), label=0)
        qrels = pd.concat([qrels, nothing], ignore_index=True)
    if lost := qrels.loc[~qrels["qid"].isin(topics["qid"]), "qid"].unique().tolist():
        _log.warning(
            "%d of %d judged questions are left out, because %s has no text of them, such as %r.",
            len(lost),
            qrels["qid"].nunique(),
            definition.dataset,
            lost[0],
        )
    topics = topics[topics["qid"].map(definition.keeps).astype(bool)]
    if (day := collection.day(definition.as_of or None)) is not None:
        topics = with_as_of(topics, day)
    if where := collection.filter(definition.where or None):
        topics = with_where(topics, where)
    judged = topics[topics["qid"].isin(qrels["qid"])].reset_index(drop=True)
    qrels = qrels[qrels["qid"].isin(judged["qid"])].reset_index(drop=True)
    if judged.empty:
        raise ExperimentError(
            f"The dataset {definition.dataset} has no judged queries: an experiment needs some to score."
        )
    if len(judged) < len(topics):
        _log.info("%d of %d queries have no judgements and are left out.", len(topics) - len(judged), len(topics))
    return judged, qrels


def _sampled(
    topics: pd.DataFrame, qrels: pd.DataFrame, collection: Collection, sample: Sample | None
) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Return the questions of a sample in their order, their judgements, and a clause about it; without one, all.

    Raises:
        ExperimentError: neither the questions nor their judged provisions have the column `by`.
    """
    if sample is None:
        return topics, qrels, ""
    values = dict.fromkeys(topics["qid"], "")
    if sample.by in topics.columns:
        pairs = zip(topics["qid"], topics[sample.by], strict=True)
        values |= {qid: "" if one is None or one != one else str(one) for qid, one in pairs}
    elif sample.by:
        best = qrels.sort_values("label", ascending=False, kind="stable").drop_duplicates("qid")
        provisions = collection.provisions(best["docno"])
        for qid, docno in zip(best["qid"], best["docno"], strict=True):
            values[qid] = provisions[docno]._asdict().get(sample.by, "") if docno in provisions else ""
    if sample.by and not any(values.values()):
        raise ExperimentError(
            f"sample: by={sample.by!r} has no values: the questions of {collection.id} have the columns "
            f"{', '.join(topics.columns)}, and their judged provisions no such field."
        )
    drawn = set(sample.drawn(values))
    without = set(values.values()) - {values[qid] for qid in drawn}
    by = f" by {sample.by}" if sample.by else ""
    about = f"a sample{by} of {len(topics)}, seed {sample.seed}"
    if without:
        about += f", in which {len(without)} of {len(set(values.values()))} values of {sample.by} are not"
    kept = topics[topics["qid"].isin(drawn)].reset_index(drop=True)
    return kept, qrels[qrels["qid"].isin(drawn)].reset_index(drop=True), about
