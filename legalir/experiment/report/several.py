"""The results of one experiment on several datasets: one table of systems and datasets, with a mean."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import yaml

from legalir.errors import ExperimentError
from legalir.experiment.definition.definition import Definition
from legalir.experiment.report.html import render_several
from legalir.experiment.report.result import ExperimentResult
from legalir.experiment.report.rows import direction, format_score
from legalir.experiment.runs.files import writing
from legalir.experiment.runs.statistics import corrected, paired_test
from legalir.storage.files import atomic_file

_TESTED = ("+", "-", "p-value", "p-value corrected", "reject")


def dataset_slug(dataset: str) -> str:
    """Return the name of a dataset as a file name: ``legalir/koblex`` is ``koblex``."""
    return re.sub(r"[^\w.-]+", "-", dataset.removeprefix("legalir/")).strip("-")


@dataclass(frozen=True)
class MeanRow:
    """A system in the table of one measure, as people see it.

    Attributes:
        name: name of the system.
        cells: figure of each dataset and the mean, as text.
        best: whether no other system has a better mean.
        mark: ``▲`` or ``▼`` where the mean is significantly better or worse than that of the baseline, else empty.
        won: datasets on which it is better than the baseline, and those on which it is worse, as text.
    """

    name: str
    cells: tuple[str, ...]
    best: bool
    mark: str
    won: str


class ExperimentResults:
    """The results of one experiment on several datasets.

    Args:
        definition: what was asked, with all datasets.
        results: the result of each dataset, in the order of the definition.

    Attributes:
        definition: what was asked.
        results: the result of each dataset, by the dataset's name.
    """

    def __init__(self, definition: Definition, results: Sequence[ExperimentResult]) -> None:
        self.definition = definition
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
        weight; a system without a score on one of them has no mean. With a baseline: ``+`` and ``-``, the number of
        datasets on which the system is better and worse; ``p-value`` of the difference of the means by sign flips
        within each question [randomisation]; ``p-value corrected`` over the systems, and ``reject``.
        """
        systems = list(self.definition.systems)
        parts = []
        for measure in self.definition.measures:
            scores = [_column(result, measure).reindex(systems).to_numpy() for result in self.results.values()]
            columns: dict[str, object] = {"measure": measure, "name": systems}
            columns |= dict(zip(self.results, scores, strict=True))
            columns["mean"] = np.mean(scores, axis=0)
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
        for result in self.results.values():
            values = result.per_query[result.per_query["measure"] == measure].pivot(
                index="qid", columns="name", values="value"
            )
            both = values.reindex(columns=[system, baseline]).dropna().to_numpy()
            if not len(both):
                return math.nan
            ours.append(both[:, 0] / len(both))  # Each dataset weighs the same.
            theirs.append(both[:, 1] / len(both))
        return paired_test("randomisation")(np.concatenate(ours), np.concatenate(theirs))[1]

    @property
    def without_mean(self) -> dict[str, list[str]]:
        """The systems that did not run on every dataset, with the datasets on which they did not."""
        missing = {
            system: [name for name, result in self.results.items() if system in result.absent]
            for system in self.definition.systems
        }
        return {system: names for system, names in missing.items() if names}

    def rows(self, measure: str) -> list[MeanRow]:
        """Return the rows of the table of one measure as people see them."""
        table = self.table[self.table["measure"] == measure].to_dict(orient="records")
        figures = [float(row[name]) for row in table for name in (*self.results, "mean")]
        fraction = all(0 <= value <= 1 for value in figures if not math.isnan(value))
        sign = direction(measure)
        means = [float(row["mean"]) * sign for row in table if not math.isnan(row["mean"])]
        base = next((row["mean"] for row in table if row["name"] == self.definition.baseline), math.nan)
        rows = []
        for row in table:
            mark = ("▲" if (row["mean"] - base) * sign > 0 else "▼") if sign and row.get("reject") else ""
            counts = [row.get("+"), row.get("-")]
            won = "" if any(map(pd.isna, counts)) else "{} : {}".format(*(counts if sign >= 0 else counts[::-1]))
            best = bool(sign) and len(means) > 1 and math.isclose(row["mean"] * sign, max(means), abs_tol=1e-12)
            cells = tuple(format_score(float(row[name]), fraction) for name in (*self.results, "mean"))
            rows.append(MeanRow(str(row["name"]), cells, best, mark, won))
        return rows

    def legend(self) -> str:
        """Return the meaning of the table."""
        words = "Mean: each dataset with the same weight. Bold: best mean."
        if self.definition.baseline is not None:
            correction = f", {self.definition.correction}" if self.definition.correction else ""
            words += (
                f" ▲▼ against {self.definition.baseline}: sign flips within each question{correction}, "
                f"α = {self.definition.alpha:g}. won : lost: number of datasets."
            )
        for system, names in self.without_mean.items():
            untested = ", so nothing is tested" if system == self.definition.baseline else ""
            words += f" {system} has no mean: it was not run on {', '.join(names)}{untested}."
        return words

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write one self-contained HTML file and return its path; it links to the reports of the datasets beside it.

        Raises:
            MissingExtra: Jinja2 is not installed (``pip install 'legalir[report]'``).
            ExperimentError: the file cannot be written.
        """
        path = Path(path)
        pages = {
            name: f"{dataset_slug(result.definition.dataset)}/report.html" for name, result in self.results.items()
        }
        links = {name: page if (path.parent / page).is_file() else "" for name, page in pages.items()}
        tables = {measure: self.rows(measure) for measure in self.definition.measures}
        text = render_several(self.definition, links, tables, self.legend())
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
            ExperimentError: the folder holds no results of several datasets, or a damaged one.
        """
        folder = Path(folder)
        if not (folder / "definition.yaml").is_file():
            raise ExperimentError(f"{folder} holds no results of several datasets (definition.yaml is missing).")
        definition = Definition.load(folder / "definition.yaml")
        results = [ExperimentResult.load(folder / dataset_slug(dataset)) for dataset in definition.datasets]
        if not results:
            raise ExperimentError(f"{folder} holds the result of one dataset: load it with ExperimentResult.load.")
        return cls(definition, results)


def _column(result: ExperimentResult, measure: str) -> pd.Series[float]:
    return result.table.set_index("name")[measure].astype(float)
