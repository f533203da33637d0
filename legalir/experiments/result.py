"""Results on one dataset or several: definition, runs and scores, stored and shown; expected scores of a result."""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import yaml

from legalir.errors import ExperimentError, suggestion
from legalir.experiments.definition import Definition
from legalir.experiments.html import render, render_several, safety_panels
from legalir.experiments.paper import PaperTable, latex, markdown
from legalir.experiments.queries import QueryFacts, Wording
from legalir.experiments.rows import Cell, ScoreTable, SystemRow, direction, format_score
from legalir.experiments.runs import (
    Latency,
    Run,
    exact_floats,
    load_run,
    read_record,
    record_paths,
    run_metadata,
    save_run,
    write_metadata,
    writing,
)
from legalir.experiments.scores import COUNT_COLUMNS, codes_of, compare_pairs, corrected, paired_test, score_table
from legalir.measure.confidence import rank_correlations
from legalir.storage.files import atomic_file

_TESTS = {"t": "paired t-test", "wilcoxon": "Wilcoxon signed-rank test", "randomisation": "paired randomisation test"}
_CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "holm-sidak": "Holm–Šidák",
    "fdr_bh": "Benjamini–Hochberg",
}

FILES = ("definition.yaml", "table.tsv", "per_query.csv", "environment.json", "context.json")


@dataclass(frozen=True, repr=False)
class ExperimentResult:
    """The result of an experiment.

    Attributes:
        definition: the definition of the experiment.
        table: one row per system that ran; columns ``name``, the measures as fractions, for each measure the columns
            of :func:`legalir.experiments.scores.statistic_columns`, then counts of answers
            (:data:`legalir.experiments.scores.COUNT_COLUMNS`) and the latency. A measure that does not apply to a
            system is NaN.
        per_query: columns ``name, qid, measure, value, weight``.
        system_runs: the run of each system with how it was made.
        environment: versions, machine, fingerprints, times; plain values.
        context: the queries, judgements and titles that a report shows.
    """

    definition: Definition
    table: pd.DataFrame
    per_query: pd.DataFrame
    system_runs: Mapping[str, Run]
    environment: Mapping[str, object]
    context: Wording = field(default_factory=Wording)

    @property
    def runs(self) -> dict[str, pd.DataFrame]:
        """The run of each system: ranked lists (``qid, docno, score, rank``) or answers (``qid, qanswer, …``)."""
        return {name: run.frame for name, run in self.system_runs.items()}

    @property
    def latencies(self) -> dict[str, Latency | None]:
        """The response times of each system, None where they were not measured."""
        return {name: run.record.latency for name, run in self.system_runs.items()}

    @property
    def absent(self) -> dict[str, str]:
        """The systems whose model or package is missing, with the reason; they have no run and no row in the table."""
        systems = self.environment.get("systems")
        rows = systems.items() if isinstance(systems, Mapping) else ()
        return {str(name): str(facts["absent"]) for name, facts in rows if "absent" in facts}

    @property
    def scores(self) -> ScoreTable:
        """The table as people see it."""
        return ScoreTable(self.definition, self.table, self.absent)

    @property
    def baseline(self) -> str | None:
        """The baseline system; None if there is no baseline, or if it has no figures."""
        return self.scores.baseline

    @property
    def untested(self) -> str:
        """Why there are no tests although a baseline is named, in a sentence; else empty."""
        return self.scores.untested

    @property
    def unmeasured(self) -> dict[str, str]:
        """Measures that could not be computed for a system, with the reason; their figures are NaN."""
        reasons = self.environment.get("unmeasured")
        return {str(name): str(reason) for name, reason in reasons.items()} if isinstance(reasons, Mapping) else {}

    @property
    def clusters(self) -> Mapping[str, str] | None:
        """The cluster of each question by qid; None if each question stands alone."""
        clusters = self.environment.get("clusters")
        return clusters if isinstance(clusters, Mapping) else None

    @property
    def chunk_rule(self) -> str:
        """Which provisions of a chunk count, in words; empty if the documents are provisions."""
        facts = self.environment.get("dataset")
        rules = facts.get("chunks") if isinstance(facts, Mapping) else None
        if not isinstance(rules, Mapping):
            return ""
        part = ", completely or in part" if rules.get("held") == "any" else " completely"
        return f"a chunk counts as the provisions that it holds{part}"

    @property
    def remarks(self) -> dict[str, list[str]]:
        """Remarks on systems, such as failed replies, each with the systems that it is about."""
        systems = self.environment.get("systems")
        remarks: dict[str, list[str]] = {}
        for name, facts in systems.items() if isinstance(systems, Mapping) else ():
            for remark in facts.get("notes", ()):
                remarks.setdefault(str(remark), []).append(str(name))
        return remarks

    @property
    def safety(self) -> pd.DataFrame:
        """What the documents change, a row for each entry of ``safety`` of the definition.

        Columns: ``name``; ``n``, the number of items; ``correction``: of the items that are wrong without documents,
        the share that is right with all of them; ``introduced error``: of the items that are right without documents,
        the share that is wrong with all of them. A share of no items is NaN. ``fault`` says why there are no shares.
        """
        panels = safety_panels(self.definition, self.runs, self.context)
        rows = [(one.name, one.n, one.corrected, one.introduced, one.fault) for one in panels]
        return pd.DataFrame(rows, columns=["name", "n", "correction", "introduced error", "fault"])

    @cached_property
    def by(self) -> ExperimentResults | None:
        """The scores of the questions of each value of the column `by`, as of several datasets; None without `by`."""
        groups = self.environment.get("groups")
        if not isinstance(groups, Mapping):
            return None
        systems = {name: self.definition.systems[name] for name in self.table["name"]}
        definition = self.definition.replace(systems=systems, baseline=self.baseline)
        names = list(dict.fromkeys(groups.values()))
        return ExperimentResults(definition, [self._of_group(definition, name, groups) for name in names], "group")

    def _of_group(self, definition: Definition, group: str, groups: Mapping[str, str]) -> ExperimentResult:
        """Return the scores of the questions of a group, under its name and their number."""
        rows = self.per_query[self.per_query["qid"].map(groups) == group]
        runs = {name: run[run["qid"].map(groups) == group] for name, run in self.runs.items()}
        table = score_table(definition.replace(baseline=None), runs, {}, rows)
        queries = {qid: text for qid, text in self.context.queries.items() if groups[qid] == group}
        environment = {"dataset": {"id": f"{group} ({len(queries)})"}} | (
            {"clusters": self.clusters} if self.clusters else {}
        )
        return ExperimentResult(definition, table, rows, {}, environment, Wording(queries))

    @property
    def dataset_name(self) -> str:
        """The dataset's id, or the name of its folder."""
        facts = self.environment.get("dataset")
        return str(facts["id"]) if isinstance(facts, Mapping) else self.definition.dataset

    @property
    def scope(self) -> str:
        """Which of the questions these are, in brackets: part, filter and sample; empty for all of them."""
        return f" ({self.environment['scope']})" if "scope" in self.environment else ""

    @property
    def reused(self) -> list[str]:
        """The systems whose run was read from disk."""
        return [name for name, run in self.system_runs.items() if run.reused]

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
        path = Path(path)
        queries = QueryFacts(self.context, self.per_query, self.definition.measures[0], self.system_runs)
        words = self.dataset_name, self.chunk_rule, self.remarks, self.unmeasured
        by = None if self.by is None else (list(self.by.results), self.by.tables(), self.by.legend())
        text = render(self.scores, queries, self.environment, *words, by)
        with writing(path.parent), atomic_file(path) as stream:
            stream.write(text)
        return path

    def to_latex(self) -> str:
        """Return the table in LaTeX with ``booktabs``, with marks of significance and a note that explains them."""
        return latex([self._paper_table()])

    def to_markdown(self) -> str:
        """Return the table of :meth:`to_latex` in Markdown."""
        return markdown([self._paper_table()])

    def _paper_table(self) -> PaperTable:
        definition, scores = self.definition, self.scores
        fractions = [name for name in definition.measures if scores.unit(name) == 100]
        note = [
            f"{self.dataset_name}, {len(self.context.queries)} questions{self.scope}, depth {definition.depth}.",
            _in_percent(fractions, definition.measures),
            "Bold: best." if any(cell.best for row in scores.rows for cell in row.cells) else "",
        ]
        if scores.compared:
            correction = f", {_CORRECTIONS[definition.correction]} correction" if definition.correction else ""
            clusters = f", clustered by {definition.cluster}" if definition.cluster else ""
            note.append(
                f"▲ (▼): significantly better (worse) than {scores.baseline}, two-sided {_TESTS[definition.test]}"
                f"{clusters}{correction}, α = {definition.alpha:g}."
            )
        note += [f"{scores.untested[:1].upper()}{scores.untested[1:]}."] if scores.untested else []
        note += [f"{', '.join(names)}: {remark.rstrip('.')}." for remark, names in self.remarks.items()]
        note += [f"{', '.join(names)}: not run ({why.rstrip('.')})." for why, names in scores.reasons().items()]
        note += [f"{row.name}: figures of {row.source}, not tested." for row in scores.rows if row.published]
        return PaperTable(definition.title, definition.measures, scores.rows, " ".join(filter(None, note)))

    def compare(self, other: ExperimentResult, system: str | None = None, against: str | None = None) -> pd.DataFrame:
        """Compare systems of two results over the same questions, by the test and correction of this definition.

        Args:
            other: a result over the same collection, questions and judgements.
            system: compare this system alone; None for each system of a name that both results have.
            against: system of `other` to compare with; None for the system of the same name.

        Returns:
            One row a system and measure of both: ``name, against, measure``; ``here`` and ``there``, the scores of this
            and of the other result; ``difference``, here minus there, with ``low`` and ``high``, its 95 % interval
            [bootstrap]; ``+`` and ``-``, the questions with a greater and a lesser value here; ``p-value`` of the
            paired test, ``p-value corrected`` over the systems for each measure, and ``reject``. Questions for which
            either has no value are omitted.

        Raises:
            ExperimentError: collection, questions or judgements differ, or there is nothing to compare.
        """
        if difference := self._other_questions(other):
            raise ExperimentError(f"The two results cannot be compared: {difference}.")
        if against is not None and system is None:
            raise ExperimentError(f"against={against!r} needs a system of the first result: name it, too (system).")
        pairs = [(name, name) for name in self.system_runs if name in other.system_runs]
        if system is not None:
            pairs = [(system, system if against is None else against)]
            for name, result in zip(pairs[0], (self, other), strict=True):
                if name not in result.system_runs:
                    hint = suggestion(name, result.system_runs) or f" Systems: {', '.join(result.system_runs)}."
                    raise ExperimentError(f"The result {result.definition.title!r} has no system {name!r}.{hint}")
        measures = [name for name in self.definition.measures if name in other.definition.measures]
        tables = [
            compare_pairs(self.definition, measure, self.per_query, other.per_query, pairs, self.clusters)
            for measure in measures
        ]
        table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
        if table.empty:
            what = "system of one name" if measures and not pairs else "measure with values of both"
            raise ExperimentError(f"The two results have nothing to compare: no {what}.")
        return table

    def correlation(self, predictions: pd.DataFrame, system: str, measure: str | None = None) -> pd.DataFrame:
        """Correlate predictions of the quality of a system's lists with its scores, over the questions.

        Args:
            predictions: columns ``qid`` and ``query_…``: the output of the system's pipeline with ``>> predict``, or
                numbers of your own. Each ``query_…`` column of numbers is a predictor, its first value of a question
                counts.
            system: name of the system.
            measure: one of the measures; None for all.

        Returns:
            One row a predictor and measure: ``predictor, measure``; ``n``, the questions that have both; ``kendall``
            (τ-b) and ``spearman``, each with ``… low`` and ``… high``, its 95 % interval [rank-intervals], which takes
            questions as independent, also where the definition clusters them.

        Raises:
            ExperimentError: there is no such system or measure, no predictor, or no question with both.
        """
        for kind, name, known in (
            ("system", system, list(self.table["name"])),
            ("measure", measure, self.definition.measures),
        ):
            if name is not None and name not in known:
                hint = suggestion(name, known) or f" Its {kind}s: {', '.join(known)}."
                raise ExperimentError(f"The result {self.definition.title!r} has no {kind} {name!r}.{hint}")
        names = [
            str(name)
            for name in predictions.columns
            if str(name).startswith("query_") and pd.api.types.is_numeric_dtype(predictions[name])
        ]
        if "qid" not in predictions.columns or not names:
            raise ExperimentError(
                f"The predictions need a column 'qid' and a column of numbers such as 'query_nqc', got "
                f"{', '.join(map(repr, predictions.columns)) or 'none'}: put >> predict behind the pipeline."
            )
        predicted = predictions.drop_duplicates("qid").set_index("qid")[names]
        rows: list[tuple[object, ...]] = []
        for one in self.definition.measures if measure is None else [measure]:
            chosen = (self.per_query["name"] == system) & (self.per_query["measure"] == one)
            values = self.per_query[chosen].set_index("qid")["value"]
            for name in names:
                pairs = pd.DataFrame({"x": predicted[name], "y": values}).astype(np.float64)
                pairs = pairs.loc[np.isfinite(pairs.to_numpy()).all(axis=1)]
                found = rank_correlations(pairs["x"].tolist(), pairs["y"].tolist())
                rows.append((name, one, len(pairs), *found[0], *found[1]))
        ends = [f"{kind}{end}" for kind in ("kendall", "spearman") for end in ("", " low", " high")]
        table = pd.DataFrame(rows, columns=["predictor", "measure", "n", *ends])
        if not table["n"].any():
            raise ExperimentError(
                f"No question has both a prediction and a score of {system!r}: predict for the questions of "
                f"{self.dataset_name}."
            )
        return table

    def _other_questions(self, other: ExperimentResult) -> str:
        """Return in words how collection, questions or judgements of another result differ; empty if they are equal."""
        facts, theirs = (result.environment["dataset"] for result in (self, other))
        assert isinstance(facts, Mapping) and isinstance(theirs, Mapping)
        if facts.get("corpus") != theirs.get("corpus"):
            names = [self.dataset_name, other.dataset_name]
            state = f"two states of {names[0]}" if names[0] == names[1] else " and ".join(names)
            return f"they are over {state}"
        own, its = self.context.queries, other.context.queries
        for first, second, where in ((own, its, "first"), (its, own, "second")):
            if only := [qid for qid in first if qid not in second]:
                return f"{len(only)} of {len(first)} questions are only in the {where}, such as {only[0]!r}"
        if changed := [qid for qid in own if own[qid] != its[qid]]:
            return f"{len(changed)} questions have another text, such as {changed[0]!r}"
        if facts.get("qrels") != theirs.get("qrels"):
            return "the judgements differ"
        return ""

    def metadata(self, system: str) -> dict[str, object]:
        """Return the description of the run of a system in the form of ir_metadata [ir-metadata], as plain values."""
        goal = {"title": self.definition.title, "description": self.definition.description}
        return run_metadata(
            self.system_runs[system].record,
            self.environment,
            self.definition.dataset,
            command="legalir experiment run definition.yaml",
            goal={name: text for name, text in goal.items() if text or name == "title"},
            actor=self.definition.actor,
        )

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write everything into `folder`, each file whole or not at all, and return its path.

        Raises:
            ExperimentError: the folder cannot be written.
        """
        folder = Path(folder)
        with writing(folder):
            paths = record_paths(folder / "runs", self.definition.systems)
            for name, run in self.system_runs.items():
                if read_record(paths[name]) != run.record:
                    save_run(paths[name], run)
                write_metadata(paths[name], self.metadata(name))
            with atomic_file(folder / "table.tsv") as stream:
                self.table.to_csv(stream, sep="\t", index=False, lineterminator="\n")
            if self.by is not None:
                with atomic_file(folder / "by.tsv") as stream:
                    self.by.table.to_csv(stream, sep="\t", index=False, lineterminator="\n")
            if self.definition.safety:
                with atomic_file(folder / "safety.tsv") as stream:
                    self.safety.to_csv(stream, sep="\t", index=False, lineterminator="\n")
            with atomic_file(folder / "per_query.csv") as stream:
                self.per_query.to_csv(stream, index=False, lineterminator="\n")
            with atomic_file(folder / "environment.json") as stream:
                json.dump(self.environment, stream, ensure_ascii=False, indent=1)
                stream.write("\n")
            with atomic_file(folder / "context.json") as stream:
                json.dump(asdict(self.context), stream, ensure_ascii=False)
                stream.write("\n")
            with atomic_file(folder / "definition.yaml") as stream:
                yaml.safe_dump(self.definition.as_dict(), stream, allow_unicode=True, sort_keys=False, width=100)
        return folder

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> ExperimentResult:
        """Read the files that :meth:`save` wrote.

        Raises:
            ExperimentError: the folder contains no result, or a damaged one.
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
                Wording(**json.loads((folder / "context.json").read_text(encoding="utf-8"))),
            )
            paths = record_paths(folder / "runs", definition.systems)
            runs = {name: _stored_run(path) for name, path in paths.items() if name not in result.absent}
            return replace(result, system_runs=runs)
        except (ValueError, KeyError, TypeError) as error:
            raise ExperimentError(f"{folder} holds a damaged result: run the experiment again.") from error


def _in_percent(fractions: Sequence[str], measures: Sequence[str]) -> str:
    if len(fractions) == len(measures):
        return "Scores in percent."
    return f"In percent: {', '.join(fractions)}." if fractions else ""


def _cure(folder: Path) -> str:
    """Return advice for a folder without a result; with several datasets, each result has a folder in it."""
    below = sorted(child.name for child in folder.glob("*/") if (child / "table.tsv").is_file())
    return f"give one of its datasets, {', '.join(below)}" if below else "run the experiment first"


def _stored_run(path: Path) -> Run:
    run = load_run(path)
    if run is None:
        raise ExperimentError(f"The run of {path} is missing or was altered: run the experiment again.")
    return run


def read_table(path: Path) -> pd.DataFrame:
    """Read a ``table.tsv``; the frame equals the one written."""
    frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    for column in frame.columns[1:]:
        if column.endswith(" reject"):
            frame[column] = frame[column] == "True"
        elif column.endswith((" +", " -")) or column in COUNT_COLUMNS:
            frame[column] = pd.array([int(cell) if cell else None for cell in frame[column]], dtype="Int64")
        else:
            frame[column] = exact_floats(frame[column])
    return frame


def _read_per_query(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(
        path,
        dtype={"name": str, "qid": str, "measure": str, "value": object, "weight": object},
        keep_default_na=False,
    )
    return frame.assign(**{name: exact_floats(frame[name]) for name in ("value", "weight")})


_TESTED = ("+", "-", "p-value", "p-value corrected", "reject")


def dataset_slug(dataset: str) -> str:
    """Return the name of a dataset as a file name: ``legalir/koblex`` is ``koblex``."""
    return re.sub(r"[^\w.-]+", "-", dataset.removeprefix("legalir/")).strip("-")


class ExperimentResults:
    """The results of one experiment on several datasets.

    Args:
        definition: the definition of the experiment, with all datasets.
        results: the result of each dataset, in the order of the definition.
        unit: what each result is of.

    Attributes:
        definition: the definition of the experiment.
        results: the result of each dataset, by the dataset's name.
    """

    def __init__(self, definition: Definition, results: Sequence[ExperimentResult], unit: str = "dataset") -> None:
        self.definition, self.unit = definition, unit
        self.results: dict[str, ExperimentResult] = {}
        for result in results:
            name = result.dataset_name
            same = sum(one.dataset_name == name for one in self.results.values())
            self.results[f"{name} ({same + 1})" if same else name] = result

    def __repr__(self) -> str:
        return f"<ExperimentResults {self.definition.title!r}: {', '.join(self.results)}>"

    def _repr_html_(self) -> str:
        return str(self.table.to_html(index=False, float_format=lambda value: f"{value:.4f}"))

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a measure and system.

        Columns ``measure, name``, the score on each dataset by its name, and ``mean``, each dataset with the same
        weight; a system without a score on one of them has no mean. One where no system has a score does not count.
        With a baseline: ``+`` and ``-``, the number of datasets on which the system is better and worse; ``p-value`` of
        the difference of the means by sign flips within each question, or each cluster of them, [randomisation];
        ``p-value corrected`` over the systems, and ``reject``.
        """
        systems = list(self.definition.systems)
        parts = []
        for measure in self.definition.measures:
            scores = [_column(result, measure).reindex(systems).to_numpy() for result in self.results.values()]
            columns: dict[str, object] = {"measure": measure, "name": systems}
            columns |= dict(zip(self.results, scores, strict=True))
            with_scores = [column for column in scores if not np.isnan(column).all()]
            columns["mean"] = np.mean(with_scores, axis=0) if with_scores else math.nan
            if self.definition.baseline is not None:
                columns |= self._tested(measure, systems, np.array(scores))
            parts.append(pd.DataFrame(columns))
        return pd.concat(parts, ignore_index=True)

    def _tested(self, measure: str, systems: list[str], scores: npt.NDArray[np.float64]) -> Mapping[str, object]:
        """Return the columns of the comparison with the baseline; `scores` are of shape (datasets, systems)."""
        baseline = systems.index(str(self.definition.baseline))
        p = np.full(len(systems), math.nan)
        for place, system in enumerate(systems):
            if place != baseline:
                p[place] = self._p_value(measure, system, systems[baseline])
        compared = ~np.isnan(p)
        after, reject = p.copy(), np.zeros(len(systems), dtype=bool)
        if compared.any():
            significant, after[compared] = corrected(p[compared], self.definition.correction, self.definition.alpha)
            reject[compared] = significant
        with np.errstate(invalid="ignore"):
            won, lost = (scores > scores[:, [baseline]]).sum(axis=0), (scores < scores[:, [baseline]]).sum(axis=0)
        counts = [
            pd.array([int(n) if there else None for n, there in zip(number, compared, strict=True)], "Int64")
            for number in (won, lost)
        ]
        return dict(zip(_TESTED, (*counts, p, after, reject), strict=True))

    def _p_value(self, measure: str, system: str, baseline: str) -> float:
        """Return the p-value of the difference of two means; NaN if a dataset has no question with both values."""
        ours, theirs = [], []
        clusters: dict[str, str] = {}
        for place, result in enumerate(self.results.values()):
            values = result.per_query[result.per_query["measure"] == measure].pivot(
                index="qid", columns="name", values="value"
            )
            if values.isna().all(axis=None):
                continue
            pairs = values.reindex(columns=[system, baseline]).dropna()
            both = pairs.to_numpy()
            if not len(both):
                return math.nan
            # The groups of one dataset share their clusters; those of different datasets only look alike.
            shared = "" if self.unit == "group" else f"{place} "
            own = result.clusters
            clusters |= {f"{place} {qid}": f"{shared}{own[qid] if own else qid}" for qid in pairs.index}
            ours.append(both[:, 0] / len(both))  # Each dataset weighs the same.
            theirs.append(both[:, 1] / len(both))
        if not ours:
            return math.nan
        codes = codes_of(clusters, clusters) if self.definition.cluster else None
        return paired_test("randomisation")(np.concatenate(ours), np.concatenate(theirs), codes)[1]

    @property
    def absent(self) -> list[str]:
        """The datasets of the definition that were not at hand, so that nothing was run on them."""
        there = {dataset_slug(result.definition.dataset) for result in self.results.values()}
        return [dataset for dataset in self.definition.datasets if dataset_slug(dataset) not in there]

    @property
    def without_mean(self) -> dict[str, list[str]]:
        """The systems that did not run on every dataset, with the datasets on which they did not."""
        missing = {
            system: [name for name, result in self.results.items() if system in result.absent]
            for system in self.definition.systems
        }
        return {system: names for system, names in missing.items() if names}

    def rows(self, measure: str) -> list[SystemRow]:
        """Return the rows of a measure's table for display: one cell per dataset, and one for the mean."""
        table = self.table[self.table["measure"] == measure].to_dict(orient="records")
        columns = [*self.results, "mean"]
        fraction = all(0 <= row[name] <= 1 for row in table for name in columns if not math.isnan(row[name]))
        sign = direction(measure)
        means = [row["mean"] * sign for row in table if not math.isnan(row["mean"])]
        base = next((row["mean"] for row in table if row["name"] == self.definition.baseline), math.nan)
        rows = []
        for row in table:
            cells = [Cell(row[name], format_score(row[name], fraction)) for name in columns]
            best = bool(sign) and len(means) > 1 and math.isclose(row["mean"] * sign, max(means), abs_tol=1e-12)
            mark = ("▲" if (row["mean"] - base) * sign > 0 else "▼") if sign and row.get("reject") else ""
            cells[-1] = replace(cells[-1], best=best, mark=mark)
            counts = [row.get("+"), row.get("-")][:: -1 if sign < 0 else 1]
            won = "" if any(map(pd.isna, counts)) else "{} : {}".format(*counts)
            rows.append(SystemRow(row["name"], tuple(cells), row["name"] == self.definition.baseline, won=won))
        return rows

    def tables(self) -> dict[str, list[SystemRow]]:
        """Return the rows of each measure."""
        return {measure: self.rows(measure) for measure in self.definition.measures}

    def to_latex(self) -> str:
        """Return a table for each measure in LaTeX, as :meth:`ExperimentResult.to_latex`."""
        return latex(self._paper_tables())

    def to_markdown(self) -> str:
        """Return a table for each measure in Markdown."""
        return markdown(self._paper_tables())

    def _paper_tables(self) -> list[PaperTable]:
        headings = [*(name.removeprefix("legalir/") for name in self.results), "mean"]
        tested = self.definition.baseline is not None
        tables = []
        for measure, rows in self.tables().items():
            fraction = all(0 <= cell.value <= 1 for row in rows for cell in row.cells if cell.measured)
            note = f"{_in_percent([measure] if fraction else [], [measure])} {self.legend()}".strip()
            if tested:
                rows = [replace(row, cells=(*row.cells, Cell(math.nan, row.won or "–"))) for row in rows]
            columns = [*headings, "won : lost"] if tested else headings
            tables.append(PaperTable(f"{self.definition.title}: {measure}", columns, rows, note))
        return tables

    def legend(self) -> str:
        """Return the meaning of the table."""
        words = f"Mean: each {self.unit} with the same weight. Bold: best mean."
        if self.definition.baseline is not None:
            correction = f", {self.definition.correction}" if self.definition.correction else ""
            flipped = f"cluster of {self.definition.cluster}" if self.definition.cluster else "question"
            words += (
                f" ▲▼ against {self.definition.baseline}: sign flips within each {flipped}{correction}, "
                f"α = {self.definition.alpha:g}. won : lost: number of {self.unit}s."
            )
        for system, names in self.without_mean.items():
            untested = ", so nothing is tested" if system == self.definition.baseline else ""
            words += f" {system} has no mean: it was not run on {', '.join(names)}{untested}."
        if self.unit == "dataset" and self.absent:
            words += f" Not at hand, and so neither run nor in a mean: {', '.join(self.absent)}."
        return words

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write one self-contained HTML file and return its path; it links to the reports of the datasets next to it.

        Raises:
            MissingExtra: Jinja2 is not installed (``pip install 'legalir[report]'``).
            ExperimentError: the file cannot be written.
        """
        path = Path(path)
        pages = {
            name: f"{dataset_slug(result.definition.dataset)}/report.html" for name, result in self.results.items()
        }
        links = {name: page if (path.parent / page).is_file() else "" for name, page in pages.items()}
        text = render_several(self.definition, links, self.tables(), self.legend())
        with writing(path.parent), atomic_file(path) as stream:
            stream.write(text)
        return path

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write the definition and the table into `folder`, each result into a folder in it, and return its path.

        Raises:
            ExperimentError: the folder cannot be written.
        """
        folder = Path(folder)
        for result in self.results.values():
            result.save(folder / dataset_slug(result.definition.dataset))
        with writing(folder):
            with atomic_file(folder / "table.tsv") as stream:
                self.table.to_csv(stream, sep="\t", index=False, lineterminator="\n")
            with atomic_file(folder / "definition.yaml") as stream:
                yaml.safe_dump(self.definition.as_dict(), stream, allow_unicode=True, sort_keys=False, width=100)
        return folder

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> ExperimentResults:
        """Read the files that :meth:`save` wrote.

        Raises:
            ExperimentError: the folder contains no results of several datasets, or a damaged one.
        """
        folder = Path(folder)
        if not (folder / "definition.yaml").is_file():
            raise ExperimentError(f"{folder} holds no results of several datasets (definition.yaml is missing).")
        definition = Definition.load(folder / "definition.yaml")
        folders = [folder / dataset_slug(dataset) for dataset in definition.datasets]
        results = [ExperimentResult.load(one) for one in folders if one.is_dir()]
        if not results:
            raise ExperimentError(f"{folder} holds the result of one dataset: load it with ExperimentResult.load.")
        return cls(definition, results)


def _column(result: ExperimentResult, measure: str) -> pd.Series[float]:
    return result.table.set_index("name")[measure].astype(float)


DEFAULT_TOLERANCE = 0.0005
"""Largest difference of two scores (fractions) that count as the same."""

HEADER = ("system", "measure", "value")


@dataclass(frozen=True)
class Expected:
    """Expected scores, by system and measure, and the tolerance that their file asks for."""

    scores: dict[tuple[str, str], float]
    tolerance: float | None = None


@dataclass(frozen=True)
class ComparedCell:
    """A score and the expected score; `expected` is None for an extra cell, `actual` for a missing one."""

    system: str
    measure: str
    expected: float | None
    actual: float | None
    status: str

    @property
    def difference(self) -> float | None:
        """The score minus the expected score; None if one of them is missing."""
        return None if self.expected is None or self.actual is None else self.actual - self.expected


@dataclass(frozen=True)
class Comparison:
    """All cells, and the tolerance under which they were compared."""

    cells: tuple[ComparedCell, ...]
    tolerance: float

    @property
    def ok(self) -> bool:
        """Whether every cell is the same."""
        return all(cell.status == "same" for cell in self.cells)

    @property
    def counts(self) -> Counter[str]:
        """Number of cells that are same, better, worse, missing and extra."""
        return Counter(cell.status for cell in self.cells)


def read_expected(path: str | os.PathLike[str]) -> Expected:
    """Read expected scores: tab-separated, first line ``system measure value``, comments after ``#``.

    A comment ``# tolerance: 0.001`` sets the tolerance of the file.

    Raises:
        ExperimentError: the file, the line, and what is wrong with it.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ExperimentError(f"The expected scores {path} cannot be read: {_reason(error)}.") from error
    tolerance: float | None = None
    scores: dict[tuple[str, str], float] = {}
    header_seen = False
    for number, line in enumerate(lines, start=1):
        where = f"{path}, line {number}"
        if line.startswith("#"):
            name, _, value = line[1:].partition(":")
            if name.strip() == "tolerance":
                tolerance = _number(value, where, "tolerance")
        elif line.strip():
            cells = line.split("\t")
            if not header_seen:
                if tuple(cells) != HEADER:
                    raise ExperimentError(f"{where}: the first line must be {' '.join(HEADER)}, with tabs between.")
                header_seen = True
                continue
            if len(cells) != len(HEADER):
                raise ExperimentError(f"{where}: there must be 3 columns with tabs between, got {len(cells)}.")
            if (cells[0], cells[1]) in scores:
                raise ExperimentError(f"{where}: {cells[0]!r} and {cells[1]} occur twice; keep one.")
            scores[cells[0], cells[1]] = _number(cells[2], where, "value")
    if not scores:
        raise ExperimentError(f"{path} holds no expected scores: write them with compare --write.")
    return Expected(scores, tolerance)


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8"


def _number(text: str, where: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or (what == "tolerance" and value < 0):
        accepted = "a number of at least 0" if what == "tolerance" else "a number"
        raise ExperimentError(f"{where}: the {what} must be {accepted}, got {text.strip()!r}.")
    return value


def compare(
    result: ExperimentResult | pd.DataFrame,
    expected: Expected | str | os.PathLike[str],
    tolerance: float | None = None,
) -> Comparison:
    """Compare a result, or its table, with expected scores.

    Args:
        result: the result of an experiment, or its table.
        expected: expected scores or the path of their file.
        tolerance: in score units; otherwise the file's, else the definition's, else 0.0005.
    """
    if not isinstance(expected, Expected):
        expected = read_expected(expected)
    own = result.definition.tolerance if isinstance(result, ExperimentResult) else None
    options = (tolerance, expected.tolerance, own, DEFAULT_TOLERANCE)
    chosen = next(option for option in options if option is not None)
    actual = _scores(result)
    keys = list(dict.fromkeys([*expected.scores, *actual]))
    return Comparison(tuple(_cell(key, expected.scores.get(key), actual.get(key), chosen) for key in keys), chosen)


def _scores(result: ExperimentResult | pd.DataFrame) -> dict[tuple[str, str], float]:
    if isinstance(result, ExperimentResult):
        table, measures = result.table, list(result.definition.measures)
    else:
        table = result
        # A column with a space is a statistic of a measure.
        measures = [column for column in table.columns if column != "name" and " " not in column]
    scores = {(str(row["name"]), name): float(row[name]) for _, row in table.iterrows() for name in measures}
    return {key: value for key, value in scores.items() if not math.isnan(value)}  # answers have no ranking measures


def _cell(key: tuple[str, str], expected: float | None, actual: float | None, tolerance: float) -> ComparedCell:
    if actual is None:
        status = "missing"
    elif expected is None:
        status = "extra"
    # The last digits of a decimal tolerance must not decide: 0.5005 and 0.5 are 0.0005 apart.
    elif abs(actual - expected) <= tolerance + 1e-12:
        status = "same"
    else:
        status = "better" if actual > expected else "worse"
    return ComparedCell(*key, expected, actual, status)


def write_expected(result: ExperimentResult, path: str | os.PathLike[str]) -> Path:
    """Write the scores of `result` as expected ones, to six decimals, and return the path."""
    path = Path(path)
    tolerance = DEFAULT_TOLERANCE if result.definition.tolerance is None else result.definition.tolerance
    with writing(path.parent), atomic_file(path) as stream:
        stream.write(f"# Expected scores of: {' '.join(result.definition.title.split())}\n")
        stream.write(f"# tolerance: {tolerance:g}\n")
        stream.write("\t".join(HEADER) + "\n")
        for (system, measure), value in _scores(result).items():
            stream.write(f"{system}\t{measure}\t{round(value, 6)}\n")
    return path
