"""The result of an experiment: what was asked, the runs, the table, and how to keep and show them.

Queries for the report: won and lost most, slowest, and a card for each of them.

What a report shows besides figures: queries, gold provisions and titles, kept with the result.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import yaml

from legalir.errors import ExperimentError
from legalir.experiment.definition.definition import Definition
from legalir.experiment.runs.files import exact_floats, read_record, read_run, run_paths, write_record, write_run
from legalir.experiment.runs.latency import Latency
from legalir.experiment.runs.runs import Run, writing
from legalir.storage.digest import file_digest
from legalir.storage.files import atomic_file

if TYPE_CHECKING:
    from legalir.collection.collection import Collection

__all__ = ["TOP", "Context", "ExperimentResult", "collect_context"]

TOP = 5


@dataclass(frozen=True)
class Context:
    """The words of an experiment.

    Attributes:
        queries: text by qid, in the order of the topics.
        gold: relevant docnos by qid with their grade, best first.
        titles: title by docno, of what is gold or among the first results of a system.
    """

    queries: Mapping[str, str] = field(default_factory=dict)
    gold: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Mapping[str, object]]) -> Context:
        """Return the context that :meth:`as_dict` gave."""
        return cls(**value)  # type: ignore[arg-type]


def collect_context(
    collection: Collection, runs: Mapping[str, pd.DataFrame], topics: pd.DataFrame, qrels: pd.DataFrame
) -> Context:
    """Gather the queries, their gold provisions, and titles for those and for each system's first results."""
    gold: dict[str, dict[str, int]] = {qid: {} for qid in topics["qid"]}
    relevant = qrels[qrels["label"] > 0].sort_values(["label", "docno"], ascending=[False, True])
    for qid, docno, label in zip(relevant["qid"], relevant["docno"], relevant["label"], strict=True):
        gold[qid][docno] = int(label)
    shown = dict.fromkeys(relevant["docno"])
    for run in runs.values():
        shown |= dict.fromkeys(run.loc[run["rank"] < TOP, "docno"])
    return Context(
        queries=dict(zip(topics["qid"], topics["query"].astype(str), strict=True)),
        gold=gold,
        titles=_titles(collection, shown),
    )


def _titles(collection: Collection, docnos: Iterable[str]) -> dict[str, str]:
    titles = {}
    for docno, provision in collection.provisions(list(docnos)).items():
        title = provision.title or " ".join(provision.text.split())[:80]
        titles[docno] = " ".join(title.split())
    return titles


FILES = ("definition.yaml", "table.tsv", "per_query.csv", "environment.json", "context.json")


@dataclass(frozen=True, repr=False)
class ExperimentResult:
    """What an experiment gave.

    Attributes:
        definition: what was asked.
        table: one row a system that ran; columns ``name``, the measures as fractions, for each measure the columns
            of :func:`legalir.experiment.runs.scores.statistic_columns`, then the latency.
        per_query: columns ``name, qid, measure, value``.
        made: the runs with how they were made, by system.
        environment: versions, machine, fingerprints, times; plain values.
        context: the queries, judgements and titles that a report shows.
    """

    definition: Definition
    table: pd.DataFrame
    per_query: pd.DataFrame
    made: Mapping[str, Run]
    environment: Mapping[str, object]
    context: Context = field(default_factory=Context)

    @property
    def runs(self) -> dict[str, pd.DataFrame]:
        """The run of each system: columns ``qid, docno, score, rank``."""
        return {name: run.frame for name, run in self.made.items()}

    @property
    def latencies(self) -> dict[str, Latency | None]:
        """The response times of each system, None where they were not measured."""
        return {name: run.record.latency for name, run in self.made.items()}

    @property
    def absent(self) -> dict[str, str]:
        """The systems whose model could not be had, and why; they have neither a run nor a row in the table."""
        systems = self.environment.get("systems")
        rows = systems.items() if isinstance(systems, Mapping) else ()
        return {str(name): str(facts["absent"]) for name, facts in rows if "absent" in facts}

    @property
    def baseline(self) -> str | None:
        """The system that the others are tested against; None where there is none, or where it has no run."""
        return self.definition.baseline if self.definition.baseline in self.made else None

    @property
    def dataset_name(self) -> str:
        """The dataset's id, or the name of its folder."""
        facts = self.environment.get("dataset")
        return str(facts["id"]) if isinstance(facts, Mapping) else self.definition.dataset

    @property
    def reused(self) -> list[str]:
        """The systems whose run was found on disk."""
        return [name for name, run in self.made.items() if run.reused]

    def __repr__(self) -> str:
        systems, measures = len(self.table), ", ".join(self.definition.measures)
        return f"<ExperimentResult {self.definition.title!r}: {systems} systems, {measures}>"

    def _repr_html_(self) -> str:
        shown = ["name", *self.definition.measures]
        return str(self.table[shown].to_html(index=False, float_format=lambda value: f"{value:.4f}"))

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write one self-contained HTML file and return its path.

        Raises:
            MissingExtra: Jinja2 is not installed (``pip install 'legalir[report]'``).
            ExperimentError: the file cannot be written.
        """
        from legalir.experiment.report.html import render

        path, text = Path(path), render(self)
        with writing(path.parent), atomic_file(path) as stream:
            stream.write(text)
        return path

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write everything into `folder`, each file whole or not at all, and return its path.

        Raises:
            ExperimentError: the folder cannot be written.
        """
        folder = Path(folder)
        with writing(folder):
            self._save_runs(folder / "runs")
            with atomic_file(folder / "table.tsv") as stream:
                self.table.to_csv(stream, sep="\t", index=False, lineterminator="\n")
            with atomic_file(folder / "per_query.csv") as stream:
                self.per_query.to_csv(stream, index=False, lineterminator="\n")
            with atomic_file(folder / "environment.json") as stream:
                json.dump(self.environment, stream, ensure_ascii=False, indent=1)
                stream.write("\n")
            with atomic_file(folder / "context.json") as stream:
                json.dump(self.context.as_dict(), stream, ensure_ascii=False)
                stream.write("\n")
            with atomic_file(folder / "definition.yaml") as stream:
                yaml.safe_dump(self.definition.as_dict(), stream, allow_unicode=True, sort_keys=False, width=100)
        return folder

    def _save_runs(self, folder: Path) -> None:
        paths = run_paths(folder, self.definition.systems)
        for name, run in self.made.items():
            if read_record(paths[name]) != run.record:
                write_run(paths[name], run.frame, name)
                write_record(paths[name], replace(run.record, sha256=file_digest(paths[name])))

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> ExperimentResult:
        """Read back what :meth:`save` wrote.

        Raises:
            ExperimentError: the folder holds no result, or one that is damaged.
        """
        folder = Path(folder)
        for name in FILES:
            if not (folder / name).is_file():
                raise ExperimentError(f"{folder} holds no experiment result ({name} is missing): {_cure(folder)}.")
        definition = Definition.load(folder / "definition.yaml")
        try:
            result = cls(
                definition,
                read_table(folder / "table.tsv"),
                _read_per_query(folder / "per_query.csv"),
                {},
                json.loads((folder / "environment.json").read_text(encoding="utf-8")),
                Context.from_dict(json.loads((folder / "context.json").read_text(encoding="utf-8"))),
            )
            paths = run_paths(folder / "runs", definition.systems)
            made = {name: _load_run(path) for name, path in paths.items() if name not in result.absent}
            return replace(result, made=made)
        except (ValueError, KeyError, TypeError) as error:
            raise ExperimentError(f"{folder} holds a damaged result: run the experiment again.") from error


def _cure(folder: Path) -> str:
    """Say what to do where a folder holds no result: several datasets have theirs below it."""
    below = sorted(child.name for child in folder.glob("*/") if (child / "table.tsv").is_file())
    return f"give one of its datasets, {', '.join(below)}" if below else "run the experiment first"


def _load_run(path: Path) -> Run:
    record = read_record(path)
    if record is None:
        raise ExperimentError(f"{path} is missing or was altered: run the experiment again.")
    return Run(read_run(path), record, reused=True)


def read_table(path: Path) -> pd.DataFrame:
    """Read a ``table.tsv``; the frame equals the one written."""
    frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    for column in frame.columns[1:]:
        if column.endswith(" reject"):
            frame[column] = frame[column] == "True"
        elif column.endswith((" +", " -")):
            frame[column] = pd.array([int(cell) if cell else None for cell in frame[column]], dtype="Int64")
        else:
            frame[column] = exact_floats(frame[column])
    return frame


def _read_per_query(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(
        path,
        dtype={"name": str, "qid": str, "measure": str, "value": object},
        keep_default_na=False,
    )
    return frame.assign(value=exact_floats(frame["value"]))
