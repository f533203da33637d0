"""Running the systems of an experiment: read unchanged runs from disk, and run shared steps only once.

The plan for shared steps is the same as in ``pt.Experiment(plan="tree")``, which stops at the first system that fails,
keeps no run, and loses one of two equal systems. Here a system without its model is left out, each run is on disk as
soon as it is complete, and an error names its system.
"""

from __future__ import annotations

import copy
import logging
import math
import operator
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial, reduce
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.answer.generator import ANSWER_COLUMNS, Answer, with_unanswered
from legalir.answer.given import Golden
from legalir.declared import check_number
from legalir.errors import ExperimentError, LegalIRError, MissingExtra, ModelError, PluginError, describe
from legalir.executors import Sent, mapped
from legalir.experiments.definition import Definition
from legalir.experiments.fingerprints import NoFingerprint, frame_fingerprint, notes, run_key, used_by
from legalir.experiments.runs import (
    RANKED_COLUMNS,
    Run,
    RunRecord,
    answers_frame,
    has_answers,
    load_run,
    measure_latency,
    record_paths,
    sample_queries,
    save_record,
    save_run,
)
from legalir.experiments.tracking import tracked
from legalir.frames.chain import step
from legalir.frames.columns import fed_with_questions
from legalir.frames.ranking import RankedLists, falling, rank_results
from legalir.frames.retriever import Retriever
from legalir.llm.client import Client, Usage
from legalir.pipeline.stored_run import StoredRun
from legalir.plugins import package_of
from legalir.progress import progress
from legalir.storage.digest import cached_file_digest, digest

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

_log = logging.getLogger("legalir")


@dataclass(frozen=True)
class _System:
    """A system that is ready to run.

    Attributes:
        expression: its canonical expression.
        pipeline: the system.
        judges: what judges its answers, if it gives answers.
        key: of its run; empty if the run can never be reused.
        path: of its record, None where nothing is written.
    """

    expression: str
    pipeline: pt.Transformer
    judges: tuple[pt.Transformer, ...]
    key: str
    path: Path | None

    def steps(self) -> tuple[pt.Transformer, ...]:
        return tuple(self.pipeline) if isinstance(self.pipeline, pt.Compose) else (self.pipeline,)


def make_runs(
    definition: Definition,
    collection: Collection,
    topics: pd.DataFrame,
    out: Path | None = None,
    latency_queries: int = 200,
    jobs: int = 1,
) -> tuple[dict[str, Run], dict[str, str]]:
    """Return the run of each system, in the order of the definition, and for each other system why it has none.

    A run in ``out/runs`` is reused where its key and its sha256 are right and no reply of a model is missing. Each new
    one is on disk as soon as it is complete, so that an interrupted experiment continues where it stopped. A system
    whose model or package is missing is skipped, and all other systems run. Answers have a row for each question; the
    judges of the definition read them.

    Args:
        definition: the definition of the experiment.
        collection: the collection to search.
        topics: columns ``qid, query`` and any others.
        out: directory of the result, or None.
        latency_queries: the most queries to time one by one for each system; 0 times none.
        jobs: number of processes that run systems, see :func:`_by_processes`; 1 for this process alone.

    Raises:
        ComponentError: `jobs` is not an integer of at least 1.
        ExperimentError: the results of a system are not a run, `out` cannot be written, or ``golden`` is asked for
            judgements that are not those of the dataset.
        ExpressionError: an expression cannot be read.
        ModelError: every system lacks its model or a package.
    """
    check_number("experiment", "jobs", jobs, low=1, integer=True)
    absent: dict[str, str] = {}
    systems = _systems(definition, collection, topics, out, absent)
    runs: dict[str, Run] = {}
    for name, system in systems.items():
        run = load_run(system.path, system.key) if system.path is not None and system.key else None
        # Without a model, nothing more than the stored replies can be had.
        again = collection.client.retry_failed and not collection.client.offline
        if run is not None and (not run.failed if again else run.is_finished or collection.client.offline):
            runs[name] = run
    todo = [name for name in systems if name not in runs]
    questions = _questions(definition, collection, topics)
    with progress("Running systems", len(todo)) as advance, tracked(bool(todo)) as resources:
        run_all = _run_and_judge if jobs == 1 else partial(_by_processes, jobs)
        for name, results, spent in run_all(systems, todo, topics, absent, collection.client):
            system = systems[name]
            record = RunRecord(name, system.expression, system.key, "", len(topics), spent.seconds)
            remarks = [remark for step in (system.pipeline, *system.judges) for remark in notes(step)]
            remarks += dict.fromkeys(_left_out_of(system.pipeline, *questions))
            found = checked_run(name, results, definition.depth, topics.columns)
            if missed := len(topics) - found["qid"].nunique():
                asked = f"all {len(topics)}" if missed == len(topics) else f"{missed} of {len(topics)}"
                remarks.append(f"no result for {asked} questions")
            runs[name] = Run(found, replace(record, llm=spent.llm(), notes=remarks))
            if system.path is not None:
                save_run(system.path, runs[name])
            advance(1)
    if resources:
        # Systems share steps, so that what they use is known of all of them together.
        resources["recorded"]["systems"] = [name for name in todo if name in runs]
        for name in todo:
            if name in runs:
                runs[name].record = replace(runs[name].record, resources=resources)
                if (path := systems[name].path) is not None:
                    save_record(path, runs[name].record)
    if not runs:
        name, reason = next(iter(absent.items()))
        raise ModelError(f"No system can be run. The system {name!r}: {reason}")
    for name, run in runs.items():
        if run.record.latency is None and latency_queries:
            _time(run, systems[name], topics, latency_queries)
    for name, run in runs.items():
        run.limit = _limit(systems[name].pipeline, run.frame, definition.deepest)
    order = list(definition.systems)
    runs = {name: runs[name] for name in order if name in runs}
    return runs, {name: absent[name] for name in order if name in absent}


def _run_and_judge(
    systems: Mapping[str, _System],
    names: Sequence[str],
    topics: pd.DataFrame,
    absent: dict[str, str],
    client: Client,
) -> Iterator[tuple[str, pd.DataFrame, Spent]]:
    """Run some systems, and the judges of systems that give answers; yield as :func:`run_together`."""
    steps = {name: systems[name].steps() for name in names}
    for name, results, spent in run_together(steps, topics, absent, client, asked=topics):
        if not has_answers(results):
            yield name, results, spent
            continue
        for _, judged, total in run_together({name: systems[name].judges}, results, absent, client, spent):
            if not has_answers(judged):
                raise ExperimentError(f"'judges' must be judges of answers: after them {name!r} had no answers.")
            yield name, judged, total


def _by_processes(
    jobs: int,
    systems: Mapping[str, _System],
    names: Sequence[str],
    topics: pd.DataFrame,
    absent: dict[str, str],
    client: Client,
) -> Iterator[tuple[str, pd.DataFrame, Spent]]:
    """Run some systems in processes, each by itself; arguments and results as :func:`_run_and_judge`.

    A system that asks a language model runs in this process, because limits and counts of requests belong to one
    client.

    Raises:
        ExperimentError: a system cannot be sent to another process.
        WorkerError: a process ended.
    """
    here = [name for name in names if _asks(name, systems[name])]
    sent = {name: systems[name] for name in names if name not in here}
    if sent:
        runs = mapped(Sent(partial(_run_alone, sent, topics)), sent, workers=min(jobs, len(sent)))
        for found, missing, messages in runs:
            for level, message in messages:
                _log.log(level, message)
            for name, reason in missing.items():
                _leave_out([name], reason, absent)
            yield from found
    yield from _run_and_judge(systems, here, topics, absent, client)


def _asks(name: str, system: _System) -> bool:
    """Return True if a part of a system has a client of language models.

    Raises:
        ExperimentError: the system cannot be pickled.
    """
    from cloudpickle import Pickler

    from legalir.collection.collection import Collection

    clients: list[Client] = []

    class Visitor(Pickler):  # type: ignore[misc]  # it has no types
        """Looks at each object that would travel."""

        def persistent_id(self, held: object) -> str | None:
            if isinstance(held, Client):
                clients.append(held)
            # A component that asks a model has the client itself; the collection's client is for other components.
            return "not entered" if isinstance(held, Client | Collection) else None

    try:
        Visitor(BytesIO()).dump((system.pipeline, system.judges))
    except Exception as error:
        raise ExperimentError(
            f"The system {name!r} cannot be sent to another process ({describe(error)}): run it without jobs."
        ) from error
    return bool(clients)


def _run_alone(
    systems: Mapping[str, _System], topics: pd.DataFrame, name: str
) -> tuple[list[tuple[str, pd.DataFrame, Spent]], dict[str, str], list[tuple[int, str]]]:
    """Return the results of a system as :func:`_run_and_judge`, why it has none, and the messages of its components."""
    absent: dict[str, str] = {}
    messages: list[tuple[int, str]] = []

    def keep(record: logging.LogRecord) -> bool:
        if record.msg != _LEFT_OUT:  # The calling process reports it.
            messages.append((record.levelno, record.getMessage()))
        return False

    _log.addFilter(keep)
    try:
        return list(_run_and_judge(systems, [name], topics, absent, Client())), absent, messages
    finally:
        _log.removeFilter(keep)


def _systems(
    definition: Definition, collection: Collection, topics: pd.DataFrame, out: Path | None, absent: dict[str, str]
) -> dict[str, _System]:
    from legalir.pipeline import canonical
    from legalir.pipeline.default import default_expression

    corpus, asked = digest([*_read_of(collection)]), frame_fingerprint(topics)
    if definition.replies:  # They come before what a model would reply.
        asked = digest([asked, cached_file_digest(Path(definition.replies))])
    # All systems get a path, so that the name of a file does not depend on which models are there.
    paths = {} if out is None else record_paths(out / "runs", definition.systems)
    systems = {}
    without: dict[str, str] = {}
    for name, text in definition.expressions().items():
        try:
            if given := definition.objects.get(name):
                expression, pipeline = text, given
            else:
                expression, pipeline = canonical(text), collection.pipeline(text)
            if _returns_judged(pipeline) and not _judged_alike(definition.frame("qrels"), collection, topics):
                raise ExperimentError(
                    "golden returns the judgements of the dataset, and this experiment has qrels of its own: leave "
                    "golden out, or write the judgements to a folder and use it as the dataset."
                )
            judged = definition.judge_expressions() if definition.judges and _may_answer(pipeline) else []
            judges = _judges(judged, collection, without)
            # What default means depends on the collection, and on its tuned.yaml.
            meaning = f"{expression}, {default_expression(collection)}" if "default" in expression else expression
            meaning = " >> ".join([meaning, *map(canonical, judges)])
            try:
                key = run_key(
                    corpus, asked, meaning, reduce(operator.rshift, judges.values(), pipeline), definition.depth
                )
            except NoFingerprint as error:
                _log.warning("The run of %s cannot be reused: %s.", name, error)
                key = ""
        except LegalIRError as error:
            if (cause := _missing(error)) is None:
                raise type(error)(f"The system {name!r}: {error}") from error
            _leave_out([name], str(cause), absent)
            continue
        systems[name] = _System(expression, pipeline, tuple(judges.values()), key, paths.get(name))
    return systems


def _read_of(collection: Collection) -> Iterator[object]:
    """Yield what any component may read of a collection besides its links, questions and judgements."""
    yield collection.fingerprint()
    yield collection.language
    # Lookup and citations read other names of laws, and follow provisions that were renumbered.
    yield [collection.source.aliases, collection.source.replaced]
    if collection.chunks is not None:
        folder = collection.source.folder
        yield [cached_file_digest(path) for path in (folder.chunks, folder.provisions) if path is not None]


def _judges(expressions: Sequence[str], collection: Collection, without: dict[str, str]) -> dict[str, pt.Transformer]:
    """Return the judges by expression; one without its model is left out: `without` gets the reason."""
    judges: dict[str, pt.Transformer] = {}
    for expression in expressions:
        try:
            judges[expression] = collection.pipeline(expression)
        except LegalIRError as error:
            if (cause := _missing(error)) is None:
                raise
            _leave_out([f"the judge {expression}"], str(cause), without)
    return judges


class Spent(NamedTuple):
    """Time and requests of the steps of a system.

    Attributes:
        seconds: time.
        usage: usage of language models.
    """

    seconds: float = 0.0
    usage: Usage = Usage()

    def llm(self) -> dict[str, object] | None:
        """Return the usage of language models, or None if no model was asked."""
        return self.usage.to_dict() if self.usage.asked + self.usage.stored else None


def run_together(
    pipelines: Mapping[str, Sequence[pt.Transformer]],
    state: pd.DataFrame | RankedLists,
    absent: dict[str, str],
    client: Client | None = None,
    spent: Spent | None = None,
    *,
    asked: pd.DataFrame | None = None,
) -> Iterator[tuple[str, pd.DataFrame, Spent]]:
    """Run pipelines; steps that several of them begin with run once.

    Args:
        pipelines: the steps of each system.
        state: input of the first steps, a frame or ranked lists.
        absent: gets the reason for each system whose model or package is missing; these are left out.
        client: the client that the steps ask.
        spent: what earlier steps took.
        asked: the questions; after the first step that gives answers, rows are added for questions without one.

    Yields:
        The name of a system, its results, and the cost of its steps; shared steps count in full.

    Raises:
        LegalIRError: a step fails on purpose; the message begins with the system.
        PluginError: the code of a plugin fails.
    """
    client, spent = client or Client(), spent or Spent()
    branches: dict[pt.Transformer, dict[str, Sequence[pt.Transformer]]] = {}
    for name, steps in pipelines.items():
        if steps:
            branches.setdefault(steps[0], {})[name] = steps[1:]
        else:
            yield name, state.frame() if isinstance(state, RankedLists) else state, spent
    for first, rest in branches.items():
        start, before = perf_counter(), copy.deepcopy(client.usage)
        with naming(next(iter(rest))):
            try:
                results = step(first, state)
            except LegalIRError as error:
                if (cause := _missing(error)) is None:
                    raise
                _leave_out(list(rest), str(cause), absent)
                continue
        total = Spent(spent.seconds + perf_counter() - start, spent.usage.plus(client.usage.since(before)))
        if asked is not None and isinstance(results, pd.DataFrame) and has_answers(results):
            results = every_answer(results, asked)
        yield from run_together(rest, results, absent, client, total, asked=asked)


def _missing(error: BaseException | None) -> ModelError | MissingExtra | None:
    """Return the error about a missing model or package that `error` is or was raised from; None for other errors."""
    while error is not None and not isinstance(error, ModelError | MissingExtra):
        error = error.__cause__
    return error


_LEFT_OUT = "Left out %s: %s"


def _leave_out(names: Sequence[str], reason: str, absent: dict[str, str]) -> None:
    if reason not in absent.values():
        _log.warning(_LEFT_OUT, "; ".join(names), reason)
    absent |= dict.fromkeys(names, reason)


def _may_answer(pipeline: pt.Transformer) -> bool:
    """Return True if a pipeline ends in answers, or if this is unknown before it runs."""
    outputs = pt.inspect.transformer_outputs(pipeline, ["qid", "query"], strict=False)
    return outputs is None or "qanswer" in outputs


@contextmanager
def naming(system: str) -> Iterator[None]:
    """Begin the error of a component, or of a plugin that failed, with the system that is running.

    Raises:
        LegalIRError: as it was raised, with the name.
        PluginError: the code of a plugin failed; the message names the plugin, too.
    """
    with fed_with_questions(f"The system {system!r}"):
        try:
            yield
        except LegalIRError as error:
            raise type(error)(f"The system {system!r}: {error}") from error
        except pt.validate.InputValidationError:
            raise  # A component lacks columns that the one before it does not give: nobody's code failed.
        except Exception as error:
            if (package := package_of(error)) is None:
                raise
            cause = describe(error)
            raise PluginError(f"The system {system!r}: Package {package} failed while it ran: {cause}.") from error


def every_answer(answers: pd.DataFrame, asked: pd.DataFrame) -> pd.DataFrame:
    """Return answers with a row for each question; a question that has none gets an abstention.

    A generator that is not a :class:`legalir.answer.generator.Generator` may give `qanswer` alone. Its answers then
    have the state ``ok`` and are no abstentions; what they cite, quote or were made from is unknown and gets no column.
    """
    unknown = [name for name in ANSWER_COLUMNS if name not in answers.columns]
    told = {name: value for name, value in Answer("").row().items() if name in unknown and name in _TOLD}
    whole = with_unanswered(answers.assign(**told), asked)
    return whole.drop(columns=[name for name in unknown if name not in told], errors="ignore")


_TOLD = ("abstained", "reason", "reply_state")


def _limit(pipeline: pt.Transformer, run: pd.DataFrame, deepest: int) -> int | None:
    """Return the length of the longest list if limits of the steps keep it shorter than `deepest`; else None."""
    if has_answers(run) or run.empty:
        return None
    longest = int(run["rank"].max()) + 1
    return longest if _most(pipeline) <= longest < deepest else None


def _most(pipeline: pt.Transformer) -> float:
    """Return the number of results to which a step cuts lists; of several lists in one step, that of the longest."""
    if isinstance(pipeline, StoredRun):
        return max(map(len, (hits.docno for hits in pipeline.lists().values())), default=0)
    if isinstance(pipeline, pt.Compose):
        parts = [part for part in pipeline if isinstance(part, pt.Transformer)]
        # A retriever scores given documents; after a step that returns questions alone, it searches anew.
        anew = (place for place, part in enumerate(parts) if isinstance(part, Retriever))
        first = max((place for place in anew if place and not _returns_documents(parts[place - 1])), default=0)
        return min(map(_most, parts[first:]))
    names = ("num_results", "k") if isinstance(pipeline, pt.RankCutoff) else ("num_results",)
    own = [most for name in names if isinstance(most := getattr(pipeline, name, None), int)]
    lists = [_most(part) for part in used_by(list(vars(pipeline).values())) if isinstance(part, pt.Transformer)]
    return min([*own, max(lists, default=math.inf)])


def _returns_documents(step: pt.Transformer) -> bool:
    """Return whether a step that gets ranked lists returns documents; True if that cannot be found out."""
    try:
        columns = pt.inspect.transformer_outputs(step, ["qid", "query", "docno", "score", "rank"], strict=False)
    except Exception:  # Steps of other packages fail in their own ways.
        return True
    return columns is None or "docno" in columns


def _returns_judged(pipeline: pt.Transformer) -> bool:
    """Return True if a step of a pipeline returns the judged provisions of the dataset."""
    parts = used_by(list(vars(pipeline).values()))
    return isinstance(pipeline, Golden) or any(
        isinstance(part, pt.Transformer) and _returns_judged(part) for part in parts
    )


def _judged_alike(qrels: pd.DataFrame | None, collection: Collection, topics: pd.DataFrame) -> bool:
    """Return True if judgements of an experiment are those of its dataset on the questions; None is the dataset's."""
    if qrels is None:
        return True
    own, there = (
        set(frame.loc[frame["qid"].isin(topics["qid"]), ["qid", "docno", "label"]].itertuples(index=False, name=None))
        for frame in (qrels, collection.qrels())
    )
    return own == there


def _questions(definition: Definition, collection: Collection, topics: pd.DataFrame) -> tuple[set[str], str]:
    """Return the questions that a stored run should have, and what others are not: also those outside of a sample."""
    if not definition.part and not definition.sample:
        return set(topics["qid"]), "evaluated"
    qrels = definition.frame("qrels")
    return {*topics["qid"], *(collection.qrels() if qrels is None else qrels)["qid"]}, "judged"


def _left_out_of(pipeline: pt.Transformer, qids: Container[str], what: str) -> Iterator[str]:
    """Yield a remark on each stored run of a pipeline that has lists of other questions than those of `qids`."""
    if isinstance(pipeline, StoredRun):
        lists = pipeline.lists()
        if others := [qid for qid in lists if qid not in qids]:
            about = f"{len(others)} of {len(lists)} questions of {pipeline.file.name}"
            yield f"{about} are not {what}, such as {others[0]!r}"
    for part in used_by(list(vars(pipeline).values())):
        if isinstance(part, pt.Transformer):
            yield from _left_out_of(part, qids, what)


def checked_run(system: str, results: pd.DataFrame, depth: int, own: Container[str] = ()) -> pd.DataFrame:
    """Return the run in the results of a system: answers, or ranked lists cut to `depth`.

    Args:
        system: its name.
        results: what it returned.
        depth: number of results of a ranked list.
        own: columns of the questions, which a run of answers does not repeat.

    Raises:
        ExperimentError: a column is missing, a score is not finite, or a row occurs twice.
    """
    if has_answers(results):
        return _checked_answers(system, results, own)
    if missing := [column for column in RANKED_COLUMNS[:3] if column not in results.columns]:
        raise ExperimentError(
            f"The system {system!r} returned no column {missing[0]!r}: it must end in documents with scores, or in "
            f"answers (qanswer)."
        )
    run = results[list(RANKED_COLUMNS[:3])].astype({"qid": str, "docno": str, "score": np.float64})
    if not np.isfinite(run["score"].to_numpy()).all():
        raise ExperimentError(f"The system {system!r} returned a score that is not a finite number.")
    repeated = run[run.duplicated(["qid", "docno"])]
    if len(repeated):
        docno, qid = repeated["docno"].iloc[0], repeated["qid"].iloc[0]
        raise ExperimentError(f"The system {system!r} returned {docno} twice for the query {qid}.")
    run = rank_results(run)
    run = run.loc[run["rank"] < depth, list(RANKED_COLUMNS)].reset_index(drop=True)
    return run.assign(score=falling(pd.factorize(run["qid"])[0], run["score"].to_numpy()))


def _checked_answers(system: str, run: pd.DataFrame, own: Container[str]) -> pd.DataFrame:
    if "qid" not in run.columns:
        raise ExperimentError(f"The system {system!r} returned answers without a column 'qid'.")
    for qid, answer in zip(run["qid"], run["qanswer"], strict=True):
        if not isinstance(answer, str):
            kind = type(answer).__name__
            raise ExperimentError(f"The system {system!r} must return text as qanswer, got {kind} for the query {qid}.")
    repeated = run.loc[run.duplicated("qid"), "qid"]
    if len(repeated):
        raise ExperimentError(f"The system {system!r} returned two answers for the query {repeated.iloc[0]}.")
    more = [name for name in run.columns if name not in own and not name.startswith("query")]
    kept = ["qid", *ANSWER_COLUMNS, *(name for name in more if name not in ANSWER_COLUMNS and name != "qid")]
    try:
        return answers_frame({name: run[name].tolist() for name in kept if name in run.columns})
    except ValueError as error:
        raise ExperimentError(f"The system {system!r} returned answers with {error}.") from error


@contextmanager
def _said_before() -> Iterator[None]:
    """Drop the warnings of components: they said the same when the run was made."""

    def drop(record: logging.LogRecord) -> bool:
        return record.levelno > logging.WARNING

    _log.addFilter(drop)
    try:
        yield
    finally:
        _log.removeFilter(drop)


def _time(run: Run, system: _System, topics: pd.DataFrame, limit: int) -> None:
    name = run.record.system
    with progress(f"Timing {name}", len(sample_queries(topics, limit))) as advance, naming(name), _said_before():
        latency = measure_latency(system.pipeline, topics, limit=limit, advance=advance)
    run.record = replace(run.record, latency=latency)
    if system.path is not None:
        save_record(system.path, run.record)
