"""From systems to runs: reuse what is unchanged on disk, run the rest together through ``pt.Experiment``.

The one door to ``pt.Experiment``, and the form in which runs go through it.

Which system an error comes from: PyTerrier runs all of them together, and names none.

The last stage of a system: its run, checked, cut and handed over.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.errors import ExperimentError, LegalIRError, MissingExtra, ModelError, PluginError, describe
from legalir.experiment.definition.definition import Definition
from legalir.experiment.runs.files import (
    RUN_COLUMNS,
    RunRecord,
    read_record,
    read_run,
    run_paths,
    write_record,
    write_run,
)
from legalir.experiment.runs.fingerprints import frame_fingerprint, run_key
from legalir.experiment.runs.latency import measure_latency, sample_queries
from legalir.frames.columns import fed_with_questions
from legalir.frames.ranking import rank_results
from legalir.plugins import plugin_of
from legalir.progress import progress
from legalir.storage.digest import file_digest

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

__all__ = ["Keep", "Run", "System", "evaluate", "holding", "make_runs", "naming", "scorable", "unavailable", "writing"]


def evaluate(
    systems: Mapping[str, pd.DataFrame | pt.Transformer],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    measures: Sequence[object],
    **options: object,
) -> pd.DataFrame:
    """Call ``pt.Experiment`` quietly: nothing printed, and no inspection, which plugins need not support."""
    call = cast("Callable[..., pd.DataFrame]", pt.Experiment)
    return call(dict(systems), topics, qrels, list(measures), validate="ignore", verbose=False, **options)


def scorable(run: pd.DataFrame, topics: pd.DataFrame) -> pd.DataFrame:
    """Return `run` in the form in which it is scored: by its ranks.

    The evaluators break ties in their own ways and some compare scores in single precision; with one score a
    rank, every measure sees the order of the run. ``pt.Experiment`` refuses a system that returned nothing at
    all: such a run gets one row that names no document, and so scores 0.
    """
    if run.empty:
        return pd.DataFrame({"qid": [str(topics["qid"].iloc[0])], "docno": [""], "score": [0.0], "rank": [0]})
    return run.assign(score=-run["rank"].astype(np.float64))


@contextmanager
def naming(pipelines: Mapping[str, pt.Transformer]) -> Iterator[None]:
    """Begin an error of a component, or of a plugin that failed, with the system that was running.

    Args:
        pipelines: those that run, by the names of their systems. Of several that begin alike, the first is named.

    Raises:
        LegalIRError: as it was raised, with the name.
        PluginError: the code of a plugin failed; the message names it, too.
    """
    try:
        yield
    except pt.validate.InputValidationError:
        raise  # A component behind one that does not give its columns: nobody's code failed.
    except Exception as error:
        names = holding(error.__traceback__, pipelines)
        if not names:
            raise
        name = names[0]
        if isinstance(error, LegalIRError):
            raise type(error)(f"The system {name!r}: {error}") from error
        if (plugin := plugin_of(error)) is not None:
            raise PluginError(f"The system {name!r}: The {plugin} failed while it ran: {describe(error)}.") from error
        raise


def holding(traceback: TracebackType | None, pipelines: Mapping[str, pt.Transformer]) -> list[str]:
    """Return the names of all pipelines that have the step which stands outermost in the traceback, or its equal."""
    steps = {id(step): step for pipeline in pipelines.values() for step in _steps(pipeline)}
    while traceback is not None:
        found = steps.get(id(traceback.tb_frame.f_locals.get("self")))
        if found is not None:
            return [name for name, pipeline in pipelines.items() if found in _steps(pipeline)]
        traceback = traceback.tb_next
    return []


def unavailable(error: BaseException | None) -> ModelError | MissingExtra | None:
    """Return the error about an absent model or package from which `error` arose, or which it is; or None."""
    while error is not None and not isinstance(error, ModelError | MissingExtra):
        error = error.__cause__
    return error


def _steps(pipeline: pt.Transformer) -> tuple[pt.Transformer, ...]:
    return tuple(pipeline) if isinstance(pipeline, pt.Compose) else (pipeline,)


class Keep(pt.Transformer):
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
        """Hand over the run; return it in the form in which it is scored."""
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


_log = logging.getLogger("legalir")


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
) -> tuple[dict[str, Run], dict[str, str]]:
    """Return the run of every system, in the order of the definition, and why there is none of the others.

    A run in ``out/runs`` is reused where its key and its sha256 are right. Each new one is on disk as soon as
    it is complete, so that an interrupted experiment goes on where it stopped. A system whose model, or a package
    that it needs, cannot be had is left out, and the others run.

    Raises:
        ExperimentError: a system returns something that is no run, or `out` cannot be written.
        ExpressionError: an expression cannot be read.
        ModelError: no system has its model and its packages.
    """
    absent: dict[str, str] = {}
    systems = _systems(definition, collection, topics, absent)
    paths = {} if out is None else _paths(out, definition, systems)
    runs = _reusable(systems, paths)
    todo = {name: system for name, system in systems.items() if name not in runs}
    if todo:
        runs |= _run_systems(definition, todo, topics, qrels, paths, absent)
    if not runs:
        name, reason = next(iter(absent.items()))
        raise ModelError(f"No system can be run. The system {name!r}: {reason}")
    for name, run in runs.items():
        if run.record.latency is None and latency_queries:
            _time(run, systems[name], topics, latency_queries)
            _save_record(run, paths.get(name))
    order = list(definition.systems)
    return {name: runs[name] for name in order if name in runs}, {
        name: absent[name] for name in order if name in absent
    }


def _time(run: Run, system: System, topics: pd.DataFrame, limit: int) -> None:
    name = run.record.system
    with progress(f"Timing {name}", len(sample_queries(topics, limit))) as advance, naming({name: system.pipeline}):
        latency = measure_latency(system.pipeline, topics, limit=limit, advance=advance)
    run.record = replace(run.record, latency=latency)


def _paths(out: Path, definition: Definition, systems: Mapping[str, System]) -> dict[str, Path]:
    # Named among all, so that a run has one name whether or not the others have their models.
    return {name: path for name, path in run_paths(out / "runs", definition.systems).items() if name in systems}


def _systems(
    definition: Definition, collection: Collection, topics: pd.DataFrame, absent: dict[str, str]
) -> dict[str, System]:
    from legalir.pipeline import canonical

    corpus, asked = collection.fingerprint(), frame_fingerprint(topics)
    systems = {}
    for name, text in definition.expressions().items():
        try:
            expression, pipeline = canonical(text), collection.pipeline(text)
            key = run_key(corpus, asked, expression, pipeline, definition.depth)
        except LegalIRError as error:
            if (cause := unavailable(error)) is None:
                raise type(error)(f"The system {name!r}: {error}") from error
            _leave_out([name], cause, absent)
            continue
        systems[name] = System(expression, pipeline, key)
    return systems


def _leave_out(names: Sequence[str], error: LegalIRError, absent: dict[str, str]) -> None:
    if str(error) not in absent.values():
        _log.warning("Left out %s: %s", "; ".join(names), error)
    absent |= dict.fromkeys(names, str(error))


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
    absent: dict[str, str],
) -> dict[str, Run]:
    runs: dict[str, Run] = {}
    with progress("Running systems", len(systems)) as advance:
        begun = perf_counter()

        def keep(name: str, frame: pd.DataFrame) -> None:
            system = systems[name]
            # The time since the start stands until the system's own is known.
            record = RunRecord(name, system.expression, system.key, "", len(topics), perf_counter() - begun)
            runs[name] = Run(frame, record, reused=False)
            _save(runs[name], paths.get(name))
            advance(1)

        while todo := {name: system for name, system in systems.items() if name not in runs and name not in absent}:
            pipelines = {
                name: system.pipeline >> Keep(name, definition.depth, topics, keep) for name, system in todo.items()
            }
            table = _evaluated(definition, todo, pipelines, topics, qrels, absent)
    judged = qrels["qid"].nunique()
    for name, mean_milliseconds in () if table is None else zip(table["name"], table["mrt"], strict=True):
        run = runs[name]
        run.record = replace(run.record, seconds=float(mean_milliseconds) * judged / 1000.0)
        _save_record(run, paths.get(name))
    return runs


def _evaluated(
    definition: Definition,
    systems: Mapping[str, System],
    pipelines: Mapping[str, pt.Transformer],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    absent: dict[str, str],
) -> pd.DataFrame | None:
    """Run the pipelines and return their times; None where a model was not to be had, and now is known to be absent."""
    measures = [definition.measure_objects()[0], "mrt"]
    own = {name: system.pipeline for name, system in systems.items()}
    try:
        with naming(own):
            try:
                # In the tree plan, what several systems begin with runs once.
                return evaluate(pipelines, topics, qrels, measures, plan="tree")
            except LegalIRError as error:
                cause, names = unavailable(error), holding(error.__traceback__, own)
                if cause is None or not names:
                    raise
                _leave_out(names, cause, absent)
                return None
    except pt.validate.InputValidationError:
        _name_misfit(systems, topics)
        raise


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
        run.record = replace(run.record, sha256=file_digest(path))
    _save_record(run, path)


def _save_record(run: Run, path: Path | None) -> None:
    if path is not None:
        with writing(path.parent):
            write_record(path, run.record)
