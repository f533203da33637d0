"""From systems to runs: reuse what is unchanged on disk, run the rest together through ``pt.Experiment``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.columns import fed_with_questions, rank_results
from legalir.errors import ExperimentError, LegalIRError
from legalir.experiment.definition import Definition
from legalir.experiment.evaluation import evaluate, scorable
from legalir.experiment.failing import naming
from legalir.experiment.fingerprints import frame_fingerprint, run_key
from legalir.experiment.latency import measure_latency, sample_queries
from legalir.experiment.runfile import (
    RUN_COLUMNS,
    RunRecord,
    read_record,
    read_run,
    run_paths,
    write_record,
    write_run,
)
from legalir.files import sha256_of
from legalir.progress import progress

if TYPE_CHECKING:
    from legalir.collection import Collection

__all__ = ["Run", "System", "make_runs", "writing"]


@dataclass
class Run:
    """A run, how it was made, and whether it was found on disk."""

    frame: pd.DataFrame
    record: RunRecord
    reused: bool


@dataclass(frozen=True)
class System:
    """A system that is ready to run: its canonical expression, its pipeline and the key of its run."""

    expression: str
    pipeline: pt.Transformer
    key: str


class _Keep(pt.Transformer):
    """The last stage of a system: hands its results, cut to `depth`, to `keep`.

    ``pt.Experiment`` shares prefixes only in its tree plan, which returns no runs; this stage collects them.
    It is equal to nothing but itself, so that two systems of one expression stay two.
    """

    def __init__(self, system: str, depth: int, topics: pd.DataFrame, keep: Callable[[str, pd.DataFrame], None]):
        self.system, self.depth, self.topics, self.keep = system, depth, topics, keep

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        run = _checked_run(self.system, inp, self.depth)
        self.keep(self.system, run)
        return scorable(run, self.topics)


def _checked_run(system: str, results: pd.DataFrame, depth: int) -> pd.DataFrame:
    missing = [column for column in ("qid", "docno", "score") if column not in results.columns]
    if missing:
        raise ExperimentError(
            f"The system {system!r} returned no column {missing[0]!r}: it must end in documents with scores."
        )
    run = results[["qid", "docno", "score"]].astype({"qid": str, "docno": str, "score": np.float64})
    if not np.isfinite(run["score"].to_numpy()).all():
        raise ExperimentError(f"The system {system!r} returned a score that is not a finite number.")
    repeated = run[run.duplicated(["qid", "docno"])]
    if len(repeated):
        docno, qid = repeated["docno"].iloc[0], repeated["qid"].iloc[0]
        raise ExperimentError(f"The system {system!r} returned {docno} twice for the query {qid}.")
    run = rank_results(run)
    return run.loc[run["rank"] < depth, list(RUN_COLUMNS)].reset_index(drop=True)


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn a failure to write below `folder` into an :class:`ExperimentError`."""
    try:
        yield
    except OSError as error:
        raise ExperimentError(
            f"{folder} cannot be written ({error.strerror or error}): choose another directory, or free some "
            f"space; what was complete is kept."
        ) from error


def make_runs(
    definition: Definition,
    collection: Collection,
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    out: Path | None = None,
    latency_queries: int = 200,
) -> dict[str, Run]:
    """Return the run of every system, in the order of the definition.

    A run in ``out/runs`` is reused where its key and its sha256 are right. Each new one is on disk as soon as
    it is complete, so that an interrupted experiment goes on where it stopped.

    Raises:
        ExperimentError: a system returns something that is no run, or `out` cannot be written.
        ExpressionError: an expression cannot be read.
    """
    systems = _systems(definition, collection, topics)
    paths = {} if out is None else run_paths(out / "runs", systems)
    runs = _reusable(systems, paths)
    todo = {name: system for name, system in systems.items() if name not in runs}
    if todo:
        runs |= _run_systems(definition, todo, topics, qrels, paths)
    for name, run in runs.items():
        if run.record.latency is None and latency_queries:
            timed = sample_queries(topics, latency_queries)
            with progress(f"Timing {name}", len(timed)) as advance, naming({name: systems[name].pipeline}):
                latency = measure_latency(systems[name].pipeline, topics, limit=latency_queries, advance=advance)
            run.record = replace(run.record, latency=latency)
            _save_record(run, paths.get(name))
    return {name: runs[name] for name in systems}


def _systems(definition: Definition, collection: Collection, topics: pd.DataFrame) -> dict[str, System]:
    from legalir.pipeline import canonical

    corpus, asked = collection.fingerprint(), frame_fingerprint(topics)
    systems = {}
    for name, text in definition.systems.items():
        try:
            expression, pipeline = canonical(text), collection.pipeline(text)
        except LegalIRError as error:
            raise type(error)(f"The system {name!r}: {error}") from error
        key = run_key(corpus, asked, expression, pipeline, definition.depth)
        systems[name] = System(expression, pipeline, key)
    return systems


def _reusable(systems: Mapping[str, System], paths: Mapping[str, Path]) -> dict[str, Run]:
    found: dict[str, Run] = {}
    for name, path in paths.items():
        record = read_record(path)
        if record is not None and record.key == systems[name].key:
            found[name] = Run(read_run(path), record, reused=True)
    return found


def _run_systems(
    definition: Definition,
    systems: Mapping[str, System],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    paths: Mapping[str, Path],
) -> dict[str, Run]:
    runs: dict[str, Run] = {}
    with progress("Running systems", len(systems)) as advance:

        def keep(name: str, frame: pd.DataFrame) -> None:
            system = systems[name]
            record = RunRecord(name, system.expression, system.key, "", len(topics), 0.0)
            runs[name] = Run(frame, record, reused=False)
            _save(runs[name], paths.get(name))
            advance(1)

        pipelines = {
            name: system.pipeline >> _Keep(name, definition.depth, topics, keep) for name, system in systems.items()
        }
        measures = [definition.measure_objects()[0], "mrt"]
        # In the tree plan, what several systems begin with runs once.
        try:
            with naming({name: system.pipeline for name, system in systems.items()}):
                table = evaluate(pipelines, topics, qrels, measures, plan="tree")
        except pt.validate.InputValidationError:
            _name_misfit(systems, topics)
            raise
    judged = qrels["qid"].nunique()
    for name, mean_milliseconds in zip(table["name"], table["mrt"], strict=True):
        run = runs[name]
        run.record = replace(run.record, seconds=float(mean_milliseconds) * judged / 1000.0)
        _save_record(run, paths.get(name))
    return runs


def _name_misfit(systems: Mapping[str, System], topics: pd.DataFrame) -> None:
    """Raise for the first system that has a component without the columns it needs; PyTerrier names no system."""
    for name, system in systems.items():
        with fed_with_questions(f"The system {name!r}"):
            # Columns are checked before rows are looked at, so an empty frame is enough.
            system.pipeline.transform(topics.iloc[:0])


def _save(run: Run, path: Path | None) -> None:
    if path is None:
        return
    with writing(path.parent):
        write_run(path, run.frame, run.record.system)
        run.record = replace(run.record, sha256=sha256_of(path))
    _save_record(run, path)


def _save_record(run: Run, path: Path | None) -> None:
    if path is not None:
        with writing(path.parent):
            write_record(path, run.record)
