"""A run with its record and response times, in memory and on disk; it reads back exactly.

There are two kinds of runs. *Ranked lists* have the columns :data:`RANKED_COLUMNS` and are a TREC file, ``NAME.trec``;
*answers* have one row per question and are a file of JSON lines, ``NAME.jsonl``: `qid`, the columns that generators add
(:data:`legalir.answer.generator.ANSWER_COLUMNS`), and the columns of judges. The record is ``NAME.json``.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
import yaml

from legalir.answer.generator import ANSWER_COLUMNS
from legalir.errors import ExperimentError
from legalir.llm.chat import REPLY_STATE
from legalir.models.query_cache import ignore_cached_queries
from legalir.storage.digest import file_digest
from legalir.storage.files import atomic_file

WARM_UP = 3
"""Number of warm-up queries, which load models and indexes and are not timed."""

BUDGET_SECONDS = 60.0
"""Time limit for timing a slow system; at least one query is always timed."""


@dataclass(frozen=True)
class Latency:
    """Response times of single queries.

    Attributes:
        milliseconds: time by qid, in the order of the queries.
    """

    milliseconds: Mapping[str, float]

    @classmethod
    def from_dict(cls, value: Mapping[str, Mapping[str, float]]) -> Latency:
        """Return the latency that ``dataclasses.asdict`` gave."""
        return cls({str(qid): float(time) for qid, time in value["milliseconds"].items()})

    @property
    def queries(self) -> int:
        """Number of queries that were timed."""
        return len(self.milliseconds)

    @property
    def median(self) -> float:
        """The median, in milliseconds."""
        return float(np.median(list(self.milliseconds.values())))

    @property
    def p95(self) -> float:
        """The 95th percentile, in milliseconds."""
        return float(np.percentile(list(self.milliseconds.values()), 95))

    def slowest(self, count: int) -> list[tuple[str, float]]:
        """Return the `count` slowest queries as (qid, milliseconds), slowest first."""
        return sorted(self.milliseconds.items(), key=lambda item: -item[1])[:count]


def sample_queries(topics: pd.DataFrame, limit: int) -> pd.DataFrame:
    """Return all topics, or `limit` of them at even steps, so that a repeated run times the same ones."""
    if len(topics) <= limit:
        return topics
    return topics.iloc[np.linspace(0, len(topics) - 1, limit).astype(int)]


def measure_latency(
    pipeline: pt.Transformer,
    topics: pd.DataFrame,
    *,
    limit: int = 200,
    advance: Callable[[int], None] = lambda done: None,
) -> Latency | None:
    """Ask up to `limit` queries one at a time, without cached query results, and return their response times.

    Args:
        pipeline: the system.
        topics: columns ``qid, query`` and any others.
        limit: the most queries to time; 0 times none and returns None.
        advance: called with 1 after each query.
    """
    if limit < 1 or topics.empty:
        return None
    for row in range(min(WARM_UP, len(topics))):
        pipeline.transform(topics.iloc[[row]].reset_index(drop=True))
    times: dict[str, float] = {}
    sample = sample_queries(topics, limit)
    end = perf_counter() + BUDGET_SECONDS
    for row in range(len(sample)):
        query = sample.iloc[[row]].reset_index(drop=True)
        with ignore_cached_queries():
            start = perf_counter()
            pipeline.transform(query)
            stop = perf_counter()
        times[str(query["qid"].iloc[0])] = (stop - start) * 1000.0
        advance(1)
        if stop > end:
            break
    return Latency(times)


UNAVAILABLE = "unavailable"
"""The state of a reply that a model did not give, and may give another time (:data:`legalir.llm.chat.State`)."""

RANKED_COLUMNS = ("qid", "docno", "score", "rank")
"""The columns of ranked lists: strings, strings, finite floats, and integers from 0."""


@dataclass(frozen=True)
class RunRecord:
    """Description of a run: its system, key, sizes and times.

    Attributes:
        system: the name of the system.
        expression: its canonical expression.
        key: the key of :func:`legalir.experiments.fingerprints.run_key`.
        sha256: of the run file; empty if there is none.
        queries: number of queries.
        seconds: time for all of them together; steps that several systems share count in full.
        latency: the response time of single queries, or None if it was not measured.
        notes: remarks of its components.
        llm: usage of language models for it, as :meth:`legalir.llm.client.Usage.to_dict` has it; None for none.
        resources: use by all systems that ran with it, as :func:`legalir.experiments.tracking.tracked` has it.
    """

    system: str
    expression: str
    key: str
    sha256: str
    queries: int
    seconds: float
    latency: Latency | None = None
    llm: Mapping[str, object] | None = None
    notes: Sequence[str] = ()
    resources: Mapping[str, Mapping[str, object]] | None = None


@dataclass
class Run:
    """A run and how it was made.

    Attributes:
        frame: ranked lists or answers.
        record: how it was made.
        reused: whether it was read from disk instead of made now.
        limit: length of its longest list, if the limits of its steps are below the depth of the experiment; else None.
    """

    frame: pd.DataFrame
    record: RunRecord
    reused: bool = False
    limit: int | None = None

    @property
    def failed(self) -> dict[str, int]:
        """Number of failed replies by :data:`~legalir.llm.chat.State`, including the replies of judges."""
        asked = (self.record.llm or {}).get("failed")
        counts = dict(asked) if isinstance(asked, Mapping) else {}
        for column in self.frame.columns:
            if column == REPLY_STATE or column.endswith("_state"):
                missing = int((self.frame[column] == UNAVAILABLE).sum())
                counts[UNAVAILABLE] = max(counts.get(UNAVAILABLE, 0), missing)
        return {state: count for state, count in counts.items() if count}

    @property
    def is_finished(self) -> bool:
        """Whether no reply is missing that a new request could give; other failed replies are final."""
        return UNAVAILABLE not in self.failed

    def remarks(self) -> list[str]:
        """Return what a reader of its figures must know."""
        remarks = list(self.record.notes)
        if self.failed:
            states = ", ".join(f"{count} {state}" for state, count in sorted(self.failed.items()))
            again = "with --retry-failed" if self.is_finished else "for those that were unavailable"
            remarks.append(f"failed replies: {states}; run the experiment again {again} to ask again")
        notes = (self.record.llm or {}).get("notes")
        remarks += [
            f"{note} ({count})" for note, count in sorted((notes if isinstance(notes, Mapping) else {}).items())
        ]
        if self.limit is not None:
            remarks.append(f"lists of at most {self.limit} by its own limit")
        return remarks


def has_answers(run: pd.DataFrame) -> bool:
    """Return True if a run contains answers, and False if it contains ranked lists."""
    return "qanswer" in run.columns


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn a failure to write below `folder` into an :class:`ExperimentError`."""
    try:
        yield
    except OSError as error:
        raise ExperimentError(
            f"{folder} cannot be written ({error.strerror or error}): choose another directory, or free some "
            f"space; files that were complete remain."
        ) from error


def record_paths(folder: Path, systems: Iterable[str]) -> dict[str, Path]:
    """Return the path of each system's record: unique, and the system's name where that is possible."""
    slugs = {system: re.sub(r"[^\w.+=-]+", "-", system).strip("-.")[:60] for system in systems}
    # Some file systems ignore case.
    taken = Counter(slug.casefold() for slug in slugs.values())
    return {
        system: folder / f"{slug if slug and taken[slug.casefold()] == 1 else _with_hash(slug, system)}.json"
        for system, slug in slugs.items()
    }


def _with_hash(slug: str, system: str) -> str:
    return f"{slug}-{hashlib.sha256(system.encode()).hexdigest()[:8]}".lstrip("-")


def save_run(path: Path, run: Run) -> None:
    """Write the run and then its record, whose path is `path`; the record of `run` gets the sha256 of the file.

    Raises:
        ExperimentError: a file cannot be written.
    """
    suffix, other = (".jsonl", ".trec") if has_answers(run.frame) else (".trec", ".jsonl")
    with writing(path.parent):
        write_run(path.with_suffix(suffix), run.frame, run.record.system)
        path.with_suffix(other).unlink(missing_ok=True)  # of a system that had this name before
        run.record = replace(run.record, sha256=file_digest(path.with_suffix(suffix)))
    save_record(path, run.record)


def save_record(path: Path, record: RunRecord) -> None:
    """Write a record.

    Raises:
        ExperimentError: the file cannot be written.
    """
    with writing(path.parent), atomic_file(path) as stream:
        json.dump(asdict(record), stream, ensure_ascii=False, indent=1)
        stream.write("\n")


def load_run(path: Path, key: str | None = None) -> Run | None:
    """Return the run whose record is at `path`, or None if the record or run file is missing or altered.

    Args:
        path: of the record.
        key: the key that the record must have; None accepts every key.
    """
    record = read_record(path)
    return None if record is None or key not in (None, record.key) else Run(read_run(_run_file(path)), record, True)


def read_record(path: Path) -> RunRecord | None:
    """Return a record, or None if it or its run file is missing or altered."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        latency = values.pop("latency")
        record = RunRecord(**values, latency=None if latency is None else Latency.from_dict(latency))
        return record if file_digest(_run_file(path)) == record.sha256 else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _run_file(path: Path) -> Path:
    answers = path.with_suffix(".jsonl")
    return answers if answers.exists() else path.with_suffix(".trec")


def run_tag(system: str) -> str:
    """Return the name of a system as the last column of a run has it."""
    return re.sub(r"\s+", "_", system)


def write_run(path: Path, run: pd.DataFrame, tag: str) -> None:
    """Write a run: answers as JSON lines, ranked lists as ``qid Q0 docno rank score tag`` with tabs, scores exact.

    Ranks count from 0 as PyTerrier's do; TREC's tools order by score. TREC's tools take tabs as they take spaces, and
    tabs keep a docno with a space in one piece.
    """
    with atomic_file(path) as stream:
        if has_answers(run):
            rows = run.astype(object).where(run.notna(), None).to_dict(orient="records")
            stream.writelines(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
            return
        frame = pd.DataFrame(
            {
                "qid": run["qid"],
                "q0": "Q0",
                "docno": run["docno"],
                "rank": run["rank"],
                "score": run["score"].astype(np.float64),
                "tag": run_tag(tag),
            }
        )
        # pandas writes the shortest decimal that reads back as the same float.
        frame.to_csv(stream, sep="\t", header=False, index=False, quoting=csv.QUOTE_NONE, lineterminator="\n")


def run_metadata(
    record: RunRecord,
    facts: Mapping[str, Any],
    dataset: str,
    *,
    command: str,
    goal: Mapping[str, object] | None = None,
    actor: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """Return the description of a run in the form of ir_metadata [ir-metadata], as plain values.

    Args:
        record: how the run was made.
        facts: what ``environment.json`` has: ``legalir, python, packages, machine``, and ``dataset`` with its name and
            fingerprints.
        dataset: the dataset as its user named it.
        command: what made the run.
        goal: what the run is for, ``title`` and ``description``.
        actor: who made it.
    """
    machine, data = facts["machine"], facts["dataset"]
    elsewhere = "run(" in record.expression  # Whether a stored run was made automatically is not known.
    catalogued = dataset.removeprefix("irds:")
    known = catalogued != dataset or catalogued.startswith("legalir/")
    median = {} if record.latency is None else {"one query, median": f"{record.latency.median:.3f} ms"}
    parts: dict[str, dict[str, object]] = {
        "platform": {
            "hardware": {"cpu": {"architecture": machine["architecture"], "number of cores": machine["processors"]}},
            "operating system": {"kernel": machine["system"]},
            "software": {
                "libraries": {"python": [f"{name}=={number}" for name, number in facts["packages"].items()]},
                "retrieval toolkit": [f"legalir=={facts['legalir']}"],
            },
        },
        "research goal": dict(goal or {}),
        "implementation": {"executable": {"cmd": command}, "source": {"lang": [f"python {facts['python']}"]}},
        "method": {
            **({} if elsewhere else {"automatic": True}),
            "score ties": "docno",
            "retrieval": [{"name": record.system, "method": record.expression}],
        },
        "actor": dict(actor or {}),
        "data": {
            "test collection": {"name": data["id"]}
            | ({"ir_datasets": catalogued} if known else {})
            | {f"sha256 of {part}": data[part] for part in ("corpus", "topics", "qrels") if part in data}
        },
        "resources": {
            "runtime": {"wallclock": f"{round(record.seconds * 1000)} ms"} | median,
            **(record.resources or {}),
            **({"language models": dict(record.llm)} if record.llm else {}),
        },
    }
    head = {"schema-version": 0.1, "run-version": 1.0, "tag": run_tag(record.system)}
    return head | {name: part for name, part in parts.items() if part}


def write_metadata(path: Path, metadata: Mapping[str, object]) -> None:
    """Write the description of a run beside its file `path`, as ``NAME.ir-metadata.yml``."""
    with atomic_file(path.with_suffix(".ir-metadata.yml")) as stream:
        yaml.safe_dump(dict(metadata), stream, allow_unicode=True, sort_keys=False, width=100)


def read_run(path: Path) -> pd.DataFrame:
    """Read a run that :func:`write_run` wrote; the frame equals the one written.

    Raises:
        ExperimentError: the file is missing or is not such a run.
    """
    try:
        return _read_answers(path) if path.suffix == ".jsonl" else _read_ranked(path)
    except OSError as error:
        raise ExperimentError(f"{path} cannot be read ({error.strerror}): run the experiment again.") from error
    except (ValueError, KeyError, TypeError, pd.errors.ParserError) as error:
        raise ExperimentError(f"{path} is not a run file: delete it and run the experiment again.") from error


def _read_answers(path: Path) -> pd.DataFrame:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    names = list(rows[0]) if rows else ["qid", *ANSWER_COLUMNS]
    if "qid" not in names or "qanswer" not in names:
        raise ValueError("no answers")
    return answers_frame({name: [row[name] for row in rows] for name in names})


def answers_frame(columns: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """Return a run of answers from the values of its columns.

    Columns of a generator get their types. Other columns are kept if they contain texts, numbers, truth values, lists
    or mappings: texts become strings, an absent text is empty; numbers and truth values become floats, absent ones are
    NaN; lists become tuples.

    Raises:
        ValueError: a number is infinite, or a value has not the type of its column.
    """
    kept = {name: _answer_column(name, values) for name, values in columns.items()}
    return pd.DataFrame({name: column for name, column in kept.items() if column is not None})


def _answer_column(name: str, values: Sequence[Any]) -> pd.Series[Any] | None:
    kind = str if name == "qid" else ANSWER_COLUMNS.get(name)
    values = [_plain(value) for value in values]
    if kind is not None:
        return pd.Series([math.nan if value is None and kind is np.float64 else value for value in values], dtype=kind)
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {str} and kinds:
        return pd.Series(["" if value is None else value for value in values], dtype=str)
    if kinds <= {bool, int, float}:
        return pd.Series([math.nan if value is None else value for value in values], dtype=np.float64)
    return pd.Series(values, dtype=object) if kinds in ({tuple}, {dict}) else None


def _plain(value: Any) -> Any:
    """Return a cell as JSON has it, except that lists are tuples; None for NaN.

    Raises:
        ValueError: a number is infinite.
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        if math.isinf(value):
            raise ValueError(f"an infinite number, {value}")
        return None
    return value


def _read_ranked(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(
        path,
        sep="\t",
        names=["qid", "q0", "docno", "rank", "score", "tag"],
        dtype={"qid": str, "docno": str, "rank": np.int64, "score": object, "tag": str},
        quoting=csv.QUOTE_NONE,
        keep_default_na=False,
    )
    frame["score"] = exact_floats(frame["score"])
    return frame[list(RANKED_COLUMNS)]


def exact_floats(texts: pd.Series[str]) -> npt.NDArray[np.float64]:
    """Return the numbers that `texts` spell, exactly, which the parsers of pandas do not promise."""
    return np.array([float(text or "nan") for text in texts], dtype=np.float64)
