"""What an experiment is: a dataset, measures, systems, and how they are compared."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING

from legalir.errors import ExperimentError
from legalir.experiment.sweeps import Sweep
from legalir.experiment.values import Setting, changed_values, filled, located_value, shown_value
from legalir.yaml_files import read_yaml

if TYPE_CHECKING:
    import ir_measures

__all__ = ["CORRECTIONS", "PARTS", "TESTS", "Definition", "Reference", "load_definition", "parse_measure"]

TESTS = ("t", "wilcoxon", "randomisation")
"""Paired tests: Student's t, Wilcoxon's signed rank, and sign-flip randomisation."""

CORRECTIONS = ("holm", "bonferroni", "holm-sidak", "fdr_bh")
"""Corrections for several systems compared with one baseline, by their statsmodels names."""


PARTS = ("dev", "held-out")
"""Two halves of the queries of any dataset, told apart by whether the sha256 of the qid is even: one to choose
settings on, the other to confirm them."""

ORDER = (
    *("title", "description", "dataset", "datasets", "measures", "values", "systems", "sweeps"),
    *("part", "baseline", "test", "correction"),
    *("alpha", "depth", "references", "tolerance", "notes"),
)
"""The keys of a definition in the order in which a reader wants them."""


@dataclass(frozen=True)
class Reference:
    """A row of figures from elsewhere, printed beside ours and never tested against them.

    `scores` are fractions by measure, as everywhere in a result (a paper's 48.0 is 0.48).
    """

    name: str
    scores: Mapping[str, float]
    source: str = ""


@dataclass(frozen=True)
class Definition:
    """An experiment as its YAML file states it, checked and with every default filled in.

    Attributes:
        dataset: a dataset id or the path of a dataset folder; the first of `datasets`.
        measures: names in the form of ``ir_measures`` (``nDCG@10``); the first one leads the report.
        systems: name to pipeline expression as written, in the order of the table; :meth:`expressions` has the values
            in it.
        baseline: the system the others are tested against, or None for no test.
        test: one of :data:`TESTS`.
        correction: one of :data:`CORRECTIONS`, or None.
        alpha: level of significance, also of the correction.
        depth: results kept per query.
        references: figures from elsewhere.
        datasets: all datasets that the experiment is run on, one after another; empty for one.
        sweeps: systems that differ in one parameter; they are in `systems`, too.
        part: one of :data:`PARTS`, or None for every query.
        tolerance: what ``compare`` forgives, in score units; None leaves it to the expected scores.
        values: what takes the place of ``${name}`` in the expressions.
    """

    dataset: str
    measures: tuple[str, ...]
    systems: Mapping[str, str]
    title: str = ""
    description: str = ""
    baseline: str | None = None
    test: str = "t"
    correction: str | None = "holm"
    alpha: float = 0.05
    depth: int = 100
    references: tuple[Reference, ...] = field(default=())
    tolerance: float | None = None
    notes: str = ""
    datasets: tuple[str, ...] = field(default=())
    sweeps: tuple[Sweep, ...] = field(default=())
    part: str | None = None
    values: Mapping[str, Setting] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Definition:
        """Read a definition from a YAML file.

        A dataset or a value that starts with ``./``, ``../`` or ``~`` is a path seen from the file.

        Raises:
            ExperimentError: what is wrong, with the file, the key and what is accepted.
            MeasureError: a measure that does not exist.
        """
        path = Path(path)
        value = read_yaml(path, "an experiment file")
        definition = cls.parse(value, where=str(path)).located(path.parent)
        return definition if definition.title else definition.replace(title=path.stem)

    @classmethod
    def parse(cls, value: object, where: str = "the definition") -> Definition:
        """Check a mapping with the keys of the YAML file; `where` names it in errors."""
        from legalir.experiment.checks import checked_fields

        given = checked_fields(value, where, [item.name for item in fields(cls)])
        return cls(**given)  # type: ignore[arg-type]

    def replace(self, **changes: object) -> Definition:
        """Return a copy with other values."""
        import dataclasses

        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def located(self, folder: Path) -> Definition:
        """Return a copy whose datasets and values, where they are paths from `folder` or from home, are absolute."""
        datasets = tuple(_located(dataset, folder) for dataset in self.datasets)
        values = {name: located_value(value, folder) for name, value in self.values.items()}
        return self.replace(dataset=_located(self.dataset, folder), datasets=datasets, values=values)

    def with_values(self, given: Mapping[str, object]) -> Definition:
        """Return a copy with other values; what `given` does not name stays, and a number may be given as text.

        Raises:
            ExperimentError: a name or a kind of value that the definition does not have.
        """
        return self.replace(values=changed_values(self.values, given))

    def expressions(self) -> dict[str, str]:
        """Return the pipeline expression of every system with the values in it."""
        return {name: filled(text, self.values, f"The system {name!r}") for name, text in self.systems.items()}

    def shown(self) -> Definition:
        """Return a copy for strangers: values that are absolute paths are cut to their last part."""
        return self.replace(values={name: shown_value(value) for name, value in self.values.items()})

    def each(self) -> list[Definition]:
        """Return one definition for each dataset."""
        return [self.replace(dataset=dataset, datasets=()) for dataset in self.datasets or (self.dataset,)]

    def as_dict(self) -> dict[str, object]:
        """Return plain values that :meth:`parse` accepts, in the order a reader wants them."""
        values: dict[str, object] = {name: getattr(self, name) for name in ORDER}
        values["measures"] = list(self.measures)
        swept = {name for sweep in self.sweeps for name in sweep.systems()}
        values["systems"] = {name: text for name, text in self.systems.items() if name not in swept}
        values["sweeps"] = [sweep.as_dict() for sweep in self.sweeps]
        values["datasets"] = list(self.datasets)
        values["values"] = dict(self.values)
        if self.datasets:
            del values["dataset"]
        values["references"] = [
            {"name": row.name, "source": row.source, "scores": dict(row.scores)} for row in self.references
        ]
        return {name: value for name, value in values.items() if value not in ("", [], {})}

    def keeps(self, qid: str) -> bool:
        """Return whether a query belongs to the part that the experiment is about."""
        return self.part is None or self.part == PARTS[hashlib.sha256(qid.encode()).digest()[-1] % 2]

    def measure_objects(self) -> list[ir_measures.Measure]:
        """Return the measures as ``ir_measures`` objects."""
        return [parse_measure(name) for name in self.measures]


def _located(dataset: str, folder: Path) -> str:
    if not dataset.startswith(("./", "../", "~")):
        return dataset
    return str((folder / Path(dataset).expanduser()).resolve())


def parse_measure(name: str) -> ir_measures.Measure:
    """Return the measure called `name`, one of ``ir_measures`` or of legalir.

    Raises:
        MeasureError: no measure has this name or these parameters, or nothing installed computes it.
    """
    from legalir.measure import parse_measures

    return parse_measures([name])[0]


def load_definition(source: Definition | Mapping[str, object] | str | os.PathLike[str]) -> Definition:
    """Return a definition from one, from a mapping, or from the path of a YAML file."""
    if isinstance(source, Definition):
        return source
    if isinstance(source, str | os.PathLike):
        return Definition.load(source)
    if isinstance(source, Mapping):
        return Definition.parse(dict(source))
    raise ExperimentError(
        f"An experiment is a mapping, a Definition or the path of a YAML file, not {type(source).__name__}."
    )
